"""Clusters of unequal sizes and answers that are hardly seen, as in real episodes: where intervals break soonest.

Sizes are log-normal, so that a few clusters may hold most units and an interval may be refused. Rates are drawn anew
for each draw where any interval of one rate swings with it.
"""

from functools import partial
from math import comb

import numpy as np
from scipy import special

from mores.calibration.judge_agreement import mean_difference
from mores.core.seeds import Seed
from mores.stats.alt_test import alt_test
from mores.stats.classification import f1_interval
from mores.stats.cluster_sums import Design
from mores.stats.intervals import mean_interval
from mores.stats.paired import compare_paired
from mores.stats.rng import generator
from mores.validity.agreement import FAMILY as AGREEMENT
from mores.validity.agreement import OF_A_PAIR, exact_of, pair_figures, population
from mores.validity.figures import CLASSES, F1
from mores.validity.hypotheses import FAMILY as TESTS
from mores.validity.latent_scores import Sizes, episodes, evenly, hidden_in, in_clusters
from mores.validity.promises import alarm, alarmed, interval, missed, one_promise, promising


def alone(units: int) -> Sizes:
    """Units of clusters of their own."""
    return lambda _: np.ones(units, dtype=np.int64)


@promising(AGREEMENT, *(interval(f"{each}: {{}}", may_refuse=True) for each in OF_A_PAIR), named="judge and people, {}")
def agreement(seed: Seed, sizes: Sizes, share: float, right: tuple[float, float]) -> list[float]:
    """A judge against people; sensitivity and specificity are drawn between these two, the share a tenth up or down."""
    rng = generator(seed)
    of, rates = in_clusters(sizes, rng), rng.uniform(*right, 2)
    planted = share * float(rng.uniform(0.9, 1.1))
    truth = exact_of(population(planted, (float(rates[0]), float(rates[1]))))
    label, error = hidden_in(of, rng, 2).T
    gold = (label < special.ndtri(planted)).astype(np.int64)
    said = np.where(special.ndtr(error) < np.where(gold == 1, *rates), gold, 1 - gold)
    found = pair_figures(gold, said, Design(clusters=of, resamples=500, seed=seed.child("resamples")))
    return [missed(found[each], truth[each]) for each in OF_A_PAIR]


@one_promise(F1, partial(interval, may_refuse=True))
def f1(seed: Seed, sizes: Sizes, prior: tuple[float, ...], right: tuple[float, float]) -> float:
    """Macro F1 of a model whose share of right answers is drawn between these two."""
    rng, share = generator(seed), np.array(prior)
    of, hits = in_clusters(sizes, rng), float(rng.uniform(*right))
    truth = float(np.mean(2 * hits * share / (share + hits * share + (1 - hits) * np.roll(share, 1))))
    gold = rng.choice(share.size, of.size, p=share)
    said = np.where(special.ndtr(hidden_in(of, rng)[:, 0]) < hits, gold, (gold + 1) % share.size)
    return missed(f1_interval(gold, said, CLASSES[: share.size], of), truth)


@promising(TESTS, alarm("{}"), alarm("{}, one-sided"))
def equal_models(seed: Seed, sizes: Sizes, share: float) -> list[float]:
    """Two models as good as each other: two-sided, and one-sided as a gate asks."""
    rng = generator(seed)
    of = in_clusters(sizes, rng)
    a, b = (hidden_in(of, rng, 2, alike=0.3) < special.ndtri(share)).astype(np.float64).T
    found = compare_paired(a, b, of, resamples=50, seed=seed.child("flips"))
    return [alarmed(found.p), alarmed(found.p_worse)]


PEOPLE, ERRS, EPSILON = 5, 0.12, 0.15


@one_promise(TESTS, alarm)
def alternative(seed: Seed, clusters: int, each: int, *, naive: bool = False) -> float:
    """A judge exactly epsilon further off than each of five people, all of whom err alike within clusters."""
    right = np.array([comb(PEOPLE - 1, k) * (1 - ERRS) ** k * ERRS ** (PEOPLE - 1 - k) for k in range(PEOPLE)])
    chances = np.append(np.full(PEOPLE, ERRS), ERRS + EPSILON / float(right[3:].sum() - right[:2].sum()))
    of = evenly((clusters, each))
    wrong = (special.ndtr(hidden_in(of, generator(seed), PEOPLE + 1, alike=0.5)) < chances).astype(np.float64)
    found = alt_test(wrong[:, -1], wrong[:, :-1], list("abcde"), epsilon=EPSILON, clusters=None if naive else of)
    return float(any(one.beaten for one in found.people))


@one_promise(AGREEMENT)
def bias(seed: Seed, units: int, apart: float, *, naive: bool = False) -> float:
    """A judge half a point above people as often as below, and seldom apart at all; naive: read as a share."""
    luck, of = generator(seed).random(units), np.arange(units)
    given = np.where(luck < apart / 2, 0.5, np.where(luck < apart, -0.5, 0.0))
    design = Design(clusters=of, seed=seed.child("resamples"))
    return missed(mean_interval(given, of, seed=design.seed) if naive else mean_difference(given, design).interval, 0.0)


EXPERIMENTS = (
    bias("a judge's bias: 40 units alone, apart in 4 %", 200, 40, 0.04),
    bias("a judge's bias: 200 units alone, apart in 20 %", 200, 200, 0.2),
    bias("a judge's bias read as a share: 40 units alone", 200, 40, 0.04, naive=True),
    agreement("100 units alone, a judge nearly always right", 100, alone(100), 0.5, (0.93, 0.995)),
    agreement("60 units alone", 100, alone(60), 0.3, (0.8, 0.95)),
    agreement("12 episodes of 1 to 40", 100, episodes(12, 1.0), 0.4, (0.8, 0.95)),
    agreement("30 episodes of 1 to 100", 100, episodes(30, 1.5), 0.4, (0.8, 0.95)),
    f1("macro F1: 30 answers alone", 400, alone(30), (0.5, 0.3, 0.2), (0.6, 0.95)),
    f1("macro F1: 200 answers alone, a class of 5 %", 400, alone(200), (0.55, 0.4, 0.05), (0.6, 0.95)),
    f1("macro F1: 12 episodes of 1 to 40", 400, episodes(12, 1.0), (0.5, 0.3, 0.2), (0.6, 0.95)),
    f1("macro F1: 40 episodes of 1 to 100", 400, episodes(40, 1.5), (0.5, 0.3, 0.2), (0.6, 0.95)),
    equal_models("40 units alone (McNemar)", 800, alone(40), 0.7),
    equal_models("sign flips: 12 episodes of 1 to 40", 400, episodes(12, 1.0), 0.75),
    equal_models("sign flips: 30 episodes of 1 to 100, share .95", 200, episodes(30, 1.5), 0.95),
    alternative("alternative annotator: 12 episodes of 5", 400, 12, 5),
    alternative("alternative annotator: 40 episodes of 5", 300, 40, 5),
    alternative("alternative annotator, 8 episodes of 20, taken as alone", 100, 8, 20, naive=True),
)
