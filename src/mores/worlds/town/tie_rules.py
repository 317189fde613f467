"""Pairs of people, and the ties that they make: at work, at school, next door, by chance.

people of a location ─▶ teams of a few ─▶ pairs ─▶ Ties. Teams are small and everybody is in at most one, so ties grow
with the people and not with their square. Nothing here loops over people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mores.core.seeds import Seed
from mores.stats.checks import IntArray
from mores.stats.rng import generator
from mores.worlds.town.people import MIRROR, TIE_KINDS, TieKind, Ties, WordColumn

TEAM = 5
"""The most people who work or learn together, not counting who leads or teaches them."""
FRIENDS = 2
STRANGERS = 1
"""How many of each are drawn for a person; who is drawn may be closer already."""
_BITS = 4
"""Bits of a packed edge that hold the kind of tie."""


class PersonPairs(NamedTuple):
    """Pairs of people; `other` is `kind` to `one`."""

    one: IntArray
    other: IntArray
    kind: TieKind


def ties_of(pairs: Sequence[PersonPairs]) -> Ties:
    """All pairs seen from both sides, each two people with the closest of their ties only."""
    people = 1 + max((int(ids.max(initial=0)) for pair in pairs for ids in pair[:2]), default=0)
    edges = [_packed(one, other, kind, people) for one, other, kind in pairs]
    edges += [_packed(other, one, MIRROR[kind], people) for one, other, kind in pairs]
    packed = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *edges]))
    ends = packed >> _BITS
    first = np.ones(len(ends), dtype=np.bool_)
    np.not_equal(ends[1:], ends[:-1], out=first[1:])
    source, target = np.divmod(ends[first], people)
    kind = WordColumn.of(TIE_KINDS, packed[first] & ((1 << _BITS) - 1))
    return Ties(source=source.astype(np.int32), target=target.astype(np.int32), kind=kind)


def _packed(source: IntArray, target: IntArray, kind: TieKind, people: int) -> IntArray:
    """One number for an edge, ordered by source, target and closeness."""
    return ((source * people + target) << _BITS) | TIE_KINDS.index(kind)


def together(members: IntArray, group: IntArray, kind: TieKind, reach: int) -> PersonPairs:
    """Pairs within groups of people who stand in the order of their groups, each with the `reach` who come next."""
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for step in range(1, reach + 1):
        same = group[step:] == group[:-step]
        firsts.append(members[:-step][same])
        seconds.append(members[step:][same])
    return PersonPairs(np.concatenate(firsts), np.concatenate(seconds), kind)


def team_ties(
    members: IntArray, leaders: IntArray, work: IntArray, kinds: tuple[TieKind, TieKind], seed: Seed
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
    number = (np.arange(len(members)) - _starts(there)[location]) * teams[location] // there[location]
    led = by_location(leaders, work, seed.child("leaders"))
    leading = np.bincount(work[led], minlength=int(work.max(initial=0)) + 1)
    has = number < leading[location]
    leader = led[_starts(leading)[location[has]] + number[has]]
    team = _starts(teams)[location] + number
    return together(members, team, kinds[0], TEAM - 1), PersonPairs(members[has], leader, kinds[1])


def by_location(members: IntArray, locations: IntArray, seed: Seed) -> IntArray:
    """People by the location of each, in random order within one."""
    mixed = generator(seed).permutation(members)
    return mixed[np.argsort(locations[mixed], kind="stable")]


def _starts(counts: IntArray) -> IntArray:
    """Where each of some consecutive groups begins."""
    return np.cumsum(counts) - counts


def next_door(home: IntArray, seed: Seed) -> PersonPairs:
    """Neighbours: people of one house, a few for each; those of one household have a closer tie, which is kept."""
    order = by_location(np.arange(len(home)), home, seed)
    return together(order, home[order], "neighbour", 1)


def by_chance(people: int, kind: TieKind, times: int, seed: Seed) -> PersonPairs:
    """Everybody paired off at random, some times over; one may be left over each time."""
    mixed = [generator(seed.child(time)).permutation(people)[: people // 2 * 2] for time in range(times)]
    both = np.concatenate(mixed).reshape(-1, 2)
    return PersonPairs(both[:, 0], both[:, 1], kind)
