"""A verifier is put right by one temperature on pairs it has not seen, and its errors are those of the labels."""

import numpy as np
import pytest
from msgspec.structs import replace

from mores.calibration.temperature import WeighedPairs, calibrated
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.verifier_facts import VerifierCalibration


def drawn(questions: int, each: int = 5, *, heat: float = 1.0, seed: int = 1) -> WeighedPairs:
    """Pairs whose labels follow probabilities that are stated too surely by the exponent `heat`."""
    rng = np.random.default_rng(seed)
    logs = rng.normal(0, 1.2, (questions * each, 3))
    true, stated = (np.exp(scale * logs) / np.exp(scale * logs).sum(axis=1, keepdims=True) for scale in (1.0, heat))
    truth = (rng.random(len(logs))[:, None] > true.cumsum(axis=1)).sum(axis=1)
    clusters = np.array([f"q-{number // each}" for number in range(len(logs))])
    return WeighedPairs(probabilities=stated, truth=truth, clusters=clusters)


def found(pairs: WeighedPairs) -> VerifierCalibration:
    return calibrated(pairs, labels="synthetic", measured_on={"pairs.csv": "0" * 12}, seed=Seed("test"))


def test_a_planted_temperature_is_found_and_takes_the_error_away() -> None:
    mine = found(drawn(800, heat=2.0))
    assert mine.temperature == pytest.approx(2.0, abs=0.2)
    assert mine.before.error.value is not None
    assert mine.after.error.value is not None
    assert mine.before.error.value > 0.1
    assert mine.after.error.value < 0.04
    assert mine.before.error.low is not None
    assert mine.before.error.low > 0.05
    assert mine.after.error.low == 0


def test_bins_hold_all_pairs_that_are_shown_and_none_that_were_fitted() -> None:
    pairs = drawn(200, heat=1.5)
    mine = found(pairs)
    assert sum(each.graded for each in mine.after.right) == len(pairs.truth) - mine.fitted
    assert list(mine.after.stated) == sorted(mine.after.stated)
    assert all(each.low is not None and each.value is not None for each in mine.after.right)
    assert found(pairs) == mine


def test_sensitivity_and_specificity_are_those_of_all_pairs() -> None:
    pairs = drawn(100)
    mine, said = found(pairs), pairs.probabilities.argmax(axis=1) == 0
    sensitivity, specificity = np.mean(said[pairs.truth == 0]), np.mean(~said[pairs.truth != 0])
    assert (mine.sensitivity.value, mine.specificity.value) == pytest.approx((sensitivity, specificity))
    assert mine.sensitivity.graded + mine.specificity.graded == len(pairs.truth)
    assert 0 < mine.worth[0] <= mine.sensitivity.graded


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        (drawn(15), "15 questions; expected at least 16"),
        (replace(drawn(50), truth=np.zeros(250, dtype=np.int64)), "All pairs are labelled satisfy, or none is"),
        (replace(drawn(50), truth=drawn(50).probabilities.argmin(axis=1)), "no temperature puts them right"),
    ],
)
def test_what_cannot_be_calibrated_is_one_clear_line(pairs: WeighedPairs, why: str) -> None:
    with pytest.raises(InputError, match=why) as error:
        found(pairs)
    assert "\n" not in str(error.value)
