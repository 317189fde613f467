"""The goal and the subtasks of a resident's day: made once for a resident and the same for every subject.

The plan of templates needs no model; a planner's words are read and checked against the town the same way.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Literal, NamedTuple, cast

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.codec import build, encode_lines, parse_json, read_text, read_toml
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Subtask
from mores.worlds.town.actions import UNREADABLE, PlaceRole, UnparsedAction, menu, plain, read_object
from mores.worlds.town.people import Population
from mores.worlds.town.schedule import MORNING, NIGHT, SLOT, clock
from mores.worlds.town.streets import KINDS, LocationKind, Town

FEWEST, MOST = 3, 6
STEPS, OVER = 30, 17 * 60
"""Steps of a day, and when it is over if every second one is a conversation of ten minutes (the paper's day; what a
conversation takes is a setting of ours)."""
LATEST = OVER - 60
"""The latest that a window may begin: what begins later most days never reach."""
_AFTER_WORK = 13 * 60
_QUOTED = 40
_TIME = re.compile(r"\A(\d{1,2}):(\d{2})\Z")


class DayPlan(Struct, frozen=True, kw_only=True):
    """Plan of somebody's day: the goal in words, and subtasks in the order of their windows."""

    goal: str
    subtasks: tuple[Subtask, ...]


class _Errand(Struct, frozen=True, kw_only=True):
    words: str
    kind: LocationKind
    action: str
    start: str
    end: str


class _Templates(Struct, frozen=True, kw_only=True):
    goals: dict[str, list[str]]
    duties: dict[str, list[_Errand]]
    errands: list[_Errand]


def template_plan(
    status: str, workplace: LocationKind | None, seed: Seed, *, place_role: PlaceRole = "staff"
) -> DayPlan:
    """A plan from templates: the duty of who works or studies, and errands that follow one another.

    Args:
        status: employed, student, retired or not working.
        workplace: The kind of place of work or school, None for none.
        seed: Names the person, as `Seed("population").child(id)`.
        place_role: What the person is at work, which decides between duties.
    """
    known = _templates()
    offered = {offer.name for offer in menu(workplace, place_role)} if workplace is not None else set()
    given = known.duties.get(workplace or "", [])
    duties = [duty for duty in given if duty.action in offered] or given
    ranked = sorted(known.errands, key=lambda errand: seed.child("errand", errand.words).uniform())
    later = [errand for errand in ranked if not duties or _minute(errand.start) >= _AFTER_WORK]
    picked = sorted([*duties[:1], *later[: FEWEST + seed.child("count").below(2) - len(duties[:1])]],
                    key=lambda errand: _minute(errand.start))  # fmt: skip
    goals = known.goals[status if status in known.goals else "other"]
    subtasks = tuple(
        Subtask(
            id=number,
            words=errand.words,
            kind=errand.kind,
            start=_minute(errand.start),
            end=_minute(errand.end),
            action=errand.action,
        )
        for number, errand in enumerate(picked, start=1)
    )
    return DayPlan(goal=goals[seed.child("goal").below(len(goals))], subtasks=subtasks)


@cache
def _templates() -> _Templates:
    path = Path(__file__).with_name("plans.toml")
    return build(_Templates, read_toml(path), where=str(path))


def _minute(time: str) -> int:
    match = _TIME.match(time)
    if match is None or int(match[2]) > 59:
        raise InputError(f"'{time[:_QUOTED]}' is no time; expected one such as 09:30.")
    return 60 * int(match[1]) + int(match[2])


def read_plan(text: str, town: Town, home: int, *, where: str) -> DayPlan:
    """The plan that a planner's words are: a JSON object with `goal` and `subtasks`, checked against the town.

    Raises:
        InputError: it is no such object, a kind of place is not in the town, or cannot be reached in its window.
    """
    payload = read_object(text)
    if isinstance(payload, UnparsedAction):
        raise InputError(f"{where}: {payload.why.removeprefix(UNREADABLE)}; expected one JSON object.")
    goal, rows = payload.get("goal"), payload.get("subtasks")
    if not isinstance(goal, str) or not plain(goal) or not isinstance(rows, list):
        raise InputError(f"{where}: no plan; expected 'goal', a sentence, and 'subtasks', a list.")
    subtasks = [_subtask(row, number, f"{where}: subtask {number}") for number, row in enumerate(rows, start=1)]
    if not FEWEST - 1 <= len(subtasks) <= MOST:
        raise InputError(f"{where}: {len(subtasks)} subtasks; expected {FEWEST - 1} to {MOST}.")
    for task in subtasks:
        refuse_impossible(task, town, home, where)
        if task.start > LATEST:
            raise InputError(
                f"{where}: '{task.words}' from {clock(task.start)} comes too late, as most days are over by "
                f"{clock(OVER)}; expected windows that begin by {clock(LATEST)}."
            )
    in_order = sorted(subtasks, key=lambda task: (task.start, task.end))
    if (needed := steps_of(in_order, town, home)) > STEPS:
        raise InputError(f"{where}: its subtasks take {needed} steps one after another; expected at most {STEPS}.")
    return DayPlan(goal=plain(goal), subtasks=tuple(replace(task, id=n) for n, task in enumerate(in_order, start=1)))


def _subtask(row: object, number: int, where: str) -> Subtask:
    words = row if isinstance(row, dict) else {}
    missing = [name for name in ("words", "place", "from", "to") if not isinstance(words.get(name), str)]
    if missing or not plain(words["words"]):
        raise InputError(f"{where}: no text under {missing or 'words'}; expected words, place, from and to.")
    try:
        start, end = _minute(words["from"]), _minute(words["to"])
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    return Subtask(id=number, words=plain(words["words"]), kind=words["place"], start=start, end=end)


def refuse_impossible(task: Subtask, town: Town, home: int, where: str) -> None:
    """Nothing where a task can be done on a day that begins at a home.

    Raises:
        InputError: its kind of place is not in the town, its window is not in the day, or it is over too soon.
    """
    if task.kind not in KINDS:
        raise InputError(f"{where}: '{task.kind[:_QUOTED]}' is no place of the town; it has {', '.join(KINDS)}.")
    nearest = min(town.distance(home, place) for place in town.of_kind(task.kind))
    reached = MORNING + SLOT * nearest
    if not MORNING <= task.start < task.end <= NIGHT or reached > task.end:
        window = f"{clock(task.start)} to {clock(task.end)}"
        raise InputError(f"{where}: '{task.words}' from {window} cannot be done; expected a window within the day.")


def steps_of(tasks: Iterable[Subtask], town: Town, where: int) -> int:
    """Steps that tasks take one after another: the way to the nearest place of each kind, and one to do it."""
    steps = 0
    for task in tasks:
        nearest = min(town.of_kind(cast(LocationKind, task.kind)), key=partial(town.distance, where))
        steps += town.distance(where, nearest) + 1
        where = nearest
    return steps


FORMAT: Literal["mores town plans 1"] = "mores town plans 1"


class PlansHeader(Struct, frozen=True, kw_only=True):
    """First line of a file: the population by its fingerprint, how many plans follow, and who planned.

    `templates` counts, by cause, the plans in which a template stands for what the planner did not give.
    """

    format: Literal["mores town plans 1"] = FORMAT
    population: str
    plans: int
    planner: str
    templates: dict[str, int] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """Planner, for people."""
        causes = ", ".join(f"{cause} {count:,}" for cause, count in sorted(self.templates.items()))
        return f"by {self.planner}" + (f"; {sum(self.templates.values()):,} from templates: {causes}" if causes else "")


class DayPlans(NamedTuple):
    """The plans of a file by resident, and what it says of itself."""

    header: PlansHeader
    plans: dict[int, DayPlan]


class _Line(Struct, frozen=True, kw_only=True):
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
        fingerprint = people.fingerprint
        raise InputError(f"{path}: plans of the population {header.population}; the one beside it is {fingerprint}.")
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
