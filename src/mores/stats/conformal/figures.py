"""What kept sets come to on labelled items: losses, sizes, draws, and what a binary judge's sets really decide.

A set that holds both decisions is right by construction, so the loss alone says little of a binary judge; the shares
of decisive, split and empty sets, and the error where a set is decisive, say the rest.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mores.core.seeds import Seed
from mores.stats.checks import IntArray, numbers, same_length
from mores.stats.conformal.draws import BoolArray, LabelledDraws
from mores.stats.conformal.replay import JudgedSets
from mores.stats.intervals import Interval, mean_interval

_NEARLY = 0.95
_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionSetMetrics:
    """Figures of kept sets over labelled items.

    Attributes:
        items: Labelled items.
        loss: Share without an admissible draw among those kept.
        loss_interval: Of the loss, by clusters.
        worst_loss: Largest mean loss over bins of about equally many items by set size.
        size: Mean number of draws kept, over K.
        draws: Mean number of draws made, over K.
        excess: Mean number of draws beyond those that an oracle would have made (up to the first admissible one).
        relative_excess: Mean of the excess over the draws made.
        cost: Mean draws plus mean size.
        decisive: Share of sets whose kept draws all carry one decision.
        decisive_error: Share of those decisions that are wrong; None where no set is decisive.
        decisive_error_interval: Of that error, by clusters.
        split: Share of sets with different decisions, or unreadable ones: for a person.
        empty: Share of empty sets, which count as losses: for a person.
        plain: Share of items with one draw made and kept.
        trivial: Whether nearly every item (.95) is so: the judge's single draws meet the level, the sets add nothing.
    """

    items: int
    loss: float
    loss_interval: Interval
    worst_loss: float
    size: float
    draws: float
    excess: float
    relative_excess: float
    cost: float
    decisive: float
    decisive_error: float | None
    decisive_error_interval: Interval
    split: float
    empty: float
    plain: float
    trivial: bool


def set_figures(sets: JudgedSets, labelled: LabelledDraws, *, seed: Seed) -> PredictionSetMetrics:
    """Figures of kept sets on labelled items, best those that were not calibrated on.

    Args:
        sets: From `judge_sets` on the draws of the labelled items.
        labelled: The same items.
        seed: Dice of the intervals' bootstrap.
    """
    same_length(sets.draws, labelled.cluster, "sets and labelled items")
    lost, decisive = sets.losses(labelled.admissible), sets.decisive
    each = labelled.draws.each
    excess = np.maximum(sets.draws - _oracle_draws(labelled.admissible), 0)
    plain = float(np.mean((sets.draws == 1) & (sets.size == 1)))
    return PredictionSetMetrics(
        items=lost.size,
        loss=float(lost.mean()),
        loss_interval=_interval(lost, labelled.cluster, seed.child("loss")),
        worst_loss=worst_loss(sets.size, lost),
        size=float(sets.size.mean()) / each,
        draws=float(sets.draws.mean()) / each,
        excess=float(excess.mean()),
        relative_excess=float((excess / sets.draws).mean()),
        cost=float(sets.draws.mean() + sets.size.mean()),
        decisive=float(decisive.mean()),
        decisive_error=float(lost[decisive].mean()) if decisive.any() else None,
        decisive_error_interval=_interval(lost[decisive], labelled.cluster[decisive], seed.child("decisive")),
        split=float(sets.split.mean()),
        empty=float(sets.empty.mean()),
        plain=plain,
        trivial=plain >= _NEARLY,
    )


def _oracle_draws(admissible: BoolArray) -> IntArray:
    """Draws up to the first admissible one, all where there is none."""
    first: IntArray = admissible.argmax(axis=1) + 1
    return np.where(admissible.any(axis=1), first, admissible.shape[1])


def _interval(lost: BoolArray, clusters: IntArray, seed: Seed) -> Interval:
    return mean_interval(lost, clusters, seed=seed)


def worst_loss(sizes: npt.ArrayLike, losses: npt.ArrayLike) -> float:
    """Largest mean loss over at most 20 bins of about equally many items by set size; equal sizes share a bin."""
    size, lost = numbers(sizes, "sizes"), numbers(losses, "losses")
    same_length(size, lost, "sizes and losses")
    edges = np.unique(np.quantile(size, np.linspace(0, 1, _BINS)))
    of_item = np.searchsorted(edges, size, side="right")
    counts = np.bincount(of_item)
    return float(np.max(np.bincount(of_item, lost)[counts > 0] / counts[counts > 0]))


def loss_by_group(
    sets: JudgedSets, labelled: LabelledDraws, groups: npt.ArrayLike, *, seed: Seed
) -> dict[str, tuple[float, Interval, int]]:
    """Loss, its interval and number of items of each group (a place, a class), which no certificate speaks of."""
    names = np.asarray(groups).astype(str)
    same_length(names, labelled.cluster, "groups and items")
    lost = sets.losses(labelled.admissible)
    return {
        name: (float(lost[of].mean()), _interval(lost[of], labelled.cluster[of], seed.child(name)), int(of.sum()))
        for name, of in ((name, names == name) for name in np.unique(names).tolist())
    }
