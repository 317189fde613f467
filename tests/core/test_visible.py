"""What a terminal would obey is shown, and text of every script passes as it is."""

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.codec import encode
from mores.core.terminal_safety import SafeStream, escape_control, one_line, print_error
from tests.payloads import ESCAPES, SCRIPTS

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("text", SCRIPTS)
def test_text_of_every_script_passes_untouched(text: str) -> None:
    assert escape_control(text) == one_line(text) == text


@pytest.mark.parametrize("text", ESCAPES)
def test_what_a_terminal_would_obey_is_shown(text: str) -> None:
    assert not OBEYED.search(escape_control(text))
    assert "\\u" in escape_control(text)


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_that_is_obeyed_passes_and_the_rest_does(text: str) -> None:
    assert not OBEYED.search(escape_control(text))
    assert escape_control(escape_control(text)) == escape_control(text)
    kept = OBEYED.sub("", text)
    assert re.sub(r"\\u20(28|29)", "", escape_control(kept)) == re.sub("[\u2028\u2029]", "", kept)


@given(st.text())
def test_json_means_the_same_behind_the_filter(text: str) -> None:
    for encoding in ("utf-8", "ascii", "latin-1"):
        shown = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        SafeStream(shown).write(encode({"said": text}).decode())
        shown.seek(0)
        assert json.loads(shown.read()) == {"said": text}


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("it said:\r\n\r\n  mores: all is well\n")
    assert capsys.readouterr().err == "mores: it said: mores: all is well\n"
