"""Who lives in the town of a run, where they are when nobody watches, whose norms hold, and what they plan to do."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.mapping.lexicon import read_lexicon
from mores.benchmarks.liveculture.mapping.sources import from_file, from_pack
from mores.benchmarks.liveculture.mapping.stage import map_norms
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.norms.base import NormBase, read_base
from mores.worlds.town.people import Population
from mores.worlds.town.plans import Plan, template_plan
from mores.worlds.town.population_files import read_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import whereabouts
from mores.worlds.town.streets import KINDS, build_town

POPULATIONS = ("population.jsonl", "population.npz")
NORMS = "town-norms.jsonl"
CULTUREBANK = ("culturebank-contexts.csv", "culturebank-behaviours.csv", "culbank.csv", "culbank.jsonl")


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A population with its plans and places through the day, and the norms of each origin by kind of place."""

    population: Population
    whereabouts: npt.NDArray[np.int16]
    base: NormBase
    least: float
    seed: Seed
    remarks: tuple[str, ...]
    known: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    def norms(self, origin: str) -> dict[str, dict[str, str]]:
        """The norms of one origin: by kind of place, each statement by its id."""
        if origin not in self.known:
            self.known[origin] = {
                kind: {norm.id: norm.statement for norm in self.base.at(origin, kind, least=self.least)}
                for kind in KINDS
            }
        return self.known[origin]

    def statements(self, origin: str) -> dict[str, list[str]]:
        """The same without ids."""
        return {kind: list(known.values()) for kind, known in self.norms(origin).items()}

    @property
    def longest(self) -> int:
        """The most norms of one origin at one kind of place."""
        origins = set(self.population.nationality.words)
        return max((len(self.norms(origin)[kind]) for origin in origins for kind in KINDS), default=0)

    def plan(self, person: int) -> Plan:
        """What somebody is after on the day: the same for every subject."""
        people = self.population
        work = int(people.work[person])
        kind = people.town.locations[work].kind if work >= 0 else None
        return template_plan(people.status[person], kind, self.seed.child("plan", person))


def settle(setting: Setting) -> Settled:
    """The town of a run.

    Raises:
        InputError: a file of the population or of the norms cannot be read, or no norm of anybody there is known.
    """
    seed = Seed(f"{setting.seed.path}/town")
    population, told = _people(setting, seed)
    base, source = _base(setting.data)
    settled = Settled(
        population=population,
        whereabouts=whereabouts(
            population.home.astype(np.int64), population.work.astype(np.int64), population.town, seed.child("days")
        ),
        base=base,
        least=float(setting.protocol.settings["confidence"]),
        seed=seed,
        remarks=(f"{told}.", f"Norms: {source}."),
    )
    if settled.longest == 0:
        origins = ", ".join(population.nationality.words)
        raise InputError(f"{source}: no norm of anybody in the town; expected norms of some of {origins}.")
    return settled


def _people(setting: Setting, seed: Seed) -> tuple[Population, str]:
    for name in POPULATIONS:
        path = setting.data / name if setting.data is not None and setting.data.is_dir() else None
        if path is not None and path.is_file():
            return read_population(path), f"People of {name}"
    size = int(setting.protocol.settings["residents"])
    people = sample_population(size, seed.child("people"), town=build_town(seed.child("streets")))
    return people, f"{size:,} people sampled from the seed"


@cache
def _base(data: Path | None) -> tuple[NormBase, str]:
    """The norm base of a folder: its own file, CultureBank's rows mapped to kinds of location, or else the pack."""
    if data is not None and data.is_file():
        return _read(data)
    for path in [data / name for name in (NORMS, *CULTUREBANK)] if data is not None else ():
        if path.is_file():
            return _read(path)
    pack = data if data is not None and any(data.glob("*.toml")) else None
    made = map_norms(from_pack(pack), read_lexicon())
    return made.base, f"{made.base.header.made_from}, mapped to kinds of location"


def _read(path: Path) -> tuple[NormBase, str]:
    if path.name == NORMS:
        return read_base(path), path.name
    return map_norms(from_file(path), read_lexicon()).base, f"{path.name}, mapped to kinds of location"


def sources_of(settled: Settled) -> dict[str, str]:
    """The population and the norms, each with a hash."""
    return {"population": settled.population.fingerprint, "norms": settled.base.fingerprint}
