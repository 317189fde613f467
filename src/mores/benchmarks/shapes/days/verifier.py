"""The verifier of a day: goal, norms, faithfulness to the profile, awareness of the situation and coherence.

It reads the log alone. Tasks are asked about in the course of the day, as they end it; all else is asked when the day
is over, and can be asked again of another verifier. Four prompts serve five tasks.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks.shapes.days.list_judging import ListQuery, ListRulings, ask_list, rule_list
from mores.benchmarks.shapes.judge_panel import JUDGE, JudgePanel
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ActionEvent, DayEvent, SpeechEvent, StepStartEvent, Subtask, SubtaskCheckEvent
from mores.judges.judge import Unjudged
from mores.judges.rubric import Case, CaseLabels, Rubric
from mores.judges.rubric_answers import ChoiceAnswer, Ids, Opinion
from mores.models.cast import call_outcome
from mores.models.request import Tag
from mores.models.simulated_judge import JudgeKey
from mores.norms.places import place as known_place
from mores.worlds.town.day import Day, remembered, replay
from mores.worlds.town.planted import BREAKS, KEEPS, PlantedDay, planted_misfits, planted_outcome
from mores.worlds.town.prompts import profile
from mores.worlds.town.schedule import clock
from mores.worlds.town.stage import DayConfig

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


YES_NO = ChoiceAnswer(options=("yes", "no"), affirmative="yes")


class Rubrics(msgspec.Struct, frozen=True, kw_only=True):
    """The four prompts of the verifier.

    Which tasks are done? How does a step stand to each norm of a list, does it fit each side of the person, does it fit
    the situation and follow from what went before?
    """

    goal: Rubric
    norms: Rubric
    profile: Rubric
    situation: Rubric

    @classmethod
    def read(cls, words: ReadPrompt) -> "Rubrics":
        """Those of this folder, in these words."""
        sides = ChoiceAnswer(options=(CONSISTENT, INCONSISTENT, UNSEEN), affirmative=CONSISTENT)
        norms = ChoiceAnswer(options=NORM_WORDS, affirmative=RESPECTED)

        def rubric(name: str, answer: ChoiceAnswer, *fenced: str) -> Rubric:
            return Rubric(prompt=words(HERE / f"{name}.prompt.md"), answer=answer, fenced=fenced, many=True)

        return cls(
            goal=rubric("goal", YES_NO, "before", "step"),
            norms=rubric("norms", norms, "step"),
            profile=rubric("profile", sides, "step"),
            situation=rubric("situation", YES_NO, "before", "step"),
        )

    def prompts(self, names: Sequence[str]) -> tuple[Prompt, ...]:
        """All words that a verifier may be asked by some of them."""
        rubrics: list[Rubric] = [getattr(self, name) for name in names]
        return tuple({p.sha: p for rubric in rubrics for p in rubric.prompts}.values())


class JudgedStep(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One step of a log: the day that it finds, its beginning, what the target did and all that was said, in words."""

    day: Day
    begun: StepStartEvent
    own: ActionEvent | None
    speech: tuple[SpeechEvent, ...]
    text: str

    @property
    def before(self) -> str:
        """The target's memory of the steps before this one."""
        return remembered(self.day)

    @cached_property
    def words(self) -> int:
        """Words that a verifier reads of it."""
        return len(self.text.split())


def steps_of(stage: DayConfig, events: Sequence[DayEvent]) -> tuple[JudgedStep, ...]:
    """The steps of a log in order."""
    steps: dict[int, list[DayEvent]] = {}
    for event in events:
        if isinstance(event, StepStartEvent | ActionEvent | SpeechEvent):
            steps.setdefault(event.step, []).append(event)
    days = replay(stage, events)
    return tuple(watched(stage, days[place], steps[number]) for place, number in enumerate(sorted(steps)))


def watched(stage: DayConfig, day: Day, events: Sequence[DayEvent]) -> JudgedStep:
    """A step from its events and the day before it."""
    begun = next(event for event in events if isinstance(event, StepStartEvent))
    actions = [event for event in events if isinstance(event, ActionEvent)]
    speech = tuple(event for event in events if isinstance(event, SpeechEvent))
    own = next((did for did in actions if did.who == stage.target), None)
    return JudgedStep(day=day, begun=begun, own=own, speech=speech, text=format_step(stage, begun, actions, speech))


def format_step(
    stage: DayConfig, begun: StepStartEvent, actions: Sequence[ActionEvent], speech: Sequence[SpeechEvent]
) -> str:
    """A step in words, as a verifier reads it: the target's deed, what those it saw did, and what was said."""
    names, here = stage.population.name, stage.location(begun.where)
    present = ", ".join(f"{names[person]} ({stage.known.get(person, 'stranger')})" for person in begun.present)
    lines = [f"{clock(begun.minute)} at {here.name} ({here.kind}). There: {present or 'nobody else'}."]
    lines += [f"{stage.person.name} {_describe_action(stage, did)}" for did in actions if did.who == stage.target]
    lines += [f"{names[did.who]}: {did.how}" for did in actions if did.who in begun.present and did.how]
    lines += [
        f"{names[each.who]} says{' on the phone' if each.phone else ''}: {each.text or '(nothing)'}" for each in speech
    ]
    return "\n".join(lines)


def _describe_action(stage: DayConfig, did: ActionEvent) -> str:
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


def rechecked(check: SubtaskCheckEvent, outcome: Opinion | Unjudged) -> SubtaskCheckEvent:
    """A word on a task with a judge's opinion on it, or the cause for which there is none."""
    if isinstance(outcome, Unjudged):
        return replace(check, done=None, reason="", cause=outcome.cause)
    return replace(check, done=outcome.choice == "yes", reason=outcome.reason, cause="")


@lru_cache(maxsize=512)
def _in_lines(ids: Ids, statements: tuple[str, ...]) -> str:
    """Norms as a verifier reads them: once for all steps of all days, as what was asked is kept until a day is over."""
    return "\n".join(f"{name}: {statement}" for name, statement in zip(ids, statements, strict=True))


class DayVerifier(Struct, frozen=True, kw_only=True, dict=True):
    """Asks about one day: the stage, the norms of its target by kind of place, the item's name, and what was planted.

    `list_size` is how many norms are judged in one call, 0 for all of a place.
    """

    stage: DayConfig
    norms: Mapping[str, Mapping[str, str]]
    item: str
    sample: int
    script: PlantedDay
    rubrics: Rubrics
    list_size: int = 0

    @cached_property
    def _profile(self) -> str:
        return profile(self.stage.person, self.stage.town)

    async def check(
        self, bench: JudgePanel, day: Day, tasks: Sequence[Subtask], events: Sequence[DayEvent]
    ) -> tuple[SubtaskCheckEvent, ...]:
        """The verifier's words on some tasks, in the course of the day; the first judge is asked, in one call."""
        opinions = await ask_list(bench, self._goal_list(tasks, watched(self.stage, day, events)))
        spots = (SubtaskCheckEvent(step=day.step, minute=day.minute, subtask=t.id, done=None) for t in tasks)
        return tuple(rechecked(spot, opinions[str(spot.subtask)]) for spot in spots)

    async def goals_again(self, bench: JudgePanel, tasks: Sequence[Subtask], step: JudgedStep) -> ListRulings:
        """The same asked when the day is over, of whoever judges now."""
        return await rule_list(bench, self._goal_list(tasks, step))

    def _goal_list(self, tasks: Sequence[Subtask], step: JudgedStep) -> ListQuery:
        values = {
            "profile": self._profile,
            "kind": self.stage.location(step.begun.where).kind,
            "tasks": "\n".join(f"{t.id}: {t.words} (suits best {clock(t.start)}–{clock(t.end)})" for t in tasks),
            "before": step.before,
            "step": step.text,
        }
        own, rubric = step.own, self.rubrics.goal
        planted = own is not None and own.planted is not None
        # A simulated target pursues one task at a time, and does no other by the way.
        done = str(step.begun.active) if own is not None and own.deed == "do" else ""
        return ListQuery(
            rubric=rubric,
            case=Case(
                values=values,
                tag=self._tag(step, _GOAL),
                ids=tuple(str(task.id) for task in tasks),
                asks=self._asks("goal", step),
            ),
            key=lambda left: (
                self._key(step, rubric, {n: YES_NO.options[n != done] for n in left}, "goal") if planted else None
            ),
        )

    def norms_known(self, step: JudgedStep) -> int:
        """Number of norms known of the place of a step."""
        return len(self.norms.get(self.stage.location(step.begun.where).kind, {}))

    async def norms_at(self, bench: JudgePanel, step: JudgedStep) -> ListRulings:
        """The verdict on each norm of the place, in lists of the set size."""
        kind = self.stage.location(step.begun.where).kind
        ids = tuple(self.norms.get(kind, {}))
        size = self.list_size or len(ids) or 1
        parts = [ids[start : start + size] for start in range(0, len(ids), size)]
        asked = (self._list(bench, step, kind, part, number) for number, part in enumerate(parts))
        rulings = await call_outcome(asked, swift=bench.swift or len(parts) == 1)
        if len(rulings) == 1:
            return rulings[0]
        outcomes = {name: outcome for found in rulings for name, outcome in found.outcomes.items()}
        # The votes of the first list stand for all: the same judges are asked about each.
        return ListRulings(outcomes, *(rulings[0][1:] if rulings else (0, 0)))

    async def _list(self, bench: JudgePanel, step: JudgedStep, kind: str, ids: Ids, number: int) -> ListRulings:
        known = self.norms[kind]
        values = {
            "origin": known_place(self.stage.person.nationality).name,
            "kind": kind,
            "norms": _in_lines(ids, tuple(known[name] for name in ids)),
            "profile": self._profile,
            "step": step.text,
        }
        # Two steps a list, as what is missing of a list is asked for once more.
        tag, asks = self._tag(step, _NORMS + 2 * number), self._asks("norms", step)
        truths = self._truths(step, kind)
        listed = ListQuery(
            rubric=self.rubrics.norms,
            case=Case(values=values, tag=tag, ids=ids, asks=asks),
            key=lambda left: None if truths is None else self._key(
                step, self.rubrics.norms, {name: truths.get(name, ABSENT) for name in left}, f"norms/{left[0]}"
            ),
        )  # fmt: skip
        return await rule_list(bench, listed)

    def _truths(self, step: JudgedStep, kind: str) -> dict[str, str] | None:
        """Planted truths of the norms that come up; None where nothing is planted."""
        own = step.own
        if own is None or own.planted is None:
            return None
        word = {KEEPS: RESPECTED, BREAKS: VIOLATED}.get(planted_outcome(own.planted), ABSENT)
        up = self.script.coming_up(step.begun.step, kind, step.begun.active, own.deed)
        return dict.fromkeys(up, word)

    async def profile_at(self, bench: JudgePanel, step: JudgedStep) -> ListRulings:
        """The verdict on each side of the person."""
        values = {"profile": self._profile, "step": step.text}
        case = Case(values=values, tag=self._tag(step, _PROFILE), ids=SIDES, asks=self._asks("profile", step))
        return await self._plain(bench, step, self.rubrics.profile, case)

    async def situation_at(self, bench: JudgePanel, step: JudgedStep, before: JudgedStep | None) -> ListRulings:
        """The verdicts on context and coherence."""
        values = {
            "profile": self._profile,
            "step": step.text,
            "before": before.text if before else "(The day begins.)",
        }
        asks = self._asks("situation", step, ids="tasks")
        case = Case(values=values, tag=self._tag(step, _SITUATION), ids=SITUATION, asks=asks)
        return await self._plain(bench, step, self.rubrics.situation, case)

    async def _plain(self, bench: JudgePanel, step: JudgedStep, rubric: Rubric, case: Case) -> ListRulings:
        """A list in which a simulated target has done wrong what is planted so; of its words the good one is first."""
        good, bad, *_ = rubric.answer.options
        planted = None if step.own is None else step.own.planted
        wrong = frozenset() if planted is None else planted_misfits(planted)
        listed = ListQuery(
            rubric=rubric,
            case=case,
            key=lambda left: None if planted is None else self._key(
                step, rubric, {name: bad if name in wrong else good for name in left}, rubric.name
            ),
        )  # fmt: skip
        return await rule_list(bench, listed)

    def _key(self, step: JudgedStep, rubric: Rubric, truths: bool | Mapping[str, str], what: str) -> JudgeKey:
        unit = f"{self.item}/{step.begun.step}/{what}"
        return rubric.key(truths, unit=unit, place=self.stage.person.nationality, rung="live")

    def _asks(self, task: str, step: JudgedStep, *, ids: Literal["norms", "tasks"] = "norms") -> CaseLabels:
        return CaseLabels(task=task, sample=self.sample, step=step.begun.step, ids=ids)

    def _tag(self, step: JudgedStep, offset: int) -> Tag:
        return Tag(item=self.item, role=JUDGE, step=step.begun.step * _STEPS + offset, sample=self.sample)
