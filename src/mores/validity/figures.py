"""Figures with intervals (F1, norm scores, differences, consensus, corrected points), and places together."""

import numpy as np
from msgspec.structs import replace
from scipy import special

from mores.analysis.aggregate import Cohort, Slice
from mores.analysis.groups import Group
from mores.analysis.units import units_of
from mores.benchmarks.shapes.reasons.metrics import mean_corrected
from mores.core.arrays import Floats, Integers
from mores.core.card import Metric
from mores.core.estimate import CategoricalColumn, MetricRows, RowKeys
from mores.core.seeds import Seed
from mores.stats.classification import f1_interval
from mores.stats.correlation import region_consensus
from mores.stats.explanations import length_bias
from mores.stats.gaps import region_gap
from mores.stats.group_means import joint_interval
from mores.stats.intervals import Interval, wilson
from mores.stats.norm_scores import norm_utilities, norm_weights, weighted_interval
from mores.stats.paired import compare_paired
from mores.stats.partial_pooling import pool_places
from mores.stats.ranks import holm
from mores.stats.rng import generator
from mores.validity.promises import alarm, alarmed, missed, one_promise, promising
from mores.validity.simulated_scores import LATENT, all_above, evenly, hidden, hidden_in, uneven

F1, NORMS, PAIRS, MODELS, LENGTH = "F1", "norm scores", "differences of two models", "consensus", "length"
CLASSES = ("yes", "no", "neutral")
TILTED = (0.5, 0.3, 0.2)


def _answers(
    sample: tuple[int, int], prior: tuple[float, ...], right: float, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Gold labels by the prior and answers that are right or name the next class; right alike within clusters."""
    gold = rng.choice(len(prior), sample[0] * sample[1], p=prior)
    hit = special.ndtr(hidden(*sample, rng)[:, 0]) < right
    return gold, np.where(hit, gold, (gold + 1) % len(prior))


@one_promise(F1)
def f1(seed: Seed, sample: tuple[int, int], prior: tuple[float, ...] = TILTED, *, naive: bool = False) -> float:
    """Macro F1 of a model that is right in .8."""
    right, share = 0.8, np.array(prior)
    truth = float(np.mean(2 * right * share / (share + right * share + (1 - right) * np.roll(share, 1))))
    gold, judged = _answers(sample, prior, right, generator(seed))
    return missed(f1_interval(gold, judged, CLASSES[: len(prior)], evenly(sample, naive=naive)), truth)


STRICTNESS = ("no", "sometimes", "sometimes")
LABELS = (0.92, 0.06, 0.02), (0.1, 0.8, 0.1), (0.05, 0.15, 0.8)
OFTEN = (0.7, 0.2, 0.1)
"""A verifier's probabilities where a norm is satisfied, left open and violated, and how often each comes."""


@one_promise(NORMS)
def _norm_scores(seed: Seed, questions: int, *, paper: bool = False, best: bool = False, naive: bool = False) -> float:
    """Questions of three norms and three samples, their mean or best; how a question goes is common to all in part."""
    cuts = special.ndtri(np.cumsum(OFTEN)[:2])
    often, strictness = np.array(OFTEN), STRICTNESS * questions
    if best:  # the best of three samples is no better than a label where all three lie above its cut
        beyond = np.array([1.0, all_above(float(cuts[0]), 3), all_above(float(cuts[1]), 3), 0.0])
        # chances of the best label, from those of reaching each cut
        often = -np.diff(beyond)
    truth = 100 * float(often @ (np.array(LABELS) @ np.array([1, -0.5, -1])))
    score = hidden(questions, 9, generator(seed), alike=0.6 if naive else LATENT)[:, 0].reshape(questions, 3, 3)
    outcome = np.digitize(score, cuts).transpose(2, 0, 1).reshape(3, -1)
    samples, weight = norm_utilities(np.array(LABELS)[outcome], strictness), norm_weights(strictness)
    values, of = samples.max(0) if best else samples.mean(0), evenly((questions, 3), naive=naive)
    return missed(weighted_interval(values, weight, of, mean_weight=float(weight.mean()) if paper else None), truth)


@one_promise(PAIRS)
def paired(seed: Seed, sample: tuple[int, int], shares: tuple[float, float], *, naive: bool = False) -> float:
    """Two models on the same units, good and bad at the same ones in part; both alike within clusters."""
    cuts, rng = special.ndtri(np.array(shares)), generator(seed)
    both = np.sqrt(0.5) * hidden(*sample, rng)
    a, b = (np.sqrt(0.5) * hidden(*sample, rng, 2) + both).T
    right = (a < cuts[0]).astype(np.float64), (b < cuts[1]).astype(np.float64)
    found = compare_paired(*right, evenly(sample, naive=naive), resamples=2000, seed=seed.child("resamples"))
    return missed(found, shares[0] - shares[1])


@one_promise(PAIRS)
def _point_difference(seed: Seed, n: int) -> float:
    """A gap of points over pairs that go together, in units of which each is its own cluster: t on differences."""
    rng = generator(seed)
    base = rng.normal(0, 2, n)
    a, b = base + rng.normal(1, 1, n), base + rng.standard_t(5, n)
    return missed(compare_paired(a, b, np.arange(n), resamples=2000, seed=seed.child("resamples")), 1.0)


RHO = 0.6


def _rank_correlation(r: float) -> float:
    """Spearman's correlation of normal scores with Pearson's r."""
    # Pearson (1907)
    return float(6 / np.pi * np.arcsin(r / 2))


@one_promise(MODELS)
def consensus(seed: Seed, regions: int, *, naive: bool = False) -> float:
    """Eight models that find the same regions hard in part; naive: their 28 pairs are taken as independent."""
    rng = generator(seed)
    scores = np.sqrt(RHO) * rng.standard_normal(regions) + np.sqrt(1 - RHO) * rng.standard_normal((8, regions))
    found = region_consensus(scores, resamples=200 if naive else 1000, seed=seed.child("resamples"))
    half = 1.96 * found.deviation / np.sqrt(found.pairs)
    alone = Interval(found.consensus - half, found.consensus + half, "pairs taken as independent")
    return missed(alone if naive else found.consensus_interval, _rank_correlation(RHO))


@one_promise(MODELS)
def _polarization(seed: Seed, regions: int) -> float:
    """Seven models that are alike in .81 and an eighth in .27: the range that these two leave between pairs."""
    near, far, rng = 0.81, 0.3, generator(seed)
    common = rng.standard_normal(regions)
    weight = np.append(np.full(7, np.sqrt(near)), far)[:, None]
    scores = weight * common + np.sqrt(1 - weight**2) * rng.standard_normal((8, regions))
    found = region_consensus(scores, resamples=1000, seed=seed.child("resamples"))
    return missed(found.polarization_interval, _rank_correlation(near) - _rank_correlation(far * np.sqrt(near)))


@one_promise(LENGTH)
def _lengths(seed: Seed, *, naive: bool = False) -> float:
    """Answers of a quality of .5 and a judge that gives .08 a unit of log length; the shorter ones are labelled."""
    rng = generator(seed)
    words = rng.integers(5, 100, 200)
    quality = np.clip(0.5 + rng.normal(0, 0.1, 200), 0, 1)
    # short answers are labelled rather than long ones, so that lengths of both differ
    labelled = np.argsort(words + rng.normal(0, 20, 200))[:40]
    centre = float(np.log(words[labelled]).mean())
    points = quality + 0.08 * (np.log(words) - centre)
    people = np.clip(quality[labelled] + rng.normal(0, 0.1, 40), 0, 1)
    bias = length_bias(points[labelled], people, words[labelled])
    kept = points if naive else bias.corrected(points, words)
    aside = np.zeros(200) if naive else np.log(words) - centre
    facts = {"slope": bias.slope, "error": bias.error, "labelled": bias.labelled}
    return missed(mean_corrected(_whole(replace(_rows(kept), extra={"aside": aside}, facts=facts), seed)), 0.5)


def _rows(points: Floats) -> MetricRows:
    each = CategoricalColumn(np.arange(points.size), tuple(map(str, range(points.size))))
    one = CategoricalColumn(np.zeros(points.size, dtype=np.int64), ("",))
    keys = RowKeys(item=each, part=one, unit=each, cluster=each, place=one, sample=one.codes, groups={})
    return MetricRows(keys=keys, value=points, least=points, most=points)


def _whole(rows: MetricRows, seed: Seed) -> Slice:
    metric = Metric(name="points", unit="answer", says="points")
    cohort = Cohort.alone(units_of(rows), Group(), np.ones(len(rows), dtype=np.bool_))
    return Slice(metric, Group(), rows, seed.child("resamples"), cohort)


EXPERIMENTS = (
    f1("macro F1: 50 answers alone", 800, (50, 1)),
    f1("macro F1: 200 answers alone", 800, (200, 1)),
    f1("macro F1: 20 clusters of 5", 800, (20, 5)),
    f1("macro F1: 20 clusters of 20: clusters ignored", 200, (20, 20), naive=True),
    _norm_scores("norm score: 30 questions", 400, 30),
    _norm_scores("norm score: 200 questions", 400, 200),
    _norm_scores("norm score, the paper's form: 100 questions", 400, 100, paper=True),
    _norm_scores("norm score, best of three samples: 200 questions", 400, 200, best=True),
    _norm_scores("norm score, 100 questions: each norm taken as alone", 400, 100, naive=True),
    paired("difference: 60 units alone (adjusted Wald)", 800, (60, 1), (0.8, 0.7)),
    paired("difference: 12 clusters of 5 (t)", 600, (12, 5), (0.8, 0.7)),
    paired("difference: 40 clusters of 20 (t)", 400, (40, 20), (0.8, 0.7)),
    _point_difference("difference of points: 20 units (t)", 400, 20),
    _point_difference("difference of points: 60 units (bootstrap)", 400, 60),
    paired("difference, 40 clusters of 20: clusters ignored", 200, (40, 20), (0.8, 0.7), naive=True),
    consensus("consensus of 8 models over 53 regions", 80, 53),
    consensus("consensus of 8 models over 20 regions", 150, 20),
    consensus("consensus over 20 regions, pairs of models taken as alone", 60, 20, naive=True),
    _polarization("polarization of 8 models over 53 regions", 60, 53),
    _lengths("mean put right for length", 150),
    _lengths("mean not put right for length", 60, naive=True),
)


FAMILY = "places together"
CULTURAL = tuple(round(float(size)) for size in np.geomspace(12, 58, 45))


@one_promise(FAMILY)
def at_once(seed: Seed, sizes: tuple[int, ...], each: int, *, naive: bool = False) -> float:
    """Any place's share outside its interval, the intervals being promised to hold together; naive: each at 95 %."""
    rng = generator(seed)
    wrong = False
    for place, size in enumerate(sizes):
        share = float(rng.uniform(0.3, 0.98))
        right = (hidden(size, each, rng)[:, 0] < special.ndtri(share)).astype(np.float64)
        of, family = evenly((size, each)), 1 if naive else len(sizes)
        low, high, *_ = joint_interval(right, of, family=family, resamples=1000, seed=seed.child(place))
        wrong |= low is not None and high is not None and not low <= share <= high
    return float(wrong)


@promising(FAMILY, alarm("{}, by Holm"), alarm("{}, not corrected", naive=True))
def differences(seed: Seed, places: int, clusters: int, each: int) -> list[float]:
    """Two models that are equally good everywhere: any place said to differ, corrected over places, and not."""
    rng = generator(seed)
    of = evenly((clusters, each))
    tests = []
    for place in range(places):
        a, b = (hidden(clusters, each, rng, 2) < special.ndtri(0.7)).astype(np.float64).T
        tests.append(compare_paired(a, b, of, resamples=50, seed=seed.child(place)).p)
    return [float(np.any(holm(np.array(tests)) <= 0.05)), float(min(tests) <= 0.05)]


@one_promise(FAMILY, alarm)
def gap(seed: Seed, regions: tuple[int, ...], share: float) -> float:
    """Regions that are alike, of as many clusters as given, with clusters of log-normal sizes."""
    region, rng = np.repeat(np.arange(len(regions)), regions), generator(seed)
    of = np.repeat(np.arange(region.size), uneven(region.size, 0.8, rng, mean=4))
    right = (hidden_in(of, rng, alike=0.5)[:, 0] < special.ndtri(share)).astype(np.float64)
    found = region_gap(right, np.ones(right.size), region[of], of, seed=seed.child("deals"), permutations=199)
    return alarmed(found.p)


@one_promise(FAMILY)
def together(seed: Seed, places: int, spread: float, *, naive: bool = False) -> float:
    """The share of one place of ten norms, any of so many that differ; naive: that of all places is taken for it."""
    rng, strength = generator(seed), 0.7 * 0.3 / spread**2 - 1
    shares = rng.beta(0.7 * strength, 0.3 * strength, places)
    right = (rng.random((places, 10)) < shares[:, None]).astype(np.float64)
    at = int(rng.integers(places))
    if naive:
        low, high, *_ = wilson(right.sum(), right.size)
        return float(not (low or 0.0) <= shares[at] <= (high or 1.0))
    place = pool_places(right.ravel(), np.repeat([f"{n:02}" for n in range(places)], 10)).places[at]
    return float(not place.low <= shares[at] <= place.high)


PLACES_TOGETHER = (
    at_once("15 places of 12, all at once", 200, (12,) * 15, 1),
    at_once("45 places of 12 to 58, all at once", 100, CULTURAL, 1),
    at_once("10 places of 10 clusters of 4, all at once", 100, (10,) * 10, 4),
    together("one of 6 places of 10, read together", 200, 6, 0.15),
    together("one of 15 places of 10, read together", 200, 15, 0.1),
    together("one of 40 places of 10, read together", 200, 40, 0.05),
    together("one of 15 places of 10, as all of them", 60, 15, 0.1, naive=True),
    at_once("15 places of 12, each at 95 %", 60, (12,) * 15, 1, naive=True),
    differences("any of 45 places of 30 units", 40, 45, 30, 1),
    differences("any of 10 places of 10 clusters of 5", 100, 10, 10, 5),
    gap("gap of six regions of 3 to 40 clusters", 200, (3, 5, 8, 12, 20, 40), 0.7),
    gap("gap of six regions of 3 to 40 clusters, share .95", 200, (3, 5, 8, 12, 20, 40), 0.95),
)
