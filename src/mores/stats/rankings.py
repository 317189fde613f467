"""Models in order over the same units, and how far each one's rank is open.

A rank is an order of noisy means. Percentiles of bootstrapped ranks promise too much where models are alike: of four
equal models some interval leaves out a rank that is as true as any in .55 to .7 of cases, of ten in all of them
(tests/stats/test_rankings.py holds it against ours). So the percentiles are widened to every rank that tests of all
pairs leave open. All pairs, since the first was picked for being first: tests against it alone, corrected for their
own number, part ten equal models in a ninth of cases where a twentieth is allowed.
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident
from mores.stats.clusters import Clusters, ClusterWeights, clustered, resampled_means
from mores.stats.intervals import no_interval, refused
from mores.stats.paired import mcnemar_exact
from mores.stats.ranks import holm, sign_flip
from mores.stats.rng import generator


class RankedModel(Struct, frozen=True, kw_only=True):
    """One model: its mean, how many are above it plus one, and the ranks that it may have, None where none is said.

    `first` is the share of resamples of clusters in which it is first; those that are first together share it.
    """

    mean: float
    rank: int
    low: int | None
    high: int | None
    first: float | None


class Ranking(Struct, frozen=True, kw_only=True):
    """Models in the order in which they were given; the first rank has the highest mean.

    `p` is two-sided of each pair, `p_holm` corrected for the `family` of all pairs; both are symmetric, with NaN on
    the diagonal and where nothing was tested. `missing` says why there are no rank intervals.
    """

    models: tuple[RankedModel, ...]
    p: Floats
    p_holm: Floats
    family: int
    test: str
    units: int
    clusters: int
    missing: Missing | None


def rank_models(
    points: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed,
) -> Ranking:
    """Ranks of models by their means over units that all of them answered, with intervals that hold together.

    Two models are told apart where the paired test of `compare_paired`, McNemar's or flipped signs of cluster sums, is
    below 1 - `confidence` after Holm's correction over all pairs. The interval
    of a model runs from one more than the models found above it to the number of those not found below it, or
    further where percentiles of its rank in resamples of clusters, the same for all models, do. All intervals hold
    all ranks that are true at once (those of a tie too) with at least that confidence. Too few clusters (see
    `mean_interval`): none.

    Args:
        points: Shape (models, units); higher is better. Average the samples of a unit first.
        clusters: The cluster of each unit, in any labels.
        strata: The stratum of each unit; clusters are resampled within it.
        confidence: Wanted coverage of all intervals together.
        resamples: Bootstrap samples.
        seed: Dice of the bootstrap.

    Raises:
        InputError: fewer than two models, a value that is not finite, or lengths that differ.

    Source:
        Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91 (ranks from tests of all pairs);
        Hall and Miller (2009), Annals of Statistics 37 (why not the bootstrap of ranks alone).
    """
    confident(confidence)
    table = _table(points)
    codes = clustered(clusters, strata, table.shape[1])
    tests = _Pairs.of(table, codes)
    found = tests.p_holm < 1 - confidence
    means = table.mean(axis=1) if table.size else np.full(len(table), np.nan)
    above, below = _counted(means, found)
    few = (
        refused(ClusterWeights.of(codes.sums(np.ones(table.shape[1])), codes))
        if table.size
        else no_interval(Missing(code="nothing_graded_for_all"))
    )
    enough = few is None
    low, high = 1 + above, len(table) - below
    first = np.full(len(table), np.nan)
    if enough:
        rows = np.column_stack([codes.sums(row) for row in (*table, np.ones(table.shape[1]))])
        drawn = resampled_means(rows, codes, resamples, generator(seed.child("resamples")))
        # a rank that was drawn, never one between two
        ends = np.quantile(_ranks(drawn), ((1 - confidence) / 2, (1 + confidence) / 2), axis=0, method="inverted_cdf")
        low, high = np.minimum(low, np.floor(ends[0])), np.maximum(high, np.ceil(ends[1]))
        first = _share_first(drawn)
    models = [
        RankedModel(
            mean=float(mean),
            rank=1 + int(np.sum(means > mean)),
            low=int(low[number]) if enough else None,
            high=int(high[number]) if enough else None,
            first=float(first[number]) if enough else None,
        )
        for number, mean in enumerate(means)
    ]
    return Ranking(
        models=tuple(models),
        p=tests.p,
        p_holm=tests.p_holm,
        family=tests.family,
        test=tests.name,
        units=table.shape[1],
        clusters=codes.count,
        missing=None if few is None else few.missing,
    )


def _table(points: npt.ArrayLike) -> Floats:
    table = np.asarray(points, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2:
        raise InputError(f"points have shape {table.shape}; expected (models, units) of two models or more.")
    if not np.isfinite(table).all():
        raise InputError("points hold numbers that are not finite; leave out units that some model has no grade on.")
    return table


class _Pairs(Struct, frozen=True, kw_only=True):
    """The tests of all pairs of models."""

    p: Floats
    p_holm: Floats
    family: int
    name: str

    @classmethod
    def of(cls, table: Floats, codes: Clusters) -> "_Pairs":
        left, right = np.triu_indices(len(table), 1)
        if table.shape[1] == 0:
            p, name = np.full(left.size, np.nan), ""
        elif codes.count == table.shape[1] and np.isin(table, (0, 1)).all():
            p, name = _mcnemar(table, left, right), "McNemar exact"
        else:
            sums = np.column_stack([codes.sums(row) for row in table])
            each = [sign_flip(sums[:, a] - sums[:, b]) for a, b in zip(left, right, strict=True)]
            # where any pair was counted on a grid, the ranking says so: that name is the longer one
            p, name = np.array([one.p for one in each]), max((one.name for one in each), key=len)
        sides = [_square(len(table), left, right, each) for each in (p, holm(p))]
        return cls(p=sides[0], p_holm=sides[1], family=int(np.isfinite(p).sum()), name=name)


def _square(size: int, left: Integers, right: Integers, values: Floats) -> Floats:
    whole = np.full((size, size), np.nan)
    whole[left, right] = whole[right, left] = values
    return whole


def _mcnemar(table: Floats, left: Integers, right: Integers) -> Floats:
    # for all pairs at once: units on which the one is right and the other wrong
    alone = np.rint(table @ (1 - table).T).astype(int)
    return np.array([mcnemar_exact(int(alone[a, b]), int(alone[b, a])) for a, b in zip(left, right, strict=True)])


def _counted(means: Floats, found: npt.NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Numbers of models found above each, and below."""
    higher = means[None, :] > means[:, None]
    return (found & higher).sum(axis=1), (found & ~higher).sum(axis=1)


def _ranks(drawn: Floats) -> Floats:
    """Rank of each model in each resample, the middle one of a tie; (resamples, models)."""
    slack = 1e-9 * np.abs(drawn).max(initial=0)
    found = [1 + np.sum(drawn > own + slack, axis=1) for own in drawn.T[:, :, None]]
    ties = [np.sum(np.abs(drawn - own) <= slack, axis=1) - 1 for own in drawn.T[:, :, None]]
    return np.column_stack([rank + tied / 2 for rank, tied in zip(found, ties, strict=True)])


def _share_first(drawn: Floats) -> Floats:
    slack = 1e-9 * np.abs(drawn).max(initial=0)
    leading = drawn >= drawn.max(axis=1, keepdims=True) - slack
    return np.asarray((leading / leading.sum(axis=1, keepdims=True)).mean(axis=0))
