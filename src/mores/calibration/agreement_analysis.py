"""Agreement of judges with people, as an analysis: views of its tables, and sentences on what tables do not say."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from mores.calibration.agreement import Agreements, TaskAgreement, estimate_of, known
from mores.calibration.agreement_tables import ALL_CAUSES, TABLES, causes_of, describe_caution, metric_of, tables_of
from mores.calibration.disagreements import Cases, Causes, Disagreement
from mores.calibration.group_agreement import LEVEL, ComparedBy, GroupAgreement
from mores.calibration.judge_agreement import JudgeAgreement, JudgeStability, MethodComparison, PeopleAgreement
from mores.core.card import Metric
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.panel import Panel, PanelVote
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, View, blocks_of, gathered, row_by_key
from mores.tables.blocks import Block, BulletList, Format, Paragraph
from mores.tables.formatting import DASH, format_bare_p, format_number, group_name, plural, text_of
from mores.tables.missing_texts import format_missing

NUMBER = Metric(name="coefficient", unit="thing", says="", low=-1.0, high=1.0)
"""Coefficients and points are written with two decimals, all else as shares."""
HEADLINES = {
    "raw agreement (accuracy)": "agree",
    "Cohen's kappa": "kappa",
    "Gwet's AC1": "AC1",
    "Pearson's r": "r",
    "mean of judge less people (bias)": "judge − people",
    "mean distance (absolute error)": "distance",
}
LONG = 160
"""Letters of a judge's reason that are shown."""


def format_interval(found: MeasuredFigure, metric: Metric | None = None) -> str:
    """A figure with its interval in words, where its n is said elsewhere; a dash for none."""
    figure = estimate_of(found, "", 0)
    return DASH if figure.value is None else text_of(figure, "share", metric)


def number(value: float, metric: Metric | None = None) -> str:
    """A number without an interval; a dash where it is none."""
    return format_number(known(value), metric)


def headline(each: JudgeAgreement) -> str:
    """The few figures in a sentence."""
    parts = [f"{short} {format_interval(each.figures[name], metric_of(name))}" for name, short in HEADLINES.items()
             if name in each.figures]  # fmt: skip
    n = f"{each.n:,}" + ("" if each.clusters == each.n else f" in {plural(each.clusters, 'cluster')}")
    left = f"; {plural(each.unread, 'labelled thing')} without a word of the judge" if each.unread else ""
    return f"{', '.join(parts)}; n = {n}{left}"


def sentences(found: TaskAgreement) -> Iterator[str]:
    """Sentences below the headline."""
    yield from first_sentences(found)
    yield from further_sentences(found)
    for groups in (found.places, found.languages):
        if groups is not None:
            yield from group_sentences(groups)
    if found.cases is not None:
        yield describe_cases(found.cases)


def first_sentences(found: TaskAgreement) -> Iterator[str]:
    """Counts of what was labelled, reasons for which a labelled thing is left out, and cautions."""
    counts = found.counts
    given = f"{plural(counts.labels, 'label')} by {plural(counts.people, 'person', 'people')}"
    things = f"{counts.labelled:,} of {plural(counts.judged, 'judged thing')}"
    parts = [f"{given} on {things} in {plural(counts.clusters, 'cluster')}"]
    if counts.tied:
        parts.append(f"{counts.tied:,} left out as people tie")
    if counts.unread:
        parts.append(f"{counts.unread:,} as no judge's word can be read, or judges tie")
    yield f"{'; '.join(parts)}."
    yield from map(describe_caution, found.warnings)


def further_sentences(found: TaskAgreement) -> Iterator[str]:
    """Judge and people compared, stability of judges, and effects of a jury and of corrections."""
    yield from _of_people(found.people)
    yield from map(_of_repeats, found.repeats)
    if not found.repeats:
        yield "Each judge was asked once: mores judge RUN --judge SPEC --samples 5 shows how often it flips."
    if found.jury is not None:
        yield _of_jury(found.jury, [each.who for each in found.each])
    if found.before_and_after is not None and len(found.before_and_after.stages) > 1:
        yield _of_stages(found.before_and_after)


def _of_people(found: PeopleAgreement) -> Iterator[str]:
    """Judge and people compared, with the alt-test."""
    scale, ceiling, alt = NUMBER if found.points else None, found.ceiling, found.alt_test
    if ceiling.units:
        yield (
            f"Human ceiling, over {ceiling.units:,} with two people or more: two people are alike "
            f"{format_interval(ceiling.people, scale)}, judge and person {format_interval(ceiling.judge, scale)}; of "
            "these people, over other things."
        )
    else:
        yield f"No human ceiling: {format_missing(ceiling.people.missing)}."
    if alt.passed is None:
        yield f"No alt-test: {format_missing(alt.missing)}."
        return
    beaten, of = sum(each.beaten for each in alt.people), len(alt.people)
    yield (
        f"Alt-test {'passed' if alt.passed else 'not passed'}: beside {beaten} of {of} people, each set aside in "
        f"turn, the judge is shown to be not worse by {alt.epsilon:g} (epsilon) or more; half of them are needed. "
        f"Advantage probability {number(alt.advantage)}: the share of things on which it is no further "
        "from the others than the person set aside."
    )


def _of_repeats(found: JudgeStability) -> str:
    again = found.repeats
    flips = "" if found.points else f"two of its runs differ on {format_interval(again.flip_rate)}; "
    return (
        f"{found.judge} with itself over {again.runs:.3g} runs, n = {again.items:,}: {flips}alpha "
        f"{format_interval(again.alpha, NUMBER)}; of the variance of its mean {number(again.reliability)} is between "
        "things."
    )


def _of_jury(panel: Panel, judges: Sequence[str]) -> str:
    def vote(found: PanelVote) -> str:
        return f"{number(found.accuracy)}, tied on {number(found.tied)}"

    without = "; ".join(f"{judge} {vote(found)}" for judge, found in zip(judges, panel.without, strict=True))
    worth = format_missing(panel.missing) or f"worth {panel.effective:.2f} independent ones"
    return (
        f"Jury of {panel.judges}, n = {panel.items:,}: {worth}; majority {vote(panel.majority)}. "
        f"Without each in turn: {without}."
    )


def _of_stages(found: MethodComparison) -> str:
    first, last = found.stages[0], found.stages[-1]
    what, short = ("variance of judge less people", "r") if found.points else ("share of errors", "kappa")
    before, after = (number(each.together.value, NUMBER) for each in (first, last))
    return f"From {first.judged_by} to {last.judged_by}: {short} {before} to {after}, {what} × {last.ratio:.2f}."


def group_sentences(found: GroupAgreement) -> Iterator[str]:
    """Places or languages at which the judge errs unequally, of how many tests; or that this cannot be said."""
    few, kinds = sum(group.few for group in found.groups), f"{found.kind}s"
    if not found.tests:
        many = plural(len(found.groups), found.kind)
        few_of = f"{many}, {few} of them under {MIN_CLUSTERS} clusters"
        yield f"{kinds.capitalize()}: too few labels to compare them ({few_of})."
        return
    yield (
        f"{kinds.capitalize()}: of a family of {plural(found.family, 'test')}, {len(found.unequal)} at {LEVEL:g} after "
        f"Holm, {len(found.screened)} after Benjamini–Hochberg; {few} of {len(found.groups)} {kinds} have too few."
    )
    scale = NUMBER if found.points else None
    for test in found.unequal:
        yield (
            f"{group_name(found.kind, test.group)}: {test.errors}, {number(test.here, scale)} against "
            f"{number(test.elsewhere, scale)} elsewhere (Holm p {format_bare_p(test.holm)}, n = {test.n})."
        )


def describe_cases(found: Cases) -> str:
    """Number of things on which judge and people disagree."""
    how = "say another word" if found.threshold is None else f"are {found.threshold:g} points apart or more"
    return f"Judge and people {how} in {plural(len(found.cases), 'case')}, {format_interval(found.share)}."


def describe_case(found: Disagreement) -> str:
    """A case in a few words, with the judge's reason cut where it is long."""
    place = f" ({group_name('place', found.judged.place)})" if found.judged.place else ""
    alike = sum(judged == found.people_label for _, judged in found.people)
    of = f" ({alike} of {len(found.people)})" if found.difference is None else ""
    reason = found.reason
    short = reason if len(reason) <= LONG else f"{reason[: LONG - 1].rstrip()}…"
    why = f": {short}" if short else ""
    return f"{found.thing}{place}: people {found.people_label}{of}, judge {found.judge_label}{why}"


SHOWN = 10
"""Cases that are shown."""
INTERVAL = Show(key="value", format="share")
"""A figure with its interval, where its n is said elsewhere."""
WHO = Show(key="of", title="who")
WORDS = (
    "Precision: of the units to which the judge gives the label, the share to which people give it; recall is the "
    "reverse."
)
TablesById = Mapping[str, FilledTable]


def analyse(found: Agreements) -> AnalysisResult:
    """All tasks, one below the other, and the causes of their cases together."""
    tasks = [(task, tables_of(task)) for task in found.tasks]
    causes = FilledTable(table=ALL_CAUSES, rows=tuple(ALL_CAUSES.row(**row) for row in causes_of(found.causes)))
    blocks: list[Block] = []
    for task, tables in tasks:
        blocks += [Paragraph(words=task.name, role="heading"), *task_blocks(task, tables)]
    if found.causes is not None:
        blocks += [Paragraph(words="All tasks", role="heading"), *causes_table(causes, found.causes)]
    every = (filled for _, tables in tasks for filled in tables.values())
    return AnalysisResult(tables=gathered((*TABLES, ALL_CAUSES), (*every, causes)), blocks=tuple(blocks))


def task_blocks(found: TaskAgreement, tables: TablesById) -> Iterator[Block]:
    """All of one task."""
    made_up = " (simulated)" if found.simulated else ""
    judged_by = ", ".join(dict.fromkeys(found.judges.values()))
    yield Paragraph(words=f"{judged_by} against people{made_up}: {headline(found.together)}.")
    yield BulletList(tuple(sentences(found)))
    yield from judge_tables(found.together, tables)
    yield from more_tables(found, tables)
    for groups in (found.places, found.languages):
        if groups is not None:
            yield from group_tables(groups, tables)
    if found.causes is not None:
        yield from causes_table(tables["agreement_causes"], found.causes)
    if found.cases is not None:
        yield from case_blocks(found.cases)


def titled(filled: FilledTable, view: View, note: str = "") -> Iterator[Block]:
    """A table below its title, and a note below it; nothing without rows."""
    if view.rows:
        yield Paragraph(words=view.title, role="subheading")
        yield from blocks_of(filled, view)
        if note:
            yield Paragraph(words=note)


def judge_tables(found: JudgeAgreement, tables: TablesById) -> Iterator[Block]:
    """The figures of all judges together; the confusion table and those of each word."""
    figures = tables["agreement"]
    yield from titled(figures, _figures(f"{found.who} beside people, n = {found.n:,}", figures))
    yield from titled(tables["agreement_confusion"], _confusion(tables["agreement_confusion"]))
    yield from titled(figures, _words(figures), WORDS)


def _figures(title: str, filled: FilledTable) -> View:
    shown = ("measure", Show(key="value", format="share"))
    return View(title=title, rows=filled.where(part="all", word=None), shown=shown)


def _confusion(filled: FilledTable) -> View:
    return View(
        title="Confusion table: a column for each label of the judge, a row for each label of people",
        rows=filled.where(part="all"),
        shown=(Show(key="people_say", title="people"),),
        across="judge_says",
        cell="n",
    )


def _words(filled: FilledTable) -> View:
    """The figures of each word, each with its own n."""
    whole = set(map(id, filled.where(part="all", word=None)))
    rows = tuple(row for row in filled.where(part="all") if id(row) not in whole)
    return View(
        title="Word by word", rows=rows, shown=(Show(key="word", title="word"),), across="measure", cell="value"
    )


def more_tables(found: TaskAgreement, tables: TablesById) -> Iterator[Block]:
    """People with each other; judges, models and splits side by side; what asking again and a jury change."""
    figures, persons = tables["agreement"], tables["agreement_persons"]
    if found.people.agreement["people"].n:
        yield from titled(tables["agreement_people"], _people(tables["agreement_people"]))
    left = ", ".join(f"{name} {count}" for name, count in found.people.alt_test.left_out)
    yield from titled(persons, _persons(persons), f"Too few labels for the test: {left}." if left else "")
    specs = "; ".join(f"{each.who}: {each.spec}" for each in found.each if each.spec)
    yield from titled(figures, side_by_side("Each judge, by its first word", figures, "judge"), specs)
    yield from titled(figures, side_by_side("Model by model", figures, "model"))
    yield from titled(figures, side_by_side("Split by split", figures, "split"))
    if found.before_and_after is not None:
        stages = tables["agreement_stages"]
        yield from titled(stages, _stages(stages, found.before_and_after), _length_note(found.before_and_after))


def _people(filled: FilledTable) -> View:
    return View(
        title=filled.table.title,
        rows=(*filled.where(among="people"), *filled.where(among="people and judge")),
        shown=("measure",),
        across="among",
        cell=INTERVAL,
        heads={"people": "people", "people and judge": "with judge"},
    )


def _persons(filled: FilledTable) -> View:
    # people with too few labels have a row for programs, and stand in the note alone
    rows = tuple(row for row in filled.rows if row_by_key(filled.table, row)["judge_wins"] is not None)
    heads = {"person": "person set aside", "n": "n", "judge_wins": "judge", "person_wins": "person", "p": "p",
             "p_adjusted": "adjusted"}  # fmt: skip
    shown = tuple(Show(key=key, title=title) for key, title in heads.items())
    return View(title=filled.table.title, rows=rows, shown=shown)


def side_by_side(title: str, filled: FilledTable, part: str, who: Show = WHO) -> View:
    """Several judges, models, splits or places, a row each, with their few figures."""
    measure = filled.table.at("measure")
    rows = tuple(row for row in filled.where(part=part, word=None) if row[measure].name in HEADLINES)
    return View(title=title, rows=rows, shown=(who, "graded"), across="measure", cell=INTERVAL, heads=HEADLINES)


def _stages(filled: FilledTable, found: MethodComparison) -> View:
    at = filled.table.at("apart")
    difference = (
        Show(key="apart", title="variance", write=lambda row: f"{row[at]:.4f}")  # a few hundredths: four decimals
        if found.points
        else Show(key="apart", title="errors", format="share")
    )
    return View(
        title=f"{filled.table.title}, n = {found.n:,}",
        rows=filled.rows,
        shown=(
            "judged_by",
            Show(key="value", title="r" if found.points else "kappa", format="share"),
            difference,
            Show(key="ratio", title="×"),
            Show(key="gone", format="share"),
        ),
    )


def _length_note(found: MethodComparison) -> str:
    if found.why_no_length:
        return f"Not corrected for length: {found.why_no_length}."
    if found.length is None:
        return ""
    slope, error = found.length.slope, 1.96 * found.length.error
    return (
        f"The judge gives {slope:+.3f} ± {error:.3f} points beyond people's for each unit of log length; found in 5 "
        "parts, each corrected by the others."
    ).replace("-", "−")


def group_tables(found: GroupAgreement, tables: TablesById) -> Iterator[Block]:
    """Places or languages with enough clusters, the weakest first; then the tests that stand out."""
    few = sum(each.few for each in found.groups)
    text = f"{plural(few, found.kind)} with under {MIN_CLUSTERS} clusters: too few." if few else ""
    yield from titled(tables["agreement"], _groups(tables["agreement"], found.kind), text)
    yield from titled(tables["agreement_place_tests"], _group_tests(tables["agreement_place_tests"], found))


def _groups(filled: FilledTable, kind: ComparedBy) -> View:
    shown = Show(key="of", title=kind, format="place" if kind == "place" else None)
    view = side_by_side(f"{kind.capitalize()} by {kind}, weakest first", filled, kind, shown)
    enough = tuple(row for row in view.rows if row_by_key(filled.table, row)["clusters"] >= MIN_CLUSTERS)
    return replace(view, rows=enough)


def _group_tests(filled: FilledTable, found: GroupAgreement) -> View:
    """Tests below the level after Benjamini and Hochberg, the least p first."""
    by = {id(row): row_by_key(filled.table, row) for row in filled.rows}
    rows: Sequence[Row] = [
        row for row in filled.rows if by[id(row)].get(found.kind) is not None and by[id(row)]["p_bh"] <= LEVEL
    ]
    format_: Format = "decimal" if found.points else "share"
    return View(
        title=f"{filled.table.title}, family of {found.family}",
        rows=tuple(sorted(rows, key=lambda row: by[id(row)]["p"])),
        shown=(
            found.kind, "errors", "n",
            Show(key="here", format=format_), Show(key="elsewhere", format=format_),
            "p", Show(key="p_holm", title="Holm"), Show(key="p_bh", title="BH"),
        ),
    )  # fmt: skip


def case_blocks(found: Cases) -> Iterator[Block]:
    """The first cases."""
    if not found.cases:
        return
    lines = [describe_case(case) for case in found.cases[:SHOWN]]
    if len(found.cases) > SHOWN:
        lines.append(f"… and {len(found.cases) - SHOWN:,} more: --cases FILE writes all, to code causes.")
    yield Paragraph(words="Cases", role="subheading")
    yield BulletList(tuple(lines))


def causes_table(filled: FilledTable, found: Causes) -> Iterator[Block]:
    """A row for each cause."""
    shown = ("cause", "n", Show(key="share", format="share"))
    left = f"{plural(found.open, 'case')} without a cause." if found.open else ""
    yield from titled(filled, View(title=f"Causes of {found.coded:,} cases", rows=filled.rows, shown=shown), left)


AGREEMENT_ANALYSIS = Analysis(
    id="agreement", title="Judges compared with people", tables=(*TABLES, ALL_CAUSES), analyse=analyse
)
