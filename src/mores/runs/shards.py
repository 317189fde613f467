"""Parts of an evaluation that can be asked apart, on several machines: every N-th unit of the plan.

What belongs to one unit stays together: the statements of a question, the questions on a norm, a day in town. Items of
different units share nothing, so a part leaves for its items what the whole would.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mores.core.errors import InputError
from mores.core.item import Item
from mores.runs.selection import drawn_by

_FORM = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


class Shard(NamedTuple):
    """The part with this number, from 1, of so many."""

    number: int = 1
    of: int = 1

    @classmethod
    def read(cls, said: str | None) -> "Shard":
        """The part that is named, such as 2/8; the whole where none is.

        Raises:
            InputError: there is no such part.
        """
        form = _FORM.fullmatch("1/1" if said is None else said)
        if form is None or int(form[1]) > int(form[2]):
            raise InputError(f"--shard {said}: expected I/N, such as 2/8, with I from 1 to N.")
        return cls(int(form[1]), int(form[2]))

    def __str__(self) -> str:
        """As it is typed."""
        return f"{self.number}/{self.of}"

    def part(self, items: Sequence[Item], name: str) -> Sequence[Item]:
        """Its items, in the order of the plan.

        Raises:
            InputError: a benchmark of this name has fewer units than there are parts.
        """
        if self.of == 1:
            return items
        part = [item for item, number in zip(items, numbers_of(items, self.of), strict=True) if number == self.number]
        if not part:
            units = len({drawn_by(item) for item in items})
            raise InputError(f"--shard {self}: {name} has {units:,} units to ask; expected at most as many parts.")
        return part


def numbers_of(items: Sequence[Item], of: int) -> Iterator[int]:
    """The number of the part in which each item is, of so many; units are dealt out in the order of the plan."""
    units: dict[str, int] = {}
    for item in items:
        yield 1 + units.setdefault(drawn_by(item), len(units)) % of
