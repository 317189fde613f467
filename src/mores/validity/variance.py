"""Sources of variance, planted: items, wordings, judges and samples that are crossed, and clusters of items.

Components are known, so that intervals have to hold them, their shares and the standard error of the mean. A naive rule
takes the spread of wordings' means as if nothing else were in it.
"""

from math import sqrt

import numpy as np
from scipy import special

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.stats.variance_components import ComponentFigure, VarianceTable, variance_table
from mores.validity.promises import interval, promising

FAMILY = "variance components"
PLANTED = {
    ("item",): 0.09, ("wording",): 0.01, ("judge",): 0.0064, ("item", "wording"): 0.04, ("item", "judge"): 0.0225,
    ("wording", "judge"): 0.0025, ("item", "wording", "judge"): 0.01, ("item", "wording", "sample"): 0.0625,
    ("item", "wording", "judge", "sample"): 0.01,
}  # fmt: skip
"""Components of normal values, by source."""
AXES = ("item", "wording", "judge", "sample")


def _normal(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    values = np.zeros(shape)
    for source, variance in PLANTED.items():
        own = tuple(size if axis in source else 1 for axis, size in zip(AXES, shape, strict=True))
        values = values + sqrt(variance) * rng.standard_normal(own)
    return values


def _missed(found: VarianceTable, truth: dict[tuple[str, ...], float]) -> list[float]:
    by_source = {each.source: each.variance for each in found.components}
    return [_outside(by_source[source], planted) for source, planted in truth.items()]  # type: ignore[index]


def _outside(found: ComponentFigure, truth: float) -> float:
    return float("nan") if found.low is None or found.high is None else float(not found.low <= truth <= found.high)


@promising(
    FAMILY,
    interval("{}: items"),
    interval("{}: wordings"),
    interval("{}: judges"),
    interval("{}: items × wordings"),
    interval("{}: share of wordings"),
    interval("{}: standard error of the mean"),
)
def crossed(seed: Seed, shape: tuple[int, int, int, int]) -> list[float]:
    """Normal values with nine components: four of them, one's share, and the error of a mean in one wording."""
    found = variance_table(
        _normal(shape, generator(seed)), np.arange(shape[0]), mean_of={"wording": 1}, seed=seed.child("intervals")
    )
    counts = dict(zip(AXES, (shape[0], 1, *shape[2:]), strict=True))
    parts = {source: variance / np.prod([counts[axis] for axis in source]) for source, variance in PLANTED.items()}
    total = float(sum(parts.values()))
    some: dict[tuple[str, ...], float] = {
        source: PLANTED[source] for source in (("item",), ("wording",), ("judge",), ("item", "wording"))
    }
    share = next(each.share for each in found.components if each.source == ("wording",))
    return [*_missed(found, some), _outside(share, float(parts["wording",]) / total),
            _outside(found.error, sqrt(total))]  # fmt: skip


SHARES, OFTEN = np.array([0.25, 0.6, 0.85]), np.array([0.2, 0.3, 0.5])
"""Chances of items to be answered right, and how often each comes."""
SUITS, HARDER, TOGETHER = 0.06, 0.03, 0.1
"""How much a wording suits an item or not, how much wordings differ (SD), and what a cluster shares."""
_MOST = 2.0


@promising(
    FAMILY,
    interval("{}: items"),
    interval("{}: wordings"),
    interval("{}: items × wordings"),
    careless=(interval("{}", naive=True),),
)
def answers(seed: Seed, clusters: int, each: int, wordings: int, samples: int, *, naive: bool = False) -> list[float]:
    """Answers of 0 and 1 in clusters; naive: the variance of wordings' means, as if nothing else were in it."""
    rng, units = generator(seed), clusters * each
    # Effects are cut at two standard deviations, so that chances stay within 0 and 1.
    effect = HARDER * np.clip(rng.standard_normal((1, wordings, 1, 1)), -_MOST, _MOST)
    cut = 1 - 2 * (_MOST * np.exp(-(_MOST**2) / 2) / sqrt(2 * np.pi) + (1 - _MOST**2) * special.ndtr(-_MOST))
    together = np.repeat(rng.choice([-TOGETHER, TOGETHER], clusters), each)[:, None, None, None]
    own = rng.choice(SHARES, (units, 1, 1, 1), p=OFTEN) + together / 2
    chance = own + effect + rng.choice([-SUITS, SUITS], (units, wordings, 1, 1)) / 2
    right = (rng.random((units, wordings, 1, samples)) < chance).astype(np.float64)
    truth = HARDER**2 * float(cut)
    if naive:
        return [_chi_squared(right.mean(axis=(0, 2, 3)), truth)]
    found = variance_table(right, np.repeat(np.arange(clusters), each), seed=seed.child("intervals"))
    items = float(OFTEN @ SHARES**2 - (OFTEN @ SHARES) ** 2) + each * (TOGETHER / 2) ** 2
    return _missed(
        found, {("item",): items, ("wording",): truth, ("item", "wording"): (SUITS / 2) ** 2}
    )  # fmt: skip


def _chi_squared(means: Floats, truth: float) -> float:
    freedom = means.size - 1
    low, high = (freedom * float(means.var(ddof=1)) / float(special.chdtri(freedom, end)) for end in (0.025, 0.975))
    return float(not low <= truth <= high)


EXPERIMENTS = (
    crossed("40 items, 5 wordings, 4 judges, 2 samples", 120, (40, 5, 4, 2)),
    crossed("100 items, 4 wordings, 3 judges, 2 samples", 80, (100, 4, 3, 2)),
    answers("answers: 100 items alone, 4 wordings, 3 samples", 150, 100, 1, 4, 3),
    answers("answers: 30 clusters of 5, 4 wordings, 2 samples", 150, 30, 5, 4, 2),
    answers("wordings, their means taken as free of noise: 100 items", 60, 100, 1, 4, 1, naive=True),
)
