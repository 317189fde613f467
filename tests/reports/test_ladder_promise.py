"""The promise of a ladder, over many simulated models: no break is found where none is planted, and a planted one is.

A norm is known or not by chance, anew on each rung; who does not know guesses where guessing is possible. Norms of a
place are alike in how well they are known, norms of a bundle partly known as one where they are applied.

Of 2,000 models with 72 norms and no drop .008 (standard error .002) show any break at all, of 1,500 with 135 norms .007
(.002); uncorrected, .43 and .63 have a p under .05 somewhere. A drop of .3 over 135 norms is found on its rung by .72
(judge, where guessing adds noise), .84 (explain) and .91 (apply) of 500 models, a drop of .2 by .22, .34 and .46.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from mores.reports.ladder.drops import EVERYTHING, LEVEL, Fallen, fallen, first_break, groups_of
from mores.reports.ladder.standing import Standing, Stood
from tests.reports.ladder_norms import CHANCES, rung

Floats = npt.NDArray[np.float64]
RUNGS = ("know", "judge", "explain", "apply")
BUNDLED = 3
RUNS = 200


class Pack(NamedTuple):
    """Places with so many norms each, dealt over so many domains."""

    places: int
    norms: int
    domains: int


TINY, BUNDLE = Pack(8, 9, 4), Pack(15, 9, 8)


def climbed(pack: Pack, drop: float, dice: np.random.Generator, at: str = "apply") -> Fallen:
    """One model of even skill over the rungs but for a drop of so much, from one rung on."""
    place = np.repeat(np.arange(pack.places), pack.norms)
    skill = dice.uniform(0.4, 0.9, pack.places)[place]
    rungs = []
    for name in RUNGS:
        fallen_by = drop if RUNGS.index(name) >= RUNGS.index(at) else 0.0
        rungs.append(_stood(name, np.clip(skill - fallen_by, 0, 1), place, pack, dice))
    return fallen(rungs, groups_of(rungs))


def _stood(name: str, skill: Floats, place: npt.NDArray[np.int64], pack: Pack, dice: np.random.Generator) -> Stood:
    chance, size = CHANCES.get(name, 0.0), skill.size
    own, shared = dice.random(size), np.repeat(dice.random(-(-size // BUNDLED)), BUNDLED)[:size]
    if name == "apply":  # half of the norms are known as their bundle is
        own = np.where(dice.random(size) < 0.5, shared, own)
    right = (own < skill) | (dice.random(size) < chance)
    share = np.where(right, 0.97, 0.02) if name == "apply" else right.astype(float)  # probabilities of a judge
    norms = {
        f"n{n}": Standing(
            share=float(share[n]),
            clusters=(f"b{n // BUNDLED}" if name == "apply" else f"n{n}",),
            groups={"place": f"P{place[n]}", "domain": f"D{n // BUNDLED % pack.domains}"},
            told="",
        )
        for n in range(size)
    }
    return Stood(rung=rung(name), norms=norms)


def broken(found: Fallen) -> bool:
    """True where any group is said to break."""
    return any(first_break(drops) is not None for drops in found.of.values())


@pytest.fixture(scope="module")
def even() -> list[Fallen]:
    dice = np.random.default_rng(26)
    return [climbed(TINY, 0.0, dice) for _ in range(RUNS)]


def test_without_a_drop_hardly_a_ladder_breaks_anywhere(even: list[Fallen]) -> None:
    assert np.mean([broken(found) for found in even]) <= LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / RUNS)


def test_without_correction_many_would(even: list[Fallen]) -> None:
    def any_raw(found: Fallen) -> bool:
        return any(d.p is not None and d.p < LEVEL for drops in found.of.values() for d in drops)

    assert np.mean([any_raw(found) for found in even]) > 0.3


@pytest.mark.parametrize("at", ["judge", "explain", "apply"])
def test_a_planted_drop_is_found_on_its_rung(at: str) -> None:
    dice = np.random.default_rng(27)
    found = [first_break(climbed(BUNDLE, 0.3, dice, at).of[EVERYTHING]) for _ in range(25)]
    assert np.mean([each is not None and each.after == at for each in found]) > 0.5
