"""Words of somebody else, fenced and labelled as data, so that a judge can tell them from its own instructions.

The mark of a fence is made new for each call and stands nowhere in what it fences, so no text can close its own fence.
"""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from mores.core.prompt import prompts_in
from mores.core.seeds import Seed

_ODD = re.compile(r"[\W_]+")
_ODD_ASCII = bytes(sign for sign in range(128) if not chr(sign).isalnum())
FORMS = Path(__file__).parent / "forms"


form_words = prompts_in(FORMS)
"""The prompts that all rubrics share."""


class FencedText(NamedTuple):
    """The mark of one call and the fenced words by their names."""

    mark: str
    words: dict[str, str]


def fence(texts: Mapping[str, str], seed: Seed) -> FencedText:
    """Each text between two marks, with a line before it that calls it data; all of one call share the mark.

    Args:
        texts: The words by what they are, as a judge would name it ("answer").
        seed: Names the call; equal seeds and texts give equal marks.
    """
    mark = _mark(tuple(texts.values()), seed)
    prompt = form_words("fence")
    return FencedText(mark, {what: prompt.render(mark=mark, what=what, text=text) for what, text in texts.items()})


def _mark(texts: tuple[str, ...], seed: Seed) -> str:
    """Sixteen hex digits that stand in none of the texts, however they are spaced or dressed up."""
    attempt = 0
    while True:
        mark = f"{seed.child('fence', attempt).entropy():032x}"[:16]
        if not any(_holds(text, mark) for text in texts):
            return mark
        attempt += 1


def _holds(text: str, mark: str) -> bool:
    """True if a text has the mark in it, as it is or in disguise; one that lacks a figure of it has not.

    Disguise is taken off by plain forms of letters and digits alone: what a reader may take for the mark.
    """
    if text.isascii():  # most are, and a pattern takes twenty times as long
        return mark.encode() in text.lower().encode().translate(None, _ODD_ASCII)
    plain = unicodedata.normalize("NFKC", text)
    if not all(figure in plain for figure in mark if figure.isdecimal()):
        return False
    return mark in text or mark in _ODD.sub("", plain.casefold())
