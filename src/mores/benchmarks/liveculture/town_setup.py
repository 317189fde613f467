"""Town of a run: its people, their places when nobody watches, the norms that hold, and plans of the day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field, structs

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.norm_mapping import map_norms, read_lexicon
from mores.benchmarks.liveculture.norm_sources import from_file, from_pack
from mores.benchmarks.shapes.days.benchmark import whole_number
from mores.benchmarks.shapes.days.grading import DayItem
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.norms.norm_base import NormBase, read_base
from mores.norms.places import place as known_place
from mores.stats.rng import generator
from mores.worlds.town.people import Population, Resident, WordColumn
from mores.worlds.town.planning import template_of
from mores.worlds.town.plans import DayPlan, read_plans
from mores.worlds.town.population_files import read_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import whereabouts
from mores.worlds.town.stage import DayConfig, Limits
from mores.worlds.town.streets import KINDS, build_town


def from_places(population: Population, origin: str, count: int, seed: Seed) -> Population:
    """The same people from so many places: the origin, and others of the town that the seed chooses.

    Args:
        population: Its own places are those that can be chosen; all of them, where it has no more than `count`.
        origin: Always one of them.
        count: How many, the origin among them.
        seed: Dice.
    """
    others = [place for place in population.nationality.words if place != origin]
    # Each place has a draw of its own, so that a larger count adds places and takes none away.
    ranked = sorted(others, key=lambda place: seed.child("place", place).uniform())
    places = (origin, *ranked[: count - 1])
    # Drawn for everybody, also for those who keep their origin, so that no person's draw hangs on another's.
    given = generator(seed.child("origins")).integers(0, len(places), len(population))
    kept = population.nationality.are(*places)
    nationality = [population.nationality[p] if kept[p] else places[given[p]] for p in range(len(population))]
    pools = _pools(population)
    draws = generator(seed.child("names")).random(len(population)).tolist()
    name = list(map(population.name.__getitem__, range(len(population))))
    for p in np.flatnonzero(~kept).tolist():
        # A town may have nobody of this gender from there: then any name from there will do.
        pool = pools.get((nationality[p], population.gender[p])) or pools[nationality[p], ""]
        name[p] = pool[int(draws[p] * len(pool))]
    return structs.replace(population, nationality=WordColumn.column(nationality), name=WordColumn.column(name))


def _pools(population: Population) -> dict[tuple[str, str], list[str]]:
    """First names by origin and gender, each as often as residents have it, and by origin alone."""
    found: dict[tuple[str, str], list[str]] = {}
    for person in range(len(population)):
        where, name = population.nationality[person], population.name[person]
        found.setdefault((where, population.gender[person]), []).append(name)
        found.setdefault((where, ""), []).append(name)
    return found


POPULATIONS = ("population.jsonl", "population.npz")
NORMS = "town-norms.jsonl"
PLANS = "plans.jsonl"
CULTUREBANK = ("culturebank-contexts.csv", "culturebank-behaviours.csv", "culbank.csv", "culbank.jsonl")
_TABLES = (".csv", ".json", ".jsonl", ".npz", ".toml")


class LiveCultureTownSetup(Struct, frozen=True, kw_only=True, dict=True):
    """A population with its places through the day, and the norms of each origin by kind of place.

    `cultures` is from how many places the others of a day come, None for as many as the population has; `sampled` says
    that the people come from the seed.
    """

    population: Population
    whereabouts: npt.NDArray[np.int16]
    base: NormBase
    least: float
    seed: Seed
    remarks: tuple[str, ...]
    cultures: int | None = None
    sampled: bool = False
    plans: Mapping[int, DayPlan] = field(default_factory=dict)
    known: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    mixed: dict[str, Population] = field(default_factory=dict)
    met: dict[str, dict[int, Resident]] = field(default_factory=dict)

    @property
    def sources(self) -> dict[str, str]:
        """The population and the norms, what else was given of the days, and the seed of what was not, with a hash."""
        planned = {"plans": digest(sorted(self.plans.items()))} if self.plans else {}
        known = {"population": self.population.fingerprint, "norms": self.base.fingerprint, **planned}
        return {**known, **{f"{what} from the seed": digest([what, self.seed.path]) for what in self._from_seed}}

    @property
    def _from_seed(self) -> tuple[str, ...]:
        """Parts that the seed makes of people who were given; of sampled ones the population's hash tells the seed."""
        if self.sampled:
            return ()
        made = {
            "plans": len(self.plans) < len(self.population),
            "schedule": True,
            "origins": self.cultures is not None,
        }
        return tuple(what for what, holds in made.items() if holds)

    def items(self) -> Sequence[DayItem]:
        """Every resident, by number."""
        return [DayItem(about=self._about(target), target=target) for target in range(len(self.population))]

    def stage(self, item: DayItem, limits: Limits) -> DayConfig:
        """The stage of one resident's day."""
        origin = self.population.nationality[item.target]
        return DayConfig(
            population=self._people_of(origin),
            whereabouts=self.whereabouts,
            target=item.target,
            plan=self.plan(item.target),
            limits=limits,
            looked_up=self.met.setdefault("" if self.cultures is None else origin, {}),
        )

    def norms(self, item: DayItem) -> dict[str, dict[str, str]]:
        """The norms of a resident's origin."""
        return self._norms_of(self.population.nationality[item.target])

    def occasions(self, item: DayItem) -> dict[int, str]:
        """None: norms come up as they may."""
        _ = item
        return {}

    @cached_property
    def longest(self) -> int:
        """The most norms of one origin at one kind of place."""
        origins = self.population.nationality.words
        return max((len(self._norms_of(origin)[kind]) for origin in origins for kind in KINDS), default=0)

    def plan(self, person: int) -> DayPlan:
        """Plan of somebody's day, the same for every subject: as planned for them, or from templates."""
        planned = self.plans.get(person)
        if planned is not None:
            return planned
        return template_of(self.population, person, self.seed.child("plan", person))

    def _norms_of(self, origin: str) -> dict[str, dict[str, str]]:
        if origin not in self.known:
            self.known[origin] = {
                kind: {norm.id: norm.statement for norm in self.base.at(origin, kind, least=self.least)}
                for kind in KINDS
            }
        return self.known[origin]

    def _people_of(self, origin: str) -> Population:
        """The people as a target of an origin finds them."""
        if self.cultures is None:
            return self.population
        if origin not in self.mixed:
            self.mixed[origin] = from_places(self.population, origin, self.cultures, self.seed.child("mix", origin))
        return self.mixed[origin]

    def _about(self, target: int) -> ItemMetadata:
        item, origin = f"day-{target}", self.population.nationality[target]
        return ItemMetadata(item=item, unit=item, cluster=item, place=origin, groups={"nationality": origin})


def town_setup(setting: Setting) -> LiveCultureTownSetup:
    """The town of a run.

    Raises:
        InputError: there is no such data, a file of the population or of the norms cannot be read, or no norm of
            anybody there is known.
    """
    _refuse_nothing(setting.data)
    seed = Seed(f"{setting.seed.path}/town")
    population, remark = _people(setting, seed)
    base, source = _base(setting.data)
    cultures = _cultures(setting, population)
    plans, planned = _plans(setting, population)
    silent = _silent(population, base)
    mixed = f"Others come from {cultures} of the town's places, the target's among them." if cultures else ""
    setup = LiveCultureTownSetup(
        population=population,
        whereabouts=whereabouts(population.home, population.work, population.town, seed.child("days")),
        base=base,
        least=_confidence(setting),
        seed=seed,
        remarks=tuple(filter(None, (f"{remark}.", planned, f"Norms: {source}.", silent, mixed))),
        cultures=cultures,
        sampled=_file(setting.data, *POPULATIONS) is None,
        plans=plans,
    )
    if setup.longest == 0:
        origins = ", ".join(population.nationality.words)
        raise InputError(f"{source}: no norm of anybody in the town; expected norms of some of {origins}.")
    return setup


def _refuse_nothing(data: Path | None) -> None:
    """A path that leads nowhere, or to a folder without any data: it would pass for the default.

    A folder with data of other benchmarks is that of a study of several, in which a town may be sampled.
    """
    if data is None or data.is_file():
        return
    known = (*POPULATIONS, NORMS, PLANS, *CULTUREBANK)
    if not data.is_dir():
        raise InputError(f"--data {data}: no such file or folder; expected one with {NORMS} or other data of a town.")
    if not any(path.suffix in _TABLES for path in data.iterdir()):
        raise InputError(f"--data {data}: nothing of a town in it; expected {', '.join(known)}, or a pack's files.")


def _plans(setting: Setting, people: Population) -> tuple[Mapping[int, DayPlan], str]:
    """Plans that are given, and of how many people they are, in a sentence; nothing where none are."""
    path = _file(setting.data, PLANS)
    if path is None:
        return {}, ""
    found = read_plans(path, people)
    return found.plans, f"Days of {len(found.plans):,} of them as {PLANS} has them ({found.header.description})."


def _silent(population: Population, base: NormBase) -> str:
    """Of whom no norm is known, in a sentence; nothing where norms of all are."""
    names = [known_place(origin).name for origin in population.nationality.words if not base.places_of(origin)]
    if not names:
        return ""
    return f"No norm is known of people from {', '.join(names)}: their days count for goals and not for adherence."


def _confidence(setting: Setting) -> float:
    given = setting.protocol.settings["confidence"]
    try:
        least = float(given)
    except ValueError:
        least = -1.0
    if not 0 <= least <= 1:
        raise InputError(f"--set confidence={given}: expected a share from 0 to 1.")
    return least


def _cultures(setting: Setting, people: Population) -> int | None:
    """From how many places the others come; a number that the town does not have would stand in every figure."""
    if setting.protocol.settings["cultures"] == "census":
        return None
    count, there = whole_number(setting, "cultures"), len(people.nationality.words)
    if count > there:
        raise InputError(
            f"--set cultures={count}: the people of this town come from {there} places; expected a number up to "
            f"{there}, or census."
        )
    return count


def _people(setting: Setting, seed: Seed) -> tuple[Population, str]:
    path = _file(setting.data, *POPULATIONS)
    if path is not None:
        return read_population(path), f"People of {path.name}"
    size = whole_number(setting, "residents")
    people = sample_population(size, seed.child("people"), town=build_town(seed.child("streets")))
    return people, f"{size:,} people sampled from the seed"


def _file(data: Path | None, *names: str) -> Path | None:
    """The first of some files that a run's data has; None where it has none of them."""
    paths = (data / name for name in names) if data is not None else ()
    return next((path for path in paths if path.is_file()), None)


def _base(data: Path | None) -> tuple[NormBase, str]:
    """The norm base of a folder: its own file, CultureBank's rows mapped to kinds of location, or else the pack."""
    path = data if data is not None and data.is_file() else _file(data, NORMS, *CULTUREBANK)
    if path is not None and path.name == NORMS:
        return read_base(path), path.name
    pack = data if data is not None and any(data.glob("*.toml")) else None
    base = map_norms(from_pack(pack) if path is None else from_file(path), read_lexicon()).base
    return base, f"{base.header.made_from if path is None else path.name}, mapped to kinds of location"
