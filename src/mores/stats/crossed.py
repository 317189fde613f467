"""Figures over units that lie in two crossed factors, both drawn at random, such as items and annotators.

Items are resampled and so are annotators, and a unit counts as often as both of its own together. This claims more than
clusters of items do: other items and other annotators. It is conservative: the part of the variance that belongs to
single units counts up to three times.

Source:
    Owen (2007), Annals of Applied Statistics 1 (the pigeonhole bootstrap).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, IntArray, confident, numbers, same_length
from mores.stats.cluster_sums import Measured, Scale, Statistic, bounded, ratio, undefined
from mores.stats.clusters import Spread
from mores.stats.dice import generator
from mores.stats.intervals import FEWEST, no_interval

_CELLS = 500_000  # weights held at once
_MANY = 30  # levels of both factors from which percentiles are honest


def crossed_mean(
    values: npt.ArrayLike,
    items: npt.ArrayLike,
    annotators: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed,
) -> Measured:
    """Mean of numbers within [0, 1], each of one item and one annotator, for other items and other annotators.

    Args:
        values: One number a unit, such as 1 where the judge says what this annotator says of this item.
        items: The item of each unit, or its episode.
        annotators: The annotator of each unit.
        confidence: Wanted coverage.
        resamples: Number of bootstrap samples.
        seed: Their dice.

    Raises:
        InputError: lengths differ, or a value lies outside [0, 1].
    """
    y = numbers(values, "values")
    if y.size and (y.min() < 0 or y.max() > 1):
        raise InputError(f"values lie from {y.min():g} to {y.max():g}; expected shares, from 0 to 1.")
    columns = np.column_stack((y, np.ones(y.size)))
    crossing = Crossing.of(items, annotators, y.size, confidence=confidence, resamples=resamples, seed=seed)
    return crossing.measure(columns, lambda rows: ratio(rows[..., 0], rows[..., 1]), "share", why="nothing graded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """The item and the annotator of each unit as codes, how many there are of each, and how to resample both."""

    item: IntArray
    annotator: IntArray
    items: int
    annotators: int
    confidence: float
    resamples: int
    seed: Seed

    @classmethod
    def of(
        cls,
        items: npt.ArrayLike,
        annotators: npt.ArrayLike,
        units: int,
        *,
        confidence: float = 0.95,
        resamples: int = 2000,
        seed: Seed,
    ) -> Self:
        """The crossing of so many units; labels may be of any sortable kind.

        Raises:
            InputError: lengths differ, or `confidence` is not between 0 and 1.
        """
        confident(confidence)
        item = np.unique(np.asarray(items), return_inverse=True)[1]
        annotator = np.unique(np.asarray(annotators), return_inverse=True)[1]
        same_length(item, np.empty(units), "items and values")
        same_length(annotator, item, "annotators and items")
        return cls(
            item=item,
            annotator=annotator,
            items=int(item.max(initial=-1)) + 1,
            annotators=int(annotator.max(initial=-1)) + 1,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )

    def measure(self, columns: FloatArray, statistic: Statistic, scale: Scale, *, why: str) -> Measured:
        """A statistic of the sums of the units' columns, with its interval; none with fewer than 8 of either factor.

        With fewer than 30 of either: Wilson's form with a t quantile, one degree of freedom less than there are.
        """
        value = float(statistic(columns.sum(0)))
        if np.isnan(value):
            return undefined(why)
        least, name = min((self.items, "items"), (self.annotators, "annotators"))
        if least < FEWEST:
            few = f"too few {name}: {least}, at least {FEWEST} are needed to speak of others"
            return Measured(value, no_interval(few))
        drawn = statistic(self._redrawn(columns))
        if np.isnan(drawn).any():
            return Measured(value, no_interval(f"undefined in {int(np.isnan(drawn).sum())} of {drawn.size} resamples"))
        error = Spread(float(drawn.std()), least - 1)
        redrawn = None if least < _MANY else lambda: drawn
        return Measured(value, bounded(value, error, scale, least, self.confidence, redrawn))

    def _redrawn(self, columns: FloatArray) -> FloatArray:
        """Sums over units, each as often as its item was drawn times its annotator was."""
        dice = generator(self.seed)
        step = max(1, _CELLS // max(len(columns), self.items, self.annotators))
        parts = []
        for start in range(0, self.resamples, step):
            many = min(step, self.resamples - start)
            items = dice.multinomial(self.items, np.full(self.items, 1 / self.items), size=many)
            annotators = dice.multinomial(self.annotators, np.full(self.annotators, 1 / self.annotators), size=many)
            parts.append((items[:, self.item] * annotators[:, self.annotator]).astype(np.float64) @ columns)
        return np.concatenate(parts)
