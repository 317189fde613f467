"""Client for one URL, and the options of its transfers: headers, proxy and certificate authorities.

Proxies and authorities are those that the environment names, or the system. A key goes into a header of the call and
nowhere else: a proxy is told what stands in its own address.
"""

import asyncio
import os
import ssl
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, time
from typing import NamedTuple
from urllib.parse import urlsplit

import pycurl

from mores.core.errors import InputError
from mores.models.address import url_of
from mores.models.http.bodies import ACCEPT_ENCODING, LARGEST_REFUSAL, LargeBodyQueue, decompress, too_large
from mores.models.http.dns import DnsCache, HostPort
from mores.models.http.pool import HANDLES, TIMED_OUT, CurlHandle, CurlPool, CurlSettings, TransferResult
from mores.models.outcomes import Trouble, disguised, read_error
from mores.models.redaction import EchoedRequest, Redaction
from mores.models.request import CallFailed

CONNECT_SECONDS = 4.0
"""Seconds to find an address and be taken there; who is alive takes a call at once, whatever the answer takes."""
_PORTS = {"http": 80, "https": 443, "socks4": 1080, "socks4a": 1080, "socks5": 1080, "socks5h": 1080}
_KEEPS_SETTINGS = frozenset({"win32", "darwin"})
"""Platforms that keep proxies and authorities beside the environment."""
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Files in which systems keep the authorities that they trust."""
_BAD_CERTIFICATE = frozenset({
    pycurl.E_PEER_FAILED_VERIFICATION, pycurl.E_SSL_CACERT_BADFILE, pycurl.E_SSL_ISSUER_ERROR,
})  # fmt: skip
_MESSAGES = {
    pycurl.E_OPERATION_TIMEDOUT: "",
    pycurl.E_COULDNT_RESOLVE_PROXY: "no such proxy",  # libcurl's own has the proxy's address, and so its password
}
_SETTINGS: CurlSettings = (
    (pycurl.NOSIGNAL, 1),
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
    (pycurl.PATH_AS_IS, 1),
    (pycurl.FOLLOWLOCATION, 0),
    (pycurl.POST, 1),
    (pycurl.TCP_NODELAY, 1),
    (pycurl.TCP_KEEPALIVE, 1),
    (pycurl.MAXAGE_CONN, 15),  # seconds; who waits longer meets servers that hang up at that moment
    (pycurl.UPLOAD_BUFFERSIZE, 1 << 14),  # its least: each call in flight has one
    (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),
    (pycurl.PROXYHEADER, []),
    (pycurl.USERAGENT, "mores"),
    (pycurl.NOPROXY, ""),  # libcurl would read the environment once more, in its own way
)


class HttpClient:
    """Connections to one URL, for the loop that is running."""

    def __init__(
        self,
        base_url: str,
        redaction: Redaction,
        *,
        path: str,
        headers: Mapping[str, str],
        timeout: float,
        connect_timeout: float = CONNECT_SECONDS,
    ) -> None:
        """Settle the way to a path behind an address, as the environment is now.

        Raises:
            InputError: the environment names a proxy by what is no address of one.
        """
        self._base_url, self._redaction = base_url, redaction
        self._timeout, self._connect_timeout = timeout, connect_timeout
        ours = {"Content-Type": "application/json", "Accept-Encoding": ACCEPT_ENCODING}
        self._options = curl_options(url_of(base_url, path), {**ours, **headers}, connect_timeout)
        self._large = LargeBodyQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._dns = DnsCache((), connect_timeout)
        self._pools: list[CurlPool] = []
        self._handles: list[CurlHandle] = []
        self._free: list[CurlHandle] = []

    async def close(self) -> None:
        """Close the connections; a call under way fails."""
        for pool in self._pools:
            pool.close()
        for handle in self._handles:
            handle.curl.close()
        self._pools, self._handles, self._free = [], [], []

    async def post(self, data: bytes, limit: int) -> tuple[bytes, float]:
        """The body of an answer of status 200 that is no error, of so many bytes at most, and the seconds that it took.

        Raises:
            CallFailed: no such answer came.
        """
        started = perf_counter()
        if self._loop is not asyncio.get_running_loop():
            await self.close()
            self._loop = asyncio.get_running_loop()
            self._dns = DnsCache(self._options.hosts, self._connect_timeout)
        try:
            resolve = await self._dns.entries()
        except OSError as error:
            raise self._unreachable(str(error)) from error
        free = self._free  # `close` puts another list in its place
        handle = free.pop() if free else self._new_handle(self._loop)
        try:
            result = await handle.send(data, limit, resolve)
            # A transfer that was stopped at the limit has an error of libcurl too, which is our own doing.
            if (result.code and not handle.truncated) or handle.ended_in_headers:
                raise self._broken(handle, result)
            if handle.status != 200:
                raise self._refused(handle, data)
            if handle.truncated:
                raise too_large(limit)
            body = decompress(handle.body, handle.header(b"content-encoding"), limit)
        finally:
            handle.reset()
            free.append(handle)
        if isinstance(body, CallFailed):
            raise body
        trouble = disguised(body, data)
        if trouble is not None:
            del body  # the failure keeps this frame
            raise self._failure(trouble)
        return body, perf_counter() - started

    def _new_handle(self, loop: asyncio.AbstractEventLoop) -> CurlHandle:
        if len(self._handles) % HANDLES == 0:
            self._pools.append(CurlPool(loop, self._options.settings, self._timeout, self._large))
        self._handles.append(CurlHandle(self._pools[-1]))
        return self._handles[-1]

    def _broken(self, handle: CurlHandle, result: TransferResult) -> CallFailed:
        """Failure of a call without a whole answer."""
        if result is TIMED_OUT:
            return CallFailed("time-out", f"no answer in {self._timeout:g} s", passing=True)
        if result.code in _BAD_CERTIFICATE:
            return CallFailed("certificate", result.message)
        if handle.was_sent:
            message = result.message or "in the middle of the headers"
            return self._failure(Trouble("passing", "broken connection", message))
        return self._unreachable(_MESSAGES.get(result.code, result.message))

    def _unreachable(self, reason: str) -> CallFailed:
        """Failure of a call that nobody took: for a reason, or in time."""
        self._dns.expire()
        reason = reason or f"no word in {self._connect_timeout:g} s"
        return CallFailed("no connection", f"nobody answers at {self._base_url}: {reason}", passing=True)

    def _refused(self, handle: CurlHandle, data: bytes) -> CallFailed:
        """Failure of a call whose answer has another status than 200."""
        body = decompress(handle.body, handle.header(b"content-encoding"), LARGEST_REFUSAL, part=True)
        if isinstance(body, CallFailed):
            return body
        location = handle.header(b"location") if handle.status // 100 == 3 else ""
        text = f"it points to {location}; name that address" if location else body.decode("utf-8", "replace")
        wait = retry_after_seconds(handle.header(b"retry-after"))
        return self._failure(read_error(handle.status, text, wait, asked=EchoedRequest.of(data)))

    def _failure(self, trouble: Trouble) -> CallFailed:
        detail = " ".join(self._redaction.words(trouble.words).split())[:400]
        return CallFailed(trouble.cause, detail, passing=trouble.passing, wait=trouble.wait, of_day=trouble.day)


def retry_after_seconds(header: str) -> float | None:
    """Seconds that a Retry-After asks to wait, in seconds or by a date; None where it says neither.

    >>> retry_after_seconds("1.5"), retry_after_seconds("soon")
    (1.5, None)
    """
    try:
        if header[:1].isdigit() and "," not in header:
            return max(0.0, float(header))
        from email.utils import parsedate_to_datetime  # noqa: PLC0415 - heavy, and few servers say a date

        return max(0.0, parsedate_to_datetime(header).timestamp() - time())
    except (ValueError, OverflowError, TypeError, IndexError):  # what dates with a strange day or zone bring
        return None


class CurlOptions(NamedTuple):
    """Settings of each transfer to one URL, and the hosts whose names are looked up on the way."""

    settings: CurlSettings
    hosts: tuple[HostPort, ...]


def curl_options(url: str, headers: Mapping[str, str], connect_timeout: float) -> CurlOptions:
    """Options for a POST with these headers, by the proxy and authorities that the environment names now.

    Raises:
        InputError: it names a proxy by what is no address of one.
    """
    parts = urlsplit(url)
    target = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    proxy = _proxy(parts.scheme, target[0])
    settings = [
        *_SETTINGS,
        (pycurl.URL, url),
        # An empty Expect keeps libcurl from asking leave for a long body, which costs a round trip.
        (pycurl.HTTPHEADER, [*(f"{name}: {value}" for name, value in headers.items()), "Expect:"]),
        (pycurl.CONNECTTIMEOUT_MS, round(1000 * connect_timeout)),
        (pycurl.PROXY, proxy),
    ]
    if parts.scheme == "https":
        settings += _authorities(pycurl.CAINFO, pycurl.CAPATH, pycurl.SSL_OPTIONS)
    if proxy.startswith("https:"):
        settings += _authorities(pycurl.PROXY_CAINFO, pycurl.PROXY_CAPATH, pycurl.PROXY_SSL_OPTIONS)
    if not proxy:
        return CurlOptions(settings, (target,))
    parts = urlsplit(proxy)
    between = parts.hostname or "", parts.port or 0
    resolves_here = parts.scheme in {"socks4", "socks5"}  # the others are told names
    return CurlOptions(settings, (between, target) if resolves_here else (between,))


def _proxy(scheme: str, host: str) -> str:
    """The proxy that the environment names for an address, with its port; empty where none."""
    named = _named_proxies(host)
    variable = next((name for name in (scheme, "all") if named.get(name)), "")
    proxy = named.get(variable, "")
    if not proxy:
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in _PORTS or not parts.hostname or not (proxy.isascii() and proxy.isprintable()):
        raise InputError(
            f"{variable.upper()}_PROXY: no address of a proxy; expected one such as http://localhost:3128 (http, https "
            "or socks5), with what is special in a password written in per cent."
        )
    return f"{parts.scheme}://{parts.netloc.removesuffix(':')}{'' if port else f':{_PORTS[parts.scheme]}'}"


def _named_proxies(host: str) -> dict[str, str]:
    """Proxies for a host by scheme."""
    names = (name.lower() for name, value in os.environ.items() if value)
    named = any(name.endswith("_proxy") and name != "no_proxy" for name in names)
    if not named and sys.platform not in _KEEPS_SETTINGS:
        return {}
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - heavy, and few have a proxy

    return {} if proxy_bypass(host) else getproxies()


def _authorities(file_option: int, folder_option: int, more: int) -> CurlSettings:
    """Authorities whose certificates are believed: those that the environment names, or the system's.

    They are always named, as the OpenSSL that libcurl brings along knows no system's.
    """
    system = ssl.get_default_verify_paths()
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    if file or folder:
        return [(file_option, file or system.cafile), (folder_option, folder or system.capath)]
    if bundle:
        is_folder = Path(bundle).is_dir()
        return [(file_option, None if is_folder else bundle), (folder_option, bundle if is_folder else None)]
    file = system.cafile or next((each for each in _BUNDLES if Path(each).is_file()), None)
    native = [(more, pycurl.SSLOPT_NATIVE_CA)] if sys.platform in _KEEPS_SETTINGS else []
    return [(file_option, file), (folder_option, system.capath), *native]
