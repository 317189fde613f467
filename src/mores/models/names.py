"""Addresses of hosts by their names, looked up in threads that no end of a program waits for.

The system's own look-up cannot be broken off: with a name server that is silent it takes longer than anybody waits.
"""

import asyncio
import socket
from contextlib import suppress
from threading import Thread

from aiohttp.abc import AbstractResolver, ResolveResult


class Names(AbstractResolver):
    """The system's look-up, each in a daemon thread of its own; a pool of connections keeps what was found."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host.

        Raises:
            OSError: it has none, or its name server does not say.
        """
        loop = asyncio.get_running_loop()
        found: asyncio.Future[list[ResolveResult]] = loop.create_future()

        def tell(addresses: list[ResolveResult], error: OSError | None) -> None:
            if found.done():  # whoever asked has given up
                return
            if error is None:
                found.set_result(addresses)
            else:
                found.set_exception(error)

        def look() -> None:
            addresses: list[ResolveResult] = []
            error: OSError | None = None
            try:
                addresses = _addresses(host, port, family)
            except (OSError, UnicodeError) as failed:
                error = failed if isinstance(failed, OSError) else OSError(str(failed))
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(tell, addresses, error)

        Thread(target=look, name="look-up of a name", daemon=True).start()
        return await found

    async def close(self) -> None:
        """Nothing is kept."""


def _addresses(host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
    flags = 0 if host.rstrip(".").casefold() == "localhost" else socket.AI_ADDRCONFIG  # Windows offline has no other
    found = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=flags)
    return [
        ResolveResult(
            hostname=host,
            host=f"{address[0]}%{address[3]}" if len(address) > 3 and address[3] else str(address[0]),
            port=int(address[1]),
            family=kind,
            proto=proto,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )
        for kind, _, proto, _, address in found
    ]
