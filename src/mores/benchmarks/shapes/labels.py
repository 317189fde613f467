"""Reading one label out of a reply.

`strict` is the papers' rule: the label and nothing else, after white space, quotes, Markdown marks and final
punctuation are taken off. `lenient` accepts a label that stands alone somewhere, if only one does.
Where the answer was asked for as JSON, `strict` is its key "Answer" and `lenient` takes a label in the words too.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from typing import NamedTuple
from unicodedata import normalize

from mores.core.card import Reading
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.core.verdict import Fault

_WRAPPING = " \t\r\n\f\v\u00a0\ufeff\"'`“”‘’«»*_~#>"
_FINAL = ".,;:!?。！？．)"
_REFUSING = re.compile(
    r"\b(?:i(?:['’]?| a)m (?:sorry|unable|not (?:able|comfortable))|as an ai"
    r"|i (?:can(?:not| not|['’]?t)|won['’]t|will not|must decline|decline to))\b",
    re.IGNORECASE,
)


_PIECE = re.compile(r"\s*(?:[぀-ヿ一-鿿가-힣]|[^\W぀-ヿ一-鿿가-힣]+|([^\w\s])\1*)")
"""About a token: a word, a sign of a script whose words are not spaced, or a run of one mark."""


class LabelReading(NamedTuple):
    """The label of a reply, or the fault that hides it."""

    label: str | None
    fault: Fault | None


def read_label(text: str, labels: tuple[str, ...], reading: Reading) -> LabelReading:
    r"""The one label that a reply gives, or a refusal, or a format error.

    >>> read_label(" **False.**\n", ("true", "false"), "strict")
    LabelReading(label='false', fault=None)
    >>> read_label("The answer is true", ("true", "false"), "strict")
    LabelReading(label=None, fault='format_error')
    >>> read_label("The answer is true", ("true", "false"), "lenient")
    LabelReading(label='true', fault=None)
    """
    bare = text.casefold().lstrip(_WRAPPING).rstrip(_WRAPPING + _FINAL)
    if bare in labels:
        return LabelReading(bare, None)
    if reading == "lenient":
        found = {labels[int(match.lastgroup[1:])] for match in _pattern(labels).finditer(text) if match.lastgroup}
        if len(found) == 1:
            return LabelReading(found.pop(), None)
    return LabelReading(None, "refusal" if _REFUSING.search(text) else "format_error")


def read_in_words(
    text: str, words: Mapping[str, str], read: Callable[[str, tuple[str, ...]], LabelReading]
) -> LabelReading:
    """Label of a text in the words of a language, as `read` finds it.

    >>> read_in_words("Sí.", {"sí": "yes", "no": "no"}, lambda text, labels: read_label(text, labels, "strict"))
    LabelReading(label='yes', fault=None)
    """
    found = read(normalize("NFC", text), tuple(words))
    return found if found.label is None else LabelReading(words[found.label], None)


def read_json_label(text: str, labels: tuple[str, ...], reading: Reading) -> LabelReading:
    r"""The one label that a reply gives under the key "Answer" of its first JSON object, or a fault.

    The object is the text from the first "{" to the first "}" after it. A letter must be the capital itself; a word
    counts in any case, as a JSON boolean and with stray backslashes. An answer that is no label is a format error.

    >>> read_json_label('Thus: {"Answer": "False"}.', ("true", "false"), "strict")
    LabelReading(label='false', fault=None)
    >>> read_json_label("False", ("true", "false"), "strict")
    LabelReading(label=None, fault='format_error')
    >>> read_json_label('{"Answer": "b"}', ("a", "b"), "strict")
    LabelReading(label=None, fault='format_error')

    Source:
        The released code of CultureForest, which counts another word than a label as an error of content; as the
        format asked for was not kept to, its paper's words (appendix I) make it one of form.
    """
    found = _under_answer(text, labels)
    if found is not None:
        return LabelReading(found, None)
    if reading == "lenient":
        return read_label(text, labels, reading)
    return LabelReading(None, "refusal" if _REFUSING.search(text) else "format_error")


def _under_answer(text: str, labels: tuple[str, ...]) -> str | None:
    """The label under the key "Answer" of the first object in a text."""
    _, opened, rest = text.partition("{")
    inside, closed, _ = rest.partition("}")
    if not (opened and closed):
        return None
    letters = all(len(label) == 1 for label in labels)
    try:
        whole = parse_json("{" + (inside if letters else inside.replace("\\", "")) + "}", where="reply")
    # Replies may hold lone surrogates, and brackets nested deeper than the parser goes.
    except (InputError, UnicodeEncodeError, RecursionError):
        return None
    value = whole.get("Answer")
    if letters:
        return next((label for label in labels if value == label.upper()), None)
    return next((label for label in labels if str(value).casefold() == label), None)


def begin_of(text: str, tokens: int) -> str:
    """The beginning of a text, about as much as so many tokens hold; rather more where its words are rare.

    >>> begin_of("A. Because the host pours first.", 2), begin_of(" **True**", 24)
    ('A.', ' **True**')
    """
    # One piece more than wanted shows that the text goes on, without reading it to its end.
    pieces = [*islice(_PIECE.finditer(text), tokens + 1)]
    return text if len(pieces) <= tokens else text[: pieces[tokens].start()]


def names_label(text: str, labels: tuple[str, ...]) -> bool:
    """True where a label stands alone anywhere in a text.

    >>> names_label("Both true and false.", ("true", "false")), names_label("Untrue.", ("true", "false"))
    (True, False)
    """
    return _pattern(labels).search(text) is not None


@cache
def _pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Labels standing alone; a single letter must be a capital, since "a" is also an article.

    Quotes may stand around a label, but no apostrophe or hyphen that ties it to another word ("A's", "true-ish").
    """
    words = (rf"(?P<l{i}>{re.escape(label.upper()) if len(label) == 1 else f'(?i:{re.escape(label)})'})"
             for i, label in enumerate(labels))  # fmt: skip
    return re.compile(rf"(?<!\w)(?<!\w['’-])(?:{'|'.join(words)})(?!\w|['’-]\w)")


SHORT = 60
"""Words up to which an answer that begins by declining is a refusal; a longer one has reasons to be graded."""
_SENTENCE = re.compile(r"(?<=[.!?])\s")
# Repetitions are bounded throughout, so that no reply can make the search take for ever.
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
    LabelReading(label='no', fault=None)
    >>> extract_label("No one there would mind.", ("yes", "no"))
    LabelReading(label=None, fault='format_error')
    >>> extract_label("I'm sorry, I can't help with that.", ("yes", "no"))
    LabelReading(label=None, fault='refusal')
    """
    *forms, alone = _patterns(labels)
    # In order: an explicit answer outweighs a leading label, and that a looser phrase.
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
    # Splitting stops there, so that a long answer is not taken apart whole.
    if len(text.split(maxsplit=SHORT)) > SHORT:
        return False
    return read_label(_SENTENCE.split(text.strip(), maxsplit=1)[0], labels, "strict").fault == "refusal"


@cache
def _patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Answer forms, a leading label, looser phrases; and a label on a line of its own."""
    words = "|".join(map(re.escape, labels))
    label = _label(labels, words)
    about = r"(?:\s+(?:to|for|in|here)\b[^.:;!?\n]{0,80}?)?(?:\s{0,4}\([^)\n]{0,80}\))?"
    copula = r"(?:(?:[:=>]|\bis\b|\bwould\s+be\b|\bmust\s+be\b|[-–—])[\s*_:\"']{0,12})"
    forms = (
        rf"\banswer\b[\"'”*_\s]{{0,8}}{about}[\"'”*_\s]{{0,8}}{copula}{_OPENING}{_HEDGE}{label}",
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
