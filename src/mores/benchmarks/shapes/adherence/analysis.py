"""Open answers held against norms: what they score, where they go, and whether the weights matter.

Where answers go and what weights decide is a part of several analyses: its tables and anchors begin with the
analysis's id.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from mores.analysis.results import Results
from mores.analysis.units import SubjectScores, subjects_of
from mores.benchmarks.shapes.adherence.strictness import (
    Steadiness,
    StrictnessShares,
    standings_of,
    steadiness_of,
    step_of,
)
from mores.benchmarks.shapes.norm_scores import NORM_SCORE
from mores.benchmarks.shapes.regions.analysis import POINTS, agreement_part, gaps_part, region_tables
from mores.benchmarks.shapes.regions.region_scores import RHO, agreements_of, gaps_of
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, Chart, ChartPoint, Inline, Paragraph, Series, Span, Stack
from mores.tables.columns import SIMULATED
from mores.tables.missing_texts import format_missing

ID = "open_answers"
LEAD = (
    "Open answers are checked against the norms that apply in a question, which does not name them; the norms of one "
    "question form a cluster. Norms are what many people of a place say, never truths about persons. Shares and norm "
    "scores stand with their 95% intervals and n."
)
SCORED = (
    ": an open answer, scored by the norms it keeps to (+1), leaves open (−0.5) or breaks (−1) in points of the "
    "maximum, from −100 to 100; a score in points is not a share of right answers. "
)
COUNTED = "Verdicts counted from repeated words do not compare with probabilities: compare models of one kind alone."
STRICTNESS_TEXTS = {"no": "never to be broken", "sometimes": "sometimes broken"}
GOES = {"good": "kept to", "rest": "left open", "poor": "broken"}
SHARES_TITLE = "Norms kept, left open or broken in open answers"
_MODEL = (
    Column(key="model", title="Model", kind="model", says="the subject, with its run where it did a mode twice"),
    SIMULATED,
    Column(key="mode", title="Mode", kind="text", says="how it was asked"),
    Column(key="counted", title="Counted", kind="flag", says="true where verdicts are shares of repeated words"),
)
SCORES = Table(
    id=ID,
    title="Norm scores",
    columns=(
        *_MODEL,
        Column(
            key="norm_score", title="Norm score", kind="estimate", main=True, metric=POINTS,
            says="points of the maximum, from -100 to 100",
        ),
        Column(key="norms_kept_to", title="Norms kept to", kind="estimate", says="mean probability of keeping to one"),
    ),
)  # fmt: skip


class AdherenceTables(NamedTuple):
    """The tables of what one analysis says of where open answers go."""

    shares: Table
    weights: Table


@lru_cache
def adherence_tables(of: str) -> AdherenceTables:
    """The tables of one analysis, whose ids begin with its own."""
    shares = (
        *_MODEL,
        Column(key="strictness", title="Norms", kind="text", says="whether people may sometimes act against the norm"),
        Column(key="satisfied", title="Kept to", kind="estimate", says="mean probability that norms are kept to"),
        Column(key="neutral", title="Left open", kind="estimate", says="… that they are left open"),
        Column(key="violated", title="Broken", kind="estimate", says="… that they are broken"),
    )
    weights = (
        _MODEL[2],
        Column(key="models", title="Models", kind="names", says="models that are put in order"),
        Column(key="left_out", title="Left out", kind="names", says="models whose verdicts are of the other kind"),
        _MODEL[1],
        Column(key="settings", title="Settings", kind="count", says="settings of the two weights"),
        Column(key="pairs", title="Pairs", kind="count", says="pairs of settings"),
        Column(key="slots", title="Norms", kind="count", says="norms of questions that all models answered"),
        Column(key="regions", title="Regions", kind="count", says="regions that are put in order"),
        Column(
            key="models_least", title="Models, least", kind="score", metric=RHO,
            says="least Spearman's correlation of two rankings of models",
        ),
        Column(
            key="regions_least", title="Regions, least", kind="score", metric=RHO,
            says="the same of regions by the paper's score",
        ),
        Column(
            key="regions_least_adjusted", title="Regions, least, adjusted", kind="score", metric=RHO,
            says="the same by the adjusted score",
        ),
        Column(key="models_why", title="Why not models", kind="reason", says="reason for no such figure of models"),
        Column(key="regions_why", title="Why not regions", kind="reason", says="reason for none of regions"),
        Column(key="steadiest_sometimes", title="Sometimes", kind="number", says="weight of a norm sometimes broken, "
               "in the setting whose rankings are most like all others"),
        Column(key="steadiest_open", title="Open", kind="number", says="cost of leaving a norm open in it"),
        Column(key="published_sometimes", title="Sometimes", kind="number", says="the first of these, as published"),
        Column(key="published_open", title="Open", kind="number", says="the second, as published"),
    )  # fmt: skip
    return AdherenceTables(
        shares=Table(id=f"{of}_standing", title=SHARES_TITLE, columns=shares),
        weights=Table(id=f"{of}_weights", title="Rankings by the weights of the norm score", columns=weights),
    )


def analyse(results: Results) -> AnalysisResult | None:
    """Results of open answers, each benchmark being a mode; None where there are none."""
    subjects = subjects_of(results, lambda result: result.benchmark.rpartition("/")[2])
    if not subjects:
        return None
    modes = tuple(dict.fromkeys(mode for subject in subjects for mode in subject.evaluations))
    scored = [
        SubjectScores(subject=subject, mode=mode, metric=NORM_SCORE)
        for mode in modes
        for subject in subjects
        if mode in subject.evaluations
    ]
    filled = FilledTable(table=SCORES, rows=tuple(map(_score_row, scored)))
    parts = (
        gaps_part(gaps_of(scored), ID),
        adherence_part(standings_of(scored), steadiness_of(scored), ID),
        agreement_part(agreements_of(scored), ID),
    )
    lead = words.lead(LEAD, simulated=any(subject.simulated for subject in subjects))
    return AnalysisResult(
        tables=(filled, *(table for part in parts for table in part.tables)),
        blocks=(
            Paragraph(words=lead, role="explanation"),
            *_scores(filled, modes),
            *(block for part in parts for block in part.blocks or ()),
        ),
        findings=tuple(finding for part in parts for finding in part.findings),
    )


def _score_row(each: SubjectScores) -> Row:
    step = step_of(each)
    return each.subject.name, each.subject.simulated, each.mode, step.counted, step.figure, step.kept


def _scores(filled: FilledTable, modes: Sequence[str]) -> Iterator[Block]:
    yield Paragraph(words="Norm scores", role="heading", id=f"{ID}-scores")
    yield Paragraph(words=f"{', '.join(modes).capitalize()}{SCORED}", role="explanation")
    figure = SCORES.getter("norm_score", "counted")

    def scored(row: Row) -> Cell:
        score, counted = figure(row)
        return (CellValue(value=score, metric=POINTS), *_tag(counted=counted))

    mode = (Show(key="mode"),) if len(modes) > 1 else ()
    shown = (Show(key="model"), *mode, Show(key="norm_score", write=scored), Show(key="norms_kept_to"))
    yield from blocks_of(filled, View(title="Norm scores", rows=filled.rows, shown=shown))


def _tag(*, counted: bool) -> tuple[Inline, ...]:
    return (" ", Span("counted from words", "tag")) if counted else ()


def adherence_part(standings: Sequence[StrictnessShares], steadiness: Sequence[Steadiness], of: str) -> AnalysisResult:
    """Norms kept, left open or broken in open answers, and how far rankings hang on what each way counts."""
    tables = adherence_tables(of)
    shares = FilledTable(table=tables.shares, rows=tuple(map(_shares_row, standings)))
    weights = FilledTable(table=tables.weights, rows=tuple(map(_weights_row, steadiness)))
    blocks = (*_standings(shares, of), *(block for each in steadiness for block in _steadiness(each, of)))
    return AnalysisResult(tables=(shares, weights), blocks=blocks)


def _shares_row(each: StrictnessShares) -> Row:
    shares = each.satisfied, each.neutral, each.violated
    return each.name, each.simulated, each.mode, each.counted, each.strictness, *shares


def _weights_row(each: Steadiness) -> Row:
    steadiest, published = each.steadiest, each.published
    return (
        each.mode, each.names, each.left_out, each.simulated, each.settings, each.pairs, each.slots, each.regions,
        each.models_least, each.regions_least, each.regions_least_adjusted, each.missing.get("models"),
        each.missing.get("regions"), steadiest and steadiest.alpha, steadiest and steadiest.beta, published.alpha,
        published.beta,
    )  # fmt: skip


def _standings(filled: FilledTable, of: str) -> Iterator[Block]:
    if not filled.rows:
        return
    yield Paragraph(words=SHARES_TITLE, role="heading", id=f"{of}-standing")
    keys: list[Inline] = []
    for colour, meaning in GOES.items():
        keys += [" ", Chart.key(colour), f" {meaning}"]
    about = (
        "Mean probability that an answer keeps to a norm, leaves it open or breaks it, by whether people may ever act "
        "against the norm."
    )
    yield Paragraph(words=(about, *keys), role="explanation")
    whose = filled.table.getter("model", "simulated", "mode", "counted")
    strictness, shares = filled.table.getter("strictness"), filled.table.getter("satisfied", "neutral", "violated")

    def who(row: Row) -> Cell:
        name, simulated, mode, counted = whose(row)
        return Stack(((*words.subject(name, simulated=simulated), *_tag(counted=counted)), Span(mode, "soft")))

    def stack(row: Row) -> Cell:
        every = zip(GOES.items(), shares(row), strict=True)
        points = tuple(ChartPoint(y=each, label=colour, name=meaning) for (colour, meaning), each in every)
        return Chart(kind="stack", series=(Series(points=points),))

    shown = (
        Show(key="model", write=who),
        Show(key="strictness", write=lambda row: STRICTNESS_TEXTS[strictness(row)]),
        Show(key="satisfied", title="Shares", write=stack),
        *(Show(key=key) for key in ("satisfied", "neutral", "violated")),
    )
    yield from blocks_of(filled, View(title=SHARES_TITLE, rows=filled.rows, shown=shown))
    if len({whose(row)[-1] for row in filled.rows}) > 1:
        yield Paragraph(words=COUNTED)


def _steadiness(each: Steadiness, of: str) -> Iterator[Block]:
    made_up: tuple[Inline, ...] = (" ", Span("simulated among them", "tag")) if each.simulated else ()
    head = ("Does the ranking depend on the weights? ", Span(each.mode, "soft"), *made_up)
    yield Paragraph(words=head, role="heading", id=f"{of}-weights-{each.mode}")
    few = " (with so few a ranking has few values)" if len(each.names) < 5 else ""
    models, regions, adjusted = (
        CellValue(value=value, format="share", metric=RHO)
        for value in (each.models_least, each.regions_least, each.regions_least_adjusted)
    )
    whys = "; ".join(f"{what}: {format_missing(missing)}" for what, missing in each.missing.items())
    why = f" {whys.capitalize()}." if whys else ""
    left = f" Left out, as their verdicts are of another kind: {', '.join(each.left_out)}." if each.left_out else ""
    over = (
        "The norm score has two weights: what leaving a norm open costs, and what a norm that is sometimes broken "
        f"counts. Over {each.settings} settings of both ({each.pairs:,} pairs of settings, {each.slots:,} norms of "
        f"questions that all {len(each.names)} models answered), the least Spearman correlation of two rankings is "
    )
    where = f" for the {len(each.names)} models{few}, and for the {each.regions} regions "
    last = (
        f" by the adjusted. {_steadiest(each)}{why}{left} These are correlations between rankings of the same answers, "
        "so they have no interval."
    )
    yield Paragraph(words=(over, models, where, regions, " by the paper’s score, ", adjusted, last))


def _steadiest(each: Steadiness) -> str:
    if each.steadiest is None:
        return "No setting is named, because no rankings can be compared."
    return (
        f"The setting whose rankings are most like all others: sometimes counts {each.steadiest.alpha}, open costs "
        f"{each.steadiest.beta}; published are {each.published.alpha} and {each.published.beta}."
    )


OPEN_ANSWERS_ANALYSIS = Analysis(
    id=ID,
    title="Open answers and norms: regions, and norms kept, left open or broken",
    tables=(SCORES, *region_tables(ID), *adherence_tables(ID)),
    analyse=analyse,
)
