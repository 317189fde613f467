"""CulturalBench's setups: Easy against Hard, one right answer against several, and models beside people."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.aggregate import estimated
from mores.analysis.contrast import (
    Contrast,
    ContrastOptions,
    PairedUnits,
    adjusted,
    between_groups,
    contrast_of,
    paired,
)
from mores.analysis.groups import PLACE, Group
from mores.analysis.model_summary import Models, family_of, layout_of, models_of
from mores.analysis.results import Result, Results, marked
from mores.analysis.units import Subject, headline_units, subjects_of
from mores.benchmarks.culturalbench.benchmark import question_of
from mores.benchmarks.shapes.human_baseline import HUMAN, compare_with_people, people_table
from mores.core.estimate import NOTHING_GRADED, CategoricalColumn, Estimate, MetricRows, Missing, cautioned, gravest
from mores.core.seeds import Seed
from mores.stats.clusters import clustered
from mores.stats.crossed_effects import both_drawn, mean_over_models
from mores.stats.intervals import ClusteredMeans, refused
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, DifferenceCell, Finding, Paragraph, Span
from mores.tables.columns import SIMULATED, SUBJECT

EASY, HARD = "culturalbench/easy", "culturalbench/hard"
SEED = Seed("culturalbench")
SEVERAL = Group("mode", "multi")


class BothSetups(Struct, frozen=True, kw_only=True):
    """One model on the questions that both setups asked it: Hard less Easy, and the shares right in one alone."""

    subject: str
    simulated: bool
    contrast: Contrast
    easy_alone: float
    hard_alone: float


class EasyAndHard(Struct, frozen=True, kw_only=True):
    """All models in both setups, and the mean of their differences; None where a single one has both."""

    rows: tuple[BothSetups, ...]
    mean: Estimate | None


class ModeGaps(Struct, frozen=True, eq=False, kw_only=True):
    """Questions with one right answer less those with several, for each model of one setup and as a mean."""

    benchmark: str
    rows: tuple[tuple[Result, Contrast], ...]
    mean: Estimate | None


def easy_and_hard(results: Results) -> EasyAndHard | None:
    """Easy against Hard; None where no model has both."""
    setups = {EASY: "easy", HARD: "hard"}
    every = subjects_of(results, lambda result: setups.get(result.benchmark))
    both = [each for each in every if len(each.evaluations) == len(setups)]
    if not both:
        return None
    pairs = [_pairs(each) for each in both]
    found = [_both(subject, pair) for subject, pair in zip(both, pairs, strict=True)]
    contrasts = adjusted([each.contrast for each in found])
    rows = tuple(replace(each, contrast=one) for each, one in zip(found, contrasts, strict=True))
    return EasyAndHard(rows=rows, mean=_marked_mean(rows, _mean_of_both(both, pairs)))


def _marked_mean(rows: Sequence[BothSetups], mean: Estimate | None) -> Estimate | None:
    return mean and cautioned(mean, gravest([each.contrast.caution for each in rows]))


def _pairs(subject: Subject) -> PairedUnits:
    easy, hard = (subject.evaluations[setup].scores["accuracy"] for setup in ("easy", "hard"))
    return paired(_by_question(easy), _by_question(hard))


def _by_question(rows: MetricRows) -> MetricRows:
    """The rows with questions named by their number alone, which both setups share."""
    unit = rows.keys.unit
    named = CategoricalColumn(unit.codes, tuple(question_of(name) for name in unit.names))
    return replace(rows, keys=replace(rows.keys, unit=named))


def _both(subject: Subject, pairs: PairedUnits) -> BothSetups:
    sides = (subject.evaluations["easy"], subject.evaluations["hard"])
    # A mean over no pairs would be NaN, with a warning.
    gap = pairs.gap if len(pairs.a) else np.zeros(1)
    terms = ContrastOptions(SEED.child("setups", subject.name), "accuracy", sides[1].metric("accuracy"), sides=sides)
    return BothSetups(
        subject=subject.name,
        simulated=subject.simulated,
        contrast=contrast_of(pairs, terms),
        easy_alone=float(np.maximum(-gap, 0).mean()),
        hard_alone=float(np.maximum(gap, 0).mean()),
    )


def _mean_of_both(subjects: Sequence[Subject], pairs: Sequence[PairedUnits]) -> Estimate | None:
    """The mean difference over models that were asked the same questions; None for one model alone."""
    if len(pairs) < 2:
        return None
    if len({len(each.a) for each in pairs}) > 1 or not len(pairs[0].a):
        return Estimate(metric="accuracy", value=None, asked=0, graded=0, missing=Missing(code="other_questions"))
    first = pairs[0]
    over = np.mean([each.gap for each in pairs], axis=0)
    layout = ClusteredMeans.of(over, clustered(first.cluster, first.groups[PLACE].codes, len(over)))
    families = [family_of(each.evaluations["hard"]) for each in subjects]
    values = [float(each.gap.mean()) for each in pairs]
    interval = refused(layout.load) or mean_over_models(values, families, layout.spread(), share=False)
    return estimated("accuracy", float(np.mean(values)), interval, asked=len(over))


def mode_gaps(models: Sequence[Result], together: Models | None) -> ModeGaps | None:
    """Gain of models where one answer is right; None where there are no questions with several.

    Args:
        models: Evaluations of one setup.
        together: Those that can be put together, for the mean; None where there are none.
    """
    found = [(each, _mode_gap(each)) for each in models]
    rows = [(each, gap) for each, gap in found if gap.difference is not None]
    if not rows:
        return None
    gaps = adjusted([gap for _, gap in rows])
    return ModeGaps(
        benchmark=models[0].benchmark,
        rows=tuple((each, gap) for (each, _), gap in zip(rows, gaps, strict=True)),
        mean=None if together is None else _mean_gap(together),
    )


def _mode_gap(result: Result) -> Contrast:
    """Single less multi: `a` is the mean of questions with several right answers, `b` of those with one."""
    units = headline_units(result)
    graded = units.graded
    keys = units.keys.take(graded)
    found = between_groups(
        units.value[graded], ~SEVERAL.mask(keys), keys.cluster.codes,
        metric="accuracy", group=Group("mode", "single"), seed=SEED.child("mode", result.benchmark, result.model),
    )  # fmt: skip
    return replace(found, caution=result.caution("accuracy", {}))


def _mean_gap(models: Models) -> Estimate:
    several = SEVERAL.mask(models.shared.first.keys)
    if several.all() or not several.any():
        return Estimate(metric="accuracy", value=None, asked=0, graded=0, missing=NOTHING_GRADED)
    values = models.shared.points[:, ~several].mean(axis=1) - models.shared.points[:, several].mean(axis=1)
    over = models.shared.points.mean(axis=0)
    sides = [layout_of(models, over, kept) for kept in (~several, several)]
    few = refused(sides[0].load) or refused(sides[1].load)
    items = both_drawn(*(side.steadied(side.spread()) for side in sides))
    interval = few or mean_over_models(values, models.families, items, share=False)
    return marked(estimated("accuracy", float(values.mean()), interval, asked=len(over)), models.evaluations)


def people_gap(result: Result) -> DifferenceCell | None:
    """The same gap of people, out of the run's figures of them; None where it has none of both kinds.

    The interval squares and adds how far each figure's own reaches; annotators of both kinds are taken as others.
    """
    modes = result.by("mode", HUMAN)
    one, several = modes.get("single"), modes.get("multi")
    if one is None or several is None or one.value is None or several.value is None:
        return None
    gap = one.value - several.value
    if one.low is None or one.high is None or several.low is None or several.high is None:
        return DifferenceCell(difference=gap, low=None, high=None, missing=one.missing or several.missing)
    down = float(np.hypot(one.value - one.low, several.high - several.value))
    up = float(np.hypot(one.high - one.value, several.value - several.low))
    return DifferenceCell(difference=gap, low=gap - down, high=gap + up, missing=None)


# The tables, as programs know them.

MODELS = Column(key="models", title="Models", kind="count", says="over which the mean is")
BENCHMARK = Column(key="benchmark", title="Benchmark", kind="benchmark", says="the setup")
ALONE = (
    Column(key="easy_alone", title="Right on Easy alone", kind="share", says="questions that are right on Easy alone"),
    Column(key="hard_alone", title="Right on Hard alone", kind="share", says="questions that are right on Hard alone"),
)
EASY_AND_HARD = Table(
    id="culturalbench",
    title="Easy against Hard by question",
    columns=(
        Column(key="model", title="Model", kind="model", says="the subject, with its run where it has several"),
        SIMULATED,
        Column(
            key="gap",
            title="Hard − Easy, points",
            kind="contrast",
            main=True,
            ends=("hard", "easy"),
            says="accuracy on Hard less that on Easy, paired by question",
        ),
        *ALONE,
    ),
)
EASY_AND_HARD_MEAN = Table(
    id="culturalbench_mean",
    title="Easy against Hard, mean over models",
    columns=(
        MODELS,
        Column(key="easy", title="Easy", kind="share", says="mean accuracy on Easy"),
        Column(key="hard", title="Hard", kind="share", says="mean accuracy on Hard"),
        Column(
            key="gap", title="Hard − Easy, points", kind="estimate", main=True, says="for other models and questions"
        ),
        *ALONE,
    ),
)
ONE = Column(key="single", title="One right", kind="share", says="accuracy where one answer is right")
SEVERAL_RIGHT = Column(
    key="multi", title="Several right", kind="share", says="accuracy where several answers are right"
)
MODES = Table(
    id="culturalbench_modes",
    title="One right answer or several",
    columns=(
        SUBJECT,
        Column(
            key="gap",
            title="Gap, points",
            kind="contrast",
            main=True,
            ends=("single", "multi"),
            says="accuracy where one answer is right less that where several are, which are other questions",
        ),
    ),
)
MODES_MEAN = Table(
    id="culturalbench_modes_mean",
    title="One right answer or several, mean over models",
    columns=(
        BENCHMARK,
        MODELS,
        ONE,
        SEVERAL_RIGHT,
        Column(key="gap", title="Gap, points", kind="estimate", main=True, says="for other models and questions"),
    ),
)
MODES_PEOPLE = Table(
    id="culturalbench_modes_people",
    title="One right answer or several, of people",
    columns=(
        BENCHMARK,
        ONE,
        SEVERAL_RIGHT,
        Column(key="gap", title="Gap of people, points", kind="change", main=True, says="for other annotators"),
        Column(key="questions", title="Questions", kind="count", says="that people were asked"),
    ),
)
PEOPLE = people_table("culturalbench_people")

# The same for people.

SETUPS = (
    "Both setups ask the same questions, paired by their number. Hard less Easy is negative where a model knows the "
    "right option among four but does not judge each statement rightly; guessing alone gets 25% and 6%."
)
ABOUT_MODES = (
    "Questions with several right answers against those with one, which are other questions: a gap may also be theirs. "
    "The interval is for other questions of both kinds; p deals the kinds out anew over questions."
)
TESTED = (Show(key="p_holm", title="p (Holm{family})"), Show(key="units", title="Questions"))
MEAN = Show(key="gap", format="signed"), Show(key="graded", title="Questions"), Show(key="why")


def analyse(results: Results) -> AnalysisResult | None:
    """Results of the two setups; None where there is nothing to say of either."""
    setups, together = easy_and_hard(results), dict[str, Models]()
    for models in models_of(results):
        together.setdefault(models.benchmark, models)
    gaps = [gap for each in results.benchmarks if (gap := _gaps(results.on(each), together.get(each))) is not None]
    people = compare_with_people(PEOPLE, ((results.on(name), None) for name in results.benchmarks))
    if setups is None and not gaps and people is None:
        return None
    both = FilledTable(table=EASY_AND_HARD, rows=tuple(_both_rows(setups)))
    mean = FilledTable(table=EASY_AND_HARD_MEAN, rows=tuple(_mean_row(setups)))
    modes = FilledTable(table=MODES, rows=tuple(row for found in gaps for row in found.rows))
    means = FilledTable(table=MODES_MEAN, rows=tuple(row for found in gaps for row in _mean_of_modes(found)))
    asked = FilledTable(table=MODES_PEOPLE, rows=tuple(row for found in gaps for row in _people_by_mode(found)))
    return AnalysisResult(
        tables=(both, mean, modes, means, asked, *(people.tables if people else ())),
        blocks=(
            *_setups(both, mean),
            *_modes([found.benchmark for found in gaps], modes, means, asked),
            *(people.blocks or () if people else ()),
        ),
        findings=tuple(_findings(setups, gaps)),
    )


def _gaps(evaluations: Sequence[Result], together: Models | None) -> ModeGaps | None:
    kept = [each for each in evaluations if not each.partial and not each.model.startswith("baseline/")]
    return mode_gaps(kept, together) if kept else None


def _both_rows(found: EasyAndHard | None) -> Iterator[Row]:
    for each in found.rows if found else ():
        yield each.subject, each.simulated, each.contrast, each.easy_alone, each.hard_alone


def _mean_row(found: EasyAndHard | None) -> Iterator[Row]:
    if found is not None and found.mean is not None:
        alone = (fmean(each.easy_alone for each in found.rows), fmean(each.hard_alone for each in found.rows))
        easy, hard = _means(each.contrast for each in found.rows)
        yield len(found.rows), easy, hard, found.mean, *alone


def _mean_of_modes(found: ModeGaps) -> Iterator[Row]:
    if found.mean is not None:
        several, one = _means(gap for _, gap in found.rows)
        yield found.benchmark, len(found.rows), one, several, found.mean


def _means(found: Iterable[Contrast]) -> tuple[float, float]:
    """The means over models of both scores, A and B."""
    both = [(each.a, each.b) for each in found if each.a is not None and each.b is not None]
    return fmean(a for a, _ in both), fmean(b for _, b in both)


def _people_by_mode(found: ModeGaps) -> Iterator[Row]:
    """People's own figures, where there are some."""
    result = found.rows[0][0]
    modes, gap = result.by("mode", HUMAN), people_gap(result)
    if gap is not None:
        asked = sum(each.graded for each in modes.values())
        yield found.benchmark, modes["single"].value, modes["multi"].value, gap, asked


def _setups(both: FilledTable, mean: FilledTable) -> Iterator[Block]:
    if both.rows:
        yield Paragraph(words="Easy against Hard", role="heading", id="culturalbench-setups")
        yield Paragraph(words=SETUPS, role="explanation")
    ends, alone = (Show(key="easy", title="Easy"), Show(key="hard", title="Hard")), [Show(key=c.key) for c in ALONE]
    shown = (Show(key="model"), *ends, Show(key="gap"), TESTED[0], *alone, TESTED[1])
    yield from blocks_of(both, View(title=EASY_AND_HARD.title, rows=both.rows, shown=shown))
    over = (_mean_over(0), *ends, MEAN[0], *alone, *MEAN[1:])
    yield from blocks_of(mean, View(title=EASY_AND_HARD_MEAN.title, rows=mean.rows, shown=over))


def _mean_over(at: int) -> Show:
    return Show(key="models", title="Mean over", write=lambda row: words.plural(row[at], "model"))


def _modes(benchmarks: Sequence[str], modes: FilledTable, means: FilledTable, people: FilledTable) -> Iterator[Block]:
    if benchmarks:
        yield Paragraph(words="One right answer or several", role="heading", id="culturalbench-modes")
        yield Paragraph(words=ABOUT_MODES, role="explanation")
    ends = Show(key="single", title="One right"), Show(key="multi", title="Several right")
    for name in benchmarks:
        yield Paragraph(words=Span(name, "code"), role="subheading")
        own = tuple(row for row in modes.rows if row[0].benchmark == name)
        shown = (Show(key="evaluation", title="Model", lead="model"), *ends, Show(key="gap"), *TESTED)
        yield from blocks_of(modes, View(title=f"{MODES.title} on {name}", rows=own, shown=shown))
        for filled, over in (
            (means, (_mean_over(1), *ends, *MEAN)),
            (people, (*ends, Show(key="gap"), Show(key="questions"))),
        ):
            rows = tuple(row for row in filled.rows if row[0] == name)
            yield from blocks_of(filled, View(title=f"{filled.table.title}, on {name}", rows=rows, shown=over))


def _findings(setups: EasyAndHard | None, gaps: Sequence[ModeGaps]) -> Iterator[Finding]:
    """That models lose by the harder setup, and where several answers are right; the mean where it has an interval."""
    means: list[tuple[str, int, Estimate | None, str]] = [
        ("modes", 1, each.mean, f"where several answers are right than where one is, on {each.benchmark}")
        for each in gaps
    ]
    if setups is not None:
        means.insert(0, ("setups", -1, setups.mean, "on Hard than on Easy"))
    for name, sign, mean, where in means:
        if mean is None or mean.value is None or mean.low is None or mean.high is None or mean.low <= 0 <= mean.high:
            continue
        statement = f"Models get {'less' if sign * mean.value > 0 else 'more'} {where}."
        sure = (CellValue(value=mean, format="signed"), " points, for other models and questions.")
        yield Finding(words=statement, id=f"culturalbench.{name}", sure=sure)


CULTURALBENCH_ANALYSIS = Analysis(
    id="culturalbench",
    title="CulturalBench: Easy, Hard and people",
    tables=(EASY_AND_HARD, EASY_AND_HARD_MEAN, MODES, MODES_MEAN, MODES_PEOPLE, PEOPLE),
    analyse=analyse,
    order=11,
)
