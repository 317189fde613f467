"""One gate: what it found in a data set, and whether it lets the data set pass."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mores.blocks.reasons import plain_fields, to_plain
from mores.core.seeds import Seed
from mores.pipelines.gates.items import Item
from mores.stats.intervals import Interval, mean_interval

LEVEL = 0.01
"""Level of a gate that tests, after Holm's correction over the readers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate: what it measured beside what chance gives, its test, and the items that carry it.

    `threshold` is what it fails at: below a level of p, or above a share of items. `passed` is None where it could not
    be asked, and `why` says so.
    """

    name: str
    says: str
    value: float | None = None
    interval: Interval | None = None
    chance: float | None = None
    p: float | None = None
    n: int = 0
    threshold: dict[str, float] = field(default_factory=dict)
    passed: bool | None = None
    why: str = ""
    items: tuple[str, ...] = ()


def failing(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """Those that do not let a data set pass."""
    return tuple(gate for gate in gates if gate.passed is False)


def gates_to_dict(gates: Sequence[Gate]) -> list[dict[str, object]]:
    """Gates for datasheets and programs, with the ends of each interval by name."""
    ends = (None if gate.interval is None else to_plain(gate.interval._asdict()) for gate in gates)
    return [{**plain_fields(gate), "interval": each} for gate, each in zip(gates, ends, strict=True)]


def interval_of(values: Sequence[float], items: Sequence[Item], name: str) -> Interval:
    """The interval of a mean over some items, clustered by norm."""
    _, cluster = np.unique([item.norm for item in items], return_inverse=True)
    binary = bool(np.isin(values, (0, 1)).all())
    return mean_interval(values, cluster, binary=binary, seed=Seed(f"gates/{name}"))


def gate_of_share(
    name: str, says: str, items: Sequence[Item], carried: frozenset[str], **threshold: float
) -> Gate:  # fmt: skip
    """A gate that no item may carry; of `items`, those whose ids are `carried` do."""
    found = [float(item.id in carried) for item in items]
    return Gate(
        name=name, says=says, value=float(np.mean(found)), interval=interval_of(found, items, name), n=len(items),
        threshold={"share_above": 0.0, **threshold}, passed=not carried,
        items=tuple(item.id for item in items if item.id in carried),
    )  # fmt: skip
