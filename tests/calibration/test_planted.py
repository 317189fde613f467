"""What was planted in judges and people comes back out of a run and a file of labels, by the command's own way."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mores.annotation.label_tables import read_tables
from mores.annotation.sample import SampleSpec, draw_sample
from mores.calibration.agreement import AgreementOptions, TaskAgreement, agreements_of
from mores.stats.cluster_sums import MeasuredFigure
from tests.annotation.people import SimulatedAnnotators, simulate_labels, write_labels
from tests.annotation.runs import talks, thick

SEEDS, MANY = 4, 12
SCENES = 80
RIGHT = 0.85
PERSON = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """One interval over a seed: does it hold what was planted, and how far is the figure off?"""

    name: str
    held: bool
    off: float


def met(name: str, found: MeasuredFigure, planted: float) -> Met:
    low, high, *_ = found.interval
    assert low is not None
    assert high is not None
    return Met(name=name, held=low - 1e-9 <= planted <= high + 1e-9, off=found.value - planted)


def held_against(run: Path, folder: Path, people: SimulatedAnnotators) -> dict[str, TaskAgreement]:
    sample, _ = draw_sample([run], SampleSpec(n=SCENES * 3, tasks=("awareness", "commonsense", "value")))
    path = folder / f"{run.name}-{people.count}.csv"
    write_labels(path, simulate_labels([run], sample, people))
    found = agreements_of(read_tables([run], [path], sample), AgreementOptions())
    assert found.simulated
    return {task.task: task for task in found.tasks}


@pytest.fixture(scope="module", params=[SEEDS, pytest.param(MANY, marks=pytest.mark.soak)])
def seen(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[Met]:
    """Figures over seeds: a judge that is right with .85, beside people without fault and people right with .9."""
    folder, found = tmp_path_factory.mktemp("planted"), []
    judge = f"simulated/judge:sensitivity={RIGHT},specificity={RIGHT}"
    for seed in range(request.param):
        run = talks(folder / f"run-{seed}", SCENES, judge=judge, seed=seed)
        for task, one in held_against(run, folder, SimulatedAnnotators(count=1, accuracy=(1.0,), seed=seed)).items():
            found.append(met(f"accuracy {task}", one.together.figures["raw agreement (accuracy)"], RIGHT))
            if task != "commonsense":
                found += [met(f"recall {task}", each.recall, RIGHT) for each in one.together.classes]
        for task, one in held_against(run, folder, SimulatedAnnotators(count=3, accuracy=(PERSON,), seed=seed)).items():
            wrong = 1 if task != "commonsense" else 2  # how many words there are to err into
            alike = PERSON**2 + (1 - PERSON) ** 2 / wrong
            to_judge = PERSON * RIGHT + (1 - PERSON) * (1 - RIGHT) / wrong
            found.append(met("people with people", one.people.ceiling.people, alike))
            found.append(met("judge with person", one.people.ceiling.judge, to_judge))
            found.append(met("pairs of people", one.people.agreement["people"].figures["pairs that agree"], alike))
    return found


def test_intervals_hold_what_was_planted_as_often_as_they_promise(seen: list[Met]) -> None:
    assert len(seen) in {SEEDS * 16, MANY * 16}
    for name in {one.name for one in seen}:
        held = [one.held for one in seen if one.name == name]
        assert np.mean(held) >= 0.95 - 3 * (0.95 * 0.05 / len(held)) ** 0.5, (name, np.mean(held))
    assert np.mean([one.held for one in seen]) >= 0.92


def test_no_figure_leans_to_one_side(seen: list[Met]) -> None:
    for name in {one.name for one in seen}:
        off = np.array([one.off for one in seen if one.name == name])
        assert abs(off.mean()) < 3.5 * off.std(ddof=1) / off.size**0.5, (name, off.mean())


def test_one_judge_less_right_than_was_planted_would_be_seen(seen: list[Met]) -> None:
    off = np.array([one.off + 0.05 for one in seen if one.name.startswith("accuracy")])
    assert abs(off.mean()) > 3.5 * off.std(ddof=1) / off.size**0.5


def test_a_place_in_which_a_worse_judge_was_planted_is_found(tmp_path: Path) -> None:
    judge = "simulated/judge:sensitivity=0.97,specificity=0.97,JP.sensitivity=0.5,JP.specificity=0.5"
    run = talks(tmp_path / "run", 200, judge=judge)
    path = tmp_path / "people.csv"
    write_labels(path, simulate_labels([run], None, SimulatedAnnotators(count=1, accuracy=(1.0,))))
    (table,) = read_tables([run], [path], tasks=("awareness",))
    (found,) = agreements_of([table], AgreementOptions()).tasks
    assert found.places is not None
    assert {test.group for test in found.places.unequal} <= set(table.places.tolist())
    assert ("JP", "errors of any kind") in {(test.group, test.errors) for test in found.places.unequal}
    assert found.places.groups[0].group == "JP"


def test_points_lean_to_no_side_and_lie_as_far_off_as_was_planted(tmp_path: Path) -> None:
    off, distance = [], []
    for seed in range(4):
        run = thick(tmp_path / f"run-{seed}", 100, judge="simulated/judge:noise=0.1", seed=seed)
        path = tmp_path / f"{seed}.csv"
        write_labels(path, simulate_labels([run], None, SimulatedAnnotators(count=1, noise=0.0)))
        (found,) = agreements_of(read_tables([run], [path]), AgreementOptions()).tasks
        figures = found.together.figures
        off.append(met("bias", figures["mean of judge less people (bias)"], 0.0))
        distance.append(figures["mean distance (absolute error)"].value)
    assert sum(one.held for one in off) >= 3
    assert np.mean(distance) == pytest.approx(0.0715, abs=0.02)  # even on ±.173, at levels .9 and .2 narrower: ±.1
