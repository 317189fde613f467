"""Groups of units: families in which all units come first, items that work differently by place, places read together.

A ladder of six rungs of 288 norms in 32 places, 8 domains and 4 regions is planted with falls between its rungs: of
none of the norms, of all, of one domain, or up in one and down in another, so that all norms stay where they are. What
is counted is any claim that is false, whichever are true.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from mores.core.arrays import Floats, Mask
from mores.core.seeds import Seed
from mores.stats.ranks import FIRST, gatekeeping, holm
from mores.stats.rng import generator
from mores.validity.promises import alarm, one_promise

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


EXPERIMENTS = (
    _false("any false claim, no norm falls: 5 drops, 44 groups", 400, "none"),
    _false("any false claim, all norms fall once", 400, "all"),
    _false("any false claim, one domain falls here, another there", 400, "one domain"),
    _false("any false claim, domains fall and rise so that all norms stay", 400, "up and down"),
    _false("any false claim, no norm falls, kind by kind", 200, "none", naive=True),
    _missed("missed: a fall of 13 points over 288 norms, 5 drops first", 400, 0.13),
    _missed("missed: a fall of 13 points over 288 norms, 225 tests at once", 100, 0.13, naive=True),
)
