"""Talks and scores in the released layouts become replies by role and step; what is no talk is refused by its place."""

import asyncio
import csv
import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks.socialcc.released_talks import item_of, read_talk
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.model import Model
from mores.models.recorded import DialogueTurn, stored_talks
from mores.models.recorded_files import read_recording
from mores.models.registry import Connection, open_model
from mores.models.request import OVER, CallFailed
from tests.models.clients import request

TALK = """Round 1:
Agent 1:
Hello.
Agent 2:
Hi, Omar: how are you?

I have thought of four bowls.
Round 2:
Agent 1:
OK. GOOD BYE!
"""
TURNS = [("antagonist", 0, "Hello."), ("subject", 0, "Hi, Omar: how are you?\n\nI have thought of four bowls."),
         ("antagonist", 1, "OK. GOOD BYE!")]  # fmt: skip


def turns(text: str) -> list[tuple[str, int, str]]:
    return [tuple(said) for said in read_talk(text, "17.txt")]  # type: ignore[misc]


def model_of(path: Path, text: str) -> Model:
    path.write_text(text, encoding="utf-8")
    return open_model(f"recorded/{path}", Seed("test"), Connection())


def say(model: Model, role: str, step: int, item: str = "socialcc-17", sample: int = 0) -> tuple[str, str]:
    reply = asyncio.run(model.reply(request(item=item, role=role, step=step, sample=sample)))
    return reply.text, reply.finish


def table(**cells: str) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([cells.keys(), cells.values()])
    return text.getvalue()


def test_a_talk_is_read_turn_by_turn_with_its_blank_lines_and_colons() -> None:
    assert turns(TALK) == TURNS


@pytest.mark.parametrize(
    "text",
    [TALK.replace("\n", "\r\n"), f"\n\n{TALK}\n\n", TALK.replace("Agent 1:\n", "Agent 1: "),
     TALK.replace("Round 1:", "Round 1"), TALK.replace("Agent 2:\n", "  Agent 2:  \n")],
)  # fmt: skip
def test_line_ends_blank_lines_and_words_beside_a_label_change_nothing(text: str) -> None:
    assert [(role, step, words.replace("\r", "")) for role, step, words in turns(text)] == TURNS


def test_words_that_look_like_labels_but_cannot_be_any_stay_words() -> None:
    text = "Round 1:\nAgent 1:\nRound 7:\nAgent 1:\nAgent 3: x\nAgent 2:\na\nAgent 1:\nb\nAgent 2:\nc\nRound 1:"
    assert turns(text) == [
        ("antagonist", 0, "Round 7:\nAgent 1:\nAgent 3: x"),
        ("subject", 0, "a\nAgent 1:\nb\nAgent 2:\nc\nRound 1:"),
    ]


def test_a_turn_without_words_is_a_silence() -> None:
    assert turns("Round 1:\nAgent 1:\n\nAgent 2:\nRound 2:\nAgent 1:") == [
        ("antagonist", 0, ""), ("subject", 0, ""), ("antagonist", 1, ""),
    ]  # fmt: skip


def test_what_a_failed_call_left_is_its_only_turn() -> None:
    assert turns(" ERROR: 429, Round 1: slow down\n") == [("antagonist", 0, "ERROR: 429, Round 1: slow down")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Agent 1:\nHello.", "17.txt: no dialogue; expected 'Round 1:', got 'Agent 1:'."),
        ("Round 2:\nAgent 1:\nHello.", "17.txt: no dialogue; expected 'Round 1:', got 'Round 2:'."),
        ("Round 1:\nHello.", "17.txt: no dialogue; expected 'Agent 1:', got 'Hello.'."),
        ("Round 1:\nAgent 2:\nHello.", "17.txt: no dialogue; expected 'Agent 1:', got 'Agent 2:'."),
        ("Round 1:", "17.txt: no dialogue; round 1 has no 'Agent 1:'."),
        ("Round 1:\nAgent 1:\nHello.\nRound 2:\nAgent 1:\nWell?", "17.txt: no dialogue; round 1 has no 'Agent 2:'."),
    ],
)
def test_a_text_that_is_no_talk_is_refused_by_what_it_lacks(text: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        turns(text)
    assert str(error.value) == why


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_text_has_no_turns(text: str) -> None:
    assert turns(text) == []


WORDS = st.text(alphabet="abc12:\n雨 ", max_size=30).map(str.strip)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6), st.booleans())
def test_a_talk_that_is_written_down_is_read_back(said: list[tuple[str, str]], cut: bool) -> None:
    lines, wanted = [], []
    for number, pair in enumerate(said, start=1):
        kept = pair[:1] if cut and number == len(said) else pair
        lines.append(f"Round {number}:")
        for agent, words in enumerate(kept, start=1):
            lines += [f"Agent {agent}:", words]
            wanted.append((("antagonist", "subject")[agent - 1], number - 1, words))
    assert turns("\n".join(lines)) == wanted


@given(st.text(alphabet="Round 12:\nAgentERO", max_size=60))
def test_junk_is_refused_and_never_crashes(text: str) -> None:
    with suppress(InputError):
        assert all(isinstance(said, DialogueTurn) for said in read_talk(text, "x"))


@pytest.mark.parametrize(
    ("name", "item"),
    [("17", "socialcc-17"), ("dialogue_17", "socialcc-17"), ("socialcc-17", "socialcc-17"),
     ("converse-JP-2", "converse-JP-2"),
     ("socialcc-17@strong", "socialcc-17@strong"), ("converse-JP-a", "converse-JP-a")],
)  # fmt: skip
def test_a_bare_number_is_the_id_of_a_scenario(name: str, item: str) -> None:
    assert item_of(name) == item


@pytest.mark.parametrize("column", ["Dialogue_raw", "Dialogue", "dialogue"])
def test_table_lines_mapping_folder_and_file_say_the_same(column: str, tmp_path: Path) -> None:
    row = {"Data_ID": "17", "WVSN": "3", column: TALK}
    folder = tmp_path / "talks"
    folder.mkdir()
    paths = [tmp_path / name for name in ("a.csv", "b.jsonl", "c.json", "d.json", "17.txt")] + [folder]
    texts = [table(**row), json.dumps(row), json.dumps([row]), json.dumps({"17": TALK}), TALK]
    for path, text in zip(paths, texts, strict=False):
        path.write_text(text, encoding="utf-8")
    (folder / "17.txt").write_text(TALK, encoding="utf-8")
    (folder / "notes.md").write_text("not a talk", encoding="utf-8")
    for path in paths:
        replies = read_recording(path).replies
        assert [(place.role, place.step, text) for place, text in replies.items()] == TURNS
        assert {(place.item, place.sample) for place in replies} == {("socialcc-17", 0)}
        assert stored_talks(f"recorded/{path}") == {"socialcc-17": 2}


def test_the_four_scores_are_the_judge_s_words_on_its_four_judgements(tmp_path: Path) -> None:
    scores = {"Awareness_Score": "1", "Knowledge_Score": "", "Value_Score": "0.0", "Behavior_Score": "-1"}
    model = model_of(tmp_path / "eva.csv", table(Data_ID="17", Dialogue_raw=TALK, **scores))
    assert [say(model, "judge", step)[0] for step in (0, 4, 8, 12)] == ["1", "", "0.0", "-1"]
    assert say(model, "antagonist", 0) == ("Hello.", "stop")
    alone = tmp_path / "alone.csv"
    alone.write_text(table(Data_ID="17", **scores), encoding="utf-8")
    assert stored_talks(f"recorded/{alone}") == {}


def test_after_its_last_turn_a_talk_is_over_for_both_sides_and_nobody_else(tmp_path: Path) -> None:
    model = model_of(tmp_path / "17.txt", TALK)
    assert say(model, "subject", 1) == ("", OVER)
    assert say(model, "antagonist", 2) == ("", OVER)
    for role, step, item, sample in (("judge", 0, "socialcc-17", 0), ("subject", 0, "socialcc-18", 0),
                                     ("subject", 0, "socialcc-17", 1)):  # fmt: skip
        with pytest.raises(CallFailed) as failure:
            say(model, role, step, item, sample)
        assert failure.value.cause == "no recorded reply"


def test_rows_of_single_replies_are_never_over(tmp_path: Path) -> None:
    model = model_of(tmp_path / "r.csv", "item,reply,role,step\nsocialcc-17,Hi.,subject,0\n")
    assert stored_talks(f"recorded/{tmp_path / 'r.csv'}") == {}
    with pytest.raises(CallFailed, match="no recorded reply"):
        say(model, "subject", 1)


def test_an_error_message_in_place_of_a_turn_is_a_failed_call(tmp_path: Path) -> None:
    text = TALK.replace("Hi, Omar: how are you?", f"ERROR: 500 {'x' * 9999}")
    model = model_of(tmp_path / "17.txt", text)
    assert say(model, "antagonist", 0) == ("Hello.", "stop")
    with pytest.raises(CallFailed) as failure:
        say(model, "subject", 0)
    assert failure.value.cause == "recorded error"
    assert failure.value.detail.startswith("ERROR: 500 xxx")
    assert len(failure.value.detail) == 500


def test_thinking_in_a_turn_is_kept_apart(tmp_path: Path) -> None:
    model = model_of(tmp_path / "17.txt", TALK.replace("Hello.", "<think>Hm.</think>Hello."))
    assert say(model, "antagonist", 0)[0] == "Hello."


def test_models_have_the_same_identity_as_long_as_the_words_are_the_same(tmp_path: Path) -> None:
    folders = []
    for name, text in (("a", TALK), ("b", TALK), ("c", TALK.replace("four", "five"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "17.txt").write_text(text, encoding="utf-8")
        folders.append(open_model(f"recorded/{tmp_path / name}", Seed("test"), Connection()).identity)
    assert folders[0] == folders[1] != folders[2]


def test_a_file_that_changes_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "17.txt"
    path.write_text(TALK, encoding="utf-8")
    assert stored_talks(f"recorded/{path}") == {"socialcc-17": 2}
    path.write_text(TALK.partition("Round 2")[0], encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert stored_talks(f"recorded/{path}") == {"socialcc-17": 1}


def test_a_recording_of_talks_is_read_where_no_benchmark_of_talks_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "17.txt").write_text(TALK, encoding="utf-8")
    code = (
        "import sys; from mores.models.recorded import stored_talks; print(dict(stored_talks(sys.argv[1]))); "
        "print([name for name in sys.modules if name.startswith('mores.benchmarks.') and name.endswith('.benchmark')])"
    )
    read = subprocess.run(
        [sys.executable, "-c", code, f"recorded/{tmp_path / '17.txt'}"], capture_output=True, text=True, check=True
    )
    assert read.stdout.splitlines() == ["{'socialcc-17': 2}", "[]"]


def test_other_models_store_no_talks() -> None:
    assert stored_talks("simulated/typical") == stored_talks("") == {}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("t.csv", table(Data_ID=" ", Dialogue=TALK), "t.csv:12: Data_ID is empty"),
        ("t.csv", table(Data_ID="17", Dialogue="Hello."), "t.csv:2: no dialogue; expected 'Round 1:'"),
        ("t.csv", table(Data_ID="17", Awareness_Score="1"), "t.csv: no column is known to have the replies"),
        ("t.jsonl", '{"Data_ID": 17, "Dialogue": 4}', "t.jsonl:1: no dialogue; expected 'Round 1:', got '4'"),
        ("t.json", '["x"]', "t.json:1: expected an object with a row's fields; got x"),
        ("t.json", '{"17": "Hello."}', "t.json:1: no dialogue"),
        ("t.json", "[]", "t.json: no rows"),
        ("17.txt", "Hello.", "17.txt: no dialogue"),
        ("17.txt", "", "17.txt: no rows"),
    ],
)
def test_what_is_in_no_layout_is_refused_by_its_place(name: str, text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        model_of(tmp_path / name, text)
    assert why in str(error.value)
    assert str(error.value).startswith(str(tmp_path))


def test_two_talks_with_one_id_are_refused(tmp_path: Path) -> None:
    rows = [{"Data_ID": "17", "Dialogue": text} for text in (TALK, TALK.replace("Hello", "Hi"))]
    with pytest.raises(InputError, match=r"t\.json:2: a second reply for item 'socialcc-17'"):
        model_of(tmp_path / "t.json", json.dumps(rows))
    for name, text in (("17.txt", TALK), ("talk_17.txt", TALK.replace("Hello", "Hi"))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="a second reply"):
        read_recording(tmp_path)


def test_a_folder_without_talks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no dialogues; expected a text file for each, named by its item"):
        open_model(f"recorded/{tmp_path}", Seed("test"), Connection())
