"""Reading one label out of a reply.

`strict` is the papers' rule: the label and nothing else, after white space, quotes, Markdown marks and final
punctuation are taken off. `lenient` accepts a label that stands alone somewhere, if only one does.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from mores.core.card import Reading
from mores.core.verdict import Fault

_WRAPPING = " \t\r\n\f\v\u00a0\ufeff\"'`“”‘’«»*_~#>"
_FINAL = ".,;:!?。！？．)"
_REFUSING = re.compile(
    r"\b(?:i(?:['’]?| a)m (?:sorry|unable|not (?:able|comfortable))|as an ai"
    r"|i (?:can(?:not| not|['’]?t)|won['’]t|will not|must decline|decline to))\b",
    re.IGNORECASE,
)


class Read(NamedTuple):
    """The label of a reply, or the fault that hides it."""

    label: str | None
    fault: Fault | None


def read_label(text: str, labels: Iterable[str], reading: Reading, *, refused: bool = False) -> Read:
    r"""The one label that a reply gives, or a refusal, or a format error.

    >>> read_label(" **False.**\n", ("true", "false"), "strict")
    Read(label='false', fault=None)
    >>> read_label("The answer is true", ("true", "false"), "strict")
    Read(label=None, fault='format_error')
    >>> read_label("The answer is true", ("true", "false"), "lenient")
    Read(label='true', fault=None)
    """
    if refused:
        return Read(None, "refusal")
    known = tuple(labels)
    bare = _bare(text)
    if bare in known:
        return Read(bare, None)
    if reading == "lenient":
        found = {known[int(match.lastgroup[1:])] for match in _pattern(known).finditer(text) if match.lastgroup}
        if len(found) == 1:
            return Read(found.pop(), None)
    return Read(None, "refusal" if _REFUSING.search(text) else "format_error")


def _bare(text: str) -> str:
    return text.casefold().lstrip(_WRAPPING).rstrip(_WRAPPING + _FINAL)


@cache
def _pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Labels standing alone; a single letter must be a capital, since "a" is also an article.

    Quotes may stand around a label, but no apostrophe or hyphen that ties it to another word ("A's", "true-ish").
    """
    words = (rf"(?P<l{i}>{re.escape(label.upper()) if len(label) == 1 else f'(?i:{re.escape(label)})'})"
             for i, label in enumerate(labels))  # fmt: skip
    return re.compile(rf"(?<!\w)(?<!\w['’-])(?:{'|'.join(words)})(?!\w|['’-]\w)")
