"""The goal and the subtasks of a resident's day: made once for a resident and the same for every subject.

The plan of templates needs no model; a planner's words are read and checked against the town the same way.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mores.core.codec import build, read_toml
from mores.core.day import Subtask
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.worlds.town.menus import Standing, menu
from mores.worlds.town.schedule import MORNING, NIGHT, SLOT, clock
from mores.worlds.town.streets import KINDS, LocationKind, Town

FEWEST, MOST = 3, 6
_TIME = re.compile(r"\A(\d{1,2}):(\d{2})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What somebody is after on a day: the goal in words, and subtasks in the order of their windows."""

    goal: str
    subtasks: tuple[Subtask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errand:
    words: str
    kind: LocationKind
    action: str
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Templates:
    goals: dict[str, list[str]]
    duties: dict[str, list[_Errand]]
    errands: list[_Errand]


def template_plan(status: str, workplace: LocationKind | None, seed: Seed, *, standing: Standing = "staff") -> Plan:
    """A plan from templates: the duty of who works or studies, and errands that follow one another.

    Args:
        status: employed, student, retired or not working.
        workplace: The kind of place of work or school, None for none.
        seed: Names the person, as `Seed("population").child(id)`.
        standing: What the person is at work, which decides between duties.
    """
    known = _templates()
    offered = {offer.name for offer in menu(workplace, standing)} if workplace is not None else set()
    given = known.duties.get(workplace or "", [])
    duties = [duty for duty in given if duty.action in offered] or given
    ranked = sorted(known.errands, key=lambda errand: seed.child("errand", errand.words).uniform())
    evening = [errand for errand in ranked if not duties or _minute(errand.start) >= 17 * 60]
    picked = sorted([*duties[:1], *evening[: FEWEST + seed.child("count").below(2) - len(duties[:1])]],
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
    return Plan(goal=goals[seed.child("goal").below(len(goals))], subtasks=subtasks)


@cache
def _templates() -> _Templates:
    path = Path(__file__).with_name("plans.toml")
    return build(_Templates, read_toml(path), where=str(path))


def _minute(time: str) -> int:
    match = _TIME.match(time)
    if match is None:
        raise InputError(f"'{time}' is no time; expected one such as 09:30.")
    return 60 * int(match[1]) + int(match[2])


def read_plan(text: str, town: Town, home: int, *, where: str) -> Plan:
    """The plan that a planner's words are: a JSON object with `goal` and `subtasks`, checked against the town.

    Raises:
        InputError: it is no such object, a kind of place is not in the town, or cannot be reached in its window.
    """
    try:
        said: Any = json.loads(text.strip().removeprefix("```json").removeprefix("```").removesuffix("```"))
        subtasks = tuple(_subtask(row, number) for number, row in enumerate(said["subtasks"], start=1))
        plan = Plan(goal=str(said["goal"]).strip(), subtasks=tuple(sorted(subtasks, key=lambda task: task.start)))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{where}: no plan ({error}); expected JSON with goal and subtasks.") from error
    _refuse_impossible(plan, town, home, where)
    return plan


def _subtask(row: Any, number: int) -> Subtask:
    return Subtask(
        id=number,
        words=str(row["words"]).strip(),
        kind=str(row["place"]),
        start=_minute(str(row["from"])),
        end=_minute(str(row["to"])),
    )


def _refuse_impossible(plan: Plan, town: Town, home: int, where: str) -> None:
    if not plan.goal or not FEWEST - 1 <= len(plan.subtasks) <= MOST:
        raise InputError(
            f"{where}: {len(plan.subtasks)} subtasks; expected a goal and {FEWEST - 1} to {MOST} subtasks."
        )
    for task in plan.subtasks:
        if task.kind not in KINDS:
            raise InputError(f"{where}: '{task.kind}' is no place of the town; expected one of {', '.join(KINDS)}.")
        nearest = min(town.distance(home, place) for place in town.of_kind(task.kind))
        reached = MORNING + SLOT * nearest
        if not MORNING <= task.start < task.end <= NIGHT or reached > task.end:
            window = f"{clock(task.start)}–{clock(task.end)}"
            raise InputError(f"{where}: '{task.words}' at {window} cannot be done; expected a window within the day.")
