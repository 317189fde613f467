"""Time-outs for very many calls at once: one look at all of them now and then, instead of a timer for each.

A call may outlive its time by one look: a quarter of it, or a second at most.
"""

import asyncio
from time import monotonic
from typing import Any, TypeAlias

Call: TypeAlias = asyncio.Task[Any]


class Deadlines:
    """The calls under way, each a task, and since when; those that take too long are broken off."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._since: dict[Call, float] = {}
        self._late: set[Call] = set()
        self._next_look: asyncio.TimerHandle | None = None

    def begin(self) -> Call:
        """The current task, from now on with so many seconds to go.

        Raises:
            RuntimeError: there is no task to break off.
        """
        call = asyncio.current_task()
        if call is None:
            raise RuntimeError("a time-out needs a task")
        self._since[call] = monotonic()
        if self._next_look is None:
            self._look_later()
        return call

    def end(self, call: Call) -> None:
        """The call is over."""
        self._since.pop(call, None)
        self._late.discard(call)

    def broke_off(self, call: Call) -> bool:
        """True where a cancellation came from here and from nobody else."""
        return call in self._late and call.uncancel() == 0

    def _look_later(self) -> None:
        self._next_look = asyncio.get_running_loop().call_later(min(1.0, self.seconds / 4), self._look)

    def _look(self) -> None:
        over = monotonic() - self.seconds
        for call in [call for call, since in self._since.items() if since <= over and call not in self._late]:
            self._late.add(call)
            call.cancel()
        self._next_look = None
        if self._since:
            self._look_later()
