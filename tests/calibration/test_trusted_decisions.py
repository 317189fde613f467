"""Trust or escalate: the true error of trusted decisions is above its level no more often than promised."""

from math import sqrt

import numpy as np
import pytest

from mores.annotation.label_tables import TaskTable
from mores.calibration.calibration_labels import Splitting, split_truths
from mores.calibration.certificate import Certificate, ConformalSettings
from mores.calibration.certify import CertificationRequest, certify_decisions
from mores.calibration.draws import judge_draws
from mores.calibration.judge_calibration import calibration
from mores.core.errors import InputError
from mores.core.seeds import Seed
from tests.calibration.judged_tables import OPTIONS, evaluation, planted, quickly_planted, row, table, vote

RISKS = (0.05, 0.11, 0.17)
REPEATS, DRAWS, RIGHT, STEADY = 240, 5, 0.85, 0.5
DICE = Seed("test")


def certificate_of(found: TaskTable, risks: tuple[float, ...] = RISKS) -> Certificate:
    draws = judge_draws(found, "judge", ConformalSettings(confidence="consistency"))
    return certify_decisions(draws, split_truths(found, Splitting(), seed=DICE), CertificationRequest(risks=risks))


def true_error(least: float) -> float:
    """Share wrong among majorities of at least such a share of five draws, by the planted beta over many things."""
    rng, worth = np.random.default_rng(1), 1 / STEADY - 1
    chance = rng.beta(RIGHT * worth, (1 - RIGHT) * worth, 400_000)
    right = rng.binomial(DRAWS, chance)
    trusted = np.maximum(right, DRAWS - right) / DRAWS >= least
    return float((right < DRAWS / 2)[trusted].mean())


def test_trusted_decisions_are_wrong_more_often_than_certified_in_few_calibrations() -> None:
    errors = {share: true_error(share) for share in (0.6, 0.8, 1.0)}
    violated = {risk: list[bool]() for risk in RISKS}
    naive = list[bool]()
    for number in range(REPEATS):
        found = quickly_planted(200, DRAWS, right=RIGHT, steady=STEADY, seed=number)
        for level in certificate_of(found).levels:
            least = float(level.thresholds["confidence"]) if level.certified else 2.0
            chosen = next((share for share in errors if share >= least - 1e-9), None)
            violated[level.risk].append(chosen is not None and errors[chosen] > level.risk)
        naive.append(_naive(found, errors, 0.11))
    for risk in RISKS:
        assert np.mean(violated[risk]) <= 0.05 + 3 * sqrt(0.05 * 0.95 / REPEATS)
    assert np.mean(naive) > 0.2  # so that the test can fail


def _naive(found: TaskTable, errors: dict[float, float], risk: float) -> bool:
    """Whether the lowest confidence whose error on the labels looks small enough breaks its word."""
    made = judge_draws(found, "judge", ConformalSettings(confidence="consistency")).decided
    lost = made.decision != found.truth
    for share, true in errors.items():
        trusted = made.confidence >= share - 1e-9
        if lost[trusted].mean() <= risk:
            return true > risk
    return False


def test_a_judge_that_could_not_be_read_is_never_trusted() -> None:
    where = evaluation()
    rows = [row(n, [vote(n, d, None if n < 40 else OPTIONS[n % 2]) for d in range(3)], where=where) for n in range(200)]
    found = table(rows, {n: n % 2 for n in range(200)})
    made = judge_draws(found, "judge", ConformalSettings(confidence="consistency")).decided
    assert (made.decision[:40] == -1).all()
    assert (made.confidence[:40] == 0).all()
    (level,) = certificate_of(found, (0.05,)).levels
    assert level.certified
    assert level.kept == 160


def test_levels_are_fixed_on_things_without_labels() -> None:
    assert certificate_of(planted(200, 4, labelled=100)).steps == "quantiles over 100 things without labels"
    assert certificate_of(planted(110, 4, labelled=100)).steps == "hundredths, fixed beforehand"


def test_the_share_of_weighed_labels_can_be_the_confidence() -> None:
    where, rng = evaluation(), np.random.default_rng(3)
    sure = rng.uniform(0.5, 1.0, 300)
    truths = rng.integers(0, 2, 300)
    said = np.where(rng.random(300) < sure, truths, 1 - truths)
    rows = [
        row(n, [vote(n, 0, OPTIONS[code], shares={OPTIONS[code]: p, OPTIONS[1 - code]: 1 - p})], where=where)
        for n, (code, p) in enumerate(zip(said.tolist(), sure.tolist(), strict=True))
    ]
    found = table(rows, dict(enumerate(truths.tolist())))
    how = CertificationRequest(risks=(0.2,)), Splitting(held_out=0.5)
    made = calibration(found, "judge", ConformalSettings(confidence="shares"), how, seed=DICE)
    (level,) = made.certificates[0].levels
    assert level.certified
    assert (
        0.5 < float(level.thresholds["confidence"]) < 1
    )  # of all decisions a quarter is wrong, of the sure ones fewer
    assert made.applied[0] is not None
    (held,) = made.applied[0].levels
    assert held.error is not None
    assert held.error < 0.25
    assert made.error == pytest.approx(0.25, abs=0.1)


def test_several_things_of_one_episode_are_refused() -> None:
    with pytest.raises(InputError, match="200 labelled things come from 40 episodes"):
        certificate_of(planted(200, 4, per_cluster=5))
