"""CultureForest's own figures by the size of models: levels, gaps between places, what is possessed, used and told.

A report over several models has slopes of each benchmark's score and gap; here are those that only this family has,
and all of them side by side from the smallest model to the largest.

Source:
    CultureForest, section 3.3.1 and figures 2, 5b and 6b.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2, nan

import numpy as np

from mores.analysis.contrast import Contrast, known
from mores.analysis.model_summary import family_of
from mores.analysis.subjects import Subject
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.knowledge import KnowledgeUseTable
from mores.benchmarks.cultureforest.modes import KNOWLEDGE, MODES
from mores.benchmarks.cultureforest.regimes.levels import Levels
from mores.benchmarks.shapes.regions.gaps import RegionGap
from mores.core.estimate import Caution, Estimate, Missing, caution_of, cautioned, gravest
from mores.models.facts import billions
from mores.stats.crossed_effects import ModelSlope, slope
from mores.stats.ranks import holm


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingMetric:
    """One figure of a model by its size: a name, a level where it has one, and whether it is in points of norm scores.

    Names are `score`, `gap` (between places), `possessed`, `used` (right with all norms possessed less with fewer) and
    `told` (right with the norms in the prompt less without).
    """

    name: str
    mode: str
    points: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedModel:
    """A model of known size, in billions of parameters, with its figures, those that it has."""

    name: str
    simulated: bool
    parameters: float
    thinking: str
    family: str
    figures: Mapping[ScalingMetric, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSlope:
    """What a figure rises by where a model is twice as large; p is corrected for the `family` of figures.

    `caution` is what has to be known of the models' answers.
    """

    figure: ScalingMetric
    found: ModelSlope
    p_holm: float | None = None
    family: int = 0
    caution: Caution | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """Models from the smallest to the largest, and the slope of each figure; `unknown` are those of unknown size."""

    models: tuple[SizedModel, ...]
    slopes: tuple[SizeSlope, ...]
    unknown: tuple[str, ...]

    @property
    def figures(self) -> tuple[ScalingMetric, ...]:
        """All figures that any model has."""
        return tuple(each.figure for each in self.slopes)


def scaling_of(
    subjects: Sequence[Subject], levels: Levels, gaps: Sequence[RegionGap], using: KnowledgeUseTable
) -> Scaling | None:
    """Figures of models by their size; None where fewer than two have a size that is known."""
    figures: dict[str, dict[ScalingMetric, Estimate]] = {subject.name: {} for subject in subjects}
    for name, figure, value in _figures(levels, gaps, using):
        if value is not None and value.value is not None:
            figures[name][figure] = value
    sized = [found for each in subjects if (found := _sized(each, figures[each.name])) is not None]
    if len(sized) < 2:
        return None
    names = dict.fromkeys(figure for each in sized for figure in each.figures)
    return Scaling(
        models=tuple(sorted(sized, key=lambda each: (each.parameters, each.name))),
        slopes=tuple(_slopes([*names], sized)),
        unknown=tuple(each.name for each in subjects if each.name not in {one.name for one in sized}),
    )


def _sized(subject: Subject, figures: Mapping[ScalingMetric, Estimate]) -> SizedModel | None:
    result = next(iter(subject.evaluations.values()))
    facts = result.provenance.facts
    size = facts.get("parameters")
    if size is None:
        return None
    return SizedModel(
        name=subject.name,
        simulated=subject.simulated,
        parameters=billions(size),
        thinking=facts.get("reasoning") or "",
        family=family_of(result),
        figures=figures,
    )


def _figures(
    levels: Levels, gaps: Sequence[RegionGap], using: KnowledgeUseTable
) -> Iterator[tuple[str, ScalingMetric, Estimate | None]]:
    """The name of a model, a figure, and what it is, figure by figure."""
    for mode in MODES:
        figure = ScalingMetric(name="score", mode=mode, points=mode == HARD)
        for climb in levels.climbs:
            opened = climb.open.figure if climb.open is not None else None
            yield climb.name, figure, opened if mode == HARD else climb.closed.get(mode)
    yield from ((each.name, ScalingMetric(name="gap", mode=each.mode, points=each.points), _gap(each)) for each in gaps)
    possessed = ScalingMetric(name="possessed", mode=KNOWLEDGE, points=False)
    yield from ((each.name, possessed, each.possessed) for each in using.knows)
    for use in using.uses:
        yield use.name, ScalingMetric(name="used", mode=use.mode, points=False), _estimate(use.gained)
    for gain in levels.gains:
        change = None if gain.change is None else _estimate(gain.change)
        yield gain.name, ScalingMetric(name="told", mode=gain.mode, points=gain.mode == HARD), change


def _gap(each: RegionGap) -> Estimate:
    """The gap between places, which has no interval."""
    missing = Missing(code="describes", told="places")
    gap = Estimate(metric="gap", value=each.gap, asked=each.regions, graded=each.regions, missing=missing)
    return cautioned(gap, each.caution)


def _estimate(found: Contrast) -> Estimate:
    """A difference as a figure."""
    return cautioned(
        Estimate(
            metric=found.metric,
            value=found.difference,
            low=found.low,
            high=found.high,
            asked=found.units,
            graded=found.units,
            method=found.method,
            missing=found.missing,
        ),
        found.caution,
    )


def _slopes(figures: Sequence[ScalingMetric], models: Sequence[SizedModel]) -> Iterator[SizeSlope]:
    """The slope of each figure over the models that have it, a family."""
    found = [_slope(figure, models) for figure in figures]
    p = holm([nan if each.found.p is None else each.found.p for each in found]).tolist()
    family = sum(each.found.p is not None for each in found)
    return (replace(each, p_holm=known(one), family=family) for each, one in zip(found, p, strict=True))


def _slope(figure: ScalingMetric, models: Sequence[SizedModel]) -> SizeSlope:
    having = [each for each in models if figure in each.figures]
    sizes = [log2(each.parameters) for each in having]
    return SizeSlope(
        figure=figure,
        found=slope(
            sizes, [each.figures[figure].value or 0.0 for each in having], np.array([e.family for e in having])
        ),
        caution=gravest([caution_of(each.figures[figure]) for each in having]),
    )
