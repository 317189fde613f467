"""Short forms: the figure of all questions from a part of them has to hold what all come to.

A benchmark's questions are planted with how hard they are; earlier models and a new one answer all. A short form is
chosen by the earlier ones, and the interval that it gives is held against what the new one got on all. The naive rule
takes the questions on which earlier models differ most and reads their plain mean.
"""

import numpy as np

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.intervals import wilson
from mores.stats.rng import generator
from mores.stats.short_forms import evenly_spread, full_figure
from mores.validity.promises import missed, one_promise

FAMILY = "short forms"
PLACES, MEAN, SKILLS = 20, 0.8, 0.5
"""Places; how able models are on average, and how much they differ, in standard deviations of an answer's luck."""


def _answers(units: int, models: int, hard: float, each: int, rng: np.random.Generator) -> Floats:
    """Right and wrong of each model on each unit; units of a cluster share some of how hard they are."""
    shared = np.repeat(rng.standard_normal(units // each), each)
    difficulty = hard * (np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.standard_normal(units))
    skill = MEAN + SKILLS * rng.standard_normal((models, 1))
    own = 0.6 * np.repeat(rng.standard_normal((models, units // each)), each, axis=1)
    return np.asarray(skill + own + rng.standard_normal((models, units)) > difficulty, dtype=np.float64)


@one_promise(FAMILY)
def _all_of_it(
    seed: Seed, form: tuple[int, int], models: int, hard: float, each: int = 1, *, naive: bool = False
) -> float:
    """1 where the interval misses what the new model got on all units of a form of (part, whole)."""
    part, whole = form
    rng = generator(seed)
    new, *earlier = _answers(whole, 1 + models, hard, each, rng)
    got = np.mean(earlier, axis=0)
    places = [str(place) for place in np.arange(whole) * PLACES // whole]
    clusters = np.arange(whole) // each
    if naive:
        discordant = np.argsort(np.abs(got - 0.5) + 1e-6 * rng.random(whole))[:part]
        return missed(wilson(float(new[discordant].sum()), part), float(new.mean()))
    taken = evenly_spread(places, [str(of) for of in clusters], got, part, seed=seed.child("form"))
    found = full_figure(new[taken], clusters[taken], whole, here=got[taken], everywhere=float(got.mean()))
    return missed(found.interval, float(new.mean()))


EXPERIMENTS = (
    _all_of_it("100 of 400 questions, 1 earlier model", 300, (100, 400), 1, 1.0),
    _all_of_it("300 of 1,200 questions, 8 earlier models", 200, (300, 1200), 8, 1.5),
    _all_of_it("150 of 600 questions in clusters of 3, 4 earlier models", 300, (150, 600), 4, 1.0, 3),
    _all_of_it("the 150 of 600 on which 8 models differ most, plain", 60, (150, 600), 8, 1.5, naive=True),
)
