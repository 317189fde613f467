"""Work on one part of a run by a process that may be lost at any moment, and the coordinator of all parts.

coordinator ─▶ replies shipped earlier, leases, turns ─▶ worker ─▶ reports and shipments ─▶ coordinator ─▶ folders

Nothing is trusted to the worker's disk: whoever takes a part over begins with the replies that were shipped. Which
program carries the messages does not matter here.
"""

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores import __version__
from mores.core.errors import InputError, MoresError
from mores.models.recorded import look_also
from mores.models.shared_limits import Amount, LeasedBudget, SharedLimits, SharedPace
from mores.runs.client_pool import TypedNow, own_pace
from mores.runs.run_study import run_study
from mores.runs.selection import Shard
from mores.runs.shipments import PartFolders, Shipment, Shipper
from mores.runs.spec import LEASED, ExecutionSpec, Spec
from mores.runs.study import Study

REPORT_EVERY = 1.0
"""Seconds between two reports of a worker; each tells it whether to stop."""


class Report(NamedTuple):
    """Plays that are done of those of a part, and how many of them were lost in which way."""

    done: int
    plays: int
    lost: Counter[str]


class PartTask(Struct, frozen=True, kw_only=True):
    """One part of a run: all that a worker is told. `begun_in` is a folder, `session` one start of the whole."""

    shard: Shard
    spec: Spec
    conditions: ExecutionSpec
    typed: TypedNow
    session: str
    begun_in: str
    ship_every: float
    version: str = __version__


class Outcome(NamedTuple):
    """End of a part: finished or stopped where there are no words; else why not, and whose input is at fault."""

    why: str = ""
    of_caller: bool = False


class Coordinator(SharedLimits):
    """Keeper of the limits of a run, of what its parts report and ship, and of whether they are to stop."""

    def __init__(self, conditions: ExecutionSpec) -> None:
        super().__init__(
            (conditions.max_calls, conditions.max_tokens, conditions.max_cost),
            requests_per_minute=conditions.requests_per_minute,
            tokens_per_minute=conditions.tokens_per_minute,
        )
        self._stopped = False
        self._reports: dict[int, Report] = {}
        self._shipments: list[tuple[int, Shipment]] = []

    def report(self, number: int, report: Report) -> bool:
        """Take note of how far a part is; True where it is to stop."""
        self._reports[number] = report
        return self._stopped

    def ship(self, number: int, shipment: Shipment) -> None:
        """Keep what a part has shipped until it is collected."""
        self._shipments.append((number, shipment))

    def collect(self) -> tuple[dict[int, Report], list[tuple[int, Shipment]]]:
        """All reports, and the shipments since this was last asked for."""
        shipments, self._shipments = self._shipments, []
        return self._reports, shipments

    def stop(self) -> None:
        """Have all parts stop; what they have asked may still be answered."""
        self._stopped = True


class Channel(NamedTuple):
    """A way to the coordinator: `call` gives what its method of a name returns, and `turn` the same of a pace."""

    call: Callable[..., Any]
    turn: Callable[[str, str, float], Awaitable[float]]


def ask_part(task: PartTask, shipped: Iterable[Shipment], channel: Channel) -> Outcome:
    """Ask one part in a folder of this machine, which is gone once all of it is shipped."""
    if task.version != __version__:
        why = f"a worker has mores {__version__}, and the run is of {task.version}; install the same on all."
        return Outcome(why, of_caller=True)
    look_also(Path(task.begun_in))
    home = Path(tempfile.gettempdir()) / f"mores-{os.getuid()}-{task.session}"
    with closing(PartFolders(home, task.shard.of, 0)) as folders:
        for each in shipped:
            folders.put(task.shard.number, each)
    folder = folders.of_part(task.shard.number)
    worker = _Worker(task=task, study=_study(task, folder, channel), shipper=Shipper(folder), channel=channel)
    try:
        asyncio.run(worker.play())
    except MoresError as error:
        return Outcome(str(error), of_caller=isinstance(error, InputError))
    finally:
        worker.leave()
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome()


def _study(task: PartTask, folder: Path, channel: Channel) -> Study:
    """Study of a part, with what it may spend and how fast where these are shared."""
    conditions, spec = task.conditions, replace(task.spec, shard=str(task.shard))
    study = Study(spec=spec, conditions=conditions, folder=folder, typed=task.typed)
    if conditions.limits != LEASED:
        return study
    budget = LeasedBudget(
        max_calls=None if conditions.max_calls is None else 0,
        max_tokens=None if conditions.max_tokens is None else 0,
        max_cost=None if conditions.max_cost is None else 0.0,
        lend=lambda needed: Amount(*channel.call("lend", needed)),
    )

    def pace_of(model: str, kind: str, per_minute: float | None) -> Any:
        if per_minute is None:
            return own_pace(model, kind, per_minute)
        turn, settle = (
            (lambda amount: channel.turn(model, kind, amount)),
            (lambda more: channel.call("settle", model, kind, more)),
        )
        return SharedPace(per_minute, turn, settle)

    return replace(study, budget=budget, pace_of=pace_of)


class _Worker(Struct, kw_only=True):
    """One who plays a part, reports and ships."""

    task: PartTask
    study: Study
    shipper: Shipper
    channel: Channel

    async def play(self) -> None:
        """Play the part to its end, or until it is told to stop."""
        if self._is_to_stop():
            return
        run, shipped = asyncio.create_task(run_study(self.study)), monotonic()
        while not run.done():
            await asyncio.wait([run], timeout=min(REPORT_EVERY, self.task.ship_every))
            stopping = self._is_to_stop() and not self.study.stop_signal.stopped
            if stopping:
                self.study.stop_signal.stop()
            if stopping or monotonic() - shipped >= self.task.ship_every:
                # Also at a stop, before calls in flight are waited for: whoever stops may not wait for long.
                await asyncio.to_thread(self._ship, self.shipper.rows())
                shipped = monotonic()
        run.result()

    def leave(self) -> None:
        """Ship all that is left, and give back what was not spent."""
        self._is_to_stop()
        self._ship(self.shipper.rows())
        self._ship(self.shipper.files())
        if isinstance(self.study.budget, LeasedBudget):
            self.channel.call("take_back", self.study.budget.unspent())

    def _is_to_stop(self) -> bool:
        study, progress = self.study, self.study.progress
        done, plays = sum(each.done for each in progress), sum(each.plays for each in progress)
        lost = sum((each.lost for each in progress), Counter[str]())
        report = Report(study.before + done, study.before + study.waiting + plays, lost)
        return bool(self.channel.call("report", self.task.shard.number, report))

    def _ship(self, shipments: Iterable[Shipment]) -> None:
        for each in shipments:
            self.channel.call("ship", self.task.shard.number, each)
