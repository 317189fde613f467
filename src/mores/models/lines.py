"""Lines to one address: handles of libcurl, each for one call at a time, kept with their settings for the next one.

A body is handed over as libcurl reads it, and cannot be read again: libcurl would otherwise put a call a second time,
unasked, where a kept connection breaks before a word of the answer; and the first may have been heard.
"""

import asyncio
from io import BytesIO

import pycurl

from mores.models.bodies import LARGE, LARGEST_REFUSAL, Large
from mores.models.route import Options
from mores.models.transfers import AT_ONCE, Ended, Transfers

_STOP, _PAUSE = 0, int(pycurl.WRITEFUNC_PAUSE)
"""What tells libcurl that no more is taken, and that it is not taken now."""


class Line:
    """One handle: what it sends, and what comes back."""

    def __init__(self, transfers: Transfers, options: Options, large: Large) -> None:
        self._transfers, self._large = transfers, large
        self._out, self._heads, self._pieces = BytesIO(), list[bytes](), list[bytes]()
        self._size = self._unquestioned = self._limit = 0
        self._addresses: tuple[str, ...] = ()
        self._fresh = False
        self.cut = False
        """True where more would have come than is taken."""
        self._curl = pycurl.Curl()
        for option, value in options:
            self._curl.setopt(option, value)
        self._curl.setopt(pycurl.SOCKOPTFUNCTION, transfers.opened)
        self._curl.setopt(pycurl.READFUNCTION, self._out.read)
        self._curl.setopt(pycurl.HEADERFUNCTION, self._heads.append)
        self._curl.setopt(pycurl.WRITEFUNCTION, self._take)

    def send(self, data: bytes, limit: int, addresses: tuple[str, ...]) -> asyncio.Future[Ended]:
        """The end of a call; of its answer so many bytes are taken at most, and fewer where it is none of status 200.

        Addresses stand behind the names of their hosts, as libcurl writes them.
        """
        if addresses is not self._addresses:
            self._curl.setopt(pycurl.RESOLVE, list(addresses))
            self._addresses = addresses
        if self._fresh is not self._transfers.wary:
            self._fresh = not self._fresh
            self._curl.setopt(pycurl.FRESH_CONNECT, self._fresh)
        self._out.__init__(data)  # type: ignore[misc]
        self._curl.setopt(pycurl.POSTFIELDSIZE, len(data))
        self._limit, self._unquestioned = limit, min(LARGEST_REFUSAL, limit)
        return self._transfers.begin(self._curl)

    def break_off(self, ended: Ended) -> None:
        """End a call that is under way, so."""
        self._transfers.stop(self._curl, ended)

    def clear(self) -> None:
        """Be done with a call: it is broken off where it is under way, and nothing of it is kept."""
        self._transfers.stop(self._curl)
        self._large.leave(self)
        self._out.__init__()  # type: ignore[misc]
        self._heads.clear()
        self._pieces.clear()
        self._size, self.cut = 0, False

    def go_on(self) -> bool:
        """Take what is held back; False where the call is over, perhaps unnoticed so far."""
        if not self._transfers.has(self._curl):
            return False
        try:
            self._curl.pause(pycurl.PAUSE_CONT)
        except pycurl.error:  # libcurl is done with it, and its end is about to be told
            return False
        return True

    def close(self) -> None:
        """Let go of the handle."""
        self._curl.close()

    @property
    def may_have_been_heard(self) -> bool:
        """True from the moment in which libcurl has read what is to be sent, as it does once it is connected."""
        return self._out.tell() > 0

    @property
    def status(self) -> int:
        """The status of a whole answer; 0 where it has none."""
        return int(self._curl.getinfo(pycurl.RESPONSE_CODE))

    def _status_so_far(self) -> int:
        """The status of an answer that is coming, of which libcurl does not tell."""
        for head in reversed(self._heads):
            if head.startswith(b"HTTP/"):
                said = head.split(None, 2)[1:2]
                return int(said[0]) if said and said[0].isdigit() else 0
        return 0

    def header(self, name: bytes) -> str:
        """What a header of the answer says, by its name in small letters; empty where there is none."""
        whole = b"".join(self._heads)
        at = whole.lower().rfind(b"\n%b:" % name)
        if at <= whole.rfind(b"\nHTTP/"):  # before the answer's own may stand those of a proxy
            return ""
        return whole[at + len(name) + 2 :].split(b"\n", 1)[0].strip().decode("latin-1")

    @property
    def broken(self) -> bool:
        """True where an answer ends among its headers, which libcurl takes for one without a body."""
        return not self._pieces and b"".join(self._heads[-1:]).strip() != b""

    @property
    def body(self) -> bytes:
        """What was taken of the answer."""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _take(self, piece: bytes) -> int | None:
        self._size += len(piece)
        if self._size > self._unquestioned and not self._takes_more():
            if self.cut:
                return _STOP
            self._size -= len(piece)  # it is brought again
            return _PAUSE
        self._pieces.append(piece)
        return None

    def _takes_more(self) -> bool:
        """False where this is more than is taken, or has to wait."""
        if self._size > self._limit or self._status_so_far() != 200:
            self.cut = True
            return False
        if self._size > LARGE and not self._large.take(self):
            return False
        self._unquestioned = self._limit if self._size > LARGE else min(LARGE, self._limit)
        return True


class Lines:
    """The lines to one address on one loop: as many as there ever were calls at once."""

    def __init__(self, loop: asyncio.AbstractEventLoop, options: Options, large: Large) -> None:
        self.loop = loop
        self._options, self._large = options, large
        self._pools: list[Transfers] = []
        self._all: list[Line] = []
        self._free: list[Line] = []

    def take(self) -> Line:
        """A line that is free."""
        return self._free.pop() if self._free else self._opened()

    def give(self, line: Line) -> None:
        """Clear a line, and keep it for the next call."""
        line.clear()
        self._free.append(line)

    def close(self) -> None:
        """Break off what is under way, and close the connections."""
        for pool in self._pools:
            pool.close()
        for line in self._all:
            line.close()

    def _opened(self) -> Line:
        if len(self._all) == len(self._pools) * AT_ONCE:
            self._pools.append(Transfers(self.loop))
        line = Line(self._pools[-1], self._options, self._large)
        self._all.append(line)
        return line
