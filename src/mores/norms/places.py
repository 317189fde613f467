"""Places by their ISO codes, found by any spelling that the data use.

The tables in `data/` were made once (ISO 3166 through pycountry, names of peoples and continents by hand) and are
read on first use, so that importing costs nothing. Parts of a country (`GB-SCT`) stay apart and roll up to it.
"""

import csv
import unicodedata
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from mores.core.codec import read_text
from mores.core.errors import InputError, UnknownName

PlaceGrouping = Literal["region", "wvs_group", "continent"]
"""The groups that figures are broken down by."""
DATA = Path(__file__).parent / "data"


class Place(Struct, frozen=True, kw_only=True):
    """A country (ISO 3166-1 alpha-2) or a part of one (ISO 3166-2) with the groups it counts towards.

    A part has its country's groups. None: it is in no group, as where nobody lives (`continent`), where
    CulturalBench did not ask (`region`) or where the Inglehart-Welzel map of 2023 shows nothing (`wvs_group`).
    """

    id: str
    name: str
    parent: str | None
    continent: str | None
    region: str | None
    wvs_group: str | None


def place(place_id: str) -> Place:
    """Place with this id.

    Raises:
        UnknownName: no place has it; `find` takes names and other codes.
    """
    try:
        return _places()[place_id]
    except KeyError:
        todo = "A place's id is its ISO 3166-1 code, such as JP, or GB-SCT for a part."
        raise UnknownName("place", place_id, _places(), todo=todo) from None


def find(name: str, *, where: str = "") -> Place:
    """Place that a name, the name of its people or a code stands for, however it is spelled.

    Case, accents, underscores, hyphens, full stops, stray spaces, a leading "the" and a plural s do not matter.

    Args:
        name: What the data say, such as "bosnia_and_herzegovina", "United States." or "Scots".
        where: File and line, for the message.

    Raises:
        UnknownName: nothing is known by that name; the nearest names are listed.

    >>> find("Taiwan ROC").id, find("Northern Ireland ").id, find("the dutch").id
    ('TW', 'GB-NIR', 'NL')
    """
    found = named(name) or _codes().get(name.strip().upper())
    if found is None:
        todo = "Give a country's English name or its ISO 3166 code."
        raise UnknownName("place", name.strip(), (p.name for p in _places().values()), todo=todo, where=where)
    return place(found)


def named(name: str) -> str | None:
    """Id of the place with this name, or None; codes are no names here, as `any` and `in` are words too."""
    words = spelling(name)
    aliases = _aliases()
    return aliases.get(words) or aliases.get(words.removesuffix("s"))


@cache
def names_of(place_id: str) -> tuple[str, ...]:
    """All that a place and its people are called, bare and in lower case, by length; nothing where no place has the id.

    >>> names_of("JP")
    ('japanese', 'nippon', 'japan')
    """
    known = (alias for alias, found in _aliases().items() if found == place_id)
    return tuple(sorted(known, key=lambda alias: (-len(alias), alias)))


def roll_up(place_id: str) -> str:
    """Id of the country that a place is part of; a country's own id for a country."""
    return place(place_id).parent or place_id


def group_of(place_id: str, grouping: PlaceGrouping) -> str | None:
    """Name of the group that a place is in; a part of a country is in its country's, None is in none.

    Which place is in which group stands in `data/places.csv`; where each membership comes from and which are
    uncertain, in `docs/norms.md`.

    Args:
        place_id: ISO code, such as JP or GB-SCT.
        grouping: `region` is CulturalBench's (appendix B: 45 places in eleven, Mexico under South America and
            Turkey under Middle East/West Asia), `wvs_group` the Inglehart-Welzel map's of 2023 (eight), `continent`
            one of six.

    Raises:
        UnknownName: no place has this id.
    """
    found: str | None = getattr(place(place_id), grouping)
    return found


def places() -> tuple[Place, ...]:
    """All places, countries before their parts, by id."""
    return tuple(_places().values())


@cache
def spelling(name: str) -> str:
    """The bare words of a name: lower case, no accents, stops or apostrophes, single spaces, no leading "the".

    >>> spelling(" Côte_d’Ivoire"), spelling("The U.S.")
    ('cote divoire', 'us')
    """
    # Decomposed, so that an accent is a sign of its own and can be left out.
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).casefold()
    kept = "".join("" if c in ".'’" else c if c.isalnum() else " " for c in plain.replace("&", " and "))
    words = kept.split()
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


@cache
def _places() -> dict[str, Place]:
    rows = {row["id"]: row for row in _rows()}
    return {name: _placed(row, rows.get(row["parent"], row)) for name, row in rows.items()}


def _placed(row: dict[str, str], country: dict[str, str]) -> Place:
    """A place of a row, in its country's groups; an empty cell is none."""
    groups = {kind: country[kind] or None for kind in get_args(PlaceGrouping)}
    return Place(id=row["id"], name=row["name"], parent=row["parent"] or None, **groups)


@cache
def _codes() -> dict[str, str]:
    threes = {row["alpha_3"]: row["id"] for row in _rows() if row["alpha_3"]}
    return threes | {row["id"]: row["id"] for row in _rows()}


@cache
def _rows() -> list[dict[str, str]]:
    return _table("places.csv", "id,alpha_3,name,parent,continent,region,wvs_group")


@cache
def _aliases() -> dict[str, str]:
    return {row["alias"]: row["id"] for row in _table("aliases.csv", "alias,id")}


def _table(name: str, header: str) -> list[dict[str, str]]:
    path = DATA / name
    lines = read_text(path).splitlines()
    if lines[0] != header:
        raise InputError(f"{path}:1: header is '{lines[0]}'; expected '{header}'.")
    return [dict(zip(header.split(","), row, strict=True)) for row in csv.reader(lines[1:])]
