"""Plans as a file beside a population: a first line that says whose they are and who made them, then one a line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from mores.core.codec import build, encode_lines, parse_json, read_text
from mores.core.errors import InputError
from mores.core.transcript import Subtask
from mores.worlds.town.people import Population
from mores.worlds.town.plans import DayPlan, refuse_impossible

FORMAT: Literal["mores town plans 1"] = "mores town plans 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansHeader:
    """What a file begins with: the population by its fingerprint, how many plans follow, and who planned.

    `templates` counts, by cause, the plans in which a template stands for what the planner did not give.
    """

    format: Literal["mores town plans 1"] = FORMAT
    population: str
    plans: int
    planner: str
    templates: dict[str, int] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """Who planned, for people."""
        causes = ", ".join(f"{cause} {count:,}" for cause, count in sorted(self.templates.items()))
        return f"by {self.planner}" + (f"; {sum(self.templates.values()):,} from templates: {causes}" if causes else "")


class DayPlans(NamedTuple):
    """The plans of a file by resident, and what it says of itself."""

    header: PlansHeader
    plans: dict[int, DayPlan]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    id: int
    goal: str
    subtasks: tuple[Subtask, ...]


def plan_lines(
    plans: Mapping[int, DayPlan], *, population: str, planner: str, templates: Mapping[str, int] | None = None
) -> bytes:
    """The bytes of a file of plans; `read_plans` reads them back, equal."""
    header = PlansHeader(population=population, plans=len(plans), planner=planner, templates=dict(templates or {}))
    lines = [_Line(id=person, goal=plan.goal, subtasks=plan.subtasks) for person, plan in sorted(plans.items())]
    return encode_lines((header, *lines))


def read_plans(path: Path, people: Population) -> DayPlans:
    """The plans of a file, checked against the town as a planner's words are.

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
    found: dict[int, DayPlan] = {}
    for number, line in enumerate(lines, start=2):
        where = f"{path}:{number}"
        row = build(_Line, parse_json(line, where=where), where=where)
        if row.id in found or not row.subtasks:
            raise InputError(f"{where}: resident {row.id} stands there twice, or has nothing to do.")
        if not 0 <= row.id < len(people):
            raise InputError(f"{where}: resident {row.id} is nobody; ids are from 0 to {len(people) - 1}.")
        _refuse_unusable(row, people, where)
        found[row.id] = DayPlan(goal=row.goal, subtasks=row.subtasks)
    return DayPlans(header, found)


def _refuse_unusable(row: _Line, people: Population, where: str) -> None:
    """A goal or a task without words, tasks that cannot be told apart, and those that cannot be done."""
    if not row.goal.strip() or not all(task.words.strip() for task in row.subtasks):
        raise InputError(f"{where}: resident {row.id}: a goal or a subtask has no words.")
    ids = [task.id for task in row.subtasks]
    if len(set(ids)) < len(ids):
        raise InputError(f"{where}: resident {row.id}: subtasks are numbered {ids}; expected each number once.")
    for task in row.subtasks:
        refuse_impossible(task, people.town, int(people.home[row.id]), where)
