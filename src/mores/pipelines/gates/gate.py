"""A question of any benchmark as gates see it, and one gate: what it found, and whether it lets a data set pass."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.norms.pack import Pack, PackNorm
from mores.stats.intervals import Interval, mean_interval
from mores.tables.missing_texts import plain_fields, to_plain


class GateItem(msgspec.Struct, frozen=True, kw_only=True):
    """One question: `right` are the places of its right options, `norm` is what it rests on and `norms` what that says.

    `label` is what a question with a fixed list of answers has for one, empty where options differ by question. One of
    a norm's `boundary` has gates of its own.
    """

    id: str
    norm: str
    place: str
    stem: str = ""
    options: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    topic: str = ""
    norms: tuple[str, ...] = ()
    label: str = ""
    boundary: bool = False


def item_of(entry: PackNorm, name: str = "") -> GateItem:
    """A norm of a pack, or one of its items, as gates name it."""
    return GateItem(id=name or entry.norm.id, norm=entry.norm.id, place=entry.norm.place)


class GateInput(msgspec.Struct, frozen=True, kw_only=True):
    """Data set under check: its sources, each with a hash, its questions, and the pack that they are of, if any."""

    made_from: dict[str, str]
    items: tuple[GateItem, ...]
    pack: Pack | None = None

    def of_place(self, place_id: str) -> "GateInput":
        """The questions of one place alone."""
        pack, items = self.pack, tuple(item for item in self.items if item.place == place_id)
        if pack is not None:
            norms = tuple(entry for entry in pack.norms if entry.norm.place == place_id)
            own = {entry.norm.id for entry in norms}
            bundles = tuple(bundle for bundle in pack.bundles if bundle.norm[0].id in own)
            pack = replace(pack, norms=norms, bundles=bundles)
        return replace(self, items=items, pack=pack)


LEVEL = 0.01
"""Level of a gate that tests, after Holm's correction over the baselines."""


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """One gate: the value measured, that of chance, its test, and the items that carry it.

    `threshold` is what it fails at: below a level of p, or above a share of items. `passed` is None where it could not
    be asked, and `why` says so. `words` are the most discriminative, by label, where a gate fails on wording; or those
    that are at fault, by item.
    """

    name: str
    says: str
    value: float | None = None
    interval: Interval | None = None
    chance: float | None = None
    p: float | None = None
    n: int = 0
    threshold: dict[str, float] = msgspec.field(default_factory=dict)
    passed: bool | None = None
    why: str = ""
    items: tuple[str, ...] = ()
    words: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


def failing(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """Those that do not let a data set pass."""
    return tuple(gate for gate in gates if gate.passed is False)


def gates_to_dict(gates: Sequence[Gate]) -> list[dict[str, object]]:
    """Gates for datasheets and programs, with the ends of each interval by name."""
    ends = (None if gate.interval is None else to_plain(gate.interval._asdict()) for gate in gates)
    return [{**plain_fields(gate), "interval": each} for gate, each in zip(gates, ends, strict=True)]


def codes_of(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """The place of each name among all that there are."""
    return np.unique(np.array(names, dtype=str), return_inverse=True)[1]


def ids_where(items: Sequence[GateItem], chosen: Sequence[bool] | npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """Ids of the items that are chosen."""
    return tuple(item.id for item, each in zip(items, chosen, strict=True) if each)


def interval_of(values: Sequence[float], items: Sequence[GateItem], name: str) -> Interval:
    """The interval of a mean over some items, clustered by norm."""
    return mean_interval(values, codes_of([item.norm for item in items]), seed=Seed(f"gates/{name}"))


def share_gate(
    name: str, says: str, found: Sequence[tuple[GateItem, bool]], *, most: float = 1.0, least: float = 0.0,
    none: str = "no questions", **threshold: float,
) -> Gate:  # fmt: skip
    """A gate on the share of items that have something; it names those that have it too often, or lack it.

    Args:
        name: What the gate is called.
        says: What it is about.
        found: Each item, and whether it has it.
        most: Largest share that passes.
        least: Smallest share that passes.
        none: Why it cannot be asked where there is no item.
        threshold: What else decides, for whoever reads the figures.
    """
    if not found:
        return Gate(name=name, says=says, why=none)
    items, has = zip(*found, strict=True)
    share = sum(has) / len(items)
    over, under = share > most, share < least
    ends = {**({"share_above": most} if most < 1 else {}), **({"share_below": least} if least > 0 else {})}
    return Gate(
        name=name, says=says, value=share, interval=interval_of(list(map(float, has)), items, name), n=len(items),
        threshold=ends | threshold, passed=not (over or under),
        items=tuple(item.id for item, each in found if (each and over) or (not each and under)),
    )  # fmt: skip
