"""On a terminal, words of models, endpoints, files and data are words: nothing of theirs moves, paints or hides."""

import json
import re
from pathlib import Path

import pytest

from tests.models.listener import Say, listening
from tests.payloads import ESCAPES, SCRIPTS
from tests.runs.conduct import Typed
from tests.runs.terminal import on_a_terminal

OURS = re.compile(r"\x1b\[(\d+(;\d+)*)?m|\x1b\[\?25[lh]|\x1b\[1A|\x1b\[2K|\r")
"""What the program itself sends to a terminal: colours, and its bars drawn anew."""
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SENT = tuple(text for text in ESCAPES if text.isprintable() or "\udc9b" not in text)
NASTY = "".join(SENT)
IN_NAMES = "\x1b[31m\x1b]0;title\x07\u202e\x9b"


def check(sent: str, *said: str) -> None:
    assert not [text for text in said if text in sent]
    left = OURS.sub("", sent)
    assert not OBEYED.search(left), repr(left)
    assert re.search(r"\\u(001b|009b|202e)", left)  # a long name is cut in the middle


def recorded(folder: Path) -> Path:
    path = folder / f"said{IN_NAMES}.jsonl"
    rows = [{"item": f"easy-{n}", "reply": NASTY} for n in range(24)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_run_on_a_terminal_shows_what_a_models_name_holds(tmp_path: Path, cultural: Path) -> None:
    path = recorded(tmp_path)
    words = ["run", "culturalbench/easy", "--model", f"recorded/{path.name}", "--data", cultural, "--out", "run"]
    code, sent = on_a_terminal(*words, cwd=tmp_path)
    assert code == 0, sent
    check(sent, IN_NAMES, "\x1b]0;")
    assert "\x1b[1m" in sent  # the program's own colours are there


def test_what_an_endpoint_says_on_a_terminal_is_one_line_of_words(tmp_path: Path, cultural: Path) -> None:
    told = NASTY.replace("\x00", "")
    with listening(lambda _: Say(json.dumps({"error": {"message": told}}, ensure_ascii=False).encode(), 404)) as at:
        words = ["run", "culturalbench/easy", "--model", f"vllm/{IN_NAMES}", "--base-url", at.url, "--data", cultural]
        code, sent = on_a_terminal(*words, "--out", "run", cwd=tmp_path)
    assert code == 2
    check(sent, *SENT)
    *shown, last = OURS.sub("", sent.rpartition("\x1b[2K")[2]).strip().splitlines()
    assert "payload" in last
    assert len(shown) in {0, 2}, shown  # the bar and what is running, where there was time to show them
    assert not [line for line in shown if "payload" in line]


@pytest.mark.parametrize("words", [
    ["run", NASTY], ["show", NASTY], ["list", NASTY], ["report", NASTY], ["resume", NASTY], [NASTY],
    ["run", "--model", NASTY], ["run", "--set", NASTY], ["plan", NASTY], ["run", "--fact", f"{NASTY}=x"],
], ids=lambda words: " ".join(words)[:12].encode("unicode_escape").decode())  # fmt: skip
def test_what_was_typed_comes_back_as_words(typed: Typed, words: list[str]) -> None:
    done = typed(*[word.replace("\x00", "") for word in words])
    assert done.returncode == 2
    assert not OBEYED.search(done.stdout + done.stderr)
    assert len(done.stderr.splitlines()) == 1


def test_data_come_back_as_words_of_their_script(tmp_path: Path, typed: Typed) -> None:
    said = "".join(SCRIPTS) + NASTY.replace("\x00", "").replace("\r", "")
    rows = [",".join(["question_idx", "prompt_question", *(f"prompt_option_{x}" for x in "abcd"), "answer", "country"])]
    rows += [",".join(['"' + said.replace('"', '""') + '"' if x is None else x
                       for x in (str(n), None, "a", None, "c", "d", "A", "Japan")]) for n in range(3)]  # fmt: skip
    (tmp_path / "culturalbench-easy.csv").write_text("\n".join(rows), encoding="utf-8", newline="")
    for words in (["show", "culturalbench/easy"], ["show", "culturalbench/easy", "--items"]):
        done = typed(*words, "--data", tmp_path)
        assert done.returncode == 0, done.stderr
        assert not OBEYED.search(done.stdout + done.stderr)


def test_an_argument_that_is_not_utf8_is_one_line(typed: Typed) -> None:
    done = typed("run", "caf\udce9.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "mores: 'caf\\udce9.toml' is not UTF-8; expected names of files and models in UTF-8.\n"
