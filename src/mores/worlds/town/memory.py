"""What somebody remembers of a day: one record a step, the recent ones in full and older periods in a line each.

Lines are only ever added at the end, and a period becomes one line at once when it is old enough, so that what a model
is told begins as it did before.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from mores.worlds.town.schedule import clock

PERIOD = 8
"""Steps that become one line together, once as many have followed them."""
_LONGEST = 120


class Record(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One step as its person remembers it: when, where, what, with whom, the last words that fell, and tasks done."""

    minute: int
    place: str
    kind: str
    what: str
    people: tuple[str, ...] = ()
    outcome: str = ""
    done: tuple[int, ...] = ()

    @cached_property
    def line(self) -> str:
        """All of it in a line."""
        parts = [f"{clock(self.minute)} {self.place} ({self.kind})", self.what]
        if self.people:
            parts.append(f"spoke with {', '.join(self.people)}; last words: {self.outcome[:_LONGEST]}")
        parts += [f"finished task {number}" for number in self.done]
        return " · ".join(_one_line(part) for part in parts)


def recall(records: Sequence[Record]) -> str:
    """What is remembered, a line for each old period and for each step since."""
    old = max(0, len(records) // PERIOD - 1) * PERIOD
    periods = (records[start : start + PERIOD] for start in range(0, old, PERIOD))
    return "\n".join([*(_summary(period) for period in periods), *(record.line for record in records[old:])])


def _summary(period: Sequence[Record]) -> str:
    """A period in a line: the hours, the places, the people, and what was finished."""
    parts = [f"{clock(period[0].minute)} to {clock(period[-1].minute)} at {_listed(each.place for each in period)}"]
    people = _listed(person for each in period for person in each.people)
    if people:
        parts.append(f"spoke with {people}")
    parts += [f"finished task {number}" for each in period for number in each.done]
    return " · ".join(_one_line(part) for part in parts)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _one_line(text: str) -> str:
    return " ".join(text.split())
