"""Simulated people: what is planted in them comes back out of their labels."""

import csv
from collections import Counter
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import SampleSpec, draw_sample
from mores.core.errors import InputError
from mores.core.verdict import JudgedUnit
from mores.runs.spec import Spec
from tests.annotation.conftest import Shape
from tests.annotation.people import COLUMNS, SimulatedAnnotators, simulate_labels, write_labels
from tests.annotation.runs import TALKS, made, talks, things
from tests.benchmarks.plays import TINY
from tests.endpoint import Endpoint


def tables(run: Path, folder: Path, people: SimulatedAnnotators) -> dict[str, TaskTable]:
    path = folder / f"people-{people.seed}-{people.count}-{len(people.accuracy)}.csv"
    write_labels(path, simulate_labels([run], None, people))
    return {table.task: table for table in read_tables([run], [path])}


def test_people_without_fault_say_what_a_judge_without_fault_says(spoken: Path, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=240))
    path = tmp_path / "labels.csv"
    write_labels(path, simulate_labels([spoken], sample, SimulatedAnnotators(count=2, accuracy=(1.0,))))
    for table in read_tables([spoken], [path], sample):
        given = table.labelled
        assert given.sum() == 40
        assert (table.truth[given] == table.judged[given]).all()


def test_each_person_is_as_often_right_as_planted(tmp_path: Path) -> None:
    chances = (0.95, 0.8, 0.6)
    right, of = np.zeros(3), 0
    for seed in range(4):
        run = talks(tmp_path / f"run-{seed}", 60, seed=seed)
        found = tables(run, tmp_path, SimulatedAnnotators(count=3, accuracy=chances, seed=seed))
        for task in ("awareness", "commonsense", "value"):
            table = found[task]
            right += (table.labels == table.judged[:, None]).sum(0)
            of += len(table.rows)
    for count, chance in zip(right, chances, strict=True):
        assert abs(count / of - chance) < 4 * sqrt(chance * (1 - chance) / of)


def test_labels_have_the_place_that_the_work_list_has(tmp_path: Path) -> None:
    run = talks(tmp_path / "run", 40)
    judged = {each.thing: each.place for each in things(run)}
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in simulate_labels([run], None, SimulatedAnnotators(count=1))]
    assert len({row["place"] for row in rows}) > 1
    for row in rows:
        step = int(row["step"]) if row["step"] else None
        assert row["place"] == judged[JudgedUnit(row["item"], int(row["sample"]), row["task"], step, row["norm"])]


def test_who_errs_takes_one_of_the_other_words_alike(tmp_path: Path) -> None:
    wrong: Counter[float] = Counter()
    for seed in range(3):
        run = talks(tmp_path / f"run-{seed}", 60, seed=seed)
        table = tables(run, tmp_path, SimulatedAnnotators(count=4, accuracy=(0.0,), seed=seed))["commonsense"]
        away = (table.labels - table.judged[:, None]) % 3
        assert not (away == 0).any()
        wrong.update(away.ravel().tolist())
    assert abs(wrong[1.0] - wrong[2.0]) < 4 * sqrt(wrong.total())


def test_points_are_true_on_average_and_as_far_off_as_planted(scenes: Path, tmp_path: Path) -> None:
    table = tables(scenes, tmp_path, SimulatedAnnotators(count=5, noise=0.1))["coverage"]
    off = table.labels - table.judged[:, None]
    assert abs(off.mean()) < 0.01
    assert 0.06 < off.std() < 0.11
    assert ((table.labels >= 0) & (table.labels <= 1)).all()
    exact = tables(scenes, tmp_path, SimulatedAnnotators(count=1, noise=0.0))["coverage"]
    assert np.abs(exact.labels[:, 0] - exact.judged).max() < 1e-9


def test_people_of_every_shape_can_be_simulated(shape: Shape, tmp_path: Path) -> None:
    for name in ("cure/casa_thick", "cultureforest/hard", "ladder/live", "liveculture/town"):
        rows = simulate_labels([shape(name)], None, SimulatedAnnotators(count=1))
        judged = [each for each in things(shape(name)) if each.prompt]
        assert len(rows) == len(judged)


def test_labels_of_a_sample_name_its_ids_and_nothing_of_what_they_are(spoken: Path, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=25))
    path = tmp_path / "labels.csv"
    write_labels(path, simulate_labels([spoken], sample, SimulatedAnnotators(count=2)))
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert tuple(rows[0]) == COLUMNS
    assert Counter(row["id"] for row in rows) == {row.id: 2 for row in sample.rows}
    assert {row["item"] for row in rows} == {row["task"] for row in rows} == {""}
    assert {row["annotator"] for row in rows} == {"simulated/person-1", "simulated/person-2"}


def test_labels_are_the_same_each_time_and_one_person_is_not_another(scenes: Path) -> None:
    once, again = (simulate_labels([scenes], None, SimulatedAnnotators(count=2)) for _ in range(2))
    assert once == again
    assert simulate_labels([scenes], None, SimulatedAnnotators(count=2, seed=1)) != once
    first, second = ([row[-1] for row in once if row[-2].endswith(f"-{n}")] for n in (1, 2))
    assert first != second


def test_one_more_person_changes_nothing_of_the_others(scenes: Path) -> None:
    two, three = (simulate_labels([scenes], None, SimulatedAnnotators(count=n)) for n in (2, 3))
    assert set(two) < set(three)


def test_nobody_is_simulated_over_a_real_subject(endpoint: Endpoint, tmp_path: Path) -> None:
    spec = Spec(benchmarks=("cure/normad_thick",), models=("vllm/subject",), roles={"judge": "vllm/judge"},
                data=str(TINY / "cure"), base_url=endpoint.url)  # fmt: skip
    run = made(tmp_path / "run", spec)
    with pytest.raises(InputError, match="nothing is planted in it, as its subject is real; expected labels of real"):
        simulate_labels([run], None, SimulatedAnnotators())


def test_a_sample_of_other_runs_has_nobody_to_label_it(shape: Shape, spoken: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=5))
    with pytest.raises(InputError, match="None of the sample's rows is in these runs"):
        simulate_labels([shape(TALKS)], sample, SimulatedAnnotators())
