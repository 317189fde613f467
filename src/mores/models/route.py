"""The way to an address: through which proxy, trusting whom, with which settings of libcurl.

Proxies and certificate authorities are those that the environment names, or the system. What a proxy is told stands in
the proxy's own address; the headers of a call are for its endpoint alone.
"""

import os
import ssl
import sys
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import pycurl

from mores.core.errors import InputError
from mores.models.names import Place

Options: TypeAlias = list[tuple[int, int | str | bytes | list[str] | None]]
"""Settings of a handle of libcurl, in the order in which they are made."""

_PORTS = {"http": 80, "https": 443, "socks4": 1080, "socks4a": 1080, "socks5": 1080, "socks5h": 1080}
_OF_THE_SYSTEM = frozenset({"win32", "darwin"})
"""Platforms that keep proxies and authorities beside the environment."""
_NAMED_BY_US = frozenset({"socks4", "socks5"})
"""Proxies that are told addresses and no names."""
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Where systems keep the authorities that they trust."""
ALWAYS: Options = [
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
]
"""What holds for every call."""


class Route:
    """How one URL is reached."""

    def __init__(self, url: str) -> None:
        """As the environment is now.

        Raises:
            InputError: it names a proxy by what is no address of one.
        """
        self._url, parts = url, urlsplit(url)
        self._scheme, self._host = parts.scheme, parts.hostname or ""
        self._port = parts.port or _PORTS[parts.scheme]
        self._proxy = _proxy(self._scheme, self._host)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where names have to be looked up on the way."""
        here = Place(self._host, self._port)
        if not self._proxy:
            return (here,)
        proxy = urlsplit(self._proxy)
        there = Place(proxy.hostname or "", proxy.port or 0)
        return (there, here) if proxy.scheme in _NAMED_BY_US else (there,)

    def options(self, headers: dict[str, str], reaching: float) -> Options:
        """The settings for a POST with these headers, with so many seconds to get a connection."""
        said = [f"{name}: {value}" for name, value in headers.items()]
        found: Options = [
            *ALWAYS,
            (pycurl.URL, self._url),
            (pycurl.HTTPHEADER, [*said, "Expect:"]),
            (pycurl.CONNECTTIMEOUT_MS, round(1000 * reaching)),
            (pycurl.PROXY, self._proxy),
        ]
        if self._scheme == "https":
            found += _trusted(pycurl.CAINFO, pycurl.CAPATH, pycurl.SSL_OPTIONS)
        if self._proxy.startswith("https:"):
            found += _trusted(pycurl.PROXY_CAINFO, pycurl.PROXY_CAPATH, pycurl.PROXY_SSL_OPTIONS)
        return found


def _proxy(scheme: str, host: str) -> str:
    """The proxy that the environment names for an address, with its port; empty where none."""
    named = _named(host)
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


def _named(host: str) -> dict[str, str]:
    """The proxies for a host by scheme; none on a system that keeps them in the environment alone, if none is there."""
    told = any(
        value and name.lower().endswith("_proxy") for name, value in os.environ.items() if name.lower() != "no_proxy"
    )
    if not told and sys.platform not in _OF_THE_SYSTEM:
        return {}
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - heavy, and few have a proxy

    return {} if proxy_bypass(host) else getproxies()


def _trusted(file_option: int, folder_option: int, more: int) -> Options:
    """Whose certificates are believed: those whom the environment names, or the system."""
    system = ssl.get_default_verify_paths()
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    if file or folder:
        return [(file_option, file or system.cafile), (folder_option, folder or system.capath)]
    if bundle:
        whole = Path(bundle).is_dir()
        return [(file_option, None if whole else bundle), (folder_option, bundle if whole else None)]
    file = system.cafile or next((each for each in _BUNDLES if Path(each).is_file()), None)
    found: Options = [(file_option, file), (folder_option, system.capath)]
    if sys.platform in _OF_THE_SYSTEM:
        found.append((more, pycurl.SSLOPT_NATIVE_CA))
    return found
