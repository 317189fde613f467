"""Clusters of very unequal sizes, rare answers, shares at their upper end, and answers between wrong and right.

Sizes are those of real data or log-normal, so that a few clusters may hold most units and an interval may be refused.
How much units of a cluster are alike (icc 0 to .3) and the planted share are drawn anew for each draw, as any interval
of one share varies with it. They are alike by degrees, or some clusters are right or wrong as a whole and the units of
all others each by themselves.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import comb

import numpy as np
from scipy import special

from mores.calibration.judge_agreement import mean_difference
from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.alt_test import alt_test
from mores.stats.classification import f1_interval
from mores.stats.cluster_sums import Design
from mores.stats.intervals import mean_interval, t_quantile
from mores.stats.paired import compare_paired
from mores.stats.rng import generator
from mores.validity.agreement import FAMILY as AGREEMENT
from mores.validity.agreement import OF_A_PAIR, exact_of, pair_figures, population
from mores.validity.figures import CLASSES, F1, PAIRS
from mores.validity.hypotheses import FAMILY as TESTS
from mores.validity.promises import alarm, alarmed, interval, missed, one_promise, promising
from mores.validity.shares import SHARES
from mores.validity.simulated_scores import CULTURAL, Sizes, episodes, evenly, hidden_in, in_clusters

Range = tuple[float, float]
Minds = Callable[[Sequence[float], int, np.random.Generator], Floats]
"""Chances of each outcome in so many clusters, whose shares of all are given."""

TEXTS = (
    *(78,) * 5, *(70,) * 5, 66, *(61,) * 5, *(57,) * 5, *(52,) * 10, *(46,) * 5, 34, *(33,) * 3, *(32,) * 5, *(28,) * 4,
    *(26,) * 6, 19, *(17,) * 9, *(10,) * 4, 9, 9, *(8,) * 4, 7, 2, 2, *(1,) * 80,
)  # fmt: skip
"""Scenarios a text in SocialCC: 158 texts that weigh as 61."""
DATES = (*(70,) * 5, *(61,) * 5, *(26,) * 6, *(10,) * 4, 9, 2, 2, *(1,) * 80)
"""The same in its dimension of dates: 103 texts that weigh as 19."""
INTEREST = (*(61,) * 5, *(26,) * 6)
"""The same in its topic of political interest: 11 texts that weigh as 9."""
FEW = (60, 40, 25, 15, 10, 8, 5, 4, 3, 2, 2, 2)
"""Twelve clusters that weigh as 5."""
MOST = (0.5, 0.98)
NEAR = (0.8, 0.98)
BEST = (0.98, 0.999)
SURE = (30.0, 1.2), (1.5, 8.0)
"""Beta laws of what a verifier says of norms that are kept (about .96) and broken (about .16)."""
DOUBTFUL = (56.0, 4.0), (1.5, 28.5)
"""The same of one that never says more than .93 or so, and .05 of a norm that is broken."""


def sizes(*fixed: int) -> Sizes:
    """The same sizes in each draw."""
    return lambda _: np.array(fixed, dtype=np.int64)


def _minds(law: Sequence[float], clusters: int, rng: np.random.Generator) -> Floats:
    """Chances of each outcome in each cluster, alike within by an icc that is drawn from 0 to .3."""
    icc = float(rng.uniform(0.001, 0.3))
    # chances of a Dirichlet law of strength s are alike by 1 / (s + 1) within clusters
    return rng.dirichlet((1 - icc) / icc * np.array(law), clusters)


def _as_one(law: Sequence[float], clusters: int, rng: np.random.Generator) -> Floats:
    """The same where so many clusters have one outcome as a whole, and units of the others are independent."""
    # clusters that are one as a whole with a chance p are alike by an icc of p
    whole = rng.random(clusters) < rng.uniform(0.001, 0.3)
    return np.where(whole[:, None], rng.multinomial(1, law, clusters), law)


@one_promise(SHARES, partial(interval, may_refuse=True))
def share(seed: Seed, of: Sizes, within: Range, *, naive: bool = False, minds: Minds = _minds) -> float:
    """A share over clusters; some layouts have too little weight on most of them for an interval."""
    rng = generator(seed)
    cluster, truth = in_clusters(of, rng), float(rng.uniform(*within))
    chances = minds((truth, 1 - truth), int(cluster[-1]) + 1, rng)[:, 0]
    right = (rng.random(cluster.size) < chances[cluster]).astype(np.float64)
    found = mean_interval(right, np.arange(cluster.size) if naive else cluster, seed=seed.child("interval"))
    return missed(found, truth)


@one_promise(SHARES)
def best(seed: Seed, places: Sequence[int], bundle: int) -> float:
    """Places where nearly all is right, in bundles of so many units that are independent."""
    rng, place = generator(seed), np.repeat(np.arange(len(places)), places)
    truth = float(rng.uniform(*BEST))
    right = (rng.random(place.size) < truth).astype(np.float64)
    cluster = np.arange(place.size) // bundle
    return missed(mean_interval(right, cluster, strata=place, seed=seed.child("interval")), truth)


@one_promise(SHARES)
def verified(
    seed: Seed, layout: tuple[int, int, int], kept: Range, laws: tuple[Range, Range], *, naive: bool = False
) -> float:
    """A verifier's probabilities that norms are kept, over bundles in places, so many of so many; naive: by t."""
    places, bundles, each = layout
    rng, cluster = generator(seed), np.arange(places * bundles * each) // each
    share_kept = float(rng.uniform(*kept))
    good = rng.random(cluster.size) < share_kept
    right, wrong = laws
    judged = np.where(good, rng.beta(*right, cluster.size), rng.beta(*wrong, cluster.size))
    truth = share_kept * right[0] / sum(right) + (1 - share_kept) * wrong[0] / sum(wrong)
    if naive:
        reach = t_quantile(judged.size - 1, 0.95) * float(judged.std(ddof=1)) / np.sqrt(judged.size)
        return float(abs(float(judged.mean()) - truth) > reach)
    return missed(mean_interval(judged, cluster, strata=cluster // bundles, seed=seed.child("interval")), truth)


@one_promise(PAIRS, partial(interval, may_refuse=True))
def difference(seed: Seed, of: Sizes, discordance: Range) -> float:
    """Two models that differ on a share of units, of which the first is right on a drawn part."""
    rng = generator(seed)
    cluster, differ, lead = in_clusters(of, rng), float(rng.uniform(*discordance)), float(rng.uniform(0.05, 0.95))
    law = (differ * lead, differ * (1 - lead), 1 - differ)
    cuts = np.cumsum(_minds(law, int(cluster[-1]) + 1, rng), axis=1)[cluster]
    outcome = rng.random(cluster.size)
    first, second = outcome < cuts[:, 0], (outcome >= cuts[:, 0]) & (outcome < cuts[:, 1])
    return missed(compare_paired(first, second, cluster, seed=seed.child("interval")), law[0] - law[1])


EXPERIMENTS = (
    share("SocialCC's dates: 103 texts that weigh as 19", 300, sizes(*DATES), MOST),
    share("SocialCC's political interest: 11 texts that weigh as 9", 300, sizes(*INTEREST), MOST),
    share("12 clusters that weigh as 5", 400, sizes(*FEW), MOST),
    share("8 episodes of log-normal length", 400, episodes(8, 1.0), MOST),
    share("20 episodes of log-normal length", 400, episodes(20, 1.0), MOST),
    share("60 episodes of log-normal length", 400, episodes(60, 1.5), MOST),
    share("SocialCC, some texts right or wrong as a whole", 300, sizes(*TEXTS), NEAR, minds=_as_one),
    share("40 clusters of 20, some right or wrong as a whole", 300, sizes(*(20,) * 40), NEAR, minds=_as_one),
    share("150 clusters of 15, some right or wrong as a whole", 300, sizes(*(15,) * 150), NEAR, minds=_as_one),
    share("SocialCC's dates, texts taken as alone", 200, sizes(*DATES), MOST, naive=True),
    best("ladder/know, .98 and more", 400, (9,) * 15, 1),
    best("CulturalBench, .98 and more", 300, CULTURAL, 1),
    best("ladder in bundles of 3, .98 and more", 400, (9,) * 15, 3),
    verified("verifier's probabilities: 45 bundles of 3 in 15 places", 400, (15, 3, 3), (0.85, 0.98), SURE),
    verified("verifier's probabilities: 45 bundles of 1 in 15 places", 400, (15, 3, 1), (0.85, 0.98), SURE),
    verified("verifier's probabilities: 100 bundles of 3", 300, (1, 100, 3), (0.85, 0.98), SURE),
    verified("verifier's probabilities .93 and .05: 60 norms", 400, (1, 60, 1), (0.88, 0.99), DOUBTFUL),
    verified("verifier's probabilities .93 and .05: 45 norms in 15 places", 400, (15, 3, 1), (0.88, 0.99), DOUBTFUL),
    verified("verifier's probabilities .93 and .05: 298 norms", 300, (1, 298, 1), (0.88, 0.99), DOUBTFUL),
    verified("as .93 and .05 spread: 60 norms", 300, (1, 60, 1), (0.88, 0.99), DOUBTFUL, naive=True),
    difference("difference: SocialCC's dates", 300, sizes(*DATES), (0.02, 0.4)),
    difference("difference: 12 clusters that weigh as 5", 400, sizes(*FEW), (0.02, 0.4)),
    difference("difference: 20 episodes of log-normal length", 400, episodes(20, 1.0), (0.02, 0.4)),
    difference("difference: 60 episodes of log-normal length", 400, episodes(60, 1.5), (0.02, 0.4)),
)


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
    judged = np.where(special.ndtr(error) < np.where(gold == 1, *rates), gold, 1 - gold)
    found = pair_figures(gold, judged, Design(clusters=of, resamples=500, seed=seed.child("resamples")))
    return [missed(found[each], truth[each]) for each in OF_A_PAIR]


@one_promise(F1, partial(interval, may_refuse=True))
def f1(seed: Seed, sizes: Sizes, prior: tuple[float, ...], right: tuple[float, float]) -> float:
    """Macro F1 of a model whose share of right answers is drawn between these two."""
    rng, share = generator(seed), np.array(prior)
    of, hits = in_clusters(sizes, rng), float(rng.uniform(*right))
    truth = float(np.mean(2 * hits * share / (share + hits * share + (1 - hits) * np.roll(share, 1))))
    gold = rng.choice(share.size, of.size, p=share)
    judged = np.where(special.ndtr(hidden_in(of, rng)[:, 0]) < hits, gold, (gold + 1) % share.size)
    return missed(f1_interval(gold, judged, CLASSES[: share.size], of), truth)


@promising(TESTS, alarm("{}"), alarm("{}, one-sided"))
def equal_models(seed: Seed, sizes: Sizes, share: float) -> list[float]:
    """Two models as good as each other: two-sided, and one-sided as a gate asks."""
    rng = generator(seed)
    of = in_clusters(sizes, rng)
    a, b = (hidden_in(of, rng, 2, alike=0.3) < special.ndtri(share)).astype(np.float64).T
    found = compare_paired(a, b, of, resamples=50, seed=seed.child("flips"))
    return [alarmed(found.p), alarmed(found.p_one_sided)]


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
def bias(seed: Seed, units: int, discordance: float, *, naive: bool = False) -> float:
    """A judge half a point above people as often as below, and seldom apart at all; naive: read as a share."""
    chance, of = generator(seed).random(units), np.arange(units)
    given = np.where(chance < discordance / 2, 0.5, np.where(chance < discordance, -0.5, 0.0))
    design = Design(clusters=of, seed=seed.child("resamples"))
    return missed(mean_interval(given, of, seed=design.seed) if naive else mean_difference(given, design).interval, 0.0)


UNEVEN = (
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
