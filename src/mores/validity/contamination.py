"""Contamination, planted: a share of items known by heart, paraphrases that are harder for all, later items that are.

A test may cry wolf in a twentieth of the draws where nobody knows anything by heart, and miss a planted share in a
fifth. Naive rules take every gap for memory: that of harder paraphrases, and that of later items of harder places.
"""

import numpy as np

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.date_split import date_split
from mores.stats.paired import compare_paired
from mores.stats.rng import generator
from mores.validity.promises import Experiment, alarm, alarmed, one_promise

FAMILY = "contamination"
MISSED = 0.2
"""Share of draws in which a planted share may stay unseen at power .8."""
WORDS = 3
"""Paraphrases of each item."""
MODELS = 5


def _gaps(items: int, known: float, harder: float, rng: np.random.Generator) -> Floats:
    """Gap of each item for each model: the first knows a share of the originals by heart."""
    skill = np.clip(rng.beta(3, 2, items) + rng.normal(0, 0.05, (MODELS, items)), 0.02, 0.98)
    original = rng.random((MODELS, items)) < skill
    original[0] |= rng.random(items) < known
    paraphrases = rng.random((WORDS, MODELS, items)) < np.clip(skill - harder, 0, 1)
    return np.asarray(original - paraphrases.mean(axis=0))


def _found(seed: Seed, items: int, known: float, *, harder: float = 0.0, naive: bool = False) -> float:
    """P of the first model's gap, less the mean gap of the other models; naive: as it stands."""
    gap = _gaps(items, known, harder, generator(seed))
    others = np.zeros(items) if naive else gap[1:].mean(axis=0)
    return compare_paired(gap[0], others, np.arange(items), resamples=10, seed=seed.child("resamples")).p


@one_promise(FAMILY, alarm)
def unread(seed: Seed, items: int, harder: float, *, naive: bool = False) -> float:
    """Nobody knows an item by heart; paraphrases are harder for all by so much."""
    return alarmed(_found(seed, items, 0.0, harder=harder, naive=naive))


def _by_heart(name: str, items: int, known: float, draws: int) -> Experiment:
    def draw(seed: Seed) -> tuple[float]:
        return (1 - alarmed(_found(seed, items, known, harder=0.05)),)

    return Experiment(name=name, family=FAMILY, promises=(alarm(name, level=MISSED),), draws=draws, draw=draw)


PLACES = 8


def _dated(seed: Seed, items: int, known: float, drift: float) -> tuple[Floats, np.ndarray, np.ndarray]:
    """Scores of a model and of three others, by date and place; later items are of harder places, and harder."""
    rng = generator(seed)
    place = rng.integers(0, PLACES, items)
    early = rng.random(items) < np.linspace(0.25, 0.75, PLACES)[place]
    skill = np.clip(np.linspace(0.4, 0.8, PLACES)[place] + rng.normal(0, 0.1, items) - drift * ~early, 0.02, 0.98)
    right = rng.random((MODELS, items)) < skill
    right[0] |= early & (rng.random(items) < known)
    return right.astype(np.float64), early, place


@one_promise(FAMILY)
def dates(seed: Seed, items: int, drift: float, *, naive: bool = False) -> float:
    """A split of a model that has seen nothing, less that of others; naive: earlier less later, places as one."""
    right, early, place = _dated(seed, items, 0.0, drift)
    others = 0.0 if naive else right[1:].mean(axis=0)
    found = date_split(right[0] - others, early, np.zeros(items) if naive else place, np.arange(items))
    return alarmed(found.p) if found.low is None or found.high is None else float(not found.low <= 0 <= found.high)


def _seen(name: str, items: int, known: float, draws: int) -> Experiment:
    def draw(seed: Seed) -> tuple[float]:
        right, early, place = _dated(seed, items, known, 0.1)
        found = date_split(right[0] - right[1:].mean(axis=0), early, place, np.arange(items))
        return (1 - alarmed(found.p),)

    return Experiment(name=name, family=FAMILY, promises=(alarm(name, level=MISSED),), draws=draws, draw=draw)


@one_promise(FAMILY, lambda name, naive=False: alarm(name, level=MISSED, naive=naive))
def least(seed: Seed, clusters: int, each: int) -> float:
    """A difference as large as the split says it would show, in clusters; planted anew from a first draw's figure."""
    rng = generator(seed)

    def drawn(effect: float) -> tuple[Floats, np.ndarray, np.ndarray, np.ndarray]:
        cluster = np.repeat(np.arange(clusters), each)
        place, early = rng.integers(0, PLACES, clusters)[cluster], (rng.random(clusters) < 0.5)[cluster]
        values = rng.normal(0, 1, clusters)[cluster] + rng.normal(0, 1, clusters * each) + effect * early
        return values, early, place, cluster

    pilot = date_split(*drawn(0.0)).minimum_detectable
    found = date_split(*drawn(pilot or 0.0))
    return 1 - alarmed(found.p)


EXPERIMENTS = (
    unread("paraphrases: nothing known by heart, 200 items", 400, 200, 0.0),
    unread("paraphrases harder for all by 10 points, beyond others, 200 items", 400, 200, 0.1),
    _by_heart("missed: 30 % of 200 items known by heart", 200, 0.3, 400),
    unread("paraphrases harder for all by 10 points, the gap alone", 100, 200, 0.1, naive=True),
    dates("later items harder by 10 points, beyond others, 400 items", 400, 400, 0.1),
    dates("later items of harder places, beyond others, 120 items", 400, 120, 0.0),
    _seen("missed: 40 % of earlier ones of 400 items known by heart", 400, 0.4, 400),
    least("missed: the least difference by date of 60 clusters of 4", 400, 60, 4),
    dates("later items harder and of harder places, means alone", 100, 400, 0.1, naive=True),
)
