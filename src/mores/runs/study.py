"""A study: one or several models over one or several benchmarks, each pair an evaluation with a folder of its own.

Models run side by side under one window and one budget, the benchmarks of one model one after another.
A study of one evaluation is one folder; a larger one has a sub-folder for each evaluation.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.option_similarity import check_options, similarity_figures
from mores.benchmarks.variants import in_variant, variants_of
from mores.core.codec import digest
from mores.core.errors import InputError, MissingData, UnknownName
from mores.core.estimate import Estimate
from mores.core.files import own_folder
from mores.core.seeds import Seed
from mores.models.batch.door import BatchClient
from mores.models.batch.endpoint import BatchEndpoint
from mores.models.batch.tray import Tray
from mores.models.budget import Budget, Price, no_price, rate_of
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.entries import EarlierJournal
from mores.models.facts import facts_of
from mores.models.journal import Journal
from mores.models.limits import Limit, Pace, Slots
from mores.models.model import Model
from mores.models.patience import Patience
from mores.models.simulated import Simulated
from mores.models.specs import Connection, is_simulated, open_model
from mores.norms.places import place as known_place
from mores.runs.casting import Casting, cast_of, refuse_open, suited
from mores.runs.connections import room_for_connections
from mores.runs.evaluation import Evaluation, evaluation_is_done, finish_evaluation, unfinished
from mores.runs.folder import locked
from mores.runs.manifest import check_unchanged, evaluation_manifest, study_manifest
from mores.runs.prompts import check_known, told_words
from mores.runs.recordings import check_recordings
from mores.runs.results import Results
from mores.runs.sealing import HELD, JOURNAL
from mores.runs.selection import select
from mores.runs.sitting import Brake, Progress, Sitting
from mores.runs.spec import Conditions, Spec, check, protocol_of
from mores.runs.stored import Cell, StoredPlays, stored_cells
from mores.runs.waiting import count_waves, forget, settle_wave
from mores.runs.watch import Watch, quiet_collector

SPARE_WORKERS = 64


@dataclass(slots=True, kw_only=True)
class Study:
    """All results of a spec in a folder, and what they share; `waiting` are the plays of those not begun.

    `skipped` says why benchmarks of a family that was asked for are left out: their data are not there. Calls are
    parked in the `tray` where there is one.
    """

    spec: Spec
    conditions: Conditions
    folder: Path
    budget: Budget
    brake: Brake = field(default_factory=Brake)
    progress: list[Progress] = field(default_factory=list)
    waiting: int = 0
    doors: list[ModelClient] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    tray: Tray | None = None

    @property
    def seed(self) -> Seed:
        """The root of all random draws of the study."""
        return Seed(f"mores-{self.spec.seed}")

    @property
    def window(self) -> int:
        """How many calls are in flight at most: as many as were asked for, if so many connections may be open.

        Raises:
            InputError: the system allows not even one.
        """
        return room_for_connections(self.conditions.concurrency, len(set(self.spec.models)))

    def evaluations(self) -> tuple[Evaluation, ...]:
        """Every model with every benchmark, checked before anything is asked.

        Raises:
            InputError: an unknown benchmark, missing data, or a role that nobody plays.
        """
        names = self._names()
        _known_settings(self.spec.settings, names)
        check_known(self.spec.prompts, self.spec.benchmarks)
        cells = [
            Cell(model, name, variant)
            for model in dict.fromkeys(self.spec.models)
            for name in names
            for variant in variants_of(name, self.spec.wordings or 1, self.spec.orders or 1)
        ]
        refuse_open({name: self._open_roles(name) for name in names})
        if len(cells) == 1:
            return (self._evaluation(cells[0], self.folder),)
        folders = _folders([f"{cell.model}--{cell.benchmark}{cell.variant.suffix}" for cell in cells])
        return tuple(self._evaluation(cell, self.folder / folder) for cell, folder in zip(cells, folders, strict=True))

    def _names(self) -> tuple[str, ...]:
        """The benchmarks that are asked for; of a family those whose data are there, unless none are."""
        found: dict[str, None] = {}
        for asked in self.spec.benchmarks:
            names = catalogue.resolve(asked)
            absent = {name: why for name in names if len(names) > 1 and (why := self._absent(name))}
            if len(absent) < len(names):
                self.skipped.update(absent)
                names = tuple(name for name in names if name not in absent)
            found.update(dict.fromkeys(names))
        return tuple(found)

    def _absent(self, name: str) -> str:
        """Why a benchmark's data are not there; empty where they are."""
        benchmark = catalogue.load(name)
        data = Path(self.spec.data) if self.spec.data else None
        try:
            benchmark.sources(Setting(data=data, protocol=protocol_of(benchmark.card, self.spec), seed=self.seed))
        except MissingData as missing:
            return str(missing)
        return ""

    @property
    def _casting(self) -> Casting:
        return Casting(self.spec.roles, beside_simulated=any(map(is_simulated, self.spec.models)))

    def _open_roles(self, name: str) -> tuple[str, ...]:
        """The roles of a benchmark that nobody plays, for any of the models."""
        benchmark = catalogue.load(name)
        protocol = protocol_of(benchmark.card, self.spec)
        found = (self._casting.open_roles(benchmark, model, protocol) for model in self.spec.models)
        return tuple(dict.fromkeys(role for roles in found for role in roles))

    def _evaluation(self, cell: Cell, folder: Path) -> Evaluation:
        model, name, variant = cell
        facts_of(model, self.spec.facts)
        words = catalogue.taken(name, self.spec.prompts)
        benchmark = in_variant(name, variant, words)
        protocol = replace(protocol_of(benchmark.card, self.spec, variant), words=told_words(benchmark, words))
        data = Path(self.spec.data) if self.spec.data else None
        roles = cast_of(benchmark, model, self._casting, protocol)
        setting = Setting(data=data, protocol=protocol, seed=self.seed, roles=roles)
        draw = setting.seed.child(benchmark.card.draw or name)
        items = select(benchmark.items(setting), places=self.spec.places, limit=protocol.limit, seed=draw)
        suited(benchmark, model, protocol)
        return Evaluation(
            model=model,
            name=name,
            folder=folder,
            benchmark=benchmark,
            setting=setting,
            items=items,
            roles=roles,
            source=self._source(cell),
        )

    def _source(self, cell: Cell) -> Path | None:
        """The earlier evaluation that is judged again, if this study judges one."""
        if self.spec.judged is None:
            return None
        run = Path(self.spec.judged)
        found = stored_cells(run).get(cell)
        if found is None:
            raise InputError(f"{run}: it has no {cell.model} on {cell.benchmark}; expected the run that was judged.")
        return found


def _known_settings(settings: dict[str, str], names: Sequence[str]) -> None:
    """Refuse a setting that is an option of none of the benchmarks.

    Raises:
        UnknownName: it is not.
    """
    known = {option.name for name in names for option in catalogue.card(name).options}
    for setting in settings:
        if setting not in known:
            todo = f"Known here: {', '.join(sorted(known))}." if known else "These benchmarks have no options."
            raise UnknownName("option", setting, known, where="--set", todo=todo)


def _folders(names: list[str]) -> list[str]:
    """A folder's name for each name of an evaluation: plain letters, and a hash where two would be called the same."""
    plain = [re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.") for name in names]
    folded = Counter(name.casefold() for name in plain)
    return [
        short if folded[short.casefold()] == 1 else f"{short}-{digest(name, length=8)}"
        for short, name in zip(plain, names, strict=True)
    ]


class _Shared(NamedTuple):
    """What all evaluations of a study share: each model once, and the making of its door into a journal.

    Behind the doors is one window, and for each model its price, its limit and its pace.
    """

    models: dict[str, Model]
    doors: Mapping[str, Callable[..., ModelClient]]


async def run_study(study: Study) -> bool:
    """Play every evaluation that is not done; True once all are.

    Raises:
        MoresError: what stopped the study.
        Waiting: its calls are parked, and their answers are to be taken.
    """
    check(study.spec, study.conditions)
    window = study.window
    evaluations = study.evaluations()
    shared = _share(study, evaluations, window)
    try:
        with locked(study.folder):
            for evaluation in evaluations:
                check_unchanged(evaluation)
            study_manifest(study.folder, study.spec, study.conditions, evaluations)
            with quiet_collector():
                done = await _all_models(study, evaluations, shared)
            if study.tray is None:
                forget(study.folder)
            elif not study.brake.pulled or study.brake.reason:
                settle_wave(study.folder, Path(study.conditions.park or ""), study.tray, list(shared.models.values()))
    finally:
        for model in shared.models.values():
            await model.close()
    if study.brake.reason is not None:
        raise study.brake.reason
    return done


def _share(study: Study, evaluations: Sequence[Evaluation], window: int) -> _Shared:
    """Everything that evaluations share, opened and checked before a folder is made."""
    conditions = study.conditions
    _journals(conditions.reuse)
    urls = addresses(study.spec, evaluations)
    rates = _rates(study, evaluations, urls)
    given = () if study.spec.judged else tuple(study.spec.roles.values())
    reached = {spec: Connection(base_url=urls.get(spec), window=window, timeout=conditions.timeout, tray=study.tray)
               for spec in (*rates, *given)}  # fmt: skip
    models = {spec: open_model(spec, study.seed, connection) for spec, connection in reached.items()}
    for model in models.values():
        for place in model.planted.places if isinstance(model, Simulated) else ():
            known_place(place)
    for evaluation in evaluations:
        check_recordings(models, evaluation)
        if evaluation.source is None:
            check_options(models[evaluation.model], evaluation.items, evaluation.name)
    slots = Slots(window)
    if study.tray is not None and not any(isinstance(model, BatchEndpoint) for model in models.values()):
        raise InputError("--park: no model of this run is an endpoint's; expected one, such as openai/gpt-4o.")
    doors = {
        spec: partial(
            _door_of(models[spec], study.tray),
            model=models[spec],
            window=slots,
            limit=Limit(window),
            budget=study.budget,
            seed=study.seed.child("door"),
            rate=rate,
            requests_pace=Pace(conditions.requests_per_minute),
            tokens_pace=Pace(conditions.tokens_per_minute),
            patience=Patience(attempts=conditions.attempts, first_wait=conditions.first_wait),
            stopped=lambda: study.brake.pulled,
        )
        for spec, rate in rates.items()
    }
    return _Shared(models, doors)


def _door_of(model: Model, tray: Tray | None) -> Callable[..., ModelClient]:
    """What a door to a model is made by: one with a tray where its calls are parked."""
    return ModelClient if tray is None or not isinstance(model, BatchEndpoint) else partial(BatchClient, tray=tray)


def _rates(study: Study, evaluations: Sequence[Evaluation], urls: dict[str, str | None]) -> dict[str, Price | None]:
    """What each model that is asked costs.

    Raises:
        InputError: a budget in money, and one of them has no known price.
    """
    asked = dict.fromkeys(spec for evaluation in evaluations for spec in evaluation.asked.values())
    rates = {spec: rate_of(spec, urls[spec]) for spec in asked}
    unpriced = [spec for spec, rate in rates.items() if rate is None]
    if study.conditions.max_cost is not None and unpriced:
        raise no_price(", ".join(unpriced))
    return rates


def addresses(spec: Spec, evaluations: Sequence[Evaluation]) -> dict[str, str | None]:
    """Where each model is reached, None where its preset says so.

    Raises:
        InputError: one model is to be reached at two addresses.
    """
    found: dict[str, str | None] = {}
    for role, model in [
        *spec.roles.items(),
        *(pair for evaluation in evaluations for pair in evaluation.asked.items()),
    ]:
        url = spec.role_urls.get(role, spec.base_url)
        if found.setdefault(model, url) != url:
            raise InputError(f"--base-url {role}={url}: {model} is reached at {found[model]} in another role.")
    return found


async def _all_models(study: Study, evaluations: Sequence[Evaluation], shared: _Shared) -> bool:
    by_model: dict[str, list[Evaluation]] = {}
    study.waiting = sum(evaluation.plays for evaluation in evaluations if not evaluation_is_done(evaluation))
    for evaluation in evaluations:
        by_model.setdefault(evaluation.model, []).append(evaluation)
    tasks = [asyncio.create_task(_run_model(study, members, shared)) for members in by_model.values()]
    try:
        return all(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def _run_model(study: Study, evaluations: list[Evaluation], shared: _Shared) -> bool:
    done = True
    for evaluation in evaluations:
        if not evaluation_is_done(evaluation):
            done = await _run_evaluation(study, evaluation, shared) and done
        if study.brake.pulled:
            return False
    return done


async def _run_evaluation(study: Study, evaluation: Evaluation, shared: _Shared) -> bool:
    own_folder(evaluation.folder)
    with ExitStack() as held:
        journal = held.enter_context(closing(Journal(evaluation.folder / JOURNAL, full=study.conditions.full_sync)))
        judged = () if evaluation.source is None else (str(evaluation.source),)
        paths = _journals((*judged, *study.conditions.reuse))
        earlier = [held.enter_context(closing(EarlierJournal(path))) for path in paths]
        plays = None if evaluation.source is None else held.enter_context(closing(StoredPlays(evaluation.source)))
        reuse = tuple(journal.find for journal in earlier)
        doors = {
            spec: shared.doors[spec](journal=journal, reuse=reuse) for spec in dict.fromkeys(evaluation.asked.values())
        }
        study.doors.extend(doors.values())
        count_waves(evaluation, doors)
        return await _hold(study, evaluation, shared, doors, journal, plays)


async def _hold(
    study: Study,
    evaluation: Evaluation,
    shared: _Shared,
    doors: dict[str, ModelClient],
    journal: Journal,
    plays: StoredPlays | None,
) -> bool:
    results = Results(evaluation.folder, judged=evaluation.judged)
    sitting = _sitting(study, evaluation, doors, results, plays)
    watch, more, finished = Watch(), tuple[Estimate, ...](), False
    try:
        played = await sitting.hold()
        await journal.flush()
        if played:
            more = await similarity_figures(shared.models.get(evaluation.model), evaluation.items, evaluation.setting)
        finished = played
    finally:
        took = watch.read()
        facts = evaluation_manifest(evaluation, study.spec, study.conditions, doors, journal.failures()) | {
            "took": took
        }
        if finished:
            finish_evaluation(evaluation, results, {**facts, HELD: journal.held()}, more)
        else:
            waits, done = bool(sitting.waiting), sitting.progress.done if sitting.waiting else results.written
            unfinished(evaluation, results, facts, done=done, waiting=waits)
    return finished


def _sitting(
    study: Study, evaluation: Evaluation, doors: dict[str, ModelClient], results: Results, plays: StoredPlays | None
) -> Sitting:
    progress = Progress(f"{evaluation.model} · {evaluation.name}", evaluation.plays)
    study.progress.append(progress)
    study.waiting -= progress.plays
    own = {role: doors[spec] for role, spec in evaluation.asked.items()}
    return Sitting(
        benchmark=evaluation.benchmark,
        setting=evaluation.setting,
        items=evaluation.items,
        cast=Cast(own, blind=frozenset(role for role, door in own.items() if not door.model.sealed)),
        earlier=plays,
        results=results,
        progress=progress,
        brake=study.brake,
        workers=study.conditions.concurrency + SPARE_WORKERS,
    )


def _journals(runs: tuple[str, ...]) -> list[Path]:
    """The journals of earlier runs.

    Raises:
        InputError: a folder has none.
    """
    found: list[Path] = []
    for run in runs:
        paths = sorted(Path(run).glob(f"**/{JOURNAL}"))
        if not paths:
            raise InputError(f"--reuse {run}: no run; expected a folder with {JOURNAL}.")
        found += paths
    return found
