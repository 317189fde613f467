"""What judges may move: how far, and whether rows of one judge may change places."""

import pytest

from mores.analysis.judge_errors import STATED, JudgedRows, describe_shared_bands, joined_band, judge_band
from mores.core.card import Metric
from mores.core.estimate import Estimate, JudgeBand, judge_band_of, shown

KEPT = Metric(name="kept", unit="norm", says="", judged="verdict")
RIGHT = Metric(name="right", unit="norm", says="", judged="verdict", shown="labels")
ONE, TWO = ("a/judge",), ("b/judge",)


def figure(value: float, metric: Metric = KEPT, seen: float | None = None) -> Estimate:
    plain = Estimate(metric=metric.name, value=value, asked=100, graded=100)
    part = None if seen is None else Estimate(metric="labels", value=seen, asked=100, graded=100)
    return shown(plain, judge=judge_band(plain, metric, part, STATED))


def alone(low: float, high: float) -> Estimate:
    band = JudgeBand(low=low, high=high, sensitivity=(0.75, 1.0), specificity=(0.75, 1.0))
    return shown(Estimate(metric="kept", value=None, asked=9, graded=9), judge=band)


def rows(name: str, *figures: Estimate, judges: tuple[tuple[str, ...], ...] = ()) -> JudgedRows:
    return JudgedRows(name, KEPT, tuple(zip(figures, judges or [ONE] * len(figures), strict=True)))


def test_how_far_judges_may_move_a_row_is_said_from_its_point() -> None:
    # .5 of which a judge of .75 / .75 .. 1 would leave (.5 - .25) / .75 to .5 / .75
    assert rows("x", figure(0.5)).reach == pytest.approx((-1 / 6, 1 / 6))
    assert describe_shared_bands([rows("x/y", figure(0.5))]) == (
        "Judge bands, in points about the figure: x/y −16.7 to +16.7; for any judge with sensitivity and specificity "
        "from .75 to 1."
    )


def test_what_nobody_judged_needs_no_words() -> None:
    plain = Estimate(metric="kept", value=0.5, asked=9, graded=9)
    assert describe_shared_bands([rows("x", plain, plain)]) == ""
    assert describe_shared_bands([]) == ""


def test_rows_that_left_the_judge_everything_keep_their_order() -> None:
    several = rows("x", figure(0.3), figure(0.62), figure(0.6), figure(0.95))
    assert several.ordered
    assert describe_shared_bands([several]).endswith(
        "One judge moves all rows together: at neither end of the bands does one pass another."
    )


def test_rows_that_left_the_judge_different_shares_may_change_places() -> None:
    # by specificity .75 the first is .5 - .125 = .375 and the second .55 - .25 = .3 of what sensitivity leaves
    several = JudgedRows("x", RIGHT, ((figure(0.5, RIGHT, 0.5), ONE), (figure(0.55, RIGHT, 1.0), ONE)))
    assert not several.ordered
    both = describe_shared_bands([several, rows("y", figure(0.2), figure(0.4))])
    assert both.endswith(
        "One judge moves all rows together on y: at neither end of the bands does one pass another. On x one judge may "
        "change the order of rows."
    )


def test_rows_of_different_judges_are_said_to_be_so() -> None:
    told = describe_shared_bands([rows("x", figure(0.2), figure(0.4), judges=(ONE, TWO))])
    assert told.endswith("Rows of x have different judges.")
    assert "together" not in told


def test_a_band_without_a_point_is_said_to_stand_alone() -> None:
    told = describe_shared_bands([rows("live", alone(0.275, 1.0), alone(0.1, 0.9))])
    assert told == (
        "Judge bands: live 10.0–100.0 without a point; for any judge with sensitivity and specificity from .75 to 1."
    )
    both = describe_shared_bands([rows("apply", figure(0.5)), rows("live", alone(0.275, 1.0))])
    assert "apply −16.7 to +16.7; live 27.5–100.0 without a point; for any judge" in both


def test_the_band_of_a_mean_is_the_mean_of_the_bands_of_one_judge() -> None:
    values = (0.4, 0.5, 0.6)
    bands = [band for each in map(figure, values) if (band := judge_band_of(each))]
    joined, mean = joined_band(bands, lambda ends: sum(found := [*ends]) / len(found)), judge_band_of(figure(0.5))
    assert mean is not None
    assert (joined.low, joined.high) == pytest.approx((mean.low, mean.high))
    assert joined.sensitivity == (0.75, 1.0)
