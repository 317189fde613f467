"""The label out of a reply that also explains: said as the answer, or first of all, or in a looser phrase.

The order is that of CURE's released code (answer forms, a leading label, looser phrases); its patterns are not.
"""

import re
from collections.abc import Iterable
from functools import cache

from mores.benchmarks.shapes.labels import Read, read_label

_OPENING = r"[\s*_\"'“‘(\[]*"
_NOT_NO = r"(?!\s+(?:one|body|matter|doubt|problem|need|longer|single|specific|reason|wonder|harm|offen[cs]e)\b)"
_LOOSE = (
    r"\bi(?:['’]d|\s+would)?\s+(?:say|judge|answer|choose|rate|call)(?:\s+(?:it|this|that))?"
    r"|\bmy\s+(?:judge?ment|verdict|choice|response|label|view)(?:\s+(?:is|would\s+be))?"
    r"|\b(?:verdict|label|judge?ment|response|conclusion|rating)\s*(?::|\bis\b)"
)


def extract_label(text: str, labels: Iterable[str], *, refused: bool = False) -> Read:
    r"""The label of an answer with its reasons, or a refusal, or a format error where none is found.

    >>> extract_label("**Answer:** No. Shoes come off at the door.", ("yes", "no"))
    Read(label='no', fault=None)
    >>> extract_label("No one there would mind.", ("yes", "no"))
    Read(label=None, fault='format_error')
    """
    if refused:
        return Read(None, "refusal")
    known = tuple(labels)
    for pattern in _patterns(known):
        match = pattern.search(text)
        if match:
            return Read(match["label"].casefold(), None)
    return Read(None, read_label(text, known, "strict").fault)


@cache
def _patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    label = rf"(?P<label>{'|'.join(map(re.escape, labels))})(?![\w-]){_NOT_NO}"
    forms = (
        rf"\banswer\b[\s*_]*(?::|=|\bis\b|[-–—])[\s*_:]*{_OPENING}{label}",
        rf"\A[\W_]*{label}",
        rf"(?:{_LOOSE})[\s*_:,]*{_OPENING}{label}",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)
