"""One address over HTTP: a POST brings the body of an answer, or a failure with its cause.

What comes back is bounded in bytes and in time, and so is the time to reach anybody at all. A key goes into a header
and nowhere else. libcurl brings connections, TLS and proxies; no call is put twice here.
"""

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic, perf_counter, time
from types import MappingProxyType

import pycurl

from mores.models.address import url_of
from mores.models.bodies import LARGE_AT_ONCE, PACKED_AS, Large, beginning, too_large, unpacked
from mores.models.lines import Line, Lines
from mores.models.names import Names
from mores.models.outcomes import Trouble, disguised, read_error
from mores.models.redaction import EchoedRequest, Redaction
from mores.models.request import CallFailed
from mores.models.route import Route
from mores.models.transfers import Ended

REACHING = 4.0
"""Seconds to find an address and be taken there; who is alive takes a call at once, whatever the answer takes."""
CHAT, TEXT = "chat/completions", "completions"
"""What stands behind an address: a chat is gone on with, or a text."""
_LATE = Ended(-1, "late")
_CERTIFICATE = frozenset({pycurl.E_PEER_FAILED_VERIFICATION, pycurl.E_SSL_CACERT_BADFILE, pycurl.E_SSL_ISSUER_ERROR})


class Wire:
    """Connections to one address, for the loop that is running."""

    def __init__(
        self,
        base_url: str,
        redaction: Redaction,
        *,
        timeout: float,
        headers: Mapping[str, str] = MappingProxyType({}),
        verb: str = CHAT,
    ) -> None:
        self._at = base_url
        self._route = Route(url_of(base_url, verb))
        self._redaction = redaction
        ours = {"Content-Type": "application/json", "Accept-Encoding": PACKED_AS}
        self._options = self._route.options({**ours, **headers}, REACHING)
        self._deadlines = _Deadlines(timeout, lambda line: line.break_off(_LATE))
        self._lines: Lines | None = None
        self._names = Names((), REACHING)

    async def close(self) -> None:
        """Close the connections."""
        self._deadlines.close()
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    async def post(self, data: bytes, limit: int) -> tuple[bytes, float]:
        """The body of an answer of status 200 that is no error, of so many bytes at most, and the seconds that it took.

        Raises:
            CallFailed: no such answer came.
        """
        started = perf_counter()
        lines = self._lines
        if lines is None or lines.loop is not asyncio.get_running_loop():
            lines = self._open()
        if not self._names.fresh:
            await self._look_up()
        line = lines.take()
        try:
            ends = line.send(data, limit, self._names.found)
            self._deadlines.begin(line)
            ended = await ends
            if (ended.code and not line.cut) or line.broken:
                raise self._broken(line, ended)
            status = line.status
            if status != 200:
                raise self._refused(status, line, data)
            if line.cut:
                raise too_large(limit)
            body = unpacked(line.body, line.header(b"content-encoding"), limit)
        finally:
            self._deadlines.end(line)
            lines.give(line)
        found = disguised(body, data)
        if found is not None:
            del body
            raise self._failure(found)
        return body, perf_counter() - started

    async def _look_up(self) -> None:
        try:
            await self._names.look_up()
        except TimeoutError as error:
            raise self._nobody(f"no word in {REACHING:g} s") from error
        except OSError as error:
            raise self._nobody(str(error)) from error

    def _broken(self, line: Line, ended: Ended) -> CallFailed:
        """The failure of a call without a whole answer."""
        if ended is _LATE:
            return CallFailed("time-out", f"no answer in {self._deadlines.seconds:g} s", passing=True)
        if ended.code in _CERTIFICATE:
            return CallFailed("certificate", ended.words)
        if line.may_have_been_heard:
            return self._failure(Trouble("passing", "broken connection", ended.words or "in the middle of the headers"))
        self._names.doubt()
        if ended.code == pycurl.E_OPERATION_TIMEDOUT:
            return self._nobody(f"no word in {REACHING:g} s")
        # libcurl's words for that hold the address of the proxy, and so its password
        return self._nobody("no such proxy" if ended.code == pycurl.E_COULDNT_RESOLVE_PROXY else ended.words)

    def _nobody(self, why: str) -> CallFailed:
        return CallFailed("no connection", f"nobody answers at {self._at}: {why}", passing=True)

    def _refused(self, status: int, line: Line, call: bytes) -> CallFailed:
        wait = seconds_of(line.header(b"retry-after"))
        elsewhere = line.header(b"location") if status // 100 == 3 else ""
        body = beginning(line.body, line.header(b"content-encoding"))
        said = f"it points to {elsewhere}; name that address" if elsewhere else body.decode("utf-8", "replace")
        return self._failure(read_error(status, said, wait, asked=EchoedRequest.of(call)))

    def _failure(self, trouble: Trouble) -> CallFailed:
        detail = " ".join(self._redaction.words(trouble.words).split())[:400]
        return CallFailed(trouble.cause, detail, passing=trouble.passing, wait=trouble.wait, of_day=trouble.day)

    def _open(self) -> Lines:
        """Lines on the loop that is running; what belonged to another is closed."""
        self._deadlines.close()
        if self._lines is not None:
            self._lines.close()
        self._names = Names(self._route.places, REACHING)
        self._lines = Lines(asyncio.get_running_loop(), self._options, Large(LARGE_AT_ONCE))
        return self._lines


class _Deadlines:
    """The calls under way and since when; those that take too long are told of, once each.

    One look at those that began first now and then, no timer for each: a call may outlive its time by one look, a
    quarter of it or a second at most.
    """

    def __init__(self, seconds: float, late: Callable[[Line], None]) -> None:
        self.seconds = seconds
        self._late = late
        self._since: dict[Line, float] = {}  # in the order in which they began
        self._next_look: asyncio.TimerHandle | None = None

    def begin(self, call: Line) -> None:
        """A call has so many seconds from now on."""
        self._since[call] = monotonic()
        if self._next_look is None:
            self._look_later()

    def end(self, call: Line) -> None:
        """The call is over."""
        self._since.pop(call, None)

    def close(self) -> None:
        """Look no more."""
        self._since.clear()
        if self._next_look is not None:
            self._next_look.cancel()
            self._next_look = None

    def _look_later(self) -> None:
        self._next_look = asyncio.get_running_loop().call_later(min(1.0, self.seconds / 4), self._look)

    def _look(self) -> None:
        over = monotonic() - self.seconds
        for call, since in list(self._since.items()):
            if since > over:
                break
            del self._since[call]
            self._late(call)
        self._next_look = None
        if self._since:
            self._look_later()


def seconds_of(retry_after: str) -> float | None:
    """The wait that a Retry-After asks for, in seconds or by a date; None where it says neither.

    >>> seconds_of("1.5"), seconds_of("soon")
    (1.5, None)
    """
    try:
        if retry_after[:1].isdigit() and "," not in retry_after:
            return max(0.0, float(retry_after))
        from email.utils import parsedate_to_datetime  # noqa: PLC0415 - heavy, and few servers say a date

        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, OverflowError, TypeError, IndexError):  # what dates with a strange day or zone bring
        return None
