"""What libcurl costs by itself: its multi interface in a loop of its own, each answer parsed and forgotten."""

import json
import selectors
from time import monotonic

import pycurl

from benchmarks.speed.contenders.meter import Task, body, metered, task


class Line:
    """One handle, and what came back for it."""

    def __init__(self, url: str) -> None:
        self.pieces: list[bytes] = []
        self.curl = pycurl.Curl()
        self.curl.setopt(pycurl.URL, f"{url}/chat/completions")
        self.curl.setopt(pycurl.HTTPHEADER, ["Content-Type: application/json"])
        self.curl.setopt(pycurl.NOSIGNAL, 1)
        self.curl.setopt(pycurl.WRITEFUNCTION, self.pieces.append)


class Loop:
    """The sockets that libcurl waits for, and when it wants to be woken."""

    def __init__(self, window: int) -> None:
        self.multi = pycurl.CurlMulti()
        self.multi.setopt(pycurl.M_MAXCONNECTS, window)
        self.multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self.multi.setopt(pycurl.M_TIMERFUNCTION, self._wake)
        self._selector, self._due = selectors.DefaultSelector(), None  # type: ignore[var-annotated]

    def turn(self) -> list[pycurl.Curl]:
        """Those that are done after one turn."""
        wait = None if self._due is None else max(0.0, self._due - monotonic())
        for key, mask in self._selector.select(wait):
            self.multi.socket_action(key.fd, mask)
        if self._due is not None and self._due <= monotonic():
            self._due = None
            self.multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        _, done, failed = self.multi.info_read()
        if failed:
            raise SystemExit(str(failed[0][1:]))
        return list(done)

    def _watch(self, what: int, fd: int, _multi: object, _data: object) -> None:
        if fd in self._selector.get_map():
            self._selector.unregister(fd)
        if what in {pycurl.POLL_IN, pycurl.POLL_OUT, pycurl.POLL_INOUT}:
            self._selector.register(fd, what)

    def _wake(self, milliseconds: int) -> None:
        self._due = None if milliseconds < 0 else monotonic() + milliseconds / 1000


def ask_all(given: Task) -> None:
    """Post every item, `window` at a time."""
    waiting, loop = iter(given.rows), Loop(given.window)
    lines = {line.curl: line for line in (Line(given.url) for _ in range(min(given.window, len(given.rows))))}
    out = 0

    def ask(line: Line) -> int:
        row = next(waiting, None)
        if row is not None:
            line.curl.setopt(pycurl.POSTFIELDS, json.dumps(body(row["prompt"])).encode())
            loop.multi.add_handle(line.curl)
        return int(row is not None)

    out = sum(ask(line) for line in lines.values())
    while out:
        for curl in loop.turn():
            loop.multi.remove_handle(curl)
            line = lines[curl]
            json.loads(b"".join(line.pieces))["choices"][0]["message"]["content"]
            line.pieces.clear()
            out += ask(line) - 1


if __name__ == "__main__":
    given = task()
    with metered():
        ask_all(given)
