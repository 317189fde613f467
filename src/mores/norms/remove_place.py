"""A place taken out of words by rules, where nobody wrote down what stands for it: names, peoples, languages, towns.

`In Japan, Japanese people speak Japanese` → `In the country, local people speak the local language`. Foods, festivals
and words of a language stay, so what is left of a place may still be guessed: what the place adds is then told too low,
never too high. Words in which grammar could not be kept are refused with the reason.
"""

import csv
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec import Struct

from mores.core.codec import read_text
from mores.norms.place_mask import ControlExclusion, named_in
from mores.norms.places import DATA, names_of, place, places, roll_up, spelling

FILE = "peoples.csv"
_CODE = 3
_SPEAKS = r"(?:in|speaks?|speaking|spoke|spoken|learns?|learning|writes?|written|reads?|into|from|of)"
_FUNCTION_WORDS = (
    "a an and are as at but by can could did do does for from had has have how if in into is it may might must not of "
    "often on or should than that the their they to typically usually was were what when where which who whose will "
    "with would commonly generally traditionally always never tend prefer consider believe also"
)
_TAKE_S = tuple("nitkcrhoa")
"""Ends of adjectives that with an s are people: Koreans, Iraqis, Filipinos; but the Chinese, the French."""
_OF_TOWN = frozenset({"culture", "tradition", "traditions", "customs", "people", "society", "region", "area"})
_SHORT = frozenset({"sar", "roc", "pdr", "usa", "uk", "us"})
_NO_NOUN = frozenset(_FUNCTION_WORDS.split())
"""Words that do not begin what an adjective speaks of: after them it stood for people or a language."""


class PlaceRemoval(NamedTuple):
    """What stands for a place, its people, its towns and its parts."""

    country: str = "the country"
    local: str = "local"
    people: str = "local people"
    person: str = "local person"
    language: str = "the local language"
    town: str = "the town"
    region: str = "the region"


LOCAL = PlaceRemoval()


class Rule(Struct, frozen=True):
    """What is looked for, and what stands for it; None where grammar cannot be kept."""

    pattern: re.Pattern[str]
    instead: Callable[[re.Match[str]], str | None]


@lru_cache(maxsize=2048)
def hidden(text: str, place_id: str, said: PlaceRemoval = LOCAL) -> str | ControlExclusion:
    """A text without any name of a place, its people, their languages and its larger towns.

    >>> hidden("In Japan, an Indian guest speaks Japanese.", "JP")
    'In the country, an Indian guest speaks the local language.'
    """
    left = text
    for rule in _rules(place_id, said):
        found: list[str] = []

        def instead(match: re.Match[str], rule: Rule = rule, found: list[str] = found) -> str:
            words = rule.instead(match)
            if words is None:
                found.append(match.group().strip())
                return match.group()
            return _cased(words, match)

        left = rule.pattern.sub(instead, left)
        if found:
            return ControlExclusion("have words about their place that no rule can replace")
    return ControlExclusion("still name the place once masked") if named_in(left, place_id) else left


def _cased(words: str, match: re.Match[str]) -> str:
    """Words with a capital where a sentence begins."""
    before = match.string[: match.start()].rstrip(" '\"‘“(")
    first = not before or before.endswith((".", "!", "?", "\n"))
    return words[:1].upper() + words[1:] if first and match.group()[:1].isupper() else words


@cache
def _rules(place_id: str, said: PlaceRemoval) -> tuple[Rule, ...]:
    row = _peoples().get(place_id) or _peoples().get(roll_up(place_id)) or _People()
    country = tuple(dict.fromkeys((*_names(place_id), *_names(roll_up(place_id)))))
    regular = tuple(f"{each}s" for each in row.adjectives if each.endswith(_TAKE_S))
    plural = (*regular, *(each for each in row.peoples if each.endswith(("s", "men", "women"))))
    single = tuple(each for each in row.peoples if each not in plural)
    return (
        _rule(rf"(?P<the>[Tt]he )?{_any(country)}(?P<next>\s+[\w’'-]+)?", _country(said)),
        _rule(rf"(?P<art>[Aa]n? |[Tt]he )?{_any(_parts(place_id))}(?P<next>\s+[\w’'-]+)?", _town(said, said.region)),
        _rule(rf"(?P<art>[Aa]n? |[Tt]he )?{_any(row.towns)}(?P<next>\s+[\w’'-]+)?", _town(said, said.town)),
        _rule(rf"(?P<the>[Tt]he )?{_any(plural)}", lambda m: f"the {said.people}" if m["the"] else said.people),
        _rule(rf"(?P<art>[Aa]n? )?{_any(single)}", lambda m: f"a {said.person}" if m["art"] else said.person),
        _rule(
            rf"(?P<art>[Aa]n? |[Tt]he )?{_any(row.adjectives)}(?P<next>\s+[\w’'-]+|-[a-z]\w*)?",
            _adjective(said),
        ),
        _rule(rf"(?P<art>[Aa]n? |[Tt]he )?{_any(row.languages)}(?P<next>\s+[\w’'-]+)?", _language(said)),
    )  # fmt: skip


def _rule(pattern: str, instead: Callable[[re.Match[str]], str | None]) -> Rule:
    return Rule(re.compile(rf"(?<![\w-]){pattern}(?!\w|-\w)"), instead)


def _any(words: Sequence[str]) -> str:
    longest = sorted(words, key=len, reverse=True)
    return rf"(?P<word>{'|'.join(map(re.escape, longest))})" if longest else r"(?P<word>(?!))"


def _country(said: PlaceRemoval) -> Callable[[re.Match[str]], str | None]:
    """A name; an abbreviation before a noun, and any name before people, speak as adjectives do."""

    def instead(match: re.Match[str]) -> str:
        following, word = match["next"] or "", match["word"]
        noun = following.strip()
        if word.endswith(".") and noun[:1].isupper():
            return f"{said.country}.{following}"  # the stop of U.S. ends its sentence too
        short = word.replace(".", "").isupper() and noun and noun.casefold() not in _NO_NOUN
        within = re.search(r"\b(?:in|of|from|throughout)\s+$", match.string[: match.start()], re.IGNORECASE)
        if short or (noun == "people" and not within):
            return f"{'the ' if match['the'] else ''}{said.local}{following}"
        return said.country + following

    return instead


def _town(said: PlaceRemoval, instead_of: str) -> Callable[[re.Match[str]], str | None]:
    """A town or a part of a place, which before its people or their culture speaks as an adjective does."""

    def instead(match: re.Match[str]) -> str | None:
        following = match["next"] or ""
        if following.strip() in _OF_TOWN:
            return _with_article(match, said.local)
        return None if match["art"] else instead_of + following

    return instead


def _language(said: PlaceRemoval) -> Callable[[re.Match[str]], str | None]:
    def instead(match: re.Match[str]) -> str | None:
        following = (match["next"] or "").strip()
        if not following or following.casefold() in _NO_NOUN:
            return None if match["art"] else said.language + (match["next"] or "")
        return _with_article(match, said.local)

    return instead


def _adjective(said: PlaceRemoval) -> Callable[[re.Match[str]], str | None]:
    def instead(match: re.Match[str]) -> str | None:
        following, article = (match["next"] or "").strip(), (match["art"] or "").strip().casefold()
        if following and following.casefold() not in _NO_NOUN:
            return _with_article(match, said.local)
        if article == "the":
            return f"the {said.people}{match['next'] or ''}"
        if article:
            return f"a {said.person}{match['next'] or ''}"
        speaks = re.search(rf"\b{_SPEAKS}\s+$", match.string[: match.start()])
        return said.language + (match["next"] or "") if speaks else None

    return instead


def _with_article(match: re.Match[str], adjective: str) -> str:
    """An adjective before its noun, with the article that it takes."""
    article = (match["art"] or "").strip().casefold()
    article = "a" if article in {"a", "an"} else article
    return f"{article} {adjective}{match['next']}" if article else f"{adjective}{match['next']}"


class _People(Struct, frozen=True, kw_only=True):
    adjectives: tuple[str, ...] = ()
    peoples: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    towns: tuple[str, ...] = ()


@cache
def _peoples() -> dict[str, _People]:
    rows = csv.DictReader(read_text(DATA / FILE).splitlines())
    names = _People.__struct_fields__
    return {row["id"]: _People(**{name: tuple(filter(None, row[name].split("|"))) for name in names}) for row in rows}


def _names(place_id: str) -> tuple[str, ...]:
    """The names of a place itself, as they are written; its people's stand in the table, without which it has one."""
    row = _peoples().get(place_id)
    if row is None:
        return (place(place_id).name,)
    others = {spelling(each) for each in (*row.adjectives, *row.peoples)}
    plurals = {f"{each}s" for each in others}
    names = (_titled(each) for each in names_of(place_id) if each not in others | plurals)
    return (place(place_id).name, *(way for name in names for way in (name, *_dotted(name))))


def _parts(place_id: str) -> tuple[str, ...]:
    """The names of the parts of a place's country, but for its own."""
    country = roll_up(place_id)
    return tuple(each.name for each in places() if each.parent == country and each.id != place_id)


def _dotted(name: str) -> tuple[str, ...]:
    """An abbreviation with its stops too."""
    return (".".join(name), f"{'.'.join(name)}.") if name.isupper() else ()


def _titled(name: str) -> str:
    """A bare name as it is written: `South Korea`, `USA`, `Bosnia and Herzegovina`."""
    if len(name) <= _CODE:
        return name.upper()
    small = {"and", "of", "the"}
    words = (word.upper() if word in _SHORT else word if word in small else word.capitalize() for word in name.split())
    return " ".join(words)
