"""Who lives in the town of a run, where they are when nobody watches, whose norms hold, and what they plan to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mores.benchmarks.benchmark import Setting
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.norms.base import NormBase, find_base
from mores.worlds.town.people import Population
from mores.worlds.town.plans import Plan, template_plan
from mores.worlds.town.records import find_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.schedule import whereabouts
from mores.worlds.town.streets import KINDS, build_town


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A population with its plans and places through the day, and the norms of each origin by kind of place."""

    population: Population
    whereabouts: npt.NDArray[np.int16]
    base: NormBase
    plans: Mapping[int, Plan]
    seed: Seed
    remarks: tuple[str, ...]
    known: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    def norms(self, origin: str) -> dict[str, dict[str, str]]:
        """The norms of one origin: by kind of place, each statement by its id."""
        if origin not in self.known:
            self.known[origin] = {
                kind: {norm.id: norm.statement for norm in self.base.at(origin, kind)} for kind in KINDS
            }
        return self.known[origin]

    def statements(self, origin: str) -> dict[str, list[str]]:
        """The same without ids."""
        return {kind: list(known.values()) for kind, known in self.norms(origin).items()}

    @property
    def longest(self) -> int:
        """The most norms of one origin at one kind of place."""
        origins = set(self.population.nationality.words)
        return max((len(self.base.at(origin, kind)) for origin in origins for kind in KINDS), default=0)

    def plan(self, person: int) -> Plan:
        """What somebody is after on the day: the stored plan, or the one of templates."""
        if person in self.plans:
            return self.plans[person]
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
    stored = find_population(setting.data)
    if stored is not None:
        population, plans, told = stored.population, stored.plans, f"Population of {stored.path.name}"
    else:
        size = int(setting.protocol.settings["residents"])
        population = sample_population(size, seed.child("people"), town=build_town(seed.child("streets")))
        plans, told = {}, f"Population of {size:,} sampled from the seed"
    base, source = find_base(setting.data)
    settled = Settled(
        population=population,
        whereabouts=whereabouts(
            population.home.astype(np.int64), population.work.astype(np.int64), population.town, seed.child("days")
        ),
        base=base,
        plans=plans,
        seed=seed,
        remarks=(f"{told}; plans {'as stored' if plans else 'from templates'}.", f"Norms: {source}."),
    )
    if settled.longest == 0:
        raise InputError(
            f"{source}: no norm of anybody in the town; expected norms of {', '.join(population.nationality.words)}."
        )
    return settled


def sources_of(setting: Setting, settled: Settled) -> dict[str, str]:
    """The population and the norms, each with a hash."""
    _ = setting
    return {"population": settled.population.fingerprint, "norms": settled.base.fingerprint}
