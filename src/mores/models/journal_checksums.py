"""A checksum with each journalled reply, so that a row that was changed is not taken for the model's words.

It is no signature: who can change a reply can change its checksum too.
"""

import hashlib
import sqlite3
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mores.core.errors import InputError
from mores.models.written import KEPT

BYTES = 8
SEALING = 3
"""The version of journals from which every reply has a checksum."""
_READ = "SELECT key, item, role, step, sample, request, reply, {seal} FROM replies"


class JournalRow(NamedTuple):
    """One reply as it lies in the journal; `seal` is None where a mores wrote it that made none."""

    key: bytes
    item: str
    role: str
    step: int
    sample: int
    request: str
    reply: str
    seal: bytes | None = None


def sealed(key: bytes, item: str, role: str, step: int, sample: int, request: str, reply: str) -> JournalRow:  # noqa: PLR0913, PLR0917
    """A row with its checksum."""
    return JournalRow(
        key, item, role, step, sample, request, reply, row_checksum(key, item, role, step, sample, request, reply)
    )


def whole_rows(connection: sqlite3.Connection, then: str) -> str:
    """The query for whole rows; a checksum that should be there and is not is an empty one, which fits no row."""
    seal = "seal" if has_seals(connection) else "NULL"
    if connection.execute("PRAGMA user_version").fetchone()[0] >= SEALING:
        seal = f"coalesce({seal}, x'')"
    return f"{_READ.format(seal=seal)} {then}"


def has_seals(connection: sqlite3.Connection) -> bool:
    """True where a journal has room for checksums."""
    return any(name == "seal" for _, name, *_ in connection.execute("PRAGMA table_info(replies)"))


def add_checksums(connection: sqlite3.Connection) -> None:
    """Give the replies of an older journal their checksums; they are taken as they are."""
    connection.create_function("seal_of", 7, row_checksum, deterministic=True)
    connection.execute(
        "UPDATE replies SET seal = seal_of(key, item, role, step, sample, request, reply) WHERE seal IS NULL"
    )


def unchanged(row: JournalRow, path: Path) -> JournalRow:
    """The row, if it is what was written.

    Raises:
        InputError: it is not.
    """
    if row.seal is not None and row.seal != row_checksum(*row[:-1]):
        raise InputError(
            f"{path}: {name_of(row)} was changed after it was written, so the run cannot be used; restore the file, or "
            "start a new run in another folder."
        )
    return row


def name_of(row: JournalRow) -> str:
    """A reply as people are told of it."""
    return f"the reply to {row.item} ({row.role}, step {row.step}, sample {row.sample})"


@lru_cache(maxsize=2 * KEPT)
def part_name(words: str) -> bytes:
    """The name of long words in the journal; most of them stand in many calls."""
    return hashlib.blake2b(words.encode(), digest_size=16).digest()


def row_checksum(key: object, item: str, role: str, step: int, sample: int, request: str, reply: str) -> bytes:  # noqa: PLR0913, PLR0917
    """Checksum of a row, all of whose columns but itself it is made from; a file may hold anything in them."""
    said = f"\0{item}\0{role}\0{step}\0{sample}\0{request}\0{reply}"
    start = key if isinstance(key, bytes) else str(key).encode()
    return hashlib.blake2b(start + said.encode(), digest_size=BYTES).digest()
