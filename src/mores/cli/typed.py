"""What can be typed after `mores run`, beside the options of the run itself."""

from dataclasses import dataclass
from typing import Protocol

from mores.runs.options import RunOptions, option

AS_JSON = option("One JSON object on standard output, everything else on standard error.", "--json", default=False)

FULL = option("Print all tables and sentences.", "--full", default=False)


class Shown(Protocol):
    """How much of what was found is printed, and for whom."""

    @property
    def full(self) -> bool: ...  # noqa: D102 - said above
    @property
    def json(self) -> bool: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRun(RunOptions):
    """After `mores run`."""

    dry: bool = option("Print the calls that a run would make and their cost; ask nothing.", "--dry", default=False)
    full: bool = FULL
    json: bool = AS_JSON
