"""Codes of what is missing, and the words they are put into."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import mores
from mores.core.codec import encode
from mores.core.estimate import NOTHING_GRADED, VERBATIM, Caution, Estimate, Missing
from mores.tables.missing_texts import brief_reason, format_caution, format_missing, short_reason, to_plain

FEW = Missing(code="too_few_clusters", n=5, needed=8)


def codes(room: str, noun: str = "Missing") -> Iterator[str]:
    """The codes by which a room says what is missing, or what has to be known."""
    for path in sorted((Path(mores.__file__).parent / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == noun:
                given = next(keyword.value for keyword in node.keywords if keyword.arg == "code")
                either = (given.body, given.orelse) if isinstance(given, ast.IfExp) else (given,)
                yield from (ast.literal_eval(code) for code in either if isinstance(code, ast.Constant))


@pytest.mark.parametrize("room", ["stats", "analysis", "benchmarks"])
def test_every_code_has_words(room: str) -> None:
    found = set(codes(room))
    assert found
    for code in found:
        filled = Missing(code=code, told="these", figures=(1.0, 1.0, 1.0), because=NOTHING_GRADED)
        assert format_missing(filled) not in {"", "nothing graded; these"}, code


@pytest.mark.parametrize("room", ["stats", "analysis"])
def test_every_caution_of_figures_has_words(room: str) -> None:
    found = set(codes(room, "Caution"))
    assert found
    for code in found:
        assert "these" in format_caution(Caution(code=code, words=("these", "those"), size=0.5, p=0.5)) or code in {
            "mixed_otherwise", "no_random_sample",
        }  # fmt: skip


def test_a_reason_is_told_whole_in_brief_and_in_two_words() -> None:
    assert format_missing(FEW) == "too few clusters: 5, at least 8 are needed"
    assert brief_reason(FEW) == "too few clusters: 5"
    assert short_reason(FEW) == "too few"
    assert short_reason(NOTHING_GRADED) == brief_reason(NOTHING_GRADED) == "nothing graded"
    assert short_reason(NOTHING_GRADED, "no interval") == "no interval"
    assert format_missing(None) == brief_reason(None) == short_reason(None) == ""


def test_a_reason_within_a_reason_is_told_too() -> None:
    within = Missing(code="of_class", told="broken", because=FEW)
    assert format_missing(within) == "class 'broken': too few clusters: 5, at least 8 are needed"
    told = Missing(code="put_right", told="put right for length", because=FEW)
    assert format_missing(told) == "too few clusters: 5, at least 8 are needed; put right for length"


def test_words_that_came_as_words_are_not_read() -> None:
    told = Missing(code=VERBATIM, told="too few {of} them")
    assert format_missing(told) == brief_reason(told) == short_reason(told) == "too few {of} them"


def test_programs_get_the_words_as_why_and_nothing_else_is_renamed() -> None:
    figure = Estimate(metric="accuracy", value=None, asked=5, graded=5, missing=FEW)
    plain = json.loads(encode(to_plain({"figures": (figure,), "missing": ("a", "b")})))
    assert plain["missing"] == ["a", "b"]
    assert plain["figures"][0]["why"] == "too few clusters: 5, at least 8 are needed"
    assert "missing" not in plain["figures"][0]
