"""Places in the reader's language: countries as CLDR calls them, parts of countries by the studio's catalogues."""

import unicodedata
from collections.abc import Iterable
from functools import cache

from babel import Locale
from django.utils.translation import get_language, gettext

from mores.core.errors import UnknownName
from mores.norms.places import Place, place, places

Choices = list[tuple[str, str]]


def place_name(place_id: str) -> str:
    """Name of a place to the reader; a code that is no place's, such as that of a project's own group, stays."""
    try:
        known = place(place_id)
    except UnknownName:
        return place_id
    return _name(known, get_language() or "en")


def _name(known: Place, language: str) -> str:
    if known.parent is not None:
        return gettext(known.name)
    # In English a place is called as in the data, and in the files that are imported and exported.
    own = language.startswith("en")
    return known.name if own else Locale.parse(language, sep="-").territories.get(known.id, known.name)


def in_order(names: Iterable[tuple[str, str]]) -> Choices:
    """Codes and names, sorted by name as the reader's alphabet has them: accents and hamzas part no letters."""
    return sorted(names, key=lambda each: (_letters(each[1]), each))


def _letters(name: str) -> str:
    # Marks above and below a letter are of the classes from 200 on; signs that are sounds of their own are not.
    plain = (c for c in unicodedata.normalize("NFKD", name) if unicodedata.combining(c) < 200)
    return "".join(plain).casefold()


def country_choices() -> Choices:
    """Every country, for a form; the first is none."""
    return [("", "—"), *_countries(get_language() or "en")]


def region_choices() -> Choices:
    """Every country, then every part of one; the first is none."""
    parts = (part for _country, listed in _parts(get_language() or "en") for part in listed)
    return [*country_choices(), *in_order(parts)]


def part_choices() -> list[tuple[str, Choices | str]]:
    """Every part of a country, under its country; the first is none."""
    return [("", "—"), *_parts(get_language() or "en")]


@cache
def _countries(language: str) -> tuple[tuple[str, str], ...]:
    return tuple(in_order((each.id, _name(each, language)) for each in places() if each.parent is None))


@cache
def _parts(language: str) -> tuple[tuple[str, Choices], ...]:
    """Parts by country, in the reader's language, which `language` tells apart."""
    found = [each for each in places() if each.parent is not None]
    countries = in_order({(str(each.parent), place_name(str(each.parent))) for each in found})
    return tuple(
        (name, in_order((each.id, _name(each, language)) for each in found if each.parent == country))
        for country, name in countries
    )
