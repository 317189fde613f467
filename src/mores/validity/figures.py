"""Figures with intervals of their own: F1, norm scores, differences of two models, consensus, points put right."""

import numpy as np
from msgspec.structs import replace

from mores.analysis.aggregate import Slice
from mores.analysis.groups import Group
from mores.analysis.units import units_of
from mores.benchmarks.shapes.reasons.length import mean_corrected
from mores.core import special
from mores.core.card import Metric
from mores.core.scores import Column, Keys, Rows
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.classification import f1_interval
from mores.stats.consensus import region_consensus
from mores.stats.explanations import length_bias
from mores.stats.intervals import Interval
from mores.stats.norm_scores import norm_utilities, norm_weights, weighted_interval
from mores.stats.paired import compare_paired
from mores.stats.rng import generator
from mores.validity.hidden import LATENT, all_above, hidden
from mores.validity.promises import Experiment, interval, missed

F1, NORMS, PAIRS, MODELS, LENGTH = "F1", "norm scores", "differences of two models", "consensus", "length"
CLASSES = ("yes", "no", "neutral")
TILTED = (0.5, 0.3, 0.2)


def _answers(
    sample: tuple[int, int], prior: tuple[float, ...], right: float, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Gold labels by the prior and answers that are right or name the next class; right alike within clusters."""
    gold = rng.choice(len(prior), sample[0] * sample[1], p=prior)
    hit = special.ndtr(hidden(*sample, rng)[:, 0]) < right
    return gold, np.where(hit, gold, (gold + 1) % len(prior))


def f1(name: str, sample: tuple[int, int], prior: tuple[float, ...], *, draws: int, ignore: bool = False) -> Experiment:
    """Macro F1 of a model that is right in .8."""
    right, share = 0.8, np.array(prior)
    truth = float(np.mean(2 * right * share / (share + right * share + (1 - right) * np.roll(share, 1))))

    def draw(seed: Seed) -> tuple[float]:
        gold, said = _answers(sample, prior, right, generator(seed))
        of = np.arange(gold.size) if ignore else np.repeat(np.arange(sample[0]), sample[1])
        found = f1_interval(gold, said, CLASSES[: len(prior)], of)
        return (missed(found, truth),)

    promise = interval(f"macro F1: {name}", naive=ignore)
    return Experiment(name=promise.name, family=F1, promises=(promise,), draws=draws, draw=draw)


STRICTNESS = ("no", "sometimes", "sometimes")
LABELS = (0.92, 0.06, 0.02), (0.1, 0.8, 0.1), (0.05, 0.15, 0.8)
OFTEN = (0.7, 0.2, 0.1)
"""A verifier's probabilities where a norm is satisfied, left open and violated, and how often each comes."""


def _norm_scores(
    name: str, questions: int, *, paper: bool = False, best: bool = False, ignore: bool = False
) -> Experiment:
    """Questions of three norms and three samples, their mean or best; how a question goes is common to all in part."""
    cuts = special.ndtri(np.cumsum(OFTEN)[:2])
    often, strictness = np.array(OFTEN), STRICTNESS * questions
    if best:  # the best of three samples is no better than a label where all three lie above its cut
        beyond = np.array([1.0, all_above(float(cuts[0]), 3), all_above(float(cuts[1]), 3), 0.0])
        often = -np.diff(beyond)
    truth = 100 * float(often @ (np.array(LABELS) @ np.array([1, -0.5, -1])))

    def draw(seed: Seed) -> tuple[float]:
        score = hidden(questions, 9, generator(seed), alike=0.6 if ignore else LATENT)[:, 0].reshape(questions, 3, 3)
        outcome = np.digitize(score, cuts).transpose(2, 0, 1).reshape(3, -1)
        samples, weight = norm_utilities(np.array(LABELS)[outcome], strictness), norm_weights(strictness)
        values = samples.max(0) if best else samples.mean(0)
        of = np.arange(questions * 3) if ignore else np.repeat(np.arange(questions), 3)
        found = weighted_interval(values, weight, of, mean_weight=float(weight.mean()) if paper else None)
        return (missed(found, truth),)

    promise = interval(name, naive=ignore)
    return Experiment(name=name, family=NORMS, promises=(promise,), draws=400, draw=draw)


def paired(
    name: str, sample: tuple[int, int], shares: tuple[float, float], *, draws: int, ignore: bool = False
) -> Experiment:
    """Two models on the same units, good and bad at the same ones in part; both alike within clusters."""
    cuts = special.ndtri(np.array(shares))

    def draw(seed: Seed) -> tuple[float]:
        rng = generator(seed)
        both = np.sqrt(0.5) * hidden(*sample, rng)
        a, b = (np.sqrt(0.5) * hidden(*sample, rng, 2) + both).T
        of = np.arange(a.size) if ignore else np.repeat(np.arange(sample[0]), sample[1])
        right = (a < cuts[0]).astype(np.float64), (b < cuts[1]).astype(np.float64)
        found = compare_paired(*right, of, resamples=2000, seed=seed.child("resamples"))
        return (missed(found, shares[0] - shares[1]),)

    promise = interval(name, naive=ignore)
    return Experiment(name=name, family=PAIRS, promises=(promise,), draws=draws, draw=draw)


def _unpaired(name: str, n: int) -> Experiment:
    """A gap of points over pairs that go together, in units of which each is its own cluster: t on differences."""

    def draw(seed: Seed) -> tuple[float]:
        rng = generator(seed)
        base = rng.normal(0, 2, n)
        a, b = base + rng.normal(1, 1, n), base + rng.standard_t(5, n)
        found = compare_paired(a, b, np.arange(n), resamples=2000, seed=seed.child("resamples"))
        return (missed(found, 1.0),)

    return Experiment(name=name, family=PAIRS, promises=(interval(name),), draws=400, draw=draw)


RHO = 0.6


def _rank_correlation(r: float) -> float:
    """Spearman's correlation of normal scores with Pearson's r."""
    return float(6 / np.pi * np.arcsin(r / 2))


def consensus(name: str, regions: int, *, draws: int, ignore: bool = False) -> Experiment:
    """Eight models that find the same regions hard in part; `ignore` takes their 28 pairs as independent."""

    def draw(seed: Seed) -> tuple[float]:
        rng = generator(seed)
        scores = np.sqrt(RHO) * rng.standard_normal(regions) + np.sqrt(1 - RHO) * rng.standard_normal((8, regions))
        found = region_consensus(scores, resamples=200 if ignore else 1000, seed=seed.child("resamples"))
        half = 1.96 * found.deviation / np.sqrt(found.pairs)
        alone = Interval(found.consensus - half, found.consensus + half, "pairs taken as independent")
        return (missed(alone if ignore else found.consensus_interval, _rank_correlation(RHO)),)

    promise = interval(name, naive=ignore)
    return Experiment(name=name, family=MODELS, promises=(promise,), draws=draws, draw=draw)


def _polarization(name: str, regions: int, *, draws: int) -> Experiment:
    """Seven models that are alike in .81 and an eighth in .27: the range that these two leave between pairs."""
    near, far = 0.81, 0.3
    truth = _rank_correlation(near) - _rank_correlation(far * np.sqrt(near))

    def draw(seed: Seed) -> tuple[float]:
        rng = generator(seed)
        common = rng.standard_normal(regions)
        weight = np.append(np.full(7, np.sqrt(near)), far)[:, None]
        scores = weight * common + np.sqrt(1 - weight**2) * rng.standard_normal((8, regions))
        found = region_consensus(scores, resamples=1000, seed=seed.child("resamples"))
        return (missed(found.polarization_interval, truth),)

    return Experiment(name=name, family=MODELS, promises=(interval(name),), draws=draws, draw=draw)


def _lengths(name: str, *, ignore: bool = False) -> Experiment:
    """Answers of a quality of .5 and a judge that gives .08 a unit of log length; the shorter ones are labelled."""

    def draw(seed: Seed) -> tuple[float]:
        rng = generator(seed)
        words = rng.integers(5, 100, 200)
        quality = np.clip(0.5 + rng.normal(0, 0.1, 200), 0, 1)
        labelled = np.argsort(words + rng.normal(0, 20, 200))[:40]
        centre = float(np.log(words[labelled]).mean())
        points = quality + 0.08 * (np.log(words) - centre)
        people = np.clip(quality[labelled] + rng.normal(0, 0.1, 40), 0, 1)
        bias = length_bias(points[labelled], people, words[labelled])
        kept = points if ignore else bias.corrected(points, words)
        aside = np.zeros(200) if ignore else np.log(words) - centre
        facts = {"slope": bias.slope, "error": bias.error, "labelled": bias.labelled}
        found = mean_corrected(_whole(replace(_rows(kept), beside={"aside": aside}, facts=facts), seed))
        return (missed(found, 0.5),)

    promise = interval(name, naive=ignore)
    return Experiment(name=name, family=LENGTH, promises=(promise,), draws=60 if ignore else 150, draw=draw)


def _rows(points: FloatArray) -> Rows:
    each = Column(np.arange(points.size), tuple(map(str, range(points.size))))
    one = Column(np.zeros(points.size, dtype=np.int64), ("",))
    keys = Keys(item=each, part=one, unit=each, cluster=each, place=one, sample=one.codes, groups={})
    return Rows(keys=keys, value=points, least=points, most=points)


def _whole(rows: Rows, seed: Seed) -> Slice:
    metric = Metric(name="points", unit="answer", says="points")
    inside = np.ones(len(rows), dtype=np.bool_)
    return Slice(metric, Group(), units_of(rows), inside, rows, seed.child("resamples"))


EXPERIMENTS = (
    f1("50 answers alone", (50, 1), TILTED, draws=800),
    f1("200 answers alone", (200, 1), TILTED, draws=800),
    f1("20 clusters of 5", (20, 5), TILTED, draws=800),
    f1("20 clusters of 20: clusters ignored", (20, 20), TILTED, draws=200, ignore=True),
    _norm_scores("norm score: 30 questions", 30),
    _norm_scores("norm score: 200 questions", 200),
    _norm_scores("norm score, the paper's form: 100 questions", 100, paper=True),
    _norm_scores("norm score, best of three samples: 200 questions", 200, best=True),
    _norm_scores("norm score, 100 questions: each norm taken as alone", 100, ignore=True),
    paired("difference: 60 units alone (adjusted Wald)", (60, 1), (0.8, 0.7), draws=800),
    paired("difference: 12 clusters of 5 (t)", (12, 5), (0.8, 0.7), draws=600),
    paired("difference: 40 clusters of 20 (t)", (40, 20), (0.8, 0.7), draws=400),
    _unpaired("difference of points: 20 units (t)", 20),
    _unpaired("difference of points: 60 units (bootstrap)", 60),
    paired("difference, 40 clusters of 20: clusters ignored", (40, 20), (0.8, 0.7), draws=200, ignore=True),
    consensus("consensus of 8 models over 53 regions", 53, draws=80),
    consensus("consensus of 8 models over 20 regions", 20, draws=150),
    consensus("consensus over 20 regions, pairs of models taken as alone", 20, draws=60, ignore=True),
    _polarization("polarization of 8 models over 53 regions", 53, draws=60),
    _lengths("mean put right for length"),
    _lengths("mean not put right for length", ignore=True),
)
