"""The progress bar of work that a person looks on at."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from time import monotonic

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from mores.cli.show_progress import BEAT, Underway, note, rate, rests, running, so_far, stalled
from mores.core.visible import unfiltered
from mores.reports.screen import VisibleConsole


async def bar(work: Underway) -> None:
    """One bar for the whole, and below it a line that says what is running."""

    class Bar(RichProgress):
        def get_renderables(self) -> Iterator[RenderableType]:
            if self.tasks:
                yield self.make_tasks_table(self.tasks)
                yield Text(running(work), style="dim", no_wrap=True, overflow="ellipsis")
                if (wait := stalled(work)) is not None:
                    yield Text(wait.description)
                yield from (Text(rest.description) for rest in rests(work))

    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )  # fmt: skip
    started = monotonic()
    with Bar(
        *columns,
        console=VisibleConsole(file=unfiltered(sys.stderr), markup=False),
        refresh_per_second=4,
        redirect_stdout=False,  # rich would read escapes in what is said meanwhile
        redirect_stderr=False,
    ) as shown:
        try:
            while True:
                await asyncio.sleep(BEAT)
                _tell(shown, work, started, shown.task_ids or [shown.add_task("", rate="", note="")])
        finally:
            _tell(shown, work, started, shown.task_ids)


def _tell(shown: RichProgress, work: Underway, started: float, whole: Sequence[TaskID]) -> None:
    """How far it is, on its one bar; nothing where there is none yet."""
    done, plays = so_far(work)
    for task in whole:
        shown.update(task, completed=done, total=plays, rate=rate(work, started), note=note(work))
