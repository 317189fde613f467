"""What a journal held when its run was finished, so that a reply that was changed or taken away since is told.

The hash of the file is looked at first: where it is that of the finish, no row is read. A journal that was written on
since, or packed, has another one; all its rows are looked at then, in the order in which they came.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from mores.core.files import sha256_of
from mores.models.journal_checksums import BYTES, JournalRow, name_of, part_name, row_checksum, whole_rows
from mores.models.journal_reader import reader_of

_MODULUS = 1 << 8 * BYTES


class JournalDigest(Struct, frozen=True, kw_only=True):
    """How many replies, the sum of their checksums modulo 2^64, and the file's SHA-256."""

    replies: int
    seals: int
    sha256: str


def held_by(connection: sqlite3.Connection, path: Path) -> JournalDigest:
    """What a journal holds, its log moved into the file so far as nobody is reading it."""
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    replies, seals = 0, 0
    for (seal,) in connection.execute("SELECT seal FROM replies"):
        replies, seals = replies + 1, seals + int.from_bytes(seal)
    return JournalDigest(replies=replies, seals=seals % _MODULUS, sha256=sha256_of(path))


def what_changed(path: Path, held: JournalDigest) -> str:
    """What is other in a journal than it was, in words, "" if nothing is; replies that came later are no change.

    Raises:
        InputError: its last replies stand in a log that cannot be opened there.
    """
    log = path.with_name(f"{path.name}-wal")
    try:
        if sha256_of(path) == held.sha256 and not (log.is_file() and log.stat().st_size):
            return ""
        with closing(reader_of(path)) as connection:
            return _in_rows(connection, held)
    except (sqlite3.DatabaseError, OSError, ValueError, TypeError) as error:
        return str(error)


def _in_rows(connection: sqlite3.Connection, held: JournalDigest) -> str:
    replies, seals = 0, 0
    others: list[JournalRow] = []
    for row in connection.execute(whole_rows(connection, "ORDER BY rowid")):  # plain: a million of them take seconds
        if row[-1] == row_checksum(*row[:-1]):
            seals += int.from_bytes(row[-1]) if replies < held.replies else 0
            replies += 1
        else:
            others.append(JournalRow(*row))
    if others:
        return name_of(others[0]) + (f" and {len(others) - 1:,} more" if others[1:] else "")
    if gone := max(held.replies - replies, 0):
        return f"{gone:,} of {held.replies:,} replies {'is' if gone == 1 else 'are'} missing"
    if seals % _MODULUS != held.seals:
        return f"not the {held.replies:,} replies that it held"
    parts = connection.execute("SELECT hash, text FROM parts")
    return "" if all(part_name(words) == name for name, words in parts) else "words that requests share"
