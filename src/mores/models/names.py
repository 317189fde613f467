"""Addresses of hosts by their names, looked up in threads that no end of a program waits for.

The system's own look-up cannot be broken off: with a name server that is silent it takes longer than anybody waits, and
libcurl, which would ask by itself, waits for its end when it is closed. So it is told what was found.
"""

import asyncio
import socket
from contextlib import suppress
from ipaddress import ip_address
from math import inf
from threading import Thread
from time import monotonic
from typing import NamedTuple

from mores.models.single_flight import SingleFlight

KEPT = 300.0
"""Seconds for which what was found stands."""


class Place(NamedTuple):
    """A host by its name or address, and its port."""

    host: str
    port: int


class Names:
    """The names that a way to somewhere goes through, and what they stand for; on one loop."""

    def __init__(self, places: tuple[Place, ...], within: float) -> None:
        self._places = tuple(place for place in places if _is_name(place.host))
        self._within = within
        self._looking = SingleFlight[None]()
        self._fresh_until = 0.0 if self._places else inf
        self.found: tuple[str, ...] = ()
        """As libcurl writes it: host, port and addresses; none where there is no name to look up."""

    @property
    def fresh(self) -> bool:
        """True while what was found stands."""
        return monotonic() < self._fresh_until

    async def look_up(self) -> None:
        """Find what the names stand for now; many who ask at once ask once.

        Raises:
            OSError: one stands for nothing, or nobody says so in time.
        """
        await self._looking.outcome(self._look)

    def doubt(self) -> None:
        """Look again before the next call."""
        if self._places:
            self._fresh_until = 0.0

    async def _look(self) -> None:
        async with asyncio.timeout(self._within):
            found = [await addresses(place) for place in self._places]
        said = zip(self._places, found, strict=True)
        self.found = tuple(f"{place.host}:{place.port}:{','.join(each)}" for place, each in said)
        self._fresh_until = monotonic() + KEPT


async def addresses(place: Place) -> list[str]:
    """The addresses of a host, as the system's look-up finds them in a daemon thread of its own.

    Raises:
        OSError: it has none, or its name server does not say.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def tell(said: list[str], error: OSError | None) -> None:
        if found.done():  # whoever asked has given up
            return
        if error is None:
            found.set_result(said)
        else:
            found.set_exception(error)

    def look() -> None:
        said: list[str] = []
        error: OSError | None = None
        try:
            said = _addresses(place)
        except (OSError, UnicodeError) as failed:
            error = failed if isinstance(failed, OSError) else OSError(str(failed))
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, said, error)

    Thread(target=look, name="look-up of a name", daemon=True).start()
    return await found


def _addresses(place: Place) -> list[str]:
    found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    said = (str(address[0]) for _, _, _, _, address in found)
    return [f"[{each}]" if ":" in each else each for each in dict.fromkeys(said)]


def _is_name(host: str) -> bool:
    """True for what is to be looked up; libcurl knows what localhost is."""
    if host.rstrip(".").casefold() == "localhost":
        return False
    try:
        ip_address(host)
    except ValueError:
        return True
    return False
