"""A target's day as a pure world: what is seen, what the world makes of wishes, and the state that a log replays to.

day ─▶ observe ─▶ sight ─▶ (minds wish) ─▶ resolve ─▶ events ─▶ advance ─▶ day. Nothing here calls a model, and
`advance` reads events alone, so the log of a day is all that is needed to have the day again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.day import Checked, DayBegan, DayEnded, DayEvent, Did, Said, StepBegan, Subtask
from mores.core.errors import InputError
from mores.worlds.town.deeds import Choices, Unclear, Wish, offer_of, refusal
from mores.worlds.town.menus import Standing, menu
from mores.worlds.town.people import Population, Resident
from mores.worlds.town.plans import Plan
from mores.worlds.town.schedule import MORNING, NIGHT, slot_of
from mores.worlds.town.streets import Location, Town

STEP, TALK = 30, 10
"""Minutes that a step takes, and one in which the target is in a conversation (a setting; the paper's is lost)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a day may be, and how much of it a target perceives and says."""

    steps: int = 30
    nearby: int = 9
    utterances: int = 8
    contacts: int = 12

    def __post_init__(self) -> None:
        """All are at least 1.

        Raises:
            InputError: they are not.
        """
        if min(self.steps, self.nearby, self.utterances, self.contacts) < 1:
            raise InputError(f"{self}: expected at least 1 of each.")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """All that is fixed in a day: the people and where they are when nobody watches, the target, and its plan."""

    population: Population
    whereabouts: npt.NDArray[np.int16]
    target: int
    plan: Plan
    limits: Limits = field(default_factory=Limits)

    @property
    def town(self) -> Town:
        """Its places and streets."""
        return self.population.town

    @cached_property
    def person(self) -> Resident:
        """The target."""
        return self.population.resident(self.target)

    @cached_property
    def contacts(self) -> tuple[int, ...]:
        """Whom the target can phone, those it knows best first."""
        return tuple(tie.to for tie in self.person.phonebook)[: self.limits.contacts]

    @cached_property
    def known(self) -> Mapping[int, str]:
        """What people are to the target."""
        return {tie.to: tie.kind for tie in self.person.ties}

    def location(self, number: int) -> Location:
        """A place by its number."""
        return self.town.locations[number]


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The state of a day: when and where the target is, what is done, whom it has met, and what it remembers.

    `records` hold one line a step; `ended` is None as long as the day goes on.
    """

    step: int
    minute: int
    where: int
    done: tuple[int, ...] = ()
    met: tuple[int, ...] = ()
    records: tuple[str, ...] = ()
    late: tuple[int, ...] = ()
    ended: DayEnded | None = None


class Sight(NamedTuple):
    """What the target perceives at a step, and what it can do."""

    present: tuple[int, ...]
    standing: Standing
    choices: Choices
    active: Subtask | None


def dawn(stage: Stage) -> Day:
    """The state of the day before its first step: at home, at seven."""
    return Day(step=0, minute=MORNING, where=stage.person.home)


def observe(stage: Stage, day: Day) -> Sight:
    """What the target perceives: at most so many people here, those it knows first, and what the place offers it."""
    here = np.flatnonzero(stage.whereabouts[:, slot_of(day.minute)] == day.where)
    others = [int(person) for person in here if person != stage.target]
    present = tuple(sorted(others, key=lambda person: (person not in stage.known, person))[: stage.limits.nearby])
    standing = standing_of(stage.person, stage.location(day.where))
    choices = Choices(
        neighbours=stage.town.neighbours[day.where],
        present=present,
        offers=menu(stage.location(day.where).kind, standing),
        contacts=stage.contacts,
    )
    return Sight(present, standing, choices, active_task(stage, day))


def standing_of(person: Resident, place: Location) -> Standing:
    """What somebody is at a place."""
    if place.id == person.home:
        return "resident"
    if place.id == person.work:
        return "student" if person.status == "student" else "staff"
    return "patient" if place.kind == "hospital" else "visitor"


def active_task(stage: Stage, day: Day) -> Subtask | None:
    """The subtask that is pursued: of those open, the one whose window ends first."""
    left = [task for task in stage.plan.subtasks if task.id not in day.done]
    return min(left, key=lambda task: (task.end, task.start, task.id), default=None)


def opening(stage: Stage, brief: str, prompt: str) -> DayBegan:
    """The event that a day begins with."""
    person = stage.person
    return DayBegan(
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


def seen(day: Day, sight: Sight, words: str) -> StepBegan:
    """The event that a step begins with."""
    active = sight.active.id if sight.active else None
    return StepBegan(
        step=day.step, minute=day.minute, where=day.where, present=sight.present, active=active, seen=words
    )


class Mind(NamedTuple):
    """Somebody's wish, or why there is none, with what else came with it."""

    who: int
    wish: Wish | Unclear
    raw: str = ""
    reasoning: str = ""
    planted: str | None = None


class Resolved(NamedTuple):
    """What the world makes of everybody's wishes: what each did, and who talks with the target, the opener first."""

    deeds: tuple[Did, ...]
    party: tuple[int, ...]
    phone: bool


def resolve(stage: Stage, day: Day, sight: Sight, minds: Sequence[Mind]) -> Resolved:
    """Wishes made upon one sight, put into effect in the order of the people's numbers, the target's first.

    An impossible wish becomes a wait. Who addresses the target finds it talking only if it does not walk away and
    talks with nobody else; the first of them by number opens the conversation.
    """
    ordered = sorted(minds, key=lambda mind: (mind.who != stage.target, mind.who))
    deeds = tuple(_deed(stage, day, sight, mind) for mind in ordered)
    own = deeds[0]
    if own.deed in {"talk", "call"}:
        return Resolved(deeds, (stage.target, *own.to), own.deed == "call")
    addressed = [did.who for did in deeds[1:] if did.deed == "talk" and stage.target in did.to]
    if own.deed == "do" and not own.refused:
        served = _served(sight, own)
        if served:
            return Resolved(deeds, (stage.target, *served), False)
    if addressed and own.deed not in {"go", "text"}:
        return Resolved(deeds, (addressed[0], stage.target), False)
    return Resolved(deeds, (), False)


def _served(sight: Sight, did: Did) -> tuple[int, ...]:
    """Whom an action of the menu makes the target speak with: who it named and is here, else the first who is here."""
    offer = offer_of(Wish(deed="do", action=did.action), sight.choices)
    if offer is None or not offer.talks:
        return ()
    return tuple(person for person in did.to if person in sight.present)[:3] or sight.present[:1]


def _deed(stage: Stage, day: Day, sight: Sight, mind: Mind) -> Did:
    target = mind.who == stage.target
    wish = mind.wish if isinstance(mind.wish, Wish) else Wish(deed="wait")
    why = (
        mind.wish.why
        if isinstance(mind.wish, Unclear)
        else refusal(wish, sight.choices if target else _of_others(stage, sight))
    )
    done = Wish(deed="wait") if why else wish
    return Did(
        step=day.step,
        minute=day.minute,
        who=mind.who,
        deed=done.deed,
        where=day.where,
        action=done.action,
        argument=done.argument,
        to=done.to,
        how=done.how,
        refused=why,
        raw=mind.raw if why else "",
        reasoning=mind.reasoning,
        planted=mind.planted,
    )


def _of_others(stage: Stage, sight: Sight) -> Choices:
    """What others can do in the target's sight: speak, do what is offered, wait; their ways are the schedule's."""
    here = (stage.target, *sight.present)
    offers = sight.choices.offers
    return Choices(neighbours=(), present=here, offers=offers, contacts=(stage.target,))


def advance(stage: Stage, day: Day, events: Iterable[DayEvent]) -> Day:
    """The day after the events of one step.

    Raises:
        InputError: the day has ended, or an event is of another step.
    """
    happened = list(events)
    if day.ended is not None or any(e.step != day.step for e in happened if not isinstance(e, DayBegan)):
        raise InputError(f"Step {day.step} of a day: it has ended, or an event is of another step.")
    own = next((e for e in happened if isinstance(e, Did) and e.who == stage.target), None)
    said = [e for e in happened if isinstance(e, Said)]
    minute = day.minute + (TALK if said else STEP)
    newly = [e.subtask for e in happened if isinstance(e, Checked) and e.done]
    done = tuple(dict.fromkeys((*day.done, *newly)))
    ends = {task.id: task.end for task in stage.plan.subtasks}
    late = tuple(task for task in newly if task not in day.done and minute > ends.get(task, NIGHT))
    met = dict.fromkeys((*day.met, *(e.who for e in said if e.who != stage.target)))
    later = replace(
        day,
        step=day.step + 1,
        minute=minute,
        where=own.to[0] if own is not None and own.deed == "go" else day.where,
        done=done,
        met=tuple(met),
        late=(*day.late, *late),
        records=(*day.records, record(stage, day, own, said, newly)),
    )
    return replace(later, ended=_ending(stage, later))


def _ending(stage: Stage, day: Day) -> DayEnded | None:
    if len(day.done) == len(stage.plan.subtasks):
        return DayEnded(step=day.step - 1, minute=day.minute, why="all done")
    if day.minute >= NIGHT:
        return DayEnded(step=day.step - 1, minute=day.minute, why="night")
    return DayEnded(step=day.step - 1, minute=day.minute, why="steps") if day.step >= stage.limits.steps else None


def record(stage: Stage, day: Day, own: Did | None, said: Sequence[Said], done: Sequence[int]) -> str:
    """What the target remembers of a step, in one line."""
    from_ = stage.location(day.where)
    parts = [f"{day.minute // 60:02d}:{day.minute % 60:02d} {from_.name} ({from_.kind})"]
    parts.append("waited" if own is None else _told(stage, own))
    others = dict.fromkeys(each.who for each in said if each.who != stage.target)
    if others:
        names = ", ".join(stage.population.name[person] for person in others)
        parts.append(f"spoke with {names}; last words: {said[-1].text[:120]}")
    parts += [f"finished task {number}" for number in done]
    return " · ".join(parts)


def _told(stage: Stage, did: Did) -> str:
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


def replay(stage: Stage, events: Sequence[DayEvent]) -> tuple[Day, ...]:
    """The states of a day, before its first step and after each, from its log alone.

    Raises:
        InputError: the log is no day's.
    """
    days, steps = [dawn(stage)], _by_step(events)
    for number in sorted(steps):
        days.append(advance(stage, days[-1], steps[number]))
    return tuple(days)


def _by_step(events: Sequence[DayEvent]) -> dict[int, list[DayEvent]]:
    steps: dict[int, list[DayEvent]] = {}
    for event in events:
        if not isinstance(event, DayBegan | DayEnded):
            steps.setdefault(event.step, []).append(event)
    return steps
