"""CultureForest whole: levels of help, gains from the norms, regions, open answers, knowing and using, and size."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from mores.analysis.results import Results
from mores.analysis.units import Subject, subjects_of
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.knowledge import (
    KnowledgeStratum,
    KnowledgeUse,
    KnowledgeUseTable,
    Unpaired,
    norms_known,
    using_of,
)
from mores.benchmarks.cultureforest.levels import (
    FOREST,
    KNOWLEDGE,
    LEVEL_TABLES,
    MODEL,
    MODES,
    WHO,
    Levels,
    levels_of,
    levels_part,
    mode_of,
    scored,
)
from mores.benchmarks.cultureforest.right_without_knowledge import (
    UNEXPLAINED_TABLES,
    RightWithout,
    right_without_knowing,
    unexplained_part,
)
from mores.benchmarks.cultureforest.scaling import SCALING_TABLES, Scaling, scaling_of, scaling_part
from mores.benchmarks.shapes.adherence.analysis import adherence_part, adherence_tables
from mores.benchmarks.shapes.adherence.strictness import Steadiness, StrictnessShares, standings_of, steadiness_of
from mores.benchmarks.shapes.regions.analysis import agreement_part, gaps_part, region_tables
from mores.benchmarks.shapes.regions.region_scores import ModelAgreement, RegionGap, agreements_of, gaps_of
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Details, Paragraph, Span
from mores.tables.columns import SIMULATED
from mores.tables.missing_texts import format_missing

NORMS_KNOWN = Table(
    id="forest_knowledge",
    title="Norms possessed",
    columns=(
        MODEL,
        SIMULATED,
        Column(key="possessed", title="Norms possessed", kind="estimate", main=True,
               says="affirmed, the negation denied"),
        Column(key="affirmed", title="Norms affirmed", kind="estimate", says="share of norms called true"),
        Column(key="denied", title="Negations denied", kind="estimate", says="share of negations called false"),
    ),
)  # fmt: skip
USES = Table(
    id="forest_uses",
    title="What it brings to possess all norms of a question",
    columns=(
        *WHO,
        Column(key="questions", title="Questions", kind="count", says="those of which all is known"),
        Column(key="left_out", title="Left out", kind="count", says="those of which something is not"),
        Column(key="gained", title="All possessed − fewer, points", kind="contrast", main=True,
               ends=("with_all", "with_fewer"), says="right with all norms possessed less with fewer"),
        Column(key="coverage", title="Possessed, over questions", kind="estimate",
               says="mean share of norms possessed"),
        Column(key="complete", title="Questions with all", kind="estimate", says="share with all norms possessed"),
    ),
)  # fmt: skip
BY_NORMS = Table(
    id="forest_by_norms_possessed",
    title="Answers by norms possessed",
    columns=(
        *WHO,
        Column(key="of", title="Of", kind="text", says="`questions`, or of open answers `norms` one by one"),
        Column(key="possessed", title="Possessed", kind="text", says="how many norms are, or whether the norm is"),
        Column(key="right", title="Right", kind="estimate", main=True, says="share right, or of norms kept to"),
        Column(key="share", title="Share", kind="estimate", says="share of all questions, or norms, that are such"),
    ),
)
SPLITS = Table(
    id="forest_splits",
    title="Differences of two models: knowing norms or using them",
    columns=(
        Column(key="model", title="First", kind="model", says="first model"),
        Column(key="other", title="Second", kind="model", says="second model"),
        SIMULATED,
        Column(key="mode", title="Mode", kind="text", says="`easy`, `medium` or `hard`"),
        Column(key="difference", title="Difference", kind="estimate", main=True, says="first less second"),
        Column(key="from_knowing", title="From knowing", kind="number", says="part from knowing more"),
        Column(key="from_using", title="From using", kind="number", says="part from using it better"),
    ),
)
UNPAIRED = Table(
    id="forest_not_paired",
    title="Models whose answers are not held against what they know",
    columns=(MODEL, WHO[-1], Column(key="why", title="Why", kind="reason", says="why not")),
)
KNOWING_TABLES = (NORMS_KNOWN, USES, BY_NORMS, SPLITS, UNPAIRED)
KNOWN_RULE = (
    "A norm is possessed where most samples call it true and most call its negation false; tossing a coin possesses a "
    "quarter. Affirmed and denied apart show a model that says yes, or no, to everything."
)
UNDER_TEN = (
    "Under ten questions no share is given. Questions whose norms are known may be easier in other ways too: this says "
    "where right answers lie, not what causes them."
)
LEFT_OUT = " Left out are questions with a norm that was not asked about, or whose verdicts could not be graded."


def knowing_part(using: KnowledgeUseTable, section: str) -> AnalysisResult:
    """Answers by how many of a question's norms are known, as a part of an analysis."""
    rows = (
        ((each.name, each.simulated, each.known, each.affirmed, each.denied) for each in using.knows),
        map(_use, using.uses),
        (row for use in using.uses for row in _by_norms(use)),
        (
            (each.first, each.second, each.simulated, each.mode, each.difference, each.knowledge, each.reasoning)
            for each in using.partings
        ),
        using.unpaired,
    )
    tables = tuple(FilledTable(table=table, rows=tuple(own)) for table, own in zip(KNOWING_TABLES, rows, strict=True))
    return AnalysisResult(tables=tables, blocks=tuple(_blocks(using, tables, section)))


def _use(use: KnowledgeUse) -> Row:
    who = (use.name, use.simulated, use.mode)
    return *who, use.questions, use.left_out, use.gained, use.coverage, use.complete


def _by_norms(use: KnowledgeUse) -> Iterator[Row]:
    rungs: tuple[tuple[str, tuple[KnowledgeStratum, ...]], ...] = (("questions", use.by_number), ("norms", use.by_norm))
    for of, own in rungs:
        for rung in own:
            yield use.name, use.simulated, use.mode, of, rung.known, rung.right, rung.share


def _blocks(using: KnowledgeUseTable, filled: tuple[FilledTable, ...], section: str) -> Iterator[Block]:
    if not using.knows:
        return
    knowledge, *others = filled
    yield Paragraph(words="Knowing and using", role="heading", id=f"{section}-using")
    yield Paragraph(words=KNOWN_RULE, role="explanation")
    shown = ("model", "possessed", "affirmed", "denied")
    figures = NORMS_KNOWN.getter("possessed", "affirmed", "denied")
    known = tuple(row for row in knowledge.rows if any(figures(row)))
    yield from blocks_of(knowledge, View(title=NORMS_KNOWN.title, rows=known, shown=shown))
    for mode in using.modes:
        yield from _of_mode(using, mode, others, section)
    if using.unpaired:
        yield Paragraph(words=f"Not looked at: {'; '.join(map(describe_unpaired, using.unpaired))}.")


def describe_unpaired(each: Unpaired) -> str:
    """Models that were left out of a mode, and the reasons."""
    return f"{each.name}, {each.mode}: {format_missing(each.missing)}"


def _of_mode(using: KnowledgeUseTable, mode: str, filled: Sequence[FilledTable], section: str) -> Iterator[Block]:
    uses, by_norms, splits, _ = filled
    what = "share of norms kept to" if mode == HARD else "share right"
    title = f"{mode.capitalize()}: {what}, by how many of a question’s norms are possessed"
    yield Paragraph(words=title, role="subheading", id=f"{section}-using-{mode}")
    own, parts, pairs = (
        tuple(row for row in each.rows if each.table.getter("mode")(row) == mode) for each in (uses, by_norms, splits)
    )
    size = len(using.of(mode)[0].rungs) - 1
    heads = {str(number): f"{number} possessed" for number in range(size + 1)}
    heads |= {f"fewer than {size}": f"Fewer than {size}", "not possessed": "Norm by norm: not possessed"}
    by_number = View(
        title=f"By norms possessed, {mode}", rows=parts, shown=("model",), across="possessed", cell="right", heads=heads
    )
    yield from blocks_of(by_norms, by_number)
    yield from blocks_of(uses, _gained(own, mode, size))
    left_out = any(use.left_out for use in using.of(mode))
    yield Paragraph(words=f"{UNDER_TEN}{LEFT_OUT if left_out else ''}", role="note")
    if pairs:
        yield _splits(pairs, splits, mode, section)


def _gained(rows: tuple[Row, ...], mode: str, size: int) -> View:
    return View(
        title=f"All norms possessed or fewer, {mode}",
        rows=rows,
        shown=(
            "model",
            "questions",
            "left_out",
            Show(key="gained", title=f"All {size} − fewer, points"),
            "p_holm",
            "coverage",
            Show(key="complete", title=f"Questions with all {size}"),
        ),
    )


def _splits(rows: tuple[Row, ...], filled: FilledTable, mode: str, section: str) -> Details:
    many = words.plural(len(rows), "pair")
    about = (
        "First less second in points, over the questions both answered; the two parts add up to it (Oaxaca’s split, "
        "weights midway). An identity over these questions, so the parts have no interval; that of the difference is "
        f"not corrected for the {many}: to test one pair, use "
    )
    shown: tuple[Show | str, ...] = (
        "model",
        Show(key="other", write=lambda row: Span(SPLITS.getter("other")(row), "model")),
        *(Show(key=key, format="signed") for key in ("difference", "from_knowing", "from_using")),
        "graded",
    )
    view = View(title=f"Splits of differences, {mode}", rows=rows, shown=shown)
    summary = ("Differences between two models: knowing norms or using them ", Span(many, "soft"))
    note = Paragraph(words=(about, Span("mores compare", "code"), "."), role="note")
    return Details(summary=summary, blocks=(note, *blocks_of(filled, view)), id=f"{section}-split-{mode}")


ID = FOREST.id
LEAD = (
    "Each question has a bundle of norms that apply in it; questions of one bundle form a cluster. Norms "
    "are what many people of a place say, never truths about persons. Shares and norm scores stand with their 95% "
    "intervals and n."
)


class CultureForest(Struct, frozen=True, kw_only=True):
    """All that the runs have to say of the family; what they cannot say is empty."""

    subjects: tuple[Subject, ...]
    levels: Levels
    gaps: tuple[RegionGap, ...]
    standings: tuple[StrictnessShares, ...]
    steadiness: tuple[Steadiness, ...]
    agreements: tuple[ModelAgreement, ...]
    using: KnowledgeUseTable
    unexplained: tuple[RightWithout, ...]
    scaling: Scaling | None

    @property
    def simulated(self) -> bool:
        """True where anything was made up."""
        return any(subject.simulated for subject in self.subjects)


def analyse(results: Results) -> AnalysisResult | None:
    """Results of CultureForest; None without a result of it."""
    found = cultureforest(results)
    return None if found is None else result_of(found)


def cultureforest(results: Results) -> CultureForest | None:
    """The analyses that the runs have something for; None without a result of the family.

    Raises:
        InputError: verdicts cannot be read, or a norm has no strictness.
    """
    subjects = subjects_of(results, mode_of)
    if not subjects:
        return None
    asked = [scored(subject, mode) for mode in MODES for subject in subjects if mode in subject.evaluations]
    held = [each for each in asked if each.mode == HARD]
    known = {s.name: norms_known(s.evaluations[KNOWLEDGE]) for s in subjects if KNOWLEDGE in s.evaluations}
    levels, gaps, using = levels_of(subjects), gaps_of(asked), using_of(subjects, known)
    return CultureForest(
        subjects=subjects,
        levels=levels,
        gaps=gaps,
        standings=standings_of(held),
        steadiness=steadiness_of(held),
        # Of easy questions nearly all are right, so that ranks within a domain are chance.
        agreements=agreements_of(asked, whole_only=("easy",)),
        using=using,
        unexplained=right_without_knowing(subjects, known),
        scaling=scaling_of(subjects, levels, gaps, using),
    )


def result_of(found: CultureForest) -> AnalysisResult:
    """Findings as tables, blocks and sentences."""
    parts = (
        levels_part(found.levels, ID),
        gaps_part(found.gaps, ID),
        adherence_part(found.standings, found.steadiness, ID),
        agreement_part(found.agreements, ID),
        knowing_part(found.using, ID),
        scaling_part(found.scaling, found.subjects, ID),
        unexplained_part(found.unexplained, ID),
    )
    lead = Paragraph(words=words.lead(LEAD, simulated=found.simulated), role="explanation")
    return AnalysisResult(
        tables=tuple(table for part in parts for table in part.tables),
        blocks=(lead, *(block for part in parts for block in part.blocks or ())),
        findings=tuple(finding for part in parts for finding in part.findings),
    )


FOREST_ANALYSIS = Analysis(
    id=ID,
    title="CultureForest: from options to open answers, from knowing to using",
    tables=(
        *LEVEL_TABLES,
        *region_tables(ID),
        *adherence_tables(ID),
        *KNOWING_TABLES,
        *SCALING_TABLES,
        *UNEXPLAINED_TABLES,
    ),
    analyse=analyse,
)
