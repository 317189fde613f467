"""Document of a row in a log: words, ids and options, whatever its fields are called; the likeliest of its options."""

import json
import re
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import isnan
from typing import NamedTuple

from mores.models.logs.logged_reply import Document, Shown

LISTS = frozenset({"choices", "options", "candidates", "endings", "answers", "references"})
"""Names of a list of options."""
DEEPEST = 6
"""Levels of a document that are looked at."""
LETTERS = "ABCDEFGHIJ"
_NUMBERED = re.compile(r"(.*?)[\s_-]*([A-Ja-j]|[0-9])", re.DOTALL)
_LINE = re.compile(r"\s*[(\[]?([A-Ja-j]|\d)[)\].:]+\s+(.*\S)\s*")
LONGEST = 20_000
"""Letters of a cell that may hold a list of options as text."""
_ID = re.compile(r"(?:.*[\s_-])?(?:id|idx|index|uuid|key)|item", re.IGNORECASE)


def read_document(*parts: object) -> Document:
    """The document of a row, from values of any shape."""
    leaves = [leaf for part in parts for leaf in flatten(part)]
    texts = tuple(dict.fromkeys(value for _, value in leaves if isinstance(value, str) and value.strip()))
    ids = [(path.rpartition(".")[2], value) for path, value in leaves]
    named = tuple((name, str(value)) for name, value in ids if _ID.fullmatch(name) and _names(value))
    return Document(texts, named, next((found for part in parts if (found := options_of(part))), ()))


def _names(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= 200


def flatten(whole: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """The plain values in lists and objects, each by its dotted path.

    >>> list(flatten({"a": [1, {"b": "x"}]}))
    [('a.0', 1), ('a.1.b', 'x')]
    """
    if depth > DEEPEST:
        return
    entries: Iterable[tuple[object, object]]
    if isinstance(whole, dict):
        entries = whole.items()
    elif isinstance(whole, list):
        entries = enumerate(whole)
    else:
        yield path, whole
        return
    for name, value in entries:
        yield from flatten(value, f"{path}.{name}" if path else str(name), depth + 1)


def options_of(part: object, depth: int = 0) -> tuple[Shown, ...]:
    r"""The options of a document in their order, from a list of them or from fields in a row; none where it has none.

    >>> options_of({"q": "Which?", "option_a": "Rice", "option_b": "Bread"})
    (Shown(mark='A', text='Rice'), Shown(mark='B', text='Bread'))
    >>> options_of({"choices": {"label": ["1", "2"], "text": ["Rice", "Bread"]}})
    (Shown(mark='1', text='Rice'), Shown(mark='2', text='Bread'))
    >>> options_of({"doc": {"options": "['Rice', 'Bread']"}}), options_of({"options": "A. Rice\nB. Bread"})[1]
    ((Shown(mark='A', text='Rice'), Shown(mark='B', text='Bread')), Shown(mark='B', text='Bread'))
    """
    if not isinstance(part, dict) or depth > DEEPEST:
        return ()
    listed = (_listed(_read(value)) for name, value in part.items() if str(name).casefold() in LISTS)
    inner = (options_of(value, depth + 1) for value in part.values())
    return next((found for found in listed if found), ()) or _in_a_row(part) or next((own for own in inner if own), ())


def _read(value: object) -> object:
    """A list of options out of a cell that has it as text: JSON, as Python writes it, or a line each with its mark."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return value
    if value.lstrip()[:1] in {"[", "{"}:
        # `literal_eval` reads values and runs nothing.
        for read in (json.loads, literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return read(value)
    lines = [_LINE.fullmatch(line) for line in value.splitlines() if line.strip()]
    return {line[1]: line[2] for line in lines if line} if all(lines) else value


def _listed(value: object) -> tuple[Shown, ...]:
    """Options out of a list, of lists of marks and texts, or of texts by their marks."""
    if isinstance(value, list) and len(value) <= len(LETTERS):
        texts = [each if isinstance(each, str) else _text_of(each) for each in value]
        return _marked(LETTERS, texts) if len(texts) > 1 and all(texts) else ()
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        marks, texts = value.get("label"), value["text"]
        return _marked(marks if isinstance(marks, list) else LETTERS, texts)
    if isinstance(value, dict) and len(value) > 1 and all(isinstance(text, str) for text in value.values()):
        return _marked(list(value), list(value.values())) if all(len(str(mark)) <= 2 for mark in value) else ()
    return ()


def _text_of(value: object) -> str:
    """The words of an option that is an object."""
    found = value.get("text") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _marked(marks: Iterable[object], texts: Iterable[object]) -> tuple[Shown, ...]:
    return tuple(Shown(str(mark), str(text)) for mark, text in zip(marks, texts, strict=False))


def _in_a_row(part: Mapping[str, object]) -> tuple[Shown, ...]:
    """Options in fields whose names differ by a letter or a number at their end, from the first without a gap."""
    rows: dict[str, dict[str, str]] = {}
    for name, value in part.items():
        numbered = _NUMBERED.fullmatch(str(name))
        if numbered and isinstance(value, str):
            rows.setdefault(numbered[1], {})[numbered[2].upper()] = value
    for found in rows.values():
        marks = LETTERS if "A" in found else "0123456789" if "0" in found else "123456789"
        if len(found) > 1 and set(found) == set(marks[: len(found)]):
            return tuple(Shown(mark, found[mark]) for mark in marks[: len(found)])
    return ()


TIED = "options equally likely"
NO_NUMBER = "log-likelihoods that are no numbers"
NO_WORDS = "log-likelihoods without the words they are of"


class Chosen(NamedTuple):
    """The likeliest words, or why there are none."""

    words: str
    why_not: str = ""


def likeliest(offered: Sequence[str], weights: Sequence[object]) -> Chosen:
    """The words with the greatest log-likelihood; of two that share it nobody can say which was chosen.

    >>> likeliest([" True", " False"], [-0.3, -1.2])
    Chosen(words=' True', why_not='')
    >>> likeliest([" True", " False"], [-0.3, -0.3]).why_not
    'options equally likely'
    """
    if len(offered) != len(weights) or len(set(offered)) < 2:
        return Chosen("", NO_WORDS)
    numbers = [_number(weight) for weight in weights]
    if any(isnan(number) for number in numbers):
        return Chosen("", NO_NUMBER)
    best = max(numbers)
    first = [words for words, number in zip(offered, numbers, strict=True) if number == best]
    return Chosen(first[0]) if len(first) == 1 else Chosen("", TIED)


def _number(weight: object) -> float:
    """A log-likelihood, as a number or as logs spell it."""
    try:
        return float(weight) if isinstance(weight, int | float | str) and not isinstance(weight, bool) else float("nan")
    except (ValueError, OverflowError):
        return float("nan")
