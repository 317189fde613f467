"""Two runs on the same items: did the second do worse, where, and could a difference have been seen at all?

Every benchmark that both runs have is paired by item: units (a question is right if all its items are; a norm of an
open answer) are averaged over samples first, clusters stay whole. Runs that differ in more than the subject are
refused, so that both were judged by the same judges.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.reports.comparable import notes_on, refuse_unlike
from mores.reports.findings import Finding, Findings
from mores.reports.units import Unit, headline_units, items_of, units_beside
from mores.stats.clusters import design_effect
from mores.stats.multiplicity import holm
from mores.stats.paired import Paired, compare_paired, minimum_detectable_effect

DICE = Seed("compare")
LEVEL = 0.05
CLOSE = 1e-6
"""How near a mean over units has to be to the headline to be the same figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """B less A over the units that both graded, in points of the metric (0–1 for shares); `a` and `b` are the means.

    `p` is two-sided, `p_worse` small where B is worse; `p_holm` is corrected for the family of places and None for
    the whole. `detectable` is the least difference that would be found with power .8 at level .05 before any
    correction, None where no unit differs. Without units, figures are None, with `why`.
    """

    place: str | None
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_worse: float | None
    p_holm: float | None = None
    test: str
    method: str
    why: str | None
    units: int
    clusters: int
    detectable: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What judges say beside the headline, over the whole: points of reasons, norms left open, norms broken.

    Its p is corrected for nothing, and no alarm rests on it.
    """

    metric: str
    described: Metric | None
    whole: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One benchmark in both runs: the whole, and each place of the family that Holm's correction is made for.

    `only_a` and `only_b` count items that the other run did not ask; `ungraded` units that one of the two left
    ungraded. `notes` say what else differs, and who judged itself; `described` is what the card says of the metric.
    """

    benchmark: str
    metric: str
    model_a: str
    model_b: str
    simulated: bool
    whole: Difference
    places: tuple[Difference, ...]
    only_a: int
    only_b: int
    ungraded: int
    notes: tuple[str, ...] = ()
    described: Metric | None = None
    beside: tuple[Beside, ...] = ()

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


def compare_runs(a: Findings, b: Findings, *, allow_other_data: bool = False) -> Comparison:
    """Run B against run A, model by model and benchmark by benchmark.

    Raises:
        InputError: the runs have no benchmark in common, or differ in more than the subject.
    """
    pairs, alone = _paired_cells(a, b)
    for pair in pairs:
        refuse_unlike(pair.a, pair.b, allow_other_data=allow_other_data)
    return Comparison(
        run_a=a.runs[0], run_b=b.runs[0], compared=tuple(_compare(pair.a, pair.b) for pair in pairs), alone=alone
    )


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


def _compare(a: Finding, b: Finding) -> Compared:
    items_a, items_b = items_of(a), items_of(b)
    common = items_a & items_b
    units_a, units_b = headline_units(a, common), headline_units(b, common)
    both = [name for name in units_a if units_a[name].graded and name in units_b and units_b[name].graded]
    described = a.metric(a.headline)
    table, dice = _Table.of(both, units_a, units_b), DICE.child(a.benchmark)
    reach = described.high - described.low if described else 1.0
    return Compared(
        benchmark=a.benchmark,
        metric=a.headline,
        model_a=a.model,
        model_b=b.model,
        simulated=a.simulated or b.simulated,
        whole=_difference(None, table, dice, reach),
        places=_by_place(table, dice, reach),
        only_a=len(items_a - items_b),
        only_b=len(items_b - items_a),
        ungraded=len(units_a.keys() & units_b.keys()) - len(both),
        notes=(*notes_on(a, b), *_own_judges(a, b), *_counted_otherwise(a, b)),
        described=described,
        beside=_beside(a, b, common),
    )


def _beside(a: Finding, b: Finding, items: Collection[str]) -> tuple[Beside, ...]:
    units_a, units_b = units_beside(a, items), units_beside(b, items)
    return tuple(_one_beside(a, m, units_a[m], units_b[m]) for m in units_a if m in units_b)


def _one_beside(cell: Finding, metric: str, units_a: dict[str, Unit], units_b: dict[str, Unit]) -> Beside:
    both = [name for name in units_a if units_a[name].graded and name in units_b and units_b[name].graded]
    table = _Table.of(both, units_a, units_b)
    whole = _difference(None, table, DICE.child(cell.benchmark, metric), 1.0)
    return Beside(metric=metric, described=cell.metric(metric), whole=whole)


def _own_judges(a: Finding, b: Finding) -> tuple[str, ...]:
    """Which of the two was judged by itself: models tend to like their own words."""
    told = {"A": a, "B": b}
    own = {name: cell for name, cell in told.items() if cell.own_judges}
    alone = ", and the other was not" if len(own) == 1 else ""
    return tuple(f"{name}, {cell.model}, was judged by itself{alone}" for name, cell in own.items())


def _counted_otherwise(a: Finding, b: Finding) -> tuple[str, ...]:
    """Says so where a headline is no mean over units, so that what is compared here is another figure."""
    if _is_mean(a) and _is_mean(b):
        return ()
    return (f"{a.headline} is counted in a way of its own; compared here are the mean points of units",)


def _is_mean(cell: Finding) -> bool:
    whole, units = cell.whole(), headline_units(cell, items_of(cell))
    graded = [name for name, unit in units.items() if unit.graded]
    if whole is None or whole.value is None or not graded:
        return True
    return abs(float(_Table.of(graded, units, units).a.mean()) - whole.value) < CLOSE


class _Table(NamedTuple):
    """Units that both runs graded, a row each, in points of the metric."""

    a: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    b: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    cluster: "np.ndarray[tuple[int], np.dtype[np.str_]]"
    place: "np.ndarray[tuple[int], np.dtype[np.str_]]"

    @classmethod
    def of(cls, names: Sequence[str], a: dict[str, Unit], b: dict[str, Unit]) -> "_Table":
        weight = float(np.mean([unit.weight for unit in a.values()])) if a else 1.0
        return cls(
            np.array([a[name].points for name in names], dtype=np.float64) / weight,
            np.array([b[name].points for name in names], dtype=np.float64) / weight,
            np.array([a[name].cluster for name in names], dtype=np.str_),
            np.array([a[name].place for name in names], dtype=np.str_),
        )

    def at(self, place: str) -> "_Table":
        here = self.place == place
        return _Table(self.a[here], self.b[here], self.cluster[here], self.place[here])


def _by_place(table: _Table, dice: Seed, reach: float) -> tuple[Difference, ...]:
    names = [str(name) for name in np.unique(table.place) if name]
    found = [_difference(name, table.at(name), dice.child("place", name), reach) for name in names]
    adjusted = holm([d.p if d.p is not None else float("nan") for d in found])
    return tuple(replace(d, p_holm=_known(float(p))) for d, p in zip(found, adjusted, strict=True))


def _difference(place: str | None, table: _Table, dice: Seed, reach: float) -> Difference:
    strata = None if place else table.place
    paired = compare_paired(table.a, table.b, table.cluster, strata=strata, seed=dice)
    return Difference(
        place=place,
        a=float(table.a.mean()) if table.a.size else None,
        b=float(table.b.mean()) if table.b.size else None,
        # The paired figures are A less B; 0.0 - x keeps a difference of nothing from being a negative zero.
        difference=None if isnan(paired.difference) else 0.0 - paired.difference,
        low=None if paired.high is None else 0.0 - paired.high,
        high=None if paired.low is None else 0.0 - paired.low,
        p=_known(paired.p),
        p_worse=_known(paired.p_worse),
        test=paired.test,
        method=paired.method,
        why=paired.why,
        units=paired.units,
        clusters=paired.clusters,
        detectable=_detectable(table, paired, reach),
    )


def _known(p: float) -> float | None:
    return None if isnan(p) else p


def _detectable(table: _Table, paired: Paired, reach: float) -> float | None:
    """Least difference that these units could show; squared differences stand in for the discordance of averages.

    `reach` is the metric's range, by which differences are brought to shares and back.
    """
    gap = (table.b - table.a) / reach
    spread = float(np.mean(gap**2)) if gap.size else 0.0
    if spread == 0:
        return None
    effect = design_effect(gap, table.cluster).deff if paired.clusters < paired.units else 1.0
    deff = 1.0 if isnan(effect) else max(1.0, effect)
    return reach * minimum_detectable_effect(paired.units, min(1.0, spread), deff=deff)
