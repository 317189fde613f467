"""Replies on the way to a translation, and faults that can be found in them without a model."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from mores.core.languages import is_in_script_of
from mores.norms.remove_place import PlaceMask
from mores.pipelines.text_checks import normalised
from mores.pipelines.translate.languages import TargetLanguage
from mores.pipelines.translate.texts import PartText, stands_in
from mores.pipelines.unit_context import WriterReply

MOST_TEXTS, MOST_WORDS = 80, 120
"""Of a part and of a glossary at most: a small model held to a schema may never end a list."""
LETTERS = 12
"""Letters of a text whose script is looked at: a shorter one may be a name."""
NAME = 3
"""Words of a name at most, which may stay as it is."""
_NUMBER = re.compile(r"\d+")


class ListedWord(msgspec.Struct, frozen=True):
    """A word that gives the place away, in the language, and what stands for it where the place is hidden."""

    word: str = ""
    translation: str = ""
    instead: str = ""


class WordList(WriterReply):
    """Words of a norm that give its place away, names among them, each with one translation for all its texts."""

    entries: Annotated[tuple[ListedWord, ...], msgspec.Meta(extra_json_schema={"maxItems": MOST_WORDS})] = ()

    @property
    def by_word(self) -> dict[str, ListedWord]:
        """Entries by the English words."""
        return {each.word: each for each in self.entries}

    def wrong(self, words: Sequence[str]) -> str:
        """Fault of the glossary, in words for its writer; empty where there is none."""
        known = self.by_word
        if missing := [word for word in words if word not in known]:
            return f'no entry for "{missing[0]}"; every word of the list has one.'
        if strange := [word for word in known if word not in words]:
            return f'an entry for "{strange[0]}", which is not on the list.'
        blank = (each.word for each in self.entries if not (each.translation.strip() and each.instead.strip()))
        if (word := next(blank, None)) is not None:
            return f'the entry for "{word}" lacks its translation, or what stands for it.'
        same = (each.word for each in self.entries if normalised(each.translation) == normalised(each.instead))
        if (word := next(same, None)) is not None:
            return f'what stands for "{word}" is the word itself, and so hides nothing.'
        return ""


class WordForm(msgspec.Struct, frozen=True):
    """A form of a glossary's word as it stands in a text, where grammar changes it."""

    word: str = ""
    form: str = ""
    instead: str = ""


class TranslatedTexts(WriterReply):
    """Texts of one part in the language, in their order, with the forms of the glossary's words that stand there."""

    texts: Annotated[tuple[str, ...], msgspec.Meta(extra_json_schema={"maxItems": MOST_TEXTS})] = ()
    forms: Annotated[tuple[WordForm, ...], msgspec.Meta(extra_json_schema={"maxItems": MOST_WORDS})] = ()

    def masks(self, glossary: WordList) -> dict[str, str]:
        """Replacement of each form that gives the place away, forms of these texts among them."""
        own = {each.form: each.instead for each in self.forms if each.form.strip()}
        return {each.translation: each.instead for each in glossary.entries} | own

    def wrong(self, texts: Sequence[PartText], glossary: WordList, target: TargetLanguage, place: str) -> str:
        """Fault of the texts, in words for their writer; empty where there is none."""
        if len(self.texts) != len(texts):
            return f"{len(self.texts)} texts; expected {len(texts)}, one for each."
        masks = self.masks(glossary)
        faults = (
            f"text {number}: {fault}"
            for number, (text, written) in enumerate(zip(texts, self.texts, strict=True), start=1)
            if (fault := next(_faults(text.words, written, masks, target, place), ""))
        )
        return next(faults, "") or next(_unkept(texts, self.texts, glossary, self.forms), "")


def _faults(text: str, written: str, masks: Mapping[str, str], target: TargetLanguage, place: str) -> Iterator[str]:
    """Faults of one text: blank, as it was, in another script, with other numbers, or with its place in sight."""
    if not written.strip():
        yield "it has no words."
    if len(text.split()) > NAME and normalised(written) == normalised(text):
        yield "it is the English text."
    if sum(map(str.isalpha, written)) >= LETTERS and is_in_script_of(written, target.tag) is False:
        yield f"its letters are not those of {target.name}."
    before, after = _numbers(text), _numbers(written)
    if before != after:
        yield f"its numbers in digits are {_listed(after)}; the English text has {_listed(before)}."
    hidden, country = PlaceMask(masks)(written), target.country(place)
    # The norm itself names its place, and is never asked without it.
    if country and country in hidden and country not in masks:
        yield f'"{country}" names the place, and neither the glossary nor a form has it.'


def _numbers(text: str) -> Counter[str]:
    """Numbers in digits of any script, as those of ASCII."""
    plain = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in text)
    return Counter(_NUMBER.findall(plain))


def _listed(numbers: Counter[str]) -> str:
    return ", ".join(sorted(numbers.elements())) or "none"


def _unkept(
    texts: Sequence[PartText], written: Sequence[str], glossary: WordList, forms: Sequence[WordForm]
) -> Iterator[str]:
    """Words of the glossary that a text has in English, and whose translation it lacks."""
    for number, (text, translation) in enumerate(zip(texts, written, strict=True), start=1):
        for each in glossary.entries:
            ways = {each.translation, *(form.form for form in forms if form.word == each.word and form.form.strip())}
            if stands_in(each.word, text.words) and not any(way in translation for way in ways):
                yield f'text {number}: neither "{each.translation}" nor a form of it stands for "{each.word}".'


class BackTranslation(msgspec.Struct):
    """Texts in English again, by who has not seen the English ones."""

    texts: Annotated[tuple[str, ...], msgspec.Meta(extra_json_schema={"maxItems": MOST_TEXTS})] = ()


class TextComparison(msgspec.Struct, frozen=True):
    """BackComparison of a text with what it was translated back to."""

    number: int = 0
    meaning: Literal["same", "changed"] = "same"
    negation: Literal["same", "changed"] = "same"
    difference: str = ""


class BackComparison(msgspec.Struct):
    """BackComparison of all texts of a part."""

    texts: Annotated[tuple[TextComparison, ...], msgspec.Meta(extra_json_schema={"maxItems": MOST_TEXTS})] = ()

    def incomplete(self, count: int) -> str:
        """Fault of the reply, for who compared; empty where there is none."""
        numbers = sorted(each.number for each in self.texts)
        return "" if numbers == list(range(1, count + 1)) else f"it has the texts {numbers}; expected 1 to {count}."

    @property
    def fault(self) -> str:
        """Differences, in words for the writer; empty where there is none."""
        changed = [each for each in self.texts if "changed" in {each.meaning, each.negation}]
        return "; ".join(
            f"text {each.number}: the {'negation' if each.negation == 'changed' else 'meaning'} is changed"
            f"{f', {each.difference}' if each.difference.strip() else ''}"
            for each in changed
        )


class TrueStatements(msgspec.Struct):
    """Letters of the statements that are true by a norm."""

    true: Annotated[tuple[str, ...], msgspec.Meta(extra_json_schema={"maxItems": 26})] = ()


class SceneVerdict(msgspec.Struct):
    """Label of an act by a norm."""

    label: Literal["yes", "no", "neutral"]
