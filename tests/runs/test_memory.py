"""What a run holds of an item is little: its plan, its verdicts, its figures and its place in the page's list."""

import csv
import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.core.seeds import Seed
from mores.core.verdict_table import VerdictTable
from mores.reports.browse import browser
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.runs.stored_plays import StoredPlays
from tests.runs.conduct import hold

FEW, MANY = 80, 330
"""Questions of four statements each."""


@pytest.fixture(autouse=True)
def as_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held as it is while it is little is held here as where there are very many."""
    monkeypatch.setattr("mores.core.sequences.PLAIN", 0)
    monkeypatch.setattr(gc, "unfreeze", lambda: None)  # a run in between leaves aside what `_growth` has left aside


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A run of few and one of many items, their data beside them; and a first one, for what is imported once."""
    folder = tmp_path_factory.mktemp("memory")
    found = {}
    for questions in (10, FEW, MANY):
        data, found[questions] = folder / f"{questions}.csv", folder / str(questions)
        with data.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(("data_idx", "question_idx", "prompt_question", "prompt_option", "answer", "country"))
            for number in range(4 * questions):
                words = f"In Japan, at a wedding (case {number // 4}), what do guests usually bring with them?"
                true = "TRUE" if number % 4 == number // 4 % 4 else "FALSE"
                rows.writerow((number, number // 4, words, f"A gift wrapped in paper, {number % 4}.", true, "Japan"))
        spec = Spec(benchmarks=("culturalbench/hard",), models=("baseline/random",), data=str(data))
        assert hold(found[questions], spec)
    return found


def _growth(of: Callable[[int], object], *, at_peak: bool = False) -> float:
    """Bytes by which what is left, or held at most on the way, grows with an item."""
    held = {}
    gc.collect()
    gc.freeze()  # so that what other tests keep is not looked through six times
    for questions in (10, FEW, MANY):
        tracemalloc.start()
        try:
            left = of(questions)
            gc.collect()
            held[questions] = tracemalloc.get_traced_memory()[at_peak]
            del left
        finally:
            tracemalloc.stop()
    return (held[MANY] - held[FEW]) / (4 * (MANY - FEW))


def test_an_item_of_the_plan_takes_less_than_150_bytes(runs: dict[int, Path]) -> None:
    benchmark = catalogue.load("culturalbench/hard")

    def planned(questions: int) -> object:
        data = runs[questions].with_suffix(".csv")
        return benchmark.items(Setting(data=data, protocol=benchmark.card.protocol, seed=Seed("x")))

    assert _growth(planned) < 150


def test_two_verdicts_on_an_item_and_the_place_of_its_transcript_take_less_than_200_bytes(
    runs: dict[int, Path],
) -> None:
    def read(questions: int) -> object:
        with (runs[questions] / "verdicts.jsonl").open("rb") as lines:
            table = VerdictTable.read(lines, where="verdicts")
        plays = StoredPlays(runs[questions])
        assert plays.line(("hard-3", 0)) is not None
        plays.close()
        return table, plays

    assert _growth(read) < 200


def test_a_run_with_its_figures_never_holds_more_than_700_bytes_an_item(
    runs: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.runs.evaluation.TOGETHER", 1 << 14)  # of what is gathered by the thousand, few at a time
    monkeypatch.setattr("mores.runs.evaluation.FRESH", 100)
    monkeypatch.setattr("mores.analysis.aggregate.MANY", 100)

    def again(questions: int) -> object:
        data = runs[questions].with_suffix(".csv")
        spec = Spec(benchmarks=("culturalbench/hard",), models=("baseline/random",), data=str(data))
        return hold(tmp_path / str(questions), spec)

    assert _growth(again, at_peak=True) < 700


def test_an_item_of_the_pages_list_takes_less_than_a_kilobyte_while_it_is_made(
    runs: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a list of very many: of some lines and parts a few are open at a time.
    monkeypatch.setattr("mores.core.verdict_lines.MANY", 64)
    monkeypatch.setattr("mores.reports.browse.items.PART", 20_000)
    monkeypatch.setattr("mores.reports.browse.messages.OPENED", 0)
    monkeypatch.setattr("mores.reports.browse.messages.HELD", 64)

    read = {questions: read_results([run]) for questions, run in runs.items()}
    assert all(len(results.evaluations[0].scores) for results in read.values())

    def listed(questions: int) -> object:
        return browser(read[questions])

    assert _growth(listed, at_peak=True) < 1_000
