"""Items looked at over models of few families: are sound questions flagged, and does alpha's interval hold the truth?

Models of one family have part of their skill in common, and copy answers from the first of them; naive rules take
every model as drawn by itself.
"""

from functools import cache

import numpy as np
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.items import item_statistics, rival_p, scale_reliability
from mores.stats.rng import generator
from mores.validity.promises import alarm, missed, one_promise, promising

FAMILY = "models of one family"
ITEMS, OPTIONS = 60, 4
COMMON = 0.9
"""Part of a model's skill that its family has, as a weight of standard normal scores."""
COPIED = 0.7
LEVEL = 0.05


def _answers(families: Integers, copied: float, difficulty: Floats, rng: np.random.Generator) -> Integers:
    """The answer of each model to each question, 0 being right."""
    skill = COMMON * rng.standard_normal(int(families.max()) + 1)[families]
    skill += np.sqrt(1 - COMMON**2) * rng.standard_normal(families.size)
    knows = rng.random((families.size, difficulty.size)) < special.expit(0.5 + skill[:, None] - difficulty)
    answers = np.where(knows, 0, rng.integers(1, OPTIONS, knows.shape))
    answers[:, 0] = np.where(np.isnan(difficulty[0]), rng.integers(0, OPTIONS, families.size), answers[:, 0])
    first = np.unique(families, return_index=True)[1][families]
    return np.where(rng.random(answers.shape) < copied, answers[first], answers)


@promising(
    FAMILY,
    alarm("{}: better models do worse"),
    alarm("{}: better models say otherwise"),
    careless=(alarm("{}: better models do worse", naive=True), alarm("{}: better models say otherwise", naive=True)),
)
def _guessed(seed: Seed, sizes: tuple[int, ...], *, naive: bool = False) -> list[float]:
    """A question that every family guesses may be flagged at the level."""
    rng, families = generator(seed), np.repeat(np.arange(len(sizes)), sizes)
    answers = _answers(families, COPIED, np.append(np.nan, rng.normal(0, 0.7, ITEMS - 1)), rng)
    points, own = (answers == 0).astype(np.float64), np.arange(families.size) if naive else families
    counts = np.bincount(answers[:, 0], minlength=OPTIONS)
    label = 1 + int(counts[1:].argmax())
    keyed, rival = answers[:, 0] == 0, answers[:, 0] == label
    rest = points[:, 1:].mean(axis=1)
    p = rival_p(rest[keyed], rest[rival], OPTIONS - 1, (own[keyed].tolist(), own[rival].tolist()))
    return [float(item_statistics(points, own).negative[0]), float(p < LEVEL and counts[label] > counts[0] / 2)]


@one_promise(FAMILY)
def _alpha(seed: Seed, sizes: tuple[int, ...], *, naive: bool = False) -> float:
    """The interval of alpha over models whose families have skill in common and copy nothing."""
    rng, families = generator(seed), np.repeat(np.arange(len(sizes)), sizes)
    difficulty = np.linspace(-1, 1, ITEMS)
    points = (_answers(families, 0.0, difficulty, rng) == 0).astype(np.float64)
    found = scale_reliability(points, None if naive else families)
    return missed(found, _true_alpha())


@cache
def _true_alpha() -> float:
    """Alpha over all models there are, whose skill is standard normal."""
    skill = special.ndtri((np.arange(400) + 0.5) / 400)
    chance = special.expit(0.5 + skill[:, None] - np.linspace(-1, 1, ITEMS))
    share = chance.mean(axis=0)
    total = chance.sum(axis=1).var() + float((chance * (1 - chance)).mean(axis=0).sum())
    return float(ITEMS / (ITEMS - 1) * (1 - (share * (1 - share)).sum() / total))


EXPERIMENTS = (
    _guessed("flagged: 4 families of 3 that copy", 300, (3,) * 4),
    _guessed("flagged: 3 families of 6 that copy", 300, (6,) * 3),
    _guessed("flagged: 6 families of 3 that copy", 300, (3,) * 6),
    _guessed("flagged: 10 families of 1 to 6 that copy", 300, (1, 1, 1, 1, 2, 2, 3, 3, 4, 6)),
    _guessed("flagged: 3 families of 6, models as independent", 200, (6,) * 3, naive=True),
    _alpha("alpha: 6 families of 3", 400, (3,) * 6),
    _alpha("alpha: 8 families of 1 to 6", 400, (1, 1, 1, 2, 2, 3, 4, 6)),
    _alpha("alpha: 4 families of 3, models as independent", 300, (3,) * 4, naive=True),
)
