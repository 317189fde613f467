"""Reading what an endpoint sends, never more of it than a limit: unpacked as it comes, piece by piece.

A body may be endless, or pack gigabytes into a few kilobytes. So each has a limit in unpacked bytes, and of those that
grow large only a few are read at a time: what many calls in flight can hold together is bounded too.
"""

import zlib
from collections.abc import AsyncIterator, Iterator

import aiohttp

from mores.models.limits import Slots
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
_PIECE = 1 << 16


async def read_body(response: aiohttp.ClientResponse, limit: int, large: Slots) -> bytes:
    """The body of an answer, unpacked; while it is large it holds one of the slots for such.

    Raises:
        CallFailed: it has more bytes than the limit, or cannot be unpacked.
    """
    length = response.content_length
    if length is not None and length <= min(LARGE, limit) and _packing(response) in _PLAIN:
        return await response.read()
    pieces, size, held = [], 0, False
    try:
        async for piece in _pieces(response):
            size += len(piece)
            if size > limit:
                raise CallFailed("too large", f"a reply of more than {limit:,} bytes")
            if size > LARGE and not held:
                await large.take()
                held = True
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        pieces.clear()  # an error holds the frame that it came through
        if held:
            large.give()


async def read_refusal(response: aiohttp.ClientResponse) -> bytes:
    """The beginning of what an endpoint says to a call that it does not answer.

    Raises:
        CallFailed: it cannot be unpacked.
    """
    said = b""
    async for piece in _pieces(response):
        said += piece
        if len(said) >= LARGEST_REFUSAL:
            break
    return said[:LARGEST_REFUSAL]


def _packing(response: aiohttp.ClientResponse) -> str:
    return response.headers.get("Content-Encoding", "").strip().lower()


async def _pieces(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """A body bit by bit; how large a bit is does not depend on how well it packs."""
    unpacked = _Unpacked(_packing(response))
    async for chunk in response.content.iter_any():
        for piece in unpacked.feed(chunk):
            yield piece
    unpacked.check_whole()


class _Unpacked:
    """Bytes as they were before they were packed."""

    def __init__(self, packing: str) -> None:
        if packing not in _PLAIN | {"gzip", "x-gzip", "deflate"}:
            raise CallFailed("unreadable body", f"it is packed as {packing[:40]!r}; asked for was {PACKED_AS}")
        self._plain = packing in _PLAIN
        self._unpacking: zlib._Decompress | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """What one more chunk holds.

        Raises:
            CallFailed: it is not packed as was said.
        """
        if self._plain:
            yield chunk
            return
        if self._unpacking is None:
            # as gzip or zlib by its own head, or deflate without one, which some send for "deflate"
            self._unpacking = zlib.decompressobj(47 if chunk[0] & 0x0F in {8, 15} else -15)
        try:
            piece = self._unpacking.decompress(chunk, _PIECE)
            while piece:
                yield piece
                piece = self._unpacking.decompress(self._unpacking.unconsumed_tail, _PIECE)
        except zlib.error as error:
            raise CallFailed("unreadable body", f"it cannot be unpacked ({error})", passing=True) from error

    def check_whole(self) -> None:
        """Refuse a packed body that ends in the middle.

        Raises:
            CallFailed: it does.
        """
        if self._unpacking is not None and not self._unpacking.eof:
            raise CallFailed("unreadable body", "what it was packed as is cut short", passing=True)
