"""Reading what an endpoint sends, never more of it than a limit, packed or unpacked.

A body may be endless, or pack gigabytes into a few kilobytes. So each has a limit in bytes, as it comes and unpacked,
and of those that grow large only a few are read at a time: what many calls in flight can hold together is bounded too.
A failure holds none of it: whoever keeps one, for whatever time, keeps no body.
"""

import zlib
from typing import Protocol

from mores.models.request import CallFailed

LARGEST_REPLY = 16 << 20
LARGEST_PROBE = 1 << 20
LARGEST_REFUSAL = 1 << 16
"""Bytes, unpacked; of a refusal's words four hundred are kept."""
LARGE = 1 << 17
"""Bytes from which a body counts as large."""
LARGE_AT_ONCE = 8
PACKED_AS = "gzip, deflate"
"""What is asked for in Accept-Encoding."""
_PLAIN = frozenset({"", "identity"})
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})


class Paused(Protocol):
    """A reader that can be told to go on."""

    def go_on(self) -> bool:
        """Read on; False where there is nothing more to read, as it is over."""
        ...


class Large:
    """The readers of large bodies: so many at a time, and whoever has waited longest is the next."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._reading: set[Paused] = set()
        self._waiting: dict[Paused, None] = {}

    def take(self, reader: Paused) -> bool:
        """True where it may read on; else it is told when it may."""
        if len(self._reading) < self._at_once:
            self._reading.add(reader)
            return True
        self._waiting[reader] = None
        return False

    def leave(self, reader: Paused) -> None:
        """It is done, or has given up."""
        self._waiting.pop(reader, None)
        if reader in self._reading:
            self._reading.remove(reader)
            while self._waiting:
                longest = next(iter(self._waiting))
                del self._waiting[longest]
                if longest.go_on():
                    break


def too_large(limit: int) -> CallFailed:
    """The failure of a call whose answer goes beyond a limit."""
    return CallFailed("too large", f"a reply of more than {limit:,} bytes")


def unpacked(body: bytes, packing: str, limit: int) -> bytes:
    """A whole body as it was before it was packed.

    Raises:
        CallFailed: it has more bytes than the limit, or cannot be unpacked.
    """
    if packing.lower() in _PLAIN:
        return body
    found = _Unpacked(body, packing, limit)
    too_much = len(found.body) > limit
    if not too_much and (found.whole or not body):
        return found.body
    del found, body  # a failure keeps this frame
    raise too_large(limit) if too_much else CallFailed("unreadable body", "its packing is cut short", passing=True)


def beginning(body: bytes, packing: str) -> bytes:
    """The first words of what may be the first part of a body.

    Raises:
        CallFailed: it cannot be unpacked.
    """
    if packing.lower() in _PLAIN:
        return body[:LARGEST_REFUSAL]
    return _Unpacked(body, packing, LARGEST_REFUSAL).body[:LARGEST_REFUSAL]


class _Unpacked:
    """Bytes as they were before they were packed, one more than a limit at most; and whether they are all."""

    def __init__(self, body: bytes, packing: str, limit: int) -> None:
        if packing.lower() not in _PACKED:
            raise CallFailed("unreadable body", f"it is packed as {packing[:40]!r}; asked for was {PACKED_AS}")
        # as gzip or zlib by its own head, or deflate without one, which some send for "deflate"
        unpacking = zlib.decompressobj(47 if body[:1] and body[0] & 0x0F in {8, 15} else -15)
        try:
            self.body = unpacking.decompress(body, limit + 1)
        except zlib.error as error:
            raise CallFailed("unreadable body", f"it cannot be unpacked ({error})", passing=True) from error
        self.whole = unpacking.eof
