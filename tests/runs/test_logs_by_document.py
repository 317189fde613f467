"""Logs of other programs are matched by what each row is about, and read by the order of options that it showed.

The model of all logs here is always right, so that each question that is graded otherwise was matched or read wrongly.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.core.errors import InputError
from tests.benchmarks.plays import TINY

DATA = TINY / "culturalbench"
LETTERS = "ABCD"
Row = Mapping[str, Any]


def rows_of(name: str) -> list[dict[str, str]]:
    with (DATA / f"culturalbench-{name}.csv").open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


EASY, HARD = rows_of("easy"), rows_of("hard")


class Shown:
    """A question of the easy setup with its options turned, so that no letter means what it does here."""

    def __init__(self, row: dict[str, str], turns: int) -> None:
        options = [row[f"prompt_option_{letter}"] for letter in "abcd"]
        self.question = row["prompt_question"]
        self.options = options[turns:] + options[:turns]
        self.right = self.options.index(options[LETTERS.index(row["answer"])])

    def words(self, marks: Sequence[str] = ("A. ", "B. ", "C. ", "D. "), between: str = "\n") -> str:
        return between.join((self.question, *map("".join, zip(marks, self.options, strict=True)))) + f"{between}Answer:"


TURNED = [Shown(row, 1 + number % 3) for number, row in enumerate(EASY)]


def lm_eval(number: int, prompt: str, said: str, doc: Row | None = None) -> Row:
    return {"doc_id": number, "doc": doc or {}, "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {}}},
            "resps": [[said]]}  # fmt: skip


def inspect(number: int, shown: Shown) -> Row:
    said = {"role": "assistant", "content": f"ANSWER: {LETTERS[shown.right]}"}
    return {"id": number, "epoch": 1, "input": shown.question, "choices": shown.options, "messages": [],
            "output": {"model": "m", "choices": [{"message": said, "stop_reason": "stop"}]}}  # fmt: skip


def helm(number: int, shown: Shown) -> Row:
    return {"instance": {"id": f"id{number}", "input": {"text": shown.question}},
            "request": {"model": "m", "prompt": "as it was"},
            "output_mapping": dict(zip(LETTERS, shown.options, strict=True)),
            "result": {"success": True, "completions": [{"text": f" {LETTERS[shown.right]}"}]}}  # fmt: skip


def every_eval_ever(number: int, shown: Shown) -> Row:
    return {"sample_id": f"x{number}", "interaction_type": "single_turn", "model_id": "m",
            "input": {"raw": shown.question, "choices": shown.options},
            "output": {"raw": [LETTERS[shown.right]]}}  # fmt: skip


def table(number: int, shown: Shown) -> Row:
    return {"n": number, "prompt": shown.words(), "response": LETTERS[shown.right], "latency": 0.3}


def lines(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def ran(name: str, path: Path, text: str, **wishes: Any) -> tuple[list[float], dict[str, Any]]:
    """Points of what was graded, and the counts that are not zero."""
    path.write_text(text, encoding="utf-8")
    out = wishes.pop("out", path.parent / "run")
    wishes = {"data": str(DATA), "reading": "lenient", **wishes}
    mores.run(name, model=f"recorded/{path}", out=out, **wishes)
    found = [json.loads(line) for line in (out / "verdicts.jsonl").read_text("utf-8").splitlines()]
    (usage,) = json.loads((out / "manifest.json").read_text("utf-8"))["models"].values()
    counts = {key: value for key, value in (usage.get("recording") or {}).items() if value}
    told = ("by_name", "by_document", "by_words", "by_contents", "ambiguous", "unmatched", "left_out")
    assert not counts or sum(counts.get(name, 0) for name in told) == counts["replies"]
    assert counts.get("left_out", 0) == sum(counts.get("reasons", {}).values())
    return [v["points"] for v in found if v["verdict"] == "graded" and v["task"] == "lenient"], counts


PROGRAMS: dict[str, tuple[str, Callable[[], str]]] = {
    "lm_eval": ("samples_x.jsonl", lambda: lines([lm_eval(n, each.words(), f" {LETTERS[each.right]}")
                                                  for n, each in enumerate(TURNED)])),
    "inspect": ("log.json", lambda: json.dumps({"eval": {}, "status": "success", "samples":
                                                [inspect(n, each) for n, each in enumerate(TURNED)]})),
    "helm": ("scenario_state.json", lambda: json.dumps({"request_states": [helm(n, e) for n, e in enumerate(TURNED)]})),
    "every_eval_ever": ("x_samples.jsonl", lambda: lines([every_eval_ever(n, e) for n, e in enumerate(TURNED)])),
    "table": ("outputs.jsonl", lambda: lines([table(n, each) for n, each in enumerate(TURNED)])),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_letters_mean_the_order_that_was_shown(program: str, tmp_path: Path) -> None:
    name, text = PROGRAMS[program]
    points, counts = ran("culturalbench/easy", tmp_path / name, text())
    assert points == [1] * len(EASY)
    assert counts["reordered"] == len(EASY)


MARKS = {
    "letters": (("A. ", "B. ", "C. ", "D. "), ("A", "B", "C", "D")),
    "small letters": (("(a) ", "(b) ", "(c) ", "(d) "), ("(A)", "(B)", "(C)", "(D)")),
    "brackets": (("[A] ", "[B] ", "[C] ", "[D] "), tuple(f"The answer is {letter}." for letter in LETTERS)),
    "numbers": (("1) ", "2) ", "3) ", "4) "), ("1", "2.", "3", "Option 4")),
    "none": (("- ",) * 4, ("The first one.", "the second", "third option", "the last one")),
}


@pytest.mark.parametrize("between", ["\n", "  "])
@pytest.mark.parametrize("marks", MARKS)
def test_options_are_found_in_the_prompt_under_whatever_marks(marks: str, between: str, tmp_path: Path) -> None:
    before, said = MARKS[marks]
    rows = [lm_eval(n, each.words(before, between), said[each.right]) for n, each in enumerate(TURNED)]
    points, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * len(EASY)
    assert counts["by_contents"] == len(EASY)


def test_an_option_in_its_own_words_is_its_letter_here(tmp_path: Path) -> None:
    rows = [lm_eval(n, each.words(("- ",) * 4), f"{each.options[each.right]}.") for n, each in enumerate(TURNED)]
    assert ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows))[0] == [1] * len(EASY)


def test_the_prompt_goes_before_a_document_whose_options_stand_otherwise(tmp_path: Path) -> None:
    rows = [lm_eval(n, each.words(), LETTERS[each.right], doc=dict(row))
            for n, (each, row) in enumerate(zip(TURNED, EASY, strict=True))]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * len(EASY)
    assert counts["by_name"] == counts["reordered"] == len(EASY)


def test_options_in_an_order_that_is_not_told_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [{**every_eval_ever(n, each), "sample_id": f"easy-{EASY[n]['question_idx']}"}
            for n, each in enumerate(TURNED)]  # fmt: skip
    del rows[0]["input"]["choices"]
    points, counts = ran("culturalbench/easy", tmp_path / "x_samples.jsonl", lines(rows))
    assert points == [1] * (len(EASY) - 1)
    assert counts["reasons"] == {"options stood in an order that is not told": 1}
    assert counts["missing"] == 1


def test_other_options_than_ours_are_never_read_by_our_letters(tmp_path: Path) -> None:
    rows = [{**row, "input": {**row["input"], "choices": [*row["input"]["choices"][:3], "All of these"]}}
            for row in (every_eval_ever(n, each) for n, each in enumerate(TURNED))]  # fmt: skip
    with pytest.raises(InputError, match=r"\(4 options stood in an order that is not told\)"):
        ran("culturalbench/easy", tmp_path / "x_samples.jsonl", lines(rows))


def test_two_options_alike_are_read_where_nothing_moved_and_left_out_where_it_did(tmp_path: Path) -> None:
    same = {**EASY[0], "prompt_option_d": EASY[0]["prompt_option_a"]}
    table = [[*same], [*same.values()], *([*row.values()] for row in EASY[1:])]
    text = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in table)
    data = tmp_path / "data" / "culturalbench-easy.csv"
    data.parent.mkdir()
    data.write_text(text, "utf-8")
    for turns, points in ((0, 4), (1, 3)):
        rows = [lm_eval(n, each.words(), LETTERS[each.right])
                for n, each in enumerate([Shown(same, turns), *TURNED[1:]])]  # fmt: skip
        found, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows), data=str(data),
                            out=tmp_path / f"run{turns}")  # fmt: skip
        assert found == [1] * points
        assert counts.get("reasons", {}) == ({"options stood in an order that is not told": 1} if turns else {})


def shots(number: int) -> list[tuple[str, str]]:
    """Two examples before a question, which are other questions of the same data."""
    others = [Shown(EASY[(number + step) % len(EASY)], 2) for step in (1, 2)]
    return [(each.words(), LETTERS[each.right]) for each in others]


def as_text(number: int, asked: str) -> str:
    return "\n\n".join(["Answer with a letter.", *(f"{words} {said}" for words, said in shots(number)), asked])


def as_turns(number: int, asked: str) -> str:
    turns = [turn for words, said in shots(number) for turn in ({"role": "user", "content": words},
                                                                {"role": "assistant", "content": said})]  # fmt: skip
    return json.dumps([{"role": "system", "content": shots(number)[0][0]}, *turns, {"role": "user", "content": asked}])


@pytest.mark.parametrize("put", [as_text, as_turns])
@pytest.mark.parametrize("told", [True, False])
def test_examples_before_a_question_are_never_the_question(
    put: Callable[[int, str], str], told: bool, tmp_path: Path
) -> None:
    rows = [lm_eval(n, put(n, each.words()), LETTERS[each.right],
                    doc={"question": each.question, "choices": each.options} if told else None)
            for n, each in enumerate(TURNED)]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * len(EASY)
    assert counts["by_document" if told else "by_contents"] == len(EASY)


def test_statements_of_one_question_as_examples_for_another_are_told_apart(tmp_path: Path) -> None:
    def put(row: dict[str, str]) -> str:
        return f"Question: {row['prompt_question']}\nAnswer given: {row['prompt_option']}\nTrue or False?"

    rows = []
    for number, row in enumerate(HARD):
        example = HARD[number // 4 * 4 + (number + 1) % 4]
        rows.append(lm_eval(number, f"{put(example)} {example['answer']}\n\n{put(row)}", row["answer"].title()))
    points, counts = ran("culturalbench/hard", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * len(HARD)
    assert counts["by_contents"] == len(HARD)


def test_an_example_is_not_taken_for_a_question_that_is_not_asked_here(tmp_path: Path) -> None:
    strange = Shown({**EASY[0], "prompt_question": "Which of these do people there do when the first snow falls?",
                     **{f"prompt_option_{letter}": f"Thing {letter}" for letter in "abcd"}}, 0)  # fmt: skip
    rows = [lm_eval(0, as_text(0, strange.words()), "A"),
            *(lm_eval(n, as_text(n, e.words()), LETTERS[e.right]) for n, e in enumerate(TURNED) if n)]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * (len(EASY) - 1)
    assert (counts["unmatched"], counts["missing"]) == (1, 1)


def weighed(number: int, doc: Row, offered: Sequence[str], numbers: Sequence[object]) -> Row:
    return {"doc_id": number, "doc": doc, "resps": [[[weight, False]] for weight in numbers],
            "arguments": {f"gen_args_{n}": {"arg_0": "As it was:", "arg_1": words}
                          for n, words in enumerate(offered)}}  # fmt: skip


def test_the_likeliest_of_the_words_offered_is_the_answer_and_a_departure(tmp_path: Path) -> None:
    rows = [weighed(n, row, [" False", " True"], [-1.0, -0.1] if row["answer"] == "TRUE" else [-0.1, "-1.0"])
            for n, row in enumerate(HARD)]  # fmt: skip
    points, counts = ran("culturalbench/hard", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * len(HARD)
    assert counts["weighed"] == len(HARD)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    assert [each["used"] for each in manifest["departures"] if each["setting"] == "answers"] == [
        "chosen by log-likelihood among the words offered (12 of 12)"
    ]
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "chosen by log-likelihood" in page


@pytest.mark.parametrize("offered", ["letters", "texts"])
def test_letters_and_whole_options_that_were_weighed_are_read_by_their_own_order(offered: str, tmp_path: Path) -> None:
    rows = []
    for number, each in enumerate(TURNED):
        numbers = [-0.5 if place == each.right else -3.0 for place in range(4)]
        words = [f" {letter}" for letter in LETTERS] if offered == "letters" else each.options
        rows.append(weighed(number, {"q": each.question, "choices": each.options}, words, numbers))
    assert ran("culturalbench/easy", tmp_path / "samples.jsonl", lines(rows))[0] == [1] * len(EASY)


def test_ties_and_what_is_no_number_are_left_out_and_the_least_that_can_be_is_a_number(tmp_path: Path) -> None:
    numbers: list[list[object]] = [[-1.0, -1.0], [float("nan"), -1.0], [float("-inf"), -5.0], [-1.0]]
    rows = [weighed(n, row, [" True", " False"], numbers[n] if n < len(numbers) else
                    [-0.1 if row["answer"] == word else -2 for word in ("TRUE", "FALSE")])
            for n, row in enumerate(HARD)]  # fmt: skip
    points, counts = ran("culturalbench/hard", tmp_path / "samples.jsonl", lines(rows))
    assert points == [1] * (len(HARD) - 3)
    assert counts["reasons"] == {
        "options equally likely": 1,
        "log-likelihoods that are no numbers": 1,
        "log-likelihoods without the words they are of": 1,
    }


def test_references_that_helm_weighed_one_by_one_are_one_answer(tmp_path: Path) -> None:
    states = [
        {"instance": {"id": f"id{number}", "input": {"text": each.question},
                      "references": [{"output": {"text": text}} for text in each.options]},
         "request": {"prompt": f"{each.question} {text}", "model": "m"}, "reference_index": place,
         "request_mode": mode, "result": {"success": True, "completions": [
             {"text": "", "logprob": -5.0 if (place == each.right) == (mode == "original") else -50.0}]}}
        for mode in ("original", "calibration") for place in range(4) for number, each in enumerate(TURNED)
        for text in [each.options[place]]
    ]  # fmt: skip
    path = tmp_path / "scenario_state.json"
    points, counts = ran("culturalbench/easy", path, json.dumps({"request_states": states}))
    assert points == [1] * len(EASY)
    assert (counts["weighed"], counts["reasons"]) == (4, {"references weighed without their question": 4})


def test_one_odd_row_costs_no_log(tmp_path: Path) -> None:
    rows = [lm_eval(n, each.words(), LETTERS[each.right]) for n, each in enumerate(TURNED)]
    text = f'{{"doc_id": 7, "resps": 4}}\n{{"doc_id": \n{lines(rows)}{{"other": 1}}\n[1]\n'
    points, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", text)
    assert points == [1] * len(EASY)
    assert counts["reasons"] == {"rows that could not be read": 4}
    assert [told.partition(": ")[0].rpartition(":")[2] for told in counts["odd"]] == ["1", "2", "7"]


def test_replies_of_two_models_in_one_log_are_left_out_where_they_differ(tmp_path: Path) -> None:
    rows = [lm_eval(n, each.words(), LETTERS[each.right]) for n, each in enumerate(TURNED)]
    other = [lm_eval(n, each.words(), "A" if n == 0 and each.right else LETTERS[each.right])
             for n, each in enumerate(TURNED)]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "samples.jsonl", lines([*rows, *other]))
    assert len(points) == len(EASY) - 1
    assert counts["reasons"] == {"several replies for one item that differ": 2}
