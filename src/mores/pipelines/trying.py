"""Writers who say themselves whether their words will do: asked anew with their reasons, so many times at most."""

from typing import Literal

import msgspec

from mores.pipelines.asking import Untold
from mores.pipelines.outcomes import Dropped, Unit

TRIES = 3
NO_USE, NOT_SO = "the writer gave up", "retried too often"


class Written(msgspec.Struct):
    """What a writer says of its words: that they will do, that it should be asked anew, or that nothing would do."""

    status: Literal["ok", "retry", "fail"]
    reason: str = ""


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
