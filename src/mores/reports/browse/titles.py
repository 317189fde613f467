"""What an item is called in a list: the first line of its question that is not the benchmark's frame."""

import re
from collections import Counter
from collections.abc import Sequence

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
    seen = Counter(word for question in questions for word in set(_words(question)))
    frame = {word for word, count in seen.items() if count > max(1, COMMON * len(questions))}
    lines = [_own_lines(question, frame) for question in questions]
    first = Counter(found[0] for found in lines)
    return [_cut(found[0], LONGEST) if first[found[0]] == 1 else _both(found) for found in lines]


def _own_lines(question: str, frame: set[str]) -> list[str]:
    """The lines that are the item's own, the first line where none is; of one that begins with the frame the rest."""
    lines = [line.strip() for line in question.splitlines() if line.strip()] or [""]
    kept = [line for line in (_after_frame(line, frame) for line in lines) if _is_own(line, frame)]
    begins = next((number for number, line in enumerate(kept) if len(_words(line)) >= FEWEST), 0)
    return kept[begins:] or lines[:1]


def _after_frame(line: str, frame: set[str]) -> str:
    head, _, rest = line.partition(": ")
    return rest if rest and not _is_own(head, frame) else line


def _is_own(line: str, frame: set[str]) -> bool:
    words = _words(line)
    return bool(words) and sum(word not in frame for word in words) >= OWN * len(words)


def _both(lines: Sequence[str]) -> str:
    return _cut(" · ".join((_cut(lines[0], FIRST), *lines[1:2])), LONGEST)


def _cut(line: str, longest: int) -> str:
    return line if len(line) <= longest else f"{line[:longest].rsplit(' ', 1)[0]} …"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
