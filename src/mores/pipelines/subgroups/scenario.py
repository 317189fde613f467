"""A scenario in the making, what must hold of its words whoever wrote them, and what a check may find wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from mores.core.seeds import Seed
from mores.pipelines.duplicates import normalised
from mores.pipelines.norms.entry import BuiltNorm
from mores.pipelines.wording import telling

Label = Literal["yes", "no"]
QUESTION_MARKS = ("?", "？", "؟", "፧")
_STANCES = Seed("subgroups/stance")
"""The same in every build: which label a statement is asked for is part of the release, not of a build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Who does what, and what is asked of it."""

    persona: str
    situation: str
    question: str

    @property
    def told(self) -> str:
        """The whole scenario."""
        return f"{self.persona}\n{self.situation}\n{self.question}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A scenario that was kept: of which statement with which cues, its label, and why earlier tries would not do."""

    statement: BuiltNorm
    cues: Mapping[str, str]
    label: Label
    scenario: Scenario
    retried: tuple[str, ...]


class Rejected(NamedTuple):
    """A try that will not do: at which stage, why in words that are counted, and what exactly, for its writer."""

    stage: str
    reason: str
    detail: str


def label_of(statement: str) -> Label:
    """The answer that a statement is asked a scenario for: a hash of its id says of half of them that it is no.

    >>> {label_of(str(number)) for number in range(20)} == {"yes", "no"}
    True
    """
    return "no" if _STANCES.child(statement).below(2) else "yes"


def wrong_with(scenario: Scenario, statement: BuiltNorm) -> str:
    """What no scenario may have, in words for who wrote it; empty where it has none of it."""
    for name in ("persona", "situation", "question"):
        if not normalised(getattr(scenario, name)):
            return f"the {name} has no words."
    if not scenario.question.endswith(QUESTION_MARKS):
        return "the question does not end in a question mark."
    return telling([f"{scenario.situation} {scenario.question}"], {"the statement": statement.words})
