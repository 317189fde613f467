"""A scenario in the making: the cues that its persona shows, what must hold of its words, and what a check may find."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from mores.benchmarks.cure.data import ABSENT, CUES
from mores.core.seeds import Seed
from mores.norms.places import place
from mores.pipelines.duplicates import normalised
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.text_checks import revealing_words

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
        words = {cue: " ".join(getattr(self, cue).split()) for cue in CUES}
        return {cue: words for cue, words in words.items() if words.casefold() not in ABSENT}


def wrong_with_cues(cues: Cues, words: str, place_id: str) -> str:
    """Fault of the cues of some words, for who named them; empty where there is none."""
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
    """Kinds that are expected and not found, and kinds that are found besides, each with its words.

    >>> describe_difference({"age": "old"}, {"gender": "man"})
    'not found: age ("old"); found besides: gender ("man")'
    """
    missing, extra = _listed(expected, found), _listed(found, expected)
    parts = (f"not found: {missing}" if missing else "", f"found besides: {extra}" if extra else "")
    return "; ".join(filter(None, parts))


def _listed(cues: Mapping[str, str], others: Mapping[str, str]) -> str:
    return ", ".join(f'{spaced(cue)} ("{words}")' for cue, words in cues.items() if cue not in others)


def spaced(cue: str) -> str:
    """The name of a kind in words.

    >>> spaced("marital_status")
    'marital status'
    """
    return cue.replace("_", " ")


YesNoLabel = Literal["yes", "no"]
QUESTION_MARKS = ("?", "？", "؟", "፧")
_STANCES = Seed("subgroups/stance")
"""The same in every build: which label a statement is asked for is part of the release, not of a build."""


class SubgroupScenario(msgspec.Struct, frozen=True, kw_only=True):
    """Persona, situation and question."""

    persona: str
    situation: str
    question: str

    @property
    def text(self) -> str:
        """The whole scenario."""
        return f"{self.persona}\n{self.situation}\n{self.question}"


class BuiltSubgroupScenario(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario that was kept: of which statement with which cues, its label, and why earlier tries would not do."""

    statement: BuiltNorm
    cues: Mapping[str, str]
    label: YesNoLabel
    scenario: SubgroupScenario
    retried: tuple[str, ...]


class Rejected(NamedTuple):
    """A try that will not do: at which stage, why in words that are counted, and what exactly, for its writer."""

    stage: str
    reason: str
    detail: str


def label_of(statement: str) -> YesNoLabel:
    """The answer that a statement is asked a scenario for: a hash of its id says of half of them that it is no.

    >>> {label_of(str(number)) for number in range(20)} == {"yes", "no"}
    True
    """
    return "no" if _STANCES.child(statement).below(2) else "yes"


def wrong_with(scenario: SubgroupScenario, statement: BuiltNorm) -> str:
    """Fault of a scenario, in words for its writer; empty where there is none."""
    for name in ("persona", "situation", "question"):
        if not normalised(getattr(scenario, name)):
            return f"the {name} has no words."
    if not scenario.question.endswith(QUESTION_MARKS):
        return "the question does not end in a question mark."
    return revealing_words([f"{scenario.situation} {scenario.question}"], {"the statement": statement.words})
