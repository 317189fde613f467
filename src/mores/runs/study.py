"""A study: one or several models over one or several benchmarks, each pair an evaluation with a folder of its own.

Models run side by side under one window and one budget, the benchmarks of one model one after another.
A study of one evaluation is one folder; a larger one has a sub-folder for each evaluation.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct, field, structs

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.controls import describe_exclusions, under_control
from mores.benchmarks.variants import in_variant, variants_of
from mores.core.card import Variant
from mores.core.errors import InputError, MissingData, UnknownName
from mores.core.transcript import Item
from mores.models.batch.queue import BatchQueue
from mores.models.budget import Budget
from mores.models.client import ModelClient
from mores.models.facts import facts_of
from mores.models.registry import is_simulated
from mores.runs.client_pool import PaceOf, TypedNow, own_pace, room_for_connections
from mores.runs.evaluation import Evaluation, ScoredEvaluation, evaluation_is_done, stops_within_units
from mores.runs.executor import Steps
from mores.runs.folder import plain_names
from mores.runs.progress import RunProgress, StopSignal
from mores.runs.protocol import (
    RoleAssignment,
    by_name,
    cast_of,
    check_roles,
    describe_wording,
    protocol_of,
    refuse_open,
)
from mores.runs.selection import LazyItems, NamedItems, Shard, describe_named, select
from mores.runs.spec import LEASED, ExecutionSpec, Spec, limits_of_part
from mores.runs.stored_plays import EvaluationKey, items_played, stored_cells

BASELINE = "baseline/"
NO_GUESS = "an outcome picked without a look is no guess at an open answer"
UNDER = " under the control "
"""Between a benchmark and the control that leaves out all its items, among what is skipped."""


class Study(Struct, kw_only=True):
    """All results of a spec in a folder, and what they share.

    `waiting` are the plays of evaluations not begun, `coming` what they will take, by folder, and `before` the plays of
    evaluations done before this session. `skipped` says why benchmarks of a family that was asked for are left out:
    their data are not there. Calls go into `batches` where there are any. `scored` is what this session found, by the
    evaluation's folder, and `steps` what is asked step by step. Secrets go to addresses that were `typed`.
    """

    spec: Spec
    folder: Path
    conditions: ExecutionSpec = field(default_factory=ExecutionSpec)
    typed: TypedNow = TypedNow()
    budget: Budget = field(default_factory=Budget)
    pace_of: PaceOf = own_pace
    stop_signal: StopSignal = field(default_factory=StopSignal)
    progress: list[RunProgress] = field(default_factory=list)
    waiting: int = 0
    coming: dict[Path, RunProgress] = field(default_factory=dict)
    before: int = 0
    clients: list[ModelClient] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    batches: BatchQueue | None = None
    scored: dict[Path, ScoredEvaluation] = field(default_factory=dict)
    steps: dict[Path, Steps] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Its conditions say how much it may spend, unless somebody lends it that."""
        if self.conditions.limits == LEASED:
            return
        limits, budget = self.limits, self.budget
        budget.max_calls, budget.max_tokens, budget.max_cost = limits.max_calls, limits.max_tokens, limits.max_cost

    @property
    def limits(self) -> ExecutionSpec:
        """Its conditions, with the limits that are its own where it is a part of a run."""
        return structs.replace(self.conditions, **limits_of_part(self.conditions, Shard.read(self.spec.shard)))

    @property
    def window(self) -> int:
        """Most calls in flight: as many as were asked for, if so many connections may be open.

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
        by_name(self.spec.prompts, self.spec.benchmarks)
        cells = [
            EvaluationKey(model, name, variant)
            for model in dict.fromkeys(self.spec.models)
            for name in names
            for variant in variants_of(name, self.spec.prompt_variants or 1, self.spec.orders or 1, self.spec.controls)
        ]
        cells = self._without_guesses(cells)
        _has_variants(self.spec, {cell.variant for cell in cells})
        refuse_open({name: self._open_roles(name) for name in dict.fromkeys(cell.benchmark for cell in cells)})
        named = NamedItems(self.spec.items)
        found = [evaluation for cell in cells if (evaluation := self._evaluation(cell, named)) is not None]
        named.refuse_unknown()
        self._has_controls(found)
        if len(found) > 1:
            folders = plain_names([f"{each.model}--{each.name}{each.variant.suffix}" for each in found])
            placed = zip(found, folders, strict=True)
            found = [structs.replace(evaluation, folder=self.folder / folder) for evaluation, folder in placed]
        for each in found:
            if not evaluation_is_done(each):
                len(each.items)  # made now, so that what is wrong with them is said before anything is asked
        return tuple(found)

    def _without_guesses(self, cells: Sequence[EvaluationKey]) -> list[EvaluationKey]:
        """Those in which no baseline picks an outcome where that is no guess; the others are skipped.

        Raises:
            InputError: none is left.
        """
        baselines = (each for each in cells if each.model.startswith(BASELINE))
        drawn = [each for each in baselines if not catalogue.card(each.benchmark).baselines]
        for model in dict.fromkeys(each.model for each in drawn):
            names = dict.fromkeys(each.benchmark for each in drawn if each.model == model)
            self.skipped[f"{model} on {', '.join(names)}"] = NO_GUESS
        if drawn and len(drawn) == len(cells):
            raise InputError(
                f"{drawn[0].model} on {drawn[0].benchmark}: {NO_GUESS}; expected a benchmark of labels, such as "
                "ladder/know, or simulated/polite, which knows no norm and is merely polite."
            )
        return [each for each in cells if each not in drawn]

    def _has_controls(self, found: Sequence[Evaluation]) -> None:
        """Refuse controls under none of which anything can be asked; one alone that has nothing is skipped.

        Raises:
            InputError: no benchmark has them, or none has an item for them.
        """
        if not self.spec.controls or any(each.variant.control for each in found):
            return
        asked = " ".join(f"--control {control}" for control in self.spec.controls)
        empty = [name for name in self.skipped if UNDER in name]
        whys = "; ".join(dict.fromkeys(self.skipped.pop(name) for name in empty))
        raise InputError(
            f"{asked}: nothing to ask: {whys}."
            if whys
            else f"{asked}: these benchmarks cannot be asked so; expected one whose items name a place, such as "
            "ladder/know."
        )

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
        """Reason that a benchmark's data are not there; empty where they are."""
        benchmark = catalogue.load(name)
        protocol = protocol_of(benchmark.card, self.spec)
        try:
            benchmark.sources(Setting(data=self._data, protocol=protocol, seed=self.spec.root_seed))
        except MissingData as missing:
            return str(missing)
        return ""

    @property
    def _data(self) -> Path | None:
        return Path(self.spec.data) if self.spec.data else None

    @property
    def _casting(self) -> RoleAssignment:
        return RoleAssignment(self.spec.roles, with_simulated=any(map(is_simulated, self.spec.models)))

    def _open_roles(self, name: str) -> tuple[str, ...]:
        """The roles of a benchmark that nobody plays, for any of the models."""
        benchmark = catalogue.load(name)
        protocol = protocol_of(benchmark.card, self.spec)
        found = (self._casting.open_roles(benchmark, model, protocol) for model in self.spec.models)
        return tuple(dict.fromkeys(role for roles in found for role in roles))

    def _evaluation(self, cell: EvaluationKey, named: NamedItems) -> Evaluation | None:
        """One model on one benchmark, in the study's own folder; None where a control or names leave out all items."""
        model, name, variant = cell
        facts_of(model, self.spec.facts)
        words = catalogue.taken(name, self.spec.prompts)
        benchmark = in_variant(name, variant, words)
        protocol = structs.replace(
            protocol_of(benchmark.card, self.spec, variant), **describe_wording(benchmark, words)._asdict()
        )
        roles = cast_of(benchmark, model, self._casting, protocol)
        setting = Setting(data=self._data, protocol=protocol, seed=self.spec.root_seed, roles=roles)
        draw = setting.seed.child(benchmark.card.draw or name)
        make: Callable[[], Sequence[Item]] = partial(benchmark.items, setting)
        remarks: tuple[str, ...] = ()
        source = self._source(cell)
        if source is not None and (self.spec.until is not None or stops_within_units(benchmark, setting)):
            make = partial(_played, make, source)
            remarks = ("Of all items those that were played alone.",)
        if self.spec.items:
            alone = named.of(make(), benchmark.due)
            if not alone:
                self.skipped[name] = "--items names nothing of it"
                return None
            make, remarks = (
                partial(list, alone),
                (f"Of all items {describe_named(self.spec.items)} alone, in whole units.",),
            )
        items: Sequence[Item] = LazyItems(
            lambda: select(make(), places=self.spec.places, limit=protocol.limit, seed=draw)
        )
        shard = Shard.read(self.spec.shard)
        if variant.control:
            found = under_control(variant.control, benchmark, items, setting)
            items, left = found.items, describe_exclusions(found)
            if not items:
                self.skipped[f"{name}{UNDER}{variant.control}"] = left
                return None
            remarks += (f"Control {variant.control}: {left}.",)
        if shard.of > 1:
            # Under a name of its own, as the function below is called when `items` is another.
            whole = items
            items = LazyItems(lambda: shard.part(whole, name))
            remarks += (f"Part {shard} of the plan alone: mores merge joins the parts and makes their figures.",)
        check_roles(benchmark, model, protocol)
        return Evaluation(
            model=model,
            name=name,
            folder=self.folder,
            benchmark=benchmark,
            setting=setting,
            items=items,
            remarks=remarks,
            roles=roles,
            source=source,
        )

    def _source(self, cell: EvaluationKey) -> Path | None:
        """The earlier evaluation that is judged again, if this study judges one."""
        if self.spec.judged is None:
            return None
        run = Path(self.spec.judged)
        found = stored_cells(run).get(cell)
        if found is None:
            raise InputError(f"{run}: it has no {cell.model} on {cell.benchmark}; expected the run that was judged.")
        return found


def _played(make: Callable[[], Sequence[Item]], source: Path) -> Sequence[Item]:
    """The items that an earlier evaluation played, of a run that may have ended before it had asked all."""
    played = items_played(source)
    return [item for item in make() if item.about.item in played]


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


def _has_variants(spec: Spec, variants: Collection[Variant]) -> None:
    """Refuse more wordings or orders than any of the benchmarks has.

    Raises:
        InputError: none has so many.
    """
    for flag, asked, most in (
        ("prompt-variants", spec.prompt_variants, max(variant.wording for variant in variants)),
        ("orders", spec.orders, max(variant.order for variant in variants)),
    ):
        if most < (asked or 1):
            why = (
                f"are asked in one alone; leave out --{flag}" if most == 1 else f"have {most}; expected {most} at most"
            )
            raise InputError(f"--{flag} {asked}: these benchmarks {why}.")
