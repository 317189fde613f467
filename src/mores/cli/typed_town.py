"""What can be typed after the verbs of the town."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from mores.runs.options import argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPopulation:
    """Sample the people of a town with their homes, work and ties."""

    out: Path = option("New file, ending in .jsonl or .npz.", default=MISSING)
    size: int = option("Number of people.", default=1000)
    seed: int = option("Seed of all random draws.", default=0)
    sampler: Literal["iid", "quota"] = option("iid as in the paper, or quota with exact shares.", default="iid")
    employment: float = option("Share employed of those of working age who do not study.", default=0.65)
    study: float = option("Share of those from 15 to 24 who study.", default=0.45)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPlans:
    """Have a model plan a goal and subtasks for each resident, once for all runs: plans.jsonl beside the population."""

    population: Path = argument("File of a population (.jsonl or .npz).", MISSING)
    planner: str = option("Model that plans.", default=MISSING)
    base_url: str | None = option("Address of its endpoint.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedReplay:
    """Write a day as one page: the map with everybody on it, the clock, what was done and said, and each verdict."""

    run: Path = argument("Folder of a finished run of days in town.", MISSING)
    episode: str | None = option("The day to show, such as day-17 (day-17/1: its second sample); default: the first.")
    against: Path | None = option("Another run with the same seed, to show beside it.")
    out: Path | None = option("File of the page; default: RUN/replay-EPISODE.html.")
