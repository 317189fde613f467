"""Words that give a place away, and what stands for them where the place is not to be known.

A table of words → the text without them; and the check of what is left: names of the place, its people, its language.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from mores.norms.places import names_of, place, places, roll_up, spelling

HIDDEN = "the country"
"""What stands for a place in a prompt, where no table has words of its own for it."""
PLACE = "place"
"""The slot of prompts that holds the place."""
_PLURAL = ("Islands", "Netherlands", "Philippines", "Maldives", "Bahamas", "Gambia", "Comoros", "Republic")
"""How names end that take an article."""
_CODE = 3
"""A name of so few letters is one in capitals alone: US, but not us."""


class ControlExclusion(NamedTuple):
    """What cannot be asked without its place, or of another, and why, as the end of a sentence on it."""

    why: str


@dataclass(frozen=True, slots=True)
class PlaceMask:
    """A table of words with what stands for each: whole words, in the case they have, the longest first.

    >>> mask = Mask({"South Korea": "the country", "Korea": "the country", "Minji": "Sam"})
    >>> mask("South Korea's schools. Minji left Korea.")
    "The country's schools. Sam left the country."
    """

    words: Mapping[str, str]
    _found: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """All words as one pattern; a table without words finds nothing."""
        longest = sorted(map(re.escape, filter(None, self.words)), key=len, reverse=True)
        pattern = rf"(?P<start>(?:^|[.!?:]['\"’”)]*\s+|\n)['\"‘“(]*)?(?<!\w)(?P<word>{'|'.join(longest)})(?!\w)"
        object.__setattr__(self, "_found", re.compile(pattern if longest else r"(?!)", re.MULTILINE))

    def __call__(self, text: str) -> str:
        """The text with each of the words replaced, with a capital where a sentence begins."""
        return self._found.sub(self._instead, text)

    def slots(self, words: Mapping[str, str]) -> dict[str, str]:
        """What fills the slots of a prompt; a place stands within a sentence and takes no capital."""
        return {name: self.within(text) if name == PLACE else self(text) for name, text in words.items()}

    def within(self, text: str) -> str:
        """The same of words that stand within a sentence, where none begins."""
        return self._found.sub(lambda found: (found["start"] or "") + self.words[found["word"]], text)

    def _instead(self, found: re.Match[str]) -> str:
        start, said = found["start"], self.words[found["word"]]
        if start is None:
            return said
        return start + (said if start.lstrip("'\"‘“(").startswith(":") else said[:1].upper() + said[1:])


def name_with_article(place_id: str) -> str:
    """The name of a place within a sentence, with the article that it takes.

    >>> in_words("US"), in_words("JP")
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
    near = (country, *(each.id for each in places() if each.parent == country))
    names = {name for each in near for name in (spelling(place(each).name), *names_of(each))}
    ways = (_written(name) for name in sorted(names, key=lambda each: (-len(each), each)))
    return re.compile(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)")


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
