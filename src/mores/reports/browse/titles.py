"""What an item is called in a list: the first line of its question that is not the benchmark's frame."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
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
    words = {line: _words(line) for line in {line for lines in split for line in lines}}
    seen = Counter(chain.from_iterable({word for line in lines for word in words[line]} for lines in split))
    frame = {word for word, count in seen.items() if count > max(1, COMMON * len(questions))}
    own = {line: _own(line, told, frame) for line, told in words.items()}
    lines = [_own_lines(each, own) for each in split]
    first = Counter(found[0] for found in lines)
    return [_cut(found[0], LONGEST) if first[found[0]] == 1 else _both(found) for found in lines]


class _Own(NamedTuple):
    """A line without white space around it, what of it is the item's own if anything, and whether a title may begin."""

    whole: str
    kept: str
    begins: bool


def _own(line: str, words: Sequence[str], frame: set[str]) -> _Own:
    whole = line.strip()
    kept, told = _after_frame(whole, words, frame)
    if not _is_own(told, frame):
        return _Own(whole, "", begins=False)
    return _Own(whole, kept, begins=len(told) >= FEWEST)


def _own_lines(lines: Sequence[str], own: Mapping[str, _Own]) -> list[str]:
    """The lines that are the item's own, the first line where none is; of one that begins with the frame the rest."""
    told = [each for each in map(own.__getitem__, lines) if each.whole]
    kept = [each for each in told if each.kept]
    begins = next((number for number, each in enumerate(kept) if each.begins), 0)
    return [each.kept for each in kept[begins:]] or [each.whole for each in told[:1]] or [""]


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
