"""Parts of a run on their way from the machines that ask them: replies as they come, and at last their files.

part on some node ─▶ Shipper ─▶ shipments ─▶ PartFolders ─▶ OUT-parts/part-I-of-N, which merge as any parts do

Rows go once, in the order in which they were committed, so that what is shipped grows as the part does.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from mores.core.files import own_folder, write_own
from mores.models.journal import Journal
from mores.models.journal_file import JournalRow
from mores.models.journal_reader import reader_of
from mores.runs.evaluation import leaves_nothing_to_do
from mores.runs.folder import JOURNAL, MANIFEST, read_manifest, reopen
from mores.runs.launchers import part_folder
from mores.runs.selection import Shard

TOGETHER = 2_000
"""Rows of a journal that travel together."""
_QUERY = "SELECT id, key, item, role, step, sample, request, reply FROM replies WHERE id > ? ORDER BY id LIMIT ?"
_NAME = re.compile(r'"([0-9a-f]{32})"')
"""Name of long words as it stands in a row; what else looks like one is not found, and does no harm."""


class Shipment(NamedTuple):
    """New rows of a journal in a folder within the part, the long words that they name, and files beside it."""

    folder: str
    words: dict[bytes, str]
    rows: list[JournalRow]
    files: dict[str, bytes]


class Shipper:
    """Reader of what is new in a part since it last looked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: dict[Path, int] = {}

    def rows(self) -> Iterator[Shipment]:
        """Rows that were committed since, in lots, and the manifests as they are now."""
        for path in sorted(self._folder.rglob(MANIFEST)):
            yield self._file(path)
        for path in sorted(self._folder.rglob(JOURNAL)):
            with closing(reader_of(path)) as reader:
                if not reader.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
                    continue  # it is being made this very moment
                while shipment := self._next(path, reader):
                    yield shipment

    def files(self) -> Iterator[Shipment]:
        """All files beside the journals, the manifests last, since these say what is finished."""
        paths = [path for path in self._folder.rglob("[!.]*") if path.is_file() and not path.name.startswith(JOURNAL)]
        yield from map(self._file, sorted(paths, key=lambda path: (path.name == MANIFEST, path)))

    def _file(self, path: Path) -> Shipment:
        return Shipment(str(path.parent.relative_to(self._folder)), {}, [], {path.name: path.read_bytes()})

    def _next(self, path: Path, reader: sqlite3.Connection) -> Shipment | None:
        found = reader.execute(_QUERY, (self._last.get(path, 0), TOGETHER)).fetchall()
        if not found:
            return None
        self._last[path] = found[-1][0]
        rows = [JournalRow(*values) for _, *values in found]
        names = {bytes.fromhex(name) for row in rows for name in _NAME.findall(row.request)}
        query = "SELECT hash, text FROM parts WHERE hash = ?"
        words = dict(found for name in names for found in reader.execute(query, (name,)))
        return Shipment(str(path.parent.relative_to(self._folder)), words, rows, {})


class PartFolders:
    """Folders into which shipments are put, one a part, within one of all; `cells` evaluations are in each."""

    def __init__(self, home: Path, of: int, cells: int) -> None:
        self.home, self.of, self._cells = home, of, cells
        self._journals: dict[Path, Journal] = {}

    def of_part(self, number: int) -> Path:
        """The folder of a part."""
        return part_folder(self.home, Shard(number, self.of))

    def is_done(self, number: int) -> bool:
        """True where a part leaves nothing to do."""
        found = self.of_part(number).rglob(MANIFEST)
        return sum(leaves_nothing_to_do(read_manifest(path.parent)) for path in found) == self._cells

    def shipped(self, number: int) -> list[Shipment]:
        """Shipments of a part so far, for whoever takes it over."""
        return [each for each in Shipper(self.of_part(number)).rows() if each.rows]

    def put(self, number: int, shipment: Shipment) -> None:
        """Put a shipment where it belongs; rows that are there already stay."""
        folder = self.of_part(number) / shipment.folder
        own_folder(folder)
        for name, content in shipment.files.items():
            write_own(folder / name, content)
        if shipment.rows:
            path = folder / JOURNAL
            if path not in self._journals:
                self._journals[path] = Journal(path)
            self._journals[path].store(shipment.words, {row.key: row for row in shipment.rows})

    def close(self) -> None:
        """Close the journals; their files are no longer those that a worker's manifest has the hashes of."""
        for path, journal in self._journals.items():
            journal.close()
            reopen(path.parent)
        self._journals.clear()
