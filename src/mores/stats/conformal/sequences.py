"""The settings to test, in an order fixed without the items they are tested on.

Either a line of stops fixed beforehand, or the efficient thresholds on items split off for that: those of which no
other has at most as many losses at a lower cost (draws made and kept), fewest losses first.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from mores.core.errors import InputError
from mores.stats.checks import FloatArray, IntArray
from mores.stats.conformal.certificates import CalibrationPlan
from mores.stats.conformal.draws import BoolArray, Draws, LabelledDraws, Thresholds
from mores.stats.conformal.replay import SetScore, chunk, kept_masks, set_scores

_STEPS = 41


class Sweep(NamedTuple):
    """Items lost, draws made and kept, and empty sets, over the items; shape (pairs of ceiling and floor, stops)."""

    losses: IntArray
    cost: IntArray
    empty: IntArray


def line(draws: Draws, plan: CalibrationPlan) -> tuple[Thresholds, ...]:
    """Settings along the stop alone, from all draws downwards: as many losses or more with each step.

    Raises:
        InputError: the score's own steps do not suit these qualities.
    """
    if plan.stops is not None:
        return tuple(Thresholds(stop=stop) for stop in dict.fromkeys((inf, *plan.stops)))
    if plan.score == "max" and not (draws.quality.min() >= 0 and draws.quality.max() <= 1):
        raise InputError(
            f"quality runs from {draws.quality.min():g} to {draws.quality.max():g}, and steps from 0 to 1 do not suit "
            "it; set the plan's stops to stop_levels of draws without labels."
        )
    return tuple(Thresholds(stop=stop) for stop in (inf, *_own_steps(plan.score, draws.each)))


def _own_steps(score: SetScore, each: int) -> tuple[float, ...]:
    if score == "first_k":
        return tuple(float(k) for k in range(each, 0, -1))
    return tuple((np.arange(_STEPS - 1, -1, -1) / (_STEPS - 1)).tolist())


def stop_levels(unlabelled: Draws, score: SetScore = "max", count: int = _STEPS) -> tuple[float, ...]:
    """Stops for `CalibrationPlan.stops`, strictest first: quantiles of the score over draws that are not calibrated on.

    For qualities far from even between 0 and 1, such as likelihoods of long texts.
    """
    levels = np.quantile(_unfiltered(unlabelled, score), np.linspace(1, 0, count), method="nearest")
    return tuple(dict.fromkeys(levels.tolist()))


def efficient(labelled: LabelledDraws, plan: CalibrationPlan) -> tuple[Thresholds, ...]:
    """Efficient settings on the items split off, fewest losses first.

    Settings that come to the same there are one: the strictest of them (latest stop, highest ceiling, lowest floor).
    """
    draws = labelled.draws
    ceilings = _ceilings(draws, plan.levels)[::-1]
    floors = _levels(draws.quality, plan.levels)
    stops = _levels(_unfiltered(draws, plan.score), plan.levels)
    pairs = np.array([(ceiling, floor) for ceiling in ceilings for floor in floors])
    found = sweep(labelled, pairs, stops, plan.score)
    flat = [part[:, ::-1].T.ravel() for part in found]  # latest stop first, then the pairs in their order
    chosen = _frontier(*flat, most_empty=_most(plan.most_empty, draws.count))
    stop, pair = np.divmod(chosen, len(pairs))
    settings = zip(pairs[pair].tolist(), stops[::-1][stop].tolist(), strict=True)
    return tuple(Thresholds(ceiling, floor, last) for (ceiling, floor), last in settings)


def _most(share: float | None, items: int) -> int:
    return items if share is None else int(share * items + 1e-9)


def _unfiltered(draws: Draws, score: SetScore) -> FloatArray:
    everything = np.ones((draws.each, 1, draws.count), dtype=np.bool_)
    return set_scores(draws.quality, everything, score).ravel()


def _ceilings(draws: Draws, levels: int) -> FloatArray:
    if draws.similarity is None or draws.each == 1:
        return np.array([inf])
    return _levels(draws.similarity[:, ~np.eye(draws.each, dtype=np.bool_)].ravel(), levels)


def _levels(values: FloatArray, count: int) -> FloatArray:
    quantiles = np.quantile(values, np.linspace(0, 1, count), method="nearest")
    return np.unique(np.concatenate(([-inf], quantiles, [inf])))


def _frontier(losses: IntArray, cost: IntArray, empty: IntArray, *, most_empty: int) -> IntArray:
    """Indices of the efficient settings among those with few enough empty sets, fewest losses first."""
    allowed = np.flatnonzero(empty <= most_empty)
    order = allowed[np.lexsort((cost[allowed], losses[allowed]))]
    cheapest = np.minimum.accumulate(cost[order])
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = cost[order][1:] < cheapest[:-1]
    return order[first]


def sweep(labelled: LabelledDraws, pairs: FloatArray, stops: FloatArray, score: SetScore) -> Sweep:
    """What every pair of ceiling and floor comes to under every stop (rising), without replaying each.

    Scores never fall along the draws, so draw k is made under stop s exactly if the score before it is below s.
    """
    step = chunk(labelled.draws)
    parts = [_sweep(labelled, pairs[start : start + step], stops, score) for start in range(0, len(pairs), step)]
    return Sweep(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _sweep(labelled: LabelledDraws, pairs: FloatArray, stops: FloatArray, score: SetScore) -> Sweep:
    draws = labelled.draws
    kept = kept_masks(draws, pairs[:, 0], pairs[:, 1])
    scores = set_scores(draws.quality, kept, score)
    made_from = np.zeros(kept.shape, dtype=np.int64)  # index of the least stop under which a draw is made
    made_from[1:] = np.searchsorted(stops, scores[:-1], side="right")
    cost = _risen(made_from, kept + np.float64(1), stops.size)
    lost = _without(kept & labelled.admissible.T[:, None, :], made_from, stops.size)
    return Sweep(lost, cost, _without(kept, made_from, stops.size))


def _without(wanted: BoolArray, made_from: IntArray, stops: int) -> IntArray:
    """Items without a wanted draw among those made."""
    first = wanted.argmax(axis=0)[None]
    found_from = np.where(wanted.any(axis=0), np.take_along_axis(made_from, first, axis=0)[0], stops)
    return int(wanted.shape[2]) - _risen(found_from[None], np.ones(1), stops)


def _risen(made_from: IntArray, weights: FloatArray, stops: int) -> IntArray:
    """Weight of what is made under each stop or an earlier one, by pair."""
    pairs = made_from.shape[1]
    cell = made_from + (stops + 1) * np.arange(pairs)[None, :, None]
    weight = np.broadcast_to(weights, made_from.shape)
    counts = np.bincount(cell.ravel(), weight.ravel(), minlength=pairs * (stops + 1)).reshape(pairs, stops + 1)
    return np.rint(np.cumsum(counts[:, :stops], axis=1)).astype(np.int64)
