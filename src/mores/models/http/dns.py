"""Cache of the addresses of hosts, which are looked up in threads that no end of a program waits for.

The system's look-up cannot be broken off: with a name server that is silent it takes longer than anybody waits.
"""

import asyncio
import socket
from contextlib import suppress
from ipaddress import ip_address
from threading import Thread
from time import monotonic
from typing import TypeAlias

from mores.models.single_flight import SingleFlight

HostPort: TypeAlias = tuple[str, int]
"""A host by its name or address, and its port."""
VALID_FOR = 300.0
"""Seconds for which an address is used before it is looked up again."""


class DnsCache:
    """Addresses of the hosts on the way to one URL, on one loop."""

    def __init__(self, hosts: tuple[HostPort, ...], timeout: float) -> None:
        self._hosts = tuple(each for each in hosts if _is_name(each[0]))
        self._timeout = timeout
        self._lookup = SingleFlight[None]()
        self._entries: tuple[str, ...] = ()
        self._valid_until = 0.0

    async def entries(self) -> tuple[str, ...]:
        """A RESOLVE list of libcurl, empty where there is no name to look up; many who ask at once look up once.

        Raises:
            OSError: a name has no address, or nobody says so in time.
        """
        if self._hosts and monotonic() > self._valid_until:
            await self._lookup.outcome(self._look_up)
        return self._entries

    def expire(self) -> None:
        """Look the names up again before the next call."""
        self._valid_until = 0.0

    async def _look_up(self) -> None:
        async with asyncio.timeout(self._timeout):
            found = [(host, port, await _addresses(host, port)) for host, port in self._hosts]
        self._entries = tuple(f"{host}:{port}:{','.join(addresses)}" for host, port, addresses in found)
        self._valid_until = monotonic() + VALID_FOR


async def _addresses(host: str, port: int) -> list[str]:
    """Addresses of a host, found in a daemon thread: Python waits at its end for those of an executor."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[list[str] | OSError] = loop.create_future()

    def deliver(outcome: list[str] | OSError) -> None:
        if not result.done():  # else whoever asked has given up
            result.set_result(outcome)

    def look_up() -> None:
        try:
            outcome: list[str] | OSError = _look_up_now(host, port)
        except (OSError, UnicodeError) as error:
            outcome = error if isinstance(error, OSError) else OSError(str(error))
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(deliver, outcome)

    Thread(target=look_up, name="look-up of a name", daemon=True).start()
    outcome = await result
    if isinstance(outcome, OSError):
        raise outcome
    return outcome


def _look_up_now(host: str, port: int) -> list[str]:
    """Addresses as libcurl writes them, each once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    addresses = dict.fromkeys(str(address[0]) for _, _, _, _, address in found)
    return [f"[{each}]" if ":" in each else each for each in addresses]


def _is_name(host: str) -> bool:
    """True for a name that is to be looked up; libcurl knows `localhost`."""
    try:
        ip_address(host)
    except ValueError:
        return host.rstrip(".").casefold() != "localhost"
    return False
