"""A day in words, step by step: what the target saw, did and said, and what was made of it.

log and verdicts ─▶ Life: a Step each, with its talk, its checks and its verdicts. The template only lays it out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from mores.benchmarks.liveculture.figures import ABSENT, RESPECTED, VIOLATED
from mores.core.day import Checked, DayEnded, Did, Said, StepBegan, Subtask
from mores.core.transcript import Failed
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.replay.days import Played, Scene
from mores.worlds.town.day import STEP, TALK
from mores.worlds.town.schedule import clock
from mores.worlds.town.streets import Location

Mark = Literal["violation", "talk", "refused", "done"]
MARKS: dict[Mark, str] = {
    "violation": "Violations",
    "talk": "Conversations",
    "refused": "Refused deeds",
    "done": "Tasks done",
}
State = Literal["good", "part", "bad", "none"]
LONGEST = 20_000
"""Characters of one prompt that a page shows; the rest stays in the transcripts."""
_TASKS = {
    "norms": "Norms of the place",
    "profile": "Fits who they are",
    "context": "Fits the situation",
    "coherence": "Follows from before",
    "deed": "Could be done",
}
_ENDS = {"all done": "all tasks were done", "night": "it was night", "steps": "the steps were used up"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A norm that was violated: its id, what people say of it (empty where unknown), and the verifier's reason."""

    id: str
    statement: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One verdict in words; `share` is what was graded, None where it was not."""

    task: str
    title: str
    state: State
    words: str
    reason: str = ""
    broken: tuple[Broken, ...] = ()
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that was said."""

    name: str
    own: bool
    text: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The verifier's word on a subtask at a step; `done` None is no word."""

    task: str
    done: bool | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
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
    own: Did | None
    deed: str
    others: tuple[str, ...]
    talk: tuple[Line, ...]
    phone: bool
    partners: tuple[int, ...]
    checks: tuple[Check, ...]
    verdicts: tuple[Told, ...]
    marks: tuple[Mark, ...]

    @property
    def time(self) -> str:
        """When it begins, as a clock shows it."""
        return clock(self.minute)

    def verdict(self, task: str) -> Told | None:
        """What was said of one task; None where nothing was."""
        return next((told for told in self.verdicts if told.task == task), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A count over one day."""

    title: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A day as one model lived it; `done` maps subtasks to the minute at which they were first found done."""

    day: Played
    steps: tuple[Step, ...]
    tasks: tuple[Subtask, ...]
    done: Mapping[int, int]
    ending: str
    figures: tuple[Figure, ...]

    def count(self, mark: Mark) -> int:
        """At how many steps something was."""
        return sum(mark in step.marks for step in self.steps)


def live_again(scene: Scene, day: Played) -> Life:
    """A day in words."""
    tasks, done = day.began.subtasks, _done(day.each(Checked))
    steps = tuple(_step(scene, day, begun, done) for begun in day.each(StepBegan))
    figures = _figures(day, steps, len(tasks), len(done))
    return Life(day=day, steps=steps, tasks=tasks, done=done, ending=_ending(day), figures=figures)


def _done(checks: Sequence[Checked]) -> dict[int, int]:
    found: dict[int, int] = {}
    for check in checks:
        if check.done:
            found.setdefault(check.subtask, check.minute)
    return found


def _ending(day: Played) -> str:
    ended, failed = day.each(DayEnded), day.each(Failed)
    if ended:
        return f"The day ended at {clock(ended[0].minute)}: {_ENDS[ended[0].why]}."
    why = f": {failed[0].cause}" if failed else ""
    return f"The day broke off at {clock(day.until)}, as the model could not be asked{why}."


def _step(scene: Scene, day: Played, begun: StepBegan, done: Mapping[int, int]) -> Step:
    deeds = [did for did in day.each(Did) if did.step == begun.step]
    said = tuple(line for line in day.each(Said) if line.step == begun.step)
    checks = [check for check in day.each(Checked) if check.step == begun.step]
    own = next((did for did in deeds if did.who == scene.target), None)
    verdicts = _verdicts(scene, day, begun)
    tasks = {task.id: task for task in day.began.subtasks}
    newly = [check for check in checks if check.done and done[check.subtask] == check.minute]
    return Step(
        number=begun.step,
        minute=begun.minute,
        until=begun.minute + (TALK if said else STEP),
        place=scene.location(begun.where),
        to=scene.location(own.to[0]) if own is not None and own.deed == "go" else None,
        nearby=begun.present,
        present=tuple(f"{scene.name(person)} ({scene.ties.get(person, 'stranger')})" for person in begun.present),
        seen=_clipped(begun.seen),
        task=task_words(tasks[begun.active]) if begun.active in tasks else "",
        own=own,
        deed=deed_words(scene, own) if own is not None else "did nothing that the log knows of",
        others=tuple(_of_other(scene, did) for did in deeds if did.who != scene.target and did.deed != "wait"),
        talk=tuple(_line(scene, line) for line in said),
        phone=any(line.phone for line in said),
        partners=tuple(dict.fromkeys(p for line in said for p in (line.who, *line.to) if p != scene.target)),
        checks=tuple(_check(tasks.get(check.subtask), check) for check in checks),
        verdicts=verdicts,
        marks=_marks(own, said, newly, verdicts),
    )


def _marks(
    own: Did | None, said: Sequence[Said], newly: Sequence[Checked], verdicts: Sequence[Told]
) -> tuple[Mark, ...]:
    norms = next((told for told in verdicts if told.task == "norms"), None)
    held: dict[Mark, bool] = {
        "violation": norms is not None and norms.state in {"part", "bad"},
        "talk": bool(said),
        "refused": own is not None and bool(own.refused),
        "done": bool(newly),
    }
    return tuple(mark for mark, holds in held.items() if holds)


def task_words(task: Subtask) -> str:
    """A subtask in words."""
    return f"{task.id}. {task.words} ({task.kind}, {clock(task.start)}–{clock(task.end)})"


def deed_words(scene: Scene, did: Did) -> str:
    """What somebody did, without their name."""
    names = _listed(scene.name(person) for person in did.to) if did.deed != "go" else ""
    match did.deed:
        case "go":
            there = scene.location(did.to[0])
            return f"walks to {there.name} ({there.kind})"
        case "do":
            return f"{did.action}: {did.argument}" if did.argument else did.action
        case "talk":
            return f"turns to {names}"
        case "call" | "text":
            return f"{did.deed}s {names}"
        case _:
            return "waits"


def _of_other(scene: Scene, did: Did) -> str:
    how = f": “{did.how}”" if did.how else ""
    return f"{scene.name(did.who)} {deed_words(scene, did)}{how}"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def _line(scene: Scene, said: Said) -> Line:
    return Line(name=scene.name(said.who), own=said.who == scene.target, text=said.text, flags=said.flags)


def _check(task: Subtask | None, check: Checked) -> Check:
    words = f"{task.id}. {task.words}" if task is not None else f"{check.subtask}."
    return Check(task=words, done=check.done, reason=check.reason or check.cause)


def _verdicts(scene: Scene, day: Played, begun: StepBegan) -> tuple[Told, ...]:
    """Those on one step, norms first."""
    kind = scene.location(begun.where).kind
    found = [_told(v, day.norms.get(kind, {})) for v in day.verdicts if v.about.part == str(begun.step)]
    return tuple(sorted(found, key=_place_of))


def _told(verdict: Verdict, norms: Mapping[str, str]) -> Told:
    title = _TASKS.get(verdict.task, verdict.task)
    if isinstance(verdict, Ungraded):
        return Told(task=verdict.task, title=title, state="none", words="not graded", reason=verdict.cause)
    state: State = "good" if verdict.points >= 1 else "bad" if verdict.points <= 0 else "part"
    if verdict.task == "norms":
        return _of_norms(verdict, norms, title)
    words = {"good": "yes", "bad": "no", "part": f"{100 * verdict.points:.0f}% of what could be told"}[state]
    return Told(task=verdict.task, title=title, state=state, words=words, reason=verdict.reason, share=verdict.points)


def _of_norms(verdict: Graded, norms: Mapping[str, str], title: str) -> Told:
    """How the step stood to the norms of the place; the label says whether any was violated, points may round."""
    violated = verdict.label == VIOLATED
    broken = broken_norms(verdict.reason, norms) if violated else ()
    return Told(
        task="norms",
        title=title,
        state="good" if not violated else "bad" if verdict.points <= 0 else "part",
        words=_counts(verdict, len(norms)),
        reason=verdict.reason if violated and not broken else "",
        broken=broken,
        share=verdict.points,
    )


def _counts(verdict: Graded, known: int) -> str:
    """Norms by verdict, as counts where it is known how many there are."""
    shares = verdict.ballot.shares if verdict.ballot is not None else None
    if shares is None:
        return verdict.label or f"{100 * verdict.points:.0f}% not violated"
    named = {VIOLATED: "violated", RESPECTED: "respected", ABSENT: "did not come up"}
    if not known:
        return ", ".join(f"{100 * shares.get(label, 0):.0f}% {words}" for label, words in named.items())
    return ", ".join(f"{shares.get(label, 0) * known:.0f} {words}" for label, words in named.items())


def broken_norms(reasons: str, norms: Mapping[str, str]) -> tuple[Broken, ...]:
    """The violated norms that a verdict's reason names, as `id: why; id: why`; none where it names no known id.

    >>> broken_norms("a: too loud; and rude; b: shoes on", {"a": "One is quiet.", "b": "Shoes stay outside."})[0].reason
    'too loud; and rude'
    """
    if not norms:
        return ()
    ids = "|".join(re.escape(name) for name in sorted(norms, key=len, reverse=True))
    parts = re.split(rf"(?:\A|; )({ids}): ", reasons)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return tuple(Broken(id=name, statement=norms[name], reason=reason) for name, reason in pairs)


def _figures(day: Played, steps: Sequence[Step], tasks: int, done: int) -> tuple[Figure, ...]:
    """Counts over the day: they describe one day and are no estimate of anything."""
    found = [
        Figure(title="Tasks done", words=_of_day(day, "goal", tasks) or f"{done} of {tasks}"),
        Figure(title="Tasks done in time", words=_of_day(day, "on_time", tasks)),
    ]
    judged = [told for step in steps for told in step.verdicts]
    for task, told in groupby(sorted(judged, key=_place_of), key=lambda each: each.task):
        every = list(told)
        graded = [each for each in every if each.state != "none"]
        lost = f", {len(every) - len(graded)} not graded" if len(graded) < len(every) else ""
        good = sum(each.state == "good" for each in graded)
        title = "Steps without violation" if task == "norms" else every[0].title
        found.append(Figure(title=title, words=f"{good} of {len(graded)}{lost}"))
    return tuple(figure for figure in found if figure.words)


def _of_day(day: Played, task: str, of: int) -> str:
    """A verdict on the whole day as a count of subtasks; nothing where there is none."""
    verdict = next((v for v in day.verdicts if v.task == task and not v.about.part.isdecimal()), None)
    if isinstance(verdict, Graded):
        return f"{verdict.points * of:.0f} of {of}"
    return "" if verdict is None else "not graded"


def _place_of(told: Told) -> tuple[int, str]:
    order = list(_TASKS)
    return (order.index(told.task) if told.task in order else len(order), told.task)


def _clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} more characters are in transcripts.jsonl)"
