"""Recorded replies are played back word for word; a file that is not right is refused by its row."""

import asyncio
import csv
import io
import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.model import Model
from mores.models.recorded_files import read_recording
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed
from tests.models.clients import request


def model_of(path: Path, text: str) -> Model:
    path.write_bytes(text.encode())
    return open_model(f"recorded/{path}", Seed("test"), Connection())


def say(model: Model, item: str, *, role: str = "subject", step: int = 0, sample: int = 0) -> str:
    return asyncio.run(model.reply(request(item=item, role=role, step=step, sample=sample))).text


def test_csv_and_json_lines_say_the_same(tmp_path: Path) -> None:
    rows = [("easy-0", "A"), ("easy-1", 'I think, therefore "B"\nor C'), ("easy-2", ""), ("雨-3", "Ünï\u2028code")]
    table = io.StringIO()
    csv.writer(table).writerows([("item", "reply"), *rows])
    lines = "".join(json.dumps({"item": item, "reply": reply}, ensure_ascii=False) + "\n" for item, reply in rows)
    models = [model_of(tmp_path / "r.csv", table.getvalue()), model_of(tmp_path / "r.jsonl", lines)]
    for model in models:
        assert [say(model, item) for item, _ in rows] == [reply for _, reply in rows]


def test_sample_role_and_step_find_their_own_row(tmp_path: Path) -> None:
    text = "item,reply,sample,role,step\n1,a,0,subject,0\n1,b,1,subject,0\n1,c,0,judge,0\n1,d,0,subject,2\n1,e,3,,\n"
    model = model_of(tmp_path / "r.csv", text)
    assert say(model, "1") == "a"
    assert say(model, "1", sample=1) == "b"
    assert say(model, "1", role="judge") == "c"
    assert say(model, "1", step=2) == "d"
    assert say(model, "1", sample=3) == "e"


def test_a_missing_row_is_a_failed_call_and_an_empty_one_is_what_was_said(tmp_path: Path) -> None:
    model = model_of(tmp_path / "r.csv", 'item,reply\n1,""\n')
    assert say(model, "1") == ""
    with pytest.raises(CallFailed) as failure:
        say(model, "2")
    assert failure.value.cause == "no recorded reply"
    assert not failure.value.passing


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl", "r.ndjson"])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path, name: str) -> None:
    text = 'item,reply\r\n1,"a"\r\n' if name == "r.csv" else '{"item": "1", "reply": "a"}\r\n\r\n'
    assert say(model_of(tmp_path / name, f"\ufeff{text}"), "1") == "a"


def test_other_words_are_another_file(tmp_path: Path) -> None:
    first = model_of(tmp_path / "r.csv", "item,reply\n1,a\n")
    second = model_of(tmp_path / "r.csv", "item,reply\n1,b\n")
    assert first.identity != second.identity


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no rows; expected columns item and reply"),
        ("item,reply\n", "no rows; expected columns item and reply"),
        (
            "id,verdict\n1,a\n",
            ": no column is known to have the replies; columns are id, verdict. Name them: --c",
        ),
        ("item,reply\n1,a\n1,b\n", ":3: a second reply for item '1', sample 0; expected one."),
        ("item,reply,sample\n1,a,\n1,b,0\n", ":3: a second reply for item '1', sample 0; expected one."),
        ("item,reply,sample\n1,a,one\n", ":2: sample and step are whole numbers"),
        ("item,reply\n1,a,b\n", ":2: not as many cells as the header has (2)."),
        ("item,reply\n1\n", ":2: not as many cells as the header has (2)."),
        ('item,reply\n1,"a\n', "not CSV (unexpected end of data)"),
        ('item,reply\n1,"a"b\n', "not CSV"),
    ],
)
def test_a_table_that_is_not_right_is_refused_by_its_row(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        model_of(tmp_path / "r.csv", text)
    assert why in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "r.csv"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"item": "1"}', ":1: columns are ['item']; expected item and reply"),
        ('{"item": "1", "reply": null}', ":1: reply is None; expected text"),
        ('{"item": "1", "reply": 4}', ":1: reply is 4; expected text"),
        ('{"item": "1", "reply": ["a"]}', ":1: reply is ['a']; expected text"),
        ('["1", "a"]', ":1: expected an object with a row's fields; got"),
        ('{"item": "1", "reply": "\\ud800"}', ":1: not JSON"),
        ('{"item": "1", "reply": "a", "step": 1.5}', ":1: sample and step are whole numbers"),
    ],
)
def test_lines_that_are_not_right_are_refused_by_their_number(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        model_of(tmp_path / "r.jsonl", text)
    assert why in str(error.value)


@pytest.mark.parametrize("item", ["null", '["1"]', '{"a": 1}', '""'])
def test_an_item_that_is_no_name_is_refused(tmp_path: Path, item: str) -> None:
    with pytest.raises(InputError):
        model_of(tmp_path / "r.jsonl", f'{{"item": {item}, "reply": "a"}}')


def test_a_header_that_names_a_column_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        model_of(tmp_path / "r.csv", "item,reply,reply\n1,a,b\n")


def test_a_very_long_reply_is_played_back_whole(tmp_path: Path) -> None:
    assert len(say(model_of(tmp_path / "r.csv", f"item,reply\n1,{'a' * 200_000}\n"), "1")) == 200_000


@given(st.text(max_size=60))
def test_junk_is_refused_and_never_crashes(text: str) -> None:
    with TemporaryDirectory() as folder:
        for name in ("r.csv", "r.jsonl"):
            file = Path(folder, name)
            file.write_text(text, "utf-8", newline="")
            with suppress(InputError):
                assert isinstance(read_recording(file).replies, dict)
