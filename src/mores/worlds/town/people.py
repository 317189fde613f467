"""The people of a town: who each is, with whom they live, where they work, and whom they know.

A population is columns and edges, so that a million people are a few arrays; `resident` gives one of them as a value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, Self, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.codec import canonical
from mores.core.errors import InputError
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Somebody whom a resident knows: their id, and what they are to the resident."""

    to: int
    kind: TieKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
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
        """Whom the resident can call, the closest first: all ties but strangers."""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ties:
    """Directed edges, by source and then target: `target` is `kind` to `source`. Each has its mirror."""

    source: Numbers
    target: Numbers
    kind: WordColumn

    def __len__(self) -> int:
        return len(self.source)

    def of(self, person: int) -> tuple[Tie, ...]:
        """Whom one person knows, by id."""
        first, last = np.searchsorted(self.source, np.array([person, person + 1], dtype=np.int32))
        kinds = cast(tuple[TieKind, ...], self.kind.words)
        rows = zip(self.target[first:last].tolist(), self.kind.codes[first:last].tolist(), strict=True)
        return tuple(Tie(to=to, kind=kinds[code]) for to, code in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationOrigin:
    """How a population was sampled."""

    sampler: str
    seed: str
    employment: float
    study: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
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
        """How many households there are."""
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
