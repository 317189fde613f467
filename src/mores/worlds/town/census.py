"""Census of a town: published shares, job titles and first names of our own, and draws by shares.

The tables lie beside this file, each with its source. As published the shares do not sum to one; they are normalised
here. The paper calls nationality what its census asked as ancestry; we keep its word.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.codec import read_text, read_toml
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.worlds.town.streets import KINDS

FOLDER = Path(__file__).parent


class CategoryShares(NamedTuple):
    """Words and how often each is drawn; `parts` sum to 1."""

    words: tuple[str, ...]
    parts: Floats


class JobTitle(Struct, frozen=True, kw_only=True):
    """A job title with where it is held, from which age, and its part in a team: it leads, it teaches, or neither."""

    occupation: int
    kind: int
    words: str
    from_age: int
    duty: str


class Census(Struct, frozen=True, eq=False, kw_only=True):
    """All tables. Occupations, kinds of location and titles go by their number in `occupation`, `KINDS` and `titles`.

    Attributes:
        ages: Lowest and highest age of each bin of `age`, shape (bins, 2).
        forms: Forms of household, families by their composition.
        sizes: How many people a household of each form has.
        workplaces: Share of each kind of location by occupation, shape (occupations, kinds).
        titles: By occupation and kind, and within these by age.
        names: First names by nationality, then by gender.
    """

    age: CategoryShares
    ages: Integers
    gender: CategoryShares
    nationality: CategoryShares
    occupation: CategoryShares
    forms: CategoryShares
    sizes: dict[str, CategoryShares]
    workplaces: Floats
    titles: tuple[JobTitle, ...]
    names: tuple[tuple[tuple[str, ...], ...], ...]


@cache
def published() -> dict[str, dict[str, float]]:
    """The shares of each table in per cent, as they were published: they need not sum to 100."""
    table: dict[str, Any] = read_toml(FOLDER / "census.toml")
    return {name: table[name] for name in ("age", "gender", "nationality", "occupation", "family", "household")}


@cache
def census() -> Census:
    """The tables beside this file, read once."""
    table = read_toml(FOLDER / "census.toml")
    named = ("age", "gender", "nationality", "occupation")
    shares = {name: _shares(table[name]) for name in named}
    return Census(
        **shares,
        ages=np.array([[int(end) for end in words.split("-")] for words in shares["age"].words], dtype=np.int64),
        forms=_forms(_shares(table["household"]), _shares(table["family"])),
        sizes={name: _shares(sizes) for name, sizes in table["sizes"].items()},
        workplaces=_workplaces(table["workplaces"], shares["occupation"]),
        titles=_titles(shares["occupation"].words),
        names=_names(shares["nationality"].words, shares["gender"].words),
    )


def _shares(table: dict[str, float]) -> CategoryShares:
    parts = np.array(list(table.values()), dtype=np.float64)
    return CategoryShares(tuple(table), parts / parts.sum())


def _forms(household: CategoryShares, family: CategoryShares) -> CategoryShares:
    """Lone and group households, and each family composition in place of the family household."""
    parts = dict(zip(household.words, household.parts, strict=True))
    within = parts.pop("family")
    return _shares(parts | dict(zip(family.words, within * family.parts, strict=True)))


def _workplaces(table: dict[str, dict[str, float]], occupation: CategoryShares) -> Floats:
    rows = [[table[words].get(kind, 0.0) for kind in KINDS] for words in occupation.words]
    shares = np.array(rows, dtype=np.float64)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)


def _titles(occupations: tuple[str, ...]) -> tuple[JobTitle, ...]:
    rows = csv.DictReader(read_text(FOLDER / "titles.csv").splitlines())
    titles = [
        JobTitle(
            occupation=occupations.index(row["occupation"]),
            kind=[str(kind) for kind in KINDS].index(row["kind"]),
            words=row["title"],
            from_age=int(row["from_age"]),
            duty=row["duty"],
        )
        for row in rows
    ]
    return tuple(sorted(titles, key=lambda title: (title.occupation, title.kind, title.from_age)))


def _names(nationalities: tuple[str, ...], genders: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    table: dict[str, Any] = read_toml(FOLDER / "names.toml")
    return tuple(tuple(tuple(table[place][gender]) for gender in genders) for place in nationalities)


Sampler = Literal["iid", "quota"]
SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)


class CategorySampler(NamedTuple):
    """Sampler of categories from a seed: `iid` each on its own, `quota` by shuffling counts of `apportion`.

    Each use has its own stream.
    """

    seed: Seed
    sampler: Sampler = "iid"

    def of(self, parts: Floats, count: int, *use: str | int) -> Integers:
        """So many codes 0, 1, … of categories by their shares, which sum to 1."""
        rng = generator(self.seed.child(*use))
        if self.sampler == "quota":
            return rng.permutation(np.repeat(np.arange(len(parts)), apportion(parts, count)))
        # Without the last sum, which may end a hair below 1 and would then give a code past the end.
        return np.searchsorted(np.cumsum(parts)[:-1], rng.random(count), side="right")

    def below(self, counts: Integers, *use: str | int) -> Integers:
        """For each count one of 0 … count - 1, all of them as likely."""
        return (generator(self.seed.child(*use)).random(len(counts)) * counts).astype(np.int64)


def apportion(parts: Floats, count: int) -> Integers:
    """Whole numbers that sum to `count` and are less than one away from their shares of it.

    The largest remainders are rounded up, of equal ones the first.

    >>> apportion(np.array([0.5, 0.25, 0.25]), 6).tolist()
    [3, 2, 1]
    """
    exact = parts * count
    whole = np.floor(exact).astype(np.int64)
    left = count - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:left]] += 1
    return whole
