r"""Parts of a text that people mark: sentences, or words.

Scripts that end sentences with marks of their own are known; scripts without spaces have one character a word.
"""

import re
from typing import Literal

import msgspec

# A sentence ends with a mark that a space follows, or with a mark that needs none, or with its line.
_SENTENCE = re.compile(r"[^\s](?:.*?)(?:[.!?…؟۔।॥።]+[\"'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”）]*|(?=\n)|$)", re.DOTALL)
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_BY: dict[str, re.Pattern[str]] = {"sentence": _SENTENCE, "word": _WORD}


class SpanUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a text: where it begins and ends, in characters (code points) from 0, and its words."""

    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """Name of it in an answer."""
        return f"{self.start}-{self.end}"


def units_of(text: str, unit: Literal["sentence", "word"]) -> tuple[SpanUnit, ...]:
    """The parts of a text, in its order.

    >>> [each.text for each in units_of("He waits. Does she? 茶を飲む。帰る。", "sentence")]
    ['He waits.', 'Does she?', '茶を飲む。', '帰る。']
    >>> [each.name for each in units_of("He waits. 茶", "word")]
    ['0-2', '3-9', '10-11']
    """
    found = _BY[unit].finditer(text)
    return tuple(SpanUnit(start=each.start(), end=each.end(), text=each.group()) for each in found)
