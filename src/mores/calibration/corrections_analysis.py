"""Corrected means of judges, as an analysis: each mean, all ways, and by place, with sentences on what they rest on.

A row of `corrections` is one way to come to one mean; the difference of people and judge is in `corrections_apart`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from math import ceil, floor

from msgspec.structs import asdict

from mores.analysis.contrast import Contrast
from mores.calibration.agreement import known
from mores.calibration.agreement_analysis import TablesById, titled
from mores.calibration.agreement_tables import CAUTION, SIMULATED, TASK, Keyed, caution_of
from mores.calibration.corrections import (
    JUDGE,
    PEOPLE,
    PPI,
    ROGAN,
    CorrectedMean,
    Corrections,
    TaskCorrected,
    Uncorrected,
)
from mores.core.card import Metric
from mores.core.estimate import Caution, Estimate
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import (
    Analysis,
    AnalysisResult,
    Column,
    FilledTable,
    Row,
    Show,
    Table,
    View,
    blocks_of,
    columns_of,
    gathered,
)
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Block, CellValue, Chart, Details, Paragraph, Words
from mores.tables.missing_texts import format_missing

ESTIMATED = (
    "The estimate is the mean of people's labels (majority of labels, mean of points); people may make errors too."
)
NAMED = 6
"""Places that a warning names."""


def scale_of(of: CorrectedMean) -> Axis:
    """Whole tenths of a target's range round all its figures and intervals, two of them at least."""
    low, span = of.target.low, of.target.high - of.target.low
    ends = [end for _, e in of.ways for end in (e.value, e.low, e.high) if end is not None] or [low, low + span]
    first = floor((min(ends) - low) / span * 10 + 1e-9)
    last = ceil((max(ends) - low) / span * 10 - 1e-9)
    first = max(0, min(first, last - 2))
    return Axis(low=low + first * span / 10, high=low + min(10, max(last, first + 2)) * span / 10)


def what(of: CorrectedMean) -> str:
    """Name of what is averaged."""
    return f"share of '{of.target.name}'" if of.target.is_share else "mean of points"


def describe_figure(of: CorrectedMean) -> str:
    """Figure of the card that it is."""
    if of.figure is None:
        return "no figure of the card is this mean"
    kind = "the headline" if of.figure.headline else "a metric"
    alike = "" if of.figure.counted == "thing" else f", each {of.figure.counted} counting alike"
    return f"{kind} of the card: {of.figure.name}{alike}"


def aside(name: str, figure: Estimate, of: CorrectedMean) -> str:
    """Note beside one way's figure: its n, what it used, or why it refuses."""
    if name in of.refused:
        return describe_correction_caution(of.refused[name])
    if figure.value is None:
        return format_missing(figure.missing)
    if name == PPI and of.lam:
        low, high = min(of.lam), max(of.lam)
        # strata may have a lambda of their own
        return f"lambda {low:.2f}" if high - low < 0.005 else f"lambda {low:.2f} to {high:.2f}"
    if name == ROGAN and of.rates is not None:
        return f"J = se + sp − 1 = {of.rates.youden:.2f}, in the interval {of.rates.youden_of_interval:.2f}"
    counted = {PEOPLE: of.labelled, JUDGE: of.judged}
    return f"n {counted[name]:,}" if name in counted else ""


def describe_errors(of: CorrectedMean) -> str:
    """Sensitivity and specificity with their n."""
    parts = []
    for each in filter(None, (of.sensitivity, of.specificity)):
        value = words.DASH if each.value is None else f"{each.value:.2f}"
        ends = "" if each.low is None or each.high is None else f" [{each.low:.2f}, {each.high:.2f}]"
        parts.append(f"{each.metric} {value}{ends}, n {each.graded:,}")
    return "; ".join(parts)


def format_difference(of: CorrectedMean) -> str:
    """Difference of people's mean and the judge's on labelled things, with its interval, as points or per cent."""
    gap, share = of.difference, words.is_share(of.metric)
    if not of.labelled:
        return words.DASH

    def signed(value: float) -> str:
        return f"{100 * value:+.1f}".replace("-", "−") if share else f"{value:+.2f}".replace("-", "−")

    ends = "" if gap.low is None or gap.high is None else f" [{signed(gap.low)}, {signed(gap.high)}]"
    return f"{signed(gap.difference)}{ends}"


def bounds(of: CorrectedMean) -> str:
    """Bounds of the corrected figure were all ungraded at worst or at best; empty where nothing is ungraded."""
    ends = words.format_bounds(of.best, of.metric)
    return f"Corrected, {ends[0]} if all ungraded things were at the low end, {ends[1]} at the high end" if ends else ""


def counts(task: TaskCorrected) -> str:
    """Counts of what was judged and labelled."""
    parts = [f"{task.judged:,} things judged"]
    if task.ungraded:
        parts.append(f"{task.ungraded:,} ungraded")
    people = words.plural(task.people, "person", "people")
    parts.append(f"{task.labelled:,} labelled by {people}, in {task.whole[0].clusters:,} clusters")
    if task.tied:
        parts.append(f"{task.tied:,} on which people are tied are left out")
    if task.labelled_ungraded:
        parts.append(f"{task.labelled_ungraded:,} labelled but ungraded")
    return f"{'; '.join(parts)}."


def describe_difference(of: CorrectedMean, task: TaskCorrected) -> str:
    """Sentences on the difference of people and judge, on the judge's errors, and on what is ungraded."""
    tested = "; too few to test" if of.p_holm is None else f", {words.format_p(of.p_holm)}"
    family = f" after Holm over {task.family}" if of.p_holm is not None and task.family > 1 else ""
    judge = f" The judge: {describe_errors(of)}." if of.sensitivity else ""
    ungraded = f" {bounds(of)}." if bounds(of) else ""
    return f"People less judge, over what is labelled: {format_difference(of)}{tested}{family}.{judge}{ungraded}"


def describe_uncorrected(each: Uncorrected) -> str:
    """That a model is left as it is, and why."""
    carried = (
        f"; those of {', '.join(each.labelled)} are not carried over, as judges may err otherwise on other answers"
    )
    why = f"no labels of its own on {each.task}{carried if each.labelled else ''}"
    return f"{each.model} on {each.benchmark} is left uncorrected: {why}."


def describe_correction_caution(found: Caution) -> str:
    """Caution on a correction, or the reason that there is none, in a sentence."""
    text = _CAUTIONS[found.code]
    return text.format(found) if isinstance(text, str) else text(found)


def _mixed(found: Caution) -> str:
    names = [words.group_name("place", code) if code else "no place" for code in found.words]
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (
        f"Another mix: places are labelled otherwise than judged (p = {found.p:.2g}), and {found.n} of {found.of} have "
        f"under 4 labelled clusters ({', '.join(names[:NAMED])}{rest}): label there, or see --by place."
    )


def _weighed(found: Caution) -> str:
    otherwise = "" if found.p is None else f", as labels are mixed otherwise (p = {found.p:.2g})"
    return f"Weighed by place: {found.of} places, each by its share of what was judged{otherwise}."


def _together(found: Caution) -> str:
    p = "" if found.p is None else f" (p = {found.p:.2g})"
    return (
        f"Places are not weighed apart: {found.n} of {found.of} have under 4 labelled clusters; no sign that labels "
        f"are mixed otherwise than what was judged{p}."
    )


def _few(found: Caution, kind: str) -> str:
    word, counted = found.words
    one = f"{found.size:.3g}" == "1"
    units = ("unit" if one else "units") if counted == "label" else ("label's worth" if one else "labels' worth")
    return f"{found.size:.3g} {units} that people {kind} '{word}'; at least {found.of} are needed"


_CAUTIONS: Mapping[str, str | Callable[[Caution], str]] = {
    "picked": (
        "No correction: the labelled units were selected, not drawn at random; a list of units to decide is not a "
        "sample."
    ),
    "all labelled": "people labelled all that was judged: their own mean needs no correction",
    "few clusters": "too few labelled clusters: {0.n}, at least {0.of} are needed",
    "few of the word": lambda c: _few(c, "call"),
    "few of the others": lambda c: _few(c, "do not call"),
    "hardly better than chance": (
        "the judge is hardly better than chance: sensitivity + specificity - 1 is {0.size:.2f}, under 0.2"
    ),
    "another mix": _mixed,
    "another population": (
        "Another population: the judge's mean is {0.size:+.3f} away in what is labelled from what is not, within "
        "places (p = {0.p:.2g}); so these labels are no random sample of it, and corrections do not hold."
    ),
    "weighed by place": _weighed,
    "not by place": _together,
    "labels by names": (
        "Labels were not given by the ids of a work list, so mores cannot see whether they "
        "are of these very answers, nor how these were chosen; they are taken as a random sample."
    ),
    "worth fewer": (
        "One thing of each {0.words[0]} was labelled, though not each counts alike in this mean: "
        "the labels are worth {0.n} that do."
    ),
    "nothing to judge": "{0.n:,} answers left nothing to judge and count in the figure as they are.",
}


def scores(tasks: Sequence[TaskCorrected]) -> tuple[Words, ...]:
    """The judge's score and the corrected one, a line a model."""
    return tuple(_score(task.model, task.whole[0]) for task in tasks)


def _score(model: str, of: CorrectedMean) -> Words:
    best = "refused" if of.best is None else CellValue(value=of.best, format="share", metric=of.metric)
    return f"{model}: ", CellValue(value=of.judge.value, format="share", metric=of.metric), " → ", best


_WHOSE = (
    *columns_of("text", run="folder of the run"),
    *columns_of("model", model="whose answers were judged"),
    *TASK,
)
IDENT = (*_WHOSE, *SIMULATED)
TARGET = (
    *columns_of("text", target="the word whose share it is, or `mean` of points"),
    Column(key="place", title="place", kind="group", of="place", says="its code; missing for the whole"),
)
METRIC = Column(key="metric", title="metric", kind="metric", says="its range")
CORRECTIONS = Table(
    id="corrections",
    title="Judges' means, uncorrected and corrected",
    columns=(
        *IDENT,
        *TARGET,
        *columns_of("text", way="how the mean is come to"),
        METRIC,
        Column(key="mean", title="mean", kind="estimate", main=True, says="the mean; missing where the way is refused"),
        *columns_of("text", rests_on="its n, what it used, or why it is refused", figure="the card's figure that it is",
                    counted="what counts alike in it: each thing, or each unit"),
        *columns_of("flag", headline="true where that is the headline"),
        *columns_of("number", lambda_low="how far judges' figures are used, at least", lambda_high="the same at most"),
    ),
)  # fmt: skip
DIFFERENCES = Table(
    id="corrections_apart",
    title="People less judge",
    columns=(
        *IDENT,
        *TARGET,
        *columns_of("count", judged="things with a grade of the judge", labelled="those that people labelled"),
        METRIC,
        Column(key="apart", title="people less judge", kind="contrast", main=True,
               says="people's mean less the judge's, over labelled things"),
        *columns_of("estimate", sensitivity="how often the judge says the word where people do",
                    specificity="how often the judge does not say it where people do not"),
        *columns_of("number", youden="their sum less 1", youden_of_interval="the same as it enters the interval"),
    ),
)  # fmt: skip
COUNTS = Table(
    id="corrections_tasks",
    title="What was judged and labelled of each model",
    columns=(
        *IDENT,
        *columns_of("names", judges="specifications of all judges", options="words to choose from; none for points"),
        *columns_of("number", confidence="of the intervals"),
        *columns_of(
            "count", judged="things with a grade of the judge", ungraded="things on which judges said nothing usable",
            nothing_to_judge="answers that left nothing to judge", people="how many people labelled",
            labelled="graded things that people labelled", tied="labelled things on which people tie",
            labelled_ungraded="labelled things without a grade",
            family="claims that people and judge differ, corrected together",
        ),
    ),
)  # fmt: skip
CAUTIONS = Table(
    id="corrections_cautions",
    title="What has to be known of corrections",
    columns=(*IDENT, *TARGET, *columns_of("text", about="`warning`, `remark`, or a way that is refused"), *CAUTION),
)
BARE = Table(
    id="uncorrected",
    title="Models that are left uncorrected",
    columns=(*_WHOSE, *columns_of("names", labelled="models with labels of this task")),
)
TABLES = (CORRECTIONS, DIFFERENCES, COUNTS, CAUTIONS, BARE)


def analyse(found: Corrections) -> AnalysisResult:
    """All tasks, one below the other."""
    every, blocks = list[FilledTable](), list[Block]()
    for task in found.tasks:
        tables = tables_of(task, found.confidence)
        every += tables.values()
        made_up = " (simulated)" if task.simulated else ""
        judges = ", ".join(dict.fromkeys(task.judges.values()))
        text = f"{task.benchmark} · {task.task} · {task.model}, judged by {judges}{made_up}"
        blocks += [Paragraph(words=text, role="heading"), *task_blocks(task, tables)]
    blocks += (Paragraph(words=line) for line in dict.fromkeys(map(describe_uncorrected, found.without)))
    blocks.append(
        Paragraph(words=f"Brackets hold {100 * found.confidence:g}% intervals that respect clusters. {ESTIMATED}")
    )
    return AnalysisResult(tables=gathered(TABLES, (*every, bare_of(found))), blocks=tuple(blocks))


def bare_of(found: Corrections) -> FilledTable:
    """The models that are left as they are."""
    return FilledTable(table=BARE, rows=tuple(BARE.row(**asdict(each)) for each in found.without))


def tables_of(task: TaskCorrected, confidence: float) -> dict[str, FilledTable]:
    """The tables of one task of one model by their ids."""
    who = {name: getattr(task, name) for name in ("run", "model", "benchmark", "task", "simulated")}
    every = (*task.whole, *task.places)
    rows: tuple[tuple[Table, Iterable[Keyed]], ...] = (
        (CORRECTIONS, (row for of in every for row in _ways(of))),
        (DIFFERENCES, (_difference_rows(of, task) for of in every)),
        (COUNTS, (_counts(task, confidence),)),
        (CAUTIONS, _cautions(task)),
    )
    return {
        table.id: FilledTable(table=table, rows=tuple(table.row(**who, **row) for row in own)) for table, own in rows
    }


def _target(of: CorrectedMean) -> Keyed:
    return {"target": of.target.name, "place": of.place or None}


def _metric(of: CorrectedMean) -> Metric:
    return of.metric or of.target.metric


def _ways(of: CorrectedMean) -> Iterator[Keyed]:
    figure = of.figure
    card = {"figure": figure.name, "counted": figure.counted, "headline": figure.headline} if figure else {}
    for way, mean in of.ways:
        used = {"lambda_low": min(of.lam), "lambda_high": max(of.lam)} if way == PPI and of.lam else {}
        text = {"way": way, "metric": _metric(of), "mean": mean, "rests_on": aside(way, mean, of) or None}
        yield {**_target(of), **text, "headline": False, **card, **(used if mean.value is not None else {})}


def _difference_rows(of: CorrectedMean, task: TaskCorrected) -> Keyed:
    gap, some, rates = of.difference, bool(of.labelled), of.rates
    contrast = Contrast(
        metric=_metric(of).name, a=None, b=None, difference=gap.difference if some else None, low=gap.low,
        high=gap.high, p=known(gap.p) if some else None, p_adjusted=of.p_holm, family=task.family, units=of.labelled,
        clusters=of.clusters, test=gap.test, method=gap.method, missing=gap.missing,
    )  # fmt: skip
    return {
        **_target(of), "judged": of.judged, "labelled": of.labelled, "metric": _metric(of), "apart": contrast,
        "sensitivity": of.sensitivity, "specificity": of.specificity,
        "youden": known(rates.youden) if rates else None,
        "youden_of_interval": known(rates.youden_of_interval) if rates else None,
    }  # fmt: skip


def _counts(task: TaskCorrected, confidence: float) -> Keyed:
    counted = ("options", "judged", "ungraded", "nothing_to_judge", "people", "labelled", "tied", "labelled_ungraded",
               "family")  # fmt: skip
    judges = tuple(dict.fromkeys(task.judges.values()))
    return {"judges": judges, "confidence": confidence, **{name: getattr(task, name) for name in counted}}


def _cautions(task: TaskCorrected) -> Iterator[Keyed]:
    for about, several in (("warning", task.warnings), ("remark", task.remarks)):
        yield from ({"about": about, **caution_of(each, describe_correction_caution(each))} for each in several)
    for of in (*task.whole, *task.places):
        for way, why in of.refused.items():
            yield {**_target(of), "about": way, **caution_of(why, describe_correction_caution(why))}


def task_blocks(task: TaskCorrected, tables: TablesById) -> Iterator[Block]:
    """One task of one model: its counts, what is to be known, each mean, and places."""
    yield Paragraph(words=counts(task))
    yield from cautions(task)
    for of in task.whole:
        yield from mean_blocks(of, task, tables)
    yield from place_blocks(task, tables)


def part_blocks(task: TaskCorrected, tables: TablesById) -> Iterator[Block]:
    """The same as a part of a page, where a reader opens further words and places."""
    first, *others = task.whole
    yield Paragraph(words=counts(task), role="note")
    yield from cautions(task)
    yield from mean_blocks(first, task, tables)
    if others:
        blocks = tuple(block for of in others for block in mean_blocks(of, task, tables))
        yield Details(summary="Word by word, each against the rest", blocks=blocks)
    if places := tuple(place_blocks(task, tables)):
        yield Details(summary="Corrected by place", blocks=places)


def cautions(task: TaskCorrected) -> Iterator[Block]:
    """Cautions: those that forbid to believe the figures, and all others."""
    yield from (Paragraph(words=describe_correction_caution(each), role="warning") for each in task.warnings)
    yield from (Paragraph(words=describe_correction_caution(each)) for each in task.remarks)


def mean_blocks(of: CorrectedMean, task: TaskCorrected, tables: TablesById) -> Iterator[Block]:
    """One mean, all ways, and how far people and judge are apart."""
    yield Paragraph(words=f"{what(of).capitalize()}; {describe_figure(of)}", role="subheading")
    filled, scale = tables["corrections"], scale_of(of)
    ends = (f"{100 * end:.0f}%" if words.is_share(of.metric) else f"{end:g}" for end in (scale.low, scale.high))
    view = View(
        title=f"{task.model}, {what(of)}",
        rows=filled.where(target=of.target.name, place=None),
        shown=(
            Show(key="way", title="by"),
            Show(key="mean", write=_mean),
            Show(key="mean", title=Chart.scale(*ends), write=lambda row: _dots(row, scale)),
            Show(key="rests_on", title="from"),
        ),
    )
    yield from blocks_of(filled, view)
    yield Paragraph(words=describe_difference(of, task))


def _mean(row: Row) -> Words:
    """A figure with its interval, or the word refused."""
    mean = row[CORRECTIONS.at("mean")]
    return (
        "refused" if mean.value is None else CellValue(value=mean, format="share", metric=row[CORRECTIONS.at("metric")])
    )


def _dots(row: Row, scale: Axis) -> Chart:
    return Chart.interval(row[CORRECTIONS.at("mean")], scale)


def place_blocks(task: TaskCorrected, tables: TablesById) -> Iterator[Block]:
    """A row for each place and target that has enough labels for any claim."""
    every = {each.place for each in task.places}
    enough = {each.place for each in task.places if each.clusters >= MIN_CLUSTERS}
    few = len(every - enough)
    left = f"{few} of {len(every)} places have under {MIN_CLUSTERS} labelled clusters: too few." if few else ""
    note = (
        f"{task.family} claims that people and judge differ are corrected together (Holm). Intervals of places are not "
        f"corrected for their number; they do not show which place is best. {left}"
    ).strip()
    if enough:
        named = ("place", *(("target",) if len(task.whole) > 1 else ()))
        yield from titled(tables["corrections"], _means(tables["corrections"], enough, named))
        yield from titled(tables["corrections_apart"], _differences(tables["corrections_apart"], enough, named), note)
    elif left:
        yield Paragraph(words=left)


def _means(filled: FilledTable, places: Container[str], named: tuple[Show, ...]) -> View:
    return View(
        title="Corrected by place",
        rows=_of_places(filled, places),
        shown=named,
        across="way",
        cell=Show(key="mean", write=_mean),
        heads={JUDGE: "uncorrected"},
    )


def _differences(filled: FilledTable, places: Container[str], named: tuple[Show, ...]) -> View:
    tested = ("judged", "labelled", "apart", Show(key="p_holm", title="p, Holm"))
    return View(title="People less judge, by place", rows=_of_places(filled, places), shown=(*named, *tested))


def _of_places(filled: FilledTable, places: Container[str]) -> tuple[Row, ...]:
    at = filled.table.at("place")
    return tuple(row for row in filled.rows if row[at] is not None and row[at] in places)


CORRECTIONS_ANALYSIS = Analysis(
    id="corrections", title="Scores corrected by people's labels", tables=TABLES, analyse=analyse
)
