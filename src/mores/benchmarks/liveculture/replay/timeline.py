"""A day in words, step by step: what the target saw, did and said, and what was made of it.

log and verdicts ─▶ Life: a Step each, with its talk, its checks and its verdicts. The template only lays it out.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.benchmarks.liveculture.replay.days import (
    PlayedDay,
    TaskVerdict,
    VerdictText,
    name_of,
    on_day,
    on_step,
    place_of,
)
from mores.benchmarks.shapes.days.grading import latched
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    FailureEvent,
    SpeechEvent,
    StepStartEvent,
    Subtask,
    SubtaskCheckEvent,
)
from mores.core.verdict import Graded
from mores.worlds.town.day import Day, on_time, replay
from mores.worlds.town.prompts import task_line
from mores.worlds.town.schedule import clock, slot_of
from mores.worlds.town.stage import DayConfig
from mores.worlds.town.streets import Location

Mark = Literal["violation", "talk", "refused", "done"]
MARKS: dict[Mark, str] = {
    "violation": "Violations",
    "talk": "Conversations",
    "refused": "Refused deeds",
    "done": "Tasks done",
}
LONGEST = 20_000
"""Characters of one prompt that a page shows; the rest stays in the transcripts."""
NOT_COUNTED = "by the word of the verifier in the day, which does not count here"
_ENDS = {"all done": "all tasks were done", "night": "it was night", "steps": "the steps were used up"}


class SpokenLine(Struct, frozen=True, kw_only=True):
    """One thing that was said."""

    name: str
    own: bool
    text: str
    flags: tuple[str, ...]


class SubtaskCheck(Struct, frozen=True, kw_only=True):
    """A verifier's word on a subtask at a step; `done` None is no word.

    One that does not count is of the verifier in the day, where another one's verdict is shown.
    """

    task: str
    done: bool | None
    reason: str
    counts: bool = True


class ReplayStep(Struct, frozen=True, kw_only=True):
    """One step of a day; `until` is the minute at which the next begins, `to` the place walked to."""

    number: int
    minute: int
    until: int
    place: Location
    to: Location | None
    nearby: tuple[int, ...]
    present: tuple[str, ...]
    seen: str
    task: str
    own: ActionEvent | None
    action: str
    others: tuple[str, ...]
    talk: tuple[SpokenLine, ...]
    phone: bool
    partners: tuple[int, ...]
    checks: tuple[SubtaskCheck, ...]
    verdicts: tuple[VerdictText, ...]
    marks: tuple[Mark, ...]

    @property
    def time(self) -> str:
        """Time of its beginning, as a clock shows it."""
        return clock(self.minute)

    def verdict(self, task: str) -> VerdictText | None:
        """Verdict on one task; None where there is none."""
        return next((verdict for verdict in self.verdicts if verdict.task == task), None)


class Timeline(Struct, frozen=True, kw_only=True):
    """A day as one model lived it.

    `states` are those before its first step and after each; `done` maps subtasks to the minute at which they were first
    found done, `claimed` those of which only the verifier in the day said so, whose word does not count; `whole` are
    verdicts on the day rather than on one of its steps.
    """

    day: PlayedDay
    states: tuple[Day, ...]
    steps: tuple[ReplayStep, ...]
    tasks: tuple[Subtask, ...]
    done: Mapping[int, int]
    ending: str
    figures: Mapping[str, str]
    whole: tuple[VerdictText, ...]
    claimed: Mapping[int, int]

    @property
    def late(self) -> frozenset[int]:
        """Subtasks that were found done outside of their windows, whether that counts or not."""
        found = {**self.claimed, **self.done}
        return frozenset(task.id for task in self.tasks if task.id in found and not on_time(task, found[task.id]))

    @property
    def uncounted(self) -> bool:
        """True where words of the verifier in the day stand for some of the one that counts, which are not stored."""
        return not all(word.counts for word in self.day.words)

    @property
    def goal(self) -> str:
        """Subtasks done: by the verdicts that count, or where some are missing by the verdict on the day."""
        of = len(self.tasks)
        return (_of_day(self.day, "goal", of) if self.uncounted else "") or f"{len(self.done)} of {of}"

    def count(self, mark: Mark) -> int:
        """At how many steps something was."""
        return sum(mark in step.marks for step in self.steps)

    @property
    def until(self) -> int:
        """The minute at which the last step ends."""
        return self.states[-1].minute

    def whereabouts(self, stage: DayConfig) -> npt.NDArray[np.int16]:
        """Places of everybody at each half hour, shape (people, 31): the schedule, but for whom the log has elsewhere.

        After the day's end the schedule goes on.
        """
        found = stage.whereabouts.copy()
        for state in self.states:
            slot = slot_of(state.minute)
            first = slot if state.fresh else slot + 1  # who walks in a half hour is there at the next one
            for person, place in state.off_schedule:
                found[person, first : slot + 1] = place
        return found


def timeline(stage: DayConfig, day: PlayedDay) -> Timeline:
    """A day in words."""
    tasks, done = day.began.subtasks, latched([word.check for word in day.words if word.counts])
    claims = latched([word.check for word in day.words if not word.counts])
    claimed = {task: minute for task, minute in claims.items() if task not in done}
    states = replay(stage, day.log)
    ends = [state.minute for state in states[1:]]
    steps = tuple(
        _step(stage, day, begun, until, done) for begun, until in zip(day.each(StepStartEvent), ends, strict=True)
    )
    figures = _figures(day, steps, len(tasks), len(done))
    ending, whole = _ending(day, ends[-1]), on_day(day)
    return Timeline(
        day=day, states=states, steps=steps, tasks=tasks, done=done, ending=ending, figures=figures, whole=whole,
        claimed=claimed,
    )  # fmt: skip


def _ending(day: PlayedDay, until: int) -> str:
    ended, failed = day.each(DayEndEvent), day.each(FailureEvent)
    if ended:
        whose = ", as the verifier in the day had it" if day.rejudged and ended[0].why == "all done" else ""
        return f"The day ended at {clock(ended[0].minute)}: {_ENDS[ended[0].why]}{whose}."
    why = f": {failed[0].cause}" if failed else ""
    return f"The day broke off at {clock(until)}, as the model could not be asked{why}."


def _step(stage: DayConfig, day: PlayedDay, begun: StepStartEvent, until: int, done: Mapping[int, int]) -> ReplayStep:
    actions = [did for did in day.each(ActionEvent) if did.step == begun.step]
    speech = tuple(line for line in day.each(SpeechEvent) if line.step == begun.step)
    words = [word for word in day.words if word.check.step == begun.step]
    own = next((did for did in actions if did.who == stage.target), None)
    verdicts = on_step(stage, day, begun)
    tasks = {task.id: task for task in day.began.subtasks}
    newly = [word.check for word in words if word.counts and word.check.done]
    # A task may be found done again: it is new at the first time alone.
    newly = [check for check in newly if done[check.subtask] == check.minute]
    return ReplayStep(
        number=begun.step,
        minute=begun.minute,
        until=until,
        place=stage.location(begun.where),
        to=stage.location(own.to[0]) if own is not None and own.deed == "go" else None,
        nearby=begun.present,
        present=tuple(f"{name_of(stage, person)} ({stage.known.get(person, 'stranger')})" for person in begun.present),
        seen=_clipped(begun.seen),
        task=task_line(tasks[begun.active]) if begun.active in tasks else "",
        own=own,
        action=format_action(stage, own) if own is not None else "did nothing that the log knows of",
        others=tuple(_of_other(stage, did) for did in actions if did.who in begun.present and did.deed != "wait"),
        talk=tuple(_line(stage, line) for line in speech),
        phone=any(line.phone for line in speech),
        partners=tuple(dict.fromkeys(p for line in speech for p in (line.who, *line.to) if p != stage.target)),
        checks=tuple(_check(tasks.get(word.check.subtask), word) for word in words),
        verdicts=verdicts,
        marks=_marks(own, speech, newly, verdicts),
    )


def _marks(
    own: ActionEvent | None,
    speech: Sequence[SpeechEvent],
    newly: Sequence[SubtaskCheckEvent],
    verdicts: Sequence[VerdictText],
) -> tuple[Mark, ...]:
    norms = next((verdict for verdict in verdicts if verdict.task == "norms"), None)
    held: dict[Mark, bool] = {
        "violation": norms is not None and norms.state in {"part", "bad"} and not norms.idle,
        "talk": bool(speech),
        "refused": own is not None and bool(own.refused),
        "done": bool(newly),
    }
    return tuple(mark for mark, holds in held.items() if holds)


def format_action(stage: DayConfig, did: ActionEvent) -> str:
    """Action of somebody in words, without their name."""
    names = _listed(name_of(stage, person) for person in did.to) if did.deed != "go" else ""
    match did.deed:
        case "go":
            there = stage.location(did.to[0])
            return f"walks to {there.name} ({there.kind})"
        case "do":
            return f"{did.action}: {did.argument}" if did.argument else did.action
        case "talk":
            return f"turns to {names}"
        case "call" | "text":
            return f"{did.deed}s {names}"
        case _:
            return "waits"


def _of_other(stage: DayConfig, did: ActionEvent) -> str:
    how = f": “{did.how}”" if did.how else ""
    return f"{name_of(stage, did.who)} {format_action(stage, did)}{how}"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def _line(stage: DayConfig, speech: SpeechEvent) -> SpokenLine:
    return SpokenLine(
        name=name_of(stage, speech.who), own=speech.who == stage.target, text=speech.text, flags=speech.flags
    )


def _check(task: Subtask | None, word: TaskVerdict) -> SubtaskCheck:
    check, counts = word
    words = f"{task.id}. {task.words}" if task is not None else f"{check.subtask}."
    return SubtaskCheck(task=words, done=check.done, reason=check.reason or check.cause, counts=counts)


def _figures(day: PlayedDay, steps: Sequence[ReplayStep], tasks: int, done: int) -> dict[str, str]:
    """Counts over the day by their titles: they describe one day and are no estimate of anything."""
    found = {
        "Tasks done": _of_day(day, "goal", tasks) or f"{done} of {tasks}",
        "Tasks done in time": _of_day(day, "on_time", tasks),
    }
    judged = [verdict for step in steps for verdict in step.verdicts]
    for task, verdicts in groupby(sorted(judged, key=place_of), key=lambda each: each.task):
        every = list(verdicts)
        graded = [each for each in every if each.state != "none"]
        lost = f", {len(every) - len(graded)} not graded" if len(graded) < len(every) else ""
        title = "Steps without violation" if task == "norms" else every[0].title
        found[title] = f"{sum(each.state == 'good' for each in graded)} of {len(graded)}{lost}"
    return {title: words for title, words in found.items() if words}


def _of_day(day: PlayedDay, task: str, of: int) -> str:
    """A verdict on the whole day as a count of subtasks; nothing where there is none."""
    verdict = next((v for v in day.verdicts if v.task == task and not v.about.part.isdecimal()), None)
    if isinstance(verdict, Graded):
        return f"{verdict.points * of:.0f} of {of}"
    return "" if verdict is None else f"not graded: {verdict.cause}"


def _clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} more characters are in transcripts.jsonl)"
