"""The goal and the subtasks of a resident's day: made once for a resident and the same for every subject.

The plan of templates needs no model; a planner's words are read and checked against the town the same way.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Subtask
from mores.worlds.town.actions import UNREADABLE, UnparsedAction, plain, read_object
from mores.worlds.town.menus import Standing, menu
from mores.worlds.town.schedule import MORNING, NIGHT, SLOT, clock
from mores.worlds.town.streets import KINDS, LocationKind, Town

FEWEST, MOST = 3, 6
_QUOTED = 40
_TIME = re.compile(r"\A(\d{1,2}):(\d{2})\Z")


class DayPlan(Struct, frozen=True, kw_only=True):
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


def template_plan(status: str, workplace: LocationKind | None, seed: Seed, *, standing: Standing = "staff") -> DayPlan:
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
    said = read_object(text)
    if isinstance(said, UnparsedAction):
        raise InputError(f"{where}: {said.why.removeprefix(UNREADABLE)}; expected one JSON object.")
    goal, rows = said.get("goal"), said.get("subtasks")
    if not isinstance(goal, str) or not plain(goal) or not isinstance(rows, list):
        raise InputError(f"{where}: no plan; expected 'goal', a sentence, and 'subtasks', a list.")
    subtasks = [_subtask(row, number, f"{where}: subtask {number}") for number, row in enumerate(rows, start=1)]
    if not FEWEST - 1 <= len(subtasks) <= MOST:
        raise InputError(f"{where}: {len(subtasks)} subtasks; expected {FEWEST - 1} to {MOST}.")
    for task in subtasks:
        refuse_impossible(task, town, home, where)
    in_order = sorted(subtasks, key=lambda task: (task.start, task.end))
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
