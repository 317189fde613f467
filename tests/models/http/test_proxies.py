"""Proxies are those of the environment; what a proxy is told, and what is said of it, is kept apart."""

import asyncio
import socket
import struct
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mores.core.errors import InputError
from mores.models.http import HttpClient
from mores.models.redaction import Redaction
from mores.models.request import CallFailed
from tests.models.listener import completion

WHOLE = completion("True")
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(WHOLE), WHOLE)
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy and no authority but those that a test names."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


class Proxy:
    """A proxy that opens no way, or answers itself what comes through; all that it is told is kept."""

    def __init__(self, status: bytes = b"", *, socks: bool = False) -> None:
        self.status, self.socks = status, socks
        self.told: list[bytes] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self.socks:
                await self._greet(reader, writer)
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.told.append(head)
                if self.status:
                    writer.write(b"HTTP/1.1 %s\r\ncontent-length: 0\r\n\r\n" % self.status)
                    continue
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
                await reader.readexactly(int(length or 0))
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take whoever comes to wherever he wants, which is here."""
        _, ways = await reader.readexactly(2)
        await reader.readexactly(ways)
        writer.write(b"\5\0")
        _, _, _, kind = await reader.readexactly(4)
        length = (await reader.readexactly(1))[0] if kind == 3 else 4
        self.told.append(await reader.readexactly(length))
        await reader.readexactly(2)
        writer.write(b"\5\0\0\1" + socket.inet_aton("127.0.0.1") + struct.pack("!H", 80))

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Proxy"]:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self
            server.close()


def client_of(url: str) -> HttpClient:
    headers = {"Authorization": f"Bearer {KEY}"}
    return HttpClient(url, Redaction(KEY), path="chat/completions", timeout=5.0, headers=headers)


async def post(url: str) -> bytes | CallFailed:
    """What a call to an address brings, in the environment as it is."""
    client = client_of(url)
    try:
        return (await client.post(b"{}", 1 << 20))[0]
    except CallFailed as failed:
        return failed
    finally:
        await client.close()
        await asyncio.sleep(0.01)


def through(proxy: Proxy, named: str, url: str, monkeypatch: pytest.MonkeyPatch, variable: str) -> bytes | CallFailed:
    """What a call brings with a proxy that is named so, with its port in place of PORT."""

    async def go() -> bytes | CallFailed:
        async with proxy.open():
            monkeypatch.setenv(variable, named.replace("PORT", str(proxy.port)))
            return await post(url)

    return asyncio.run(go())


def test_a_proxy_with_a_name_and_a_password_is_told_them_and_no_key_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy()
    found = through(proxy, "http://me:pass%40word@127.0.0.1:PORT", "http://models.test/v1", monkeypatch, "HTTP_PROXY")
    assert found == WHOLE
    (head,) = proxy.told
    assert head.startswith(b"POST http://models.test/v1/chat/completions HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic " + b64encode(b"me:pass@word") in head


@pytest.mark.parametrize("status", [b"407 Proxy Authentication Required", b"502 Bad Gateway", b"403 Forbidden"])
def test_a_proxy_that_opens_no_way_is_no_connection_and_its_password_is_not_said(
    status: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(status)
    found = through(proxy, "http://me:hunter2@127.0.0.1:PORT", "https://models.test/v1", monkeypatch, "HTTPS_PROXY")
    assert isinstance(found, CallFailed)
    assert (found.cause, found.passing) == ("no connection", True)
    assert status[:3].decode() in found.detail
    assert "hunter2" not in str(found)
    assert proxy.told[0].startswith(b"CONNECT models.test:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic " + b64encode(b"me:hunter2") in proxy.told[0]
    assert KEY.encode() not in b"".join(proxy.told)


@pytest.mark.parametrize("variable", ["ALL_PROXY", "HTTP_PROXY"])
def test_a_socks_proxy_is_told_the_name_and_finds_the_place_itself(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(socks=True)
    assert through(proxy, "socks5h://127.0.0.1:PORT", "http://models.test/v1", monkeypatch, variable) == WHOLE
    assert proxy.told[0] == b"models.test"


def test_a_proxy_that_is_not_there_is_no_connection_and_its_password_is_not_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://me:hunter2@127.0.0.1:{taken.getsockname()[1]}")
        found = asyncio.run(post("http://models.test/v1"))
    assert isinstance(found, CallFailed)
    assert found.cause == "no connection"
    assert "hunter2" not in str(found)


@pytest.mark.parametrize("named", ["ftp://me:hunter2@proxy.test", "http://me:hunter2@proxy.test:port", "http://:1"])
def test_what_is_no_proxy_is_refused_by_its_variable_and_not_repeated(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", named)
    with pytest.raises(InputError, match="HTTP_PROXY: no address of a proxy") as refused:
        client_of("http://models.test/v1")
    assert "hunter2" not in str(refused.value)


def looked_up(url: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The names that a call has looked up, each of which is found to be this machine's."""
    asked: list[tuple[str, int]] = []

    def find(host: str, port: int, **_: object) -> object:
        asked.append((host, port))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", find)
    asyncio.run(post(url))
    return asked


@pytest.mark.parametrize(
    ("proxy", "names"),
    [
        ("proxy.test", [("proxy.test", 80)]),
        ("http://proxy.test:3128", [("proxy.test", 3128)]),
        ("https://proxy.test", [("proxy.test", 443)]),
        ("socks5://proxy.test", [("proxy.test", 1080), ("models.test", 8000)]),
        ("socks5h://proxy.test", [("proxy.test", 1080)]),
        ("", [("models.test", 8000)]),
    ],
)
def test_names_are_looked_up_where_the_way_goes(
    proxy: str, names: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    assert looked_up("http://models.test:8000/v1", monkeypatch) == names


@pytest.mark.parametrize("excepted", ["models.test", ".test", "*"])
def test_no_proxy_stands_before_a_host_that_is_excepted(excepted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test")
    monkeypatch.setenv("NO_PROXY", excepted)
    assert looked_up("http://models.test/v1", monkeypatch) == [("models.test", 80)]
