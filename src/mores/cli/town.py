"""`mores town population` and `mores town plans`: the people of a town, and what each wants to do in a day."""

import asyncio
import sys
from pathlib import Path

from mores.cli.args_list import PlansArgs, PopulationArgs
from mores.cli.asking import open_client
from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.worlds.town.people import Population
from mores.worlds.town.planning import PLANNER, Planned, plan_people, template_of
from mores.worlds.town.plans import plan_lines
from mores.worlds.town.population_files import read_population, suffix_of, write_population
from mores.worlds.town.sampling import SamplingSettings, sample_population
from mores.worlds.town.streets import build_town

PLANS = "plans.jsonl"
PLANNING = Sampling(temperature=0.7, max_tokens=1000)


def make_population(typed: PopulationArgs) -> None:
    """Sample a town and its people into a new file, and print how many they are and where they lie.

    Raises:
        InputError: the size cannot be had, or the file exists, has no folder to lie in, or another suffix.
    """
    out, settings = typed.out, SamplingSettings(employment=typed.employment, study=typed.study)
    suffix_of(out)
    if out.exists() or out.is_symlink():
        raise InputError(f"--out {out}: it exists already and is not overwritten; choose another file.")
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: no folder {out.parent}; make it first.")
    rng_seed = Seed("town").child(typed.seed)
    town = build_town(rng_seed.child("streets"))
    people = sample_population(
        typed.size, rng_seed.child("people"), town=town, sampler=typed.sampler, settings=settings
    )
    write_population(people, out)
    sys.stdout.write(
        f"{len(people):,} people in {people.households:,} households with {len(people.ties) // 2:,} ties between two "
        f"of them: {out} (fingerprint {people.fingerprint}).\n"
    )


def make_plans(typed: PlansArgs) -> None:
    """Have a model plan the day of each resident, into plans.jsonl beside the population.

    Replies are kept in plans.sqlite there, so that a planner that was cut off is not asked twice.

    Raises:
        InputError: the population or the spec cannot be used, or there are plans already.
        RunError: nobody answers.
    """
    population, spec = typed.population, typed.planner
    if not population.name:
        raise InputError(f"{population}: it names no file; expected a population, such as population.jsonl.")
    out = population.with_name(PLANS)
    if out.exists() or out.is_symlink():
        raise InputError(f"{out}: it exists already and is not overwritten; move it to plan again.")
    people = read_population(population)
    planned = asyncio.run(_plans(people, spec, population.with_name("plans.sqlite"), typed.base_url))
    lines = plan_lines(planned.plans, population=people.fingerprint, planner=spec, templates=planned.failed)
    write_new(out, lines)
    stood_in = ", ".join(f"{cause} {count:,}" for cause, count in planned.failed.items())
    sys.stdout.write(
        f"{len(planned.plans):,} plans, {sum(planned.failed.values()):,} of them from templates"
        f"{f' ({stood_in})' if stood_in else ''}: {out}.\n"
    )


async def _plans(people: Population, spec: str, journal: Path, base_url: str | None) -> Planned:
    async with open_client(spec, PLANNING, journal=journal, seed=Seed("plans"), base_url=base_url) as door:
        return await plan_people(
            people,
            range(len(people)),
            Cast({PLANNER: door}),
            sampling=PLANNING,
            template=lambda person: template_of(people, person, Seed("plans").child(person)),
        )
