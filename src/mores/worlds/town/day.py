"""A target's day as a pure world: what is seen, and the state that a log replays to.

day ─▶ observe ─▶ sight ─▶ (agents wish) ─▶ resolve ─▶ events ─▶ advance ─▶ day. Nothing here calls a model, and
`advance` reads events alone, so the log of a day is all that is needed to have the day again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayEvent,
    DayStartEvent,
    SpeechEvent,
    StepStartEvent,
    Subtask,
    SubtaskCheckEvent,
)
from mores.worlds.town.actions import AvailableActions, PlaceRole, menu
from mores.worlds.town.schedule import MORNING, NIGHT, clock, next_streets, slot_of
from mores.worlds.town.stage import DayConfig, place_role_of

PERIOD = 8
"""Steps that become one line together, once as many have followed them."""
_LONGEST = 120


class Record(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One step as its person remembers it: when, where, what, with whom, the last words that fell, and tasks done."""

    minute: int
    place: str
    kind: str
    what: str
    people: tuple[str, ...] = ()
    outcome: str = ""
    done: tuple[int, ...] = ()

    @cached_property
    def line(self) -> str:
        """All of it in a line."""
        parts = [f"{clock(self.minute)} {self.place} ({self.kind})", self.what]
        if self.people:
            parts.append(f"spoke with {', '.join(self.people)}; last words: {self.outcome[:_LONGEST]}")
        parts += [f"finished task {number}" for number in self.done]
        return " · ".join(_one_line(part) for part in parts)


def recall(records: Sequence[Record]) -> str:
    """Memory in words, a line for each old period and for each step since."""
    old = max(0, len(records) // PERIOD - 1) * PERIOD
    periods = (records[start : start + PERIOD] for start in range(0, old, PERIOD))
    return "\n".join([*(_summary(period) for period in periods), *(record.line for record in records[old:])])


def _summary(period: Sequence[Record]) -> str:
    """A period in a line: the hours, the places, the people, and what was finished."""
    parts = [f"{clock(period[0].minute)} to {clock(period[-1].minute)} at {_listed(each.place for each in period)}"]
    people = _listed(person for each in period for person in each.people)
    if people:
        parts.append(f"spoke with {people}")
    parts += [f"finished task {number}" for each in period for number in each.done]
    return " · ".join(_one_line(part) for part in parts)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _one_line(text: str) -> str:
    return " ".join(text.split())


STEP, TALK = 30, 10
"""Minutes that a step takes, and one in which the target is in a conversation (a setting; the paper's is lost)."""


class Day(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The state of a day: when and where the target is, what is done, and what it remembers.

    `off_schedule` are those who are not where their schedule has them, with the place; `fresh` says that a half hour of
    the schedule has just begun, in which everybody may walk a street; `records` hold one for each step; `ended` is None
    as long as the day goes on.
    """

    step: int
    minute: int
    where: int
    done: tuple[int, ...] = ()
    records: tuple[Record, ...] = ()
    off_schedule: tuple[tuple[int, int], ...] = ()
    fresh: bool = True
    ended: DayEndEvent | None = None

    @cached_property
    def recalled(self) -> str:
        """Memory of the target, in lines; all who are asked at a step are told the same."""
        return recall(self.records)


class Observation(NamedTuple):
    """Observation of somebody at a step, and what they can do; `active` is the target's task in hand."""

    present: tuple[int, ...]
    place_role: PlaceRole
    choices: AvailableActions
    active: Subtask | None = None


def start_day(stage: DayConfig) -> Day:
    """The state of the day before its first step: at home, at seven."""
    return Day(step=0, minute=MORNING, where=stage.person.home)


def place_of(stage: DayConfig, day: Day, person: int) -> int:
    """Place of somebody at the beginning of a step."""
    if person == stage.target:
        return day.where
    return dict(day.off_schedule).get(person, int(stage.whereabouts[person, slot_of(day.minute)]))


def observe(stage: DayConfig, day: Day) -> Observation:
    """Observation of the target: at most so many people here, those it knows first, and what the place offers it."""
    others = [person for person in _those_at(stage, day, day.where) if person != stage.target]
    present = tuple(sorted(others, key=lambda person: (person not in stage.known, person))[: stage.limits.nearby])
    place_role = place_role_of(stage.person, stage.location(day.where))
    choices = AvailableActions(
        neighbours=stage.town.neighbours[day.where],
        present=present,
        offers=menu(stage.location(day.where).kind, place_role),
        contacts=stage.contacts,
    )
    return Observation(present, place_role, choices, active_task(stage, day))


def _those_at(stage: DayConfig, day: Day, where: int) -> list[int]:
    """Everybody at a place but the target, by number."""
    here: list[int] = np.flatnonzero(stage.whereabouts[:, slot_of(day.minute)] == where).tolist()
    here = [person for person in here if person != stage.target]
    if not day.off_schedule:
        return here
    off_schedule = dict(day.off_schedule)
    stayed = (person for person in here if person not in off_schedule)
    return sorted((*stayed, *(person for person, place in off_schedule.items() if place == where)))


def active_task(stage: DayConfig, day: Day) -> Subtask | None:
    """The subtask that is pursued: of those open, the one whose window ends first and has not ended.

    What was missed is taken up again when nothing else is left, so that one task that failed does not hide the rest.
    """
    return next(iter(open_tasks(stage, day)), None)


def open_tasks(stage: DayConfig, day: Day) -> list[Subtask]:
    """The subtasks that are not done, in the order in which they are pursued: by the ends of their windows."""
    left = (task for task in stage.plan.subtasks if task.id not in day.done)
    return sorted(left, key=lambda task: (task.end < day.minute, task.end, task.start, task.id))


def steps_left(stage: DayConfig, day: Day) -> int:
    """Steps that the day still has for sure: those of its limit, or half hours until night where these are fewer."""
    return min(stage.limits.steps - day.step, (NIGHT - day.minute) // STEP)


def on_time(task: Subtask, minute: int) -> bool:
    """True where a step that begins at this minute lies in a task's window, or reaches into it.

    >>> task = Subtask(id=1, words="", kind="park", start=540, end=600)
    >>> [on_time(task, minute) for minute in (500, 510, 600, 610)]
    [False, True, True, False]
    """
    return task.start - STEP <= minute <= task.end


def opening(stage: DayConfig, brief: str, prompt: str) -> DayStartEvent:
    """The event that a day begins with."""
    person = stage.person
    return DayStartEvent(
        target=person.id,
        name=person.name,
        nationality=person.nationality,
        goal=stage.plan.goal,
        subtasks=stage.plan.subtasks,
        where=person.home,
        minute=MORNING,
        brief=brief,
        prompt=prompt,
    )


def step_start(day: Day, sight: Observation, words: str) -> StepStartEvent:
    """The event that a step begins with."""
    active = sight.active.id if sight.active else None
    return StepStartEvent(
        step=day.step, minute=day.minute, where=day.where, present=sight.present, active=active, seen=words
    )


def advance(stage: DayConfig, day: Day, events: Iterable[DayEvent]) -> Day:
    """The day after the events of one step.

    Raises:
        InputError: the day has ended, or an event is of another step.
    """
    happened = list(events)
    if day.ended is not None or any(e.step != day.step for e in happened if not isinstance(e, DayStartEvent)):
        raise InputError(f"Step {day.step} of a day: it has ended, or an event is of another step.")
    own = next((e for e in happened if isinstance(e, ActionEvent) and e.who == stage.target), None)
    spoken = [e for e in happened if isinstance(e, SpeechEvent)]
    minute = min(day.minute + (TALK if spoken else STEP), NIGHT)
    newly = [e.subtask for e in happened if isinstance(e, SubtaskCheckEvent) and e.done and e.subtask not in day.done]
    later = replace(
        day,
        step=day.step + 1,
        minute=minute,
        where=own.to[0] if own is not None and own.deed == "go" else day.where,
        done=tuple(dict.fromkeys((*day.done, *newly))),
        off_schedule=_off_schedule(stage, day, minute, happened),
        fresh=slot_of(minute) != slot_of(day.minute),
        records=(*day.records, record(stage, day, own, spoken, newly)),
    )
    return replace(later, ended=_ending(stage, later))


def _off_schedule(stage: DayConfig, day: Day, minute: int, events: Sequence[DayEvent]) -> tuple[tuple[int, int], ...]:
    """People who are not where the schedule has them after a step.

    Whoever speaks with the target stays as long as that lasts, and then walks, a street a half hour, to where the
    schedule has them by then.
    """
    off_schedule = dict(day.off_schedule)
    before, after = slot_of(day.minute), slot_of(minute)
    # The schedule moves people from slot to slot; within one nobody walks.
    if before == after:
        return day.off_schedule
    spoke = {e.who for e in events if isinstance(e, SpeechEvent) and e.who != stage.target and not e.phone}
    if not (spoke or off_schedule):
        return day.off_schedule
    off_schedule |= {person: day.where for person in spoke if stage.whereabouts[person, before] == day.where}
    steps = next_streets(stage.town.neighbours)
    goals = {person: int(stage.whereabouts[person, after]) for person in off_schedule}
    found = {p: here if p in spoke else int(steps[here, goals[p]]) for p, here in off_schedule.items()}
    return tuple(sorted((person, here) for person, here in found.items() if here != goals[person]))


def _ending(stage: DayConfig, day: Day) -> DayEndEvent | None:
    if len(day.done) == len(stage.plan.subtasks):
        return DayEndEvent(step=day.step - 1, minute=day.minute, why="all done")
    if day.minute >= NIGHT:
        return DayEndEvent(step=day.step - 1, minute=day.minute, why="night")
    return DayEndEvent(step=day.step - 1, minute=day.minute, why="steps") if day.step >= stage.limits.steps else None


def record(
    stage: DayConfig, day: Day, own: ActionEvent | None, spoken: Sequence[SpeechEvent], done: Sequence[int] = ()
) -> Record:
    """Memory of the target of one step."""
    here = stage.location(own.where if own is not None else day.where)
    spoke = dict.fromkeys(each.who for each in spoken if each.text and each.who != stage.target)
    words = [each.text for each in spoken if each.text]
    return Record(
        minute=day.minute,
        place=here.name,
        kind=here.kind,
        what="waited" if own is None else _format_action(stage, own),
        people=tuple(stage.population.name[person] for person in spoke),
        outcome=words[-1] if words else "",
        done=tuple(done),
    )


def _format_action(stage: DayConfig, did: ActionEvent) -> str:
    how = f" ({did.how[:160]})" if did.how else ""
    match did.deed:
        case "go":
            return f"walked to {stage.location(did.to[0]).name}{how}"
        case "do":
            what = f"{did.action}: {did.argument}" if did.argument else did.action
            return f"{what}{how}"
        case "talk" | "call" | "text":
            names = ", ".join(stage.population.name[person] for person in did.to)
            words = {"talk": "turned to", "call": "called", "text": "texted"}[did.deed]
            return f"{words} {names}{how}"
        case _:
            return f"waited, as this was not possible: {did.refused}" if did.refused else f"waited{how}"


def remembered(day: Day) -> str:
    """Memory of the target, in lines, or that there is nothing yet."""
    return day.recalled or "(It has just begun.)"


def replay(stage: DayConfig, events: Sequence[DayEvent]) -> tuple[Day, ...]:
    """The states of a day, before its first step and after each, from its log alone.

    Raises:
        InputError: the log is no day's.
    """
    steps: dict[int, list[DayEvent]] = {}
    for event in events:
        if not isinstance(event, DayStartEvent | DayEndEvent):
            steps.setdefault(event.step, []).append(event)
    days = [start_day(stage)]
    for number in sorted(steps):
        days.append(advance(stage, days[-1], steps[number]))
    return tuple(days)
