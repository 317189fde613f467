"""Transfers of libcurl on an asyncio loop, and the handles that are kept for them with their connections.

A loop that can watch no file (as the default one on Windows) looks after libcurl by a timer while calls are out.
"""

import asyncio
import selectors
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from time import monotonic
from typing import NamedTuple, TypeAlias

import pycurl

from mores.models.http.bodies import LARGE, LARGEST_REFUSAL, LargeBodyQueue

LIBCURL = str(pycurl.version_info()[1])
"""The version of libcurl."""
CurlSettings: TypeAlias = Sequence[tuple[int, int | str | bytes | list[str] | None]]
"""Options of a handle with their values, in the order in which they are set."""
HANDLES = 256
"""Handles of a pool, as libcurl goes through all of its connections to find a free one."""
_LOOK_SECONDS, _POLL_SECONDS = 0.25, 0.005
"""Between two looks at all transfers; the second on a loop that watches no sockets."""
_DEAD_SECONDS = 2.0
"""Until libcurl has found by itself that a connection was closed; it looks at each once a second."""
_UNWATCHED = frozenset({pycurl.POLL_NONE, pycurl.POLL_REMOVE})
_STOP, _PAUSE = 0, int(pycurl.WRITEFUNC_PAUSE)  # what a write callback returns


class TransferResult(NamedTuple):
    """The end of a transfer: libcurl's number for it, which is 0 where it went well, and its message."""

    code: int
    message: str


TIMED_OUT = TransferResult(-1, "time-out")
_DONE = TransferResult(0, "")
_CLOSED = TransferResult(pycurl.E_ABORTED_BY_CALLBACK, "closed")


class CurlPool:
    """A multi handle of libcurl on one loop: connections that are kept, and transfers under way.

    Time-outs are one look at all transfers now and then, as a timer for each is dear: a call may outlive its time by a
    quarter of it, and by one such look at most.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, settings: CurlSettings, timeout: float, large: LargeBodyQueue
    ) -> None:
        self.loop, self.settings, self.large = loop, settings, large
        self.distrusts_until = 0.0
        """For a while after a kept connection has been closed from afar, none should be used again."""
        self._timeout = timeout
        self._under_way: dict[pycurl.Curl, tuple[asyncio.Future[TransferResult], float]] = {}  # by their beginning
        self._next_look: asyncio.TimerHandle | None = None
        self._soon: asyncio.Handle | None = None
        self._active: set[int] = set()  # sockets that libcurl waits for; others that are watched are idle
        self._watched: dict[int, int] = {}  # by socket, as the selector tells it ten times slower
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, HANDLES + 8)
        self._selector = selectors.DefaultSelector()
        self._watches, self._look_every = True, min(_LOOK_SECONDS, timeout / 4)
        try:
            loop.add_reader(self._selector.fileno(), self._on_ready)  # type: ignore[attr-defined,unused-ignore]
            self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
            self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        except (AttributeError, NotImplementedError):
            self._watches, self._look_every = False, _POLL_SECONDS

    def begin(self, curl: pycurl.Curl) -> "asyncio.Future[TransferResult]":
        """The end of a transfer that begins now."""
        result = self.loop.create_future()
        self._under_way[curl] = result, self.loop.time()
        self._multi.add_handle(curl)
        if self._next_look is None:
            self._next_look = self.loop.call_later(self._look_every, self._look)
        return result

    def end(self, curl: pycurl.Curl, result: TransferResult | None = None) -> None:
        """Take a transfer out, which breaks it off with its connection where it goes on; whoever waits has a result."""
        if curl in self._under_way:
            waiting, _ = self._under_way.pop(curl)
            self._multi.remove_handle(curl)
            if result is not None and not waiting.done():
                waiting.set_result(result)

    def close(self) -> None:
        """Break off what is under way, and close the connections."""
        # A loop that has ended can wake nobody, and a future of it cannot be given a result.
        alive = not self.loop.is_closed()
        for curl in list(self._under_way):
            self.end(curl, _CLOSED if alive else None)
        for timer in filter(None, (self._next_look, self._soon)):
            timer.cancel()
        if alive and self._watches:
            self.loop.remove_reader(self._selector.fileno())  # type: ignore[attr-defined,unused-ignore]
        self._multi.close()
        self._selector.close()

    def on_open(self, fd: int, _purpose: int) -> int:
        """Take note of a new socket, whose number an earlier one may have had."""
        if self._watched.pop(fd, None) is not None:
            self._selector.unregister(fd)
        return pycurl.SOCKOPT_OK  # type: ignore[no-any-return]

    def _on_socket(self, what: int, fd: int, _multi: pycurl.CurlMulti, _data: object) -> None:
        """Watch a socket for what libcurl waits for there."""
        if what in _UNWATCHED:  # it may be kept: what comes of it from now on is that it was closed
            self._active.discard(fd)
            what = selectors.EVENT_READ
        else:  # 1 is to read and 2 to write, for libcurl as for selectors
            self._active.add(fd)
        known = self._watched.get(fd)
        if known == what or (known is None and fd not in self._active):
            return
        try:
            (self._selector.register if known is None else self._selector.modify)(fd, what)
            self._watched[fd] = what
        except (OSError, ValueError):  # it is closed, and the selector has let go of it
            self._watched.pop(fd, None)

    def _on_ready(self) -> None:
        """Have libcurl see to the sockets at which something happened."""
        act = self._multi.socket_action
        for key, mask in self._selector.select(0):
            if key.fd in self._active:
                act(key.fd, mask)
            else:
                self._selector.unregister(key.fd)
                del self._watched[key.fd]
                self.distrusts_until = monotonic() + _DEAD_SECONDS
        self._settle()

    def _on_timer(self, milliseconds: int) -> None:
        """Wake libcurl soon where it wants to be woken now; where later, the looks do, as a timer is dear."""
        if milliseconds == 0 and self._soon is None:  # not at once, as libcurl is in the middle of something
            self._soon = self.loop.call_soon(self._wake)

    def _wake(self) -> None:
        self._soon = None
        self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._settle()

    def _look(self) -> None:
        """Wake libcurl, to see to all of its sockets where the loop watches none, and end what takes too long."""
        if self._watches:
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        else:
            self._multi.perform()
        self._settle()
        over = self.loop.time() - self._timeout
        for curl, (_, since) in list(self._under_way.items()):
            # They stand in the order of their beginning, so none behind is older.
            if since > over:
                break
            self.end(curl, TIMED_OUT)
        self._next_look = self.loop.call_later(self._look_every, self._look) if self._under_way else None

    def _settle(self) -> None:
        """Give a result to those who wait for transfers that ended."""
        _, done, failed = self._multi.info_read()
        for curl in done:
            self.end(curl, _DONE)
        for curl, code, message in failed:
            self.end(curl, TransferResult(code, message))


class CurlHandle:
    """An easy handle of libcurl, for one call at a time: its body, and what comes back."""

    def __init__(self, pool: CurlPool) -> None:
        self._pool = pool
        self._out, self._headers, self._pieces = BytesIO(), list[bytes](), list[bytes]()
        self._size = self._unchecked = self._limit = 0
        self._resolve: tuple[str, ...] = ()
        self._fresh = False
        self.truncated = False
        """True where more would have come than is taken."""
        self.curl = pycurl.Curl()
        for option, value in pool.settings:
            self.curl.setopt(option, value)
        self.curl.setopt(pycurl.SOCKOPTFUNCTION, pool.on_open)
        self.curl.setopt(pycurl.READFUNCTION, self._out.read)
        self.curl.setopt(pycurl.HEADERFUNCTION, self._headers.append)
        self.curl.setopt(pycurl.WRITEFUNCTION, self._write)

    def send(self, data: bytes, limit: int, resolve: tuple[str, ...]) -> "asyncio.Future[TransferResult]":
        """The end of a call; of its answer so many bytes are taken at most, and fewer where its status is not 200."""
        # Each look-up of names makes a new tuple, so identity tells.
        if resolve is not self._resolve:
            self.curl.setopt(pycurl.RESOLVE, list(resolve))
            self._resolve = resolve
        if self._fresh is not (monotonic() < self._pool.distrusts_until):
            self._fresh = not self._fresh
            self.curl.setopt(pycurl.FRESH_CONNECT, self._fresh)
        self._out.__init__(data)  # type: ignore[misc]  # the same object, whose `read` libcurl has
        self.curl.setopt(pycurl.POSTFIELDSIZE, len(data))
        self._limit, self._unchecked = limit, min(LARGEST_REFUSAL, limit)
        return self._pool.begin(self.curl)

    def reset(self) -> None:
        """Break a call off where it is under way, and keep nothing of it."""
        self._pool.end(self.curl)
        self._pool.large.leave(self._resume)
        self._out.__init__()  # type: ignore[misc]
        self._headers.clear()
        self._pieces.clear()
        self._size, self.truncated = 0, False

    @property
    def was_sent(self) -> bool:
        """True once libcurl has read what is to be sent, as it does when it is connected: it may have been heard."""
        return self._out.tell() > 0

    @property
    def status(self) -> int:
        """Status of a whole answer; 0 where it has none."""
        return int(self.curl.getinfo(pycurl.RESPONSE_CODE))

    @property
    def body(self) -> bytes:
        """As much of the answer's body as was taken."""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    @property
    def ended_in_headers(self) -> bool:
        """True where an answer broke off among its headers, which libcurl takes for one without a body."""
        return not self._pieces and b"".join(self._headers[-1:]).strip() != b""

    def header(self, name: bytes) -> str:
        """A header of the answer, by its name in lower case; empty where there is none."""
        lines = b"".join(self._headers)
        at = lines.lower().rfind(b"\n%b:" % name)
        if at <= lines.rfind(b"\nHTTP/"):  # before the answer's own may stand those of a proxy
            return ""
        return lines[at + len(name) + 2 :].split(b"\n", 1)[0].strip().decode("latin-1")

    def _write(self, piece: bytes) -> int | None:
        """Take a piece of the body; it is brought again where it has to wait."""
        size = self._size + len(piece)
        if size > self._unchecked and (no := self._check(size)) is not None:
            return no
        self._size = size
        self._pieces.append(piece)
        return None

    def _check(self, size: int) -> int | None:
        """Stop what grows beyond the limit or has no status 200, pause what has to wait, let the rest through."""
        # libcurl tells a status at the end of an answer alone
        statuses = (line.split(None, 2)[1:2] for line in reversed(self._headers) if line.startswith(b"HTTP/"))
        if size > self._limit or next(statuses, []) != [b"200"]:
            self.truncated = True
            return _STOP
        if size > LARGE and not self._pool.large.admit(self._resume):
            return _PAUSE
        self._unchecked = self._limit if size > LARGE else min(LARGE, self._limit)
        return None

    def _resume(self) -> None:
        """Take what is held back."""
        with suppress(pycurl.error):  # the call is over
            self.curl.pause(pycurl.PAUSE_CONT)
