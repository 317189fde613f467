"""What a replay is made of: one stage and target, and one day or several, each lived by another model.

All days of a replay share people, places and schedules; where everybody was besides, each log tells for itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar, get_args

import numpy as np

from mores.core.errors import InputError
from mores.core.transcript import (
    ActionEvent,
    DayEndEvent,
    DayEvent,
    DayStartEvent,
    FailureEvent,
    OtherTalkEvent,
    SpeechEvent,
    StepStartEvent,
    SubtaskCheckEvent,
    TranscriptEvent,
)
from mores.core.verdict import Verdict
from mores.worlds.town.stage import DayConfig

MOST_PEOPLE = 3000
"""Residents that a map draws; of larger towns it draws those whom the target could meet, and others evenly."""
_EVENTS = get_args(DayEvent)
_Kind = TypeVar(
    "_Kind",
    OtherTalkEvent,
    SubtaskCheckEvent,
    DayStartEvent,
    DayEndEvent,
    ActionEvent,
    SpeechEvent,
    StepStartEvent,
    FailureEvent,
)


class TaskVerdict(NamedTuple):
    """What a verifier said of a task at a step, and whether the verdict on the day rests on it."""

    check: SubtaskCheckEvent
    counts: bool


@dataclass(frozen=True, kw_only=True)
class PlayedDay:
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
        """What happened, without what failed."""
        return tuple(event for event in self.events if isinstance(event, _EVENTS))

    @cached_property
    def words(self) -> tuple[TaskVerdict, ...]:
        """What was said of tasks: by the verifier that counts, and by that of the day where no other word is stored."""
        again = {(check.step, check.subtask): check for check in self.again}
        spots = ((check, again.get((check.step, check.subtask))) for check in self.each(SubtaskCheckEvent))
        return tuple(TaskVerdict(other or check, not self.rejudged or other is not None) for check, other in spots)

    @cached_property
    def began(self) -> DayStartEvent:
        """How the day began.

        Raises:
            InputError: the log is no day's.
        """
        found = self.each(DayStartEvent)
        if not found:
            raise InputError(f"{self.item} of {self.label}: the log has no beginning of a day; expected a day in town.")
        return found[0]


@dataclass(frozen=True, kw_only=True)
class Replay:
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
            near |= {said.who for said in day.each(SpeechEvent)}
        rest = np.linspace(0, size - 1, MOST_PEOPLE, dtype=np.int64).tolist()
        kept = dict.fromkeys([*sorted(person for person in near if 0 <= person < size), *rest])
        return tuple(sorted(list(kept)[:MOST_PEOPLE]))


def name_of(stage: DayConfig, person: int) -> str:
    """Somebody's name; that of a number which nobody has, too, as models name such."""
    return stage.population.name[person] if 0 <= person < len(stage.population) else f"nobody ({person})"
