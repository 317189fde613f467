"""A scenario in the making: requests to models for cues, the scenario and its check, and rules for their words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from mores.benchmarks.cure.data import ABSENT, CUES
from mores.core.prompt import prompts_in
from mores.core.seeds import Seed
from mores.norms.places import place
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.text_checks import contains, normalised, revealing_words
from mores.pipelines.unit_context import CHECKER, LABELLER, WRITER, UnitContext, WriterReply
from mores.stats.rng import generator

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
        # Signs alone come to no words, and these would stand in any text.
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


def wrong_with(scenario: SubgroupScenario, statement: BuiltNorm) -> str:
    """Fault of a scenario, in words for its writer; empty where there is none."""
    for name in ("persona", "situation", "question"):
        if not normalised(getattr(scenario, name)):
            return f"the {name} has no words."
    if not scenario.question.endswith(QUESTION_MARKS):
        return "the question does not end in a question mark."
    return revealing_words([f"{scenario.situation} {scenario.question}"], {"the statement": statement.text})


prompt = prompts_in(Path(__file__).parent)
ROLES = (LABELLER, WRITER, CHECKER)
PROMPTS = ("cues", "write", "check")
_PLANTED = Seed("subgroups")


class WrittenScenario(WriterReply):
    """Reply of the writer."""

    persona: str = ""
    situation: str = ""
    question: str = ""

    @property
    def scenario(self) -> SubgroupScenario:
        """The scenario, its needless space taken out."""
        words = {name: " ".join(getattr(self, name).split()) for name in ("persona", "situation", "question")}
        return SubgroupScenario(**words)


class ScenarioCheck(msgspec.Struct):
    """Check of a scenario beside the statement that it was made from."""

    member: Literal["yes", "no"]
    answer: Literal["yes", "no", "neither"]
    act: str
    stance: Literal["kept", "changed"]
    gives_away: str = ""
    reason: str = ""

    @property
    def leak(self) -> str:
        """The words that give the answer away; a model that found none may say so instead of leaving it empty."""
        return "" if self.gives_away.strip(" .").casefold() in ABSENT | {"no"} else self.gives_away


async def read_statement(context: UnitContext[BuiltNorm], role: str) -> Cues:
    """The cues of the statement as one role reads them."""
    return await _read(context, role, "statement", context.unit.text, _planted_cues(context.unit))


async def read_persona(context: UnitContext[BuiltNorm], scenario: SubgroupScenario, cues: Mapping[str, str]) -> Cues:
    """The cues of a persona, as the checker reads them, which is not shown its `cues`."""
    return await _read(context, CHECKER, "persona", scenario.persona, cues)


async def _read(context: UnitContext[BuiltNorm], role: str, part: str, text: str, planted: Mapping[str, str]) -> Cues:
    def wrong(cues: Cues) -> str:
        return wrong_with_cues(cues, text, context.unit.place)

    return await context.ask("cues", role, Cues, {"text": text}, wrong, dict.fromkeys(CUES, "") | dict(planted), part)


async def write(context: UnitContext[BuiltNorm], cues: Mapping[str, str], label: YesNoLabel) -> WrittenScenario:
    """A scenario to which the answer is the label."""
    statement = context.unit

    def wrong(reply: WrittenScenario) -> str:
        return wrong_with(reply.scenario, statement)

    listed = "\n".join(f'- {spaced(cue)}: "{words}"' for cue, words in cues.items())
    opposite = f": it is as if this held instead: {statement.negation}" if statement.negation else ""
    stance = "keeps to it" if label == "yes" else f"goes against it{opposite}"
    task = f"{stance.removesuffix('.')}; the answer is {label}"
    values = {"statement": statement.text, "cues": listed, "stance": task}
    return await context.ask("write", WRITER, WrittenScenario, values, wrong, _planted_scenario(cues))


async def check(context: UnitContext[BuiltNorm], scenario: SubgroupScenario, label: YesNoLabel) -> ScenarioCheck:
    """Check of a scenario by another model than its writer, which is not shown its `label`."""

    def wrong(reply: ScenarioCheck) -> str:
        quoted = {"act": reply.act, "gives_away": reply.leak}
        asked = [name for name, words in quoted.items() if name == "act" or normalised(words)]
        missing = [name for name in asked if not contains(quoted[name], scenario.text)]
        return f'the words "{quoted[missing[0]]}" of {missing[0]} do not stand in the scene.' if missing else ""

    values = {"statement": context.unit.text, "scenario": scenario.text}
    planted = {"answer": label, "act": scenario.situation, "gives_away": ""}
    return await context.ask("check", CHECKER, ScenarioCheck, values, wrong, planted)


def _planted_cues(statement: BuiltNorm) -> dict[str, str]:
    """Cues that simulated models read out of a statement: some of its words as some kinds of cues, by its id."""
    seed, country = _PLANTED.child(statement.id), normalised(place(statement.place).name)
    order = generator(seed).permutation(len(CUES))[: 1 + seed.child("cues").below(5)]
    words = [word for word in statement.text.split() if normalised(word) and normalised(word) not in country]
    return dict(zip((CUES[int(at)] for at in order), words, strict=False))


def _planted_scenario(cues: Mapping[str, str]) -> dict[str, object]:
    """Reply of a simulated writer: that it is simulated, the cues, and nothing of the statement."""
    marks = "; ".join(f"{spaced(cue)}: {words}" for cue, words in cues.items())
    return {"persona": f"Somebody simulated ({marks}).", "question": "Is it fine with their own community?"}
