"""Calibrated sampling replayed from stored draws, for one set of thresholds or for many at once.

A draw is kept if its quality is at least the floor and no draw kept before it is more alike than the ceiling; after
every draw, kept or not, sampling stops if the score of the set is at least the stop. Equality keeps and stops. A set
that never stops has all draws.

Arrays run over (draws, thresholds, items), so that each step along the draws is one operation on all the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.stats.checks import FloatArray, IntArray
from mores.stats.conformal.draws import UNREADABLE, BoolArray, Draws, Thresholds

SetScore: TypeAlias = Literal["max", "first_k"]
_Words: TypeAlias = npt.NDArray[np.uint64]
_CELLS = 1_000_000  # draws x thresholds x items held at once


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSets:
    """What calibrated sampling left of each item: which draws it kept, how many it made, and what they say.

    `decision` is the code of the one decision that all kept draws carry, -1 where there is none.
    """

    kept: BoolArray
    draws: IntArray
    decision: IntArray

    @property
    def size(self) -> IntArray:
        """Kept draws of each item."""
        size: IntArray = self.kept.sum(axis=1)
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
    decision = np.where(least == most, most, UNREADABLE)
    return JudgedSets(kept=kept, draws=made.sum(axis=1), decision=decision)


def losses_under(
    draws: Draws, admissible: BoolArray, thresholds: Sequence[Thresholds], score: SetScore = "max"
) -> BoolArray:
    """Whether each item is lost under each set of thresholds; shape (thresholds, items)."""
    step = chunk(draws)
    right = admissible.T[:, None, :]
    lost = [np.empty((0, draws.count), dtype=np.bool_)]
    for start in range(0, len(thresholds), step):
        kept, _ = _replayed(draws, thresholds[start : start + step], score)
        lost.append(np.logical_not((kept & right).any(axis=0)))
    return np.concatenate(lost)


def chunk(draws: Draws) -> int:
    """How many sets of thresholds to replay at once, so that memory stays small."""
    return max(1, _CELLS // draws.quality.size)


def _replayed(draws: Draws, thresholds: Sequence[Thresholds], score: SetScore) -> tuple[BoolArray, BoolArray]:
    ceilings, floors, stops = np.array(thresholds, dtype=np.float64).reshape(-1, 3).T
    kept = kept_masks(draws, ceilings, floors)
    scores = set_scores(draws.quality, kept, score)
    made = np.ones_like(kept)
    made[1:] = scores[:-1] < stops[:, None]
    return kept & made, made


def kept_masks(draws: Draws, ceilings: FloatArray, floors: FloatArray) -> BoolArray:
    """Which draws each of P pairs of ceiling and floor keeps, were all draws made; shape (K, P, n)."""
    if np.isnan(ceilings).any() or np.isnan(floors).any():
        raise InputError("A threshold is NaN; expected numbers, or an infinity for none.")
    conflicts = _conflicts(draws, ceilings)
    kept = np.empty((draws.each, floors.size, draws.count), dtype=np.bool_)
    held = np.zeros(kept.shape[1:], dtype=np.uint64)
    for k in range(draws.each):
        kept[k] = draws.quality[:, k] >= floors[:, None]
        if conflicts is not None:
            kept[k] &= (held & conflicts[k]) == 0
            held |= kept[k].astype(np.uint64) << np.uint64(k)
    return kept


def _conflicts(draws: Draws, ceilings: FloatArray) -> _Words | None:
    """Bits of the earlier draws that each draw is too like; shape (K, P, n), None where nothing can be."""
    if np.all(ceilings == np.inf):
        return None
    if draws.similarity is None:
        raise InputError("There is a ceiling on likeness, and the draws have none; give Draws.of similarity.")
    distinct, of_pair = np.unique(ceilings, return_inverse=True)
    alike = np.tril(draws.similarity > distinct[:, None, None, None], -1)
    packed = np.packbits(alike, axis=-1, bitorder="little")
    octets = np.zeros((*packed.shape[:-1], 8), dtype=np.uint8)
    octets[..., : packed.shape[-1]] = packed
    words = octets.view("<u8")[..., 0].astype(np.uint64)
    return np.ascontiguousarray(words.transpose(2, 0, 1))[:, of_pair]


def set_scores(quality: FloatArray, kept: BoolArray, score: SetScore) -> FloatArray:
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
