"""Time-outs for very many calls at once: one look at those that began first now and then, no timer for each.

A call may outlive its time by one look: a quarter of it, or a second at most.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

Call = TypeVar("Call")


class Deadlines(Generic[Call]):
    """The calls under way and since when; those that take too long are told of, once each."""

    def __init__(self, seconds: float, late: Callable[[Call], None]) -> None:
        self.seconds = seconds
        self._late = late
        self._since: dict[Call, float] = {}  # in the order in which they began
        self._next_look: asyncio.TimerHandle | None = None

    def begin(self, call: Call) -> None:
        """A call has so many seconds from now on."""
        self._since[call] = monotonic()
        if self._next_look is None:
            self._look_later()

    def end(self, call: Call) -> None:
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
