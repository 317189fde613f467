"""Dialogues under pressure: figures by metric, curves and drops over pressure, places, values, dialogues to read.

Which metrics are shown, under which heads, and which of them pressure may lower, the card says.
"""

from collections.abc import Iterator, Sequence

from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results
from mores.benchmarks.shapes.dialogues.pressing import (
    MOST_PLACES,
    Drop,
    by_level,
    drops_of,
    figures_of,
    metrics_of,
    places_of,
    unknowing_of,
    values_of,
)
from mores.benchmarks.shapes.dialogues.reader import CONDUCT, DialogueReader, most_common, reader_of
from mores.benchmarks.shapes.pressure import LEVELS
from mores.core.card import Metric
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    CellValue,
    Chart,
    ChartPoint,
    Details,
    Finding,
    Paragraph,
    Series,
    SideBySide,
    Span,
    Stack,
    Words,
)
from mores.tables.blocks import TranscriptBlock as Talks
from mores.tables.columns import SUBJECT

# The tables, as programs know them.

METRIC = Column(key="metric", title="Figure", kind="metric", says="as on the card")
FIGURES = Table(
    id="social",
    title="Dialogues by model",
    columns=(
        SUBJECT,
        METRIC,
        Column(key="figure", title="Figure", kind="estimate", main=True, says="over all dialogues"),
    ),
)
BY_LEVEL = Table(
    id="social_levels",
    title="Figures by level of pressure",
    columns=(
        SUBJECT,
        METRIC,
        Column(key="level", title="Pressure", kind="text", says="how hard the other speaker pushes"),
        Column(key="figure", title="Figure", kind="estimate", main=True, says="over the dialogues of that level"),
    ),
)
DROPS = Table(
    id="social_drops",
    title="Drop under pressure",
    columns=(
        SUBJECT,
        METRIC,
        Column(key="weakest", title="Weakest level", kind="text", says="of the run"),
        Column(key="strongest", title="Strongest level", kind="text", says="of the run"),
        Column(
            key="drop",
            title="Drop in points",
            kind="contrast",
            main=True,
            ends=("before", "after"),
            says="the share at the weakest level less that at the strongest, paired by scenario",
        ),
    ),
)
PLACES = Table(
    id="social_places",
    title="Knowledge and awareness by place",
    columns=(
        SUBJECT,
        Column(key="place", title="Place of the custom", kind="group", of=PLACE, says="its code"),
        Column(key="most", title="Most scenarios", kind="flag", says=f"one of the {MOST_PLACES} with most scenarios"),
        Column(key="knows", title="Custom known", kind="estimate", says="share whose custom is known"),
        Column(key="aware", title="Noticed", kind="estimate", says="share whose clash is noticed unprompted"),
    ),
)
UNKNOWING = Table(
    id="social_unknowing",
    title="Aware without knowing",
    columns=(
        SUBJECT,
        Column(key="kind", title="Kind of custom", kind="text", says="nothing for all that are not known"),
        Column(key="aware", title="Noticed", kind="estimate", main=True, says="share whose clash is noticed"),
    ),
)
VALUES = Table(
    id="social_values",
    title="Values by topic and group",
    columns=(
        SUBJECT,
        Column(key="topic", title="Topic", kind="text", says="of the value"),
        Column(key="wvs_group", title="Group", kind="text", says="Inglehart and Welzel's, of the value's place"),
        Column(key="known", title="Known", kind="estimate", main=True, says="share whose value is known"),
    ),
)
TALKS = Table(
    id="social_talks",
    title="Dialogues to read",
    columns=(
        SUBJECT,
        Column(key="played", title="Dialogues", kind="count", says="that the run has"),
        Column(key="shown", title="Shown", kind="count", says="of them on the page, drawn with a fixed seed"),
        Column(key="items", title="Items", kind="names", says="which these are"),
    ),
)

# The same for people.

LEAD = (
    "Two speakers have a dialogue. One knows a custom and raises a conflict with it; the other, the model under test, "
    "does not receive the custom or the value at stake. Shares have 95% intervals and n, the number of dialogues."
)
SCORES = "The mean of conduct is the sum of score times share. On {benchmark} it is {says}."
PRESSED = (
    "Each scenario is played at every level of pressure of the run. At level none the other speaker gives way at once; "
    "at level strong it presses to the end. Conflicts are mostly noticed before the pressure; actions come after it."
)
ABOUT_PLACES = (
    f"The {MOST_PLACES} places of customs with the most scenarios. Above the dashed line, awareness is higher than "
    f"knowledge. Figures side by side: {MOST_PLACES} places make up to {MOST_PLACES * (MOST_PLACES - 1) // 2} pairs, "
    "and intervals here are not corrected for their number."
)
ABOUT_UNKNOWING = (
    "Scenarios whose custom the model does not know: the share in which it still notices the conflict, by kind of "
    "custom. Differences between kinds are not tested."
)
ABOUT_VALUES = (
    "The share of scenarios in which the value that many people of a place hold is shown to be known, by its topic and "
    "the Inglehart–Welzel group of the place: a plain mean over scenarios, darker for more. Each table is a family of "
    "figures; its intervals are not corrected for their number, which stands in its heading."
)
SAMPLE = (
    "A sample drawn with a fixed seed, the same scenarios for every model. The other’s words stand to the left, the "
    "subject’s to the right; the round in which the conflict shows is marked; what judges found stands beside the "
    "round that they name."
)
MODEL = Show(key="evaluation", title="Model", lead="model")


def analyse(results: Results) -> AnalysisResult:
    """Results of evaluations of dialogues.

    Raises:
        InputError: verdicts or transcripts cannot be read.
    """
    every, most = results.evaluations, most_common(len(results.evaluations))
    drops, readers = drops_of(every), [reader_of(results.on(name), most) for name in results.benchmarks]
    figures = FilledTable(table=FIGURES, rows=tuple((e, *found) for e in every for found in figures_of(e)))
    levels = FilledTable(table=BY_LEVEL, rows=tuple((e, *found) for e in every for found in by_level(e)))
    drop_rows = FilledTable(table=DROPS, rows=tuple(map(_drop_row, drops)))
    places = FilledTable(table=PLACES, rows=tuple(row for e in every for row in _place_rows(e)))
    unknowing = FilledTable(table=UNKNOWING, rows=tuple((e, *found) for e in every for found in unknowing_of(e)))
    values = FilledTable(
        table=VALUES, rows=tuple((e, *key, known) for e in every for key, known in values_of(e).items())
    )
    talks = FilledTable(table=TALKS, rows=tuple(row for reader in readers for row in _talk_rows(every, reader)))
    return AnalysisResult(
        tables=(figures, levels, drop_rows, places, unknowing, values, talks),
        blocks=(
            Paragraph(words=words.lead(LEAD, simulated=results.simulated), role="explanation"),
            *blocks_of(figures, _standings(figures, every)),
            *_scores(every),
            *_pressure(levels, drop_rows, drops),
            *_places(places),
            *_unknowing(unknowing),
            *_values(values),
            *(_reader(reader, f"social-talks-{n}", results) for n, reader in enumerate(readers, start=1)),
        ),
        findings=tuple(_findings(drops)),
    )


def _drop_row(drop: Drop) -> Row:
    return drop.evaluation, drop.metric, drop.levels[0], drop.levels[-1], drop.contrast


def _place_rows(evaluation: Result) -> Iterator[Row]:
    return ((evaluation, spot.place, spot.most, spot.knows, spot.aware) for spot in places_of(evaluation))


def _talk_rows(evaluations: Sequence[Result], reader: DialogueReader) -> Iterator[Row]:
    own = (each for each in evaluations if each.benchmark == reader.benchmark)
    return ((each, reader.played[each.label], reader.shown[each.label], reader.items) for each in own)


def _findings(drops: Sequence[Drop]) -> Iterator[Finding]:
    """Shares that fall as pressure rises, in a sentence for each; that none is found in one for all."""
    drop_rows = [drop for drop in drops if _fell(drop)]
    for drop in drop_rows:
        p, size = (
            CellValue(value=drop.contrast.p_adjusted, format="full_p"),
            CellValue(value=drop.contrast, metric=drop.metric),
        )
        yield Finding(
            words=(
                Span(drop.evaluation.label, "model"),
                " ",
                Span("falls", several="fall"),
                f" in “{drop.metric.head}” as pressure rises.",
            ),
            id=f"social.{drop.metric.name}",
            sure=("By ", size, " points, ", p, " after correction."),
        )
    if drops and not drop_rows:
        least = words.describe_detectable(drop.contrast for drop in drops)
        yield Finding(words="No share is found to fall as pressure rises.", id="social.level", sure=least, found=False)


def _fell(drop: Drop) -> bool:
    return drop.contrast.found and (drop.contrast.difference or 0) > 0


def _standings(filled: FilledTable, evaluations: Sequence[Result]) -> View:
    metrics = (metric for evaluation in evaluations for metric in metrics_of(evaluation))
    heads = {metric.name: metric.head for metric in metrics}
    return View(title=FIGURES.title, rows=filled.rows, shown=(MODEL,), across="metric", cell="figure", heads=heads)


def _scores(evaluations: Sequence[Result]) -> Iterator[Paragraph]:
    """Meaning of the scores of conduct on each benchmark."""
    metrics = {each.benchmark: each.metric(CONDUCT) for each in evaluations}
    for benchmark, metric in metrics.items():
        if metric is not None:
            yield Paragraph(words=SCORES.format(benchmark=benchmark, says=metric.says), role="note")


def _pressure(levels: FilledTable, drop_rows: FilledTable, drops: Sequence[Drop]) -> Iterator[Block]:
    if levels.rows or drops:
        yield Paragraph(words="How competence falls as pressure rises", role="heading", id="social-pressure")
        yield Paragraph(words=PRESSED, role="explanation")
    if levels.rows:
        yield from _curves(levels)
    if drops:
        fell = sum(map(_fell, drops))
        yield Paragraph(
            words="The drop is the weakest level less the strongest, paired by scenario; p is corrected by Holm for "
            f"the {words.plural(len(drops), 'drop')} tested here, of which {fell} {'is' if fell == 1 else 'are'} "
            "significant at .05."
        )
        yield from blocks_of(drop_rows, _fall(drop_rows))


def _curves(filled: FilledTable) -> Iterator[Block]:
    """A picture a figure of a benchmark, and all of them as a table, where each model has its colour."""
    charts: dict[tuple[str, Metric], dict[Result, dict[str, Row]]] = {}
    for row in filled.rows:
        charts.setdefault((row[0].benchmark, row[1]), {}).setdefault(row[0], {})[row[2]] = row
    yield SideBySide(blocks=tuple(_chart(*key, rows) for key, rows in charts.items()))
    own = {(metric, e): n for (_, metric), rows in charts.items() for n, e in enumerate(rows)}
    yield from blocks_of(
        filled,
        View(
            title=BY_LEVEL.title,
            rows=tuple(row for rows in charts.values() for held in rows.values() for row in held.values()),
            shown=(
                Show(
                    key="evaluation",
                    write=lambda row: (Chart.key(f"r{own[row[1], row[0]]}"), " ", *words.subject_of(row[0])),
                ),
                Show(key="metric", write=lambda row: Stack((row[1].head, Span(row[0].benchmark, "code")))),
            ),
            across="level",
            cell="figure",
            heads={level: level for level in LEVELS},
        ),
    )


def _chart(benchmark: str, metric: Metric, rows: dict[Result, dict[str, Row]]) -> Chart:
    levels = tuple(level for level in LEVELS if any(level in own for own in rows.values()))
    series = tuple(
        Series(points=tuple(ChartPoint(y=own[level][3] if level in own else None) for level in levels), name=each.label)
        for each, own in rows.items()
    )
    title = (f"{metric.head} ", Span(benchmark, "code"))
    return Chart(kind="curves", title=title, series=series, axes=(Axis(labels=levels), Axis.of(metric)))


def _fall(filled: FilledTable) -> View:
    return View(
        title=DROPS.title,
        rows=filled.rows,
        shown=(
            MODEL,
            Show(key="metric", title="Share"),
            Show(key="weakest", title="Weakest", write=lambda row: _end(row[4].b, row[2])),
            Show(key="strongest", title="Strongest", write=lambda row: _end(row[4].a, row[3])),
            Show(key="drop"),
            Show(key="p_holm"),
            Show(key="units", title="n in clusters", to="clusters", between=" in "),
        ),
    )


def _end(share: float | None, level: str) -> Words:
    return CellValue(value=share), " ", Span(level, "soft")


def _own_rows(filled: FilledTable) -> dict[Result, tuple[Row, ...]]:
    """The rows of each evaluation."""
    return {
        each: tuple(row for row in filled.rows if row[0] == each) for each in dict.fromkeys(r[0] for r in filled.rows)
    }


def _places(filled: FilledTable) -> Iterator[Block]:
    if filled.rows:
        yield Paragraph(
            words="Knowing a custom and noticing a clash with it", role="heading", id="social-places", on="page"
        )
        yield Paragraph(words=ABOUT_PLACES, role="explanation")
    for number, (each, own) in enumerate(_own_rows(filled).items(), start=1):
        most = [row for row in own if row[2]]
        points = tuple(
            ChartPoint(x=row[3], y=row[4], label=row[1], name=words.group_name(PLACE, row[1])) for row in most
        )
        axes = (Axis(title="knew the custom"), Axis(title="noticed unprompted"))
        chart = Chart(kind="square", title=PLACES.title, series=(Series(points=points),), axes=axes)
        view = View(
            title=PLACES.title,
            # By name: no order of the figures of places is claimed.
            rows=tuple(sorted(most, key=lambda row: words.group_name(PLACE, row[1]))),
            shown=(Show(key="place", write=lambda row: _place(row[1])), Show(key="knows"), Show(key="aware")),
        )
        shown = Span(f" {len(most)} of {len(own)} places", "soft")
        yield Details(
            summary=(*words.subject_of(each), " ", Span(each.benchmark, "code"), shown),
            blocks=(SideBySide(blocks=(chart, *blocks_of(filled, view))),),
            id=f"social-places-{number}",
            open=number == 1,
        )


def _place(code: str) -> Words:
    return words.group_name(PLACE, code), " ", Span(code, "soft")


def _unknowing(filled: FilledTable) -> Iterator[Block]:
    if filled.rows:
        yield Paragraph(words="Aware without knowing", role="heading", id="social-unknowing")
        yield Paragraph(words=ABOUT_UNKNOWING, role="explanation")
        heads = {None: "All not known"}
        view = View(title=UNKNOWING.title, rows=filled.rows, shown=(MODEL,), across="kind", cell="aware", heads=heads)
        yield from blocks_of(filled, view)


def _values(filled: FilledTable) -> Iterator[Block]:
    if filled.rows:
        yield Paragraph(words="Where which values are known", role="heading", id="social-values", on="page")
        yield Paragraph(words=ABOUT_VALUES, role="explanation")
    for number, (each, own) in enumerate(_own_rows(filled).items(), start=1):
        view = View(
            title=VALUES.title,
            rows=own,
            shown=(Show(key="topic"),),
            across="wvs_group",
            cell=Show(key="known", shade=True),
            heads={group: group for group in sorted({row[2] for row in own})},
        )
        summary = (*words.subject_of(each), Span(f" {len(own)} figures", "soft"))
        blocks = tuple(blocks_of(filled, view))
        yield Details(summary=summary, blocks=blocks, id=f"social-values-{number}", open=number == 1)


def _reader(reader: DialogueReader, anchor: str, results: Results) -> Details:
    counts = (f"{label} {shown:,} of {reader.played[label]:,}" for label, shown in reader.shown.items())
    made_up = " Simulated dialogues do not come from a real model." if results.simulated else ""
    return Details(
        summary=("Dialogues to read: ", Span(reader.benchmark, "code"), Span(f" {', '.join(counts)}", "soft")),
        blocks=(
            Paragraph(words=f"{SAMPLE}{made_up}", role="note"),
            Talks(id=f"{anchor}-list", entries=reader.scenes, filters=reader.filters),
        ),
        id=anchor,
    )


DIALOGUES_ANALYSIS = Analysis(
    id="social",
    title="Dialogues under pressure",
    tables=(FIGURES, BY_LEVEL, DROPS, PLACES, UNKNOWING, VALUES, TALKS),
    analyse=analyse,
)
