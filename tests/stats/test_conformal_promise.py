"""The promise itself: how often is the true risk of certified thresholds above the level?

Calibration items are drawn from a population that is known whole, so that the true risk of any thresholds is exact.
Levels are set a hair below the true risks of some settings, where a careless test breaks the promise soonest.
"""

from collections.abc import Iterator
from math import sqrt

import numpy as np
import pytest
from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.stats.conformal.calibration import Calibrated, CalibrationPlan, calibrate, line
from mores.stats.conformal.draws import Draws, LabelledDraws, Thresholds, one_each
from mores.stats.conformal.replay import losses_under
from tests.stats.drawing import RISKS

DELTA = 0.05
LINE = CalibrationPlan(mode="line")


def population(items: int, each: int, *, alike: int = 1, seed: int = 0) -> LabelledDraws:
    """A judge wrong in about an eighth of its draws, surer when right; `alike` items in a row are as hard."""
    rng = np.random.default_rng(seed)
    clusters = items // alike
    skill = np.where(rng.random(clusters) < 0.02, 0.0, rng.beta(2.2, 0.25, clusters))
    right = rng.random((items, each)) < np.repeat(skill, alike)[:, None]
    likeness = np.where(right[:, :, None] == right[:, None, :], rng.uniform(0.2, 1, (items, each, each)), 0.0)
    draws = Draws.of(right.astype(int).tolist(), rng.beta(2 + 3 * right, 3), likeness)
    return LabelledDraws.of(draws, [1] * items, np.arange(items) // alike)


def true_risk(everyone: LabelledDraws, settings: tuple[Thresholds, ...]) -> dict[Thresholds, float]:
    lost = losses_under(everyone.draws, everyone.admissible, settings)
    return dict(zip(settings, lost.mean(axis=1).tolist(), strict=True))


def sharp(risks: dict[Thresholds, float]) -> list[float]:
    """Levels a hair below true risks: the settings that have them are not safe, and only just."""
    distinct = sorted({risk for risk in risks.values() if 0.04 < risk < 0.4})
    return [distinct[place] - 1e-9 for place in np.linspace(0, len(distinct) - 1, min(6, len(distinct))).astype(int)]


def samples(everyone: LabelledDraws, units: int, runs: int) -> Iterator[LabelledDraws]:
    """Labelled items of clusters drawn independently; one drawn twice is two units."""
    rng = np.random.default_rng(1)
    rows = np.argsort(everyone.cluster, kind="stable").reshape(everyone.clusters, -1)
    for _ in range(runs):
        picked = rows[rng.integers(0, everyone.clusters, units)]
        sample = everyone.at(picked.ravel())
        yield replace(sample, cluster=np.repeat(np.arange(units), picked.shape[1]))


def limit(runs: int) -> float:
    return DELTA + 3 * sqrt(DELTA * (1 - DELTA) / runs)


def broken_on_a_line(
    everyone: LabelledDraws, drawn: Iterator[LabelledDraws], risks: list[float], runs: int
) -> list[float]:
    """Share of calibrations whose thresholds have a true risk above each level."""
    truth = true_risk(everyone, line(everyone.draws, LINE))
    broken = np.zeros(len(risks))
    for number, sample in enumerate(drawn):
        answers = calibrate(sample, risks, LINE, seed=Seed(f"{number}"))
        broken += [isinstance(one, Calibrated) and truth[one.thresholds] > one.risk for one in answers]
    return [float(share) for share in broken / runs]


def broken_by_the_naive_rule(everyone: LabelledDraws, units: int, risks: list[float], runs: int) -> list[float]:
    """The same for the cheapest stop whose loss on the sample is at most the level."""
    settings = line(everyone.draws, LINE)
    truth = np.array(list(true_risk(everyone, settings).values()))
    broken = np.zeros(len(risks))
    for sample in samples(everyone, units, runs):
        loss = losses_under(sample.draws, sample.admissible, settings).mean(axis=1)
        for place, risk in enumerate(risks):
            passing = np.flatnonzero(loss <= risk)
            broken[place] += passing.size > 0 and truth[passing[-1]] > risk
    return [float(share) for share in broken / runs]


def broken_by_a_split(everyone: LabelledDraws, units: int, plan: CalibrationPlan, runs: int) -> list[float]:
    known: dict[Thresholds, float] = {}
    broken = np.zeros(len(RISKS))
    for number, sample in enumerate(samples(everyone, units, runs)):
        answers = calibrate(sample, RISKS, plan, seed=Seed(f"{number}"))
        fresh = tuple({one.thresholds for one in answers if isinstance(one, Calibrated)} - known.keys())
        known |= true_risk(everyone, fresh) if fresh else {}
        broken += [isinstance(one, Calibrated) and known[one.thresholds] > one.risk for one in answers]
    return [float(share) for share in broken / runs]


def hold(everyone: LabelledDraws, units: int, runs: int) -> None:
    risks = sharp(true_risk(everyone, line(everyone.draws, LINE)))
    assert len(risks) == 6
    found = broken_on_a_line(everyone, samples(everyone, units, runs), risks, runs)
    assert max(found) <= limit(runs)
    assert max(found) > 0  # the levels are sharp: some calibrations are unlucky
    naive = broken_by_the_naive_rule(everyone, units, risks, runs)
    assert max(naive) > 2 * limit(runs)


def test_on_a_line_the_promise_is_kept_where_the_naive_rule_breaks_it() -> None:
    hold(population(2000, 10), 200, 300)


def test_with_a_split_the_promise_is_kept() -> None:
    found = broken_by_a_split(population(1000, 10), 200, CalibrationPlan(mode="pareto", levels=8), 100)
    assert max(found) <= limit(100)


def clusters_hold(everyone: LabelledDraws, units: int, runs: int) -> None:
    risks = sharp(true_risk(everyone, line(everyone.draws, LINE)))
    assert max(broken_on_a_line(everyone, samples(everyone, units, runs), risks, runs)) <= limit(runs)
    apart = (sample.at(one_each(sample.cluster, Seed("apart"))) for sample in samples(everyone, units, runs))
    assert max(broken_on_a_line(everyone, apart, risks, runs)) <= limit(runs)
    careless = (replace(one, cluster=np.arange(one.draws.count)) for one in samples(everyone, units // 4, runs))
    assert max(broken_on_a_line(everyone, careless, risks, runs)) > limit(runs)


def test_in_clusters_the_promise_is_kept_where_items_taken_as_independent_break_it() -> None:
    clusters_hold(population(2000, 6, alike=10), 80, 100)


@pytest.mark.soak
def test_the_promise_is_kept_over_many_more_calibrations() -> None:
    hold(population(4000, 20, seed=2), 200, 3000)
    hold(population(4000, 20, seed=3), 1000, 1000)
    clusters_hold(population(4000, 10, alike=10, seed=4), 100, 1000)
    for units, levels, most_empty in ((200, 25, 0.01), (200, 8, None), (60, 8, 0.01)):
        plan = CalibrationPlan(mode="pareto", levels=levels, most_empty=most_empty)
        assert max(broken_by_a_split(population(2000, 20, seed=5), units, plan, 600)) <= limit(600)
