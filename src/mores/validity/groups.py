"""Groups of units: families in which all units come first, items that work differently by place, places read together.

A ladder of six rungs of 288 norms in 32 places, 8 domains and 4 regions is planted with falls between its rungs: of
none of the norms, of all, of one domain, or up in one and down in another, so that all norms stay where they are. What
is counted is any claim that is false, whichever are true.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from mores.core.arrays import Floats, Mask
from mores.core.seeds import Seed
from mores.stats.intervals import wilson
from mores.stats.partial_pooling import pool_places
from mores.stats.place_fit import ScaleFit, place_fit
from mores.stats.ranks import FIRST, gatekeeping, holm
from mores.stats.rng import generator
from mores.validity.promises import alarm, interval, mean_of, one_promise, promising
from mores.validity.simulated_scores import hidden

FAMILY = "all first, then groups"
RUNGS, PLACES, EACH, DOMAINS, REGIONS = 6, 32, 9, 8, 4
NORMS = PLACES * EACH
ALIKE = 0.3
"""Correlation of a norm's answers on two rungs, on a normal scale."""
SKILL = 0.75
LEVEL, MISSED = 0.05, 0.2


def _groups() -> Floats:
    """All norms, domains, regions and places, a row a group."""
    norm = np.arange(NORMS)
    of = (np.zeros(NORMS), norm % DOMAINS, norm // EACH % REGIONS, norm // EACH)
    return np.concatenate([np.eye(int(each.max()) + 1)[each.astype(int)].T for each in of])


_MEMBERS = _groups()
_KINDS = np.repeat(np.arange(4), (1, DOMAINS, REGIONS, PLACES))


class _Tested(NamedTuple):
    """Two-sided exact tests, a row a group and a column a pair of rungs, the least p of each, and which are null."""

    p: Floats
    least: Floats
    null: Mask

    def gated(self) -> Floats:
        """Corrected, all norms first."""
        pairs = self.p.shape[1]
        gate = np.where(np.arange(self.p.size) < pairs, FIRST, np.arange(self.p.size) % pairs)
        return gatekeeping(self.p.ravel(), gate, self.least.ravel()).p_adjusted.reshape(self.p.shape)

    def by_kind(self) -> Floats:
        """Corrected pair by pair and kind by kind, as if each kind of group were a study of its own."""
        columns = [np.concatenate([holm(own[kind == _KINDS]) for kind in range(4)]) for own in self.p.T]
        return np.stack(columns, axis=1)


def _tested(falls: Floats, rng: np.random.Generator) -> _Tested:
    """Tests where each norm falls by so much at each step, shape (norms, pairs)."""
    skill = SKILL - np.concatenate((np.zeros((NORMS, 1)), np.cumsum(falls, axis=1)), axis=1)
    latent = np.sqrt(ALIKE) * rng.standard_normal((NORMS, 1)) + np.sqrt(1 - ALIKE) * rng.standard_normal(skill.shape)
    kept = latent < special.ndtri(skill)
    down, up = (_MEMBERS @ (one & ~other) for one, other in ((kept[:, :-1], kept[:, 1:]), (kept[:, 1:], kept[:, :-1])))
    differ = down + up
    p = np.where(differ > 0, np.minimum(1.0, 2 * special.bdtr(np.minimum(down, up), differ.astype(np.int64), 0.5)), 1.0)
    return _Tested(p, np.minimum(1.0, 2.0 ** (1 - differ)), np.abs(_MEMBERS @ falls) < 1e-9)


def _falls(shape: str) -> Floats:
    falls, domain = np.zeros((NORMS, RUNGS - 1)), np.arange(NORMS) % DOMAINS
    match shape:
        case "all":
            falls[:, 0] = 0.2
        case "one domain":
            falls[domain == 0, 0], falls[domain == 1, 2] = 0.5, 0.5
        case "up and down":
            falls[domain == 0, 0], falls[domain == 1, 0] = 0.4, -0.24
            falls[domain == 2, 0] = -0.16
        case _:
            pass
    return falls


@one_promise(FAMILY, alarm)
def _false(seed: Seed, shape: str, *, naive: bool = False) -> float:
    """Any false claim; naive: each kind of group is corrected by itself, pair by pair."""
    found = _tested(_falls(shape), generator(seed))
    return float(np.any((found.by_kind() if naive else found.gated())[found.null] <= LEVEL))


@one_promise(FAMILY, lambda name, *, naive=False: alarm(name, level=MISSED, naive=naive))
def _missed(seed: Seed, fall: float, *, naive: bool = False) -> float:
    """A fall of all norms at one step is not found over all of them; naive: all tests are one family of Holm's."""
    falls = np.zeros((NORMS, RUNGS - 1))
    falls[:, 0] = fall
    found = _tested(falls, generator(seed))
    corrected = holm(found.p.ravel()) if naive else found.gated().ravel()
    return float(corrected[0] > LEVEL)


ITEMS = "items by place"
OFF = "p00"
"""The place whose items are planted to be off."""


class _Planted(NamedTuple):
    """The fit of some places, and the items on which ability has no bearing."""

    fit: ScaleFit
    guessed: Mask

    def claimed(self, names: Callable[[str], bool]) -> float:
        """1 where any of these places is held to be off."""
        return float(any(each.found for each in self.fit.places if names(each.place)))


def _planted(
    rng: np.random.Generator, models: int, each: int, *, guessed: tuple[float, float] = (0.0, 0.0), copied: float = 0.0
) -> _Planted:
    """Models on 20 places of so many items, places being harder or easier.

    `guessed` are the shares of items on which ability has no bearing, at the first place and elsewhere, `copied` that
    of answers that a model takes over from the first of its three.
    """
    place = np.repeat(np.arange(20), each)
    hard = rng.normal(0, 1, place.size) + rng.normal(0, 0.7, 20)[place]
    off = rng.random(place.size) < np.where(place == 0, *guessed)
    ability = np.where(off, 0.0, np.linspace(-1.5, 1.5, models)[rng.permutation(models), None])
    right = rng.random((models, place.size)) < special.expit(1 + ability - hard)
    answers = np.where(rng.random(right.shape) < copied, right[np.arange(models) // 3 * 3], right)
    families = np.arange(models) // 3 if copied else None
    names = np.array([f"p{number:02}" for number in place])
    return _Planted(place_fit(answers.astype(np.float64), names, families=families), off)


@promising(
    ITEMS,
    alarm("any place held to be off: {}"),
    interval("slope of a place: {}", may_refuse=True),
    mean_of("share of items held not to fit: {}", 0.05),
)
def _alike(seed: Seed, models: int, each: int, copied: float = 0.0) -> list[float]:
    """All items go with ability."""
    found = _planted(generator(seed), models, each, copied=copied)
    fit, first = found.fit, found.fit.places[0]
    held = np.nan if first.low is None or first.high is None else float(not first.low <= 1 <= first.high)
    return [found.claimed(bool), held, fit.misfits / max(1, fit.tested)]


@promising(
    ITEMS,
    alarm("missed: a place whose items are guessed: {}", level=MISSED),
    alarm("any other place held to be off beside it: {}"),
)
def _one_off(seed: Seed, models: int, each: int) -> list[float]:
    """Ability has no bearing on the items of the first place."""
    found = _planted(generator(seed), models, each, guessed=(1.0, 0.0))
    return [1 - found.claimed(OFF.__eq__), found.claimed(OFF.__ne__)]


SHORT = 0.03
"""Share of guessed items by which fewer may be seen than is said, as abilities are estimated."""


@one_promise(ITEMS, lambda name, *, naive=False: mean_of(name, SHORT, naive=naive))
def _would_see(seed: Seed, models: int, each: int, *, naive: bool = False) -> float:
    """By how much fewer guessed items are seen than is said would be; naive: it is said that all are."""
    found = _planted(generator(seed), models, each, guessed=(0.1, 0.1))
    off = found.guessed & np.isfinite(found.fit.p)
    seen = float((found.fit.p[off] < LEVEL).mean()) if off.any() else 0.0
    return (1.0 if naive else found.fit.seen or 0.0) - seen


@one_promise(ITEMS)
def _drawn(seed: Seed, sizes: tuple[int, ...], spread: float, *, naive: bool = False) -> float:
    """The mean of one place of a benchmark, its items in clusters of four that are alike, of places in five regions.

    Naive: that of all places is taken for it.
    """
    rng, place = generator(seed), np.repeat(np.arange(len(sizes)), sizes)
    centre = (
        0.7 + spread * rng.standard_normal(5)[np.arange(len(sizes)) % 5] / 2 + spread * rng.standard_normal(len(sizes))
    )
    share = np.clip(centre, 0.05, 0.95)
    right = (hidden(place.size // 2, 2, rng)[: place.size, 0] < special.ndtri(share[place])).astype(np.float64)
    at = int(rng.integers(len(sizes)))
    if naive:
        low, high, *_ = wilson(right.sum(), right.size)
        return float(not (low or 0.0) <= share[at] <= (high or 1.0))
    names = np.array([f"{number:03}" for number in place])
    found = pool_places(right, names, clusters=np.arange(place.size) // 4, regions=place % 5).places[at]
    return float(not found.low <= share[at] <= found.high)


SIZES = tuple(4 * (3 + number % 12) for number in range(44))
EXPERIMENTS = (
    _false("any false claim, no norm falls: 5 drops, 44 groups", 400, "none"),
    _false("any false claim, all norms fall once", 400, "all"),
    _false("any false claim, one domain falls here, another there", 400, "one domain"),
    _false("any false claim, domains fall and rise so that all norms stay", 400, "up and down"),
    _false("any false claim, no norm falls, kind by kind", 200, "none", naive=True),
    _missed("missed: a fall of 13 points over 288 norms, 5 drops first", 400, 0.13),
    _missed("missed: a fall of 13 points over 288 norms, 225 tests at once", 100, 0.13, naive=True),
    _alike("10 models, 20 places of 12", 40, 10, 12),
    _alike("20 models, 20 places of 30", 30, 20, 30),
    _alike("18 models in 6 families that copy half, 20 places of 12", 30, 18, 12, copied=0.5),
    _one_off("10 models, 20 places of 24", 40, 10, 24),
    _would_see("guessed items seen less often than said: 10 models, 20 places of 12", 40, 10, 12),
    _would_see("guessed items seen less often than said, if all were: 10 models", 30, 10, 12, naive=True),
    _drawn("one of 44 places of 12 to 56, read together", 15, SIZES, 0.1),
    _drawn("one of 44 places of 12 to 56 that hardly differ, read together", 15, SIZES, 0.03),
    _drawn("one of 44 places of 12 to 56, as all of them", 60, SIZES, 0.1, naive=True),
)
