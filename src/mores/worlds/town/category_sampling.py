"""Drawing categories by their shares: each draw on its own, or exactly as many of each as the shares ask for."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from mores.core.seeds import Seed
from mores.stats.checks import FloatArray, IntArray
from mores.stats.rng import generator

Sampler = Literal["iid", "quota"]
SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)


class CategorySampler(NamedTuple):
    """Where draws come from, and how they are made: `iid` each on its own, `quota` by shuffling counts of `apportion`.

    Each use has its own stream.
    """

    seed: Seed
    sampler: Sampler = "iid"

    def of(self, parts: FloatArray, count: int, *use: str | int) -> IntArray:
        """So many codes 0, 1, … of categories by their shares, which sum to 1."""
        rng = generator(self.seed.child(*use))
        if self.sampler == "quota":
            return rng.permutation(np.repeat(np.arange(len(parts)), apportion(parts, count)))
        return np.searchsorted(np.cumsum(parts)[:-1], rng.random(count), side="right")

    def below(self, counts: IntArray, *use: str | int) -> IntArray:
        """For each count one of 0 … count - 1, all of them as likely."""
        return (generator(self.seed.child(*use)).random(len(counts)) * counts).astype(np.int64)


def apportion(parts: FloatArray, count: int) -> IntArray:
    """Whole numbers that sum to `count` and are less than one away from their shares of it.

    The largest remainders are rounded up, of equal ones the first.

    >>> apportion(np.array([0.5, 0.25, 0.25]), 6).tolist()
    [3, 2, 1]
    """
    exact = parts * count
    whole = np.floor(exact).astype(np.int64)
    left = count - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:left]] += 1
    return whole
