"""The alternative annotator test: whether a judge is shown to be not worse, by epsilon, than people who label.

Each person in turn is set aside: on each item, is the judge or that person nearer to the people who are left? The
person has the advantage `epsilon` to lose, which is what a judge saves in time and money, and is beaten where the
judge is shown to be worse by less than that; it is not shown to be as good. A judge passes that beats half of the
people or more. It is a test of likeness to these people: what they all get wrong, a judge has to get wrong with them.

Source:
    Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge, ACL; arXiv:2501.10970.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.agreement import rating_table
from mores.stats.checks import same_length
from mores.stats.clusters import clustered
from mores.stats.intervals import MIN_CLUSTERS, ClusteredMeans
from mores.stats.ranks import benjamini_yekutieli

ALT_EPSILON = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}
_ITEMS = 30  # items that a person and another have labelled, below which the t-test is not honest
_PEOPLE = 3  # people below which there is nobody to agree with
_LEVEL = 0.05
_PASS = 0.5


class AnnotatorComparison(Struct, frozen=True, kw_only=True):
    """One person against the judge: the share of items on which either is at least as near to the others.

    `p` is of the judge being further off by epsilon, `adjusted` for the number of people, `beaten` whether below .05.
    """

    name: str
    items: int
    judge_wins: float
    person_wins: float
    p: float
    adjusted: float
    beaten: bool


class AltTest(Struct, frozen=True, kw_only=True):
    """Result of the test; `passed` is None, and `missing` says why, where it cannot be held.

    `winning_rate` is the share of people beaten, `advantage` the mean share of items on which the judge is at least as
    near as the person set aside. `left_out` has people with too few items, with their number of them.
    """

    epsilon: float
    passed: bool | None
    winning_rate: float
    advantage: float
    people: tuple[AnnotatorComparison, ...]
    left_out: tuple[tuple[str, int], ...]
    missing: Missing | None = None


class _Contest(NamedTuple):
    """On each item of one person, whether the judge and whether the person is at least as near to the others."""

    items: npt.NDArray[np.intp]
    judge: Floats
    person: Floats


def alt_test(
    judge: npt.ArrayLike,
    people: npt.ArrayLike,
    names: Sequence[str],
    *,
    epsilon: float,
    distance: Literal["equal", "points"] = "equal",
    clusters: npt.ArrayLike | None = None,
) -> AltTest:
    """Test that the judge is no worse, by epsilon, than the people: three or more of them with 30 items or more each.

    Items count that the judge and at least two people have labelled. Nearness to the other people is the share of
    them that gave the same label, or the root mean squared difference of points. One-sided t-test of (person at least
    as near) - (judge at least as near) against epsilon, Benjamini and Yekutieli over people at .05. Where all items of
    a person end alike there is no variance, and p is 0 or 1.

    Args:
        judge: One verdict an item, NaN for none.
        people: A row an item, a column a person, NaN for none.
        names: The people's names.
        epsilon: What a judge may be worse by; `ALT_EPSILON` has the authors' advice.
        distance: "equal" for labels, "points" for numbers.
        clusters: The cluster of each item where items are not independent, such as their episode; the t-test then
            has clusters as units, and a person needs 8 of them.

    Raises:
        InputError: lengths differ, or epsilon lies outside [0, 1).

    >>> result = alt_test([1, 0] * 20, [[1, 1, 0], [0, 0, 1]] * 20, ["Ana", "Bo", "Cy"], epsilon=ALT_EPSILON["skilled"])
    >>> result.passed, round(result.winning_rate, 2), result.advantage
    (True, 1.0, 1.0)
    """
    verdicts, table = np.asarray(judge, dtype=np.float64), rating_table(people)
    same_length(verdicts, np.empty(len(table)), "judge and people")
    if len(names) != table.shape[1] or not 0 <= epsilon < 1:
        raise InputError(
            f"there are {len(names)} names for {table.shape[1]} people and epsilon is {epsilon}; expected a name for "
            "each person and epsilon from 0 to below 1."
        )
    groups = np.arange(len(table)) if clusters is None else np.asarray(clusters)
    same_length(groups, verdicts, "clusters and judge")
    contests = {name: _contest(column, verdicts, table, distance) for column, name in enumerate(names)}
    fit = {name: one for name, one in contests.items() if _enough(one, groups)}
    p = np.array([_p(one, epsilon, groups[one.items]) for one in fit.values()])
    rivals = tuple(
        AnnotatorComparison(
            name=name,
            items=one.items.size,
            judge_wins=float(one.judge.mean()),
            person_wins=float(one.person.mean()),
            p=float(single),
            adjusted=float(adjusted),
            beaten=bool(adjusted <= _LEVEL),
        )
        for (name, one), single, adjusted in zip(fit.items(), p, benjamini_yekutieli(p), strict=True)
    )
    rate = float(np.mean([one.beaten for one in rivals])) if rivals else float("nan")
    advantage = float(np.mean([one.judge_wins for one in rivals])) if rivals else float("nan")
    enough = len(rivals) >= _PEOPLE
    return AltTest(
        epsilon=epsilon,
        passed=rate >= _PASS if enough else None,
        winning_rate=rate,
        advantage=advantage,
        people=rivals,
        left_out=tuple((name, one.items.size) for name, one in contests.items() if name not in fit),
        missing=None if enough else Missing(code="too_few_people", n=len(rivals), needed=_PEOPLE, of=_ITEMS),
    )


def _contest(column: int, judge: Floats, table: Floats, distance: Literal["equal", "points"]) -> _Contest:
    person, others = table[:, column], np.delete(table, column, axis=1)
    items = np.flatnonzero(~np.isnan(judge) & ~np.isnan(person) & ~np.isnan(others).all(axis=1))
    difference = [_distances(one[items][:, None], others[items], distance) for one in (judge, person)]
    # Sums over the same others, so that no root or mean makes a tie of two into a win of one.
    reach = 1e-9 * (1 + difference[0] + difference[1])
    closer, further = difference[0] <= difference[1] + reach, difference[1] <= difference[0] + reach
    return _Contest(items, closer.astype(np.float64), further.astype(np.float64))


def _distances(one: Floats, others: Floats, distance: Literal["equal", "points"]) -> Floats:
    gap = one - others
    return np.asarray(np.nansum(gap**2 if distance == "points" else np.where(np.isnan(gap), 0, gap != 0), axis=1))


def _enough(contest: _Contest, groups: npt.NDArray[np.generic]) -> bool:
    return contest.items.size >= _ITEMS and np.unique(groups[contest.items]).size >= MIN_CLUSTERS


def _p(contest: _Contest, epsilon: float, groups: npt.NDArray[np.generic]) -> float:
    """One-sided p of the person's advantage being epsilon or more, by a t-test on clusters of items."""
    ahead = contest.person - contest.judge
    layout = ClusteredMeans.of(ahead, clustered(groups, None, ahead.size))
    error = layout.spread()
    gap = layout.mean - epsilon
    if error.se == 0:
        return 0.0 if gap < 0 else 1.0
    return float(special.stdtr(error.freedom, gap / error.se))
