"""Work carried out before a person: a progress bar on standard error, and Ctrl-C, which ends it cleanly.

The bar has calls, rate and time left, and below it what it cost; where it is no terminal there is a line now and then.
"""

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar

from mores.cli.time_left import CallCounts, Look, Outlook, counts, fitted, pace, time_left
from mores.core.terminal_safety import print_error, unfiltered
from mores.models.budget import Budget
from mores.models.call_claims import ClaimHolder
from mores.models.rate_limits import Rest
from mores.runs.progress import StopSignal

T = TypeVar("T")
NAMED = 3
"""Evaluations that the line below the bar names."""
BEAT = 0.25
LINE_EVERY = 30.0
WIDTH = 80
BAR, TEXT_WIDTH = 18, 60
"""Columns of the bar, and of the text next to it."""
STALLED = 10.0
"""Seconds after which it is said for which other runner this one waits; an endpoint's rest of more is said at once."""
GRACE = 4.0
"""Seconds that calls in flight have once work is to stop: all in all it is over within five."""


class RunningJob(CallCounts, Protocol):
    """Work that can be shown and stopped: a study, or a build. `waiting` is what has not begun."""

    budget: Budget
    stop_signal: StopSignal


async def carried_out(work: RunningJob, doing: Coroutine[Any, Any, T]) -> T | None:
    """Result of some work, with its progress shown; None where it was stopped at once."""
    results: list[T] = []
    async with watched(work):
        results.append(await doing)
    return results[0] if results else None


@asynccontextmanager
async def watched(work: RunningJob) -> AsyncIterator[None]:
    """Context in which some work is shown and Ctrl-C stops it; work that was stopped at once just ends there.

    The first Ctrl-C leaves calls in flight a little time, the second none.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        if task is not None:
            loop.call_later(0.0 if work.stop_signal.stopped else GRACE, task.cancel)
        work.stop_signal.stop()
        sys.stderr.write(
            f"\nmores: stopping; calls in flight have {GRACE:g} s to be answered (Ctrl-C again stops at once).\n"
        )

    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop)
    try:
        async with shown(work):
            yield
    except asyncio.CancelledError:
        pass  # as a person wished
    finally:
        for sign in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(sign)


@asynccontextmanager
async def shown(work: RunningJob) -> AsyncIterator[None]:
    """Show how far some work is while it goes on."""
    ways = [bar(work)] if sys.stderr.isatty() else [_lines(work), _stalls(work)]
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def running(work: RunningJob) -> str:
    """The evaluations that are being played, the first of them by name."""
    names = [each.name for each in work.progress if each.done < each.plays]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def stalled(work: RunningJob) -> ClaimHolder | None:
    """The longest wait for another runner, once it has lasted a while."""
    of_calls = (client.claims.longest_wait() for client in work.clients if client.claims is not None)
    waits = (*(each.wait for each in work.progress), *of_calls)
    return min((wait for wait in waits if wait and wait.seconds > STALLED), key=lambda wait: wait.since, default=None)


def rests(work: RunningJob) -> list[Rest]:
    """The rests that endpoints asked for and that take a while."""
    found = (client.limit.rest_of(client.model.spec) for client in work.clients)
    return [rest for rest in found if rest is not None and rest.asked > STALLED]


async def _stalls(work: RunningJob) -> None:
    """A line for each other runner that is waited for, and each endpoint that asked for a rest."""
    shown: set[str] = set()
    while True:
        await asyncio.sleep(BEAT)
        wait = stalled(work)
        waits = {rest.model: rest.description for rest in rests(work)}
        if wait is not None:
            waits[wait.runner] = wait.description
        for name in waits.keys() - shown:
            print_error(waits[name])
        shown |= waits.keys()


async def _lines(work: RunningJob) -> None:
    outlook = Outlook(work)
    while True:
        await asyncio.sleep(LINE_EVERY)
        sys.stderr.write(f"{line(work, outlook.look())}\n")


def line(work: RunningJob, look: Look) -> str:
    """Progress in one line of a narrow terminal; what matters least is left out first."""
    return fitted((f"mores: {counts(look)}", time_left(look), look.why, pace(look), note(work)), WIDTH)


def note(work: RunningJob) -> str:
    """Cost so far, and losses."""
    parts = []
    if work.budget.cost:
        parts.append(f"${work.budget.cost:.4f}")
    lost = sum((each.lost for each in work.progress), Counter[str]())
    return " ".join([*parts, *(f"{count:,} {how}" for how, count in lost.items())])


async def bar(work: RunningJob) -> None:
    """One bar for the whole, and below it what is running, what it cost and lost, and why it takes longer than told."""
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 - rich takes long to import
    from rich.text import Text  # noqa: PLC0415

    from mores.reports.console import VisibleConsole  # noqa: PLC0415

    class Bar(Progress):
        def get_renderables(self) -> Iterator[Any]:
            if self.tasks:
                yield self.make_tasks_table(self.tasks)
                below = (self.tasks[0].fields["why"], note(work), running(work))
                yield Text(" · ".join(filter(None, below)), style="dim", no_wrap=True, overflow="ellipsis")
                if (wait := stalled(work)) is not None:
                    yield Text(wait.description)
                yield from (Text(rest.description) for rest in rests(work))

        def show(self, look: Look) -> None:
            """Progress on the one bar; nothing where there is none yet."""
            figures = fitted((counts(look), time_left(look), pace(look)), TEXT_WIDTH)
            for task in self.task_ids:
                self.update(task, completed=look.done, total=look.total, figures=figures, why=look.why)

    outlook = Outlook(work)
    with Bar(
        BarColumn(bar_width=BAR),
        TextColumn("{task.fields[figures]}"),
        console=VisibleConsole(file=unfiltered(sys.stderr), markup=False),
        refresh_per_second=4,
        redirect_stdout=False,  # rich would read escapes in what is said meanwhile
        redirect_stderr=False,
    ) as shown:
        try:
            while True:
                await asyncio.sleep(BEAT)
                if not shown.task_ids:
                    shown.add_task("", figures="", why="")
                shown.show(outlook.look())
        finally:
            shown.show(outlook.look())
