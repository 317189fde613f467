"""`mores town plans`: days are planned once, read by a run, kept where the planner was cut off, never overwritten."""

from pathlib import Path

import pytest

from mores.cli.town import PlansArgs, PopulationArgs, make_plans, make_population
from mores.core.errors import InputError
from mores.worlds.town.plans import read_plans
from mores.worlds.town.population_files import read_population


@pytest.fixture
def population(tmp_path: Path) -> Path:
    out = tmp_path / "population.jsonl"
    make_population(PopulationArgs(out=out, size=40))
    return out


def test_every_resident_gets_a_plan_that_reads_back(population: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_plans(PlansArgs(population=population, planner="simulated/typical:format_error=0"))
    people = read_population(population)
    assert len(read_plans(population.with_name("plans.jsonl"), people).plans) == len(people)
    assert "40 plans, 0 of them from templates" in capsys.readouterr().out


def test_a_planner_that_says_nothing_of_use_is_replaced_and_counted(
    population: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_plans(PlansArgs(population=population, planner="simulated/typical:format_error=1"))
    assert "40 plans, 40 of them from templates (no usable plan 40)" in capsys.readouterr().out
    header = read_plans(population.with_name("plans.jsonl"), read_population(population)).header
    assert header.description == "by simulated/typical:format_error=1; 40 from templates: no usable plan 40"


def test_plans_are_never_overwritten_and_replies_are_not_asked_for_twice(population: Path) -> None:
    make_plans(PlansArgs(population=population, planner="simulated/typical"))
    plans = population.with_name("plans.jsonl")
    before = plans.read_bytes()
    with pytest.raises(InputError, match="it exists already and is not overwritten"):
        make_plans(PlansArgs(population=population, planner="simulated/typical"))
    plans.rename(plans.with_suffix(".old"))
    make_plans(PlansArgs(population=population, planner="simulated/typical"))
    assert plans.read_bytes() == before


def test_the_people_stand_beside_the_published_shares_where_all_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_population(PopulationArgs(out=tmp_path / "quota.jsonl", size=100, sampler="quota", full=True))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["female", "50", "50.0", "50.3"] in rows
    assert ["gender", "people", "%", "paper,", "table", "3,", "%"] in rows
