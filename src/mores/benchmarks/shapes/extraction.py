"""The label out of a reply that also explains: said as the answer, or first of all, or in a looser phrase.

The order is that of CURE's released code (answer forms, a leading label, looser phrases, then a line of its own); its
patterns are not. A label counts only where it stands as an answer: "No one minds" and "yes or no" give none.
"""

import re
from functools import cache

from mores.benchmarks.shapes.labels import LabelReading, read_label

SHORT = 60
"""Words up to which an answer that begins by declining is a refusal; a longer one has reasons to be graded."""
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_OPENING = r"[\s*_\"'“”‘’`(\[<>:]{0,12}"
_HEDGE = r"(?:(?:clearly|definitely|probably|simply|likely|most\s+likely|an?|therefore)\s+)?"
_FOLLOWING = (
    "because|as|since|for|it|this|that|these|those|he|she|they|we|you|i|his|her|their|in|by|under|on|at|given|per"
    "|according|based|due|from|if|when|unless|although|though|while|but|what|here|there|the|is|was|would"
)
_STANDS_ALONE = (
    r"(?=\s*\Z|\s*[\n.,;:!?)\]}>*_\"”`—–…(]|\s+-|['’](?!\w)"
    rf"|\s+(?:{_FOLLOWING})\b|\s+(?:explanation|reason|reasons|reasoning|justification|rationale)\s*[:*—–-])"
)
"""What may come after a label that is also an everyday word: "no" before a noun, "neutral" before another."""
_PLAIN = frozenset({"yes", "true", "false"})
_LOOSE = (
    r"\bi(?:['’]d|\s+would)?\s+(?:say|judge|answer|choose|rate|call)(?:\s+(?:it|this|that))?(?:\s+(?:as|is))?"
    r"|\bmy\s+(?:judge?ment|verdict|choice|response|label|view)(?:\s+(?:is|would\s+be))?"
    r"|\b(?:verdict|label|judge?ment|response|conclusion|rating)[\"'”*_]{0,4}\s{0,4}(?::|=|\bis\b|\bwould\s+be\b)"
    r"|\b(?:acceptable|acceptability)[\"'”*_]{0,4}\s{0,4}[:=–—]"
    r"|\b(?:so|therefore|thus|hence|overall)\b,?"
)


def extract_label(text: str, labels: tuple[str, ...]) -> LabelReading:
    r"""The label of an answer with its reasons, or a refusal, or a format error where none is found.

    >>> extract_label("**Answer:** No. Shoes come off at the door.", ("yes", "no"))
    Read(label='no', fault=None)
    >>> extract_label("No one there would mind.", ("yes", "no"))
    Read(label=None, fault='format_error')
    >>> extract_label("I'm sorry, I can't help with that.", ("yes", "no"))
    Read(label=None, fault='refusal')
    """
    *forms, alone = _patterns(labels)
    for form in forms:
        match = form.search(text)
        if match:
            return LabelReading(match["label"].casefold(), None)
    lines = {match["label"].casefold() for match in alone.finditer(text)}
    if len(lines) == 1:
        return LabelReading(lines.pop(), None)
    return LabelReading(None, "refusal" if declines(text, labels) else "format_error")


def declines(text: str, labels: tuple[str, ...]) -> bool:
    """True for a short answer without a label whose first sentence declines to give one."""
    if len(text.split(maxsplit=SHORT)) > SHORT:
        return False
    return read_label(_SENTENCE.split(text.strip(), maxsplit=1)[0], labels, "strict").fault == "refusal"


@cache
def _patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Answer forms, a leading label, looser phrases; and a label on a line of its own."""
    words = "|".join(map(re.escape, labels))
    label = _label(labels, words)
    about = r"(?:\s+(?:to|for|in|here)\b[^.:;!?\n]{0,80}?)?(?:\s{0,4}\([^)\n]{0,80}\))?"
    said = r"(?:(?:[:=>]|\bis\b|\bwould\s+be\b|\bmust\s+be\b|[-–—])[\s*_:\"']{0,12})"
    forms = (
        rf"\banswer\b[\"'”*_\s]{{0,8}}{about}[\"'”*_\s]{{0,8}}{said}{_OPENING}{_HEDGE}{label}",
        rf"\A[\W_]*{label}",
        rf"(?:{_LOOSE})[\s*_:,]{{0,12}}{_OPENING}{_HEDGE}{label}",
        rf"^[^\w\n]*(?P<label>{words})[^\w\n]*$",
    )
    return tuple(re.compile(form, re.IGNORECASE | (re.MULTILINE if form[0] == "^" else 0)) for form in forms)


def _label(labels: tuple[str, ...], words: str) -> str:
    """One label that is no part of a longer word and no list of what might be said."""
    careful = "|".join(re.escape(label) for label in labels if label not in _PLAIN)
    alone = rf"(?:(?!\b(?:{careful})\b)|(?=(?:{careful})\b{_STANDS_ALONE}))" if careful else ""
    other = rf"(?!(?P=label)\b)(?:{alone}(?:{words})\b|(?:{words})\s+(?:or|and)\b)"
    listed = rf"(?!\s*(?:,|/|\band\b|\bor\b)\s*(?:or\s+)?{other})"
    return rf"{alone}(?P<label>{words})(?![\w/])(?!['’-]\w){listed}"
