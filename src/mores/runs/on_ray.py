"""A run whose parts are asked by the workers of a Ray cluster: one launcher of parts, which are then merged as ever.

Ray starts processes and carries messages; what a worker does is in `part_worker`. A part whose worker or node is lost
is given to another, with the replies that were shipped. Keys are read by each worker in its own environment.
"""

import asyncio
import os
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.errors import InputError, RunError
from mores.core.extras import needed
from mores.runs.client_pool import refuse_unsaid
from mores.runs.folder import locked
from mores.runs.launchers import parts_folder, parts_of
from mores.runs.part_worker import Channel, Coordinator, Outcome, PartTask, ask_part
from mores.runs.progress import RunProgress
from mores.runs.selection import Shard, drawn_by
from mores.runs.shipments import PartFolders
from mores.runs.spec import LEASED, PER_PART, check
from mores.runs.study import Study

SHIP_EVERY, LOOK_EVERY = 60.0, 0.5
"""Seconds between two shipments of a worker, and between two looks at the cluster."""
TRIES = 4
"""Workers that a part is given to, one after another."""
PARTS_A_WORKER = 4
"""Parts for each worker, so that none has long to wait for the last one."""


async def ask_on_ray(study: Study, place: str, parts: int | None = None) -> list[str]:
    """Ask all parts of a study on a cluster, `ray` or `ray://HOST:PORT`; give the reasons of those not finished.

    Raises:
        InputError: the study cannot be asked there, or no cluster answers.
        RunError: the cluster has lost what the parts share.
    """
    check(study.spec, study.conditions)
    refuse_unsaid(study.conditions.plain, f"--on {place}: each worker is to send")
    evaluations, home = study.evaluations(), parts_folder(study.folder)
    study.waiting = sum(each.plays for each in evaluations)
    limits = PER_PART if study.conditions.limits == PER_PART else LEASED
    ray, ours = _connected(place)
    try:
        with ExitStack() as held:
            held.enter_context(locked(home))
            most = min(len({drawn_by(item) for item in each.items}) for each in evaluations)  # none may be empty
            of = parts or parts_of(home) or min(PARTS_A_WORKER * int(ray.cluster_resources().get("CPU", 1)), most)
            task = PartTask(
                shard=Shard(1, of), spec=study.spec, conditions=replace(study.conditions, limits=limits),
                typed=study.typed, session=uuid4().hex[:12], begun_in=str(Path.cwd()), ship_every=SHIP_EVERY,
            )  # fmt: skip
            folders = held.enter_context(closing(PartFolders(home, of, len(evaluations))))
            here = ray.get_runtime_context().get_node_id()
            near = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=True)
            shared = ray.remote(Coordinator).options(num_cpus=0, scheduling_strategy=near).remote(task.conditions)
            return await _Launch(ray=ray, study=study, folders=folders, task=task, shared=shared).carry_out()
    except ray.exceptions.RayActorError as error:
        raise RunError("The cluster lost the process that keeps what the parts share; run the same again.") from error
    finally:
        if ours:
            ray.shutdown()


def _connected(place: str) -> tuple[Any, bool]:
    """Ray, and True where it was connected now.

    Raises:
        InputError: it is not installed, or no cluster answers.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report each start to its makers
    ray = needed("ray")
    if ray.is_initialized():
        return ray, False
    try:
        address = None if place == "ray" else place
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError, ImportError) as error:
        why = str(error).strip().partition("\n")[0]
        raise InputError(f"--on {place}: no cluster answers ({why}); expected ray, or ray://HOST:10001.") from error
    return ray, True


class _Launch(Struct, kw_only=True):
    """The parts of one study under way on a cluster, by their numbers."""

    ray: Any
    study: Study
    folders: PartFolders
    task: PartTask
    shared: Any
    seen: dict[int, RunProgress] = field(default_factory=dict)
    lost: Counter[int] = field(default_factory=Counter)
    failures: dict[str, None] = field(default_factory=dict)

    async def carry_out(self) -> list[str]:
        """Reasons of parts that are not finished, once all have ended or have had their time to stop."""
        ray, stop = self.ray, self.study.stop_signal
        tasks = {self._begin(n): n for n in range(1, self.folders.of + 1) if not self.folders.is_done(n)}
        stopping = False
        try:
            while tasks:
                await asyncio.sleep(LOOK_EVERY)
                self._collect()
                if stop.stopped and not stopping:
                    stopping = True
                    ray.get(self.shared.stop.remote())
                    tasks = {task: number for task, number in tasks.items() if number in self.seen or ray.cancel(task)}
                for task in ray.wait([*tasks], num_returns=len(tasks), timeout=0)[0]:
                    number = tasks.pop(task)
                    if self._is_lost(number, task) and not stopping:
                        tasks[self._begin(number)] = number
        finally:
            for task in tasks:
                ray.cancel(task, force=True)
            self._collect()
        return [*self.failures]

    def _begin(self, number: int) -> Any:
        task = replace(self.task, shard=Shard(number, self.folders.of))
        ask = self.ray.remote(_ask_on_worker).options(num_cpus=1, max_retries=0)
        return ask.remote(task, self.ray.put(self.folders.shipped(number)), self.shared)

    def _is_lost(self, number: int, task: Any) -> bool:
        """True where a part that has ended is to be given to another worker.

        Raises:
            InputError: the caller's, as a worker found it.
        """
        try:
            outcome = Outcome(*self.ray.get(task))
        except self.ray.exceptions.RayTaskError as error:
            outcome = Outcome(f"{type(error.cause).__name__}: {error.cause}")
        except self.ray.exceptions.RayError as error:
            self.lost[number] += 1
            if self.lost[number] < TRIES:
                return True
            outcome = Outcome(f"lost {TRIES} times, at last by {type(error).__name__}")
        self._collect()  # a part ships before it ends
        if outcome.of_caller:
            raise InputError(outcome.why)
        if outcome.why:
            self.failures[f"part {number}/{self.folders.of}: {outcome.why}"] = None
        return False

    def _collect(self) -> None:
        """Put what was shipped in its place, and show how far the parts are."""
        reports, shipments = self.ray.get(self.shared.collect.remote())
        for number, shipment in shipments:
            self.folders.put(number, shipment)
        for number, (done, plays, lost) in reports.items():
            if number not in self.seen:
                self.seen[number] = RunProgress(f"part {number}/{self.folders.of}", 0)
                self.study.progress.append(self.seen[number])
            self.study.waiting -= plays - self.seen[number].plays
            self.seen[number].plays, self.seen[number].done, self.seen[number].lost = plays, done, lost


def _ask_on_worker(task: PartTask, shipped: Any, shared: Any) -> Outcome:
    """Ask one part in a process of the cluster."""
    ray = needed("ray")

    async def turn(*given: object) -> float:
        seconds: float = await shared.turn.remote(*given)
        return seconds

    return ask_part(task, shipped, Channel(lambda name, *given: ray.get(getattr(shared, name).remote(*given)), turn))
