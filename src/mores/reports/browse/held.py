"""The items that a page shows and their plays, in columns; what was said and judged is read when it is wanted."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from operator import eq
from typing import NamedTuple

import numpy as np

from mores.analysis.results import Result
from mores.core.item import ItemMetadata
from mores.core.seeds import Seed
from mores.core.things import Things
from mores.core.verdict import VerdictLine
from mores.reports.browse.answers import Kind, Kinds
from mores.runs.judged import StoredVerdicts
from mores.stats.rng import generator

MOST = 120_000
"""Answers that a page holds; of more, items are drawn, for all models the same."""
COLUMNS = ("item", "result", "sample", "kinds", "start", "size")
DICE = Seed("report")
_NOT_WRONG: frozenset[Kind] = frozenset({"right", "points"})


class Play(NamedTuple):
    """One play of an item by the number of its result, how each answer went by its part, and where its verdicts lie."""

    result: int
    sample: int
    kinds: Mapping[str, Kind]
    start: int
    size: int


class HeldItems:
    """Items by their number, in the order of the benchmarks and of their data; `total` counts those not drawn too."""

    def __init__(self, evaluations: Sequence[Result], files: ExitStack) -> None:
        self._stored = [files.enter_context(closing(StoredVerdicts(each.folder))) for each in evaluations]
        chosen, self.total = _chosen(evaluations)
        self.sizes = {name: len(items) for name, items in chosen.items()}
        self._abouts, self._thing = Things(), array("i", [-1]) * sum(self.sizes.values())
        self._columns = {name: array("q" if name == "start" else "i") for name in COLUMNS}
        self._ways: list[dict[str, Kind]] = []
        self._wrong = bytearray(len(self))
        self._put(evaluations, chosen)
        item = np.array(self._columns["item"])
        self._order = array("i", np.argsort(item, kind="stable").astype(np.int32).tobytes())
        self._begin = array("i", np.searchsorted(np.sort(item), np.arange(len(self) + 1)).astype(np.int32).tobytes())

    def _put(self, evaluations: Sequence[Result], chosen: Mapping[str, Mapping[str, int]]) -> None:
        """Take the plays of the chosen items out of the files."""
        first, begin = dict[str, int](), 0
        for name, size in self.sizes.items():
            first[name], begin = begin, begin + size
        codes: dict[tuple[tuple[str, Kind], ...], int] = {}
        for result, each in enumerate(evaluations):
            kinds, items, begin = Kinds(each), chosen[each.benchmark], first[each.benchmark]
            for judged in self._stored[result].plays():
                item = items.get(judged.about.item)
                if item is None:
                    continue
                item += begin
                found = kinds.of(judged.about.item, judged.findings)
                code = codes.setdefault(tuple(found.items()), len(codes))
                if code == len(self._ways):
                    self._ways.append(found)
                if self._thing[item] < 0:
                    self._thing[item] = self._abouts.add(judged.about)
                self._wrong[item] |= not _NOT_WRONG.issuperset(found.values())
                row = (item, result, judged.sample, code, judged.start, judged.size)
                for column, value in zip(self._columns.values(), row, strict=True):
                    column.append(value)

    def __len__(self) -> int:
        return len(self._thing)

    def abouts(self) -> Iterator[ItemMetadata]:
        """What each item is about."""
        in_order = all(map(eq, self._thing, range(len(self))))
        return iter(self._abouts) if in_order else map(self._abouts.__getitem__, self._thing)

    def name(self, item: int) -> str:
        """The name of an item."""
        return self._abouts.item(self._thing[item])

    def all_right(self, item: int) -> bool:
        """Whether no answer went wrong in any way."""
        return not self._wrong[item]

    def plays(self, item: int) -> Iterator[Play]:
        """All plays of an item, result by result."""
        columns = self._columns
        for row in self._order[self._begin[item] : self._begin[item + 1]]:
            yield Play(
                columns["result"][row], columns["sample"][row], self._ways[columns["kinds"][row]],
                columns["start"][row], columns["size"][row],
            )  # fmt: skip

    def verdicts(self, play: Play) -> list[VerdictLine]:
        """All verdicts on a play."""
        return self._stored[play.result].lines(play.start, play.size)


def _chosen(evaluations: Sequence[Result]) -> tuple[dict[str, dict[str, int]], int]:
    """The items of each benchmark by name, in the order of the data, and how many there are in all."""
    found: dict[str, Sequence[str]] = {}
    answers = 0
    for each in evaluations:
        table = each.verdict_table
        answers += sum(map(table.count, each.headline_tasks[:1]))
        items = table.keys.item.names
        known = found.setdefault(each.benchmark, items)
        if known is not items and known != items:
            found[each.benchmark] = tuple(dict.fromkeys((*known, *items)))
    share = min(1.0, MOST / max(answers, 1))
    kept = {name: _drawn(name, items, share) for name, items in found.items()}
    return kept, sum(map(len, found.values()))


def _drawn(benchmark: str, items: Sequence[str], share: float) -> dict[str, int]:
    count = max(1, int(len(items) * share)) if items else 0
    kept: Iterable[str] = items
    if count < len(items):
        drawn = generator(DICE.child("items", benchmark)).choice(len(items), count, replace=False)
        kept = (items[number] for number in np.sort(drawn).tolist())
    return {item: number for number, item in enumerate(kept)}
