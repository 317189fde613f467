"""The verifier of a day: goal, norms, faithfulness to the profile, awareness of the situation and coherence.

It reads the log alone. The goal is asked in the course of the day, as it ends it; all else is asked when the day is
over, and can be asked again of another verifier. Four prompts serve five tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from mores.benchmarks.shapes.days.lists import Listed, Rulings, rule_list
from mores.benchmarks.shapes.judged import JUDGE, Bench, Ruled, rule
from mores.core.day import Checked, DayEvent, Did, Said, StepBegan, Subtask
from mores.core.prompt import Prompt, ReadPrompt
from mores.judges.answers import Choice, Ids
from mores.judges.judge import Judged, ask_judge
from mores.judges.rubric import Asks, Case, Rubric
from mores.models.cast import come_of
from mores.models.judging import JudgeKey
from mores.models.request import Tag
from mores.norms.places import place as known_place
from mores.worlds.town.day import Day, remembered, replay
from mores.worlds.town.planted import BREAKS, KEEPS, Script, planted_misfits, planted_outcome
from mores.worlds.town.schedule import clock
from mores.worlds.town.stage import Stage
from mores.worlds.town.words import profile

HERE = Path(__file__).parent
NORM_WORDS = ("violated", "respected", "not applicable")
VIOLATED, RESPECTED, ABSENT = NORM_WORDS
OPEN = "open"
"""The label of a step of which it is not known whether a norm is violated."""
CONSISTENT, INCONSISTENT, UNSEEN = "consistent", "inconsistent", "not assessable"
SIDES = ("age", "work", "origin", "home")
SITUATION = ("context", "coherence")
_STEPS = 10_000
"""Numbers of calls that one step of the day may take of a judge."""
_NORMS, _PROFILE, _SITUATION, _GOAL = 0, 9_000, 9_004, 9_008


YES_NO = Choice(options=("yes", "no"), affirmative="yes")


class Rubrics(msgspec.Struct, frozen=True, kw_only=True):
    """The four prompts of the verifier.

    Is a task done? How does a step stand to each norm of a list, does it fit each side of the person, does it fit the
    situation and follow from what went before?
    """

    goal: Rubric
    norms: Rubric
    profile: Rubric
    situation: Rubric

    @classmethod
    def read(cls, words: ReadPrompt) -> "Rubrics":
        """Those of this folder, in these words."""
        sides = Choice(options=(CONSISTENT, INCONSISTENT, UNSEEN), affirmative=CONSISTENT)
        norms = Choice(options=NORM_WORDS, affirmative=RESPECTED)

        def rubric(name: str, answer: Choice, *fenced: str, many: bool = True) -> Rubric:
            return Rubric(prompt=words(HERE / f"{name}.prompt.md"), answer=answer, fenced=fenced, many=many)

        return cls(
            goal=rubric("goal", YES_NO, "before", "step", many=False),
            norms=rubric("norms", norms, "step"),
            profile=rubric("profile", sides, "step"),
            situation=rubric("situation", YES_NO, "before", "step"),
        )

    def prompts(self, names: Sequence[str]) -> tuple[Prompt, ...]:
        """All words that a verifier may be asked by some of them."""
        rubrics: list[Rubric] = [getattr(self, name) for name in names]
        return tuple({p.sha: p for rubric in rubrics for p in rubric.prompts}.values())


class Watched(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One step of a log: the day that it finds, its beginning, what the target did and all that was said, in words."""

    day: Day
    begun: StepBegan
    own: Did | None
    said: tuple[Said, ...]
    text: str

    @property
    def before(self) -> str:
        """What the target remembers of the steps before this one."""
        return remembered(self.day)

    @cached_property
    def words(self) -> int:
        """Words that a verifier reads of it."""
        return len(self.text.split())


def steps_of(stage: Stage, events: Sequence[DayEvent]) -> tuple[Watched, ...]:
    """The steps of a log in order."""
    steps: dict[int, list[DayEvent]] = {}
    for event in events:
        if isinstance(event, StepBegan | Did | Said):
            steps.setdefault(event.step, []).append(event)
    days = replay(stage, events)
    return tuple(watched(stage, days[place], steps[number]) for place, number in enumerate(sorted(steps)))


def watched(stage: Stage, day: Day, events: Sequence[DayEvent]) -> Watched:
    """A step from its events and the day before it."""
    begun = next(event for event in events if isinstance(event, StepBegan))
    deeds = [event for event in events if isinstance(event, Did)]
    said = tuple(event for event in events if isinstance(event, Said))
    own = next((did for did in deeds if did.who == stage.target), None)
    return Watched(day=day, begun=begun, own=own, said=said, text=format_step(stage, begun, deeds, said))


def format_step(stage: Stage, begun: StepBegan, deeds: Sequence[Did], said: Sequence[Said]) -> str:
    """A step in words, as a verifier reads it: the target's deed, what those it saw did, and what was said."""
    names, here = stage.population.name, stage.location(begun.where)
    present = ", ".join(f"{names[person]} ({stage.known.get(person, 'stranger')})" for person in begun.present)
    lines = [f"{clock(begun.minute)} at {here.name} ({here.kind}). There: {present or 'nobody else'}."]
    lines += [f"{stage.person.name} {_deed(stage, did)}" for did in deeds if did.who == stage.target]
    lines += [f"{names[did.who]}: {did.how}" for did in deeds if did.who in begun.present and did.how]
    lines += [
        f"{names[each.who]} says{' on the phone' if each.phone else ''}: {each.text or '(nothing)'}" for each in said
    ]
    return "\n".join(lines)


def _deed(stage: Stage, did: Did) -> str:
    names = ", ".join(stage.population.name[person] for person in did.to) if did.deed != "go" else ""
    match did.deed:
        case "go":
            there = stage.location(did.to[0])
            what = f"walks to {there.name} ({there.kind})"
        case "do":
            what = f"does this here: {did.action}" + (f" ({did.argument})" if did.argument else "")
        case "talk":
            what = f"turns to {names}"
        case "call" | "text":
            what = f"{did.deed}s {names}"
        case "wait":
            what = f"waits (what was wished for was not possible: {did.refused})" if did.refused else "waits"
    return f"{what}. {did.how}".strip()


@lru_cache(maxsize=512)
def _in_lines(ids: Ids, statements: tuple[str, ...]) -> str:
    """Norms as a verifier reads them: once for all steps of all days, as what was asked is kept until a day is over."""
    return "\n".join(f"{name}: {statement}" for name, statement in zip(ids, statements, strict=True))


@dataclass(frozen=True, kw_only=True)
class Verifier:
    """Asks about one day: the stage, the norms of its target by kind of place, the item's name, and what was planted.

    `list_size` is how many norms are judged in one call, 0 for all of a place.
    """

    stage: Stage
    norms: Mapping[str, Mapping[str, str]]
    item: str
    sample: int
    script: Script
    rubrics: Rubrics
    list_size: int = 0

    @cached_property
    def _profile(self) -> str:
        return profile(self.stage.person, self.stage.town)

    async def check(self, bench: Bench, day: Day, task: Subtask, events: Sequence[DayEvent]) -> Checked:
        """The verifier's word on the task in hand, in the course of the day; it is asked of the first judge, once."""
        case, sampling = self._goal_case(task, watched(self.stage, day, events)), bench.judging.sampling
        said = await ask_judge(self.rubrics.goal, case, cast=bench.cast, sampling=sampling, seed=bench.seed)
        if isinstance(said, Judged):
            done = said.opinion.choice == "yes"
            return Checked(step=day.step, minute=day.minute, subtask=task.id, done=done, reason=said.opinion.reason)
        return Checked(step=day.step, minute=day.minute, subtask=task.id, done=None, cause=said.cause)

    async def goal_again(self, bench: Bench, task: Subtask, step: Watched) -> Ruled:
        """The same asked when the day is over, of whoever judges now."""
        return await rule(bench, self.rubrics.goal, self._goal_case(task, step))

    def _goal_case(self, task: Subtask, step: Watched) -> Case:
        values = {
            "profile": self._profile,
            "task": task.words,
            "kind": task.kind,
            "window": f"{clock(task.start)}–{clock(task.end)}",
            "before": step.before,
            "step": step.text,
        }
        key, own = None, step.own
        if own is not None and own.planted is not None:
            done = self.stage.location(step.begun.where).kind == task.kind and own.deed == "do"
            key = self._key(step, self.rubrics.goal, done, "goal")
        asks = Asks(task="goal", sample=self.sample, step=step.begun.step, norm=str(task.id))
        return Case(values=values, tag=self._tag(step, _GOAL), key=key, asks=asks)

    def norms_known(self, step: Watched) -> int:
        """How many norms are known of the place of a step."""
        return len(self.norms.get(self.stage.location(step.begun.where).kind, {}))

    async def norms_at(self, bench: Bench, step: Watched) -> Rulings:
        """The verdict on each norm of the place, in lists of the set size."""
        kind = self.stage.location(step.begun.where).kind
        ids = tuple(self.norms.get(kind, {}))
        size = self.list_size or len(ids) or 1
        parts = [ids[start : start + size] for start in range(0, len(ids), size)]
        asked = (self._list(bench, step, kind, part, number) for number, part in enumerate(parts))
        said = await come_of(asked, swift=bench.swift or len(parts) == 1)
        if len(said) == 1:
            return said[0]
        outcomes = {name: outcome for found in said for name, outcome in found.outcomes.items()}
        return Rulings(outcomes, *(said[0][1:] if said else (0, 0)))

    async def _list(self, bench: Bench, step: Watched, kind: str, ids: Ids, number: int) -> Rulings:
        known = self.norms[kind]
        values = {
            "origin": known_place(self.stage.person.nationality).name,
            "kind": kind,
            "norms": _in_lines(ids, tuple(known[name] for name in ids)),
            "profile": self._profile,
            "step": step.text,
        }
        tag, asks = self._tag(step, _NORMS + 2 * number), self._asks("norms", step)
        truths = self._truths(step, kind)
        listed = Listed(
            rubric=self.rubrics.norms,
            case=Case(values=values, tag=tag, ids=ids, asks=asks),
            key=lambda left: None if truths is None else self._key(
                step, self.rubrics.norms, {name: truths.get(name, ABSENT) for name in left}, f"norms/{left[0]}"
            ),
        )  # fmt: skip
        return await rule_list(bench, listed)

    def _truths(self, step: Watched, kind: str) -> dict[str, str] | None:
        """What is planted of the norms that come up; None where nothing is planted."""
        own = step.own
        if own is None or own.planted is None:
            return None
        word = {KEEPS: RESPECTED, BREAKS: VIOLATED}.get(planted_outcome(own.planted), ABSENT)
        up = self.script.coming_up(step.begun.step, kind, step.begun.active, own.deed)
        return dict.fromkeys(up, word)

    async def profile_at(self, bench: Bench, step: Watched) -> Rulings:
        """The verdict on each side of the person."""
        values = {"profile": self._profile, "step": step.text}
        case = Case(values=values, tag=self._tag(step, _PROFILE), ids=SIDES, asks=self._asks("profile", step))
        return await self._plain(bench, step, self.rubrics.profile, case)

    async def situation_at(self, bench: Bench, step: Watched, before: Watched | None) -> Rulings:
        """The verdicts on context and coherence."""
        values = {
            "profile": self._profile,
            "step": step.text,
            "before": before.text if before else "(The day begins.)",
        }
        asks = self._asks("situation", step, ids="tasks")
        case = Case(values=values, tag=self._tag(step, _SITUATION), ids=SITUATION, asks=asks)
        return await self._plain(bench, step, self.rubrics.situation, case)

    async def _plain(self, bench: Bench, step: Watched, rubric: Rubric, case: Case) -> Rulings:
        """A list in which a simulated target has done wrong what is planted so; of its words the good one is first."""
        good, bad, *_ = rubric.answer.options
        planted = None if step.own is None else step.own.planted
        wrong = frozenset() if planted is None else planted_misfits(planted)
        listed = Listed(
            rubric=rubric,
            case=case,
            key=lambda left: None if planted is None else self._key(
                step, rubric, {name: bad if name in wrong else good for name in left}, rubric.name
            ),
        )  # fmt: skip
        return await rule_list(bench, listed)

    def _key(self, step: Watched, rubric: Rubric, truths: bool | Mapping[str, str], what: str) -> JudgeKey:
        unit = f"{self.item}/{step.begun.step}/{what}"
        return rubric.key(truths, unit=unit, place=self.stage.person.nationality, rung="live")

    def _asks(self, task: str, step: Watched, *, ids: Literal["norms", "tasks"] = "norms") -> Asks:
        return Asks(task=task, sample=self.sample, step=step.begun.step, ids=ids)

    def _tag(self, step: Watched, offset: int) -> Tag:
        return Tag(item=self.item, role=JUDGE, step=step.begun.step * _STEPS + offset, sample=self.sample)
