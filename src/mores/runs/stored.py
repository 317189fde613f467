"""Plays of an earlier run, read back one by one, so that they can be judged again without being played again."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from mores.core.codec import UNREADABLE, reading
from mores.core.errors import InputError
from mores.core.transcript import Failed, Transcript, read_event
from mores.runs.folder import MANIFEST, read_manifest
from mores.runs.results import TRANSCRIPTS
from mores.runs.sealing import refuse_changed

NOT_PLAYED = "not played"
JUDGES = "judge"
"""How the names of judges' roles begin; what they said of a play before is left out of it."""


class _Line(msgspec.Struct):
    item: str
    sample: int
    events: list[dict[str, object]]


class _Head(msgspec.Struct):
    item: str
    sample: int


_Any = TypeVar("_Any")
_lines, _heads = msgspec.json.Decoder(_Line), msgspec.json.Decoder(_Head)


class StoredPlays(Mapping[tuple[str, int], Transcript]):
    """The transcripts of a cell by item and sample, without what judges said; only where they lie is held in memory.

    A play that is not there is one that failed, as `not played`.

    Raises:
        InputError: the folder has no transcripts, or a line of them is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / TRANSCRIPTS
        if not self._path.is_file():
            raise InputError(f"{folder}: no {TRANSCRIPTS}; expected a finished run. Go on with: mores resume {folder}.")
        self._file = self._path.open("rb")
        self._spots: dict[tuple[str, int], tuple[int, int]] = {}
        start = 0
        try:
            for number, line in enumerate(self._file, start=1):
                head = self._decoded(_heads, line, number)
                self._spots[head.item, head.sample] = start, len(line)
                start += len(line)
        except InputError:
            self.close()
            raise

    def __getitem__(self, play: tuple[str, int]) -> Transcript:
        spot = self._spots.get(play)
        if spot is None:
            gone = Failed(role="subject", cause=NOT_PLAYED, detail=f"{self._path} has no such play")
            return Transcript(item=play[0], sample=play[1], events=(gone,))
        self._file.seek(spot[0])
        line = self._decoded(_lines, self._file.read(spot[1]), 0)
        kept = [event for event in line.events if not str(event.get("role", "")).startswith(JUDGES)]
        events = tuple(read_event(event) for event in kept)
        return Transcript(item=line.item, sample=line.sample, events=events)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self._spots)

    def __len__(self) -> int:
        return len(self._spots)

    def _decoded(self, decoder: msgspec.json.Decoder[_Any], line: bytes, number: int) -> _Any:
        try:
            return decoder.decode(line)
        except UNREADABLE as error:
            raise InputError(f"{self._path}:{number or ''} no transcript, or one that is cut ({error}).") from error


def stored_cells(run: Path) -> dict[tuple[str, str], Path]:
    """The folders of a run's cells by model and benchmark.

    Raises:
        InputError: the folder is no run, or its list of cells was changed after it was written.
    """
    manifest = read_manifest(run)
    if manifest.get("kind") == "study":
        refuse_changed(run, manifest)
    with reading(f"{run}/{MANIFEST}", "the manifest of a run"):
        if manifest.get("kind") != "study":
            return {(manifest["model"], manifest["benchmark"]): run} if "model" in manifest else {}
        return {(cell["model"], cell["benchmark"]): run / cell["folder"] for cell in manifest["cells"]}
