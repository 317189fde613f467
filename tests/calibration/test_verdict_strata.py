"""Labels of rare verdicts, drawn far more often than others: every figure still speaks of all that was judged."""

from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace

from mores.annotation.judged_items import judged_evaluations, judged_things
from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import Sample, SampleSpec, draw_things
from mores.calibration.agreement import AgreementOptions, agreement_of
from mores.calibration.calibration_labels import Splitting, split_truths
from mores.calibration.certificate import Promised
from mores.core.seeds import Seed
from tests.calibration.made_votes import Play, corrections, drawn, judged_run, labels_file

DAYS, STEPS, DRAWS = 120, 12, 16


Samples = list[tuple[Sample, Path]]


class World(NamedTuple):
    """A run, and what is true of each thing: the judge finds 5 of 6 violations, and sees some that are none."""

    run: Path
    true: dict[str, str]
    said: dict[str, str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    rng = np.random.default_rng(3)
    names = [(f"d{day}-{step}", f"d{day}") for day in range(DAYS) for step in range(STEPS)]
    broken = rng.random(len(names)) < 0.06
    seen = np.where(broken, rng.random(len(names)) < 5 / 6, rng.random(len(names)) < 0.03)
    true = {name: "no" if b else "yes" for (name, _), b in zip(names, broken, strict=True)}
    said = {name: "no" if s else "yes" for (name, _), s in zip(names, seen, strict=True)}
    plays = [Play(item=name, said=said[name], cluster=day) for name, day in names]
    return World(judged_run(tmp_path_factory.mktemp("rare") / "run", plays), true, said)


@pytest.fixture(scope="module")
def samples(world: World, tmp_path_factory: pytest.TempPathFactory) -> Samples:
    """Samples of 80 days, half of the rows a violation as the judge has it, with labels of somebody who knows."""
    things = [each for evaluation in judged_evaluations([world.run]) for each in judged_things(evaluation)]
    folder, found = tmp_path_factory.mktemp("labels"), []
    for seed in range(DRAWS):
        wanted = SampleSpec(n=80, stratify=("task", "verdict"), splits=(), seed=seed)
        lots = {lot.thing.thing.item: lot.chance for lot in draw_things(things, wanted)}
        bare = drawn([world.run], lots, "episode")
        rows = tuple(replace(row, chance=lots[row.item]) for row in bare.rows)
        labels = [(row.id, "ann", world.true[row.item]) for row in rows]
        sample = replace(bare, wanted=wanted, population=len(things), rows=rows)
        found.append((sample, labels_file(folder / f"{seed}.csv", labels, ids=True)))
    return found


@pytest.fixture(scope="module")
def tables(world: World, samples: Samples) -> list[TaskTable]:
    return [read_tables([world.run], (labels,), sample)[0] for sample, labels in samples]


def share(world: World, word: str) -> float:
    return sum(each == word for each in world.true.values()) / len(world.true)


def test_corrected_means_are_those_of_all_things(world: World, samples: Samples) -> None:
    """People alone and PPI++ find the share of what is right; labels taken as they come would say .7."""
    truth, found, plain, held, warned = share(world, "yes"), [], [], 0, 0
    for sample, labels in samples:
        task = corrections([world.run], labels, sample=sample).tasks[0]
        powered, people = task.whole[0].powered, task.whole[0].people
        assert powered is not None
        assert None not in (powered.value, powered.low, powered.high, people.value)
        found.append((powered.value or 0, people.value or 0))
        held += (powered.low or 0) <= truth <= (powered.high or 0)
        plain.append(np.mean([world.true[row.item] == "yes" for row in sample.rows]))
        warned += bool(task.warnings)
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / sqrt(DRAWS)
    assert (np.abs(means - truth) < 3 * errors + 0.002).all(), (means, truth)
    assert np.mean(plain) < 0.75
    assert held >= 0.85 * DRAWS
    assert warned <= 2  # of a sample that is what it is held to be: one in a hundred warns by luck


def test_recall_of_rare_violations_is_that_of_all_things(world: World, tables: list[TaskTable]) -> None:
    broken = [name for name, word in world.true.items() if word == "no"]
    seen = [name for name, word in world.said.items() if word == "no"]
    both = len(set(broken) & set(seen))
    found = []
    for table in tables:
        figures = agreement_of(table, AgreementOptions()).together.classes[1]
        found.append((figures.precision.value, figures.recall.value))
    mean = np.mean(found, axis=0)
    assert mean[0] == pytest.approx(both / len(seen), abs=0.04)
    assert mean[1] == pytest.approx(both / len(broken), abs=0.1)  # a ratio of so few leans a little


@pytest.mark.parametrize("promise", ["thing", "episode"])
def test_what_calibrates_is_as_if_drawn_without_strata(
    world: World, tables: list[TaskTable], promise: Promised
) -> None:
    """Things of the rare verdict are set aside until their share is that in all things; all days are as long here."""
    kept = [
        table.judged[split_truths(table, Splitting(promise=promise), seed=Seed("t").child(number)).calibration] == 1
        for number, table in enumerate(tables)
    ]
    everything = sum(word == "no" for word in world.said.values()) / len(world.said)
    assert np.concatenate(kept).mean() == pytest.approx(everything, abs=0.03)
