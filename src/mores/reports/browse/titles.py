"""What an item is called in a list: the first line of its question that is not the benchmark's frame."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice
from typing import NamedTuple

LONGEST, FIRST = 100, 60
"""Characters of a title, and of its first line where a second one tells items apart."""
FEWEST = 3
"""Words of a line that a title may begin with."""
OWN = 0.4
"""Share of a line's words that have to be the item's own."""
COMMON = 0.3
"""Share of all items above which a word is one of the frame."""
_WORD = re.compile(r"\w+")


def titles_of(questions: Sequence[str]) -> list[str]:
    r"""A title for each question of one benchmark; the first line where all lines are alike, empty without words.

    Items with the same first line get their next one too, as the statements of one question do.

    >>> titles_of(["In Japan:\nDo people bow?", "In Peru:\nWhen is lunch?", "In Chad:\nWho pours tea?"])
    ['Do people bow?', 'When is lunch?', 'Who pours tea?']
    """
    split = [question.splitlines() for question in questions]
    own = _OwnLines(_frame(split))
    lines = [own.of(each) for each in split]
    first = Counter(found[0] for found in lines)
    return [_cut(found[0], LONGEST) if first[found[0]] == 1 else _both(found) for found in lines]


def _frame(split: Sequence[Sequence[str]]) -> set[str]:
    """The words that stand in many questions, of which these are the lines."""
    often = max(1, COMMON * len(split))
    times = Counter(chain.from_iterable(map(frozenset, split)))
    told = {line: _words(line) for line in times}
    frame: set[str] = set().union(*(words for line, words in told.items() if times[line] > often))
    rare = {line: words for line, words in told.items() if times[line] <= often}
    seen = Counter(chain.from_iterable(set().union(*(rare.get(line, ()) for line in lines)) for lines in split))
    return frame.union(word for word, count in seen.items() if count > often)


class _Own(NamedTuple):
    """A line without white space around it, what of it is the item's own if anything, and whether a title may begin."""

    whole: str
    kept: str
    begins: bool


class _OwnLines(dict[str, _Own]):
    """Lines as they are looked at, without the words of a frame."""

    def __init__(self, frame: set[str]) -> None:
        super().__init__()
        self._frame = frame

    def __missing__(self, line: str) -> _Own:
        whole = line.strip()
        kept, told = _after_frame(whole, _words(line), self._frame)
        own = _is_own(told, self._frame)
        found = self[line] = _Own(whole, kept if own else "", begins=own and len(told) >= FEWEST)
        return found

    def of(self, lines: Sequence[str]) -> list[str]:
        """The first line that is the item's own with the next one; the first of all where none is."""
        kept = (each for each in map(self.__getitem__, lines) if each.kept)
        short = []
        for each in kept:
            if each.begins:
                return [each.kept, *(after.kept for after in islice(kept, 1))]
            short.append(each.kept)
        return short[:2] or list(islice(filter(None, map(str.strip, lines)), 1)) or [""]


def _after_frame(line: str, words: Sequence[str], frame: set[str]) -> tuple[str, Sequence[str]]:
    """A line and its words, without a beginning that is the frame's."""
    head, _, rest = line.partition(": ")
    if not rest:
        return line, words
    begun = len(_words(head))
    return (line, words) if _is_own(words[:begun], frame) else (rest, words[begun:])


def _is_own(words: Sequence[str], frame: set[str]) -> bool:
    return bool(words) and sum(word not in frame for word in words) >= OWN * len(words)


def _both(lines: Sequence[str]) -> str:
    return _cut(" · ".join((_cut(lines[0], FIRST), *lines[1:2])), LONGEST)


def _cut(line: str, longest: int) -> str:
    return line if len(line) <= longest else f"{line[:longest].rsplit(' ', 1)[0]} …"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
