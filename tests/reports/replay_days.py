"""Days made by hand, so that what a replay must show is known: one that is plain, and one of hostile words alone."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec import structs

from mores.benchmarks.liveculture.replay import PlayedDay, Replay
from mores.core.seeds import Seed
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayEvent,
    DayStartEvent,
    ItemMetadata,
    SpeechEvent,
    StepStartEvent,
    Subtask,
    SubtaskCheckEvent,
)
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.worlds.town.people import WordColumn
from mores.worlds.town.plans import DayPlan
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import MORNING, NIGHT, slot_of, whereabouts
from mores.worlds.town.stage import DayConfig
from mores.worlds.town.streets import KINDS, Town, build_town
from tests.payloads import MARKUP

SEED = Seed("a replay")
TARGET = 7
NORMS: dict[str, dict[str, str]] = {
    kind: {
        f"{kind}-1": "People greet those who are there before anything else.",
        f"{kind}-2": "People keep their voice down where others are near.",
        f"{kind}-3": "People wait for their turn, and thank whoever serves them.",
    }
    for kind in KINDS
}
TASKS = (
    Subtask(id=1, words="Work through the morning", kind="office", start=9 * 60, end=12 * 60),
    Subtask(id=2, words="Have lunch", kind="restaurant", start=11 * 60, end=13 * 60),
    Subtask(id=3, words="Train for a while", kind="gym", start=14 * 60, end=16 * 60),
)
_BREAKS = '</script><script>window.acted = 1</script><img src=x onerror="window.acted = 1"> {{ 7 * 7 }} \u2028 -->'
HOSTILE = _BREAKS + "".join(text for text in MARKUP if text.isprintable())


@cache
def town() -> Town:
    return build_town(SEED.child("streets"))


@cache
def stage(size: int = 1000) -> DayConfig:
    """A town and where its people are, seen around one of them."""
    people = sample_population(size, SEED.child("people"), town=town())
    homes, works = people.home.astype(np.int64), people.work.astype(np.int64)
    return DayConfig(
        population=people,
        whereabouts=whereabouts(homes, works, town(), SEED.child("days")),
        target=TARGET,
        plan=DayPlan(goal="Get things done.", subtasks=TASKS),
    )


def day(
    around: DayConfig, *, breaks: Collection[int] = (4, 11, 17), label: str = "some/model", **more: Any
) -> PlayedDay:
    """A day made by hand: walks to each task and does it there, talks at two of three steps where anybody is.

    Norms are broken at the steps of `breaks`; step 2 asks for what cannot be; step 6 is ungraded in its norms.
    """
    events = list(_walked(around))
    verdicts = [v for event in events if isinstance(event, StepStartEvent) for v in _judged(around, event, breaks)]
    known: dict[str, Any] = {
        "label": label, "benchmark": "liveculture/town", "simulated": False, "item": f"day-{around.target}",
        "sample": 0, "events": tuple(events), "verdicts": tuple(verdicts), "norms": NORMS,
        "roles": {"subject": label, "supporter": "other/model", "judge": "third/model"},
    }  # fmt: skip
    return PlayedDay(**{**known, **more})


def _walked(around: DayConfig) -> Iterator[DayEvent]:
    person, minute, where, left = around.person, MORNING, around.person.home, list(TASKS)
    yield DayStartEvent(target=person.id, name=person.name, nationality=person.nationality, goal="Get things done.",
                   subtasks=TASKS, where=where, minute=minute, brief="You live a day.", prompt="0")  # fmt: skip
    step = 0
    while left and minute < NIGHT and step < 30:
        task, here = left[0], np.flatnonzero(around.whereabouts[:, slot_of(minute)] == where)
        present = tuple(int(each) for each in here if each != person.id)[:9]
        yield StepStartEvent(
            step=step, minute=minute, where=where, present=present, active=task.id, seen=f"Seen at {step}."
        )
        own, done = _deed(step, minute, where, task, person.id)
        yield own
        talks = step % 3 != 0 and bool(present) and own.deed != "go"
        if talks:
            yield SpeechEvent(
                step=step, minute=minute, who=present[0], to=(person.id,), where=where, text=f"Hello at {step}."
            )
            yield SpeechEvent(
                step=step, minute=minute, who=person.id, to=present[:1], where=where, text=f"Good day {step}."
            )
        yield SubtaskCheckEvent(step=step, minute=minute, subtask=task.id, done=done, reason=f"Looked at {step}.")
        left = left[1:] if done else left
        where, minute, step = own.to[0] if own.deed == "go" else where, minute + (10 if talks else 30), step + 1
    yield DayEndEvent(step=step - 1, minute=minute, why="steps" if left else "all done")


def _deed(step: int, minute: int, where: int, task: Subtask, who: int) -> tuple[ActionEvent, bool]:
    """The deed of a step, and whether it does the task."""
    known: dict[str, Any] = {"step": step, "minute": minute, "who": who, "where": where, "how": f"In way {step}."}
    if step == 2:
        return ActionEvent(
            deed="wait", refused="no street leads there from here", raw='{"deed": "fly"}', **known
        ), False
    if town().locations[where].kind == task.kind:
        at_once = minute >= task.start
        return (
            ActionEvent(deed="do", action="do it", **known) if at_once else ActionEvent(deed="wait", **known)
        ), at_once
    hops = town().hops
    goal = min(town().of_kind(task.kind), key=lambda place: int(hops[where, place]))  # type: ignore[arg-type,unused-ignore]
    near = min(town().neighbours[where], key=lambda place: int(hops[place, goal]))
    return ActionEvent(deed="go", to=(near,), **known), False


def _judged(around: DayConfig, begun: StepStartEvent, breaks: Collection[int]) -> Iterator[Verdict]:
    whom, kind = about(str(begun.step)), around.location(begun.where).kind
    broken = (f"{kind}-2", f"{kind}-3") if begun.step in breaks else ()
    yield (
        of_norms(begun.step, kind, broken)
        if begun.step != 6
        else Ungraded(about=whom, sample=0, task="norms", cause="timeout")
    )
    yield Graded(about=whom, sample=0, task="context", points=1.0, label="yes", reason=f"It fits at {begun.step}.")
    yield Graded(about=whom, sample=0, task="deed", points=float(begun.step != 2), reason="")


def about(part: str) -> ItemMetadata:
    return ItemMetadata(item=f"day-{TARGET}", unit="day", cluster="day", part=part)


def of_norms(step: int, kind: str, broken: Sequence[str]) -> Graded:
    violated = len(broken) / len(NORMS[kind])
    shares = {"violated": violated, "respected": 1 - violated, "not applicable": 0.0}
    return Graded(
        about=about(str(step)), sample=0, task="norms", points=1 - violated,
        label="violated" if broken else "respected",
        reason="; ".join(f"{name}: Loud at {step}; and unkind" for name in broken),
        ballot=VoteSummary(votes=1, asked=1, words=9, label_probs=shares),
    )  # fmt: skip


def hostile() -> Replay:
    """Everything that models, people, norms and places may be called is markup."""
    around = stage()
    people = structs.replace(
        around.population, name=WordColumn((HOSTILE,), np.zeros(len(around.population), dtype=np.uint8))
    )
    lived = day(around, label=HOSTILE)
    events = [_hostile(event) for event in lived.events if isinstance(event, DayEvent)]
    verdicts = [
        structs.replace(v, reason=HOSTILE) if isinstance(v, Graded) else structs.replace(v, cause=HOSTILE)
        for v in lived.verdicts
    ]
    norms: dict[str, dict[str, str]] = {kind: {HOSTILE: HOSTILE} for kind in KINDS}
    return Replay(
        stage=structs.replace(around, population=people),
        days=(structs.replace(lived, events=tuple(events), verdicts=tuple(verdicts), norms=norms, item=HOSTILE),),
    )


def _hostile(event: DayEvent) -> DayEvent:
    match event:
        case DayStartEvent():
            return structs.replace(event, name=HOSTILE, goal=HOSTILE)
        case StepStartEvent():
            return structs.replace(event, seen=HOSTILE)
        case ActionEvent():
            spoken = structs.replace(event, how=HOSTILE, reasoning=HOSTILE, planted=HOSTILE)
            return (
                structs.replace(spoken, raw=HOSTILE, refused=HOSTILE)
                if event.refused
                else structs.replace(spoken, action=HOSTILE)
            )
        case SpeechEvent():
            return structs.replace(event, text=HOSTILE, flags=(HOSTILE,))
        case SubtaskCheckEvent():
            return structs.replace(event, reason=HOSTILE)
        case _:
            return event
