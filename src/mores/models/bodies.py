"""Reading what an endpoint sends, never more of it than a limit, packed or unpacked.

A body may be endless, or pack gigabytes into a few kilobytes. So each has a limit in bytes, as it comes and unpacked,
and of those that grow large only a few are read at a time: what many calls in flight can hold together is bounded too.
An answer of status 200 may be none: an error put into the body, or a stream that nobody asked for.
"""

import zlib
from typing import NamedTuple, Protocol

import msgspec

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

    def go_on(self) -> None:
        """Read on."""
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
            if self._waiting:
                longest = next(iter(self._waiting))
                del self._waiting[longest]
                longest.go_on()


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
    if len(found.body) > limit:
        raise too_large(limit)
    if body and not found.whole:
        raise CallFailed("unreadable body", "what it was packed as is cut short", passing=True)
    return found.body


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


STREAMED = "streamed answer"
"""The cause of a call whose answer came in pieces, as events."""
IN_BODY = "error in the body"
"""The cause of a call whose answer of status 200 is an error that gives no status of its own."""
_EVENTS = (b"data:", b"event:", b": ")


class _Said(msgspec.Struct):
    message: object = None
    code: object = None


class _Body(msgspec.Struct):
    error: _Said | str
    choices: object = None


class Disguised(NamedTuple):
    """What such an answer says: its cause, its words, and the status that it speaks of, 0 where of none."""

    cause: str
    words: str
    status: int = 0


def disguised(body: bytes) -> Disguised | None:
    """What an answer says that is no completion; None where it may be one, or is unreadable.

    >>> disguised(b'{"error": {"message": "Overloaded", "code": 503}}')
    Disguised(cause='http 503', words='Overloaded', status=503)
    >>> disguised(b'data: {"choices": [{"delta": {"content": "Yes"}}]}').cause
    'streamed answer'
    """
    if body.lstrip()[:6].startswith(_EVENTS):
        return Disguised(STREAMED, "the endpoint sends events, which it was not asked for; turn streaming off there")
    if b'"choices"' in body:
        return None
    try:
        error = msgspec.json.decode(body, type=_Body).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if isinstance(error, str):
        return Disguised(IN_BODY, error)
    words = error.message if isinstance(error.message, str) else body.decode("utf-8", "replace")
    code = int(error.code) if isinstance(error.code, int | str) and str(error.code).isdecimal() else 0
    return Disguised(f"http {code}", words, code) if 400 <= code < 600 else Disguised(IN_BODY, words)
