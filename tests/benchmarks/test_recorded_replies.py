"""Outputs made elsewhere, scored by a whole run: junk is a graded zero, what is missing is ungraded."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mores.core.errors import InputError
from mores.runs.run_study import run_study
from mores.runs.spec import Spec
from mores.runs.study import Study
from tests.benchmarks.plays import TINY

HARD = {f"hard-{n}": ("True" if n in {0, 5, 6, 11} else "False") for n in range(12)}
"""Right answers to the twelve statements of three questions: NL 0-3, JP 4-7, DE 8-11."""
Found = dict[tuple[str, str], dict[str, Any]]


def run(replies: Mapping[str, str], folder: Path, **wishes: Any) -> Found:
    """Estimates by metric and place (empty for the whole)."""
    folder.mkdir(exist_ok=True)
    path = folder / "replies.jsonl"
    rows = [{"item": item, "reply": reply} for item, reply in replies.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    spec = Spec(benchmarks=("culturalbench/hard",), models=(f"recorded/{path}",), data=str(TINY / "culturalbench"),
                **wishes)  # fmt: skip
    study = Study(spec=spec, folder=folder / "run")
    assert asyncio.run(run_study(study))
    estimates = json.loads((folder / "run" / "estimates.json").read_text(encoding="utf-8"))["estimates"]
    return {(e["metric"], e["group"].get("place", "")): e for e in estimates if set(e["group"]) <= {"place"}}


def causes(folder: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((folder / "run" / "manifest.json").read_text(encoding="utf-8"))["ungraded"]
    return found


def test_all_right_is_all_right(tmp_path: Path) -> None:
    found = run(HARD, tmp_path)
    assert found["accuracy", ""]["value"] == found["item_accuracy", ""]["value"] == 1
    assert (found["accuracy", ""]["asked"], found["item_accuracy", ""]["asked"]) == (3, 12)
    assert causes(tmp_path) == {}


@pytest.mark.parametrize("junk", ["", "   ", "maybe", "🙂", "truely", "True or False", "x" * 100_000, "{}", "null"])
def test_junk_is_a_graded_zero_with_its_share_of_format_errors(junk: str, tmp_path: Path) -> None:
    found = run({**HARD, "hard-0": junk}, tmp_path)
    accuracy, items = found["accuracy", ""], found["item_accuracy", ""]
    assert (accuracy["asked"], accuracy["graded"]) == (3, 3)
    assert accuracy["value"] == accuracy["worst"] == accuracy["best"] == pytest.approx(2 / 3)
    assert items["value"] == pytest.approx(11 / 12)
    assert found["format_error", ""]["value"] == pytest.approx(1 / 12)
    assert found["format_error", "NL"]["value"] == pytest.approx(1 / 4)
    assert found["refusal", ""]["value"] == 0


def test_a_refusal_is_a_graded_zero_with_a_share_of_its_own(tmp_path: Path) -> None:
    found = run({**HARD, "hard-0": "I’m sorry, but I can’t answer that."}, tmp_path)
    assert found["accuracy", ""]["value"] == pytest.approx(2 / 3)
    assert found["refusal", ""]["value"] == pytest.approx(1 / 12)
    assert found["format_error", ""]["value"] == 0


def test_a_missing_reply_is_ungraded_with_its_cause_and_bounds_on_both_sides(tmp_path: Path) -> None:
    found = run({item: reply for item, reply in HARD.items() if item != "hard-0"}, tmp_path)
    accuracy, items = found["accuracy", ""], found["item_accuracy", ""]
    assert (accuracy["asked"], accuracy["graded"], accuracy["value"]) == (3, 2, 1)
    assert (accuracy["worst"], accuracy["best"]) == (pytest.approx(2 / 3), 1)
    assert (items["asked"], items["graded"], items["value"]) == (12, 11, 1)
    assert (items["worst"], items["best"]) == (pytest.approx(11 / 12), 1)
    assert set(causes(tmp_path)) == {"no recorded reply"}
    nl = found["accuracy", "NL"]
    assert (nl["value"], nl["missing"]["code"], nl["asked"], nl["graded"]) == (None, "nothing_graded", 1, 0)
    errors = found["format_error", ""]
    assert (errors["value"], errors["worst"], errors["best"]) == (0, pytest.approx(1 / 12), 0)


def test_a_question_with_a_missing_and_a_wrong_answer_is_wrong(tmp_path: Path) -> None:
    replies = {item: reply for item, reply in HARD.items() if item != "hard-0"}
    found = run({**replies, "hard-1": "True"}, tmp_path)
    accuracy = found["accuracy", ""]
    assert (accuracy["asked"], accuracy["graded"]) == (3, 3)
    assert accuracy["value"] == accuracy["worst"] == accuracy["best"] == pytest.approx(2 / 3)


def test_outputs_of_another_benchmark_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row is about an item of culturalbench/hard; got 'easy-1', expected 'h"):
        run({"easy-1": "A"}, tmp_path)


def test_wordy_answers_count_leniently_alone_and_by_default_not_at_all(tmp_path: Path) -> None:
    wordy = {item: f"I would say {reply}, surely." for item, reply in HARD.items()}
    strict = run(wordy, tmp_path / "strict")
    assert (strict["accuracy", ""]["value"], strict["format_error", ""]["value"]) == (0, 1)
    assert (strict["accuracy_strict", ""]["value"], strict["accuracy_lenient", ""]["value"]) == (0, 1)
    lenient = run(wordy, tmp_path / "lenient", reading="lenient")
    assert (lenient["accuracy", ""]["value"], lenient["format_error", ""]["value"]) == (1, 0)
    assert (lenient["accuracy_strict", ""]["value"], lenient["accuracy_lenient", ""]["value"]) == (0, 1)
