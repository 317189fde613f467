"""A checksum with each journalled reply, so that a row that was changed is not taken for the model's words.

It is no signature: who can change a reply can change its checksum too.
"""

import hashlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

from mores.core.errors import InputError

BYTES = 8
_READ = "SELECT key, item, role, step, sample, request, reply, {seal} FROM replies"


class Row(NamedTuple):
    """One reply as it lies in the journal; `seal` is None where a mores wrote it that made none."""

    key: bytes
    item: str
    role: str
    step: int
    sample: int
    request: str
    reply: str
    seal: bytes | None = None


def sealed(row: Row) -> Row:
    """The row with its checksum."""
    return row._replace(seal=_seal(row))


def whole_rows(connection: sqlite3.Connection, then: str) -> str:
    """The query for whole rows, also of a journal that has no room for checksums."""
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(replies)")}
    return f"{_READ.format(seal='seal' if 'seal' in columns else 'NULL')} {then}"


def unchanged(row: Row, path: Path) -> Row:
    """The row, if it is what was written.

    Raises:
        InputError: it is not.
    """
    if row.seal is not None and row.seal != _seal(row):
        raise InputError(
            f"{path}: the reply to {row.item} ({row.role}, step {row.step}, sample {row.sample}) was changed after it "
            "was written, and nothing is built on it; put the file back as it was, or run anew in another folder."
        )
    return row


def _seal(row: Row) -> bytes:
    said = f"\0{row.item}\0{row.role}\0{row.step}\0{row.sample}\0{row.request}\0{row.reply}"
    key = row.key if isinstance(row.key, bytes) else str(row.key).encode()  # a file may hold anything
    return hashlib.blake2b(key + said.encode(), digest_size=BYTES).digest()
