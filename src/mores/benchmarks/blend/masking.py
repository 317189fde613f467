"""Questions in the language of a place without the place: by a short table for languages where words can be replaced.

In Chinese, Indonesian, Persian, Spanish and Sundanese a name can give way to words for "that country" as it stands; in
the others its form, or that of what is around it, hangs on the sentence, and no rule of ours keeps the grammar.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from msgspec import structs

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.blend.data import SurveyPlace, survey_places
from mores.benchmarks.blend.matching import rules_of
from mores.benchmarks.blend.short_answer import ShortAnswerItem
from mores.benchmarks.controls import ControlSpec, PutOtherwise
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.benchmarks.shapes.without_place import UNNAMED
from mores.core.card import Control
from mores.core.languages import ENGLISH, language_of
from mores.norms.remove_place import LOCAL, PLACE, ControlExclusion, hidden

_Key = TypeVar("_Key")

NO_RULE = ControlExclusion("are in a language for which no rule keeps the grammar")
LEFT = ControlExclusion("still name the place once masked")
PERSON = ControlExclusion("are put in words that name the place")


_AFTER = r"\b(in|from|of|across|within|to)(?: the)? {}\b"
"""A name after a preposition, which stands for the country and is no adjective, whatever follows it."""


def without_place_here(item: ShortAnswerItem | ClosedItem) -> object:
    """An item without its place, in whatever language it is asked; left out where that cannot be."""
    if isinstance(item, ClosedItem):
        masked = _in_english(dict(enumerate(item.words)), _survey_place(item.about.place))
        if isinstance(masked, ControlExclusion):
            return masked
        return structs.replace(item, words=tuple(masked.values()), control="masked")
    place = _survey_place(item.about.place)
    if place is not None and PLACE not in item.words and _names(place, item.prompt.body):
        return PERSON
    if language_of(item.language).subtag == ENGLISH:
        found = _in_english({"question": item.words["question"]}, place)
    elif place is None or not place.mask:
        return NO_RULE
    else:
        found = _by_table(item.words["question"], place)
    if isinstance(found, ControlExclusion):
        return found
    named = {PLACE: LOCAL.country} if PLACE in item.words else {}
    return structs.replace(item, words={**item.words, **named, **found}, control="masked")


def _in_english(words: Mapping[_Key, str], place: SurveyPlace | None) -> dict[_Key, str] | ControlExclusion:
    if place is None:
        return UNNAMED
    found = {}
    for key, text in words.items():
        after = re.sub(_AFTER.format(re.escape(place.english)), rf"\1 {LOCAL.country}", text)
        left = hidden(after, place.place)
        if isinstance(left, ControlExclusion):
            return left
        found[key] = left
    return UNNAMED if found == dict(words) else found


def _by_table(text: str, place: SurveyPlace) -> dict[str, str] | ControlExclusion:
    masked = hide_place(text, place)
    if masked == text:
        return UNNAMED
    return LEFT if _names(place, masked) else {"question": masked}


def hide_place(text: str, place: SurveyPlace) -> str:
    """A text with what stands for a place's names in its language.

    >>> hide_place("¿Qué se come en México?", survey_places()["Mexico"])
    '¿Qué se come en el país?'
    """
    edge = _edge(place)
    for name, instead in place.mask.items():
        text = re.sub(f"{edge}{re.escape(name)}{edge}", instead, text)
    return text


@cache
def _survey_place(place: str | None) -> SurveyPlace | None:
    return next((each for each in survey_places().values() if each.place == place), None)


def _names(place: SurveyPlace | None, text: str) -> bool:
    """True where a text has one of a place's names."""
    if place is None:
        return False
    names, edge = "|".join(map(re.escape, place.names or (place.english,))), _edge(place)
    return re.search(f"{edge}(?:{names}){edge}", text, re.IGNORECASE) is not None


def _edge(place: SurveyPlace) -> str:
    """The edge of a word, in languages that have spaces between them."""
    return r"\b" if rules_of(place.language).spaced else ""


def _masked(_setting: Setting) -> PutOtherwise:
    return without_place_here


MASKED: Mapping[Control, ControlSpec] = {"masked": ControlSpec(_masked)}
"""The control `masked`, in languages of the places and in English."""
