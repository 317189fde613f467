"""`mores town population`, `plans` and `replay`: people of a town, their plans, and a day as a page."""

# ruff: noqa: RUF009 - `option` makes a field
import asyncio
import sys
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from mores.analysis.results import Result
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.replay import Replay, replay_of, write_replay
from mores.cli import screen
from mores.cli.asking import open_client
from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.runs.folder import MANIFEST
from mores.runs.loading import read_unchanged
from mores.runs.options import argument, option
from mores.runs.specify import read_study
from mores.worlds.town.marginals import TABLES, marginals
from mores.worlds.town.people import Population
from mores.worlds.town.planning import PLANNER, Planned, plan_people, template_of
from mores.worlds.town.plans import plan_lines
from mores.worlds.town.population_files import read_population, suffix_of, write_population
from mores.worlds.town.sampling import SamplingSettings, sample_population
from mores.worlds.town.streets import build_town

PLANS = "plans.jsonl"
PLANNING = Sampling(temperature=0.7, max_tokens=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationArgs:
    """Sample the people of a town with their homes, work and ties."""

    out: Path = option("New file, ending in .jsonl or .npz.", default=MISSING)
    size: int = option("Number of people.", default=1000)
    seed: int = option("Seed of all random draws.", default=0)
    sampler: Literal["iid", "quota"] = option("iid as in the paper, or quota with exact shares.", default="iid")
    employment: float = option("Share employed of those of working age who do not study.", default=0.65)
    study: float = option("Share of those from 15 to 24 who study.", default=0.45)
    full: bool = option("Print how many there are of each age, origin, household …, beside the published shares.",
                        "--full", default=False)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansArgs:
    """Have a model plan a goal and subtasks for each resident, once for all runs: plans.jsonl beside the population."""

    population: Path = argument("File of a population (.jsonl or .npz).", MISSING)
    planner: str = option("Model that plans.", default=MISSING)
    base_url: str | None = option("Address of its endpoint.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayArgs:
    """Write a day as one page: the map with everybody on it, the clock, actions and talks, and each verdict."""

    run: Path = argument("Folder of a finished run of days in town.", MISSING)
    episode: str | None = option("The day to show, such as day-17 (day-17/1: its second sample); default: the first.")
    out: Path | None = option("File of the page; default: RUN/replay-EPISODE.html.")


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
    if typed.full:
        _print_marginals(people)


def _print_marginals(people: Population) -> None:
    for name, rows in marginals(people).items():
        words = "households" if name in {"family", "household"} else "people"
        heads = (name, words, "%", f"paper, table {TABLES[name]}, %")
        screen.table(heads, [(row.word, row.drawn, f"{row.share:4.1f}", f"{row.published:4.1f}") for row in rows])


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
    causes = ", ".join(f"{cause} {count:,}" for cause, count in planned.failed.items())
    sys.stdout.write(
        f"{len(planned.plans):,} plans, {sum(planned.failed.values()):,} of them from templates"
        f"{f' ({causes})' if causes else ''}: {out}.\n"
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


def replay(typed: ReplayArgs) -> None:
    """Write a day as a page and print where it lies, by default in the run's folder.

    Raises:
        InputError: the folder is no finished run with days in town, the episode is unknown, or the file is a folder.
    """
    out = typed.out
    if out is not None and out.is_dir():
        raise InputError(f"--out {out}: it is a folder; expected the page's file name, such as {out / 'replay.html'}.")
    found = read_replay(typed.run, episode=typed.episode)
    page = out if out is not None else typed.run / _page_of(found)
    write_replay(found, page, private=out is None)
    sys.stdout.write(f"{page}\n")


def read_replay(run: Path, *, episode: str | None = None) -> Replay:
    """The days of one episode, of all models of a run.

    Raises:
        InputError: the folder is no finished run with days in town, or the episode is unknown.
    """
    return replay_of(read_unchanged([run]), _setting, episode=episode)


def _setting(evaluation: Result) -> Setting:
    """Setting of an evaluation."""
    spec, _ = read_study(evaluation.folder / MANIFEST)
    return Setting(
        data=Path(spec.data) if spec.data else None,
        protocol=evaluation.provenance.protocol,
        seed=spec.root_seed,
        roles=evaluation.provenance.roles,
    )


def _page_of(found: Replay) -> str:
    """The page's name: that of the episode, and its sample where it is not the first."""
    first = found.days[0]
    sample = f"-{first.sample}" if first.sample else ""
    return f"replay-{first.item}{sample}.html"
