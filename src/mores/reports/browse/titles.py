"""What an item is called in a list: the first line of its question that is not the benchmark's frame."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, islice
from typing import NamedTuple

from msgspec.msgpack import Decoder, encode

from mores.core.sequences import CompressedList

LONGEST, FIRST = 100, 60
"""Characters of a title, and of its first line where a second one tells items apart."""
FEWEST = 3
"""Words of a line that a title may begin with."""
OWN = 0.4
"""Share of a line's words that have to be the item's own."""
COMMON = 0.3
"""Share of all items above which a word is one of the frame."""
FEW, HELD = 64, 16_384
"""Questions whose lines may be those of the frame, and lines that are kept at hand."""
OPENED = 8_000
"""Questions up to which they are all read once, and not each time that one is looked at."""
_WORD = re.compile(r"\w+")
_PLAIN = bytes(ord(chr(code).lower()) if _WORD.match(chr(code)) else ord(" ") for code in range(128)) + bytes(128)
"""Of ASCII, in a third of the time: letters made small, and a space for each sign that is of no word."""


def titles_of(questions: Collection[str]) -> list[str]:
    r"""A title for each question of one benchmark; the first line where all lines are alike, empty without words.

    Items with the same first line get their next one too, as the statements of one question do.

    >>> titles_of(["In Japan:\nDo people bow?", "In Peru:\nWhen is lunch?", "In Chad:\nWho pours tea?"])
    ['Do people bow?', 'When is lunch?', 'Who pours tea?']
    """
    few = len(questions) <= OPENED
    questions = tuple(questions) if few else questions
    own = _OwnLines(questions)
    found: list[list[str]] | CompressedList[list[str]] = (
        [] if few else CompressedList(encode, Decoder(list[list[str]]).decode)
    )
    found.extend(own.kept(question.splitlines()) for question in questions)
    count = Counter(hash(lines[0]) for lines in found)
    return [
        _cut(lines[0], LONGEST) if count[hash(lines[0])] == 1 else _both(lines[0], "".join(lines[1:]))
        for lines in found
    ]


class _Own(NamedTuple):
    """What of a line is the item's own, if anything, and whether a title may begin with it."""

    kept: str
    begins: bool


class _OwnLines(dict[str, _Own]):
    """The lines of questions as they are looked at, without the words of the frame that many questions have."""

    def __init__(self, questions: Collection[str]) -> None:
        super().__init__()
        often = max(1, COMMON * len(questions))
        # Lines that many questions have are known by the first ones, for speed alone: all others are counted by words.
        first = frozenset(line for question in islice(questions, FEW) for line in question.splitlines())
        times = Counter(chain.from_iterable(first.intersection(question.splitlines()) for question in questions))
        common = {line for line, count in times.items() if count > often}
        rare = (frozenset(question.splitlines()) - common for question in questions)
        seen = Counter(chain.from_iterable(set(_words("\n".join(lines))) for lines in rare))
        self._frame = {word for word, count in seen.items() if count > often}.union(*map(_words, common))

    def __missing__(self, line: str) -> _Own:
        if len(self) == HELD:
            self.clear()
        kept, told = _after_frame(line.strip(), _words(line), self._frame)
        own = _is_own(told, self._frame)
        found = self[line] = _Own(kept if own else "", begins=own and len(told) >= FEWEST)
        return found

    def kept(self, lines: Sequence[str]) -> list[str]:
        """Two lines that are the item's own, from the one that a title begins with; the first of all where none is."""
        own = [self[line] for line in lines]
        begin = next((number for number, each in enumerate(own) if each.begins), 0)
        found = [each.kept for each in own[begin:] if each.kept]
        return found[:2] or [next(filter(None, map(str.strip, lines)), "")]


def _after_frame(line: str, words: Sequence[str], frame: set[str]) -> tuple[str, Sequence[str]]:
    """A line and its words, without a beginning that is the frame's."""
    head, _, rest = line.partition(": ")
    if not rest:
        return line, words
    begun = len(_words(head))
    return (line, words) if _is_own(words[:begun], frame) else (rest, words[begun:])


def _is_own(words: Sequence[str], frame: set[str]) -> bool:
    return bool(words) and len(words) - sum(map(frame.__contains__, words)) >= OWN * len(words)


def _both(first: str, second: str) -> str:
    return _cut(" · ".join((_cut(first, FIRST), *filter(None, (second,)))), LONGEST)


def _cut(line: str, longest: int) -> str:
    return line if len(line) <= longest else f"{line[:longest].rsplit(' ', 1)[0]} …"


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.encode().translate(_PLAIN).decode().split()
    return _WORD.findall(text.casefold())
