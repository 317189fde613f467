"""The progress bar of work that a person looks on at."""

import asyncio
import sys
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from mores.cli.progress import BEAT, RunningJob, note, rests, running, stalled
from mores.cli.time_left import Outlook, counts, fitted, pace, time_left
from mores.core.terminal_safety import unfiltered
from mores.reports.console import VisibleConsole

BAR, TOLD = 18, 60
"""Columns of the bar, and of the words beside it."""


async def bar(work: RunningJob) -> None:
    """One bar for the whole, and below it what is running, what it cost and lost, and why it takes longer than told."""

    class Bar(RichProgress):
        def get_renderables(self) -> Iterator[RenderableType]:
            if self.tasks:
                yield self.make_tasks_table(self.tasks)
                below = (self.tasks[0].fields["why"], note(work), running(work))
                yield Text(" · ".join(filter(None, below)), style="dim", no_wrap=True, overflow="ellipsis")
                if (wait := stalled(work)) is not None:
                    yield Text(wait.description)
                yield from (Text(rest.description) for rest in rests(work))

    outlook = Outlook(work)
    with Bar(
        BarColumn(bar_width=BAR),
        TextColumn("{task.fields[told]}"),
        console=VisibleConsole(file=unfiltered(sys.stderr), markup=False),
        refresh_per_second=4,
        redirect_stdout=False,  # rich would read escapes in what is said meanwhile
        redirect_stderr=False,
    ) as shown:
        try:
            while True:
                await asyncio.sleep(BEAT)
                _update_bar(shown, outlook, shown.task_ids or [shown.add_task("", told="", why="")])
        finally:
            _update_bar(shown, outlook, shown.task_ids)


def _update_bar(shown: RichProgress, outlook: Outlook, whole: Sequence[TaskID]) -> None:
    """How far it is, on its one bar; nothing where there is none yet."""
    for task in whole:
        look = outlook.look()
        told = fitted((counts(look), time_left(look), pace(look)), TOLD)
        shown.update(task, completed=look.done, total=look.total, told=told, why=look.why)
