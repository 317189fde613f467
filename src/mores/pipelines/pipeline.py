"""A pipeline and its execution: every unit through its stages, all calls through one journal, a datasheet last.

units ─▶ `make`, which asks models through a cast ─▶ kept or dropped ─▶ release and datasheet

The outcome of a unit rests on the unit and the replies alone, and each reply is in the journal before anyone builds on
it. So a build that was killed goes on by running again, and leaves the bytes that it would have left.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, Generic, TypeVar

import msgspec

from mores import __version__
from mores.benchmarks.benchmark import CallEstimate
from mores.core.canary import CANARY_LINE
from mores.core.codec import digest, encode, encode_lines, parse_json
from mores.core.errors import BudgetReached, InputError, MoresError, NotServed, Stopped
from mores.core.files import is_just, own_folder, sweep, write_own
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.models.budget import Budget, rate_of
from mores.models.call_claims import LOOK_EVERY, CallClaims, ClaimHolder
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.credentials import Access
from mores.models.journal import Journal
from mores.models.journal_reader import read_spent
from mores.models.registry import is_simulated
from mores.models.request import CallFailed, Usage
from mores.pipelines.duplicates import NamedText
from mores.pipelines.funnel import (
    Dropped,
    FunnelStage,
    Kept,
    KeptOrDropped,
    Unit,
    dropped,
    funnel,
    funnel_picture,
    refusals,
)
from mores.pipelines.gates.check import check_release
from mores.pipelines.gates.gate import Gate, gates_to_dict
from mores.pipelines.structured_query import JsonRepairNote
from mores.pipelines.unit_context import READING, StopUnit
from mores.runs.client_pool import open_clients, room_for_connections
from mores.runs.executor import side_by_side
from mores.runs.folder import JOURNAL, MANIFEST, InUse, locked, read_manifest, write_manifest
from mores.runs.garbage import quiet_collector
from mores.runs.progress import RunProgress, StopSignal
from mores.runs.run_study import SPARE_WORKERS
from mores.runs.spec import ExecutionSpec

T = TypeVar("T")
U = TypeVar("U", bound=Unit)
DROPPED, PICTURE, DATASHEET = "dropped.jsonl", "funnel.svg", "datasheet.json"
KIND, UNFINISHED, FINISHED = "build", "unfinished", "finished"
OTHER_WRITER = "another runner that writes to the same folder"
NOT_KNOWN = "not known"
BROKEN = "error in mores"
"""The stage of an error of ours is not known: its unit is counted as lost at the last one."""


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """Output of a pipeline: its files by name, and entries of its datasheet beside the funnel.

    `gated` names the file or folder of questions that gates look at as they lie there, empty where there are none, and
    `dropped` is what was kept until then and is not in it, such as one of two duplicates.
    """

    files: dict[str, bytes]
    facts: dict[str, object]
    gated: str = ""
    dropped: Sequence[Dropped] = ()


class Pipeline(msgspec.Struct, Generic[U, T], frozen=True, kw_only=True):
    """Definition of a build: units, stages, models by role, prompts, sources and licences.

    `make` brings one unit through the stages, and `estimate` says what it asks of each role at most where every reply
    will do. `roles` has the model of each role, and `made_from` where the units come from, each with a hash. `release`
    turns everything that was kept into the release, none of whose questions may repeat a `public` text of others.
    `dropped_before` never became units. `settings` are choices that decide what comes out. `from_simulated` says that
    its inputs were generated in part.
    """

    name: str
    stages: tuple[str, ...]
    units: Sequence[U]
    make: Callable[[U, Cast], Coroutine[Any, Any, KeptOrDropped[T]]]
    estimate: Callable[[U], dict[str, list[CallEstimate]]]
    release: Callable[[Sequence[T]], Release]
    roles: dict[str, str]
    prompts: tuple[Prompt, ...]
    made_from: dict[str, str]
    dropped_before: tuple[Dropped, ...] = ()
    public: Sequence[NamedText] = ()
    settings: dict[str, object] = msgspec.field(default_factory=dict)
    licences: Mapping[str, str] = msgspec.field(default_factory=dict)
    from_simulated: bool = False

    @property
    def spec(self) -> dict[str, object]:
        """All that decides what comes out but for the replies: equal specs in one folder are one build."""
        return {
            "pipeline": self.name,
            "made_from": self.made_from,
            "roles": self.roles,
            "prompts": {prompt.header.name: prompt.sha for prompt in self.prompts},
            "settings": self.settings,
        }

    @property
    def simulated(self) -> bool:
        """True where any reply is simulated, of this build or of one that it rests on."""
        return self.from_simulated or any(is_simulated(spec) for spec in self.roles.values())

    async def outcome_of(self, unit: U, cast: Cast) -> KeptOrDropped[T]:
        """Outcome of a unit; an error of ours drops it, and the others go on."""
        try:
            return await self.make(unit, cast)
        except StopUnit as ended:
            return ended.outcome
        except MoresError:
            raise
        # Errors with a cause of their own, such as a spent budget, end the build; what our code does wrong costs a
        # unit.
        except Exception as error:  # noqa: BLE001 - the outermost loop
            return dropped(unit, self.stages[-1], BROKEN, f"{type(error).__name__}: {error}")


class BuildResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a build: its funnel, and the number of units that wait for an answer; without any it is finished.

    `gates` are those of its questions, none where it has no questions, and `dropped` what a finished build lost.
    """

    folder: Path
    funnel: tuple[FunnelStage, ...]
    waiting: int
    facts: dict[str, object]
    gates: tuple[Gate, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def finished(self) -> bool:
        """True where the release is there."""
        return not self.waiting

    @property
    def broken(self) -> int:
        """Units that an error of ours dropped."""
        return sum(step.dropped.get(BROKEN, 0) for step in self.funnel)

    @property
    def why_empty(self) -> str:
        """Most frequent loss of a finished build that kept nothing, with one unit as an example; else empty."""
        if self.waiting or not self.dropped or (self.funnel and self.funnel[-1].passed):
            return ""
        (stage, reason), count = Counter((each.stage, each.reason) for each in self.dropped).most_common(1)[0]
        one = next(each for each in self.dropped if (each.stage, each.reason) == (stage, reason))
        more = f": {one.detail}" if one.detail else ""
        return (
            f"Nothing was kept. {count:,} of {len(self.dropped):,} ended at {stage}, {reason}; so did {one.unit}{more}"
        )


class BuildProgress(msgspec.Struct, kw_only=True):
    """A build under way, for whoever shows or stops it; all its units begin together, so that none is `waiting`."""

    budget: Budget = msgspec.field(default_factory=Budget)
    stop_signal: StopSignal = msgspec.field(default_factory=StopSignal)
    progress: list[RunProgress] = msgspec.field(default_factory=list)
    clients: list[ModelClient] = msgspec.field(default_factory=list)
    waiting: int = 0
    coming: dict[Path, RunProgress] = msgspec.field(default_factory=dict)


async def build(
    pipeline: Pipeline[U, T],
    folder: Path,
    conditions: ExecutionSpec,
    *,
    seed: Seed,
    addresses: Mapping[str, str | None],
    course: BuildProgress | None = None,
) -> BuildResult:
    """Carry a pipeline out in a folder, or go on with what is there; the release appears once every unit has ended.

    Args:
        pipeline: Definition of the build.
        folder: A new folder, or that of an equal build.
        conditions: Execution settings; none of them changes the release.
        seed: The root of all random draws.
        addresses: Address of each model, as it was typed; None where its preset says so.
        course: Shows the progress, and may be asked to stop.

    Raises:
        InputError: the folder holds something else, or a model cannot be opened.
        MoresError: what stopped it; run again to go on.
    """
    course, most = course or BuildProgress(), (conditions.max_calls, conditions.max_tokens, conditions.max_cost)
    course.budget.max_calls, course.budget.max_tokens, course.budget.max_cost = most
    read_equal(folder, KIND, pipeline.spec, seed.path)
    progress = RunProgress(pipeline.name, len(pipeline.units))
    course.progress.append(progress)
    window = room_for_connections(conditions.concurrency, len(addresses))
    reached = {spec: Access(base_url=url, typed=True) for spec, url in addresses.items()}
    clients = open_clients(
        reached, conditions, window=window, seed=seed, budget=course.budget, stop_signal=course.stop_signal
    )
    own_folder(folder)
    try:
        with ExitStack() as stack:
            with await _sole_writer(folder, progress):
                # Locked while the folder is laid, and again for the release: in between several runners share the calls
                # by claims.
                fresh = not (folder / MANIFEST).exists()
                if fresh:
                    _write(folder, pipeline, seed, {"state": UNFINISHED})
                journal = stack.enter_context(closing(Journal(folder / JOURNAL, full=conditions.full_sync)))
                claims = stack.enter_context(closing(CallClaims(journal)))
            own = {spec: clients.make[spec](journal=journal, claims=claims) for spec in addresses}
            notes: list[object] = []
            cast = Cast({role: own[spec] for role, spec in pipeline.roles.items()}, notes.append)
            course.clients.extend(own.values())
            for door in own.values() if fresh else ():
                stack.callback(asyncio.create_task(_ready(door)).cancel)
            with quiet_collector():
                outcomes = await _all(pipeline, cast, course, _order(pipeline, claims), window + SPARE_WORKERS)
            await journal.flush()
            if course.stop_signal.reason is not None:
                raise course.stop_signal.reason
            with await _sole_writer(folder, progress):
                return _released(pipeline, folder, seed, outcomes, notes)
    finally:
        await clients.close()


async def _sole_writer(folder: Path, progress: RunProgress) -> ExitStack:
    """Lock of a folder for its only writer, once nobody else holds it; `progress` says meanwhile for whom it waits."""
    since = time()
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(locked(folder))
            except InUse as found:
                progress.wait = ClaimHolder(found.holder, since, OTHER_WRITER) if found.holder else None
                await asyncio.sleep(LOOK_EVERY)
            else:
                progress.wait = None
                return stack.pop_all()


async def _ready(door: ModelClient) -> None:
    """Have a model probed at once: else all wait for that in the midst of a build, when its first question comes."""
    with suppress(MoresError, CallFailed):  # the question itself reports it
        await door.ready(READING, schema=True)


def _order(pipeline: Pipeline[U, T], claims: CallClaims) -> Sequence[int]:
    """Order of the units: with other runners about, one of its own, so that each asks for other units."""
    numbers = range(len(pipeline.units))
    return sorted(numbers, key=lambda number: digest([claims.runner, number])) if claims.others else numbers


async def _all(
    pipeline: Pipeline[U, T], cast: Cast, course: BuildProgress, order: Sequence[int], workers: int
) -> list[KeptOrDropped[T] | None]:
    """Outcome of each unit in the order of the units; None where it was not begun."""
    outcomes: list[KeptOrDropped[T] | None] = [None] * len(pipeline.units)
    left, stop_signal, progress = iter(order), course.stop_signal, course.progress[-1]

    async def work() -> None:
        for number in left:
            if stop_signal.stopped:
                return
            try:
                outcomes[number] = found = await pipeline.outcome_of(pipeline.units[number], cast)
            except Stopped:
                return
            except (BudgetReached, NotServed) as reached:
                stop_signal.stop(reached)
                return
            progress.done += 1
            if isinstance(found, Dropped):
                progress.lost["waiting" if found.transient else "dropped"] += 1

    await side_by_side(work() for _ in range(max(1, min(workers, len(pipeline.units)))))
    return outcomes


def _released(
    pipeline: Pipeline[U, T],
    folder: Path,
    seed: Seed,
    outcomes: Sequence[KeptOrDropped[T] | None],
    notes: Sequence[object],
) -> BuildResult:
    """Put the release and the datasheet in place, unless some unit waits for its answer."""
    ended = [each for each in outcomes if each is not None]
    waiting = len(outcomes) - len(ended) + sum(isinstance(each, Dropped) and each.transient for each in ended)
    if waiting:
        lost = [*pipeline.dropped_before, *(each for each in ended if isinstance(each, Dropped))]
        steps = funnel(pipeline.stages, lost, kept=sum(isinstance(each, Kept) for each in ended))
        if read_manifest(folder).get("state") != FINISHED:  # another runner may have had all its answers
            _write(folder, pipeline, seed, {"state": UNFINISHED, "waiting": waiting})
        return BuildResult(folder=folder, funnel=steps, waiting=waiting, facts={})
    release = pipeline.release([each.value for each in ended if isinstance(each, Kept)])
    lost = [*pipeline.dropped_before, *(each for each in ended if isinstance(each, Dropped)), *release.dropped]
    # What a release drops, such as duplicates, was kept until then: it is counted among the lost alone.
    steps = funnel(pipeline.stages, lost, kept=len(ended) + len(pipeline.dropped_before) - len(lost))
    lost.sort(key=lambda each: each.unit)
    files = {**release.files, DROPPED: encode_lines(lost)}
    files[PICTURE] = funnel_picture(pipeline.name, steps, simulated=pipeline.simulated).encode()
    # Unfinished before a file changes: a crash amid them leaves no mixture that calls itself finished.
    if not all(is_just(folder / name, data) for name, data in files.items()):
        _write(folder, pipeline, seed, {"state": UNFINISHED})
    _put(folder, files)
    # Gates look at the files as they lie, so the datasheet, which says what they found, is written last.
    gates = check_release(folder / release.gated, pipeline.public, seed) if release.gated else ()
    facts = release.facts | ({"gates": gates_to_dict(gates)} if release.gated else {})
    sheet = _datasheet(pipeline, seed, steps, ended, {**_repaired(pipeline, notes), **facts})
    files[DATASHEET] = encode(sheet) + b"\n"
    _put(folder, {DATASHEET: files[DATASHEET]})
    hashes = {name: sha256(data).hexdigest() for name, data in files.items()}
    _write(folder, pipeline, seed, {"state": FINISHED, "files": hashes, "asked": read_spent(folder / JOURNAL)})
    return BuildResult(folder=folder, funnel=steps, waiting=0, facts=facts, gates=gates, dropped=tuple(lost))


def _put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put files of a release in place; what is there already with these bytes is left alone."""
    for name, data in files.items():
        if not is_just(folder / name, data):
            for above in reversed(Path(name).parents[:-1]):
                own_folder(folder / above)
            sweep(folder / name)
            write_own(folder / name, data)


def _datasheet(
    pipeline: Pipeline[U, T], seed: Seed, steps: Sequence[FunnelStage], ended: Sequence[KeptOrDropped[T]],
    facts: Mapping[str, object],
) -> dict[str, object]:  # fmt: skip
    """Datasheet of a release."""
    return {
        **pipeline.spec,
        "mores": __version__,
        "seed": seed.path,
        "simulated": pipeline.simulated,
        "checked_by_people": False,
        "canary": CANARY_LINE,
        "funnel": steps,
        "licences": _licences(pipeline),
        "refusals": refusals(pipeline.units, ended),
        **facts,
    }


def _repaired(pipeline: Pipeline[U, T], notes: Sequence[object]) -> dict[str, dict[str, int]]:
    """Number of replies of each role whose JSON was repaired before it could be used."""
    count = Counter(each.role for each in notes if isinstance(each, JsonRepairNote))
    return {"json_repaired": {role: count[role] for role in pipeline.roles}}


def _licences(pipeline: Pipeline[U, T]) -> dict[str, str]:
    return {name: pipeline.licences.get(name, NOT_KNOWN) for name in pipeline.made_from}


def _write(folder: Path, pipeline: Pipeline[U, T], seed: Seed, more: Mapping[str, object]) -> None:
    head = {"kind": KIND, "spec": pipeline.spec, "seed": seed.path, "simulated": pipeline.simulated}
    write_manifest(folder, {**head, "licences": _licences(pipeline), "mores": __version__, **more})


def check_folder(folder: Path, kind: str = KIND) -> bool:
    """True where a folder holds something of the kind, False where it is new.

    Raises:
        InputError: it holds something else.
    """
    # Hidden files, such as a lock, make no folder a build.
    if not folder.exists() or (folder.is_dir() and all(path.name.startswith(".") for path in folder.iterdir())):
        return False
    if not (folder / MANIFEST).is_file() or read_manifest(folder).get("kind") != kind:
        raise InputError(f"--out {folder}: it holds something else; expected a new folder, or one of an equal {kind}.")
    return True


def read_equal(folder: Path, kind: str, spec: Mapping[str, Any], seed: str | None = None) -> dict[str, Any] | None:
    """Manifest of what a folder holds of the kind with equal spec and seed; None where it is new.

    Raises:
        InputError: it holds something else.
    """
    if not check_folder(folder, kind):
        return None
    # Compared as JSON gives it back, where tuples are lists.
    before, mine = read_manifest(folder), parse_json(encode(spec), where="spec")
    if digest([before.get("spec"), before.get("seed")]) != digest([mine, seed]):
        theirs = before.get("spec", {})
        other = ", ".join(name for name in mine if theirs.get(name) != mine[name])
        difference = f"other {other}" if other else "another seed"
        raise InputError(f"--out {folder}: another {kind} is there ({difference}); choose another folder.")
    return before


class RoleEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Calls and tokens of one role, at most; the cost in US dollars is None where no price is known."""

    role: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate_pipeline(pipeline: Pipeline[Any, Any], addresses: Mapping[str, str | None]) -> tuple[RoleEstimate, ...]:
    """Estimate of each role of a pipeline."""
    totals = {role: CallEstimate(0, 0, 0) for role in pipeline.roles}
    for unit in pipeline.units:
        for role, efforts in pipeline.estimate(unit).items():
            totals[role] = CallEstimate(*map(sum, zip(totals[role], *efforts, strict=True)))
    found = []
    for role, effort in totals.items():
        model = pipeline.roles[role]
        rate = rate_of(model, addresses.get(model))
        used = Usage(input=effort.input_tokens, output=effort.output_tokens)
        found.append(
            RoleEstimate(role=role, model=model, calls=effort.calls, input_tokens=effort.input_tokens,
                         output_tokens=effort.output_tokens, cost=None if rate is None else round(rate.of(used), 9))
        )  # fmt: skip
    return tuple(found)
