"""Counts of a town's people by the words of the published tables, beside the published shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mores.worlds.town.census import census, published
from mores.worlds.town.people import Population

TABLES = {"age": 2, "gender": 3, "nationality": 4, "occupation": 5, "family": 6, "household": 7}
"""The tables of LiveCultureBench, appendix A.1, by what they are of."""


class MarginalRow(NamedTuple):
    """One word of a table: how many were drawn, their share, and the published one, both in per cent."""

    word: str
    drawn: int
    share: float
    published: float


def marginals(people: Population) -> dict[str, tuple[MarginalRow, ...]]:
    """The rows of each table; families are among family households, occupations among those who work."""
    forms = _forms(people)
    counts = {
        "age": _ages(people),
        **{
            name: {word: int(getattr(people, name).are(word).sum()) for word in published()[name]}
            for name in ("gender", "nationality", "occupation")
        },
        "family": {form: forms.count(form) for form in published()["family"]},
        "household": {"lone": forms.count("lone"), "group": forms.count("group")},
    }
    counts["household"]["family"] = sum(counts["family"].values())
    return {name: tuple(_rows(counts[name], published()[name])) for name in TABLES}


def _rows(counts: dict[str, int], shares: dict[str, float]) -> Iterator[MarginalRow]:
    whole = sum(counts.values()) or 1
    return (MarginalRow(word, counts[word], 100 * counts[word] / whole, share) for word, share in shares.items())


def _ages(people: Population) -> dict[str, int]:
    bins = np.searchsorted(census().ages[:, 0], people.age, side="right") - 1
    return dict(zip(census().age.words, np.bincount(bins, minlength=len(census().ages)).tolist(), strict=True))


def _forms(people: Population) -> list[str]:
    """The form of each household, by the roles of those who live in it."""
    count = int(people.household.max(initial=-1)) + 1
    has = {
        role: np.bincount(people.household[people.role.are(role)], minlength=count)
        for role in ("lone", "housemate", "sibling", "spouse", "parent")
    }
    of_roles = {
        "lone": has["lone"] > 0, "group": has["housemate"] > 0, "siblings": has["sibling"] > 0,
        "couple": has["spouse"] > 0, "couple with children": has["parent"] > 1, "one parent": has["parent"] == 1,
    }  # fmt: skip
    found: list[str] = np.select(list(of_roles.values()), list(of_roles), default="").tolist()
    return found
