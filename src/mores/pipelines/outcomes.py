"""What becomes of each unit of a pipeline: kept, dropped for good, or not answered and asked again on resume.

units ─▶ stages in turn, each of which lets a unit pass or drops it with a reason ─▶ a funnel of counts
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class Unit(Protocol):
    """What a pipeline makes something of: its id, and the place that it is about, empty where it is about none."""

    @property
    def id(self) -> str: ...  # noqa: D102 - said above
    @property
    def place(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A unit that went no further: its id, at which stage, why in a few words that are counted, and what exactly.

    Where `passing`, nothing was found out: a call failed, and the unit is asked about again on resume.
    """

    unit: str
    stage: str
    reason: str
    detail: str = ""
    place: str = ""
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A unit that went through every stage, as it came out; `refused` where a model refused something on the way."""

    value: T
    refused: bool = False


Outcome = Kept[T] | Dropped


def dropped(unit: Unit, stage: str, reason: str, detail: str = "", *, passing: bool = False) -> Dropped:
    """A unit that goes no further, or that waits where `passing`."""
    return Dropped(unit=unit.id, stage=stage, reason=reason, detail=detail, place=unit.place, passing=passing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage of a funnel: how many units came to it, how many it let pass, and how many it dropped by reason."""

    stage: str
    came: int
    passed: int
    dropped: dict[str, int]


def counted(values: Iterable[str]) -> dict[str, int]:
    """How often each value comes up, by value."""
    return dict(sorted(Counter(values).items()))


def funnel(stages: Sequence[str], dropped: Iterable[Dropped], *, kept: int) -> tuple[Step, ...]:
    """The counts of each stage, in the order of the stages.

    >>> drop = Dropped(unit="b", stage="write", reason="refusal")
    >>> [(step.stage, step.came, step.passed) for step in funnel(("read", "write"), [drop], kept=1)]
    [('read', 2, 2), ('write', 2, 1)]
    """
    lost = list(dropped)
    left, steps = kept + len(lost), []
    for stage in stages:
        here = Counter(each.reason for each in lost if each.stage == stage)
        steps.append(Step(stage=stage, came=left, passed=left - here.total(), dropped=counted(here.elements())))
        left -= here.total()
    return tuple(steps)
