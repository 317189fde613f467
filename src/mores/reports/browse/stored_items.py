"""The items that a page shows and their plays, in columns; what was said and judged is read when it is wanted."""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from mores.analysis.results import Result
from mores.core.seeds import Seed
from mores.core.sequences import CompressedList
from mores.core.transcript import ItemMetadata
from mores.core.verdict import VerdictLine, VerdictRecord, read_lines
from mores.core.verdict_lines import VerdictReader, batches
from mores.reports.browse.outcomes import KINDS, AnswerOutcome, AnswerOutcomes
from mores.runs.evaluation import VERDICTS
from mores.stats.rng import generator


class PlayVerdicts(NamedTuple):
    """The verdicts on one play: what the first is about, what each found by its part, and the bytes of their lines."""

    about: ItemMetadata
    sample: int
    findings: tuple[tuple[str, VerdictRecord], ...]
    start: int
    size: int


class StoredVerdicts:
    """The verdicts of a result, play by play; one that has none has no plays."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / VERDICTS
        self._file = self.path.open("rb") if self.path.is_file() else None

    def plays(self) -> Iterator[PlayVerdicts]:
        """Each play as its verdicts stand together.

        Raises:
            InputError: a line is no verdict.
        """
        about = first = ItemMetadata(item="", unit="", cluster="")
        findings: list[tuple[str, VerdictRecord]] = []
        start, end, sample, sizes = 0, 0, 0, deque[int]()
        reader = VerdictReader[VerdictRecord](
            lambda finding: finding, str(self.path), varied=lambda finding: finding.ballot is not None
        )
        for metadata, begins, made in batches(self._lines(sizes), reader):
            new = iter(metadata)
            for begun, finding in zip(begins, made, strict=True):
                about = next(new) if begun else about
                if not findings or finding.sample != sample or (begun and about.item != first.item):
                    if findings:
                        yield PlayVerdicts(first, sample, tuple(findings), start, end - start)
                    first, sample, start, findings = about, finding.sample, end, []
                findings.append((about.part, finding))
                end += sizes.popleft()
        if findings:
            yield PlayVerdicts(first, sample, tuple(findings), start, end - start)

    def _lines(self, sizes: deque[int]) -> Iterator[bytes]:
        for line in self._file or ():
            sizes.append(len(line))
            yield line

    def lines(self, start: int, size: int) -> list[VerdictLine]:
        """The verdicts in some bytes that a play said."""
        if self._file is None:
            return []
        # pread leaves alone the position from which the file is read line by line.
        lines = os.pread(self._file.fileno(), size, start).splitlines(keepends=True)
        return [line for _, line in read_lines(lines, where=str(self.path))]

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            self._file.close()


MOST = 120_000
"""Answers that a page holds; of more, items are drawn, for all models the same."""
COLUMNS = ("item", "result", "sample", "kinds", "alike", "start", "size")
SEED = Seed("report")
REMEMBERED = 1000
"""Ways in which plays were judged that are known when they come again."""
_NOT_WRONG: frozenset[AnswerOutcome] = frozenset({"right", "points"})


class BrowserPlay(msgspec.Struct, gc=False):
    """One play of an item by the number of its result, how each answer went by its part, and where its verdicts lie.

    Plays that were judged alike in all their parts have the same number, `alike`, which is -1 where that is not known.
    """

    result: int
    sample: int
    kinds: Mapping[str, AnswerOutcome]
    alike: int
    start: int
    size: int


class BrowserItems:
    """Items by their number, in the order of the benchmarks and of their data; `total` counts those not drawn too."""

    def __init__(self, evaluations: Sequence[Result], files: ExitStack) -> None:
        self._stored = [files.enter_context(closing(StoredVerdicts(each.folder))) for each in evaluations]
        chosen, self.total = _chosen(evaluations)
        self.sizes = {name: len(items) for name, items in chosen.items()}
        self._metadata = CompressedList[ItemMetadata](
            msgspec.msgpack.encode, msgspec.msgpack.Decoder(list[ItemMetadata]).decode
        )
        self._thing = array("i", [-1]) * sum(self.sizes.values())
        # A file of verdicts may be larger than 2 GB, which is all that 32 bits can say.
        self._columns = {name: array("q" if name == "start" else "i") for name in COLUMNS}
        self._ways = _Ways()
        self._wrong = bytearray(len(self))
        self._put(evaluations, chosen)
        item = np.array(self._columns["item"])
        # Stable, so that the plays of an item stay result by result.
        self._order = array("i", np.argsort(item, kind="stable").astype(np.int32).tobytes())
        self._begin = array("i", np.searchsorted(np.sort(item), np.arange(len(self) + 1)).astype(np.int32).tobytes())

    def _put(self, evaluations: Sequence[Result], chosen: Mapping[str, Mapping[str, int]]) -> None:
        """Take the plays of the chosen items out of the files."""
        first, begin = dict[str, int](), 0
        for name, size in self.sizes.items():
            first[name], begin = begin, begin + size
        columns = [column.append for column in self._columns.values()]
        for result, each in enumerate(evaluations):
            kinds, items, begin = AnswerOutcomes(each), chosen[each.benchmark], first[each.benchmark]
            self._ways.begin()
            for about, sample, findings, start, size in self._stored[result].plays():
                item = items.get(about.item)
                if item is None:
                    continue
                item += begin
                way, alike = self._ways.of(kinds, about.item, findings)
                if self._thing[item] < 0:
                    self._thing[item] = len(self._metadata)
                    self._metadata.append(about)
                if self._ways.wrong[way]:
                    self._wrong[item] = True
                for append, value in zip(columns, (item, result, sample, way, alike, start, size), strict=True):
                    append(value)

    def __len__(self) -> int:
        return len(self._thing)

    def metadata(self) -> Iterator[ItemMetadata]:
        """Metadata of each item."""
        in_order = bool(np.array_equal(self._thing, np.arange(len(self))))
        return iter(self._metadata) if in_order else map(self._metadata.__getitem__, self._thing)

    def name(self, item: int) -> str:
        """The name of an item."""
        return self._metadata[self._thing[item]].item

    def all_right(self, item: int) -> bool:
        """True if no answer went wrong in any way."""
        return not self._wrong[item]

    def plays(self, item: int) -> Iterator[BrowserPlay]:
        """All plays of an item, result by result."""
        _, results, samples, ways, alike, starts, sizes = self._columns.values()
        for row in self._order[self._begin[item] : self._begin[item + 1]]:
            yield BrowserPlay(
                results[row], samples[row], self._ways.kinds[ways[row]], alike[row], starts[row], sizes[row]
            )

    def answers(self) -> Iterator[list[int]]:
        """Of each answer, item by item: its item, its result, its sample, and its kind by the number in `KINDS`."""
        rows = np.array(self._order)
        ways = np.array(self._columns["kinds"])[rows]
        kinds = [[KINDS.index(kind) for kind in way.values()] for way in self._ways.kinds]
        again = np.array([len(way) for way in kinds], dtype=np.int64)[ways]
        for name in COLUMNS[:3]:
            yield np.repeat(np.array(self._columns[name])[rows], again).tolist()
        yield [kind for way in ways.tolist() for kind in kinds[way]]

    def cut(self) -> list[int]:
        """The place among `answers` of each that ended at a limit."""
        ways = np.array(self._columns["kinds"])[np.array(self._order)]
        again = np.array([len(way) for way in self._ways.kinds], dtype=np.int64)[ways]
        cut = np.repeat(np.array(self._ways.cut, dtype=np.bool_)[ways], again)
        places: list[int] = np.flatnonzero(cut).tolist()
        return places

    def findings(self, play: BrowserPlay) -> Sequence[tuple[str, VerdictRecord]]:
        """Findings on each part of a play; read where it is not one of those that many have."""
        if play.alike >= 0:
            return self._ways.alike[play.alike]
        return [(verdict.about.part, verdict) for verdict in self.verdicts(play)]

    def verdicts(self, play: BrowserPlay) -> list[VerdictLine]:
        """All verdicts on a play."""
        return self._stored[play.result].lines(play.start, play.size)


class _Ways:
    """The ways in which the answers of plays went, each once, and whether one went wrong; and what was found alike.

    A way is also whether the answer was cut at a limit.
    """

    def __init__(self) -> None:
        self.kinds, self.wrong, self.cut = list[dict[str, AnswerOutcome]](), list[bool](), list[bool]()
        self.alike: list[Sequence[tuple[str, VerdictRecord]]] = []
        self._codes: dict[tuple[bool, tuple[tuple[str, AnswerOutcome], ...]], int] = {}
        self.begin()

    def begin(self) -> None:
        """Another result, whose headline may count otherwise."""
        self._known: dict[tuple[tuple[str, int], ...], tuple[int, int]] = {}

    def of(self, kinds: AnswerOutcomes, item: str, findings: Sequence[tuple[str, VerdictRecord]]) -> tuple[int, int]:
        """The number of the way in which a play went, and that of those which were judged alike."""
        # An id is that of one verdict alone, since those that are known are held.
        key = tuple([(part, id(finding)) for part, finding in findings])
        known = self._known.get(key)
        if known is not None:
            return known
        found = kinds.of(item, findings)
        cut = any(finding.cut for _, finding in findings)
        way = self._codes.setdefault((cut, tuple(found.items())), len(self._codes))
        if way == len(self.kinds):
            self.kinds.append(found)
            self.cut.append(cut)
            self.wrong.append(not _NOT_WRONG.issuperset(found.values()))
        if kinds.by_item or len(self._known) >= REMEMBERED or any(finding.ballot for _, finding in findings):
            return way, -1
        self._known[key] = known = way, len(self.alike)
        self.alike.append(findings)
        return known


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
        drawn = generator(SEED.child("items", benchmark)).choice(len(items), count, replace=False)
        kept = (items[number] for number in np.sort(drawn).tolist())
    return {item: number for number, item in enumerate(kept)}
