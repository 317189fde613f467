"""Texts of a pack that are put into another language: those of its norms and open questions, by part, and put back.

A table of a pack, as its file has it ⇄ texts with their places in the table. What only judges and people read (sources,
notes, reasons of a key) stays as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mores.norms.remove_place import PlaceMask

TextPath = tuple[str | int, ...]
"""Keys and numbers that lead to a text in a table."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "norm": ("statement", "negation", "subgroup"),
    "questions": ("know",),
    "scenes": ("judge", "explain"),
    "talk": ("converse", "live"),
    "open": ("question", "day", "norm"),
}
"""Tables of each part of a norm, the last those of an open question; what is asked in one request."""
_TEXTS = frozenset((
    "statement", "negation", "subgroup", "question", "text", "story", "reference", "elements", "thin", "scene", "name",
    "who", "proposal", "goal", "task", "day", "satisfied", "neutral", "violated",
))  # fmt: skip


class PartText(NamedTuple):
    """A text of a table with its place there."""

    path: TextPath
    words: str


def texts_of(table: Mapping[str, Any], part: str) -> tuple[PartText, ...]:
    """Texts of one part of a table, in its order; none where the table has no such part."""
    found = (_texts(table[head], (head,)) for head in PARTS[part] if head in table)
    return tuple(text for each in found for text in each)


def _texts(value: Any, path: TextPath) -> Iterator[PartText]:
    if isinstance(value, str):
        if value.strip() and next(key for key in reversed(path) if isinstance(key, str)) in _TEXTS:
            yield PartText(path, value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, Sequence):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*path, number))


def stands_in(word: str, text: str) -> bool:
    """True where a word stands in a text as a mask finds it.

    >>> stands_in("Japan", "In Japan"), stands_in("Japan", "Japanese")
    (True, False)
    """
    return PlaceMask({word: ""})(text) != text


def with_texts(table: Mapping[str, Any], texts: Mapping[TextPath, str]) -> dict[str, Any]:
    """The table with other words at these places.

    >>> with_texts({"know": [{"question": "Who?"}]}, {("know", 0, "question"): "Siapa?"})
    {'know': [{'question': 'Siapa?'}]}
    """
    return {key: _with(value, (key,), texts) for key, value in table.items()}


def _with(value: Any, path: TextPath, texts: Mapping[TextPath, str]) -> Any:
    if path in texts:
        return texts[path]
    if isinstance(value, Mapping):
        return {key: _with(inner, (*path, key), texts) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_with(inner, (*path, number), texts) for number, inner in enumerate(value)]
    return value
