"""Order of models where they have to explain: ranks by thin and by thick labels, and reversals.

rows of both forms ─▶ items that all models have a grade on in both ─▶ ranks with intervals in either form, and for each
pair of models whether its order reverses. That two models' order reverses for certain takes a difference in either
form, one each way, both found after Holm's correction over all pairs in both forms; that it is kept, both one way. So
the interval of the share of reversals runs from those that are certain to those that are not ruled out.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.analysis.compatibility import groups_alike
from mores.analysis.contrast import LEVEL, known
from mores.analysis.units import SharedUnits, units_of
from mores.benchmarks.shapes.reasons.thin_and_thick import RNG_SEED, ThinThickComparison, by_set, label_rows
from mores.core.arrays import Floats, Mask
from mores.core.estimate import Caution, Estimate, Missing, cautioned, gravest
from mores.stats.rankings import Ranking, rank_models
from mores.stats.ranks import holm


class Ranks(Struct, frozen=True):
    """A model's share of right labels in either form, and the ranks that it may have among the others.

    `caution` is what has to be known of its answers.
    """

    subject: str
    simulated: bool
    thin: float | None
    thick: float | None
    thin_rank: Estimate
    thick_rank: Estimate
    caution: Caution | None = None


class ThinThickReversal(Struct, frozen=True):
    """Two models, the first of which is ahead in thin answers and behind in thick ones; `caution` is of either's."""

    ahead: str
    behind: str
    thin: float
    thick: float
    certain: bool
    caution: Caution | None = None


class Reversals(Struct, frozen=True, kw_only=True):
    """The models of one set, by thin rank; `share` is that of pairs whose order reverses, n the number of pairs.

    `units` are items that all have a grade on in both forms, in so many clusters.
    """

    set: str
    ranks: tuple[Ranks, ...]
    reversals: tuple[ThinThickReversal, ...]
    share: Estimate
    units: int
    clusters: int

    @property
    def certain(self) -> int:
        """Reversals that are certain."""
        return sum(each.certain for each in self.reversals)

    @property
    def simulated(self) -> bool:
        """True where any of it was made up."""
        return any(each.simulated for each in self.ranks)


def reversals_of(pairs: Sequence[ThinThickComparison]) -> tuple[Reversals, ...]:
    """Each set of which two models or more have both forms, run alike; baselines are no models."""
    sets = by_set(pairs).items()
    return tuple(_reversals(name, alike) for name, own in sets for alike in _run_alike(own) if len(alike) > 1)


def _run_alike(pairs: Sequence[ThinThickComparison]) -> Iterator[list[ThinThickComparison]]:
    """Pairs whose thin runs may be compared with each other, and whose thick ones may."""
    for thick in groups_alike([pair.thick.evaluation for pair in pairs]):
        for thin in groups_alike([pair.thin for pair in pairs]):
            yield [pair for pair in pairs if pair.thick.evaluation in thick and pair.thin in thin]


def _reversals(name: str, pairs: Sequence[ThinThickComparison]) -> Reversals:
    forms = [label_rows(pair.thin) for pair in pairs], [label_rows(pair.thick.evaluation) for pair in pairs]
    shared, many = SharedUnits.of([units_of(rows) for form in forms for rows in form]), len(pairs)
    keys = shared.first.keys
    thin, thick = (
        rank_models(points, keys.cluster.codes, strata=keys.place.codes, seed=RNG_SEED.child("ranks", name, form))
        for form, points in (("thin", shared.points[:many]), ("thick", shared.points[many:]))
    )
    order = _Order.of(thin, thick)
    cautions = {pair.thick.subject: pair.contrast.caution for pair in pairs}
    return Reversals(
        set=name,
        ranks=tuple(sorted(_ranks(pairs, thin, thick), key=lambda each: each.thin_rank.value or 0)),
        reversals=tuple(order.reversals(cautions)),
        share=cautioned(order.share(thin.missing), gravest([*cautions.values()])),
        units=thin.units,
        clusters=thin.clusters,
    )


def _ranks(pairs: Sequence[ThinThickComparison], thin: Ranking, thick: Ranking) -> Iterator[Ranks]:
    for pair, one, other in zip(pairs, thin.models, thick.models, strict=True):
        thin_rank, thick_rank = (
            Estimate(metric="rank", value=each.rank, low=each.low, high=each.high, asked=thin.units,
                     graded=thin.units, missing=thin.missing)
            for each in (one, other)
        )  # fmt: skip
        shares = known(one.mean), known(other.mean)
        yield Ranks(pair.thick.subject, pair.simulated, *shares, thin_rank, thick_rank, pair.contrast.caution)


class _Order(NamedTuple):
    """The difference of each pair of models in either form, and whether it is found: both forms are one family."""

    thin: Floats
    thick: Floats
    found: Mask

    @classmethod
    def of(cls, thin: Ranking, thick: Ranking) -> "_Order":
        first, second = np.triu_indices(len(thin.models), 1)
        means = [np.array([each.mean for each in ranking.models]) for ranking in (thin, thick)]
        p = holm(np.concatenate([ranking.p[first, second] for ranking in (thin, thick)])).reshape(2, -1)
        before, after = (each[first] - each[second] for each in means)
        # A pair without a p is not found to differ.
        found: Mask = np.nan_to_num(p, nan=1.0) < LEVEL
        return cls(before, after, np.logical_and(*found) & np.full(len(first), thin.missing is None))

    def reversals(self, cautions: Mapping[str, Caution | None]) -> Iterator[ThinThickReversal]:
        """Those that reverse, of models by what has to be known of each; one that is a tie in either form does not."""
        for both, thin, thick, found in zip(combinations(cautions, 2), *self, strict=True):
            if thin * thick < 0:
                ahead, behind = both if thin > 0 else both[::-1]
                caution = gravest([cautions[ahead], cautions[behind]])
                yield ThinThickReversal(ahead, behind, float(abs(thin)), -float(abs(thick)), bool(found), caution)

    def share(self, missing: Missing | None) -> Estimate:
        """The share of pairs that reverse, with its interval."""
        across, many = self.thin * self.thick, len(self.thin)
        if not np.isfinite(across).all():
            nothing = Missing(code="nothing_graded_for_all")
            return Estimate(metric="reversed", value=None, asked=many, graded=0, missing=nothing)
        return Estimate(
            metric="reversed",
            value=float((across < 0).mean()),
            # At least those that reverse for certain, at most all but those that keep their order for certain.
            low=None if missing else float(((across < 0) & self.found).mean()),
            high=None if missing else 1 - float(((across > 0) & self.found).mean()),
            asked=many,
            graded=many,
            method="tests of all pairs in both forms",
            missing=missing,
        )
