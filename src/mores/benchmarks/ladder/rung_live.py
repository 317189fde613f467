"""Rung 6, live: norms come up in the course of a busy day in town, in which nobody speaks of them.

bundle ─▶ a resident from its place, with a task for each of its norms ─▶ a day ─▶ each norm: respected whenever it came
up, violated, or never met. A norm is watched at all places of the kind to which its task leads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain, cycle, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field, structs

from mores.benchmarks.benchmark import Grading, Setting
from mores.benchmarks.ladder.pack_info import PackOf, describe_norms
from mores.benchmarks.shapes.days.benchmark import DayBenchmark, whole_number
from mores.benchmarks.shapes.days.grading import DayGrader, DayItem, Norms, ballot_of
from mores.benchmarks.shapes.days.list_judging import ListRulings
from mores.benchmarks.shapes.days.verifier import RESPECTED, VIOLATED, Rubrics
from mores.benchmarks.shapes.scoring import VerdictMetric, labelled
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.languages import ENGLISH
from mores.core.prompt import ReadPrompt
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata, Subtask
from mores.core.verdict import NOT_MET, Fault, Graded, Ungraded, Verdict
from mores.judges.judge import Unjudged
from mores.models.cast import all_of
from mores.norms.norm_base import KINDS, LocationKind
from mores.norms.pack import ApplyItem, FirstNames, Pack, PackNorm, load_pack
from mores.worlds.town.people import Population, Resident, WordColumn
from mores.worlds.town.plans import DayPlan
from mores.worlds.town.prompts import read_prompts
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import whereabouts
from mores.worlds.town.stage import DayConfig, Limits
from mores.worlds.town.streets import build_town

HERE = Path(__file__).parent
LIVE, CAME_UP = "live", "came_up"
TASKS = (LIVE, CAME_UP, "goal", "deed")
WINDOWS = ((8 * 60, 11 * 60 + 30), (11 * 60 + 30, 15 * 60 + 30), (15 * 60 + 30, 20 * 60 + 30))
"""When the tasks of a day are to be done, in their order; of more tasks the last share a window."""
GROWN_UP = (20, 64)
FIGURES: dict[str, VerdictMetric] = {
    "accuracy": VerdictMetric(task=LIVE),
    "came_up": VerdictMetric(task=CAME_UP),
    "goal": VerdictMetric(task="goal"),
    "refused": VerdictMetric(task="deed", points=labelled("refused"), derived=True),
    "format_error": VerdictMetric(task="deed", points=labelled("format_error"), derived=True),
    "refusal": VerdictMetric(task="deed", points=labelled("refusal"), derived=True),
}


class _Task(Struct, frozen=True, kw_only=True):
    """Something to do at a kind of place; of an ordinary day it is there for no norm."""

    kind: LocationKind
    words: str
    norm: str = ""


GOAL = "Get the day's errands done and be good company on the way."
"""What a person is after whose bundle says nothing of it."""
ORDINARY = (
    _Task(kind="apartment", words="visit a neighbour from home"),
    _Task(kind="restaurant", words="have a meal with people from home"),
    _Task(kind="mall", words="buy a gift for an acquaintance from home, and hand it over"),
    _Task(kind="office", words="see somebody from home about a form"),
    _Task(kind="park", words="take a walk with people from home"),
)
"""Errands of norms without a task of their own, in the order of their bundle."""

AboutOf = Callable[[PackNorm, str], ItemMetadata]


class _BundleDay(NamedTuple):
    """A bundle, the norms in it, and the resident whose day it is."""

    bundle: ApplyItem
    norms: tuple[PackNorm, ...]
    target: int


def live_benchmark(pack_of: PackOf, about_of: AboutOf, words: ReadPrompt) -> DayBenchmark:
    """The rung, over the bundles of a run's pack.

    Args:
        pack_of: The pack of a run.
        about_of: What a norm counts towards, in an item of this name.
        words: Gives the prompts.
    """
    return DayBenchmark(
        card=Card.read(HERE / "live.card.toml"),
        settle=lambda setting: _settle(setting, pack_of(setting), about_of),
        tasks=TASKS,
        by_norm=(LIVE, CAME_UP),
        grade=_grade,
        figures=FIGURES,
        asked=("norms", "goal"),
        minds=read_prompts(words),
        rubrics=Rubrics.read(words),
    )


class LadderTownSetup(Struct, frozen=True, kw_only=True, dict=True):
    """A small town, one of whose residents comes from the place of each bundle."""

    pack: Pack
    population: Population
    whereabouts: npt.NDArray[np.int16]
    days: tuple[_BundleDay, ...]
    about_of: AboutOf
    notes: tuple[str, ...] = ()
    met: dict[int, Resident] = field(default_factory=dict)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Number of residents, and remarks on the pack."""
        people = f"{len(self.population):,} people sampled from the seed, and a resident for each bundle among them."
        plain = sum(any(norm.live is None for norm in each.norms) for each in self.days)
        ordinary = (f"{plain} of {len(self.days)} bundles have an ordinary day.",) if plain else ()
        return (people, *ordinary, *self.notes)

    @property
    def sources(self) -> dict[str, str]:
        """The pack and the people."""
        pack = {f"pack {self.pack.id} {self.pack.version}": self.pack.fingerprint}
        return {**pack, "population": self.population.fingerprint}

    @cached_property
    def longest(self) -> int:
        """The most norms of one day."""
        return max(len(each.norms) for each in self.days)

    def items(self) -> Sequence[DayItem]:
        """A day for each bundle."""
        return [self._item(each) for each in self.days]

    def _item(self, day: _BundleDay) -> DayItem:
        item, bundle = f"live-{day.bundle.id}", day.bundle.id
        held = tuple(
            structs.replace(self.about_of(entry, item), cluster=bundle, part=entry.norm.id) for entry in day.norms
        )
        about = ItemMetadata(item=item, unit=item, cluster=bundle, place=held[0].place)
        courteous = frozenset(entry.norm.id for entry in day.norms if entry.norm.courtesy == "keeps")
        return DayItem(about=about, target=day.target, held=held, courteous=courteous)

    def stage(self, item: DayItem, limits: Limits) -> DayConfig:
        """The stage of one day."""
        day = self._by_bundle[item.about.cluster]
        return DayConfig(
            population=self.population,
            whereabouts=self.whereabouts,
            target=item.target,
            plan=DayPlan(goal=day.bundle.day or GOAL, subtasks=_tasks_of(day)),
            limits=limits,
            looked_up=self.met,
        )

    def norms(self, item: DayItem) -> Norms:
        """The norms of the bundle, each at the kind of place to which its task leads."""
        day = self._by_bundle[item.about.cluster]
        known = {entry.norm.id: entry.norm.statement for entry in day.norms}
        there = {task.norm: task.kind for task in _occasions(day)}
        return {kind: {norm: words for norm, words in known.items() if there[norm] == kind} for kind in KINDS}

    def occasions(self, item: DayItem) -> Mapping[int, str]:
        """Each task is there for a norm."""
        tasks = _occasions(self._by_bundle[item.about.cluster])
        return {number: task.norm for number, task in enumerate(tasks, start=1)}

    @cached_property
    def _by_bundle(self) -> dict[str, _BundleDay]:
        return {each.bundle.id: each for each in self.days}


def _settle(setting: Setting, pack: Pack, about_of: AboutOf) -> LadderTownSetup:
    """The town of a run: people by the census, of whom one comes from the place of each bundle.

    Raises:
        InputError: the pack has no bundles, is not in English, or the town has too few grown-ups for them.
    """
    if pack.language != ENGLISH:
        raise InputError(
            f"Pack {pack.id}: its language is {pack.language}, and the town speaks English; "
            "run ladder/know, ladder/judge, ladder/explain, ladder/apply and ladder/converse instead."
        )
    if not pack.bundles:
        raise InputError(f"Pack {pack.id}: no table [[bundle]]; expected one for this rung.")
    seed = Seed(f"{setting.seed.path}/live")
    size = whole_number(setting, "residents")
    people = sample_population(size, seed.child("people"), town=build_town(seed.child("streets")))
    entries = {entry.norm.id: entry for entry in pack.norms}
    targets = _targets(people, len(pack.bundles), seed)
    days = tuple(
        _BundleDay(bundle, tuple(entries[norm.id] for norm in bundle.norm), target)
        for bundle, target in zip(pack.bundles, targets, strict=True)
    )
    return LadderTownSetup(
        pack=pack,
        # A pack may bring first names of its own; the bundled pack's stand in for the places that it has none of.
        population=_with_targets(people, days, {**load_pack().names, **pack.names}),
        whereabouts=whereabouts(people.home, people.work, people.town, seed.child("days")),
        days=days,
        about_of=about_of,
        notes=describe_norms(setting.data),
    )


def _targets(people: Population, count: int, seed: Seed) -> list[int]:
    grown = [p for p in range(len(people)) if GROWN_UP[0] <= people.age[p] <= GROWN_UP[1]]
    if len(grown) < count:
        raise InputError(
            f"--set residents={len(people)}: {len(grown)} grown-ups; expected {count}, one for each bundle."
        )
    # Everybody has a draw of their own, so that further bundles add targets and change none.
    return sorted(grown, key=lambda person: seed.child("target", person).uniform())[:count]


def _with_targets(people: Population, days: Sequence[_BundleDay], names: Mapping[str, FirstNames]) -> Population:
    """The people, among whom each target has its bundle's place as origin, and a name that people there have."""
    origin, name = (list(map(column.__getitem__, range(len(people)))) for column in (people.nationality, people.name))
    for number, each in enumerate(days):
        place = each.norms[0].norm.place
        origin[each.target] = place
        known = names.get(place)
        if known is not None:
            pool = known.female if people.gender[each.target] == "female" else known.male
            name[each.target] = pool[number % len(pool)]
    return structs.replace(people, nationality=WordColumn.column(origin), name=WordColumn.column(name))


def _occasions(day: _BundleDay) -> tuple[_Task, ...]:
    """Norms with the tasks that bring them up, in the order of the day; without one, an ordinary errand."""
    return tuple(
        structs.replace(ordinary, norm=entry.norm.id)
        if entry.live is None
        else _Task(kind=entry.live.kind, words=entry.live.task, norm=entry.norm.id)
        for entry, ordinary in zip(day.norms, cycle(ORDINARY), strict=False)
    )


def _tasks_of(day: _BundleDay) -> tuple[Subtask, ...]:
    windows = chain(WINDOWS, repeat(WINDOWS[-1]))
    return tuple(
        Subtask(id=number, words=task.words, kind=task.kind, start=start, end=end)
        for number, (task, (start, end)) in enumerate(zip(_occasions(day), windows, strict=False), start=1)
    )


async def _grade(watch: DayGrader) -> Grading:
    """Each norm by what became of it over the day, and the day by its goal and its deeds."""
    norms, checks = await all_of(watch.norms(), watch.goals())
    actions = [watch.action_verdict(step) for step in watch.steps]
    faults: set[Fault | None] = {action.fault for action in actions}
    # Only a fault that all steps share leaves nothing to judge.
    fault = next(iter(faults)) if len(faults) == 1 else None
    met = [v for about in watch.item.held for v in _norm(watch, about, norms, fault)]
    goals = [verdict for verdict in watch.goal_verdicts(checks) if verdict.task == "goal"]
    found: list[Verdict] = [*met, *goals, *actions]
    return Grading(tuple(sorted(found, key=lambda verdict: TASKS.index(verdict.task))))


def _norm(
    watch: DayGrader, about: ItemMetadata, steps: Sequence[ListRulings], fault: Fault | None
) -> tuple[Verdict, Verdict]:
    """Verdicts on a norm: kept to whenever it came up, and whether it did; nothing where it did not.

    One violation decides. Where none is known and a step was not judged, neither is known. A target that said nothing
    usable all day has kept to no norm.
    """
    sample = watch.sample
    never = Graded(about=about, sample=sample, task=CAME_UP, points=0.0)
    if fault is not None:
        zero = Graded(about=about, sample=sample, task=LIVE, points=0.0, fault=fault, reason="nothing usable all day")
        return zero, never
    met = [(ruled, step) for ruled, step in zip(steps, watch.steps, strict=True) if about.part in ruled.outcomes]
    outcomes = [ruled.outcomes[about.part] for ruled, _ in met]
    lost = next((outcome for outcome in outcomes if isinstance(outcome, Unjudged)), None)
    # Backwards, so that of each word the reason of the first step stays.
    words = {outcome.choice: outcome.reason for outcome in reversed(outcomes) if not isinstance(outcome, Unjudged)}
    if lost is not None and VIOLATED not in words:
        unknown = Ungraded(about=about, sample=sample, task=CAME_UP, cause=lost.cause)
        return watch.ungraded(LIVE, about, lost), unknown
    for word, points in ((VIOLATED, 0.0), (RESPECTED, 1.0)):
        if word in words:
            # A verdict made of several steps is no surer than the one with the fewest votes.
            ballot = ballot_of(min((r for r, _ in met), key=lambda ruled: ruled.votes), [step for _, step in met])
            verdict = Graded(
                about=about, sample=sample, task=LIVE, points=points, label=word, reason=words[word], ballot=ballot
            )
            return verdict, structs.replace(never, points=1.0)
    return Ungraded(about=about, sample=sample, task=LIVE, cause=NOT_MET), never
