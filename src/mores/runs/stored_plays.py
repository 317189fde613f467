"""Plays of an earlier run, read back one by one, so that they can be judged again without being played again."""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from mores.analysis.results import JUDGES
from mores.core.card import FIRST, Variant
from mores.core.codec import decode_line, decode_lines, reading
from mores.core.errors import InputError
from mores.core.transcript import FailureEvent, Transcript, read_event
from mores.runs.evaluation import TRANSCRIPTS
from mores.runs.folder import MANIFEST, read_manifest, refuse_changed

NOT_PLAYED = "not played"


class _Line(msgspec.Struct):
    item: str
    sample: int
    events: list[dict[str, object]]


class _Head(msgspec.Struct):
    item: str
    sample: int


_BEGINNING = re.compile(rb'\{"item":"([^"\\\x80-\xff]+)","sample":([0-9]+),"events":\[')
_END = b"]}\n"
_lines, _heads = msgspec.json.Decoder(_Line), msgspec.json.Decoder(_Head)


def items_played(folder: Path) -> frozenset[str]:
    """The items that an evaluation has a transcript of.

    Raises:
        InputError: a line of its transcripts is damaged.
    """
    path = folder / TRANSCRIPTS
    with path.open("rb") as lines:
        heads = (decode_line(_heads, line, where=str(path), what="transcript") for line in lines)
        return frozenset(head.item for head in heads)


class StoredPlays(Mapping[tuple[str, int], Transcript]):
    """The transcripts of a result by item and sample, without what judges said; only where they lie is held in memory.

    A play that is not there is one that failed, as `not played`.

    Raises:
        InputError: the folder has no transcripts, or a line of them is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / TRANSCRIPTS
        if not self.path.is_file():
            raise InputError(
                f"{folder}: no {TRANSCRIPTS}; expected a finished run. Continue with: mores resume {folder}."
            )
        self._file = self.path.open("rb")
        self._hashes, self._starts = array("q"), array("q", (0,))
        try:
            for play, size in self._found():
                self._hashes.append(hash(play))
                self._starts.append(self._starts[-1] + size)
        except InputError:
            self.close()
            raise

    def _found(self) -> Iterator[tuple[tuple[str, int], int]]:
        """Each play and the bytes of its line; of a line as mores writes it the beginning and the end are looked at."""
        self._file.seek(0)
        for number, line in enumerate(self._file, start=1):
            yield self._play(line, number), len(line)

    def _play(self, line: bytes, number: int) -> tuple[str, int]:
        plain = _BEGINNING.match(line) if line.endswith(_END) else None
        if plain is not None:
            return plain[1].decode(), int(plain[2])
        head = decode_line(_heads, line, where=f"{self.path}:{number}", what="transcript")
        return head.item, head.sample

    @cached_property
    def _by_hash(self) -> tuple[array[int], array[int]]:
        """The hashes of all plays in their order, and which line has each; of equal ones the last line comes last."""
        hashes = np.array(self._hashes)
        order = np.argsort(hashes, kind="stable")
        self._hashes = array("q")  # which are in order from now on
        return array("q", hashes[order].tobytes()), array("I", order.astype(np.uint32).tobytes())

    def __getitem__(self, play: tuple[str, int]) -> Transcript:
        whole = self.whole(play)
        kept = (event for event in whole.events if not str(getattr(event, "role", "")).startswith(JUDGES))
        return Transcript(item=whole.item, sample=whole.sample, events=tuple(kept))

    def whole(self, play: tuple[str, int]) -> Transcript:
        """One play with what judges were asked and said."""
        found = self.line(play)
        if found is None:
            gone = FailureEvent(role="subject", cause=NOT_PLAYED, detail=f"{self.path} has no such play")
            return Transcript(item=play[0], sample=play[1], events=(gone,))
        (line,) = decode_lines(_lines, (found,), where=str(self.path), what="transcript")
        return Transcript(item=line.item, sample=line.sample, events=tuple(map(read_event, line.events)))

    def line(self, play: tuple[str, int]) -> bytes | None:
        """The line of one play as it stands in the file; None where there is none."""
        (hashes, lines), play_hash = self._by_hash, hash(play)
        begins = f'{{"item":"{play[0]}","sample":{play[1]},"events":['.encode()
        for at in range(bisect_right(hashes, play_hash) - 1, -1, -1):
            if hashes[at] != play_hash:
                break
            number = lines[at]
            start, end = self._starts[number], self._starts[number + 1]
            # `pread` leaves the position alone: somebody may be going through the same file.
            line = os.pread(self._file.fileno(), end - start, start)
            if line.startswith(begins) or self._play(line, number + 1) == play:
                return line
        return None

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(dict.fromkeys(play for play, _ in self._found()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def decode_transcripts(lines: Iterable[bytes], *, where: str) -> Iterator[Transcript]:
    """All transcripts of a JSON Lines file, judges' words too.

    Raises:
        InputError: a line is damaged.
    """
    for line in decode_lines(_lines, lines, where=where, what="transcript"):
        yield Transcript(item=line.item, sample=line.sample, events=tuple(map(read_event, line.events)))


class EvaluationKey(NamedTuple):
    """Key of an evaluation in its run."""

    model: str
    benchmark: str
    variant: Variant = FIRST


def stored_evaluations(run: Path) -> dict[tuple[str, str], Path]:
    """The folders of a run's evaluations by model and benchmark, of each the first wording and order.

    Raises:
        InputError: as `stored_cells`.
    """
    cells = stored_cells(run)
    return {(c.model, c.benchmark): folder for c, folder in cells.items() if c.variant == FIRST or len(cells) == 1}


def stored_cells(run: Path) -> dict[EvaluationKey, Path]:
    """The folders of all evaluations of a run, those in other wordings and orders among them.

    Raises:
        InputError: the folder is no run, or its list of evaluations was changed after it was written.
    """
    manifest = read_manifest(run)
    if manifest.get("kind") == "study":
        refuse_changed(run, manifest)
    with reading(f"{run}/{MANIFEST}", "the manifest of a run"):
        if manifest.get("kind") != "study":
            return {_cell(manifest, manifest.get("protocol", {})): run} if "model" in manifest else {}
        return {_cell(cell, cell): run / cell["folder"] for cell in manifest["cells"]}


def _cell(named: Mapping[str, Any], of: Mapping[str, Any]) -> EvaluationKey:
    return EvaluationKey(named["model"], named["benchmark"], Variant(*of.get("variant", FIRST)))
