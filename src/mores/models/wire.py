"""One address over HTTP: a POST brings the body of an answer, or a failure with its cause.

What comes back is bounded in bytes and in time, and so is the time to reach anybody at all. A key goes into the header
and nowhere else.
"""

import asyncio
from email.utils import parsedate_to_datetime
from time import perf_counter, time
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from mores.models.bodies import LARGE_AT_ONCE, PACKED_AS, read_body, read_refusal
from mores.models.deadlines import Deadlines
from mores.models.disguised import STREAMED, disguised
from mores.models.limits import Slots
from mores.models.names import Names
from mores.models.redaction import Redaction
from mores.models.request import CallFailed

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
REACHING = 4.0
"""Seconds to find an address and be taken there; who is alive takes a call at once, whatever the answer takes."""


class Wire:
    """A pool of connections to one address."""

    def __init__(self, base_url: str, key: str, redaction: Redaction, *, window: int, timeout: float) -> None:
        self._at, self._url = base_url, URL(f"{base_url}/chat/completions", encoded=True)
        self._redaction = redaction
        self._headers = {"Content-Type": "application/json", "Accept-Encoding": PACKED_AS}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._window, self._timeout = window, timeout
        self._deadlines = Deadlines(timeout)
        self._large = Slots(LARGE_AT_ONCE)
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def post(self, data: bytes, limit: int) -> tuple[bytes, float]:
        """The body of an answer of status 200 that is no error, of so many bytes at most, and the seconds that it took.

        Raises:
            CallFailed: no such answer came.
        """
        started = perf_counter()
        call = self._deadlines.begin()
        try:
            # headers stand here and not with the session, which would tell the key to a proxy too
            async with self._open().post(
                self._url, data=data, headers=self._headers, allow_redirects=False
            ) as response:  # fmt: skip
                if response.status != 200:
                    raise self._refused(response, await read_refusal(response))
                body = await read_body(response, limit, self._large)
        except asyncio.CancelledError:
            if self._deadlines.broke_off(call):
                raise CallFailed("time-out", f"no answer in {self._timeout:g} s", passing=True) from None
            raise
        except aiohttp.ConnectionTimeoutError as error:
            raise CallFailed(
                "no connection", f"nobody answers at {self._at}: no word in {REACHING:g} s", passing=True
            ) from error
        except aiohttp.ClientConnectorCertificateError as error:
            raise CallFailed("certificate", str(error)) from error
        except aiohttp.ClientConnectorError as error:
            raise CallFailed("no connection", f"nobody answers at {self._at}: {error}", passing=True) from error
        except (aiohttp.ClientError, OSError) as error:
            raise CallFailed("broken connection", type(error).__name__, passing=True) from error
        finally:
            self._deadlines.end(call)
        self._refuse_disguised(body)
        return body, perf_counter() - started

    def _refused(self, response: aiohttp.ClientResponse, body: bytes) -> CallFailed:
        wait = seconds_of(response.headers.get("Retry-After", ""))
        elsewhere = response.headers.get("Location", "") if response.status // 100 == 3 else ""
        said = f"it points to {elsewhere}; name that address" if elsewhere else body.decode("utf-8", "replace")
        return self._failure(f"http {response.status}", said, passing=response.status in PASSING, wait=wait)

    def _refuse_disguised(self, body: bytes) -> None:
        found = disguised(body)
        if found is not None:
            passing = found.status in PASSING or (not found.status and found.cause != STREAMED)
            raise self._failure(found.cause, found.words, passing=passing)

    def _failure(self, cause: str, said: str, *, passing: bool, wait: float | None = None) -> CallFailed:
        detail = " ".join(self._redaction.words(said).split())[:400]
        return CallFailed(cause, detail, passing=passing and "insufficient_quota" not in detail, wait=wait)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._window + 8, ttl_dns_cache=300, resolver=Names()),
                timeout=aiohttp.ClientTimeout(total=None, connect=REACHING),
                proxy=_proxy(self._url),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session


def seconds_of(retry_after: str) -> float | None:
    """The wait that a Retry-After asks for, in seconds or by a date; None where it says neither.

    >>> seconds_of("1.5"), seconds_of("soon")
    (1.5, None)
    """
    try:
        if retry_after[:1].isdigit() and "," not in retry_after:
            return max(0.0, float(retry_after))
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, OverflowError, TypeError, IndexError):  # what dates with a strange day or zone bring
        return None


def _proxy(url: URL) -> str | None:
    """The proxy that the environment names for an address, looked up once: at each call it costs more than the call."""
    return None if proxy_bypass(url.host or "") else getproxies().get(url.scheme)
