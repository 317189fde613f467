"""From options to open answers: what each model gets as help is taken away, and what it gains from being told.

Easy and medium are paired by question, and so is each level with the same one where the norms are told.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, ContrastOptions, adjusted, contrast
from mores.analysis.results import Result
from mores.analysis.units import Subject, SubjectScores
from mores.benchmarks.cultureforest.benchmark import FORM_ERRORS, REFUSED
from mores.benchmarks.cultureforest.hard import HARD, LEVEL
from mores.benchmarks.shapes.adherence.analysis import SCORED
from mores.benchmarks.shapes.adherence.strictness import ModeNormScore, step_of
from mores.benchmarks.shapes.norm_scores import KEPT, NORM_SCORE
from mores.benchmarks.shapes.regions.analysis import POINTS, RIGHT
from mores.benchmarks.shapes.regions.region_scores import SEED
from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, Details, Paragraph, Span
from mores.tables.columns import SIMULATED

FAMILY = "cultureforest/"
CLOSED = ("easy", "medium")
MODES = (*CLOSED, HARD)
KNOWLEDGE = "knowledge"
INFORMED = "informed "
"""Before the level at which questions were asked with their norms in the prompt."""


def mode_of(result: Result) -> str | None:
    """Mode of an evaluation, such as `easy`, `knowledge`, `informed medium`; None where it is of another family."""
    name = result.benchmark.removeprefix(FAMILY)
    if name == result.benchmark:
        return None
    if name == INFORMED.strip():
        return INFORMED + result.provenance.protocol.settings.get(LEVEL, "medium")
    return name


def scored(subject: Subject, mode: str) -> SubjectScores:
    """Scores of a subject in one mode: norm scores of open answers, else the headline."""
    is_open = mode.removeprefix(INFORMED) == HARD
    return SubjectScores(
        subject=subject, mode=mode, metric=NORM_SCORE if is_open else subject.evaluations[mode].headline
    )


def not_paired(a: Result, b: Result) -> Missing | None:
    """Reason not to pair two evaluations of one model by question; None where they may be paired."""
    if _judges(a) != _judges(b):
        judges = (", ".join(sorted(_judges(each).values())) or "none" for each in (a, b))
        return Missing(code="other_judges", told=" and ".join(judges))
    readings = a.provenance.protocol.reading, b.provenance.protocol.reading
    if readings[0] != readings[1]:
        return Missing(code="read_in_two_ways", told=" and ".join(map(str, readings)))
    return other_data(a, b)


def other_data(a: Result, b: Result) -> Missing | None:
    """Says so where two results have no file in common, by hash; None where they have, or one names none."""
    data = set(a.provenance.data.values()), set(b.provenance.data.values())
    return Missing(code="other_data") if data[0] and data[1] and not data[0] & data[1] else None


def _judges(result: Result) -> dict[str, str]:
    return {role: spec for role, spec in result.provenance.roles.items() if role != "subject"}


RESAMPLES = 600


class Errors(Struct, frozen=True, kw_only=True):
    """Wrong answers, one a question and sample: how many, and how many of them could not be read or were declined.

    `of_form` is the published share of errors in which no label could be read, refusals among them.
    """

    wrong: int
    unread: int
    refused: int
    of_form: Estimate | None

    @property
    def content(self) -> int:
        """Answers that could be read and were wrong."""
        return self.wrong - self.unread - self.refused


class LevelScores(Struct, frozen=True, kw_only=True):
    """One model on all the modes it was asked in; `drop` is medium less easy, None where it is missing."""

    name: str
    simulated: bool
    closed: dict[str, Estimate | None]
    errors: dict[str, Errors]
    open: ModeNormScore | None
    drop: Contrast | None
    missing: Missing | None


class InformedGain(Struct, frozen=True, kw_only=True):
    """Gain of one model at one level from being told the norms; `missing` says why it was not paired."""

    name: str
    simulated: bool
    mode: str
    change: Contrast | None
    missing: Missing | None


class Levels(Struct, frozen=True, kw_only=True):
    """All models; p-values of drops are corrected over models, of gains over models and levels."""

    modes: tuple[str, ...]
    models: tuple[LevelScores, ...]
    gains: tuple[InformedGain, ...]

    @property
    def drops(self) -> tuple[Contrast, ...]:
        """The drops that were tested: their family."""
        return tuple(scores.drop for scores in self.models if scores.drop is not None and scores.drop.p is not None)

    @property
    def gained(self) -> tuple[Contrast, ...]:
        """The gains that were tested: their family."""
        return tuple(gain.change for gain in self.gains if gain.change is not None and gain.change.p is not None)

    @property
    def fell(self) -> int:
        """Models whose drop is significant after correction."""
        return sum(drop.found and (drop.difference or 0) < 0 for drop in self.drops)

    @property
    def rose(self) -> int:
        """Gains that are significant after correction."""
        return sum(gain.found and (gain.difference or 0) > 0 for gain in self.gained)


def levels_of(subjects: Sequence[Subject]) -> Levels:
    """Scores of each model in each mode, its drop from easy to medium, and its gain from the norms."""
    models = [_level_scores(subject) for subject in subjects if any(mode in subject.evaluations for mode in MODES)]
    # Corrected together and handed back in the same order; models without a drop are passed over both times.
    drops = iter(adjusted([scores.drop for scores in models if scores.drop is not None]))
    gains = [gain for subject in subjects for gain in _gains(subject)]
    rises = iter(adjusted([gain.change for gain in gains if gain.change is not None]))
    return Levels(
        modes=tuple(mode for mode in MODES if any(mode in subject.evaluations for subject in subjects)),
        models=tuple(scores if scores.drop is None else replace(scores, drop=next(drops)) for scores in models),
        gains=tuple(gain if gain.change is None else replace(gain, change=next(rises)) for gain in gains),
    )


def _level_scores(subject: Subject) -> LevelScores:
    asked = {mode: subject.evaluations[mode] for mode in CLOSED if mode in subject.evaluations}
    missing = not_paired(*asked.values()) if len(asked) == len(CLOSED) else Missing(code="not_asked_both_ways")
    return LevelScores(
        name=subject.name,
        simulated=subject.simulated,
        closed={mode: result.overall() for mode, result in asked.items()},
        errors={mode: _errors(subject, mode) for mode in asked},
        open=step_of(scored(subject, HARD)) if HARD in subject.evaluations else None,
        drop=None if missing else _contrast(subject, *CLOSED, "drop", subject.name),
        missing=missing,
    )


def _errors(subject: Subject, mode: str) -> Errors:
    result = subject.evaluations[mode]
    form = result.scores[FORM_ERRORS]
    refused = int(form.extra[REFUSED].sum())
    return Errors(
        wrong=int((result.scores[result.headline].value < 1).sum()),
        unread=int((form.value == 1).sum()) - refused,
        refused=refused,
        of_form=result.overall(FORM_ERRORS),
    )


def _contrast(subject: Subject, before: str, after: str, *stream: str) -> Contrast:
    """After less before, over the units that both graded."""
    one, other = scored(subject, before), scored(subject, after)
    metric, sides = one.result.metric(one.metric), (one.result, other.result)
    terms = ContrastOptions(SEED.child(*stream), one.metric, metric, resamples=RESAMPLES, sides=sides)
    return contrast(one.result.scores[one.metric], other.result.scores[other.metric], terms)


def _gains(subject: Subject) -> Iterator[InformedGain]:
    for informed, result in subject.evaluations.items():
        mode = informed.removeprefix(INFORMED)
        if mode == informed:
            continue
        plain = subject.evaluations.get(mode)
        missing = Missing(code="not_asked_without_norms") if plain is None else not_paired(plain, result)
        change = None if missing else _contrast(subject, mode, informed, "gain", subject.name, mode)
        yield InformedGain(name=subject.name, simulated=subject.simulated, mode=mode, change=change, missing=missing)


MODEL = Column(key="model", title="Model", kind="model", says="its label where it did a mode twice")
MODE = Column(key="mode", title="Mode", kind="text", says="`easy`, `medium` or `hard`")
METRIC = Column(key="metric", title="Metric", kind="metric", says="what the figure is of")
WHO = (MODEL, SIMULATED, MODE)
FOREST = Table(
    id="forest",
    title="Modes side by side",
    columns=(
        *WHO,
        METRIC,
        Column(key="figure", title="Figure", kind="estimate", main=True, says="share right, norm score or norms kept"),
        Column(key="counted", title="Counted", kind="flag", says="true where verdicts are shares of repeated words"),
    ),
)
DROPS = Table(
    id="forest_drops",
    title="From options to judging each alone",
    columns=(
        MODEL,
        SIMULATED,
        METRIC,
        Column(key="drop", title="Easy → medium, points", kind="contrast", main=True, ends=("medium", "easy"),
               says="medium less easy, paired by question"),
    ),
)  # fmt: skip
ERRORS = Table(
    id="forest_errors",
    title="Errors of form and of content",
    columns=(
        *WHO,
        Column(key="wrong", title="Wrong", kind="count", says="wrong answers, one a question and sample"),
        Column(key="content", title="Content", kind="count", says="those that could be read"),
        Column(key="unread", title="Unreadable", kind="count", says="those without a readable label"),
        Column(key="refused", title="Declined", kind="count", says="those that the model declined to give"),
        Column(key="of_form", title="Share of form among errors", kind="estimate", main=True,
               says="share of errors that are of form, averaged over samples"),
    ),
)  # fmt: skip
GAINS = Table(
    id="forest_gains",
    title="Gain from the norms in the prompt",
    columns=(
        MODEL,
        SIMULATED,
        Column(key="mode", title="Level", kind="text", says="how the questions are asked"),
        METRIC,
        Column(key="gain", title="Gain", kind="contrast", main=True, ends=("with_norms", "without"),
               says="with the norms in the prompt less without, paired by question"),
    ),
)  # fmt: skip
KEPT_TO = Metric(name=KEPT, unit="norm", says="share of norms kept to")
LEVEL_TABLES = (FOREST, DROPS, ERRORS, GAINS)
EASY = "Easy: the right one of four options. "
MEDIUM = "Medium: each of four options judged alone, all four rightly. "
FORM = (
    "An answer without a readable label, or a refusal, is a format error and counts as wrong. The "
    "share is averaged over samples, as published; counts are questions and samples."
)
_OF = FOREST.getter("mode", "metric", "figure", "counted")
TESTED = ("p_holm", "units", Show(key="clusters", title="Pools"))


def levels_part(levels: Levels, section: str) -> AnalysisResult:
    """Each model in each mode, its drop from easy to medium, its wrong answers, and what the norms bring it."""
    rows = (_modes(levels), _drops(levels), _wrong(levels), _gained(levels))
    tables = tuple(FilledTable(table=table, rows=tuple(own)) for table, own in zip(LEVEL_TABLES, rows, strict=True))
    return AnalysisResult(tables=tables, blocks=tuple(_blocks(levels, tables, section)))


def _modes(levels: Levels) -> Iterator[Row]:
    for scores in levels.models:
        who = (scores.name, scores.simulated)
        for mode, figure in scores.closed.items():
            yield (*who, mode, RIGHT, figure, False)
        if scores.open is not None:
            own = ((POINTS, scores.open.figure), (KEPT_TO, scores.open.kept))
            yield from ((*who, HARD, metric, figure, scores.open.counted) for metric, figure in own)


def _drops(levels: Levels) -> Iterator[Row]:
    for scores in levels.models:
        yield scores.name, scores.simulated, RIGHT, scores.drop or _unpaired(RIGHT.name, scores.missing)


def _wrong(levels: Levels) -> Iterator[Row]:
    for scores in levels.models:
        for mode, of in scores.errors.items():
            yield scores.name, scores.simulated, mode, of.wrong, of.content, of.unread, of.refused, of.of_form


def _gained(levels: Levels) -> Iterator[Row]:
    for gain in levels.gains:
        metric = POINTS if gain.mode == HARD else RIGHT
        yield gain.name, gain.simulated, gain.mode, metric, gain.change or _unpaired(metric.name, gain.missing)


def _unpaired(metric: str, missing: Missing | None) -> Contrast:
    """Contrast of two evaluations that may not be paired."""
    return Contrast(
        metric=metric, a=None, b=None, difference=None, low=None, high=None, p=None, units=0, clusters=0, test="",
        method="", missing=missing,
    )  # fmt: skip


def _blocks(levels: Levels, filled: tuple[FilledTable, ...], section: str) -> Iterator[Block]:
    forest, drops, errors, gains = filled
    if levels.models:
        yield Paragraph(words="Accuracy as help is removed", role="heading", id=f"{section}-levels")
        about = {"easy": EASY, "medium": MEDIUM, HARD: f"{HARD.capitalize()}{SCORED}"}
        yield Paragraph(words="".join(about[mode] for mode in levels.modes), role="explanation")
        yield from blocks_of(forest, _side_by_side(levels, forest.rows))
    if tested := len(levels.drops):
        yield Paragraph(
            words="The drop is medium less easy in points, paired by question; its p is corrected by Holm for the "
            f"{words.plural(tested, 'model')} tested. {levels.fell} of {tested} fell significantly at .05. Shares "
            "beside a drop are of the questions that were graded both ways."
        )
        shown = ("model", Show(key="easy", title="Easy"), Show(key="medium", title="Medium"))
        yield from blocks_of(drops, View(title=DROPS.title, rows=drops.rows, shown=(*shown, "drop", *TESTED)))
    if errors.rows:
        keys = ("model", "mode", "wrong", "content", "unread", "refused", "of_form")
        view = View(title=ERRORS.title, rows=errors.rows, shown=keys)
        blocks = (Paragraph(words=FORM, role="note"), *blocks_of(errors, view))
        yield Details(summary="Wrong answers: of form, or of content", blocks=blocks, id=f"{section}-errors")
    yield from _gain_blocks(levels, gains, section)


def _side_by_side(levels: Levels, rows: tuple[Row, ...]) -> View:
    """A row a model, a column a figure of a mode."""
    ordered = sorted(rows, key=lambda row: levels.modes.index(_OF(row)[0]))
    return View(
        title=FOREST.title,
        rows=rows,
        shown=("model",),
        across=Show(key="mode", write=_head),
        cell=Show(key="figure", write=_figure),
        heads={head: head for head in map(_head, ordered)},
    )


def _head(row: Row) -> str:
    mode, metric, *_ = _OF(row)
    of = "right" if mode != HARD else "norm score" if metric is POINTS else "norms kept to"
    return f"{mode.capitalize()}: {of}"


def _figure(row: Row) -> Cell:
    """A figure, marked where its verdicts were counted from words."""
    _, metric, figure, counted = _OF(row)
    value = CellValue(value=figure, metric=metric)
    return (value, " ", Span("counted from words", "tag")) if counted and metric is POINTS else value


def _gain_blocks(levels: Levels, filled: FilledTable, section: str) -> Iterator[Block]:
    if not levels.gains:
        return
    yield Paragraph(words="With the norms in the prompt", role="heading", id=f"{section}-gains")
    hard = " (open answers by norm, in points of the norm score)"
    yield Paragraph(
        words="The same questions with their norms in the prompt. Answers that are still wrong have these norms. "
        f"Paired by question{hard if any(gain.mode == HARD for gain in levels.gains) else ''}; p corrected by Holm "
        f"for {words.plural(len(levels.gained), 'test')}, of which {levels.rose} gained significantly at .05."
    )
    shown = (
        "model",
        "mode",
        Show(key="without", title="Without"),
        Show(key="with_norms", title="With the norms"),
        "gain",
    )
    yield from blocks_of(filled, View(title=GAINS.title, rows=filled.rows, shown=(*shown, *TESTED)))
