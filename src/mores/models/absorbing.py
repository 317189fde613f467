"""One journal taken into another: the replies of a part of a run into the journal of the whole."""

from contextlib import closing
from pathlib import Path

from mores.models.entries import reader_of
from mores.models.journal import Journal
from mores.models.lookup import STRANGE, damaged
from mores.models.seals import Row, sealed, unchanged, whole_rows

TOGETHER = 1_000
"""Rows that are committed together."""


def absorb(journal: Journal, path: Path) -> None:
    """Take up the replies of another journal in their order; of equal requests the reply that is there stays.

    Raises:
        InputError: a reply was changed after it was written.
        StorageError: the other one is damaged, or this one cannot be written.
    """
    try:
        with closing(reader_of(path)) as other:
            parts = other.execute("SELECT hash, text FROM parts")
            while some := parts.fetchmany(TOGETHER):
                journal.store(dict(some), {})
            rows = other.execute(whole_rows(other, "ORDER BY rowid"))
            while found := [_sealed(Row(*row), path) for row in rows.fetchmany(TOGETHER)]:
                journal.store({}, {row.key: row for row in found})
    except STRANGE as error:
        raise damaged(path, error) from error


def _sealed(row: Row, path: Path) -> Row:
    """A row that is as it was written; one of before there were checksums gets one."""
    return sealed(*unchanged(row, path)[:-1]) if row.seal is None else unchanged(row, path)
