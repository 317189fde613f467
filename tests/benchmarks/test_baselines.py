"""The papers' baselines on the real data: what guessing and looking at nothing is worth."""

from functools import cache
from math import sqrt
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from tests.benchmarks.plays import Open, figure, figures_of, setting_of


@cache
def figures(name: str, spec: str, folder: Path, seed: str = "tests") -> tuple[Estimate, ...]:
    benchmark = catalogue.load(name)
    setting = setting_of(benchmark, folder)
    return figures_of(benchmark, setting, benchmark.items(setting), Open(spec, seed))


GUESSES = [
    ("culturalbench/hard", "accuracy", 1 / 16, 1227),
    ("culturalbench/hard", "item_accuracy", 1 / 2, 4908),
    ("culturalbench/easy", "accuracy", 1 / 4, 1227),
    ("cure/normad_thin", "accuracy", 1 / 3, 2633),
    ("cure/casa_thin", "accuracy", 1 / 2, 1198),
]


@pytest.mark.parametrize(("name", "metric", "chance", "n"), GUESSES)
def test_guessing_is_worth_its_chance(name: str, metric: str, chance: float, n: int, real: Path) -> None:
    """Within four standard errors of the count."""
    found = figure(figures(name, "baseline/random", real), metric)
    assert found.asked == n
    assert found.value == pytest.approx(chance, abs=4 * sqrt(chance * (1 - chance) / n))
    if metric == "accuracy":
        assert catalogue.card(name).chance == pytest.approx(chance)


@pytest.mark.parametrize(
    ("name", "spec", "metric", "right", "of"),
    [
        ("culturalbench/hard", "baseline/always-true", "accuracy", 0, 1227),
        ("culturalbench/hard", "baseline/always-true", "item_accuracy", 1326, 4908),
        ("culturalbench/easy", "baseline/first", "accuracy", 658, 1227),
        ("cure/normad_thin", "baseline/always-true", "accuracy", 943, 2633),
        ("cure/casa_thin", "baseline/always-true", "accuracy", 599, 1198),
    ],
)
def test_who_looks_at_nothing_gets_exactly_the_share_of_that_label(
    name: str, spec: str, metric: str, right: int, of: int, real: Path
) -> None:
    found = figure(figures(name, spec, real), metric)
    assert found.value == pytest.approx(right / of, abs=1e-9)
    assert found.asked == found.graded == of


def test_the_shares_are_those_of_the_papers(real: Path) -> None:
    def percent(name: str, spec: str, metric: str) -> float:
        value = figure(figures(name, spec, real), metric).value
        assert value is not None
        return round(100 * value, 2)

    assert percent("culturalbench/hard", "baseline/always-true", "item_accuracy") == 27.02
    assert percent("culturalbench/easy", "baseline/first", "accuracy") == 53.63
    assert percent("cure/casa_thin", "baseline/always-true", "accuracy") == 50


def test_the_first_label_is_no_better_than_a_guess_once_options_are_shuffled(real: Path) -> None:
    benchmark = catalogue.load("culturalbench/easy")
    setting = setting_of(benchmark, real, shuffle=True)
    found = figure(figures_of(benchmark, setting, benchmark.items(setting), Open("baseline/first")), "accuracy")
    assert found.value == pytest.approx(0.25, abs=4 * sqrt(0.25 * 0.75 / 1227))


def test_baselines_always_answer_in_the_form_asked_for(real: Path) -> None:
    for name, spec in (("culturalbench/hard", "baseline/random"), ("cure/normad_thin", "baseline/always-true")):
        found = figures(name, spec, real)
        assert figure(found, "format_error").value == figure(found, "refusal").value == 0
        assert figure(found, "accuracy_strict").value == figure(found, "accuracy_lenient").value


def test_questions_without_a_yes_have_no_always_true(real: Path) -> None:
    with pytest.raises(InputError, match="use baseline/first"):
        figures("culturalbench/easy", "baseline/always-true", real)
