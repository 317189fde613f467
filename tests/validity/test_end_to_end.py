"""Simulated persons through whole runs, fifty in the long form: planted competence lies in the printed intervals."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from scipy.stats import binom

from mores.runs.spec import Spec
from mores.validity.runs import CLOSED, LEVELS, SIZES, SLIPS, WEAK, WEAKLY, SimulatedPerson, ran, truths_of, write_data

IDS = {"Japan": "JP", "Nigeria": "NG", "Germany": "DE", "Mexico": "MX", "India": "IN", "Poland": "PL"}
SEEDS, MANY, PERSONS = 2, 5, 10


class Printed(NamedTuple):
    """An estimate that a run left, and what was planted."""

    benchmark: str
    place: str
    low: float
    high: float
    value: float
    truth: float


@pytest.fixture(scope="module", params=[SEEDS, pytest.param(MANY, marks=pytest.mark.soak)])
def printed(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[Printed]:
    """What these persons' runs left: some seeds, ten persons each, of five levels of competence."""
    data = tmp_path_factory.mktemp("data")
    write_data(data, SIZES)
    persons = [SimulatedPerson(knows=LEVELS[n % 5], weakly=WEAKLY, slips=SLIPS, name=str(n)) for n in range(PERSONS)]
    by_spec = {person.spec: person for person in persons}
    found: list[Printed] = []
    for seed in range(request.param):
        folder = tmp_path_factory.mktemp(f"seed-{seed}")
        ran(folder, Spec(benchmarks=CLOSED, models=tuple(by_spec), data=str(data), seed=seed))
        for path in sorted(folder.rglob("estimates.json")):
            whole = json.loads(path.read_text(encoding="utf-8"))
            found += _read(whole, by_spec[whole["model"]])
    return found


def _read(whole: dict[str, Any], person: SimulatedPerson) -> Iterator[Printed]:
    name, weak = whole["benchmark"], set(WEAK.values())
    share = sum(SIZES[country] for country in WEAK) / sum(SIZES.values())
    assert whole["simulated"] is True
    for one in whole["estimates"]:
        place = one["group"].get("place", "")
        if one["metric"] == "accuracy" and set(one["group"]) <= {"place"} and one["low"] is not None:
            (truth,) = truths_of(person, (name,), float(place in weak) if place else share)
            assert not place or place in IDS.values()
            yield Printed(name, place, one["low"], one["high"], one["value"], truth)


@pytest.mark.parametrize("name", CLOSED)
def test_the_planted_figure_is_in_the_interval_of_the_whole_as_often_as_promised(
    name: str, printed: list[Printed]
) -> None:
    """With .95 the chance to see fewer than the bound is one in two thousand."""
    held = [p.low <= p.truth <= p.high for p in printed if p.benchmark == name and not p.place]
    assert len(held) in {SEEDS * PERSONS, MANY * PERSONS}
    assert sum(held) >= binom.ppf(0.0005, len(held), 0.95)


@pytest.mark.parametrize("name", CLOSED)
def test_the_planted_figures_are_in_the_intervals_of_the_places_as_often_as_promised(
    name: str, printed: list[Printed]
) -> None:
    held = [p.low <= p.truth <= p.high for p in printed if p.benchmark == name and p.place]
    assert len(held) >= SEEDS * PERSONS * 2
    assert sum(held) >= binom.ppf(0.0005, len(held), 0.94)


@pytest.mark.parametrize("name", CLOSED)
def test_all_persons_together_leave_no_room_for_a_crooked_ruler(name: str, printed: list[Printed]) -> None:
    """The mean error over all runs is within four standard errors of nothing."""
    errors = [p.value - p.truth for p in printed if p.benchmark == name and not p.place]
    spread = (sum(e * e for e in errors) / len(errors)) ** 0.5
    assert abs(sum(errors) / len(errors)) < 4 * spread / len(errors) ** 0.5
    assert spread < 0.08


def test_persons_and_seeds_differ(printed: list[Printed]) -> None:
    values = Counter(p.value for p in printed if p.benchmark == "culturalbench/easy" and not p.place)
    assert len(values) > PERSONS
