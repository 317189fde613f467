"""`mores report --serve`: the page of runs on loopback, made anew while they go on, for whoever has its address."""

import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from mores.analysis.results import Results
from mores.core.errors import InputError, MoresError
from mores.runs.loading import read_what_is_there
from mores.runs.partial_results import read_partial, written_files

HOST = "127.0.0.1"
REFRESH = 10
"""Seconds after which a browser asks again while a run goes on."""
SHARE = 5
"""Time for which a page stays as it is, in times of what making it took."""
SLOWEST = 30
"""Seconds after which a browser that says no more is let go."""
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(slots=True)
class Page:
    """The page of some runs, made when it is asked for and something has changed."""

    runs: Sequence[Path]
    made: Callable[[Results], str]
    html: bytes = b""
    going_on: bool = True
    _state: tuple[tuple[str, int, int], ...] = ()
    _next: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def read(self) -> bytes:
        """The page's bytes.

        Raises:
            InputError: nothing of the runs is done yet, or what is there cannot be read.
        """
        with self._lock:
            began, state = time.monotonic(), _state_of(self.runs)
            if state != self._state and began >= self._next:
                with read_partial(self.runs) as found:
                    if not found.evaluations:
                        raise InputError(f"{', '.join(map(str, self.runs))}: nothing is done yet.")
                    self.html, self.going_on = self.made(found).encode(), found.so_far is not None
                self._state, self._next = state, began + SHARE * (time.monotonic() - began)
            return self.html


def _state_of(runs: Sequence[Path]) -> tuple[tuple[str, int, int], ...]:
    """Files that change when a run goes on: its journals and manifests."""
    stats = ((str(path), path.stat()) for run in runs for path in sorted(written_files(run)))
    return tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in stats)


def serve(runs: Sequence[Path], made: Callable[[Results], str], port: int = 0) -> None:
    """Serve the page of some runs on loopback until Ctrl-C; `made` lays out the page of what they found.

    The address holds a token: without it, and under another host's name, nothing is served.

    Raises:
        InputError: a folder is no run, or the port is taken.
    """
    page, token = Page(runs, made), secrets.token_urlsafe(16)
    read_what_is_there(runs)
    try:
        server = Server((HOST, port), _handler(page, token))
    except OSError as error:
        raise InputError(f"--port {port}: cannot be opened ({error.strerror}); expected a free port.") from error
    with server:
        sys.stdout.write(f"http://{HOST}:{server.server_address[1]}/{token}/\nStop with Ctrl-C.\n")
        sys.stdout.flush()
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            sys.stdout.write("\n")


class Server(ThreadingHTTPServer):
    """A server that says nothing of browsers that went away, as they do whenever somebody closes a tab."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The cause on standard error, unless the connection was lost."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _handler(page: Page, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One request: the page, where its address is right."""

        server_version, sys_version, timeout = "mores", "", SLOWEST

        def do_GET(self) -> None:
            """The page, or 404."""
            # The host too: a page elsewhere could have its own name lead here and read what this one serves.
            host = self.headers.get("Host", "").rpartition(":")[0]
            # In a time that does not tell how much of the token was right.
            if not secrets.compare_digest(self.path.encode(), f"/{token}/".encode()) or host not in {HOST, "localhost"}:
                self.send_error(404)
                return
            try:
                body, going_on, status = page.read(), page.going_on, 200
            except MoresError as error:
                body, going_on, status = f"{error}\n".encode(), True, 503
            self.send_response(status)
            for name, value in HEADERS.items():
                self.send_header(
                    name, value if status == 200 or name != "Content-Type" else "text/plain; charset=utf-8"
                )
            if going_on:
                self.send_header("Refresh", str(REFRESH))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Nothing: addresses hold the token."""

    return Handler
