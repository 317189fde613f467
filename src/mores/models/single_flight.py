"""Work whose outcome many want: it is under way once, and whoever comes meanwhile waits for the same."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from mores.models.request import CallFailed

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """The outcome of some work; who waits for it may be broken off, and it goes on for the others.

    Where `kept` says so of its failure (None for none), what came stands for all who come later; else these, and those
    who come after it was broken off itself, begin it anew.
    """

    def __init__(self, kept: Callable[[BaseException | None], bool] = lambda _: False) -> None:
        self._kept = kept
        self._task: asyncio.Task[T] | None = None

    async def outcome(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Outcome of the work, begun now if there is none."""
        task = self._task
        if task is None or (task.done() and (task.cancelled() or not self._kept(task.exception()))):
            task = self._task = asyncio.create_task(work())
            task.add_done_callback(_seen)
        return await asyncio.shield(task)


def _seen(task: asyncio.Task[Any]) -> None:
    """See how it ended, also where those who waited were all broken off."""
    if not task.cancelled():
        task.exception()


def is_valid(failure: BaseException | None) -> bool:
    """True if the result of a probe is kept: a failure of the call says nothing of what the endpoint takes."""
    return not isinstance(failure, CallFailed)
