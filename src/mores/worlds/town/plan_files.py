"""Plans as a file beside a population: a first line that says whose they are and who made them, then one a line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mores.core.codec import build, encode, parse_json, read_text
from mores.core.day import Subtask
from mores.core.errors import InputError
from mores.worlds.town.people import Population
from mores.worlds.town.plans import Plan, refuse_impossible

FORMAT: Literal["mores town plans 1"] = "mores town plans 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansHeader:
    """What a file begins with: the population by its fingerprint, how many plans follow, and who planned."""

    format: Literal["mores town plans 1"] = FORMAT
    population: str
    plans: int
    planner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    id: int
    goal: str
    subtasks: tuple[Subtask, ...]


def plan_lines(plans: Mapping[int, Plan], *, population: str, planner: str) -> bytes:
    """The bytes of a file of plans; `read_plans` reads them back, equal."""
    header = PlansHeader(population=population, plans=len(plans), planner=planner)
    lines = [_Line(id=person, goal=plan.goal, subtasks=plan.subtasks) for person, plan in sorted(plans.items())]
    return b"".join(encode(row) + b"\n" for row in (header, *lines))


def read_plans(path: Path, people: Population) -> dict[int, Plan]:
    """The plans of a file, by resident, checked against the town as a planner's words are.

    Raises:
        InputError: the file cannot be read, is not whole, repeats a resident, is of another population, or has a task
            that cannot be done there.
    """
    first, *lines = read_text(path).removesuffix("\n").split("\n")
    header = build(PlansHeader, parse_json(first, where=f"{path}:1"), where=f"{path}:1")
    if header.population != people.fingerprint:
        beside = people.fingerprint
        raise InputError(f"{path}: plans of the population {header.population}; the one beside it is {beside}.")
    if len(lines) != header.plans:
        raise InputError(f"{path}: {len(lines)} plans; its first line says {header.plans}. Is it whole?")
    found: dict[int, Plan] = {}
    for number, line in enumerate(lines, start=2):
        where = f"{path}:{number}"
        row = build(_Line, parse_json(line, where=where), where=where)
        if row.id in found or not row.subtasks:
            raise InputError(f"{where}: resident {row.id} stands there twice, or has nothing to do.")
        if not 0 <= row.id < len(people):
            raise InputError(f"{where}: resident {row.id} is nobody; ids are from 0 to {len(people) - 1}.")
        _refuse_unusable(row, people, where)
        found[row.id] = Plan(goal=row.goal, subtasks=row.subtasks)
    return found


def _refuse_unusable(row: _Line, people: Population, where: str) -> None:
    """A goal or a task without words, tasks that cannot be told apart, and those that cannot be done."""
    if not row.goal.strip() or not all(task.words.strip() for task in row.subtasks):
        raise InputError(f"{where}: resident {row.id}: a goal or a subtask has no words.")
    ids = [task.id for task in row.subtasks]
    if len(set(ids)) < len(ids):
        raise InputError(f"{where}: resident {row.id}: subtasks are numbered {ids}; expected each number once.")
    for task in row.subtasks:
        refuse_impossible(task, people.town, int(people.home[row.id]), where)
