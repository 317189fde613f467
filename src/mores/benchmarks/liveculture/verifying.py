"""The verifier of a day: goal, norms, faithfulness to the profile, awareness of the situation and coherence.

It reads the log alone. The goal is asked in the course of the day, as it ends it; all else is asked when the day is
over, and can be asked again of another verifier.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mores.benchmarks.shapes.judged import JUDGE, Bench, Ruled, rule_all
from mores.core.card import Sampling
from mores.core.day import Checked, DayBegan, DayEvent, Did, Said, StepBegan, Subtask
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.judges.answers import Choice
from mores.judges.judge import Judged, ask_judge
from mores.judges.rubric import Case, Rubric
from mores.models.cast import Cast
from mores.models.judging import JudgeKey
from mores.models.request import Tag
from mores.norms.places import place as known_place
from mores.worlds.town.day import Day, Stage
from mores.worlds.town.planted import BREAKS, KEEPS, Script
from mores.worlds.town.schedule import clock
from mores.worlds.town.words import profile, task_line

HERE = Path(__file__).parent
VIOLATED, RESPECTED, ABSENT = "violated", "respected", "not applicable"
CONSISTENT, INCONSISTENT, UNSEEN = "consistent", "inconsistent", "not assessable"
SIDES = ("age", "work", "origin", "home")
SITUATION = ("context", "coherence")
_STEPS = 1000
"""Numbers of calls that one step of the day may take of a judge."""
_NORMS, _PROFILE, _SITUATION, _GOAL = 0, 900, 904, 908


def _rubric(name: str, options: tuple[str, ...], good: str, *, many: bool) -> Rubric:
    prompt = Prompt.read(HERE / f"{name}.prompt.md")
    fenced = ("step", "before") if "before" in prompt.slots else ("step",)
    return Rubric(prompt=prompt, answer=Choice(options=options, affirmative=good), fenced=fenced, many=many)


@dataclass(frozen=True)
class Rubrics:
    """The four prompts of the verifier."""

    @cached_property
    def goal(self) -> Rubric:
        """Is a task done?"""
        return _rubric("goal", ("yes", "no"), "yes", many=False)

    @cached_property
    def norms(self) -> Rubric:
        """How does a step stand to each norm of a list?"""
        return _rubric("norms", (VIOLATED, RESPECTED, ABSENT), RESPECTED, many=True)

    @cached_property
    def profile(self) -> Rubric:
        """Does a step fit each side of the person?"""
        return _rubric("profile", (CONSISTENT, INCONSISTENT, UNSEEN), CONSISTENT, many=True)

    @cached_property
    def situation(self) -> Rubric:
        """Does a step fit the situation, and does it follow from what went before?"""
        return _rubric("situation", ("yes", "no"), "yes", many=True)

    def prompts(self) -> tuple[Prompt, ...]:
        """All words that a verifier may be asked."""
        rubrics = (self.goal, self.norms, self.profile, self.situation)
        return tuple({p.sha: p for rubric in rubrics for p in rubric.prompts}.values())


RUBRICS = Rubrics()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One step of a log: its beginning, what was done and said in it, and the words for it."""

    begun: StepBegan
    deeds: tuple[Did, ...]
    said: tuple[Said, ...]
    text: str


def steps_of(stage: Stage, events: Sequence[DayEvent]) -> tuple[Watched, ...]:
    """The steps of a log in order."""
    steps: dict[int, list[DayEvent]] = {}
    for event in events:
        if isinstance(event, StepBegan | Did | Said):
            steps.setdefault(event.step, []).append(event)
    return tuple(_watched(stage, steps[number]) for number in sorted(steps))


def _watched(stage: Stage, events: Sequence[DayEvent]) -> Watched:
    begun = next(event for event in events if isinstance(event, StepBegan))
    deeds = tuple(event for event in events if isinstance(event, Did))
    said = tuple(event for event in events if isinstance(event, Said))
    return Watched(begun=begun, deeds=deeds, said=said, text=told(stage, begun, deeds, said))


def told(stage: Stage, begun: StepBegan, deeds: Sequence[Did], said: Sequence[Said]) -> str:
    """A step in words, as a verifier reads it."""
    names, here = stage.population.name, stage.location(begun.where)
    own = next((did for did in deeds if did.who == stage.target), None)
    present = ", ".join(f"{names[person]} ({stage.known.get(person, 'stranger')})" for person in begun.present)
    lines = [f"{clock(begun.minute)} at {here.name} ({here.kind}). There: {present or 'nobody else'}."]
    if own is not None:
        lines.append(f"{stage.person.name} {_deed(stage, own)}")
    lines += [f"{names[did.who]}: {did.how}" for did in deeds if did.who != stage.target and did.how]
    lines += [f"{names[each.who]} says: {each.text or '(nothing)'}" for each in said]
    return "\n".join(lines)


def _deed(stage: Stage, did: Did) -> str:
    names = ", ".join(stage.population.name[person] for person in did.to) if did.deed != "go" else ""
    what = {
        "go": lambda: f"walks to {stage.location(did.to[0]).name} ({stage.location(did.to[0]).kind})",
        "do": lambda: f"does this here: {did.action}" + (f" ({did.argument})" if did.argument else ""),
        "talk": lambda: f"turns to {names}",
        "call": lambda: f"calls {names}",
        "text": lambda: f"texts {names}",
        "wait": lambda: f"waits (wanted something impossible: {did.refused})" if did.refused else "waits",
    }[did.deed]()
    return f"{what}. {did.how}".strip()


@dataclass(frozen=True, kw_only=True)
class Verifier:
    """Asks about one day: the stage, the norms of its target by kind of place, the bench, and what was planted."""

    stage: Stage
    norms: Mapping[str, Mapping[str, str]]
    item: str
    sample: int
    script: Script
    list_size: int = 0

    @cached_property
    def _profile(self) -> str:
        return profile(self.stage.person, self.stage.town)

    async def goal(self, cast: Cast, sampling: Sampling, seed: Seed, day: Day, task: Subtask,
                   events: Sequence[DayEvent]) -> Checked:  # fmt: skip
        """The verifier's word on the task in hand, in the course of the day."""
        case = self._goal_case(task, _watched(self.stage, events))
        said = await ask_judge(RUBRICS.goal, case, cast=cast, sampling=sampling, seed=seed)
        if isinstance(said, Judged):
            done = said.opinion.choice == "yes"
            return Checked(step=day.step, minute=day.minute, subtask=task.id, done=done, reason=said.opinion.reason)
        return Checked(step=day.step, minute=day.minute, subtask=task.id, done=None, cause=said.cause)

    def _goal_case(self, task: Subtask, step: Watched) -> Case:
        values = {
            "profile": self._profile,
            "task": task.words,
            "kind": task.kind,
            "window": f"{clock(task.start)}–{clock(task.end)}",
            "step": step.text,
        }
        key = None
        own = self._own(step)
        if own is not None and own.planted is not None:
            there = self.stage.location(step.begun.where).kind == task.kind
            done = there and own.deed == "do" and (own.action == task.action or not task.action or bool(own.action))
            key = RUBRICS.goal.key(
                done, unit=self._unit(step, "goal"), place=self.stage.person.nationality, rung="live"
            )
        return Case(values=values, tag=self._tag(step, _GOAL), key=key)

    async def goal_again(self, bench: Bench, task: Subtask, step: Watched) -> Ruled:
        """The same asked when the day is over, of whoever judges now."""
        return (await rule_all(bench, RUBRICS.goal, self._goal_case(task, step)))[0]

    async def norms_at(self, bench: Bench, step: Watched) -> dict[str, Ruled]:
        """The verdict on each norm of the place, in lists of the set size."""
        kind = self.stage.location(step.begun.where).kind
        ids = list(self.norms.get(kind, {}))
        size = self.list_size or len(ids) or 1
        parts = [tuple(ids[start : start + size]) for start in range(0, len(ids), size)]
        said = await asyncio.gather(*(self._list(bench, step, kind, part, n) for n, part in enumerate(parts)))
        return {
            name: ruled
            for part, found in zip(parts, said, strict=True)
            for name, ruled in zip(part, found, strict=True)
        }

    async def _list(
        self, bench: Bench, step: Watched, kind: str, ids: tuple[str, ...], number: int
    ) -> tuple[Ruled, ...]:
        known = self.norms[kind]
        values = {
            "origin": known_place(self.stage.person.nationality).name,
            "kind": kind,
            "norms": "\n".join(f"{name}: {known[name]}" for name in ids),
            "step": step.text,
        }
        case = Case(
            values=values, tag=self._tag(step, _NORMS + 2 * number), ids=ids, key=self._norms_key(step, kind, ids)
        )
        return await rule_all(bench, RUBRICS.norms, case)

    def _norms_key(self, step: Watched, kind: str, ids: tuple[str, ...]) -> JudgeKey | None:
        own = self._own(step)
        if own is None or own.planted is None:
            return None
        up = self.script.coming_up(step.begun.step, kind)
        word = {KEEPS: RESPECTED, BREAKS: VIOLATED}.get(own.planted, ABSENT)
        truths = {name: word if name in up else ABSENT for name in ids}
        unit = self._unit(step, f"norms/{ids[0]}")
        return RUBRICS.norms.key(truths, unit=unit, place=self.stage.person.nationality, rung="live")

    async def profile_at(self, bench: Bench, step: Watched) -> dict[str, Ruled]:
        """The verdict on each side of the person."""
        values = {"profile": self._profile, "step": step.text}
        key = self._plain_key(step, RUBRICS.profile, dict.fromkeys(SIDES, CONSISTENT), "profile")
        case = Case(values=values, tag=self._tag(step, _PROFILE), ids=SIDES, key=key)
        return dict(zip(SIDES, await rule_all(bench, RUBRICS.profile, case), strict=True))

    async def situation_at(self, bench: Bench, step: Watched, before: Watched | None) -> dict[str, Ruled]:
        """The verdicts on context and coherence."""
        values = {
            "profile": self._profile,
            "step": step.text,
            "before": before.text if before else "(The day begins.)",
        }
        key = self._plain_key(step, RUBRICS.situation, dict.fromkeys(SITUATION, "yes"), "situation")
        case = Case(values=values, tag=self._tag(step, _SITUATION), ids=SITUATION, key=key)
        return dict(zip(SITUATION, await rule_all(bench, RUBRICS.situation, case), strict=True))

    def _plain_key(self, step: Watched, rubric: Rubric, truths: Mapping[str, str], what: str) -> JudgeKey | None:
        own = self._own(step)
        if own is None or own.planted is None:
            return None
        return rubric.key(truths, unit=self._unit(step, what), place=self.stage.person.nationality, rung="live")

    def _own(self, step: Watched) -> Did | None:
        return next((did for did in step.deeds if did.who == self.stage.target), None)

    def _unit(self, step: Watched, what: str) -> str:
        return f"{self.item}/{step.begun.step}/{what}"

    def _tag(self, step: Watched, offset: int) -> Tag:
        return Tag(item=self.item, role=JUDGE, step=step.begun.step * _STEPS + offset, sample=self.sample)


def task_words(task: Subtask) -> str:
    """A task in a line."""
    return task_line(task)


def began(events: Sequence[DayEvent]) -> DayBegan:
    """The beginning of a log."""
    return next(event for event in events if isinstance(event, DayBegan))
