"""What can be typed after the verbs that look at what there is, at data, at this machine, and those of the town."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from mores.cli.args_run import AS_JSON
from mores.runs.options import argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class ListArgs:
    """List benchmarks, models, datasets, packs, prompts, or the runs under runs/ and how far they are."""

    kind: str = argument("benchmarks, models, datasets, packs, prompts or runs.", "benchmarks")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowArgs:
    """Show what a benchmark says of itself, its items or its prompts; or a place, a norm, the pack."""

    name: str = argument("A benchmark, a family, a place such as JP, a norm's id, pack, or prompts.", MISSING)
    of: str | None = argument("After prompts: whose.", metavar="[BENCHMARK]")
    data: Path | None = option("Folder or file of the benchmark's data.")
    items: bool = option("One line per item: id, place, gold label.", "--items", default=False)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCheckArgs:
    """Read a benchmark's data and say what departs from its card; exit 2 where it is malformed."""

    name: str | None = argument("A benchmark or a family.")
    everything: bool = option("All benchmarks whose data is present.", "--all", default=False)
    data: Path | None = option("Folder or file of the data.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorArgs:
    """Check the installation, and try the ladder on a simulated subject; exit 1 where something is broken."""

    data: Path | None = option("Folder to look for data in; default: $MORES_DATA.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsArgs:
    """Check every statistical method on simulated data with a known truth; exit 1 where one fails."""

    draws: int = option("Number of simulated data sets; slow rows make fewer.", default=1000)
    long: bool = option("Simulate until every row can detect an error of two points.", "--long", default=False)
    seed: int = option("Seed of all random draws.", default=0)
    only: list[str] | None = option("Only families or rows whose name starts with this; repeatable.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheckArgs:
    """Options of both checks of one judge."""

    judge: str = argument("The judge, as --judge of mores run.", MISSING)
    answers: int = option("Number of answers to judge.", default=15)
    base_url: str | None = option("Address of its endpoint.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackArgs(JudgeCheckArgs):
    """Attack a judge, and count how often it passes an answer that it should not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeArgs(JudgeCheckArgs):
    """Put answers to a judge in several ways, and count how often its verdict changes where it must not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationArgs:
    """Sample the people of a town with their homes, work and ties."""

    out: Path = option("New file, ending in .jsonl or .npz.", default=MISSING)
    size: int = option("Number of people.", default=1000)
    seed: int = option("Seed of all random draws.", default=0)
    sampler: Literal["iid", "quota"] = option("iid as in the paper, or quota with exact shares.", default="iid")
    employment: float = option("Share employed of those of working age who do not study.", default=0.65)
    study: float = option("Share of those from 15 to 24 who study.", default=0.45)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansArgs:
    """Have a model plan a goal and subtasks for each resident, once for all runs: plans.jsonl beside the population."""

    population: Path = argument("File of a population (.jsonl or .npz).", MISSING)
    planner: str = option("Model that plans.", default=MISSING)
    base_url: str | None = option("Address of its endpoint.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayArgs:
    """Write a day as one page: the map with everybody on it, the clock, what was done and said, and each verdict."""

    run: Path = argument("Folder of a finished run of days in town.", MISSING)
    episode: str | None = option("The day to show, such as day-17 (day-17/1: its second sample); default: the first.")
    out: Path | None = option("File of the page; default: RUN/replay-EPISODE.html.")
