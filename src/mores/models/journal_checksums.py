"""Rows of the journal, and the names of long words in them."""

import hashlib
from functools import lru_cache
from typing import NamedTuple

from mores.models.written import KEPT

ROWS = "SELECT key, item, role, step, sample, request, reply FROM replies"


class JournalRow(NamedTuple):
    """One reply as it lies in the journal."""

    key: bytes
    item: str
    role: str
    step: int
    sample: int
    request: str
    reply: str


@lru_cache(maxsize=2 * KEPT)
def part_name(words: str) -> bytes:
    """The name of long words in the journal; most of them stand in many calls."""
    return hashlib.blake2b(words.encode(), digest_size=16).digest()
