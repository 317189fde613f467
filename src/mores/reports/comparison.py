"""Two runs on the same items: did the second do worse, where, and could a difference have been seen at all?

Every benchmark that both runs have is paired by item: units (a question is right if all its items are; a norm of an
open answer) are averaged over samples first, clusters stay whole. Runs that differ in more than the subject are
refused, so that both were judged by the same judges.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.reports.cell_units import UnitsTable
from mores.reports.comparable import notes_on, refuse_unlike
from mores.reports.differences import (
    LEVEL,
    Difference,
    Family,
    Table,
    Terms,
    corrected,
    difference_of,
    families_of,
    graded_by_both,
    reach_of,
)
from mores.reports.findings import Finding, Findings
from mores.reports.metric_units import CLOSE, units_of_metrics
from mores.reports.units import Unit, headline_units, items_of, units_beside
from mores.stats.multiplicity import holm

DICE = Seed("compare")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Another metric over the whole: points of reasons, norms left open or broken, format errors, a judge's task.

    Its p is corrected (Holm) for the other metrics of the benchmark, and no alarm rests on it.
    """

    metric: str
    described: Metric | None
    whole: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One benchmark in both runs: the whole, and the families of groups that p-values are corrected for.

    `only_a` and `only_b` count items that the other run did not ask; `ungraded` units that one of the two left
    ungraded. `notes` say what else differs, and who judged itself; `described` is what the card says of the metric.
    `judge_quality` is J of the judge where somebody gave it.
    """

    benchmark: str
    metric: str
    model_a: str
    model_b: str
    simulated: bool
    whole: Difference
    families: tuple[Family, ...]
    only_a: int
    only_b: int
    ungraded: int
    notes: tuple[str, ...] = ()
    described: Metric | None = None
    beside: tuple[Beside, ...] = ()
    judge_quality: float | None = None

    @property
    def places(self) -> tuple[Difference, ...]:
        """The places, where there are several."""
        return next((family.members for family in self.families if family.kind == "place"), ())

    @property
    def family(self) -> int:
        """Places that could be tested."""
        return sum(place.p is not None for place in self.places)


class Worse(NamedTuple):
    """A headline in which B is worse, with its one-sided p after Holm over all headlines."""

    compared: Compared
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Run B against run A; `alone` names benchmarks that only one of them has."""

    run_a: Path
    run_b: Path
    compared: tuple[Compared, ...]
    alone: tuple[str, ...]

    @property
    def worse(self) -> tuple[Worse, ...]:
        """Headlines in which B is significantly worse: one-sided p below .05 after Holm over all of them."""
        tested = [c for c in self.compared if c.whole.p_worse is not None]
        adjusted = holm([c.whole.p_worse for c in tested if c.whole.p_worse is not None]).tolist()
        return tuple(Worse(c, p) for c, p in zip(tested, adjusted, strict=True) if p < LEVEL)

    @property
    def untested(self) -> tuple[str, ...]:
        """Headlines that could not be held against each other: in one run only, or nothing graded in both."""
        return (*self.alone, *(c.benchmark for c in self.compared if c.whole.p_worse is None))


def compare_runs(
    a: Findings, b: Findings, *, allow_other_data: bool = False, judge_quality: float | None = None
) -> Comparison:
    """Run B against run A, model by model and benchmark by benchmark.

    `judge_quality` is the judge's sensitivity plus specificity less 1, as found with people's labels: what could have
    been seen is then told of the truth as well. Nothing is assumed where it is not given.

    Raises:
        InputError: the runs have no benchmark in common, or differ in more than the subject; or no judge has such a
            quality.
    """
    if judge_quality is not None and not 0 < judge_quality <= 1:
        raise InputError(f"--judge-quality {judge_quality}: expected sensitivity + specificity - 1, in (0, 1].")
    pairs, alone = _paired_cells(a, b)
    for pair in pairs:
        refuse_unlike(pair.a, pair.b, allow_other_data=allow_other_data)
    compared = tuple(compare_cells(pair.a, pair.b, judge_quality=judge_quality) for pair in pairs)
    return Comparison(run_a=a.runs[0], run_b=b.runs[0], compared=compared, alone=alone)


class _Pair(NamedTuple):
    a: Finding
    b: Finding


class _Pairs(NamedTuple):
    pairs: tuple[_Pair, ...]
    alone: tuple[str, ...]


def _paired_cells(a: Findings, b: Findings) -> _Pairs:
    if len(a.models) == len(b.models) == 1:
        models = [(a.models[0], b.models[0])]
    elif set(a.models) == set(b.models):
        models = [(model, model) for model in a.models]
    else:
        raise InputError(
            f"{a.runs[0]} has the models {list(a.models)} and {b.runs[0]} {list(b.models)}; expected one model in "
            "each, or the same models in both."
        )
    second = {(cell.model, cell.benchmark): cell for cell in b.cells}
    pairs = [
        _Pair(cell, second[other, cell.benchmark])
        for model, other in models
        for cell in a.of(model)
        if (other, cell.benchmark) in second
    ]
    if not pairs:
        raise InputError(
            f"{a.runs[0]} ran {', '.join(a.benchmarks)} and {b.runs[0]} {', '.join(b.benchmarks)}; "
            "expected a benchmark that both ran."
        )
    return _Pairs(tuple(pairs), tuple(sorted(set(a.benchmarks) ^ set(b.benchmarks))))


def compare_cells(a: Finding, b: Finding, *, judge_quality: float | None = None) -> Compared:
    """One model against another on one benchmark; that they may be compared is for `refuse_unlike` to say."""
    items_a, items_b = items_of(a), items_of(b)
    common = items_a & items_b
    all_a, all_b = headline_units(a, items_a), headline_units(b, items_b)
    units_a = all_a if common == items_a else headline_units(a, common)
    units_b = all_b if common == items_b else headline_units(b, common)
    both = graded_by_both(units_a, units_b)
    described = a.metric(a.headline)
    quality = judge_quality if a.judges else None
    table, terms = Table.of(both, units_a, units_b), Terms(DICE.child(a.benchmark), reach_of(described), quality)
    return Compared(
        benchmark=a.benchmark,
        metric=a.headline,
        model_a=a.model,
        model_b=b.model,
        simulated=a.simulated or b.simulated,
        whole=difference_of(table, terms),
        families=families_of(table, terms),
        only_a=len(items_a - items_b),
        only_b=len(items_b - items_a),
        ungraded=len(units_a.keys() & units_b.keys()) - len(both),
        notes=(*notes_on(a, b), *_own_judges(a, b), *_counted_otherwise(a, (a, all_a), (b, all_b))),
        described=described,
        beside=_beside(a, b, common, quality),
        judge_quality=quality,
    )


def _beside(a: Finding, b: Finding, items: Collection[str], quality: float | None) -> tuple[Beside, ...]:
    """Every other metric that is a mean over units in both, what judges say first; a family of its own."""
    first, second = units_beside(a, items), units_beside(b, items)
    told, also = first | units_of_metrics(a, items), second | units_of_metrics(b, items)
    both = [name for name in told if name in also]
    found = [_one_beside(a, name, {**told, **first}[name], {**also, **second}[name], quality) for name in both]
    whole = corrected([each.whole for each in found])
    return tuple(replace(each, whole=one) for each, one in zip(found, whole, strict=True))


def _one_beside(
    cell: Finding, metric: str, units_a: Mapping[str, Unit], units_b: Mapping[str, Unit], quality: float | None
) -> Beside:
    described = cell.metric(metric)
    table = Table.of(graded_by_both(units_a, units_b), units_a, units_b)
    terms = Terms(DICE.child(cell.benchmark, metric), reach_of(described), quality)
    return Beside(metric=metric, described=described, whole=difference_of(table, terms))


def _own_judges(a: Finding, b: Finding) -> tuple[str, ...]:
    """Which of the two was judged by itself: models tend to like their own words."""
    told = {"A": a, "B": b}
    own = {name: cell for name, cell in told.items() if cell.own_judges}
    alone = ", and the other was not" if len(own) == 1 else ""
    return tuple(f"{name}, {cell.model}, was judged by itself{alone}" for name, cell in own.items())


def _counted_otherwise(cell: Finding, *counted: tuple[Finding, Mapping[str, Unit]]) -> tuple[str, ...]:
    """Says so where a headline is no mean over units, so that what is compared here is another figure."""
    if all(is_mean(of, units) for of, units in counted):
        return ()
    return (f"{cell.headline} is counted in a way of its own; compared here are the mean points of units",)


def is_mean(cell: Finding, units: Mapping[str, Unit]) -> bool:
    """Whether the mean over all units of a cell is its headline."""
    return _means(cell, [unit.points for unit in units.values()], [unit.weight for unit in units.values()])


def is_mean_of(cell: Finding, table: UnitsTable) -> bool:
    """The same, of units in a table."""
    return _means(cell, table.points, table.weight)


def _means(cell: Finding, points: npt.ArrayLike, weights: npt.ArrayLike) -> bool:
    whole, values = cell.whole(), np.asarray(points, dtype=np.float64)
    graded = values[np.isfinite(values)]
    if whole is None or whole.value is None or not graded.size:
        return True
    weight = float(np.asarray(weights, dtype=np.float64).mean())
    return abs(float(graded.mean()) / weight - whole.value) < CLOSE
