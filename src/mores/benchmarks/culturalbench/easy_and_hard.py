"""What CulturalBench's two setups show of one model: Easy against Hard by question, and one right answer or several.

results of both setups ─▶ the same questions by their number ─▶ each model's difference, p-values corrected for the
number of models ─▶ means over models, for other models and other questions.
"""

from collections.abc import Sequence

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
from mores.analysis.model_summary import Models, family_of, layout_of
from mores.analysis.results import Result, Results, marked
from mores.analysis.subjects import Subject, subjects_of
from mores.analysis.units import headline_units
from mores.benchmarks.culturalbench.user_columns import question_of
from mores.benchmarks.shapes.human_baseline import HUMAN
from mores.blocks import DifferenceCell
from mores.core.estimate import NOTHING_GRADED, CategoricalColumn, Estimate, MetricRows, Missing, cautioned, gravest
from mores.core.seeds import Seed
from mores.stats.clusters import clustered
from mores.stats.crossed_effects import both_drawn, mean_over_models
from mores.stats.intervals import ClusteredMeans, refused

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
    """How much better models do where one answer is right; None where there are no questions with several.

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
