"""How far a judge's points lie from people's on average: the interval of a difference, which has two sides."""

import numpy as np
import pytest

from mores.calibration.beside import mean_apart
from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design


def interval_of(apart: list[float], each: int = 1) -> tuple[float, float]:
    design = Design(clusters=np.arange(len(apart)) // each, seed=Seed("s"))
    low, high, *_ = mean_apart(np.array(apart), design).interval
    assert low is not None
    assert high is not None
    return low, high


@pytest.mark.parametrize("more", [0.5, 1.0])
def test_one_thing_on_which_the_judge_gives_more_is_no_proof_that_it_gives_more_in_general(more: float) -> None:
    low, high = interval_of([more] + [0.0] * 39)
    assert low <= 0 < high


def test_the_interval_of_a_bias_turns_with_its_sign() -> None:
    apart = [0.5] * 9 + [0.25] * 3 + [0.0] * 28
    low, high = interval_of(apart)
    assert 0 < low < high
    assert interval_of([-one for one in apart]) == pytest.approx((-high, -low), abs=0.01)
