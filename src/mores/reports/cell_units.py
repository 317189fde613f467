"""The headline's units of a cell as arrays, read once for all that a report says of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.benchmarks.ledger import Codes, Floats
from mores.core.verdict import Graded
from mores.reports.findings import Finding
from mores.reports.units import EVERY_ITEM, headline_units, unit_name, whole
from mores.runs.results import VERDICTS

HELD = 48
"""Cells whose units are kept at hand: all models of a benchmark in most reports."""


class UnitsTable(NamedTuple):
    """A row a unit: name, points (NaN where ungraded), weight, codes of cluster and place (-1 for none), groups."""

    names: tuple[str, ...]
    points: Floats
    weight: Floats
    cluster: Codes
    place: Codes
    places: tuple[str, ...]
    groups: tuple[Mapping[str, str], ...]


def units_table(cell: Finding) -> UnitsTable:
    """The units of a cell's headline; read anew only where its verdicts have changed since."""
    state = (cell.folder / VERDICTS).stat()
    return _read(_Key(folder=cell.folder, stamp=(state.st_mtime_ns, state.st_size), cell=cell))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    folder: Path
    stamp: tuple[int, int]
    cell: Finding = field(compare=False)


@lru_cache(maxsize=HELD)
def _read(key: _Key) -> UnitsTable:
    units = headline_units(key.cell, EVERY_ITEM)
    held = list(units.values())
    clusters, places = [unit.cluster for unit in held], [unit.place for unit in held]
    found = sorted({place for place in places if place})
    code = {place: number for number, place in enumerate(found)}
    return UnitsTable(
        names=tuple(units),
        points=np.array([unit.points for unit in held], dtype=np.float64),
        weight=np.array([unit.weight for unit in held], dtype=np.float64),
        cluster=_codes(clusters),
        place=np.array([code.get(place, -1) for place in places], dtype=np.int64),
        places=tuple(found),
        groups=tuple(unit.groups for unit in held),
    )


def _codes(names: list[str]) -> npt.NDArray[np.int64]:
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.int64)


class Answer(NamedTuple):
    """A unit's first item, part and place, and the label that its first sample got, with the key.

    Both are None where it is no closed question, several questions make the unit, or the answer could not be used.
    """

    item: str
    part: str
    place: str
    label: str | None
    key: str | None


def answers_of(cell: Finding) -> Mapping[str, Answer]:
    """The answers on the units of a cell's headline by the unit's name; read anew only where verdicts have changed."""
    state = (cell.folder / VERDICTS).stat()
    return _read_answers(_Key(folder=cell.folder, stamp=(state.st_mtime_ns, state.st_size), cell=cell))


@lru_cache(maxsize=HELD)
def _read_answers(key: _Key) -> Mapping[str, Answer]:
    found: dict[str, Answer] = {}
    talks = key.cell.label_task is not None
    for verdict in key.cell.verdicts():
        about = whole(verdict.about) if talks else verdict.about
        name = unit_name(about)
        if name in found:
            if not verdict.sample:
                found[name] = found[name]._replace(label=None, key=None)
            continue
        closed = (
            not verdict.sample and isinstance(verdict, Graded) and verdict.ballot is None and verdict.gold is not None
        )
        label = verdict.label if closed and isinstance(verdict, Graded) else None
        found[name] = Answer(about.item, about.part, about.place or "", label, verdict.gold if label else None)
    return found
