"""Outputs in anybody's table: by columns that are named, or told by their names; what is odd is left out and told."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.core.errors import InputError
from tests.runs.conduct import Typed
from tests.runs.test_logs_by_document import DATA, EASY, HARD, TURNED, as_text, lines, ran

Row = Mapping[str, Any]
RIGHT = [row["answer"].title() for row in HARD]


def sheet(rows: Sequence[Row], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def of_hard(**more: Any) -> list[Row]:
    return [{"item": f"hard-{row['data_idx']}", "reply": said, **more} for row, said in zip(HARD, RIGHT, strict=True)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_columns_that_are_not_ours_are_passed_over_and_named_once(delimiter: str, tmp_path: Path) -> None:
    rows = [{"": n, **row} for n, row in enumerate(of_hard(latency=0.3, model="m"))]
    points, counts = ran("culturalbench/hard", tmp_path / "t.csv", sheet(rows, delimiter))
    assert points == [1] * len(HARD)
    assert (counts["by_name"], counts["remarks"]) == (len(HARD), ["other columns: latency, model"])


def test_a_table_with_our_columns_alone_says_nothing_of_itself(tmp_path: Path) -> None:
    assert ran("culturalbench/hard", tmp_path / "t.csv", sheet(of_hard())) == ([1] * len(HARD), {})


def test_the_datas_own_ids_and_key_do_not_hide_the_reply(tmp_path: Path) -> None:
    rows = [{**row, "answer": row["answer"], "usage": {"prompt_tokens": 50}, "message": said}
            for row, said in zip(HARD, RIGHT, strict=True)]  # fmt: skip
    wrong = [{**row, "message": "maybe"} if n == 3 else row for n, row in enumerate(rows)]
    points, counts = ran("culturalbench/hard", tmp_path / "t.jsonl", lines(wrong))
    assert points == [n != 3 for n in range(len(HARD))]
    assert counts["remarks"][0].startswith("reply from message; other columns: data_idx, question_idx")


def test_a_column_that_holds_the_datas_own_key_is_not_taken_for_replies(tmp_path: Path) -> None:
    text = sheet(HARD)
    with pytest.raises(InputError, match=r"its column 'answer' has the right answer in all of 12 rows.*--columns r"):
        ran("culturalbench/hard", tmp_path / "t.csv", text)
    assert ran("culturalbench/hard", tmp_path / "t.csv", text, columns="reply=answer")[0] == [1] * len(HARD)


@pytest.mark.parametrize(
    "columns", ["item=q.id,reply=out.choices.0.message.content", ["item=q.id", "reply=out.choices.0.message.content"],
                {"item": "q.id", "reply": "out.choices.0.message.content"}],
)  # fmt: skip
def test_columns_are_named_by_dotted_paths(columns: Any, tmp_path: Path) -> None:
    rows = [{"q": {"id": int(row["data_idx"])}, "out": {"choices": [{"message": {"content": said}}]}, "answer": "x"}
            for row, said in zip(HARD, RIGHT, strict=True)]  # fmt: skip
    points, counts = ran("culturalbench/hard", tmp_path / "t.jsonl", lines(rows), columns=columns)
    assert points == [1] * len(HARD)
    assert counts["remarks"] == ["item from q.id, reply from out.choices.0.message.content; other columns: answer"]


@pytest.mark.parametrize(
    "kept",
    [{"response": "{}"}, {"response": {"content": "{}", "id": "x"}}, {"choices": [{"message": {"content": "{}"}}]},
     {"gpt_4o_response": "{}", "response_time": 3.5, "completion_tokens": 2}, {"Prediction": "{}", "answer": "B"},
     {"message": {"role": "assistant", "content": "{}"}}],
)  # fmt: skip
def test_the_reply_is_told_by_what_its_column_is_called(kept: Row, tmp_path: Path) -> None:
    rows = [{"data_idx": int(row["data_idx"]), **json.loads(json.dumps(kept).replace("{}", said))}
            for row, said in zip(HARD, RIGHT, strict=True)]  # fmt: skip
    assert ran("culturalbench/hard", tmp_path / "t.jsonl", lines(rows))[0] == [1] * len(HARD)


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ("item=data_idx,reply=mesage", r"no column 'mesage'\. Did you mean 'message'\? Columns are "),
        ("reply", "--columns reply: expected NAME=VALUE"),
        ("text=message", "No part of a recorded reply is called 'text'"),
    ],
)
def test_a_column_that_is_not_there_is_refused_with_those_that_are(columns: str, why: str, tmp_path: Path) -> None:
    rows = [{"data_idx": row["data_idx"], "message": said} for row, said in zip(HARD, RIGHT, strict=True)]
    with pytest.raises(InputError, match=why):
        ran("culturalbench/hard", tmp_path / "t.jsonl", lines(rows), columns=columns)


def test_columns_without_a_table_are_refused() -> None:
    with pytest.raises(InputError, match="--columns reply=x: expected a table to read them in: --model recorded/FILE"):
        mores.run("culturalbench/hard", data=str(DATA), model="simulated/typical", columns="reply=x")


@pytest.mark.parametrize("first", [0, 1])
def test_samples_of_one_question_are_told_by_their_number(first: int, tmp_path: Path) -> None:
    rows = [{"data_idx": row["data_idx"], "epoch": first + n, "request": f"r{n}-{row['data_idx']}",
             "output": said if n else "?"}
            for n in range(2) for row, said in zip(HARD, RIGHT, strict=True)]  # fmt: skip
    points, counts = ran("culturalbench/hard", tmp_path / "t.jsonl", lines(rows), samples=2)
    assert sorted(points) == [0] * len(HARD) + [1] * len(HARD)
    assert counts["by_name"] == 2 * len(HARD)


def test_several_replies_to_a_question_without_a_sample_are_not_picked_from(tmp_path: Path) -> None:
    rows = [{"data_idx": row["data_idx"], "output": said} for row, said in zip(HARD, RIGHT, strict=True)]
    points, counts = ran("culturalbench/hard", tmp_path / "t.jsonl", lines([*rows, {**rows[0], "output": "?"}]))
    assert len(points) == len(HARD) - 1
    assert counts["ambiguous"] == 2


def test_words_of_the_prompt_alone_match_a_table(tmp_path: Path) -> None:
    rows = [{"input": [{"role": "user", "content": each.words()}], "generated_text": " ABCD"[each.right + 1]}
            for each in TURNED]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "t.json", json.dumps(rows))
    assert points == [1] * len(EASY)
    assert (counts["by_contents"], counts["reordered"]) == (len(EASY), len(EASY))


def test_our_items_beside_prompts_with_turned_options_are_read_by_these(tmp_path: Path) -> None:
    rows = [{"item": f"easy-{row['question_idx']}", "prompt": each.words(), "reply": "ABCD"[each.right]}
            for each, row in zip(TURNED, EASY, strict=True)]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "t.csv", sheet(rows))
    assert points == [1] * len(EASY)
    assert (counts["by_name"], counts["reordered"]) == (len(EASY), len(EASY))


def test_an_odd_row_costs_no_table_and_the_screen_names_it(tmp_path: Path, typed: Typed) -> None:
    text = sheet(of_hard()).rstrip() + "\r\nhard-99\r\n,x\r\nhard-3,again\r\n"
    path = tmp_path / "t.csv"
    points, counts = ran("culturalbench/hard", path, text)
    assert points == [1] * (len(HARD) - 1)
    assert counts["reasons"] == {"rows that could not be read": 2, "several replies for one item that differ": 2}
    done = typed("run", "culturalbench/hard", "--data", DATA, "--model", f"recorded/{path}", "--out", tmp_path / "two")
    said = " ".join(done.stdout.split())
    assert "a table: 11 of 15 replies used (11 by id)" in said
    assert "not used (2 rows that could not be read, 2 several replies for one item that differ)" in said
    assert "t.csv:14: not as many cells as the header has (2)" in said


def test_a_table_of_roles_and_steps_is_read_by_columns_that_are_named(tmp_path: Path) -> None:
    rows = [{"id": f"hard-{row['data_idx']}", "who": "subject", "turn": 0, "text": said}
            for row, said in zip(HARD, RIGHT, strict=True)]  # fmt: skip
    found = ran("culturalbench/hard", tmp_path / "t.csv", sheet(rows), columns="item=id,role=who,step=turn,reply=text")
    assert found == ([1] * len(HARD), {})


def test_a_run_with_named_columns_is_resumed_and_made_again_from_its_manifest(tmp_path: Path) -> None:
    rows = [{"data_idx": row["data_idx"], "said": said} for row, said in zip(HARD, RIGHT, strict=True)]
    ran("culturalbench/hard", tmp_path / "t.jsonl", lines(rows), columns="item=data_idx,reply=said")
    before = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    (tmp_path / "run" / "estimates.json").unlink()
    mores.resume(tmp_path / "run")
    mores.run(str(tmp_path / "run" / "manifest.json"), out=tmp_path / "again")
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == before
    assert (tmp_path / "again" / "verdicts.jsonl").read_bytes() == before


def test_examples_in_a_column_of_any_name_are_never_the_question(tmp_path: Path) -> None:
    rows = [{"what the model saw": as_text(n, each.words()), "reply": "ABCD"[each.right]}
            for n, each in enumerate(TURNED)]  # fmt: skip
    points, counts = ran("culturalbench/easy", tmp_path / "t.csv", sheet(rows))
    assert points == [1] * len(EASY)
    assert counts["by_contents"] == len(EASY)
    strange = {"what the model saw": as_text(0, f"{'Who came first to the house by the sea? ' * 9}\nA. x\nB. y"),
               "reply": "A"}  # fmt: skip
    _, counts = ran("culturalbench/easy", tmp_path / "t.csv", sheet([*rows[1:], strange]), out=tmp_path / "other")
    assert (counts["unmatched"], counts["missing"]) == (1, 1)


def test_one_template_is_one_ending_whether_question_or_option_is_longer(tmp_path: Path) -> None:
    asked = "Say whether the answer fits what was asked. One word and nothing else, True or False, please."
    data = tmp_path / "data" / "culturalbench-hard.csv"
    data.parent.mkdir()
    known = [{**row, "prompt_option": row["prompt_option"] + " and so on" * 20} if n == 2 else row
             for n, row in enumerate(HARD)]  # fmt: skip
    data.write_text(sheet(known), "utf-8")
    prompts = [f"Question: {row['prompt_question']}\nAnswer: {row['prompt_option']}\n{asked}" for row in known]
    rows = [{"prompt": prompt, "completion": said} for prompt, said in zip(prompts, RIGHT, strict=True)]
    points, counts = ran("culturalbench/hard", tmp_path / "t.csv", sheet(rows), data=str(data))
    assert points == [1] * len(HARD)
    assert counts["by_contents"] == len(HARD)
