"""Writers who say themselves whether their words will do: asked anew with their reasons, so many times at most."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

import msgspec

from mores.pipelines.asking import Told, Untold
from mores.pipelines.outcomes import Dropped, Unit

TRIES = 3
NO_USE, NOT_SO = "the writer gave up", "retried too often"


class Written(msgspec.Struct):
    """What a writer says of its words: that they will do, that it should be asked anew, or that nothing would do."""

    status: Literal["ok", "retry", "fail"]
    reason: str = ""


W = TypeVar("W", bound=Written)


async def tried(unit: Unit, stage: str, put: Callable[[int, str], Awaitable[Told[W] | Untold]]) -> W | Dropped:
    """What a writer says will do, or where it ended.

    `put` asks it; it is given the number of the attempt and the reasons of the one before.
    """
    reasons = ""
    for attempt in range(TRIES):
        found = await put(attempt, reasons)
        if isinstance(found, Untold):
            return ended(unit, stage, found)
        if found.value.status == "ok":
            return found.value
        reasons = found.value.reason
        if found.value.status == "fail":
            return dropped(unit, stage, NO_USE, reasons)
    return dropped(unit, stage, NOT_SO, reasons)


def fed_back(reasons: str) -> str:
    """What a prompt says of why the last words would not do; nothing where there are no such words."""
    return f"Last time it would not do: {reasons}\n\n" if reasons else ""


def ended(unit: Unit, stage: str, untold: Untold) -> Dropped:
    """A unit about which there was no answer; it waits where the call may come through later."""
    return Dropped(unit=unit.id, stage=stage, reason=untold.reason, detail=untold.detail, place=unit.place,
                   passing=untold.passing)  # fmt: skip


def dropped(unit: Unit, stage: str, reason: str, detail: str) -> Dropped:
    """A unit that goes no further."""
    return Dropped(unit=unit.id, stage=stage, reason=reason, detail=detail, place=unit.place)
