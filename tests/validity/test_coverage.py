"""The promise of every headline figure: 95 % intervals hold the planted figure in 94 to 96.5 % of runs.

Each design is drawn many times over in arrays and goes through the estimator that `summarise` uses; see
`test_figures` for the bridge between the two. `python -m tests.validity` prints the long form of it for the docs.
"""

from math import sqrt

import numpy as np
import pytest

from mores.stats import mean_interval
from tests.validity.designs import CLUSTERED, DESIGNS, HARSH, SEED, Design, coverage, planted, run


def within(held: float, runs: int) -> bool:
    """Inside the promised band, two standard errors of so many runs aside; the dice are fixed."""
    noise = 2 * sqrt(0.95 * 0.05 / runs)
    return 0.94 - noise <= held <= 0.965 + noise


def names(design: Design) -> str:
    return design.name


@pytest.mark.parametrize("design", DESIGNS, ids=names)
def test_one_unit_a_cluster_is_covered(design: Design) -> None:
    runs = 2000 if sum(design.units) < 2000 else 1000
    found = coverage(design, runs)
    assert found.without == 0
    assert within(found.held, runs), found


@pytest.mark.parametrize("design", CLUSTERED, ids=names)
def test_units_in_clusters_are_covered(design: Design) -> None:
    """Fewer runs where each is a bootstrap of many clusters; `make soak` draws 2,000 of each."""
    runs = 2000 if sum(design.units) < 100 else 500
    found = coverage(design, runs)
    assert found.without == 0
    assert within(found.held, runs), found


@pytest.mark.parametrize("design", HARSH, ids=names)
def test_where_little_is_known_an_interval_does_not_fail(design: Design) -> None:
    assert coverage(design, 500).held > 0.91


@pytest.mark.soak
@pytest.mark.parametrize("design", [*DESIGNS, *CLUSTERED], ids=names)
def test_the_promise_holds_in_the_long_run(design: Design) -> None:
    assert within(coverage(design, 4000).held, 4000)


@pytest.mark.parametrize("design", [d for d in CLUSTERED if d.cluster >= 4], ids=names)
def test_leaving_clusters_out_fails_the_promise(design: Design) -> None:
    """So the tests above can fail."""
    assert coverage(design, 300, ignore=True).held < 0.88


def test_a_figure_planted_without_guessing_is_not_covered() -> None:
    """So the formula for guessing is tested as well: .6 known of three labels scores .73, not .6."""
    (design,) = (d for d in DESIGNS if d.name == "ladder/judge, even skill")
    dice, held = np.random.default_rng(1), 0
    for number in range(200):
        one = run(design, dice)
        low, high, *_ = mean_interval(one.values, one.clusters, strata=one.places, seed=SEED.child(number))
        assert low is not None
        assert high is not None
        held += low <= 0.6 <= high
    assert held < 40


def test_few_clusters_have_no_interval_rather_than_a_wrong_one() -> None:
    design = Design(name="seven clusters of five", units=(35,), kind="three", cluster=5, one_mind=True)
    assert coverage(design, 50).without == 50


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
    design = Design(name="by hand", units=(4,), kind=kind, slips=slips)  # type: ignore[arg-type]
    assert planted(design, np.array([knows]))[0] == pytest.approx(figure)
