"""Several judges at once: how many they are worth, and how they vote.

Judges that err on the same items are fewer than they seem. How alike they err is only seen on items that people
labelled; agreement among judges cannot tell a shared truth from a shared bias.
"""

from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.agreement import rating_table
from mores.stats.checks import labels

ABSTAIN = -1


class PanelVote(NamedTuple):
    """Accuracy of a majority where it does not tie, and the share of items on which it does; NaN where there are none.

    Of an even number of judges more items tie, so neither is read without the other.
    """

    accuracy: float
    tied: float


class Panel(Struct, frozen=True, kw_only=True):
    """Worth of judges together, on items that people labelled.

    `effective` = k / (1 + (k - 1) rho), with `rho` the mean correlation of errors over pairs of judges; `pairs` counts
    those that have one (a judge that never errs has none). `majority` is the vote of all, `without` that of the rest
    with each judge left out, in order.
    """

    judges: int
    items: int
    accuracies: tuple[float, ...]
    rho: float
    pairs: int
    effective: float
    majority: PanelVote
    without: tuple[PanelVote, ...]
    missing: Missing | None = None


def panel_worth(verdicts: npt.ArrayLike, truth: npt.ArrayLike, classes: int) -> Panel:
    """Number of independent judges that these are worth, and the effect of each on the vote.

    Args:
        verdicts: Codes from 0, a row an item, a column a judge, NaN for none; items without all judges are left out.
        truth: The people's label of each item, NaN for none.
        classes: Number of classes.

    Raises:
        InputError: fewer than two judges, lengths differ, or a label is no code.
    """
    table = labels(rating_table(verdicts), "verdicts", classes)
    gold = np.asarray(truth, dtype=np.float64)
    if table.shape[1] < 2 or gold.shape != (len(table),):
        raise InputError(f"verdicts have shape {table.shape} for {gold.size} truths; expected two judges or more.")
    kept = ~np.isnan(table).any(1) & ~np.isnan(gold)
    table, gold = table[kept], gold[kept]
    wrong = (table != gold[:, None]).astype(np.float64)
    rho, pairs = _correlation(wrong)
    judges, empty = table.shape[1], not len(table)
    alone = float("nan")
    return Panel(
        judges=judges,
        items=len(table),
        accuracies=tuple((1 - wrong.mean(0)).tolist()) if not empty else (alone,) * judges,
        rho=rho,
        pairs=pairs,
        effective=judges / (1 + (judges - 1) * rho) if pairs else alone,
        majority=_vote(table, gold, classes),
        without=tuple(_vote(np.delete(table, judge, 1), gold, classes) for judge in range(judges)),
        missing=None if pairs else Missing(code="errors_of_judges_do_not_vary"),
    )


def majority_vote(verdicts: npt.ArrayLike, classes: int) -> Integers:
    """The most frequent class on each item; `ABSTAIN`, -1, where classes tie or nobody voted.

    Raises:
        InputError: a label is no code.

    >>> majority_vote([[0, 1, 1], [0, 1, float("nan")]], 2).tolist()
    [1, -1]
    """
    table = labels(rating_table(verdicts), "verdicts", classes)
    votes = np.stack([(table == label).sum(1) for label in range(classes)], axis=1)
    # two classes at the top, or no votes at all, are a tie
    ranked = np.sort(votes, axis=1)
    return np.where(ranked[:, -1] == ranked[:, -2], ABSTAIN, votes.argmax(1)).astype(np.int64)


def _correlation(wrong: Floats) -> tuple[float, int]:
    """Mean correlation over pairs of columns that both vary, and the number of such pairs."""
    # a judge that always or never errs has no correlation with anybody
    varied = wrong[:, np.ptp(wrong, axis=0) > 0] if len(wrong) else wrong[:, :0]
    if varied.shape[1] < 2:
        return float("nan"), 0
    pairs = np.asarray(np.corrcoef(varied, rowvar=False))[np.triu_indices(varied.shape[1], 1)]
    return float(pairs.mean()), pairs.size


def _vote(table: Floats, gold: Floats, classes: int) -> PanelVote:
    vote = majority_vote(table, classes)
    spoke = vote != ABSTAIN
    accuracy = float(np.mean(vote[spoke] == gold[spoke])) if spoke.any() else float("nan")
    return PanelVote(accuracy, float(1 - spoke.mean()) if len(spoke) else float("nan"))


def vote_weight(right: float, n: int) -> float:
    """Weight of the vote of a judge who is right of a share of n items: the log odds, and nothing below even odds.

    It is the best weight where judges err independently. One item right and one wrong are added, so that it is finite.

    Source:
        Nitzan and Paroush (1982), sec. 2.

    >>> round(vote_weight(0.8, 998), 2), vote_weight(0.4, 100)
    (1.38, 0.0)
    """
    hits = right * n + 1
    return max(0.0, log(hits / (n + 2 - hits)))


def mean_weight(distance: float, n: int) -> float:
    """Weight of a judge's points in a mean: one over its mean squared distance from what is right, of n items.

    One item is added on which it is as far off as two guesses are from each other (1/6), so that it is finite.

    >>> round(mean_weight(0.04, 999), 1)
    24.9
    """
    return (n + 1) / (distance * n + 1 / 6)
