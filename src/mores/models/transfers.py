"""Transfers of libcurl on an asyncio loop: each is begun, and its end is told, many ends in one go.

One selector of ours watches libcurl's sockets, and the loop watches that selector alone: a call costs the loop its end
and nothing else. A loop that can watch no file (as on Windows) looks after libcurl by a timer while calls are out.
"""

import asyncio
import selectors
from math import inf
from time import monotonic
from typing import NamedTuple

import pycurl

LIBCURL = str(pycurl.version_info()[1])
"""The version of libcurl."""
AT_ONCE = 256
"""Transfers that one of these is meant for: libcurl goes through all its connections to find a free one."""
_LOOK_EVERY = 0.005
_UNTIL_FOUND_DEAD = 2.0
"""Seconds within which libcurl finds by itself that a connection was closed; it looks at each once a second."""
_UNWATCHED = frozenset({pycurl.POLL_NONE, pycurl.POLL_REMOVE})


class Ended(NamedTuple):
    """How a transfer ended: by libcurl's number, which is 0 where it went well, and in its words."""

    code: int
    words: str


_WELL = Ended(0, "")
CLOSED = Ended(pycurl.E_ABORTED_BY_CALLBACK, "closed")
"""The end of a transfer that is under way when everything is closed."""


class Transfers:
    """The transfers of one pool of connections."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._under_way: dict[pycurl.Curl, asyncio.Future[Ended]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.Handle | None = None
        self._due = inf
        self._active: set[int] = set()  # sockets that libcurl waits for; the other ones that are watched are idle
        self._watches: dict[int, int] = {}  # what each socket is watched for, as the selector tells it ten times slower
        self._fresh_until = 0.0
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, AT_ONCE + 8)
        self._selector = selectors.DefaultSelector()
        self._watched = self._watch()

    def begin(self, curl: pycurl.Curl) -> asyncio.Future[Ended]:
        """The end of a transfer that begins now."""
        ended = self._under_way[curl] = self._loop.create_future()
        self._multi.add_handle(curl)
        if not self._watched and self._timer is None:
            self._look_later()
        return ended

    def has(self, curl: pycurl.Curl) -> bool:
        """True where a transfer is under way."""
        return curl in self._under_way

    @property
    def wary(self) -> bool:
        """True for a while after a connection that was kept has been closed from afar: none should be used again."""
        return bool(self._fresh_until) and monotonic() < self._fresh_until

    def opened(self, fd: int, _purpose: int) -> int:
        """Take note of a new socket, whose number an earlier one may have had."""
        if self._watches.pop(fd, None) is not None:
            self._selector.unregister(fd)
        return pycurl.SOCKOPT_OK  # type: ignore[no-any-return]

    def stop(self, curl: pycurl.Curl, ended: Ended | None = None) -> None:
        """Break a transfer off where it is under way, and its connection with it; whoever waits is told this end."""
        waiting = self._under_way.pop(curl, None)
        if waiting is None:
            return
        self._multi.remove_handle(curl)
        if ended is not None and not waiting.done():
            waiting.set_result(ended)

    def close(self) -> None:
        """Break everything off, and close the connections."""
        alive = not self._loop.is_closed()
        for curl, waiting in self._under_way.items():
            self._multi.remove_handle(curl)
            if alive and not waiting.done():
                waiting.set_result(CLOSED)
        self._under_way.clear()
        for handle in (self._timer, self._soon):
            if handle is not None:
                handle.cancel()
        if self._watched and alive:
            self._loop.remove_reader(self._selector.fileno())  # type: ignore[attr-defined,unused-ignore]
        self._multi.close()
        self._selector.close()

    def _watch(self) -> bool:
        """Have libcurl's sockets watched; False where this loop cannot."""
        try:
            self._loop.add_reader(self._selector.fileno(), self._ready)  # type: ignore[attr-defined,unused-ignore]
        except (AttributeError, NotImplementedError):
            return False
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        return True

    def _on_socket(self, what: int, fd: int, _multi: pycurl.CurlMulti, _data: object) -> None:
        if what in _UNWATCHED:  # it may be kept: what comes of it from now on is that it was closed
            self._active.discard(fd)
            what = selectors.EVENT_READ
        else:  # 1 is to read and 2 to write, for libcurl as for selectors
            self._active.add(fd)
        known = self._watches.get(fd)
        if known == what:
            return
        if known is not None:
            try:
                self._selector.modify(fd, what)
            except (OSError, ValueError):  # it is closed, and the selector has let go of it
                del self._watches[fd]
                return
        elif fd in self._active:
            self._selector.register(fd, what)
        else:
            return
        self._watches[fd] = what

    def _on_timer(self, milliseconds: int) -> None:
        """Note when libcurl wants to be woken: it changes its mind twice a call, and a timer is dear."""
        self._due = inf
        if milliseconds > 0:
            self._due = self._loop.time() + milliseconds / 1000
            if self._timer is None or self._timer.when() > self._due:
                self._wake_later()
        elif milliseconds == 0 and self._soon is None:  # not at once, as libcurl is in the middle of something
            self._soon = self._loop.call_soon(self._wake)

    def _wake_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._late)

    def _late(self) -> None:
        self._timer = None
        if self._due <= self._loop.time():
            self._due = inf
            self._wake()
        elif self._due < inf:
            self._wake_later()

    def _wake(self) -> None:
        self._soon = None
        self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._tell()

    def _ready(self) -> None:
        act = self._multi.socket_action
        for key, mask in self._selector.select(0):
            if key.fd in self._active:
                act(key.fd, mask)
            else:
                self._selector.unregister(key.fd)
                del self._watches[key.fd]
                self._fresh_until = monotonic() + _UNTIL_FOUND_DEAD
        self._tell()

    def _look_later(self) -> None:
        self._timer = self._loop.call_later(_LOOK_EVERY, self._look)

    def _look(self) -> None:
        self._timer = None
        self._multi.perform()
        self._tell()
        if self._under_way and self._timer is None:
            self._look_later()

    def _tell(self) -> None:
        """Tell those who wait how their transfers ended."""
        _, well, failed = self._multi.info_read()
        for curl in well:
            self.stop(curl, _WELL)
        for curl, code, words in failed:
            self.stop(curl, Ended(code, words))
