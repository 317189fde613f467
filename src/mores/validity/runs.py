"""Whole runs: is what was planted in a person in the intervals that the person's run leaves?

Persons go through journal, parser, judge and statistics like real models. Questions are made up in the layouts of the
published data; each draw is a small study in a temporary folder.
"""

import asyncio
import csv
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import Struct

from mores.benchmarks import catalogue
from mores.core.codec import parse_json, read_text
from mores.core.errors import RunError
from mores.core.seeds import Seed
from mores.runs.evaluation import ESTIMATES, TRANSCRIPTS, VERDICTS, read_estimates
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study
from mores.stats.intervals import Interval
from mores.stats.labelled_units import JudgedUnits, LabelledUnits
from mores.stats.prediction_powered import prediction_powered
from mores.validity.promises import interval, missed, promising

FAMILY = "whole runs"
SIZES = {"Japan": 16, "Nigeria": 8, "Germany": 10, "Mexico": 22, "India": 9, "Poland": 5}
WEAK, WEAKLY, SLIPS = {"Nigeria": "NG", "India": "IN"}, 0.3, 0.02
LEVELS = (0.15, 0.4, 0.6, 0.8, 0.95)
CLOSED = ("culturalbench/hard", "culturalbench/easy", "cure/normad_thin")
SCENES, LABELLED, KNOWS = 240, 100, 0.6
SENSITIVITY, SPECIFICITY = 0.8, 0.7


def write_data(folder: Path, sizes: Mapping[str, int]) -> None:
    """Questions of our own in the layouts of CulturalBench and NormAd, unevenly spread over places."""
    questions = list(enumerate(country for country, size in sizes.items() for _ in range(size)))
    easy = [
        {"question_idx": n, "prompt_question": f"Question {n}?", **{f"prompt_option_{x}": f"{x} {n}" for x in "abcd"},
         "answer": "ABCD"[n % 4], "country": country}
        for n, country in questions
    ]  # fmt: skip
    hard = [
        {"data_idx": 4 * n + i, "question_idx": n, "prompt_question": f"Question {n}?", "prompt_option": f"{i} {n}",
         "answer": "TRUE" if i == n % 4 else "FALSE", "country": country}
        for n, country in questions
        for i in range(4)
    ]  # fmt: skip
    scenes = [
        {"id": n, "Country": country, "Story": f"Scene {n}.", "Rule-of-Thumb": f"Rule {n // 2}.",
         "Gold Label": ("yes", "no", "neutral")[n % 3]}
        for n, country in questions
    ]  # fmt: skip
    for name, rows in (("culturalbench-easy", easy), ("culturalbench-hard", hard), ("normad", scenes)):
        _write(folder / f"{name}.csv", rows)


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


class SimulatedPerson(Struct, frozen=True, kw_only=True):
    """A simulated person: the chance to know, that at weak places, and the share of unusable answers."""

    knows: float
    weakly: float
    slips: float
    name: str

    @property
    def spec(self) -> str:
        """The model to name in a run."""
        weak = "".join(f",{place}={self.weakly}" for place in WEAK.values())
        chances = f"know={self.knows},judge={self.knows},explain={self.knows},format_error={self.slips}"
        return f"simulated/typical:{chances}{weak},person={self.name}"

    def planted(self, chance: float, answers: int, weak: float) -> float:
        """The share that comes out: known or guessed right, no answer unusable; `weak` is the share of weak places."""
        knows = (1 - weak) * self.knows + weak * self.weakly
        return (knows + (1 - knows) * chance) * (1 - self.slips) ** answers


def ran(folder: Path, spec: Spec) -> dict[str, Path]:
    """The finished folders of a study's benchmarks.

    Raises:
        RunError: the study came to no end.
    """
    study = Study(spec=spec, conditions=ExecutionSpec(concurrency=8), folder=folder / "run")
    if not asyncio.run(run_study(study)):
        raise RunError("a simulated study of the self-test did not finish; see whether there is room on the disk.")
    return {read_estimates(path.parent)["benchmark"]: path.parent for path in study.folder.rglob(ESTIMATES)}


def number_of(seed: Seed) -> int:
    """A study's seed out of a draw's."""
    # studies take a whole number, which a named seed is not
    return seed.child("study").below(2**31)


def interval_of(folder: Path, metric: str) -> Interval:
    """The interval of a metric over the whole, as the run left it."""
    found = read_estimates(folder)["estimates"]
    whole = next(one for one in found if one["metric"] == metric and not one["group"])
    return Interval(whole["low"], whole["high"], str(whole["method"]))


def _person_of(seed: Seed) -> SimulatedPerson:
    level = LEVELS[seed.child("level").below(len(LEVELS))]
    return SimulatedPerson(knows=level, weakly=WEAKLY, slips=SLIPS, name=str(seed.child("person").below(10**6)))


@promising(
    FAMILY,
    *(interval(f"a run of {name}") for name in CLOSED),
    interval("a run of culturalbench/easy, guesses taken for knowledge", naive=True),
)
def _closed(seed: Seed) -> list[float]:
    person = _person_of(seed)
    weak = sum(SIZES[country] for country in WEAK) / sum(SIZES.values())
    with TemporaryDirectory(prefix="mores-doctor-") as name:
        folder = Path(name)
        write_data(folder, SIZES)
        folders = ran(folder, Spec(benchmarks=CLOSED, models=(person.spec,), data=name, seed=number_of(seed)))
        found = [interval_of(folders[each], "accuracy") for each in CLOSED]
    knowledge = (1 - weak) * person.knows + weak * person.weakly
    return [*(missed(*one) for one in zip(found, truths_of(person, CLOSED, weak), strict=True)),
            missed(found[CLOSED.index("culturalbench/easy")], knowledge)]  # fmt: skip


def truths_of(person: SimulatedPerson, names: Sequence[str], weak: float) -> list[float]:
    """Truth planted in each benchmark; all answers to a unit have to be usable."""
    cards = [catalogue.card(name) for name in names]
    return [person.planted(card.chance or 0.0, card.items // card.units, weak) for card in cards]


@promising(
    FAMILY,
    interval("a judged run of cure/normad_thick: labels"),
    interval("a judged run: reasons as the judge sees them"),
    interval("a judged run: reasons put right by 100 labels"),
    interval("a judged run: the judge's word taken for the truth", naive=True),
)
def _judged(seed: Seed) -> list[float]:
    """Reasons graded yes or no by a judge that errs as planted, then put right by labels of some of the answers."""
    person = SimulatedPerson(knows=KNOWS, weakly=KNOWS, slips=SLIPS, name=str(seed.child("person").below(10**6)))
    good = (1 - SLIPS) * (KNOWS + (1 - KNOWS) / 2)  # who does not know gives good reasons half the time
    judge = f"simulated/judge:sensitivity={SENSITIVITY},specificity={SPECIFICITY},format_error=0"
    with TemporaryDirectory(prefix="mores-doctor-") as name:
        folder = Path(name)
        write_data(folder, {country: SCENES // len(SIZES) for country in SIZES})
        spec = Spec(
            benchmarks=("cure/normad_thick",), models=(person.spec,), roles={"judge": judge}, data=name,
            settings={"scale": "binary"}, seed=number_of(seed),
        )  # fmt: skip
        (evaluation,) = ran(folder, spec).values()
        label, seen = interval_of(evaluation, "accuracy"), interval_of(evaluation, "coverage")
        truths, judged, rules = _graded(evaluation)
    asked = (1 - SLIPS) * (1 - SPECIFICITY) + good * (SENSITIVITY + SPECIFICITY - 1)
    return [
        missed(label, person.planted(1 / 3, 1, 0.0)),
        missed(seen, asked),
        missed(_corrected(truths, judged, rules, seed), good),
        missed(seen, good),
    ]


def _corrected(truths: list[float], judged_points: list[float], rules: list[str], seed: Seed) -> Interval:
    """The share of good reasons from the verdicts of all answers and labels of some, whole rules being drawn."""
    distinct = sorted(set(rules), key=lambda rule: seed.child("drawn", rule).uniform())
    drawn = set(distinct[: LABELLED // 2])
    own = np.array([rule in drawn for rule in rules])
    truth, verdict, rule = np.array(truths), np.array(judged_points), np.array(rules)
    judged = JudgedUnits(values=verdict[~own], clusters=rule[~own])
    labelled = LabelledUnits(values=verdict[own], labels=truth[own], clusters=rule[own])
    return prediction_powered(judged, labelled).corrected.interval


def _graded(folder: Path) -> tuple[list[float], list[float], list[str]]:
    """Of each answer: whether its reasons were planted as good, what the judge said, and its rule."""
    planted = dict(_planted(folder))
    rows = [parse_json(line, where=VERDICTS) for line in read_text(folder / VERDICTS).splitlines()]
    judged = [row for row in rows if row["task"] == "coverage"]
    return (
        [planted[row["about"]["item"]] for row in judged],
        [float(row["points"]) for row in judged],
        [str(row["about"]["cluster"]) for row in judged],
    )


def _planted(folder: Path) -> Iterator[tuple[str, float]]:
    """Each item with the points that were planted in its reasons; an unusable answer has none."""
    for line in read_text(folder / TRANSCRIPTS).splitlines():
        play = parse_json(line, where=TRANSCRIPTS)
        judged = next(e["planted"] for e in play["events"] if e["event"] == "answered" and e["role"] == "subject")
        _, _, points = str(judged).partition("/")
        yield play["item"], float(float(points or nan) > 0.5)


EXPERIMENTS = (_closed("closed questions", 20), _judged("a judged run", 20))
