"""Tests and ranks: false alarms where there is nothing to find, and intervals that hold all true ranks at once.

Each test is held at level .05 over data without what it looks for. Beside them stand the same made carelessly:
clusters taken as independent units, many claims without correction, percentiles of bootstrapped ranks, which is what
is often printed and has to fail where models are alike.
"""

from math import comb

import numpy as np
import numpy.typing as npt
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.alt_test import alt_test
from mores.stats.clusters import design_effect
from mores.stats.explanations import length_bias
from mores.stats.gaps import region_gap
from mores.stats.paired import compare_paired, is_non_inferior, mcnemar_exact
from mores.stats.rankings import rank_models
from mores.stats.ranks import benjamini_hochberg, benjamini_yekutieli, holm, kruskal_wallis, midranks, signed_rank
from mores.stats.rng import generator
from mores.validity.promises import alarm, alarmed, mean_of, one_promise, promising
from mores.validity.simulated_scores import evenly, hidden

FAMILY, MANY = "tests", "many claims at once"


@promising(FAMILY, alarm("{}"), alarm("{}, one-sided"), careless=(alarm("{}", naive=True),))
def sign_flip(seed: Seed, sample: tuple[int, int], *, naive: bool = False) -> list[float]:
    """Two models as good as each other, alike within clusters; two-sided, and one-sided as a gate asks."""
    score = hidden(*sample, generator(seed), 2)
    a, b = (score < special.ndtri(0.75)).astype(np.float64).T
    found = compare_paired(a, b, evenly(sample, naive=naive), resamples=100, seed=seed.child("flips"))
    return [alarmed(found.p)] if naive else [alarmed(found.p), alarmed(found.p_one_sided)]


@one_promise(FAMILY, alarm)
def _mcnemar(seed: Seed, n: int) -> float:
    a, b = generator(seed).random((2, n)) < 0.7
    return alarmed(mcnemar_exact(int((a & ~b).sum()), int((b & ~a).sum())))


MARGIN = 0.1


@one_promise(FAMILY, alarm)
def _margin(seed: Seed, sample: tuple[int, int], gained: float, *, naive: bool = False) -> float:
    """A model that is worse by just the margin, in clusters; naive: it passes where no loss is significant."""
    score = hidden(*sample, generator(seed), 1)[:, 0]
    lost, won = score < special.ndtri(gained + MARGIN), score > special.ndtri(1 - gained)
    of = evenly(sample, naive=False)
    # the net loss, old model less new one, whose upper end is the loss at worst
    found = compare_paired(lost.astype(float), won.astype(float), of, resamples=100, seed=seed.child("margin"))
    if naive:
        return float(found.p_one_sided > 0.05)
    deff = design_effect(won.astype(float) - lost, of).deff
    low = -1.0 if found.high is None else -found.high
    return float(is_non_inferior(-found.difference, low, lost.size / max(1.0, deff), MARGIN))


@one_promise(FAMILY, alarm)
def gap(seed: Seed, *, naive: bool = False) -> float:
    """Ten regions that are all alike, of three clusters of ten units each."""
    values = hidden(30, 10, generator(seed), alike=0.5)[:, 0]
    of, regions = evenly((30, 10), naive=naive), np.repeat(np.arange(10), 30)
    return alarmed(region_gap(values, np.ones(300), regions, of, seed=seed.child("deals"), permutations=199).p)


@one_promise(FAMILY, alarm)
def _ranks(seed: Seed, n: int, *, naive: bool = False) -> float:
    """Differences within pairs that lie evenly around 0, rounded so that there are ties; naive: taken five times."""
    gaps = np.round(generator(seed).standard_t(4, n), 1)
    return alarmed(signed_rank(np.repeat(gaps, 5) if naive else gaps).p)


@one_promise(FAMILY, alarm)
def _kruskal(seed: Seed, *, naive: bool = False) -> float:
    """Groups with one and the same skewed distribution, with ties; naive: each unit taken five times."""
    # rounded, so that there are ties as in real points
    values = np.round(np.exp(generator(seed).standard_normal(sum(GROUPS))), 1)
    groups = np.split(values, np.cumsum(GROUPS)[:-1])
    return alarmed(kruskal_wallis(*(np.repeat(group, 5) if naive else group for group in groups)).p)


@one_promise(FAMILY, alarm)
def _length_bias(seed: Seed, n: int, *, naive: bool = False) -> float:
    """A judge that gives nothing to length, the errors of which are larger for long answers.

    Naive: the slope of the judge's raw points, where longer answers are better.
    """
    rng = generator(seed)
    words = rng.integers(5, 100, n)
    quality = 0.3 + 0.05 * np.log(words) + rng.normal(0, 0.1, n)
    judge = quality + rng.normal(0, 1, n) * 0.02 * np.log(words)
    people = np.full(n, 0.5) if naive else quality + rng.normal(0, 0.1, n)
    found = length_bias(judge, people, words)
    return float(abs(found.slope) > 1.959964 * found.error)


GROUPS = (8, 15, 30, 45, 60)
PEOPLE, ITEMS, EPSILON, ERRS = 5, 60, 0.15, 0.12


@one_promise(FAMILY, alarm)
def _alt_test(seed: Seed, *, naive: bool = False) -> float:
    """A judge exactly epsilon further off than each of five people, so that to beat any of them is an error.

    Where person and judge differ, the four others side with the truth more often than not: the person is nearer by
    (judge's errors - person's) · (others mostly right - mostly wrong), which is set to epsilon.
    """
    right = np.array([comb(PEOPLE - 1, k) * (1 - ERRS) ** k * ERRS ** (PEOPLE - 1 - k) for k in range(PEOPLE)])
    judge_errs = ERRS + EPSILON / float(right[3:].sum() - right[:2].sum())
    rng = generator(seed)
    people = (rng.random((ITEMS, PEOPLE)) < ERRS).astype(np.float64)
    judge = (rng.random(ITEMS) < judge_errs).astype(np.float64)
    found = alt_test(judge, people, list("abcde"), epsilon=EPSILON)
    return float(any(one.p <= 0.05 if naive else one.beaten for one in found.people))


CLAIMS, EFFECT = 20, 3.0


@promising(
    MANY,
    alarm("Holm, any false claim: {}"),
    mean_of("Benjamini-Hochberg, share of false claims: {}", 0.05),
    mean_of("Benjamini-Yekutieli, share of false claims: {}", 0.05),
    alarm("uncorrected, any false claim: {}", naive=True),
    mean_of("uncorrected, share of false claims: {}", 0.05, naive=True),
)
def _claims(seed: Seed, effects: int, alike: float) -> list[float]:
    """Twenty claims, some with a true effect, the errors of which go together: families, shares of false claims."""
    true = np.arange(CLAIMS) < effects
    # all claims are one cluster, so that their errors go together
    z = hidden(1, CLAIMS, generator(seed), alike=alike)[:, 0] + EFFECT * true
    p = 2 * special.ndtr(-np.abs(z))
    found = (holm(p), benjamini_hochberg(p), benjamini_yekutieli(p), p)
    families = [float((each[~true] <= 0.05).any()) for each in found]
    false = [_false_share(each <= 0.05, true) for each in found]
    return [families[0], false[1], false[2], families[3], false[3]]


def _false_share(claimed: npt.NDArray[np.bool_], true: npt.NDArray[np.bool_]) -> float:
    return float((claimed & ~true).sum() / max(1, claimed.sum()))


EXPERIMENTS = (
    sign_flip("sign flips: 12 clusters of 5, all patterns", 600, (12, 5)),
    sign_flip("sign flips: 40 clusters of 10, counted", 400, (40, 10)),
    sign_flip("40 clusters of 10, McNemar on units", 300, (40, 10), naive=True),
    _mcnemar("McNemar exact: 200 units", 1000, 200),
    _margin("a loss of just the margin passes: 118 units", 600, (118, 1), 0.005),
    _margin("a loss of just the margin passes: 300 units", 600, (300, 1), 0.1),
    _margin("a loss of just the margin passes: 40 clusters of 5", 600, (40, 5), 0.1),
    _margin("a loss of just the margin passes where it is not significant", 60, (40, 5), 0.1, naive=True),
    gap("gap of regions, clusters dealt out anew", 400),
    gap("gap of regions, units dealt out anew", 60, naive=True),
    _ranks("signed ranks: 30 differences, all patterns", 600, 30),
    _ranks("signed ranks: 100 differences, normal", 600, 100),
    _ranks("signed ranks, 30 differences taken five times", 600, 30, naive=True),
    _kruskal("Kruskal-Wallis: 5 groups of 8 to 60", 800),
    _kruskal("Kruskal-Wallis, units taken five times", 800, naive=True),
    _length_bias("length bias: 60 answers", 800, 60),
    _length_bias("length bias from raw points", 800, 60, naive=True),
    _alt_test("alternative annotator: any of 5 people beaten", 800),
    _alt_test("alternative annotator, people not corrected for", 200, naive=True),
    _claims("20 claims, none true", 2000, 0, 0.3),
    _claims("20 claims, 6 true", 2000, 6, 0.0),
)


RANKING = "rankings"
CLUSTERS, EACH, RESAMPLES = 40, 5, 500
ALIKE, TIED = (0.7,) * 6, (0.8, 0.8, 0.7, 0.7, 0.55, 0.4)


def true_ranks(shares: tuple[float, ...]) -> tuple[Integers, Integers]:
    """The first and the last rank that each model has, 1 being the best; they differ in a tie."""
    given = np.array(shares)
    above, level = (given[None] > given[:, None]).sum(1), (given[None] == given[:, None]).sum(1)
    return 1 + above, above + level


@one_promise(RANKING)
def _ranks_of_models(
    seed: Seed, shares: tuple[float, ...], sample: tuple[int, int] = (CLUSTERS, EACH), *, naive: bool = False
) -> float:
    """1 if any model's rank lies outside; naive: of the percentiles of resampled ranks."""
    (first, last), rng = true_ranks(shares), generator(seed)
    both, own = hidden(*sample, rng), hidden(*sample, rng, len(shares))
    points = (np.sqrt(0.3) * both + np.sqrt(0.7) * own < special.ndtri(np.array(shares))).astype(np.float64).T
    if naive:
        low, high = _percentiles(points, rng)
    else:
        found = rank_models(points, evenly(sample), resamples=RESAMPLES, seed=seed.child("ranks")).models
        low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    return float(np.any((low > first) | (high < last)))


def _percentiles(points: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    means = points.reshape(len(points), CLUSTERS, EACH).mean(2)
    drawn = rng.multinomial(CLUSTERS, np.full(CLUSTERS, 1 / CLUSTERS), size=RESAMPLES) @ means.T
    low, high = np.quantile(midranks(-drawn), (0.025, 0.975), axis=0)
    return np.floor(low), np.ceil(high)


RANKINGS = (
    _ranks_of_models("ranks of 6 models, all alike", 120, ALIKE),
    _ranks_of_models("ranks of 6 models, two ties", 120, TIED),
    _ranks_of_models("ranks of 4 models, all alike: 30 units alone", 120, ALIKE[:4], (30, 1)),
    _ranks_of_models("ranks of 6 models, all alike: 10 clusters of 5", 120, ALIKE, (10, 5)),
    _ranks_of_models("ranks of 6 alike, percentiles of resampled ranks", 60, ALIKE, naive=True),
)
