"""Fifty simulated persons through whole runs: planted competence lies in the printed intervals as promised."""

import asyncio
import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scipy.stats import binom

from mores.models.budget import Budget
from mores.runs.spec import Conditions, Spec
from mores.runs.study import Study, run_study

SIZES = {"Japan": 16, "Nigeria": 8, "Germany": 10, "Mexico": 22, "India": 9, "Poland": 5}
IDS = {"Japan": "JP", "Nigeria": "NG", "Germany": "DE", "Mexico": "MX", "India": "IN", "Poland": "PL"}
WEAK, SLIPS = {"NG": 0.25, "IN": 0.4}, 0.02
LEVELS = (0.15, 0.4, 0.6, 0.8, 0.95)
SEEDS, PERSONS = 5, 10
GUESS = {"culturalbench/hard": 1 / 16, "culturalbench/easy": 1 / 4, "cure/normad_thin": 1 / 3}


class Printed(NamedTuple):
    """An estimate that a run left, and what was planted."""

    benchmark: str
    place: str
    low: float
    high: float
    value: float
    truth: float


def planted(benchmark: str, know: float) -> float:
    answers = 4 if benchmark == "culturalbench/hard" else 1
    return (know + (1 - know) * GUESS[benchmark]) * (1 - SLIPS) ** answers


def knowledge(level: float, place: str) -> float:
    return WEAK.get(place, level)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions of our own in the layouts of CulturalBench and NormAd, unevenly spread over six places."""
    folder = tmp_path_factory.mktemp("data")
    questions = [(n, country) for n, country in enumerate(c for c, size in SIZES.items() for _ in range(size))]
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
    tables: dict[str, list[dict[str, Any]]] = {
        "culturalbench-easy.csv": easy,
        "culturalbench-hard.csv": hard,
        "normad.csv": scenes,
    }
    for name, rows in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    return folder


@pytest.fixture(scope="module")
def printed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Printed]:
    """What fifty persons' runs left: five seeds, ten persons each, of five levels of competence."""
    found: list[Printed] = []
    weak = ",".join(f"{place}={know}" for place, know in WEAK.items())
    for seed in range(SEEDS):
        folder = tmp_path_factory.mktemp(f"seed-{seed}") / "run"
        levels = {f"simulated/typical:know={level},judge={level},{weak},format_error={SLIPS},person={p}": level
                  for p in range(PERSONS) for level in (LEVELS[p % 5],)}  # fmt: skip
        spec = Spec(benchmarks=tuple(GUESS), models=tuple(levels), data=str(data), seed=seed)
        study = Study(spec=spec, conditions=Conditions(concurrency=8), folder=folder, budget=Budget())
        assert asyncio.run(run_study(study))
        for path in sorted(folder.glob("*/estimates.json")):
            found += _read(json.loads(path.read_text(encoding="utf-8")), levels)
    return found


def _read(whole: dict[str, Any], levels: dict[str, float]) -> Iterator[Printed]:
    name, level = whole["benchmark"], levels[whole["model"]]
    truths = {place: planted(name, knowledge(level, place)) for place in IDS.values()}
    of = sum(SIZES.values())
    truths[""] = sum(size * truths[IDS[country]] for country, size in SIZES.items()) / of
    assert whole["simulated"] is True
    for one in whole["estimates"]:
        place = one["group"].get("place", "")
        if one["metric"] == "accuracy" and set(one["group"]) <= {"place"} and one["low"] is not None:
            yield Printed(name, place, one["low"], one["high"], one["value"], truths[place])


@pytest.mark.parametrize("name", GUESS)
def test_the_planted_figure_is_in_the_interval_of_the_whole_as_often_as_promised(
    name: str, printed: list[Printed]
) -> None:
    """With .95 the chance to see fewer than the bound is one in two thousand."""
    held = [p.low <= p.truth <= p.high for p in printed if p.benchmark == name and not p.place]
    assert len(held) == SEEDS * PERSONS
    assert sum(held) >= binom.ppf(0.0005, len(held), 0.95)


@pytest.mark.parametrize("name", GUESS)
def test_the_planted_figures_are_in_the_intervals_of_the_places_as_often_as_promised(
    name: str, printed: list[Printed]
) -> None:
    held = [p.low <= p.truth <= p.high for p in printed if p.benchmark == name and p.place]
    assert len(held) >= SEEDS * PERSONS * 2
    assert sum(held) >= binom.ppf(0.0005, len(held), 0.94)


@pytest.mark.parametrize("name", GUESS)
def test_fifty_persons_together_leave_no_room_for_a_crooked_ruler(name: str, printed: list[Printed]) -> None:
    """The mean error over all runs is within four standard errors of nothing."""
    errors = [p.value - p.truth for p in printed if p.benchmark == name and not p.place]
    spread = (sum(e * e for e in errors) / len(errors)) ** 0.5
    assert abs(sum(errors) / len(errors)) < 4 * spread / len(errors) ** 0.5
    assert spread < 0.08


def test_persons_and_seeds_differ(printed: list[Printed]) -> None:
    values = Counter(p.value for p in printed if p.benchmark == "culturalbench/easy" and not p.place)
    assert len(values) > 20
