"""Options and replies in the many ways that people's tables have them; the model of all tables here is always right."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mores.core.errors import InputError
from tests.runs.test_any_table import sheet
from tests.runs.test_logs_by_document import EASY, LETTERS, TURNED, Shown, lines, ran

Row = Mapping[str, Any]
Make = Callable[[Shown], Row]
WAYS: dict[str, Make] = {
    "JSON in a cell": lambda s: {"options": json.dumps(s.options), "response": LETTERS[s.right]},
    "Python's own words in a cell": lambda s: {"choices": repr(s.options), "response": LETTERS[s.right]},
    "a line each in a cell": lambda s: {
        "options": "\n".join(f"{mark}) {text}" for mark, text in zip(LETTERS, s.options, strict=True)),
        "response": LETTERS[s.right],
    },
    "columns from 0": lambda s: {**{f"option_{n}": text for n, text in enumerate(s.options)}, "response": str(s.right)},
    "within an example": lambda s: {
        "example": {"choices": dict(zip(LETTERS, s.options, strict=True))},
        "response": LETTERS[s.right],
    },
    "marks from 0 in the prompt": lambda s: {
        "prompt": s.words(("0. ", "1. ", "2. ", "3. ")),
        "response": f"{s.right}.",
    },
    "an option's own words and no options": lambda s: {"response": s.options[s.right]},
    "a list of replies": lambda s: {"choices": s.options, "responses": [f"The answer is {LETTERS[s.right]}."]},
    "a talk": lambda s: {
        "messages": [
            {"role": "user", "content": s.words()},
            {"role": "assistant", "content": f"({LETTERS[s.right]})"},
        ]
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_is_right_is_right_however_its_table_has_the_options(way: str, tmp_path: Path) -> None:
    rows = [{"question": shown.question, **WAYS[way](shown)} for shown in TURNED]
    points, counts = ran("culturalbench/easy", tmp_path / "t.jsonl", lines(rows))
    assert points == [1] * len(EASY)
    assert "left_out" not in counts


@pytest.mark.parametrize("way", ["JSON in a cell", "a line each in a cell", "columns from 0"])
def test_the_same_is_so_of_csv(way: str, tmp_path: Path) -> None:
    rows = [{"question": shown.question, **WAYS[way](shown)} for shown in TURNED]
    assert ran("culturalbench/easy", tmp_path / "t.csv", sheet(rows, ";"))[0] == [1] * len(EASY)


def as_numbers(first: int, turns: int) -> list[Row]:
    """The right options by their numbers in lists, the first of which is turned so far."""
    shown = [Shown(EASY[0], turns), *TURNED[1:]]
    return [{"question": each.question, "choices": each.options, "pred": each.right + first} for each in shown]


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_of_listed_options_count_from_the_first_that_all_of_them_tell(first: int, tmp_path: Path) -> None:
    ends = (Shown(EASY[0], turns).right for turns in range(4))
    turns = next(number for number, right in enumerate(ends) if right == (3 if first else 0))
    assert ran("culturalbench/easy", tmp_path / "t.jsonl", lines(as_numbers(first, turns)))[0] == [1] * len(EASY)


def test_numbers_that_may_count_from_0_or_1_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [row for row in as_numbers(1, 1) if row["pred"] < len(LETTERS)]
    with pytest.raises(InputError, match=rf"\({len(rows)} numbers of options that may count from 0 or from 1\)"):
        ran("culturalbench/easy", tmp_path / "t.jsonl", lines(rows))


def test_a_letter_beside_a_question_without_its_options_is_never_read_by_our_order(tmp_path: Path) -> None:
    rows = [{"question": shown.question, "response": LETTERS[shown.right]} for shown in TURNED]
    with pytest.raises(InputError, match=r"\(4 options stood in an order that is not told\)"):
        ran("culturalbench/easy", tmp_path / "t.jsonl", lines(rows))


@pytest.mark.parametrize("key", ["expected_output", "reference_output", "correct response", "target_completion"])
def test_what_would_be_right_is_not_what_was_said(key: str, tmp_path: Path) -> None:
    ids = [{"question_idx": row["question_idx"], key: row["answer"]} for row in EASY]
    with pytest.raises(InputError, match="no column is known to have the replies"):
        ran("culturalbench/easy", tmp_path / "t.jsonl", lines(ids))
    both = [{**row, "actual_output": "none of these"} for row in ids]
    points, counts = ran("culturalbench/easy", tmp_path / "t.jsonl", lines(both))
    assert points == [0] * len(EASY)
    assert counts["remarks"][0].startswith("reply from actual_output")


@pytest.mark.parametrize("options", [["Rice", "Bread"], [{"text": "Rice"}, {"text": "Bread"}]])
def test_options_are_not_taken_for_replies(options: list[Any], tmp_path: Path) -> None:
    rows = [{"question": shown.question, "choices": options} for shown in TURNED]
    with pytest.raises(InputError, match="no column is known to have the replies"):
        ran("culturalbench/easy", tmp_path / "t.jsonl", lines(rows))


def test_each_of_a_list_of_replies_is_a_sample(tmp_path: Path) -> None:
    rows = [{"question": shown.question, "choices": shown.options, "outputs": [LETTERS[shown.right], "none"]}
            for shown in TURNED]  # fmt: skip
    points, _ = ran("culturalbench/easy", tmp_path / "t.jsonl", lines(rows), samples=2, temperature=1.0)
    assert sorted(points) == [0] * len(EASY) + [1] * len(EASY)
