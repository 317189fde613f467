"""Simulated people: labels with planted error rates, so that whatever reads labels can be held against the truth.

They read what was planted in a simulated subject's words and err as often as set, each person by a seed of their own.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from mores.annotation.judged_items import (
    JudgedEvaluation,
    LabelQuestion,
    judged_evaluations,
    judged_things,
    questions_of,
)
from mores.annotation.sample import Sample, read_sample
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.core.seeds import Seed
from mores.core.table import sheet

PREFIX = "simulated/person-"
COLUMNS = ("id", "item", "task", "sample", "step", "norm", "place", "annotator", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnnotators:
    """How many there are and how right each is: chance to say the true word, and the spread of points around true ones.

    With several values of `accuracy` persons take them in turn. Who errs says one of the other words, alike.
    """

    count: int = 3
    accuracy: tuple[float, ...] = (0.95,)
    noise: float = 0.05
    seed: int = 0


def simulate_labels(runs: Sequence[Path], sample: Sample | None, people: SimulatedAnnotators) -> list[tuple[str, ...]]:
    """Rows of labels, in the columns `COLUMNS`: of a sample's rows by their ids, else of everything that was judged.

    Raises:
        InputError: the subject is real, so that nobody knows the truth.
    """
    rows = []
    for evaluation in judged_evaluations(runs):
        ids = {} if sample is None else {thing: row.id for thing, row in sample.rows_of(evaluation).items()}
        places = {each.thing: each.place for each in judged_things(evaluation)}  # a task may have another than its item
        wanted = None if sample is None else {thing.item for thing in ids}
        for question in questions_of(evaluation.run, evaluation.folder, wanted):
            if sample is not None and question.thing not in ids:
                continue
            name = ids.get(question.thing, "")
            place = places.get(question.thing, "")
            rows += [_row(evaluation, question, (name, place), person, people) for person in range(people.count)]
    if not rows:
        raise InputError("None of the sample's rows is in these runs; expected the runs that it was drawn from.")
    return rows


def _row(
    evaluation: JudgedEvaluation,
    question: LabelQuestion,
    drawn: tuple[str, str],
    person: int,
    people: SimulatedAnnotators,
) -> tuple[str, ...]:
    (row_id, place), thing = drawn, question.thing
    rng_seed = Seed(f"mores-people-{people.seed}").child(*evaluation.name, *(str(part) for part in thing), person)
    step = "" if thing.step is None else str(thing.step)
    named = ("", "", "", "", "") if row_id else (thing.item, thing.task, str(thing.sample), step, thing.norm)
    return (row_id, *named, place, f"{PREFIX}{person + 1}", _simulated_label(question, person, people, rng_seed))


def _simulated_label(question: LabelQuestion, person: int, people: SimulatedAnnotators, rng_seed: Seed) -> str:
    if question.truth is None:
        told = str(question.thing)
        raise InputError(f"{told}: nothing is planted in it, as its subject is real; expected labels of real people.")
    if not question.options:
        level = float(question.truth)
        reach = min(sqrt(3.0) * people.noise, level, 1.0 - level)
        return f"{level + reach * (2.0 * rng_seed.child('noise').uniform() - 1.0):.3f}"
    if rng_seed.child("right").uniform() < people.accuracy[person % len(people.accuracy)]:
        return question.truth
    others = [option for option in question.options if option != question.truth]
    return others[rng_seed.child("wrong").below(len(others))]


def write_labels(path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    """Put the rows into a new CSV file.

    Raises:
        InputError: the file is there already.
    """
    write_new(path, sheet(COLUMNS, rows, encoding="utf-8"))


def simulate(*words: object) -> None:
    """Write labels of simulated people: RUN… --out FILE [--sample DIR] [--people N] [--accuracy A,B] [--noise X]."""
    parser = ArgumentParser()
    parser.add_argument("runs", nargs="+", type=Path)
    for flag, kind, default in (("out", Path, None), ("sample", Path, None), ("people", int, 3), ("noise", float, 0.05),
                                ("accuracy", str, "0.95")):  # fmt: skip
        parser.add_argument(f"--{flag}", type=kind, default=default)
    given = parser.parse_args([str(word) for word in words])
    chances = tuple(map(float, given.accuracy.split(",")))
    people = SimulatedAnnotators(count=given.people, accuracy=chances, noise=given.noise)
    sample = None if given.sample is None else read_sample(given.sample)
    write_labels(given.out, simulate_labels(given.runs, sample, people))


if __name__ == "__main__":
    simulate(*sys.argv[1:])
