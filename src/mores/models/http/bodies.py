"""Bodies of answers, bounded in bytes: as they come, decompressed, and those of all calls in flight together.

A body may be endless, or pack gigabytes into a few kilobytes. No failure refers to one: whoever keeps a failure, and
with it the frames that it came through, keeps no body.
"""

import zlib
from collections.abc import Callable
from itertools import islice

from mores.models.request import CallFailed

LARGEST_REPLY = 16 << 20
LARGEST_PROBE = 1 << 20
LARGEST_REFUSAL = 1 << 16
"""Bytes, decompressed; of the text of a refusal four hundred characters are kept."""
LARGE = 1 << 17
"""Bytes from which a body counts as large."""
LARGE_AT_ONCE = 8
ACCEPT_ENCODING = "gzip, deflate"
_IDENTITY = frozenset({"", "identity"})
_COMPRESSED = frozenset({"gzip", "x-gzip", "deflate"})


class LargeBodyQueue:
    """Readers of large bodies, each by the function that has it read on: so many at a time, the others in their order.

    Each reader leaves, also one that is over while it waits; one that is told to read on may be over by then.
    """

    def __init__(self) -> None:
        self._readers: dict[Callable[[], None], None] = {}  # the first ones read, those behind them wait

    def admit(self, reader: Callable[[], None]) -> bool:
        """True where it may read on; else it is called once it may."""
        if reader in self._readers:  # it waited, and was called
            return True
        self._readers[reader] = None
        return len(self._readers) <= LARGE_AT_ONCE

    def leave(self, reader: Callable[[], None]) -> None:
        """Let the next one read, where this one did."""
        if reader in self._readers:
            reading = tuple(islice(self._readers, LARGE_AT_ONCE))
            del self._readers[reader]
            if reader in reading:
                for following in tuple(islice(self._readers, LARGE_AT_ONCE - 1, LARGE_AT_ONCE)):
                    following()


def too_large(limit: int) -> CallFailed:
    """Failure of a call whose answer goes beyond a limit."""
    return CallFailed("too large", f"a reply of more than {limit:,} bytes")


def decompress(body: bytes, encoding: str, limit: int, *, part: bool = False) -> bytes | CallFailed:
    """A whole body of so many bytes at most; where a part will do, its first bytes. Else the failure.

    It is returned, since one that is raised would keep the body with this frame.
    """
    encoding = encoding.lower()
    if encoding in _IDENTITY:
        return body[:limit] if part else body
    if encoding not in _COMPRESSED:
        return CallFailed("unreadable body", f"it is packed as {encoding[:40]!r}; asked for was {ACCEPT_ENCODING}")
    # as gzip or zlib by its own head, or deflate without one, which some send for "deflate"
    stream = zlib.decompressobj(47 if body[:1] and body[0] & 0x0F in {8, 15} else -15)
    try:
        plain = stream.decompress(body, limit + 1)
    except zlib.error as error:
        return CallFailed("unreadable body", f"it cannot be unpacked ({error})", passing=True)
    if part:
        return plain[:limit]
    if len(plain) > limit:
        return too_large(limit)
    return plain if stream.eof or not body else CallFailed("unreadable body", "its packing is cut short", passing=True)
