"""Calibrated sampling replayed from stored draws, for one set of thresholds or for many at once, and figures of it.

A draw is kept if its quality is at least the floor and no draw kept before it is more alike than the ceiling; after
every draw, kept or not, sampling stops if the score of the set is at least the stop. Equality keeps and stops. A set
that never stops has all draws. Arrays run over (draws, thresholds, items), so that each step along the draws is one
operation on all the rest.

A set that holds both decisions is right by construction, so the loss alone says little of a binary judge; the shares
of decisive, split and empty sets, and the error where a set is decisive, say the rest.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.checks import numbers, same_length
from mores.stats.conformal.draws import UNREADABLE, BoolArray, Draws, LabelledDraws, Thresholds
from mores.stats.intervals import Interval, mean_interval

SetScore: TypeAlias = Literal["max", "first_k"]
_Words: TypeAlias = npt.NDArray[np.uint64]
_CELLS = 1_000_000  # draws x thresholds x items held at once


class JudgedSets(Struct, frozen=True, kw_only=True):
    """Sets of calibrated sampling, item by item: draws kept, number of draws made, and the decision of those kept.

    `decision` is the code of the one decision that all kept draws carry, -1 where there is none.
    """

    kept: BoolArray
    draws: Integers
    decision: Integers

    @property
    def size(self) -> Integers:
        """Kept draws of each item."""
        size: Integers = self.kept.sum(axis=1)
        return size

    @property
    def empty(self) -> BoolArray:
        """Items of which nothing was kept: for a person."""
        return np.logical_not(self.kept.any(axis=1))

    @property
    def decisive(self) -> BoolArray:
        """Items whose kept draws all carry the same readable decision."""
        return np.not_equal(self.decision, UNREADABLE)

    @property
    def split(self) -> BoolArray:
        """Items whose kept draws differ, or cannot all be read: for a person."""
        return ~self.empty & ~self.decisive

    def losses(self, admissible: BoolArray) -> BoolArray:
        """Items of which no kept draw is admissible."""
        return np.logical_not((self.kept & admissible).any(axis=1))


def judge_sets(draws: Draws, thresholds: Thresholds, score: SetScore = "max") -> JudgedSets:
    """The kept set of each item under one set of thresholds; needs no labels.

    Raises:
        InputError: similarity is asked for and not there.
    """
    kept, made = (part[:, 0].T for part in _replayed(draws, [thresholds], score))
    least = np.where(kept, draws.decisions, np.iinfo(np.int64).max).min(axis=1)
    most = np.where(kept, draws.decisions, UNREADABLE).max(axis=1)
    # kept draws decide alike where their least and largest code meet; an unreadable one, -1, is no decision
    decision = np.where(least == most, most, UNREADABLE)
    return JudgedSets(kept=kept, draws=made.sum(axis=1), decision=decision)


def losses_under(
    draws: Draws, admissible: BoolArray, thresholds: Sequence[Thresholds], score: SetScore = "max"
) -> BoolArray:
    """Mask of the items lost under each set of thresholds; shape (thresholds, items)."""
    step = chunk(draws)
    right = admissible.T[:, None, :]
    lost = [np.empty((0, draws.count), dtype=np.bool_)]
    for start in range(0, len(thresholds), step):
        kept, _ = _replayed(draws, thresholds[start : start + step], score)
        lost.append(np.logical_not((kept & right).any(axis=0)))
    return np.concatenate(lost)


def chunk(draws: Draws) -> int:
    """Number of sets of thresholds to replay at once, so that memory stays small."""
    return max(1, _CELLS // draws.quality.size)


def _replayed(draws: Draws, thresholds: Sequence[Thresholds], score: SetScore) -> tuple[BoolArray, BoolArray]:
    ceilings, floors, stops = np.array(thresholds, dtype=np.float64).reshape(-1, 3).T
    kept = kept_masks(draws, ceilings, floors)
    scores = set_scores(draws.quality, kept, score)
    made = np.ones_like(kept)
    made[1:] = scores[:-1] < stops[:, None]
    return kept & made, made


def kept_masks(draws: Draws, ceilings: Floats, floors: Floats) -> BoolArray:
    """Mask of the draws that each of P pairs of ceiling and floor keeps, were all draws made; shape (K, P, n)."""
    if np.isnan(ceilings).any() or np.isnan(floors).any():
        raise InputError("A threshold is NaN; expected numbers, or an infinity for none.")
    conflicts = _conflicts(draws, ceilings)
    kept = np.empty((draws.each, floors.size, draws.count), dtype=np.bool_)
    held = np.zeros(kept.shape[1:], dtype=np.uint64)
    for k in range(draws.each):
        kept[k] = draws.quality[:, k] >= floors[:, None]
        if conflicts is not None:
            kept[k] &= (held & conflicts[k]) == 0
            # a bit for each kept draw, so that all conflicts of the next one are found by one `and`
            held |= kept[k].astype(np.uint64) << np.uint64(k)
    return kept


def _conflicts(draws: Draws, ceilings: Floats) -> _Words | None:
    """Bits of the earlier draws that each draw is too like; shape (K, P, n), None where nothing can be."""
    if np.all(ceilings == np.inf):
        return None
    if draws.similarity is None:
        raise InputError("There is a ceiling on likeness, and the draws have none; give Draws.of similarity.")
    distinct, of_pair = np.unique(ceilings, return_inverse=True)
    # only draws made before it can stand in a draw's way
    alike = np.tril(draws.similarity > distinct[:, None, None, None], -1)
    packed = np.packbits(alike, axis=-1, bitorder="little")
    octets = np.zeros((*packed.shape[:-1], 8), dtype=np.uint8)
    octets[..., : packed.shape[-1]] = packed
    # little-endian, so that draw k is bit k on every machine
    words = octets.view("<u8")[..., 0].astype(np.uint64)
    return np.ascontiguousarray(words.transpose(2, 0, 1))[:, of_pair]


def set_scores(quality: Floats, kept: BoolArray, score: SetScore) -> Floats:
    """Score of the set after each draw, never falling along the draws; shape (K, P, n).

    "max" is the best quality kept, -inf of an empty set, so that no rejected draw can stop the sampling; "first_k"
    is the number kept.
    """
    match score:
        case "max":
            return np.maximum.accumulate(np.where(kept, quality.T[:, None, :], -np.inf), axis=0)
        case "first_k":
            return np.cumsum(kept, axis=0, dtype=np.float64)
        case _:  # pragma: no cover - a new score is a type error
            assert_never(score)


_NEARLY = 0.95
_BINS = 20


class PredictionSetMetrics(Struct, frozen=True, kw_only=True):
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


def _oracle_draws(admissible: BoolArray) -> Integers:
    """Draws up to the first admissible one, all where there is none."""
    first: Integers = admissible.argmax(axis=1) + 1
    return np.where(admissible.any(axis=1), first, admissible.shape[1])


def _interval(lost: BoolArray, clusters: Integers, seed: Seed) -> Interval:
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
