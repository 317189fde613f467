"""A place taken out of words: by a table of what stands for it, or by rules where nobody wrote such a table down.

A table of words → the text without them; and the check of what is left: names of the place, its people, its language.
Rules: `In Japan, Japanese people speak Japanese` → `In the country, local people speak the local language`. Foods,
festivals and words of a language stay, so what is left of a place may still be guessed: what the place adds is then
told too low, never too high. Words in which grammar could not be kept are refused with the reason.
"""

import csv
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec import Struct

from mores.core.codec import read_text
from mores.norms.places import DATA, names_of, place, places, roll_up, spelling

HIDDEN = "the country"
"""Replacement of a place in a prompt, where no table has words of its own for it."""
PLACE = "place"
"""The slot of prompts that holds the place."""
_PLURAL = ("Islands", "Netherlands", "Philippines", "Maldives", "Bahamas", "Gambia", "Comoros", "Republic")
"""Endings of names that take an article."""
_CODE = 3
"""A name of so few letters is one in capitals alone: US, but not us."""


class ControlExclusion(NamedTuple):
    """Exclusion of an item that cannot be asked without its place, or of another; `why` ends a sentence on it."""

    why: str


class PlaceMask:
    """A table of words with what stands for each: whole words, in the case they have, the longest first.

    >>> mask = PlaceMask({"South Korea": "the country", "Korea": "the country", "Minji": "Sam"})
    >>> mask("South Korea's schools. Minji left Korea.")
    "The country's schools. Sam left the country."
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        """All words as one pattern; a table without words finds nothing."""
        self.words = words
        self._found = _pattern_of(tuple(words))

    def __call__(self, text: str) -> str:
        """The text with each of the words replaced, with a capital where a sentence begins."""
        return self._found.sub(self._instead, text)

    def slots(self, words: Mapping[str, str]) -> dict[str, str]:
        """Values of the slots of a prompt; a place stands within a sentence and takes no capital."""
        return {name: self.within(text) if name == PLACE else self(text) for name, text in words.items()}

    def within(self, text: str) -> str:
        """The same of words that stand within a sentence, where none begins."""
        return self._found.sub(lambda found: (found["start"] or "") + self.words[found["word"]], text)

    def _instead(self, found: re.Match[str]) -> str:
        start, replacement = found["start"], self.words[found["word"]]
        if start is None:
            return replacement
        # A colon does not end a sentence: what follows it keeps its small letter.
        within = start.lstrip("'\"‘“(").startswith(":")
        return start + (replacement if within else replacement[:1].upper() + replacement[1:])


# A norm's table is put to each of its items, on each rung and under each control.
@lru_cache(maxsize=2_048)
def _pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(map(re.escape, filter(None, words)), key=len, reverse=True)
    pattern = rf"(?P<start>(?:^|[.!?:]['\"’”)]*\s+|\n)['\"‘“(]*)?(?<!\w)(?P<word>{'|'.join(longest)})(?!\w)"
    return re.compile(pattern if longest else r"(?!)", re.MULTILINE)


def name_with_article(place_id: str) -> str:
    """The name of a place within a sentence, with the article that it takes.

    >>> name_with_article("US"), name_with_article("JP")
    ('the United States', 'Japan')
    """
    name = place(place_id).name
    return f"the {name}" if name.startswith("United ") or name.endswith(_PLURAL) else name


def named_in(text: str, place_id: str) -> str | None:
    """The first name of a place, its people or its language that stands in a text; None where none does.

    Names count where they begin with a capital, so that polish and turkey are no places; codes are no names.

    >>> named_in("A Japanese firm", "JP"), named_in("Ask us for turkey", "US"), named_in("In the country", "JP")
    ('Japanese', None, None)
    """
    found = _naming(place_id).search(_bare(text))
    return None if found is None else found.group()


@cache
def _naming(place_id: str) -> re.Pattern[str]:
    """All names of a place, and of the country that it is part of with its other parts."""
    country = roll_up(place_id)
    # England is also given away by Scotland, and by the United Kingdom.
    near = (country, *(each.id for each in places() if each.parent == country))
    names = {name for each in near for name in (spelling(place(each).name), *names_of(each))}
    ways = (_written(name) for name in sorted(names, key=lambda each: (-len(each), each)))
    return re.compile(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)")


def local_name_in(text: str, place_id: str) -> str | None:
    """The first name in a text that gives a place away: its own, or one of its peoples, parts, languages, towns, coins.

    >>> local_name_in("Javanese families", "ID"), local_name_in("a friend from Lyon", "FR"), local_name_in("hens", "FR")
    ('Javanese', 'Lyon', None)
    """
    found = _locally_naming(place_id).search(_bare(text))
    return named_in(text, place_id) if found is None else found.group()


@cache
def _locally_naming(place_id: str) -> re.Pattern[str]:
    """Names of a country's peoples, parts, languages and towns with a capital, and words of its own in any case."""
    country = roll_up(place_id)
    row, table = _peoples().get(country) or _People(), _ethnonyms().get(country, {})
    names = {
        *row.adjectives,
        *row.peoples,
        *row.languages,
        *row.towns,
        *table.get("peoples", ()),
        *table.get("parts", ()),
    }
    longest = sorted((_bare(name) for name in names), key=lambda name: (-len(name), name))
    proper = "|".join(map(_capital, longest)) or r"(?!)"
    common = "|".join(rf"(?i:{re.escape(_bare(word))})s?" for word in table.get("words", ())) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{proper}|{common})(?!\w)")


def _capital(name: str) -> str:
    """A name as a pattern: with a capital first and any case after it, also in the plural."""
    return rf"{re.escape(name[0].upper())}(?i:{re.escape(name[1:])})s?"


@cache
def _ethnonyms() -> dict[str, dict[str, tuple[str, ...]]]:
    """Peoples, parts and words of its own that give a country away, as the table has them."""
    rows = csv.DictReader(read_text(DATA / "ethnonyms.csv").splitlines())
    return {
        row["id"]: {name: tuple(filter(None, row[name].split("|"))) for name in ("peoples", "parts", "words")}
        for row in rows
    }


@cache
def people_names() -> re.Pattern[str]:
    """Names of all peoples that the tables know, of any country and its parts."""
    of_countries = {each for row in _peoples().values() for each in (*row.adjectives, *row.peoples)}
    names = {_bare(each) for each in of_countries.union(*(row["peoples"] for row in _ethnonyms().values()))}
    longest = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_capital, longest))})(?!\w)")


def _written(name: str) -> str:
    """A bare name as a pattern: with a capital first and any case after it, also in the plural."""
    if len(name) <= _CODE:
        return re.escape(name.upper())
    rest = r"[\s\-]+".join(map(re.escape, name[1:].split()))
    return rf"{re.escape(name[0].upper())}(?i:{rest})s?"


def _bare(text: str) -> str:
    """A text without accents, stops and apostrophes, as names are spelled."""
    if text.isascii():
        plain = text
    else:
        plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub("[.'’]", "", plain)


FILE = "peoples.csv"
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
    """Replacements of a place, its people, its towns and its parts."""

    country: str = "the country"
    local: str = "local"
    people: str = "local people"
    person: str = "local person"
    language: str = "the local language"
    town: str = "the town"
    region: str = "the region"


LOCAL = PlaceRemoval()


class Rule(Struct, frozen=True):
    """Pattern and its replacement; None where grammar cannot be kept."""

    pattern: re.Pattern[str]
    instead: Callable[[re.Match[str]], str | None]


@lru_cache(maxsize=2048)
def hidden(text: str, place_id: str, terms: PlaceRemoval = LOCAL) -> str | ControlExclusion:
    """A text without any name of a place, its people, their languages and its larger towns.

    >>> hidden("In Japan, an Indian guest speaks Japanese.", "JP")
    'In the country, an Indian guest speaks the local language.'
    """
    left = text
    for rule in _rules(place_id, terms):
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
    # What the rules do not know, a name in another spelling say, is still found by all that a place is called.
    return ControlExclusion("still name the place once masked") if named_in(left, place_id) else left


def _cased(words: str, match: re.Match[str]) -> str:
    """Words with a capital where a sentence begins."""
    before = match.string[: match.start()].rstrip(" '\"‘“(")
    first = not before or before.endswith((".", "!", "?", "\n"))
    return words[:1].upper() + words[1:] if first and match.group()[:1].isupper() else words


@cache
def _rules(place_id: str, terms: PlaceRemoval) -> tuple[Rule, ...]:
    row = _peoples().get(place_id) or _peoples().get(roll_up(place_id)) or _People()
    country = tuple(dict.fromkeys((*_names(place_id), *_names(roll_up(place_id)))))
    regular = tuple(f"{each}s" for each in row.adjectives if each.endswith(_TAKE_S))
    plural = (*regular, *(each for each in row.peoples if each.endswith(("s", "men", "women"))))
    single = tuple(each for each in row.peoples if each not in plural)
    return (
        _rule(rf"(?P<the>[Tt]he )?{_any(country)}(?P<next>\s+[\w’'-]+)?", _country(terms)),
        _rule(rf"(?P<art>[Aa]n? |[Tt]he )?{_any(_parts(place_id))}(?P<next>\s+[\w’'-]+)?", _town(terms, terms.region)),
        _rule(rf"(?P<art>[Aa]n? |[Tt]he )?{_any(row.towns)}(?P<next>\s+[\w’'-]+)?", _town(terms, terms.town)),
        _rule(rf"(?P<the>[Tt]he )?{_any(plural)}", lambda m: f"the {terms.people}" if m["the"] else terms.people),
        _rule(rf"(?P<art>[Aa]n? )?{_any(single)}", lambda m: f"a {terms.person}" if m["art"] else terms.person),
        _rule(
            rf"(?P<art>[Aa]n? |[Tt]he )?{_any(row.adjectives)}(?P<next>\s+[\w’'-]+|-[a-z]\w*)?",
            _adjective(terms),
        ),
        # Last: most languages are called as the people are, and those left by now have a name of their own.
        _rule(rf"(?P<art>[Aa]n? |[Tt]he )?{_any(row.languages)}(?P<next>\s+[\w’'-]+)?", _language(terms)),
    )  # fmt: skip


def _rule(pattern: str, instead: Callable[[re.Match[str]], str | None]) -> Rule:
    return Rule(re.compile(rf"(?<![\w-]){pattern}(?!\w|-\w)"), instead)


def _any(words: Sequence[str]) -> str:
    longest = sorted(words, key=len, reverse=True)
    return rf"(?P<word>{'|'.join(map(re.escape, longest))})" if longest else r"(?P<word>(?!))"


def _country(terms: PlaceRemoval) -> Callable[[re.Match[str]], str | None]:
    """A name; an abbreviation before a noun, and any name before people, speak as adjectives do."""

    def instead(match: re.Match[str]) -> str:
        following, word = match["next"] or "", match["word"]
        noun = following.strip()
        if word.endswith(".") and noun[:1].isupper():
            return f"{terms.country}.{following}"  # the stop of U.S. ends its sentence too
        short = word.replace(".", "").isupper() and noun and noun.casefold() not in _NO_NOUN
        within = re.search(r"\b(?:in|of|from|throughout)\s+$", match.string[: match.start()], re.IGNORECASE)
        if short or (noun == "people" and not within):
            return f"{'the ' if match['the'] else ''}{terms.local}{following}"
        return terms.country + following

    return instead


def _town(terms: PlaceRemoval, instead_of: str) -> Callable[[re.Match[str]], str | None]:
    """A town or a part of a place, which before its people or their culture speaks as an adjective does."""

    def instead(match: re.Match[str]) -> str | None:
        following = match["next"] or ""
        if following.strip() in _OF_TOWN:
            return _with_article(match, terms.local)
        return None if match["art"] else instead_of + following

    return instead


def _language(terms: PlaceRemoval) -> Callable[[re.Match[str]], str | None]:
    def instead(match: re.Match[str]) -> str | None:
        following = (match["next"] or "").strip()
        if not following or following.casefold() in _NO_NOUN:
            return None if match["art"] else terms.language + (match["next"] or "")
        return _with_article(match, terms.local)

    return instead


def _adjective(terms: PlaceRemoval) -> Callable[[re.Match[str]], str | None]:
    def instead(match: re.Match[str]) -> str | None:
        following, article = (match["next"] or "").strip(), (match["art"] or "").strip().casefold()
        if following and following.casefold() not in _NO_NOUN:
            return _with_article(match, terms.local)
        if article == "the":
            return f"the {terms.people}{match['next'] or ''}"
        if article:
            return f"a {terms.person}{match['next'] or ''}"
        speaks = re.search(rf"\b{_SPEAKS}\s+$", match.string[: match.start()])
        return terms.language + (match["next"] or "") if speaks else None

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
