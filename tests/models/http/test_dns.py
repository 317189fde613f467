"""Names of hosts are looked up as the system does, and nobody waits for a look-up that never ends."""

import asyncio
import socket
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from mores.models.http import HttpClient
from mores.models.redaction import Redaction
from mores.models.request import CallFailed
from tests.models.listener import completion, listening


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def client_of(host: str, connect_timeout: float = 4.0) -> HttpClient:
    return HttpClient(
        f"http://{host}", Redaction(""), path="completions", headers={}, timeout=5.0, connect_timeout=connect_timeout
    )


async def post(client: HttpClient) -> bytes | CallFailed:
    """The answer to a call, or its failure."""
    try:
        return (await client.post(b"{}", 1 << 20))[0]
    except CallFailed as failed:
        return failed


class Resolver:
    """The system's look-up, which knows every name as this machine's; and the names that it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: str, port: int, **_: Any) -> list[Any]:
        self.asked.append(host)
        here = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0)), here, here]


def test_a_name_is_found_at_the_addresses_that_the_system_knows_and_asked_for_again_once_nobody_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def go(client: HttpClient) -> list[bytes | CallFailed]:
        found = [await post(client), await post(client)]
        await client.close()
        return found

    with listening() as listener:
        port = urlsplit(listener.url).port
        resolver = Resolver(monkeypatch)
        assert asyncio.run(go(client_of(f"models.test:{port}"))) == [completion("True")] * 2
    assert resolver.asked == ["models.test"]
    failures = asyncio.run(go(client_of(f"models.test:{port}")))
    assert {getattr(each, "cause", each) for each in failures} == {"no connection"}
    assert resolver.asked == ["models.test"] * 3


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "LOCALHOST."])
def test_what_is_no_name_of_the_system_is_never_looked_up(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def go(client: HttpClient) -> None:
        for _ in range(2):
            await post(client)
        await client.close()

    with listening() as listener:
        resolver = Resolver(monkeypatch)
        asyncio.run(go(client_of(f"{host}:{urlsplit(listener.url).port}")))
    assert resolver.asked == []


@pytest.mark.parametrize("name", ["a" * 64 + ".test", "..", "\udcff.test"])
def test_what_is_no_name_is_an_error_of_the_network(name: str) -> None:
    failed = asyncio.run(post(client_of(name)))
    assert isinstance(failed, CallFailed)
    assert failed.cause == "no connection"


def test_many_who_ask_at_once_ask_once_and_again_when_it_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def failing(*_: Any, **__: Any) -> Any:
        asked.append(1)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    async def go() -> None:
        client = client_of("silent.test")
        for _ in range(2):
            failures = await asyncio.gather(*(post(client) for _ in range(5)))
            assert all("no answer" in str(failed) for failed in failures)
            await asyncio.sleep(0)

    monkeypatch.setattr(socket, "getaddrinfo", failing)
    asyncio.run(go())
    assert len(asked) == 2


def test_a_loop_ends_while_a_look_up_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    silence, ended = Event(), list[bool]()

    def silent(*_: Any, **__: Any) -> Any:
        ended.append(silence.wait(30))
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    failed = asyncio.run(post(client_of("silent.test", 0.05)))
    assert "no word in 0.05 s" in str(failed)
    assert not ended
    silence.set()
