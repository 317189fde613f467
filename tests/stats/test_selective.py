"""Which of a judge's decisions may stand."""

from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from mores.calibration.certify import format_claim
from mores.core.errors import InputError
from mores.stats.selective import Trusted, Untrusted, certify_confidence, confidence_levels, majority
from mores.tables.missing_texts import format_missing


def graded(parts: dict[float, tuple[int, int]]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Items by confidence: how many, and how many of them wrong."""
    sure = np.repeat(list(parts), [n for n, _ in parts.values()])
    wrong = np.concatenate([np.repeat([1, 0], [x, n - x]) for n, x in parts.values()])
    return sure, wrong


def trusted(answer: Trusted | Untrusted) -> Trusted:
    assert isinstance(answer, Trusted)
    return answer


def untrusted(answer: Trusted | Untrusted) -> Untrusted:
    assert isinstance(answer, Untrusted)
    return answer


def test_the_lowest_level_whose_error_is_certified_is_chosen() -> None:
    # Upper bounds at .95: 1 of 60 .077, 4 of 100 .0892, 34 of 180 .243
    found = trusted(certify_confidence(*graded({1.0: (60, 1), 0.8: (40, 3), 0.6: (80, 30)}), [0.1])[0])
    assert (found.accepted, found.errors, found.items) == (100, 4, 180)
    assert found.level == 0.61  # the last step before .6
    assert found.upper == pytest.approx(binomtest(4, 100).proportion_ci(0.9, "exact").high)
    assert found.share == pytest.approx(100 / 180)


def test_equal_confidence_is_accepted() -> None:
    found = trusted(certify_confidence(*graded({0.9: (80, 0), 0.3: (80, 60)}), [0.05], levels=(0.9, 0.3))[0])
    assert found.level == 0.9
    assert (found.accepted, found.errors) == (80, 0)
    assert "0.9" in format_claim(found)


def test_the_walk_stops_at_the_first_level_that_fails() -> None:
    """Below the level that fails all are right, so that the last level would pass: it is never reached."""
    parts = {0.9: (100, 5), 0.6: (20, 12), 0.2: (900, 0)}
    found = trusted(certify_confidence(*graded(parts), [0.12], levels=(0.9, 0.6, 0.2))[0])
    assert found.level == 0.9
    assert trusted(certify_confidence(*graded(parts), [0.12], levels=(0.9, 0.2))[0]).level == 0.2


def test_levels_with_too_few_items_to_pass_are_not_tested() -> None:
    """40 sure items without an error cannot certify .05, 59 could; the walk begins where it could pass."""
    found = trusted(certify_confidence(*graded({1.0: (40, 0), 0.7: (60, 0)}), [0.05], levels=(1.0, 0.7))[0])
    assert (found.level, found.accepted) == (0.7, 100)
    thirty = certify_confidence(*graded({1.0: (29, 0), 0.7: (1, 0)}), [0.2], levels=(1.0, 0.7))[0]
    assert trusted(thirty).level == 0.7


def test_too_few_items_and_a_judge_not_good_enough_are_told_apart() -> None:
    few = untrusted(certify_confidence(*graded({1.0: (50, 0)}), [0.05])[0])
    assert (few.cause, few.level, few.accepted) == ("too few items", None, 50)
    assert few.upper == pytest.approx(1 - 0.05 ** (1 / 50))
    assert "needs 59" in format_missing(few.missing)
    some = untrusted(certify_confidence(*graded({1.0: (40, 1)}), [0.11])[0])
    assert (some.cause, some.errors, some.accepted) == ("too few items", 1, 40)
    assert "40 items are too few" in format_missing(some.missing)
    assert "judge" not in format_missing(some.missing)
    late = untrusted(certify_confidence(*graded({1.0: (30, 4), 0.5: (400, 4)}), [0.1], levels=(1.0, 0.5))[0])
    assert (late.cause, late.errors, late.accepted) == ("unlucky order", 4, 30)
    assert "would void the promise" in format_missing(late.missing)
    poor = untrusted(certify_confidence(*graded({1.0: (100, 30), 0.5: (50, 0)}), [0.2])[0])
    assert (poor.cause, poor.level, poor.accepted, poor.errors) == ("judge not good enough", 1.0, 100, 30)
    assert poor.upper > 0.2


def test_all_wrong_has_an_upper_bound_of_one() -> None:
    assert untrusted(certify_confidence(*graded({1.0: (40, 40)}), [0.5])[0]).upper == 1


def test_items_that_share_clusters_are_refused() -> None:
    sure, wrong = graded({1.0: (60, 0)})
    assert isinstance(certify_confidence(sure, wrong, [0.1], clusters=range(60))[0], Trusted)
    with pytest.raises(InputError, match="one item from each cluster"):
        certify_confidence(sure, wrong, [0.1], clusters=np.arange(60) // 2)


@pytest.mark.parametrize(
    ("options", "says"),
    [({"levels": (0.5, 0.9)}, "levels do not fall"), ({"levels": ()}, "levels do not fall"), ({"delta": 0}, "delta")],
)
def test_what_makes_no_sense_is_refused(options: dict[str, float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        certify_confidence([1.0], [0], [0.1], **options)  # type: ignore[arg-type]


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="not finite"):
        certify_confidence([np.nan], [0], [0.1])
    with pytest.raises(InputError, match="0 or 1"):
        certify_confidence([0.5], [0.5], [0.1])
    with pytest.raises(InputError, match="confidence and wrong"):
        certify_confidence([0.5], [0, 1], [0.1])
    with pytest.raises(InputError, match="risk level is 2"):
        certify_confidence([0.5], [0], [2])
    with pytest.raises(InputError, match="clusters and items"):
        certify_confidence([0.5], [0], [0.1], clusters=[1, 2])


@settings(max_examples=50)
@given(st.integers(0, 1000))
def test_a_larger_risk_accepts_no_fewer_and_order_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sure = rng.random(300)
    wrong = rng.random(300) > sure
    found = certify_confidence(sure, wrong, [0.1, 0.2, 0.3, 0.4])
    accepted = [one.accepted for one in found if isinstance(one, Trusted)]
    assert accepted == sorted(accepted)
    order = rng.permutation(300)
    assert certify_confidence(sure[order], wrong[order], [0.1, 0.2, 0.3, 0.4]) == found


def test_levels_may_come_from_unlabelled_confidences() -> None:
    values = np.arange(1, 101) / 100
    levels = confidence_levels(values, count=8)
    assert levels[0] == pytest.approx(0.7, abs=0.011)
    assert levels[-1] == 0.01
    assert list(levels) == sorted(levels, reverse=True)


def test_the_majority_is_the_most_frequent_decision_and_the_first_among_equals() -> None:
    found = majority([[1, 0, 1, 0], [-1, -1, 0, -1], [-1, -1, -1, -1], [2, 1, 1, 1]])
    assert found.decision.tolist() == [1, 0, -1, 1]
    assert found.confidence.tolist() == [0.5, 0.25, 0, 0.75]
    with pytest.raises(InputError, match="at least one draw"):
        majority([[]])


def violations(runs: int, *, naive: bool) -> float:
    """Share of calibrations on 200 items whose accepted decisions are wrong more often than the risk, in truth.

    Confidences are even over a hundred values and the chance of an error falls from .6 to 0 with them.
    """
    levels = np.arange(100, 0, -1) / 100
    errors = 0.6 * (1 - levels)
    truth = np.cumsum(errors) / np.arange(1, 101)
    rng, broken = np.random.default_rng(8), 0
    for _ in range(runs):
        at = rng.integers(0, 100, 200)
        wrong = rng.random(200) < errors[at]
        if naive:
            share = [wrong[at <= step].mean() if np.any(at <= step) else 1.0 for step in range(100)]
            passing = [step for step in range(100) if share[step] <= 0.15]
            broken += bool(passing) and truth[passing[-1]] > 0.15
        else:
            found = certify_confidence(levels[at], wrong, [0.15], levels=tuple(levels.tolist()))[0]
            broken += isinstance(found, Trusted) and truth[round(100 - 100 * found.level)] > 0.15
    return broken / runs


def test_the_promise_is_kept_and_the_naive_rule_breaks_it() -> None:
    limit = 0.05 + 3 * sqrt(0.05 * 0.95 / 600)
    assert violations(600, naive=False) <= limit
    assert violations(200, naive=True) > limit
