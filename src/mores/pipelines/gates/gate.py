"""One gate: what it found in a data set, and whether it lets the data set pass."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
    be asked, and `why` says so. `words` are those that tell most, by label, where a gate fails on wording.
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
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)


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
    found = share_gate(name, says, items, [item.id in carried for item in items], most=0.0)
    return replace(found, threshold={**found.threshold, **threshold})


def share_gate(
    name: str, says: str, items: Sequence[Item], has: Sequence[bool], *, most: float = 1.0, least: float = 0.0
) -> Gate:
    """A gate on the share of items that have something; it names those that have it too often, or lack it.

    Args:
        name: What the gate is called.
        says: What it is about.
        items: At least one.
        has: Whether each has it.
        most: Largest share that passes.
        least: Smallest share that passes.
    """
    share = sum(has) / len(items)
    over, under = share > most, share < least
    return Gate(
        name=name, says=says, value=share, interval=interval_of(list(map(float, has)), items, name), n=len(items),
        threshold={**({"share_above": most} if most < 1 else {}), **({"share_below": least} if least > 0 else {})},
        passed=not (over or under),
        items=tuple(item.id for item, each in zip(items, has, strict=True) if (each and over) or (not each and under)),
    )  # fmt: skip
