"""Answers that never end: as they are, packed so that a few bytes become many, or a byte at a time."""

import asyncio
import zlib
from itertools import chain, repeat
from typing import Protocol

FLOODS = ("endless", "bomb", "drip")
DRIP_SECONDS = 0.2
_BLOCK = 1 << 20
_BEGUN = b'{"choices": [{"message": {"role": "assistant", "content": "'


class _Timer(Protocol):
    def cancel(self) -> None: ...


def _bomb() -> tuple[bytes, bytes]:
    """How a packed body begins, and a block of a kilobyte that stands for a megabyte and can follow for ever."""
    packing = zlib.compressobj(9, wbits=31)
    head = packing.compress(_BEGUN) + packing.flush(zlib.Z_FULL_FLUSH)
    return head, packing.compress(b"x" * _BLOCK) + packing.flush(zlib.Z_FULL_FLUSH)


class Flood:
    """Pours one such answer into a connection, as fast as it is read."""

    def __init__(self, transport: asyncio.Transport, kind: str) -> None:
        self._transport, self._kind = transport, kind
        self._free = True
        self.timer: _Timer | None = None
        begin, block = _bomb() if kind == "bomb" else (_BEGUN, b"x" * (1 if kind == "drip" else _BLOCK))
        packed = "content-encoding: gzip\r\n" if kind == "bomb" else ""
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{packed}transfer-encoding: chunked\r\n\r\n"
        transport.write(head.encode())
        self._chunks = chain([begin], repeat(block))

    def pour(self) -> None:
        """Write until nobody reads; what drips waits after each byte."""
        self._free = True
        while self._free and not self._transport.is_closing():
            chunk = next(self._chunks)
            self._transport.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            if self._kind == "drip":
                self.timer = asyncio.get_running_loop().call_later(DRIP_SECONDS, self.pour)
                return

    def pause(self) -> None:
        """Nobody reads for now."""
        self._free = False

    def stop(self) -> None:
        """The connection is gone."""
        self._free = False
        if self.timer is not None:
            self.timer.cancel()
