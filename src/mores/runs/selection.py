"""Items that a run takes: those that are named, the places asked for, and so many units, of each place its share.

An evaluation can also be asked in parts, on several machines: every N-th unit of the plan. What belongs to one unit
stays together: the statements of a question, the questions on a norm, a day in town. Items of different units share
nothing, so a part leaves for its items what the whole would.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, overload

from mores.benchmarks.benchmark import ExpectedVerdict
from mores.core.codec import parse_json
from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.core.table import OddRow, read_words, scan_table
from mores.core.transcript import Item
from mores.norms.places import find, roll_up

_FORM = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


class LazyItems(Sequence[Item]):
    """Items that are made when somebody first asks for one, as nobody does of an evaluation that is done.

    Raises:
        InputError: then, where they cannot be made.
    """

    def __init__(self, make: Callable[[], Sequence[Item]]) -> None:
        self._make = make
        self._count: int | None = None

    @cached_property
    def _made(self) -> Sequence[Item]:
        return self._make()

    def forget(self) -> None:
        """Give their memory back: for who asks again they are made again, but for how many there are."""
        self._count = len(self)
        vars(self).pop("_made", None)

    def __len__(self) -> int:
        return len(self._made) if self._count is None else self._count

    def __iter__(self) -> Iterator[Item]:
        return iter(self._made)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        return self._made[place]


class NamedItems:
    """The items that a run names, over all its benchmarks: each must be known to one of them.

    A name is that of an item, of its unit, or of a norm that it is judged by. Whole units are taken, as these are what
    figures count: one statement of a question brings the others.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._known: set[str] = set()

    def of(self, items: Sequence[Item], due: Callable[[Item], Sequence[ExpectedVerdict]]) -> list[Item]:
        """Those of a benchmark's items; none where none of the names is among them."""
        wanted, units = frozenset(self._names), set[str]()
        for item in items:
            about = item.about
            names = {about.item, about.unit, drawn_by(item), *(each.about.unit for each in due(item))}
            self._known |= names
            if names & wanted:
                units.add(about.unit)
        return [item for item in items if item.about.unit in units]

    def refuse_unknown(self) -> None:
        """Nothing, where each name is one that a benchmark knows.

        Raises:
            UnknownName: one is not; the line has the nearest.
        """
        for name in self._names:
            if name not in self._known:
                todo = "List them: mores show BENCHMARK --items."
                raise UnknownName("item or norm of these benchmarks", name, self._known, where="--items", todo=todo)


def describe_named(names: Sequence[str]) -> str:
    """Items that are asked alone, in words.

    >>> describe_named(["easy-1", "easy-5", "easy-7", "easy-9"])
    'those of easy-1, easy-5, easy-7 and 1 more'
    """
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"those of {', '.join(names[:3])}{more}"


def select(items: Sequence[Item], *, places: Sequence[str], limit: int | None, seed: Seed) -> Sequence[Item]:
    """The items to play, in the order of the data.

    `limit` counts headline units, of which those that are drawn by one name, such as two questions on one norm, count
    once and come together; each place gets its share, and a smaller limit's units are among a larger one's.

    Raises:
        InputError: a place is unknown, no item is left, or the limit is not positive.
    """
    kept = items
    if places:
        wanted = {find(name, where="--places").id for name in places}
        kept = [item for item in kept if item.about.place and {item.about.place, roll_up(item.about.place)} & wanted]
        if not kept:
            raise InputError(f"--places {','.join(places)}: no item is about these places; see mores show BENCHMARK.")
    if limit is None:
        return kept
    if limit < 1:
        raise InputError(f"--limit {limit}: expected a positive number of units.")
    chosen = _draw(kept, limit, seed)
    return [item for item in kept if drawn_by(item) in chosen]


def drawn_by(item: Item) -> str:
    """The name by which an item's unit is drawn: its own, or one that the item says, as that of its norm."""
    return getattr(item, "drawn", "") or item.about.unit


def _draw(items: Sequence[Item], limit: int, seed: Seed) -> set[str]:
    """Names at the earliest relative positions of their places' shuffled lists: proportional, and nested in N."""
    return set(drawn_order({drawn_by(item): item.about.place or "" for item in items}, seed)[:limit])


def drawn_order(places: Mapping[str, str], seed: Seed) -> list[str]:
    """Names by the relative positions in their places' shuffled lists, given the place of each."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, place in places.items():
        names[place].append(name)
    ranked: list[tuple[float, str]] = []
    for place, members in names.items():
        offset = seed.child("limit", place).uniform()
        shuffled = sorted(members, key=lambda name: seed.child("limit", "unit", name).uniform())
        ranked += [((rank + offset) / len(members), name) for rank, name in enumerate(shuffled)]
    return [name for _, name in sorted(ranked)]


class Shard(NamedTuple):
    """The part with this number, from 1, of so many."""

    number: int = 1
    of: int = 1

    @classmethod
    def read(cls, written: str | None) -> "Shard":
        """The part that is named, such as 2/8; the whole where none is.

        Raises:
            InputError: there is no such part.
        """
        form = _FORM.fullmatch("1/1" if written is None else written)
        if form is None or int(form[1]) > int(form[2]):
            raise InputError(f"--shard {written}: expected I/N, such as 2/8, with I from 1 to N.")
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


COLUMN, FLAGS = "item", "flags"
"""The column of a table that names items, and that in which `mores items` says what is odd about them."""
UNITS = "item_statistics"
"""The table of units that `mores items --json` prints."""
_FILES = (".csv", ".tsv", ".txt", ".json", ".jsonl")


def read_item_names(typed: Iterable[str], folder: Path = Path()) -> tuple[str, ...]:
    """The names in each entry: those that it lists between commas, or that the file of this name holds.

    Raises:
        InputError: a file cannot be read or names none, or nothing is named.
    """
    entries = list(typed)
    found = dict.fromkeys(name for entry in entries for name in _names(entry, folder))
    if entries and not found:
        raise InputError(
            "--items is empty; expected ids as mores show BENCHMARK --items lists them, or a file of them."
        )
    return tuple(found)


def _names(entry: str, folder: Path) -> Iterator[str]:
    path = folder / entry
    if path.suffix in _FILES or _is_file(path):
        yield from _of_file(path)
    else:
        yield from (name.strip() for name in entry.split(",") if name.strip())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a list of many ids is a name that no file can have
        return False


def _of_file(path: Path) -> list[str]:
    text = read_words(path)
    begin = text.lstrip()[:1]
    rows = _of_json(text, path) if begin in {"{", "["} else _of_lines(text, path)
    found = [name for row in rows if (name := row.get(COLUMN, "").strip())]
    if not found:
        raise InputError(f"{path}: no item in it; expected an id a line, or a table with a column '{COLUMN}'.")
    return found


def _of_lines(text: str, path: Path) -> list[dict[str, str]]:
    """Rows of a table that has the column, else a row a line; a line that begins with # is none."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines or COLUMN not in re.split(r"[,;\t|\"]", lines[0]):
        return [{COLUMN: line} for line in lines]
    rows = list[dict[str, str]]()
    for row in scan_table(path.with_suffix(".csv"), text[text.index(lines[0]) :]):
        if isinstance(row, OddRow):
            raise InputError(f"{path}: {row.why} (row {len(rows) + 1}).")
        rows.append(_row(row.cells))
    return _odd([row for row in rows if not row.get(COLUMN, "").startswith("#")])


def _of_json(text: str, path: Path) -> list[dict[str, str]]:
    """Rows of a list, of lines of JSON, or of what `mores items --json` prints."""
    try:
        whole = parse_json(text, where=str(path))
    except InputError:
        whole = [parse_json(line, where=str(path)) for line in text.splitlines() if line.strip()]
    if isinstance(whole, Mapping) and isinstance(units := whole.get(UNITS), list):
        whole = units
    listed = whole if isinstance(whole, list) else [whole]
    return _odd([_row(each) for each in listed])


def _row(each: object) -> dict[str, str]:
    if not isinstance(each, Mapping):
        return {COLUMN: str(each)}
    kept = {name: each[name] for name in (COLUMN, FLAGS) if name in each}
    return {name: ";".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in kept.items()}


def _odd(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows that say something odd, where a table has a column for that; else all."""
    return [row for row in rows if row.get(FLAGS, "").strip()] if any(FLAGS in row for row in rows) else rows
