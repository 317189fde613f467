"""Every row of the instrument's certificate at reduced draws: promises hold, and naive rules fail."""

import numpy as np
import pytest

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.intervals import mean_interval
from mores.validity.promises import Experiment
from mores.validity.runner import EXPERIMENTS, found_of, long, run_experiments
from mores.validity.runs import FAMILY as RUNS
from mores.validity.shares import person
from mores.validity.simulated_scores import CLUSTERED, DESIGNS, SimulationDesign, planted, run

SEED = Seed("rows")
SCALE, LEAST_DRAWS, LEAST_RUNS = 0.08, 30, 6
WHOLE = [one for one in EXPERIMENTS if one.name in {design.name for design in (*DESIGNS, *CLUSTERED)}]


def name_of(value: Experiment | SimulationDesign) -> str:
    return value.name


def unsound(experiment: Experiment, table: Floats) -> list[tuple[str, str, float | None, int]]:
    """Promises that are not kept, and naive rules that are not seen to fail."""
    found = found_of(experiment, table)
    return [(one.promise.name, one.verdict, one.broken, one.draws) for one in found if not one.sound]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=name_of)
def test_promises_hold_and_naive_rules_fail(experiment: Experiment) -> None:
    least = LEAST_RUNS if experiment.family == RUNS else min(experiment.draws, LEAST_DRAWS)
    drawn = max(least, round(experiment.draws * SCALE))  # test_end_to_end has more of whole runs
    table = experiment.drawn(range(drawn), SEED)
    if unsound(experiment, table) and any(promise.naive for promise in experiment.promises):
        more = experiment.drawn(range(drawn, experiment.draws), SEED)  # most naive rules are seen to fail before
        table = np.concatenate([table, more])
    assert unsound(experiment, table) == []


@pytest.mark.soak
def test_promises_hold_in_the_long_form() -> None:
    found = run_experiments(EXPERIMENTS, forms=long, seed=Seed("long"))
    assert [(one.promise.name, one.verdict, one.broken, one.draws) for one in found if not one.sound] == []


@pytest.mark.soak
@pytest.mark.parametrize("experiment", WHOLE, ids=name_of)
def test_no_interval_of_a_whole_run_is_wider_than_it_has_to_be(experiment: Experiment) -> None:
    """The promise of every headline: 94 to 96.5 of 100, two standard errors aside."""
    (found,) = found_of(experiment, experiment.drawn(range(4000), Seed("long")))
    assert 0.94 - 2 * found.error <= found.shown <= 0.965 + 2 * found.error


def test_a_figure_planted_without_guessing_is_not_covered() -> None:
    """So the formula for guessing is tested as well: .6 known of three labels scores .73, not .6."""
    (design,) = (each for each in DESIGNS if each.name == "ladder/judge, even skill")
    rng, held = np.random.default_rng(1), 0
    for number in range(200):
        one = run(design, rng)
        low, high, *_ = mean_interval(one.values, one.clusters, strata=one.places, seed=SEED.child(number))
        assert low is not None
        assert high is not None
        held += low <= 0.6 <= high
    assert held < 40


def test_few_clusters_have_no_interval_rather_than_a_wrong_one() -> None:
    design = SimulationDesign(name="seven clusters of five", units=(35,), kind="three", cluster=5, one_mind=True)
    alone = person(design.name, 50, design)
    assert np.isnan(alone.drawn(range(10), SEED)).all()


@pytest.mark.parametrize(
    ("kind", "knows", "slips", "figure"),
    [
        ("hard", 0.6, 0.0, 0.6 + 0.4 / 16),
        ("hard", 0.0, 0.0, 0.0625),
        ("hard", 1.0, 0.1, 0.9**4),
        ("letter", 0.5, 0.0, 0.5 + 0.5 / 4),
        ("three", 0.4, 0.05, (0.4 + 0.6 / 3) * 0.95),
        ("two", 0.0, 0.0, 0.5),
        ("statements", 0.5, 0.2, 0.75 * 0.8),
    ],
)
def test_what_is_planted_includes_guessing_and_slips(kind: str, knows: float, slips: float, figure: float) -> None:
    design = SimulationDesign(name="by hand", units=(4,), kind=kind, slips=slips)  # type: ignore[arg-type]
    assert planted(design, np.array([knows]))[0] == pytest.approx(figure)
