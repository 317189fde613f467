"""Parts of a replay: one stage and target, one day or several, each of another model, and verdicts in words.

All days of a replay share people, places and schedules; where everybody was besides, each log tells for itself.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from mores.benchmarks.shapes.days.grading import OF_TASKS
from mores.benchmarks.shapes.days.verifier import ABSENT, OPEN, RESPECTED, VIOLATED
from mores.core.errors import InputError
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayEvent,
    DayStartEvent,
    FailureEvent,
    SpeechEvent,
    StepStartEvent,
    SubtaskCheckEvent,
    TranscriptEvent,
)
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.worlds.town.stage import DayConfig

MOST_PEOPLE = 3000
"""Residents that a map draws; of larger towns it draws those whom the target could meet, and others evenly."""
_EVENTS = get_args(DayEvent)
_Kind = TypeVar(
    "_Kind", SubtaskCheckEvent, DayStartEvent, DayEndEvent, ActionEvent, SpeechEvent, StepStartEvent, FailureEvent
)


class TaskVerdict(NamedTuple):
    """A verifier's verdict on a task at a step, and whether the verdict on the day rests on it."""

    check: SubtaskCheckEvent
    counts: bool


class PlayedDay(Struct, frozen=True, kw_only=True, dict=True):
    """One day as a run holds it: who lived it, its log, and the verdicts on it.

    `roles` says who played whom and who judged, `norms` are those of the target's origin by kind of place, statements
    by id. `rejudged` is True where verdicts come from another verifier than the one that was asked during the day, and
    `again` is what that other one said of tasks, at the steps at which they were asked about.
    """

    label: str
    benchmark: str
    simulated: bool
    item: str
    sample: int
    events: tuple[TranscriptEvent, ...]
    verdicts: tuple[Verdict, ...]
    norms: Mapping[str, Mapping[str, str]]
    roles: Mapping[str, str] = field(default_factory=dict)
    rejudged: bool = False
    again: tuple[SubtaskCheckEvent, ...] = ()

    def each(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """The events of one kind, in order."""
        return tuple(event for event in self.events if isinstance(event, kind))

    @cached_property
    def log(self) -> tuple[DayEvent, ...]:
        """Events of the day, without failures."""
        return tuple(event for event in self.events if isinstance(event, _EVENTS))

    @cached_property
    def words(self) -> tuple[TaskVerdict, ...]:
        """Verdicts on tasks: of the verifier that counts, and of that of the day where no other one is stored."""
        again = {(check.step, check.subtask): check for check in self.again}
        spots = ((check, again.get((check.step, check.subtask))) for check in self.each(SubtaskCheckEvent))
        return tuple(TaskVerdict(other or check, not self.rejudged or other is not None) for check, other in spots)

    @cached_property
    def began(self) -> DayStartEvent:
        """Beginning of the day.

        Raises:
            InputError: the log is no day's.
        """
        found = self.each(DayStartEvent)
        if not found:
            raise InputError(f"{self.item} of {self.label}: the log has no beginning of a day; expected a day in town.")
        return found[0]


class Replay(Struct, frozen=True, kw_only=True, dict=True):
    """One or several days of one target on one stage.

    Raises:
        InputError: there is no day, or one is another person's or has no step.
    """

    stage: DayConfig
    days: tuple[PlayedDay, ...]

    def __post_init__(self) -> None:
        """Look the days over."""
        if not self.days:
            raise InputError("A replay of no day; expected at least one.")
        for day in self.days:
            if day.began.target != self.stage.target:
                raise InputError(
                    f"{day.item} of {day.label}: the day of resident {day.began.target}; expected one of "
                    f"{self.stage.target}, as all days of a replay are one person's."
                )
            if not day.each(StepStartEvent):
                raise InputError(f"{day.item} of {day.label}: no step of it was begun; expected at least one.")

    @property
    def simulated(self) -> bool:
        """True where any reply was made up."""
        return any(day.simulated for day in self.days)

    @cached_property
    def drawn(self) -> tuple[int, ...]:
        """The residents that the map draws, by number: all, or in a large town those near the target and some more."""
        size = len(self.stage.population)
        if size <= MOST_PEOPLE:
            return tuple(range(size))
        near = {self.stage.target, *self.stage.known}
        for day in self.days:
            near |= {person for step in day.each(StepStartEvent) for person in step.present}
            near |= {speech.who for speech in day.each(SpeechEvent)}
        rest = np.linspace(0, size - 1, MOST_PEOPLE, dtype=np.int64).tolist()
        # Those near stand first, so that the cut at the end takes others.
        kept = dict.fromkeys([*sorted(person for person in near if 0 <= person < size), *rest])
        return tuple(sorted(list(kept)[:MOST_PEOPLE]))


def name_of(stage: DayConfig, person: int) -> str:
    """Somebody's name; that of a number which nobody has, too, as models name such."""
    return stage.population.name[person] if 0 <= person < len(stage.population) else f"nobody ({person})"


VerdictState = Literal["good", "part", "bad", "none"]
MOST_BROKEN = 6
"""Violated norms of a step that are shown at once; the others are folded."""
_TASKS = {
    "norms": "Norms of the place",
    "profile": "Fits who they are",
    "context": "Fits the situation",
    "coherence": "Follows from before",
    "deed": "Could be done",
}
_OF_DAYS = (*OF_TASKS, "steps")


class ViolatedNorm(Struct, frozen=True, kw_only=True):
    """A norm that was violated: its id, what people say of it (empty where unknown), and the verifier's reason."""

    id: str
    statement: str
    reason: str


class VerdictText(Struct, frozen=True, kw_only=True):
    """One verdict in words; of norms, `share` is that of the violated among those that came up, None where unknown.

    `idle` is True where nothing was done that could be judged, which keeps to no norm and violates none.
    """

    task: str
    title: str
    state: VerdictState
    words: str
    reason: str = ""
    broken: tuple[ViolatedNorm, ...] = ()
    share: float | None = None
    idle: bool = False


def on_step(stage: DayConfig, day: PlayedDay, begun: StepStartEvent) -> tuple[VerdictText, ...]:
    """The verdicts on one step, norms first."""
    kind = stage.location(begun.where).kind
    found = [_verdict_text(v, day.norms.get(kind, {})) for v in day.verdicts if v.about.part == str(begun.step)]
    return tuple(sorted(found, key=place_of))


def _verdict_text(verdict: Verdict, norms: Mapping[str, str]) -> VerdictText:
    title = _TASKS.get(verdict.task, verdict.task)
    if isinstance(verdict, Ungraded):
        return VerdictText(task=verdict.task, title=title, state="none", words="not graded", reason=verdict.cause)
    state: VerdictState = "good" if verdict.points >= 1 else "bad" if verdict.points <= 0 else "part"
    if verdict.task == "norms":
        return _of_norms(verdict, norms, title)
    words = {"good": "yes", "bad": "no", "part": f"{100 * verdict.points:.0f}% of what could be told"}[state]
    return VerdictText(
        task=verdict.task, title=title, state=state, words=words, reason=verdict.reason, share=verdict.points
    )


def on_day(day: PlayedDay) -> tuple[VerdictText, ...]:
    """The verdicts that are of no step and no count of tasks, titled by the norm that they are on, if on one."""
    statements = {name: words for known in day.norms.values() for name, words in known.items()}
    found = [v for v in day.verdicts if not v.about.part.isdecimal() and v.task not in _OF_DAYS]
    titles = [statements.get(v.about.part) or _TASKS.get(v.task, v.task) for v in found]
    return tuple(replace(_verdict_text(v, {}), title=title) for v, title in zip(found, titles, strict=True))


def _of_norms(verdict: Graded, norms: Mapping[str, str], title: str) -> VerdictText:
    """Verdict on the norms of the place at a step; the label says whether any was violated, points may round."""
    if verdict.fault is not None:
        words = f"{verdict.reason}: counts as not kept"
        return VerdictText(task="norms", title=title, state="bad", words=words, idle=True)
    violated, left = verdict.label == VIOLATED, _left(verdict.reason)
    broken = broken_norms(verdict.reason, norms) if violated else ()
    return VerdictText(
        task="norms",
        title=title,
        state="none" if verdict.label == OPEN else "good" if not violated else "bad" if verdict.points <= 0 else "part",
        words=_counts(verdict, 0 if left else len(norms)),
        reason=left if broken else verdict.reason,
        broken=broken,
        share=_share(verdict),
    )


def _left(reason: str) -> str:
    """Number of norms that judges left open, as a reason begins with where they did."""
    # As `liveculture.benchmark` writes it: a stored reason is read back here.
    first, _, _ = reason.partition("; ")
    return first if " norms are open (" in first else ""


def _share(verdict: Graded) -> float | None:
    """Violated norms of those that came up; None where none did, or shares are not known."""
    shares = verdict.ballot.label_probs if verdict.ballot is not None and verdict.ballot.label_probs is not None else {}
    up = shares.get(VIOLATED, 0.0) + shares.get(RESPECTED, 0.0)
    return shares.get(VIOLATED, 0.0) / up if up else None


def _counts(verdict: Graded, known: int) -> str:
    """Norms by verdict, as counts where it is known how many there are."""
    shares = verdict.ballot.label_probs if verdict.ballot is not None else None
    if shares is None:
        return verdict.label or f"{100 * verdict.points:.0f}% not violated"
    named = {VIOLATED: "violated", RESPECTED: "respected", ABSENT: "not applicable"}
    of, unit = (known, "") if known else (100, "%")
    return ", ".join(f"{shares.get(label, 0) * of:.0f}{unit} {words}" for label, words in named.items())


def broken_norms(reasons: str, norms: Mapping[str, str]) -> tuple[ViolatedNorm, ...]:
    """The violated norms that a verdict's reason names, as `id: why; id: why`; none where it names no known id.

    >>> broken_norms("a: too loud; and rude; b: shoes on", {"a": "One is quiet.", "b": "Shoes stay outside."})[0].reason
    'too loud; and rude'
    """
    if not norms:
        return ()
    # The longest first, as one id may begin another.
    ids = "|".join(re.escape(name) for name in sorted(norms, key=len, reverse=True))
    parts = re.split(rf"(?:\A|; )({ids}): ", reasons)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return tuple(ViolatedNorm(id=name, statement=norms[name], reason=reason) for name, reason in pairs)


def place_of(verdict: VerdictText) -> tuple[int, str]:
    """Position of a verdict among others: by its task, those not known here last."""
    order = list(_TASKS)
    return (order.index(verdict.task) if verdict.task in order else len(order), verdict.task)
