"""The people of a town: who each is, with whom they live, where they work, and whom they know.

A population is columns and edges, so that a million people are a few arrays; `resident` gives one of them as a value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, NamedTuple, Self, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import fields

from mores.core.arrays import Integers
from mores.core.codec import canonical
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.worlds.town.streets import Town

Gender = Literal["female", "male"]
WorkStatus = Literal["employed", "student", "retired", "not working"]
HouseholdRole = Literal["lone", "spouse", "parent", "child", "sibling", "housemate"]
TieKind = Literal[
    "spouse",
    "parent",
    "child",
    "sibling",
    "housemate",
    "manager",
    "subordinate",
    "colleague",
    "teacher",
    "student",
    "classmate",
    "friend",
    "neighbour",
    "stranger",
]
"""What somebody is to somebody else, the closest first: two people have one tie, the closest of those they might."""
STATUSES: tuple[WorkStatus, ...] = get_args(WorkStatus)
ROLES: tuple[HouseholdRole, ...] = get_args(HouseholdRole)
TIE_KINDS: tuple[TieKind, ...] = get_args(TieKind)
_OPPOSITES: dict[TieKind, TieKind] = {"parent": "child", "manager": "subordinate", "teacher": "student"}
MIRROR: dict[TieKind, TieKind] = (
    {kind: kind for kind in TIE_KINDS} | _OPPOSITES | {back: kind for kind, back in _OPPOSITES.items()}
)
"""What I am to somebody who is that to me: a child to my parent, a friend to my friend."""

Numbers: TypeAlias = "npt.NDArray[np.int32]"
NOWHERE = -1
"""Stands for no workplace in the column of them."""


class Tie(Struct, frozen=True, kw_only=True):
    """Somebody whom a resident knows: their id, and what they are to the resident."""

    to: int
    kind: TieKind


class Resident(Struct, frozen=True, kw_only=True):
    """One of the people; `home` and `work` are ids of locations, `work` of a student is the school."""

    id: int
    name: str
    age: int
    gender: Gender
    nationality: str
    status: WorkStatus
    occupation: str | None
    title: str | None
    household: int
    role: HouseholdRole
    home: int
    work: int | None
    ties: tuple[Tie, ...]

    @property
    def phonebook(self) -> tuple[Tie, ...]:
        """Ties that the resident can call, the closest first: all but strangers."""
        known = (tie for tie in self.ties if tie.kind != "stranger")
        return tuple(sorted(known, key=lambda tie: TIE_KINDS.index(tie.kind)))


class WordColumn(Struct, frozen=True, eq=False):
    """A column of words as codes into those that are in use, in order, so that equal columns have equal codes."""

    words: tuple[str, ...]
    codes: npt.NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, words: Sequence[str], codes: npt.NDArray[np.integer]) -> Self:
        """The column of `words[code]` for each code; a word may stand twice."""
        used = np.flatnonzero(np.bincount(codes, minlength=len(words))).tolist()
        ordered = sorted({words[code] for code in used})
        places = {word: place for place, word in enumerate(ordered)}
        # The smallest kind of number that will do, as a town may have ten million people.
        moved = np.zeros(len(words), dtype=np.min_scalar_type(max(len(ordered) - 1, 0)))
        moved[used] = [places[words[code]] for code in used]
        return cls(tuple(ordered), moved[codes])

    @classmethod
    def column(cls, values: Sequence[str]) -> Self:
        """The column of these words."""
        words = sorted(set(values))
        places = {word: place for place, word in enumerate(words)}
        return cls.of(words, np.fromiter((places[value] for value in values), dtype=np.int64, count=len(values)))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.words[int(self.codes[row])]

    def are(self, *wanted: str) -> npt.NDArray[np.bool_]:
        """Of each row, whether its word is one of these."""
        among = np.array([word in wanted for word in self.words], dtype=np.bool_)
        return among[self.codes] if len(self.words) else np.zeros(0, dtype=np.bool_)


class Ties(Struct, frozen=True, kw_only=True, eq=False):
    """Directed edges, by source and then target: `target` is `kind` to `source`. Each has its mirror."""

    source: Numbers
    target: Numbers
    kind: WordColumn

    def __len__(self) -> int:
        return len(self.source)

    def of(self, person: int) -> tuple[Tie, ...]:
        """Ties of one person, by id."""
        first, last = np.searchsorted(self.source, np.array([person, person + 1], dtype=np.int32))
        kinds = cast(tuple[TieKind, ...], self.kind.words)
        rows = zip(self.target[first:last].tolist(), self.kind.codes[first:last].tolist(), strict=True)
        return tuple(Tie(to=to, kind=kinds[code]) for to, code in rows)


class PopulationOrigin(Struct, frozen=True, kw_only=True):
    """Origin of a population: how it was sampled."""

    sampler: str
    seed: str
    employment: float
    study: float


class Population(Struct, frozen=True, kw_only=True, eq=False):
    """The people of a town, a row for each; no occupation and no title are an empty word. `origin` None: not sampled.

    Two populations are the same if their fingerprints are.
    """

    town: Town
    origin: PopulationOrigin | None
    age: Numbers
    household: Numbers
    home: Numbers
    work: Numbers
    name: WordColumn
    gender: WordColumn
    nationality: WordColumn
    status: WordColumn
    occupation: WordColumn
    title: WordColumn
    role: WordColumn
    ties: Ties

    def __len__(self) -> int:
        return len(self.age)

    @property
    def households(self) -> int:
        """Number of households."""
        return int(np.count_nonzero(np.bincount(self.household)))

    def resident(self, person: int) -> Resident:
        """One of the people, with all ties.

        Raises:
            InputError: nobody has this id.
        """
        if not 0 <= person < len(self):
            raise InputError(f"No resident has the id {person}; expected 0 to {len(self) - 1}.")
        work = int(self.work[person])
        return Resident(
            id=person,
            name=self.name[person],
            age=int(self.age[person]),
            gender=cast(Gender, self.gender[person]),
            nationality=self.nationality[person],
            status=cast(WorkStatus, self.status[person]),
            occupation=self.occupation[person] or None,
            title=self.title[person] or None,
            household=int(self.household[person]),
            role=cast(HouseholdRole, self.role[person]),
            home=int(self.home[person]),
            work=None if work == NOWHERE else work,
            ties=self.ties.of(person),
        )

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits of a hash of the town, all columns and all ties; how they came about does not matter."""
        heap = hashlib.sha256(canonical(self.town))
        for holder in (self, self.ties):
            for field in fields(holder):
                match getattr(holder, field.name):
                    case WordColumn() as column:
                        heap.update(canonical([field.name, column.words]) + _bytes(column.codes))
                    case np.ndarray() as column:
                        heap.update(canonical(field.name) + _bytes(column))
                    case _:
                        pass
        return heap.hexdigest()[:12]


def _bytes(column: npt.NDArray[np.generic]) -> bytes:
    """The column's bytes, the same on any machine."""
    return column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes()


TEAM = 5
"""The most people who work or learn together, not counting who leads or teaches them."""
FRIENDS = 2
STRANGERS = 1
"""How many of each are drawn for a person; who is drawn may be closer already."""
_BITS = 4
"""Bits of a packed edge that hold the kind of tie."""


class PersonPairs(NamedTuple):
    """Pairs of people; `other` is `kind` to `one`."""

    one: Integers
    other: Integers
    kind: TieKind


def ties_of(pairs: Sequence[PersonPairs]) -> Ties:
    """All pairs seen from both sides, each two people with the closest of their ties only."""
    people = 1 + max((int(ids.max(initial=0)) for pair in pairs for ids in pair[:2]), default=0)
    edges = [_packed(one, other, kind, people) for one, other, kind in pairs]
    edges += [_packed(other, one, MIRROR[kind], people) for one, other, kind in pairs]
    packed = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *edges]))
    ends = packed >> _BITS
    # In this order the closest tie of two people comes first; the others are dropped.
    first = np.ones(len(ends), dtype=np.bool_)
    np.not_equal(ends[1:], ends[:-1], out=first[1:])
    source, target = np.divmod(ends[first], people)
    kind = WordColumn.of(TIE_KINDS, packed[first] & ((1 << _BITS) - 1))
    return Ties(source=source.astype(np.int32), target=target.astype(np.int32), kind=kind)


def _packed(source: Integers, target: Integers, kind: TieKind, people: int) -> Integers:
    """One number for an edge, ordered by source, target and closeness."""
    return ((source * people + target) << _BITS) | TIE_KINDS.index(kind)


def together(members: Integers, group: Integers, kind: TieKind, reach: int) -> PersonPairs:
    """Pairs within groups of people who stand in the order of their groups, each with the `reach` who come next."""
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for step in range(1, reach + 1):
        same = group[step:] == group[:-step]
        firsts.append(members[:-step][same])
        seconds.append(members[step:][same])
    return PersonPairs(np.concatenate(firsts), np.concatenate(seconds), kind)


def team_ties(
    members: Integers, leaders: Integers, work: Integers, kinds: tuple[TieKind, TieKind], seed: Seed
) -> tuple[PersonPairs, PersonPairs]:
    """Ties within teams, and from their members to whoever leads them.

    Teams are of one location each, as few as can be and as even as they come.

    Args:
        members: Those who form teams.
        leaders: Those who lead one team each, while their location has any left for them; a team may go without.
        work: Location of everybody in town.
        kinds: What members are to each other, and what a leader is to them.
        seed: Dice.
    """
    members = by_location(members, work, seed.child("teams"))
    location = work[members]
    there = np.bincount(location, minlength=1)
    teams = -(-there // TEAM)
    # Number k of n people of a location is in team k * teams // n, so that teams are even.
    number = (np.arange(len(members)) - _starts(there)[location]) * teams[location] // there[location]
    led = by_location(leaders, work, seed.child("leaders"))
    leading = np.bincount(work[led], minlength=int(work.max(initial=0)) + 1)
    has = number < leading[location]
    leader = led[_starts(leading)[location[has]] + number[has]]
    team = _starts(teams)[location] + number
    return together(members, team, kinds[0], TEAM - 1), PersonPairs(members[has], leader, kinds[1])


def by_location(members: Integers, locations: Integers, seed: Seed) -> Integers:
    """People by the location of each, in random order within one."""
    mixed = generator(seed).permutation(members)
    return mixed[np.argsort(locations[mixed], kind="stable")]


def _starts(counts: Integers) -> Integers:
    """Index at which each of some consecutive groups begins."""
    return np.cumsum(counts) - counts


def next_door(home: Integers, seed: Seed) -> PersonPairs:
    """Neighbours: people of one house, a few for each; those of one household have a closer tie, which is kept."""
    order = by_location(np.arange(len(home)), home, seed)
    return together(order, home[order], "neighbour", 1)


def by_chance(people: int, kind: TieKind, times: int, seed: Seed) -> PersonPairs:
    """Everybody paired off at random, some times over; one may be left over each time."""
    mixed = [generator(seed.child(time)).permutation(people)[: people // 2 * 2] for time in range(times)]
    both = np.concatenate(mixed).reshape(-1, 2)
    return PersonPairs(both[:, 0], both[:, 1], kind)
