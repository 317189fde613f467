"""Names of hosts are looked up as the system does, and nobody waits for a look-up that never ends."""

import asyncio
import socket
from threading import Event
from typing import Any

import pytest

from mores.models.names import Names, Place, addresses


def test_a_name_has_the_addresses_that_the_system_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 80, 0, 0)),
        *[(socket.AF_INET, 1, 6, "", ("127.0.0.1", 80))] * 2,
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    said = Names((Place("models.test", 80),), 1.0)
    fresh = [said.fresh]
    asyncio.run(said.look_up())
    assert said.found == ("models.test:80:[::1],127.0.0.1",)
    fresh.append(said.fresh)
    said.doubt()
    assert [*fresh, said.fresh] == [False, True, False]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "LOCALHOST."])
def test_what_is_no_name_of_the_system_is_never_looked_up(host: str) -> None:
    said = Names((Place(host, 80),), 1.0)
    said.doubt()
    assert said.fresh
    assert said.found == ()


@pytest.mark.parametrize("name", ["a" * 64 + ".test", "..", "\udcff.test"])
def test_what_is_no_name_is_an_error_of_the_network(name: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - whatever the system says
        asyncio.run(addresses(Place(name, 80)))


def test_many_who_ask_at_once_ask_once_and_again_when_it_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def failing(*_: Any, **__: Any) -> Any:
        asked.append(1)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    async def go() -> None:
        said = Names((Place("silent.test", 80),), 1.0)
        for _ in range(2):
            found = await asyncio.gather(*(said.look_up() for _ in range(5)), return_exceptions=True)
            assert all(isinstance(each, socket.gaierror) for each in found)
            await asyncio.sleep(0)

    monkeypatch.setattr(socket, "getaddrinfo", failing)
    asyncio.run(go())
    assert len(asked) == 2


def test_a_loop_ends_while_a_look_up_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    silence, ended = Event(), list[bool]()

    def silent(*_: Any, **__: Any) -> Any:
        ended.append(silence.wait(30))
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    async def wait() -> None:
        with pytest.raises(TimeoutError):
            await Names((Place("silent.test", 80),), 0.05).look_up()

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    asyncio.run(wait())
    assert not ended
    silence.set()
