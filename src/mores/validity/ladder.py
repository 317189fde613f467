"""Where a ladder breaks: how often is a break shown for a model that has none?

A norm is known or not by chance, anew on each rung; who does not know guesses where guessing is possible. Norms of a
place are alike in how well they are known, norms of a bundle partly known as one where they are applied.
"""

from pathlib import Path

import numpy as np

from mores.core.card import Protocol, Sampling
from mores.core.seeds import Seed
from mores.reports.findings import CardTrace, Finding, Provenance
from mores.reports.ladder.drops import LEVEL, Fallen, fallen, first_break, groups_of
from mores.reports.ladder.rungs import Rung
from mores.reports.ladder.standing import Standing, Stood
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.dice import generator
from mores.validity.promises import Experiment, alarm

FAMILY = "the ladder"
CHANCES = {"know": 1 / 16, "judge": 1 / 3, "explain": 0.0, "apply": 0.0}
PLACES, NORMS, DOMAINS, BUNDLE = 8, 9, 4, 3


def _rung(name: str) -> Rung:
    """A rung of which only the name and the chance of a guess count."""
    traced = Provenance(
        card=CardTrace(version="1-A"), protocol=Protocol(sampling=Sampling()), items=1, roles={"subject": "m"}, data={}
    )
    cell = Finding(
        run=Path("run"), folder=Path("run"), model="m", label="m", benchmark=f"ladder/{name}", headline="accuracy",
        simulated=True, estimates=(), card=None, provenance=traced,
    )  # fmt: skip
    return Rung(name=name, chance=CHANCES[name], cell=cell)


def climbed(dice: np.random.Generator) -> Fallen:
    """One model that is as good on every rung, each place having a skill of its own."""
    place = np.repeat(np.arange(PLACES), NORMS)
    skill = dice.uniform(0.4, 0.9, PLACES)[place]
    rungs = [_stood(name, skill, place, dice) for name in CHANCES]
    return fallen(rungs, groups_of(rungs))


def _stood(name: str, skill: FloatArray, place: IntArray, dice: np.random.Generator) -> Stood:
    size, together = skill.size, name == "apply"
    own, shared = dice.random(size), np.repeat(dice.random(size // BUNDLE), BUNDLE)
    if together:  # half of the norms are known as their bundle is
        own = np.where(dice.random(size) < 0.5, shared, own)
    right = (own < skill) | (dice.random(size) < CHANCES[name])
    norms = {
        f"n{n}": Standing(
            share=float(right[n]),
            clusters=(f"b{n // BUNDLE}" if together else f"n{n}",),
            groups={"place": f"P{place[n]}", "domain": f"D{n // BUNDLE % DOMAINS}"},
            told="",
        )
        for n in range(size)
    }
    return Stood(rung=_rung(name), norms=norms)


def _draw(seed: Seed) -> list[float]:
    found = climbed(generator(seed))
    drops = [drop for group in found.of.values() for drop in group]
    breaks = any(first_break(group) is not None for group in found.of.values())
    return [float(breaks), float(any(d.p is not None and d.p < LEVEL for d in drops))]


PROMISES = (
    alarm("any break of a model with none: 72 norms, 13 groups, 3 drops"),
    alarm("any drop at .05, not corrected for their number", naive=True),
)
EXPERIMENTS = (Experiment(name="a ladder without a break", family=FAMILY, promises=PROMISES, draws=60, draw=_draw),)
