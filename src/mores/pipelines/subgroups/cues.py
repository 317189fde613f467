"""The cues by which words mark people out: a people, a faith, a region, age, gender, work, marriage."""

from collections.abc import Mapping

import msgspec

from mores.benchmarks.cure.rows import ABSENT, CUES
from mores.norms.places import place
from mores.pipelines.duplicates import normalised

KEY_CUES = frozenset({"ethnicity", "religion", "region"})
"""A statement without any of these is about a whole country, and not of a subgroup (CURE, sec. 1)."""
LONGEST = 5
"""Words of a cue, at most: a whole sentence is evidence of nothing."""


class Cues(msgspec.Struct):
    """The words that name each kind of cue; empty where none do."""

    ethnicity: str = ""
    age: str = ""
    religion: str = ""
    region: str = ""
    gender: str = ""
    occupation: str = ""
    marital_status: str = ""

    @property
    def carried(self) -> dict[str, str]:
        """The words by kind, of the kinds that are named."""
        said = {cue: " ".join(getattr(self, cue).split()) for cue in CUES}
        return {cue: words for cue, words in said.items() if words.casefold() not in ABSENT}


def wrong_with_cues(cues: Cues, words: str, place_id: str) -> str:
    """What is wrong with the cues of some words, for who named them; empty where nothing is."""
    country = place(place_id).name
    for cue, named in cues.carried.items():
        if normalised(named) not in normalised(words) or not normalised(named):
            return f'the words "{named}" for {spaced(cue)} do not stand in the text.'
        if len(named.split()) > LONGEST:
            return f'"{named}" is too long for {spaced(cue)}; copy {LONGEST} words at most.'
        if cue == "region" and normalised(named) == normalised(country):
            return f"the region is {country} itself; expected a part of it, or nothing."
    return ""


def describe_difference(expected: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Which kinds are expected and not found, and which are found besides, each with its words.

    >>> describe_difference({"age": "old"}, {"gender": "man"})
    'not found: age ("old"); found besides: gender ("man")'
    """
    lacking, besides = _listed(expected, found), _listed(found, expected)
    parts = (f"not found: {lacking}" if lacking else "", f"found besides: {besides}" if besides else "")
    return "; ".join(filter(None, parts))


def _listed(cues: Mapping[str, str], others: Mapping[str, str]) -> str:
    return ", ".join(f'{spaced(cue)} ("{words}")' for cue, words in cues.items() if cue not in others)


def spaced(cue: str) -> str:
    """The name of a kind in words.

    >>> spaced("marital_status")
    'marital status'
    """
    return cue.replace("_", " ")
