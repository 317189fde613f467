"""Vectors of texts kept in a build's folder, so that a build that goes on embeds no text a second time.

A vector rests on its text and its model alone, and is kept under the hash of both: what comes out is the same with the
file and without.
"""

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from mores.core.codec import digest
from mores.core.errors import StorageError
from mores.core.files import own_file, own_folder
from mores.models.similarity import Embedder, Vector

VECTORS = ".vectors.sqlite"
_WAIT = 60.0
"""Seconds to wait for another runner that writes."""
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


class KeptVectors:
    """An embedder that asks another only for what does not yet lie in a folder, and keeps that there."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.identity = embedder.identity
        self._embedder, self._path = embedder, folder / VECTORS

    def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of some texts.

        Raises:
            InputError: the embedding model cannot be loaded.
            StorageError: the file cannot be read or written.
        """
        keys = [digest([self.identity, text], length=32) for text in texts]
        with self._opened() as file:
            found = {key: vector for key in keys if (vector := _kept(file, key)) is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            made = dict(zip(new, (array("d", row) for row in self._embedder(list(new.values()))), strict=True))
            with self._opened() as file, file:
                rows = [(key, vector.tobytes()) for key, vector in made.items()]
                file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            found |= made
        return [found[key] for key in keys]

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        own_folder(self._path.parent)
        own_file(self._path)
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT)) as file:
                file.execute(_TABLE)
                yield file
        except sqlite3.DatabaseError as error:
            text = f"{self._path}: vectors cannot be kept in it ({error}); remove it, or make room."
            raise StorageError(text) from error


def _kept(file: sqlite3.Connection, key: str) -> "array[float] | None":
    row = file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
    return None if row is None else array("d", row[0])
