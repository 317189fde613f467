"""Agreement of raters who put things in order, or mark parts of a text: one figure a unit, for a mean over units."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Floats
from mores.stats.cluster_sums import Design, MeasuredFigure, share


def kendall_w(ranks: npt.ArrayLike) -> float:
    """Kendall's coefficient of concordance of complete rankings without ties: 1 where all are alike, in [0, 1].

    Args:
        ranks: Places from 1 up, a row a rater, a column a thing; two of each at least.

    Source:
        Kendall and Babington Smith (1939), The problem of m rankings, Annals of Mathematical Statistics 10.

    >>> kendall_w([[1, 2, 3], [1, 2, 3]]), kendall_w([[1, 2, 3], [3, 2, 1]])
    (1.0, 0.0)
    """
    table: Floats = np.asarray(ranks, dtype=np.float64)
    raters, things = table.shape
    sums = table.sum(0)
    return float(12 * np.sum((sums - sums.mean()) ** 2) / (raters**2 * (things**3 - things)))


def mean_rank_correlation(ranks: npt.ArrayLike) -> float:
    """Mean of Spearman's correlation over all pairs of raters, by Kendall's W; 0 where orders are of chance.

    >>> mean_rank_correlation([[1, 2, 3], [3, 2, 1]])
    -1.0
    """
    raters = len(np.asarray(ranks))
    return (raters * kendall_w(ranks) - 1) / (raters - 1)


def span_f1(marked: Sequence[Collection[str]], sizes: Mapping[str, int]) -> float:
    """Mean over all pairs of raters of the F1 of what one marked against the other, in characters.

    Two who both mark nothing agree: 1.

    Args:
        marked: The parts that each rater marked, two raters at least.
        sizes: Characters of each part.

    >>> span_f1([{"a"}, {"a", "b"}], {"a": 10, "b": 20})
    0.5
    """
    return float(np.mean([_f1(set(one), set(other), sizes) for one, other in combinations(marked, 2)]))


def _f1(one: set[str], other: set[str], sizes: Mapping[str, int]) -> float:
    both = sum(sizes[each] for each in one) + sum(sizes[each] for each in other)
    return 2 * sum(sizes[each] for each in one & other) / both if both else 1.0


def mean_coefficient(values: npt.ArrayLike, design: Design, name: str) -> MeasuredFigure:
    """Mean of coefficients within [-1, 1], with the interval of the share that each is twice of, less one."""
    found = share((np.asarray(values, dtype=np.float64) + 1) / 2, design, name)
    return found._replace(value=2 * found.value - 1, interval=found.interval.on_scale(lambda end: 2 * end - 1))
