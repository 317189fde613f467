"""Requests to models on the way to a scenario: the cues of some words, a scenario, and a check of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from mores.benchmarks.cure.data import ABSENT, CUES
from mores.core.prompt import prompts_in
from mores.core.seeds import Seed
from mores.norms.places import place
from mores.pipelines.duplicates import normalised
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.roles import CHECKER, LABELLER, WRITER
from mores.pipelines.subgroups.scenario import Cues, SubgroupScenario, YesNoLabel, spaced, wrong_with, wrong_with_cues
from mores.pipelines.text_checks import contains
from mores.pipelines.unit_context import UnitContext, WriterReply
from mores.stats.rng import generator

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
    return await _read(context, role, "statement", context.unit.words, _planted_cues(context.unit))


async def read_persona(context: UnitContext[BuiltNorm], scenario: SubgroupScenario, cues: Mapping[str, str]) -> Cues:
    """The cues of a persona, as the checker reads them who is not told which `cues` it has to show."""
    return await _read(context, CHECKER, "persona", scenario.persona, cues)


async def _read(context: UnitContext[BuiltNorm], role: str, part: str, text: str, planted: Mapping[str, str]) -> Cues:
    def wrong(cues: Cues) -> str:
        return wrong_with_cues(cues, text, context.unit.place)

    return await context.ask("cues", role, Cues, {"text": text}, wrong, dict.fromkeys(CUES, "") | dict(planted), part)


async def write(context: UnitContext[BuiltNorm], cues: Mapping[str, str], label: YesNoLabel) -> WrittenScenario:
    """A scenario to which the answer is the label."""
    statement = context.unit

    def wrong(made: WrittenScenario) -> str:
        return wrong_with(made.scenario, statement)

    listed = "\n".join(f'- {spaced(cue)}: "{words}"' for cue, words in cues.items())
    opposite = f": it is as if this held instead: {statement.negation}" if statement.negation else ""
    stance = "keeps to it" if label == "yes" else f"goes against it{opposite}"
    task = f"{stance.removesuffix('.')}; the answer is {label}"
    values = {"statement": statement.words, "cues": listed, "stance": task}
    return await context.ask("write", WRITER, WrittenScenario, values, wrong, _planted_scenario(cues))


async def check(context: UnitContext[BuiltNorm], scenario: SubgroupScenario, label: YesNoLabel) -> ScenarioCheck:
    """Check of a scenario by another model than its writer, which is not told which `label` it has."""

    def wrong(found: ScenarioCheck) -> str:
        quoted = {"act": found.act, "gives_away": found.leak}
        asked = [name for name, words in quoted.items() if name == "act" or normalised(words)]
        missing = [name for name in asked if not contains(quoted[name], scenario.text)]
        return f'the words "{quoted[missing[0]]}" of {missing[0]} do not stand in the scene.' if missing else ""

    values = {"statement": context.unit.words, "scenario": scenario.text}
    planted = {"answer": label, "act": scenario.situation, "gives_away": ""}
    return await context.ask("check", CHECKER, ScenarioCheck, values, wrong, planted)


def _planted_cues(statement: BuiltNorm) -> dict[str, str]:
    """Cues that simulated models read out of a statement: some of its words as some kinds of cues, by its id."""
    seed, country = _PLANTED.child(statement.id), normalised(place(statement.place).name)
    order = generator(seed).permutation(len(CUES))[: 1 + seed.child("cues").below(5)]
    words = [word for word in statement.words.split() if normalised(word) and normalised(word) not in country]
    return dict(zip((CUES[int(at)] for at in order), words, strict=False))


def _planted_scenario(cues: Mapping[str, str]) -> dict[str, object]:
    """Reply of a simulated writer: that it is simulated, the cues, and nothing of the statement."""
    marks = "; ".join(f"{spaced(cue)}: {words}" for cue, words in cues.items())
    return {"persona": f"Somebody simulated ({marks}).", "question": "Is it fine with their own community?"}
