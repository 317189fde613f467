"""What a run says of where its days come from: people that were given, and what the seed made of the rest."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.analysis.compatibility import describe_mismatch, first_mismatch
from mores.analysis.results import Result
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.benchmark import benchmark as liveculture
from mores.benchmarks.shapes.days.grading import DayItem
from mores.cli.town import PlansArgs, make_plans
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.runs.loading import read_results
from mores.runs.manifest import check_unchanged
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study
from tests.benchmarks.plays import TINY, setting_of
from tests.runs.conduct import as_left

DATA = TINY / "liveculture"
TOWN = "liveculture/town"


def setting_on(data: Path, seed: int = 0, **settings: str) -> Setting:
    benchmark = liveculture("town")
    chosen = {**benchmark.card.protocol.settings, **settings}
    return replace(setting_of(benchmark, data, settings=chosen), seed=Seed(f"mores-{seed}"))


def sources(data: Path, seed: int = 0, **settings: str) -> dict[str, str]:
    return liveculture("town").sources(setting_on(data, seed, **settings))


def planned(folder: Path, *, all_of_them: bool = True) -> Path:
    """The tiny town with a plan for each of its people, or for the first alone."""
    folder.mkdir()
    for path in DATA.iterdir():
        shutil.copy(path, folder)
    make_plans(PlansArgs(population=folder / "population.jsonl", planner="simulated/typical:format_error=0"))
    if not all_of_them:
        head, first, *_ = (folder / "plans.jsonl").read_text(encoding="utf-8").splitlines()
        count = head.partition('"plans":')[2].partition(",")[0]
        head = head.replace(f'"plans":{count}', '"plans":1')
        (folder / "plans.jsonl").write_text(f"{head}\n{first}\n", encoding="utf-8")
    return folder


def held(out: Path, data: Path, **wished: object) -> Path:
    spec = Spec(**{"benchmarks": (TOWN,), "data": str(data), "limit": 2, **wished})  # type: ignore[arg-type]
    study = Study(spec=spec, conditions=ExecutionSpec(first_wait=0.0), folder=out)
    assert asyncio.run(run_study(study))
    return out


def evaluation_of(run: Path) -> Result:
    (evaluation,) = read_results([run]).evaluations
    return evaluation


def test_the_seed_of_templates_and_schedules_stands_among_the_data_of_given_people() -> None:
    first, other, again = sources(DATA), sources(DATA, 1), sources(DATA)
    differing = [name for name in first if first[name] != other[name]]
    assert differing == ["plans from the seed", "schedule from the seed"]
    assert first == again
    assert first["plans from the seed"] != first["schedule from the seed"]


def test_mixed_origins_come_from_the_seed_too() -> None:
    assert "origins from the seed" in sources(DATA, cultures="2")
    assert "origins from the seed" not in sources(DATA)


def test_where_all_plans_are_given_the_seed_makes_schedules_alone(tmp_path: Path) -> None:
    data = planned(tmp_path / "data")
    first, other = sources(data), sources(data, 1)
    assert [name for name in first if first[name] != other[name]] == ["schedule from the seed"]
    stages = [liveculture("town").stage(_first(each), each) for each in (setting_on(data), setting_on(data, 1))]
    assert stages[0].plan == stages[1].plan


def _first(setting: Setting) -> DayItem:
    return liveculture("town").items(setting)[0]


def test_where_some_plans_are_missing_those_of_templates_are_told_by_the_seed(tmp_path: Path) -> None:
    data = planned(tmp_path / "data", all_of_them=False)
    found = sources(data)
    assert {"plans", "plans from the seed"} <= set(found)
    assert found["plans from the seed"] != sources(data, 1)["plans from the seed"]


def test_people_who_are_sampled_tell_the_seed_by_themselves(tmp_path: Path) -> None:
    shutil.copy(DATA / "town-norms.jsonl", tmp_path)
    first, other = sources(tmp_path, residents="40"), sources(tmp_path, 1, residents="40")
    assert set(first) == {"population", "norms"}
    assert first["population"] != other["population"]


def test_compare_says_that_days_of_the_same_people_come_from_two_seeds(tmp_path: Path) -> None:
    cells = [
        evaluation_of(held(tmp_path / f"{seed}-{model}", DATA, seed=seed, models=(f"simulated/{model}",)))
        for seed, model in ((0, "typical"), (1, "expert"), (0, "expert"))
    ]
    found = first_mismatch(cells[0], cells[1], allow_other_data=False)
    assert found is not None
    why = describe_mismatch(found)
    assert "A plans from the seed " in why
    assert "B schedule from the seed " in why
    assert first_mismatch(cells[0], cells[2], allow_other_data=False) is None


def test_a_run_goes_on_and_is_judged_again_and_one_of_before_these_hashes_is_too(tmp_path: Path) -> None:
    run = held(tmp_path / "run", DATA)
    before = (run / "verdicts.jsonl").read_bytes()
    assert held(run, DATA) == run
    assert (run / "verdicts.jsonl").read_bytes() == before
    assert held(tmp_path / "again", DATA, judged=str(run))
    manifest = run / "manifest.json"
    old = json.loads(manifest.read_text(encoding="utf-8").replace(' from the seed"', ' of another name"'))
    manifest.write_text(json.dumps(old), encoding="utf-8")
    as_left(run)
    spec = Spec(benchmarks=(TOWN,), data=str(DATA), limit=2)
    for evaluation in Study(spec=spec, folder=run).evaluations():
        check_unchanged(evaluation)


def test_a_number_of_cultures_that_the_town_does_not_have_is_refused() -> None:
    there = len(liveculture("town").stage(_first(setting_on(DATA)), setting_on(DATA)).population.nationality.words)
    every = setting_on(DATA, cultures=str(there))
    assert any(f"Others come from {there} of" in remark for remark in liveculture("town").remarks(every))
    with pytest.raises(InputError, match=rf"cultures=50: the people of this town come from {there} places"):
        liveculture("town").items(setting_on(DATA, cultures="50"))
