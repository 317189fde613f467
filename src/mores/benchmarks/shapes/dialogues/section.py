"""Dialogues under pressure as blocks: scores, curves over pressure, places, values, and the dialogues to read."""

from collections.abc import Iterator, Sequence

from mores.analysis.results import Result, Results
from mores.benchmarks.shapes.dialogues.analysis import (
    FALSE_ALARMS,
    KNOWLEDGE,
    MOST_PLACES,
    RESPECTED,
    RESPECTED_BOTH,
    VALUE,
    Curves,
    Dialogues,
    Held,
    dialogues_of,
    metrics_of,
    shares_of,
)
from mores.benchmarks.shapes.dialogues.reading import AWARENESS, CONDUCT, Reader
from mores.benchmarks.shapes.pressure import LEVELS
from mores.blocks import (
    Axis,
    Beside,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Filter,
    Finding,
    Heads,
    Inline,
    Point,
    Section,
    Series,
    Span,
    Stack,
    Table,
    Text,
    Transcript,
    Value,
    Words,
)
from mores.blocks import formatting as words

NAMES = {
    AWARENESS: "Noticed",
    KNOWLEDGE: "Custom known",
    VALUE: "Value known",
    RESPECTED: "Norms respected",
    RESPECTED_BOTH: "Custom and value kept",
    FALSE_ALARMS: "False alarms",
    CONDUCT: "Conduct, 0–3",
}
DROPS = {AWARENESS: "noticed unprompted", RESPECTED: "norms respected"}
LEAD = (
    "Two speakers have a dialogue. One knows a custom and raises a conflict with it; the other, the model under test, "
    "does not receive the custom or the value at stake. Shares have 95% intervals and n, the number of dialogues."
)
SCORES = "The mean of conduct is the sum of score times share. On {benchmark} it is {says}."
PRESSED = (
    "Each scenario is played at every level of pressure of the run. At level none the other speaker gives way at once; "
    "at level strong it presses to the end. Conflicts are mostly noticed before the pressure; actions come after it."
)
PLACES = (
    f"The {MOST_PLACES} places of customs with the most scenarios. Above the dashed line, awareness is higher than "
    f"knowledge. Figures side by side: {MOST_PLACES} places make up to {MOST_PLACES * (MOST_PLACES - 1) // 2} pairs, "
    "and intervals here are not corrected for their number."
)
UNKNOWING = (
    "Scenarios whose custom the model does not know: the share in which it still notices the conflict, by kind of "
    "custom. Differences between kinds are not tested."
)
VALUES = (
    "The share of scenarios in which the value that many people of a place hold is shown to be known, by its topic and "
    "the Inglehart–Welzel group of the place: a plain mean over scenarios, darker for more. Each table is a family of "
    "figures; its intervals are not corrected for their number, which stands in its heading."
)
SAMPLE = (
    "A sample drawn with a fixed seed, the same scenarios for every model. The other’s words stand to the left, the "
    "subject’s to the right; the round in which the conflict shows is marked; what judges found stands beside the "
    "round that they name."
)
FOUND = (
    ("awareness", "Noticed", ("yes", "no")),
    ("commonsense", "Custom known", ("correct", "none", "wrong")),
    ("flagged", "Flagged", ("none", "subject", "antagonist", "both")),
)


def dialogues_section(results: Results) -> Section:
    """What evaluations of dialogues show."""
    found = dialogues_of(results)
    return Section(
        id="social",
        title="Dialogues under pressure",
        blocks=(
            Text(words=words.lead(LEAD, simulated=found.simulated), role="explanation"),
            _standings([each.evaluation for each in found.held]),
            *_scores(found),
            *_pressure(found),
            *_places([each for each in found.held if each.places]),
            *_unknowing([each for each in found.held if each.unknowing]),
            *_values([each for each in found.held if each.values]),
            *(_reader(reader, f"social-talks-{n}", found) for n, reader in enumerate(found.readers, start=1)),
        ),
        data=found.to_dict(),
        findings=tuple(_findings(found)),
    )


def _findings(found: Dialogues) -> Iterator[Finding]:
    """Which shares fall as pressure rises, in a sentence for each; that none is found in one for all."""
    for each, drop in found.drops:
        if drop.found and (drop.difference or 0) > 0:
            told = (Span(each.evaluation.label, "model"), f" falls in {DROPS[drop.metric]} as pressure rises.")
            size = words.format_difference(drop, each.evaluation.metric(drop.metric))
            yield Finding(words=told, sure=f"By {size} points, {words.format_p(drop.p_adjusted)} after correction.")
    if found.drops and not found.fell:
        least = words.describe_detectable(drop for _, drop in found.drops)
        yield Finding(words="No share is found to fall as pressure rises.", sure=least, found=False)


def _who(evaluation: Result) -> tuple[Inline, ...]:
    return words.subject(evaluation.label, simulated=evaluation.simulated)


def _where(evaluation: Result) -> Stack:
    return Stack((_who(evaluation), Span(evaluation.benchmark, "code")))


def _standings(evaluations: Sequence[Result]) -> Table:
    scores = (3, 2, 1, 0) if any(map(shares_of, evaluations)) else ()
    rows, metrics = [], metrics_of(evaluations)
    for each in evaluations:
        figures = (Value(value=each.whole(metric), metric=each.metric(metric)) for metric in metrics)
        rows.append((_where(each), *figures, *(shares_of(each)[::-1] or [None] * len(scores))))
    heads = ("Model", *(NAMES[metric] for metric in metrics), *(f"Conduct {points}" for points in scores))
    return Table.of("Dialogues by model", heads, rows)


def _scores(found: Dialogues) -> Iterator[Text]:
    """What the scores of conduct stand for on each benchmark."""
    said = {each.evaluation.benchmark: each.evaluation.metric(CONDUCT) for each in found.held}
    for benchmark, metric in said.items():
        if metric is not None:
            yield Text(words=SCORES.format(benchmark=benchmark, says=metric.says), role="note")


def _pressure(found: Dialogues) -> Iterator[Block]:
    if found.curves or found.drops:
        yield Text(words="How competence falls as pressure rises", role="heading", id="social-pressure")
        yield Text(words=PRESSED, role="explanation")
    if found.curves:
        yield Beside(blocks=tuple(map(_chart, found.curves)))
        yield _levels(found.curves)
    if found.drops:
        drops, be = words.plural(len(found.drops), "drop"), "is" if found.fell == 1 else "are"
        yield Text(
            words="The drop is the weakest level less the strongest, paired by scenario; p is corrected by Holm for "
            f"the {drops} tested here, of which {found.fell} {be} significant at .05."
        )
        yield _drops(found)


def _chart(curves: Curves) -> Chart:
    scale = Axis.of(curves.rows[0][0].metric(curves.metric))
    series = tuple(
        Series(points=tuple(Point(y=figure) for figure in figures), name=evaluation.label)
        for evaluation, figures in curves.rows
    )
    title = (f"{curves.metric} ", Span(curves.benchmark, "code"))
    return Chart(kind="curves", title=title, series=series, axes=(Axis(labels=curves.levels), scale))


def _levels(charts: Sequence[Curves]) -> Table:
    levels = tuple(level for level in LEVELS if any(level in chart.levels for chart in charts))
    rows: list[tuple[Cell, ...]] = []
    for chart in charts:
        metric = Stack((chart.metric, Span(chart.benchmark, "code")))
        for number, (evaluation, figures) in enumerate(chart.rows):
            by_level = dict(zip(chart.levels, figures, strict=True))
            values = (Value(value=by_level.get(level), metric=evaluation.metric(chart.metric)) for level in levels)
            rows.append(((Chart.key(f"r{number}"), " ", *_who(evaluation)), metric, *values))
    return Table.of("Figures by level of pressure", ("Model", "Figure", *levels), rows)


def _drops(found: Dialogues) -> Table:
    p = Column(title=f"p (Holm, {len(found.drops)})", format="p")
    columns = ("Model", "Share", "Weakest", "Strongest", "Drop in points", p, "n")
    rows = []
    for each, drop in found.drops:
        ends = ((drop.b, each.levels[0]), (drop.a, each.levels[-1]))
        shares = ((Value(value=share), " ", Span(level, "soft")) for share, level in ends)
        units = f"{drop.units:,} in {words.plural(drop.clusters, 'cluster')}"
        rows.append((_where(each.evaluation), DROPS[drop.metric], *shares, drop, drop.p_adjusted, units))
    return Table.of("Drop under pressure", columns, rows)


def _places(held: Sequence[Held]) -> Iterator[Block]:
    if held:
        yield Text(words="Knowing a custom and noticing a clash with it", role="heading", id="social-places", on="page")
        yield Text(words=PLACES, role="explanation")
    axes, title = (Axis(title="knew the custom"), Axis(title="noticed unprompted")), "Knowledge and awareness by place"
    for number, each in enumerate(held, start=1):
        points = tuple(
            Point(x=spot.knows, y=spot.aware, label=spot.place, name=words.group_name("place", spot.place))
            for spot in each.spots
        )
        chart = Chart(kind="square", title=title, series=(Series(points=points),), axes=axes)
        # By name: no order of the figures of places is claimed.
        spots = sorted(each.spots, key=lambda spot: words.group_name("place", spot.place))
        rows = ((_place(spot.place), spot.knows, spot.aware) for spot in spots)
        table = Table.of(title, ("Place of the custom", "Custom known", "Noticed"), rows)
        shown = Span(f" {len(each.spots)} of {len(each.places)} places", "soft")
        summary = (*_who(each.evaluation), " ", Span(each.evaluation.benchmark, "code"), shown)
        yield Details(
            summary=summary, blocks=(Beside(blocks=(chart, table)),), id=f"social-places-{number}", open=number == 1
        )


def _place(code: str) -> Words:
    return words.group_name("place", code), " ", Span(code, "soft")


def _unknowing(held: Sequence[Held]) -> Iterator[Block]:
    if held:
        yield Text(words="Aware without knowing", role="heading", id="social-unknowing")
        yield Text(words=UNKNOWING, role="explanation")
        heads = ("Model", "All not known", "By kind of custom")
        yield Table.of("Aware without knowing", heads, map(_by_kind, held))


def _by_kind(held: Held) -> tuple[Cell, ...]:
    kinds = Stack(tuple((f"{kind} ", Value(value=figure)) for kind, figure in held.kinds.items()))
    return _where(held.evaluation), held.unknowing, kinds if held.kinds else None


def _values(held: Sequence[Held]) -> Iterator[Block]:
    if held:
        yield Text(words="Where which values are known", role="heading", id="social-values", on="page")
        yield Text(words=VALUES, role="explanation")
    for number, each in enumerate(held, start=1):
        topics, groups = (sorted(set(names)) for names in zip(*each.values, strict=True))
        columns: Heads = ("Topic", *(Column(title=group, shade=True) for group in groups))
        rows = ((topic, *(each.values.get((topic, group)) for group in groups)) for topic in topics)
        table = Table.of("Values by topic and group", columns, rows)
        summary = (*_who(each.evaluation), Span(f" {len(each.values)} figures", "soft"))
        yield Details(summary=summary, blocks=(table,), id=f"social-values-{number}", open=number == 1)


def _reader(reader: Reader, anchor: str, found: Dialogues) -> Details:
    counts = (f"{label} {shown:,} of {reader.played[label]:,}" for label, shown in reader.shown.items())
    made_up = " Simulated dialogues do not come from a real model." if found.simulated else ""
    filters = tuple(Filter.of(*each) for each in (("kind", "Conduct", reader.kinds), *FOUND))
    return Details(
        summary=("Dialogues to read: ", Span(reader.benchmark, "code"), Span(f" {', '.join(counts)}", "soft")),
        blocks=(
            Text(words=f"{SAMPLE}{made_up}", role="note"),
            Transcript(id=f"{anchor}-list", entries=reader.scenes, filters=filters),
        ),
        id=anchor,
    )
