"""CultureForest's own figures by the size of models: levels, gaps between places, what is possessed, used and told.

A report over several models has slopes of each benchmark's score and gap; here are those that only this family has,
and all of them side by side from the smallest model to the largest.

Source:
    CultureForest, section 3.3.1 and figures 2, 5b and 6b.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, log2, nan
from typing import TypeAlias

import numpy as np

from mores.analysis.across import family_of
from mores.analysis.contrast import Contrast, known
from mores.analysis.subjects import Subject
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.regimes.asked import KNOWLEDGE, MODES
from mores.benchmarks.cultureforest.regimes.knowing import Using
from mores.benchmarks.cultureforest.regimes.levels import Levels
from mores.benchmarks.shapes.regions.gaps import RegionGap
from mores.core.estimate import Caution, Estimate, caution_of, gravest
from mores.models.facts import billions
from mores.stats.crossed import Slope, slope
from mores.stats.multiplicity import holm

Value: TypeAlias = Estimate | Contrast | float
"""A figure with its interval, a difference with its own, or a gap between places, which has none here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a model by its size: a name, a level where it has one, and whether it is in points of norm scores.

    Names are `score`, `gap` (between places), `possessed`, `used` (right with all norms possessed less with fewer) and
    `told` (right with the norms in the prompt less without).
    """

    name: str
    mode: str
    points: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """A model of known size, in billions of parameters, with its figures, those that it has."""

    name: str
    simulated: bool
    parameters: float
    thinking: str
    family: str
    figures: Mapping[Figure, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class BySize:
    """What a figure rises by where a model is twice as large; p is corrected for the `family` of figures.

    `caution` is what has to be known of the models' answers.
    """

    figure: Figure
    found: Slope
    p_holm: float | None = None
    family: int = 0
    caution: Caution | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """Models from the smallest to the largest, and the slope of each figure; `unknown` are those of unknown size."""

    models: tuple[Sized, ...]
    slopes: tuple[BySize, ...]
    unknown: tuple[str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures that any model has."""
        return tuple(each.figure for each in self.slopes)


def scaling_of(subjects: Sequence[Subject], levels: Levels, gaps: Sequence[RegionGap], using: Using) -> Scaling | None:
    """Figures of models by their size; None where fewer than two have a size that is known."""
    figures: dict[str, dict[Figure, Value]] = {subject.name: {} for subject in subjects}
    for name, figure, value in _figures(levels, gaps, using):
        if value is not None and not isnan(size_of(value)):
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


def _sized(subject: Subject, figures: Mapping[Figure, Value]) -> Sized | None:
    result = next(iter(subject.evaluations.values()))
    facts = result.provenance.facts
    size = facts.get("parameters")
    if size is None:
        return None
    return Sized(
        name=subject.name,
        simulated=subject.simulated,
        parameters=billions(size),
        thinking=facts.get("reasoning") or "",
        family=family_of(result),
        figures=figures,
    )


def _figures(levels: Levels, gaps: Sequence[RegionGap], using: Using) -> Iterator[tuple[str, Figure, Value | None]]:
    """The name of a model, a figure, and what it is, figure by figure."""
    for mode in MODES:
        figure = Figure(name="score", mode=mode, points=mode == HARD)
        for climb in levels.climbs:
            opened = climb.open.figure if climb.open is not None else None
            yield climb.name, figure, opened if mode == HARD else climb.closed.get(mode)
    yield from ((each.name, Figure(name="gap", mode=each.mode, points=each.points), each.gap) for each in gaps)
    possessed = Figure(name="possessed", mode=KNOWLEDGE, points=False)
    yield from ((each.name, possessed, each.possessed) for each in using.knows)
    yield from ((each.name, Figure(name="used", mode=each.mode, points=False), each.gained) for each in using.uses)
    for gain in levels.gains:
        yield gain.name, Figure(name="told", mode=gain.mode, points=gain.mode == HARD), gain.change


def _slopes(figures: Sequence[Figure], models: Sequence[Sized]) -> Iterator[BySize]:
    """The slope of each figure over the models that have it, a family."""
    found = [_slope(figure, models) for figure in figures]
    p = holm([nan if each.found.p is None else each.found.p for each in found]).tolist()
    family = sum(each.found.p is not None for each in found)
    return (replace(each, p_holm=known(one), family=family) for each, one in zip(found, p, strict=True))


def _slope(figure: Figure, models: Sequence[Sized]) -> BySize:
    having = [each for each in models if figure in each.figures]
    sizes = [log2(each.parameters) for each in having]
    return BySize(
        figure=figure,
        found=slope(sizes, [size_of(each.figures[figure]) for each in having], np.array([e.family for e in having])),
        caution=gravest([caution_of(each.figures[figure]) for each in having]),
    )


def size_of(value: Value) -> float:
    """A figure's number."""
    found = value.value if isinstance(value, Estimate) else value.difference if isinstance(value, Contrast) else value
    return nan if found is None else found
