"""Answers held against people's: both are brought to one form by the rules of their language, and compared by words.

text ─▶ Unicode's compatible form in small letters, ASCII digits, no marks, articles or endings ─▶ words ─▶ which of
people's answers stands in it. The rules (`languages.toml`) are data and stop short of a lemmatiser: what they miss, a
judge beside can say.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct, field

from mores.core.codec import build, read_toml
from mores.core.languages import ENGLISH, language_of

RULES = Path(__file__).with_name("languages.toml")
_WITHIN = re.compile(r"(?<=\d)[.,:/](?=\d)")
"""A sign within a number, a time or a date, which stays."""
_APOSTROPHES = re.compile(r"['’ʼ`´]")
NormalForm = tuple[str, ...]
"""The words of a text in one form; letters where a language has no spaces."""


class LanguageRules(Struct, frozen=True, kw_only=True):
    """Rules of a language for comparing answers, as `languages.toml` explains them."""

    marks: bool = False
    letters: dict[str, str] = field(default_factory=dict)
    articles: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    endings: dict[str, str] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    stem: int = 3
    spaced: bool = True
    unknown: tuple[str, ...] = ()


class AcceptedAnswer(Struct, frozen=True, kw_only=True):
    """One answer that people gave, in all its spellings by language, and how many of them gave it."""

    texts: dict[str, tuple[str, ...]]
    votes: int = 1

    def first(self, language: str) -> str | None:
        """Its first spelling in a language, else in any; None where it has none."""
        ordered = (self.texts.get(language, ()), *self.texts.values())
        return next((texts[0] for texts in ordered if texts), None)


@cache
def rules_of(language: str) -> LanguageRules:
    """The rules of a language; those of none that differ for one that has none."""
    return _rules().get(language_of(language).subtag, LanguageRules())


@cache
def _rules() -> dict[str, LanguageRules]:
    return build(dict[str, LanguageRules], read_toml(RULES), where=RULES.name)


@lru_cache(maxsize=1 << 16)
def normal_form(text: str, language: str) -> NormalForm:
    """The words of a text in one form.

    >>> normal_form("The Apples!", "en"), normal_form("٧:٣٠", "ar"), normal_form("Τυρόπιτα", "el")
    (('apple',), ('7:30',), ('τυροπιτα',))
    """
    rules = rules_of(language)
    folded = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(_letters(folded, rules))
    signs = _APOSTROPHES.sub("", letters)
    kept = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else _sign(signs, at)
                   for at, c in enumerate(signs))  # fmt: skip
    words = unicodedata.normalize("NFC", kept).split()
    if not rules.spaced:
        return tuple("".join(words))
    plain = [word for word in words if word not in _articles(language)] or words
    return tuple(_stemmed(word, language) for word in plain)


def _letters(text: str, rules: LanguageRules) -> Iterator[str]:
    for c in text:
        if rules.marks and unicodedata.combining(c):
            continue
        digit = unicodedata.digit(c, None) if c.isdigit() else None
        yield str(digit) if digit is not None else rules.letters.get(c, c)


def _sign(text: str, at: int) -> str:
    """A sign that stays within a number; else a space."""
    return text[at] if _WITHIN.match(text, at) else " "


@cache
def _articles(language: str) -> frozenset[str]:
    rules = rules_of(language)
    return frozenset(unicodedata.normalize("NFC", "".join(_letters(unicodedata.normalize("NFKD", word), rules)))
                     for word in rules.articles)  # fmt: skip


def _stemmed(word: str, language: str) -> str:
    """A word without what its language adds at either end; a number in digits."""
    rules = rules_of(language)
    if word in rules.numbers:
        return str(rules.numbers.index(word))
    for prefix in rules.prefixes:
        if word.startswith(prefix) and len(word) - len(prefix) >= rules.stem:
            word = word.removeprefix(prefix)
            break
    for ending, other in rules.endings.items():
        if word.endswith(ending) and len(word) - len(ending) >= rules.stem:
            return word.removesuffix(ending) + other
    return word


class AnswerMatch(Struct, frozen=True, kw_only=True):
    """The most frequent of people's answers that stands in an answer, by its position; `whole`: nothing else does."""

    index: int
    whole: bool


def match_answer(text: str, accepted: Sequence[AcceptedAnswer], languages: Iterable[str]) -> AnswerMatch | None:
    """The most frequent of people's answers that stands in a text, in any of some languages; None where none does."""
    forms = [(language, normal_form(text, language)) for language in languages]
    order = sorted(range(len(accepted)), key=lambda index: (-accepted[index].votes, index))
    found: AnswerMatch | None = None
    for index in order:
        for language, form in forms:
            for spelling in accepted[index].texts.get(language, ()):
                sought = normal_form(spelling, language)
                if sought and "".join(sought) == "".join(form):
                    # The whole is the better reading, even where a more frequent answer is part of it.
                    return AnswerMatch(index=index, whole=True)
                if found is None and stands_in(sought, form, language):
                    found = AnswerMatch(index=index, whole=False)
    return found


def stands_in(sought: NormalForm, form: NormalForm, language: str) -> bool:
    """True where words follow one another in a text, however they are spaced."""
    joined = "".join(sought)
    if not joined:
        return False
    if not rules_of(language).spaced:
        return joined in "".join(form)
    return any(_begins(form, start, joined) for start in range(len(form)))


def _begins(form: NormalForm, start: int, joined: str) -> bool:
    """True where some words from one on are, together, just those that are sought."""
    left = joined
    for word in form[start:]:
        if not left.startswith(word):
            return False
        left = left.removeprefix(word)
        if not left:
            return True
    return False


def says_unknown(text: str, language: str) -> bool:
    """True where an answer says that it does not know, or that there is none, in its language or in English.

    >>> says_unknown("No lo sé.", "es"), says_unknown("arroz", "es")
    (True, False)
    """
    return any(
        stands_in(normal_form(phrase, own), normal_form(text, own), own)
        for own in dict.fromkeys((language_of(language).subtag, ENGLISH))
        for phrase in rules_of(own).unknown
    )
