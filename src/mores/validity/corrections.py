"""Shares put right with people's labels of some units: do corrected intervals hold what people would have said?

A judge with planted sensitivity and specificity grades many units and people label a few of them. The judge's own
mean, uncorrected, has to miss.
"""

from functools import cache, partial

import numpy as np
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.labelled_units import JudgedUnits, LabelledUnits, label_checks
from mores.stats.prediction_powered import prediction_powered
from mores.stats.rng import generator
from mores.stats.rogan_gladen import rogan_gladen
from mores.stats.weighted_means import weighted_mean
from mores.validity.promises import alarm, alarmed, interval, missed, one_promise, promising
from mores.validity.simulated_scores import evenly, hidden

FAMILY, CHECKS = "corrected by labels", "label checks"
TRUE, RIGHT = 0.85, (0.91, 0.88)
JUDGED = 200
PLACES = ((0.85, 0.91, 0.88), (0.6, 0.95, 0.8), (0.75, 0.8, 0.9), (0.9, 0.85, 0.85))


def simulate_judge(label: Floats, right: tuple[Floats | float, Floats | float], uniform: Floats) -> Floats:
    """Answers of a judge of this sensitivity and specificity; it is right where `uniform` is below its chance to be."""
    return np.where(uniform < np.where(label == 1, *right), label, 1 - label)


def _parts(label: Floats, verdicts: Floats, of: Integers, n: int) -> tuple[JudgedUnits, LabelledUnits]:
    """The first n units are labelled, the others only judged."""
    return (
        JudgedUnits(values=verdicts[n:], clusters=of[n:]),
        LabelledUnits(values=verdicts[:n], labels=label[:n], clusters=of[:n]),
    )


@promising(
    FAMILY,
    interval("PPI++: {}"),
    interval("PPI, lambda 1: {}"),
    interval("people's labels alone: {}"),
    interval("the judge's mean uncorrected: {}", naive=True),
    named="corrections, {}",
)
def _alone(seed: Seed, n: int, many: int) -> list[float]:
    """Independent units; the judge's own mean beside every correction."""
    parts = _independent(seed, n, many, TRUE, RIGHT)
    best, plain = prediction_powered(*parts), prediction_powered(*parts, lam=1.0)
    return [missed(each, TRUE) for each in (best.corrected, plain.corrected, best.people, best.uncorrected)]


def _independent(
    seed: Seed, n: int, many: int, share: float, right: tuple[float, float]
) -> tuple[JudgedUnits, LabelledUnits]:
    """Units that are each a cluster, n of them labelled, graded by a judge of this sensitivity and specificity."""
    rng = generator(seed)
    label = (rng.random(n + many) < share).astype(np.float64)
    return _parts(label, simulate_judge(label, right, rng.random(label.size)), np.arange(label.size), n)


@one_promise(FAMILY)
def _rogan_gladen(seed: Seed, n: int, many: int) -> float:
    """Independent units, with labels enough of both kinds."""
    return missed(rogan_gladen(*_independent(seed, n, many, TRUE, RIGHT)).corrected, TRUE)


@promising(
    FAMILY,
    interval("PPI++ in clusters: {}"),
    interval("Rogan-Gladen in clusters: {}"),
    careless=(interval("PPI++, clusters ignored: {}", naive=True),),
    named="corrections in clusters, {}",
)
def _clustered(seed: Seed, labelled: int, each: int, *, naive: bool = False) -> list[float]:
    """Units of episodes: how good they are and how the judge errs are both alike within one; 200 are judged alone."""
    score, chance = hidden(labelled + JUDGED, each, generator(seed), 2).T
    label = (score < special.ndtri(TRUE)).astype(np.float64)
    judged = simulate_judge(label, RIGHT, special.ndtr(chance))
    parts = _parts(label, judged, evenly((labelled + JUDGED, each), naive=naive), labelled * each)
    powered = missed(prediction_powered(*parts).corrected, TRUE)
    return [powered] if naive else [powered, missed(rogan_gladen(*parts).corrected, TRUE)]


@promising(FAMILY, interval("PPI++ by place: {}"), named="corrections by place, {}")
def _by_place(seed: Seed, n: int, many: int) -> list[float]:
    """Places with shares and judges of their own, each with as many labels."""
    (shares, sensitivity, specificity), rng = np.array(PLACES).T, generator(seed)
    place = np.arange((n + many) * len(PLACES)) % len(PLACES)
    label = (rng.random(place.size) < shares[place]).astype(np.float64)
    verdicts = simulate_judge(label, (sensitivity[place], specificity[place]), rng.random(place.size))
    cut = n * len(PLACES)
    judged = JudgedUnits(values=verdicts[cut:], clusters="independent", strata=place[cut:])
    labelled = LabelledUnits(values=verdicts[:cut], labels=label[:cut], clusters="independent", strata=place[:cut])
    return [missed(prediction_powered(judged, labelled).corrected, float(shares.mean()))]


@one_promise(FAMILY)
def _one_an_episode(seed: Seed, *, naive: bool = False) -> float:
    """Episodes of 1 to 8 things, the longer the worse, and one label an episode; naive: labels taken as they come."""
    kinds, rng = np.array([1, 2, 4, 8]), generator(seed)
    truth = float(np.average(TRUE - 0.05 * kinds, weights=kinds))
    sizes = rng.choice(kinds, JUDGED)
    of = np.repeat(np.arange(JUDGED), sizes)
    label = (rng.random(of.size) < TRUE - 0.05 * sizes[of]).astype(np.float64)
    verdicts = np.where(rng.random(of.size) < 0.95 - 0.03 * sizes[of], label, 1.0)
    chosen, rows = _one_of_each(sizes, JUDGED // 2, rng)
    counts = None if naive else sizes[chosen].astype(np.float64)
    judged = JudgedUnits(values=verdicts, clusters=of, weights=None if naive else np.ones(of.size))
    labelled = LabelledUnits(values=verdicts[rows], labels=label[rows], clusters=of[rows], weights=counts)
    return missed(prediction_powered(judged, labelled).corrected, truth)


@promising(
    FAMILY,
    interval("PPI++, {}"),
    interval("people's labels alone, {}"),
    interval("people less judge, {}"),
    named="unequal episodes, {}",
)
def _unequal(seed: Seed, lengths: str, n: int) -> list[float]:
    """Episodes of 1 to 30 things, the longer the worse and the worse judged, and a label of one thing of each of some.

    The mean wanted is that of all things, and so is the difference of people and judge.
    """
    rng, (truth, judged_mean) = generator(seed), _planted(lengths)
    sizes = _sizes(lengths, rng, JUDGED)
    of = np.repeat(np.arange(JUDGED), sizes)
    label = (rng.random(of.size) < _share_of(sizes)[of]).astype(np.float64)
    word = np.where(rng.random(of.size) < _right_of(sizes)[of], label, 1 - label)
    chosen, rows = _one_of_each(sizes, n, rng)
    counts, clusters = sizes[chosen].astype(np.float64), of[rows]
    judged = JudgedUnits(values=word, clusters=of, weights=np.ones(of.size))
    labelled = LabelledUnits(values=word[rows], labels=label[rows], clusters=clusters, weights=counts)
    found = prediction_powered(judged, labelled)
    gap = weighted_mean(label[rows] - word[rows], clusters, counts, signs=True)
    return [missed(found.corrected, truth), missed(found.people, truth), missed(gap, truth - judged_mean)]


def _sizes(lengths: str, rng: np.random.Generator, many: int) -> Integers:
    if lengths == "even":
        return rng.integers(1, 31, many)
    return np.clip(np.rint(np.exp(rng.normal(1.3, 1.0, many))), 1, 30).astype(np.int64)


@cache
def _planted(lengths: str) -> tuple[float, float]:
    """True mean of all things, and the judge's: of a million episodes, once it is asked."""
    # a fixed stream of its own, so that the truth is one number for all draws
    every = _sizes(lengths, np.random.default_rng(1), 10**6).astype(np.float64)
    share, right = _share_of(every), _right_of(every)
    judged = share * right + (1 - share) * (1 - right)
    return float(np.average(share, weights=every)), float(np.average(judged, weights=every))


def _one_of_each(sizes: Integers, n: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Some of the episodes, and the row of one thing of each."""
    chosen = rng.choice(sizes.size, n, replace=False)
    return chosen, np.cumsum(sizes)[chosen] - 1 - rng.integers(0, sizes[chosen])


def _share_of(sizes: Integers | Floats) -> Floats:
    """Share of yes of people in episodes of so many things."""
    return 0.9 - 0.3 * (np.asarray(sizes, dtype=np.float64) - 1) / 29


def _right_of(sizes: Integers | Floats) -> Floats:
    """Share of right answers of the judge there."""
    return 0.95 - 0.25 * (np.asarray(sizes, dtype=np.float64) - 1) / 29


def _checked(judged: JudgedUnits, labelled: LabelledUnits) -> list[float]:
    """1 where another mix is found, and 1 where another rate of the judge is."""
    found = label_checks(judged, labelled)
    return [alarmed(found.mix_p, 0.01), alarmed(found.rate_p, 0.01)]


_warned = partial(alarm, level=0.01)


def _of_episodes(seed: Seed, *, naive: bool = False) -> list[float]:
    """One label of each of 100 episodes of 1 to 30 things, which lie in several places: a warning is a false one.

    Naive: labels are held against all else as if each thing had been as likely.
    """
    rng = generator(seed)
    sizes = rng.integers(1, 31, JUDGED)
    of = np.repeat(np.arange(JUDGED), sizes)
    # places go with the length of episodes, so that one label an episode mixes them otherwise than things do
    place = np.where(rng.random(of.size) < sizes[of] / 30, rng.integers(0, 5, of.size), 5 + of % 5)
    verdicts = (rng.random(of.size) < _share_of(sizes)[of]).astype(np.float64)
    _, rows = _one_of_each(sizes, 100, rng)
    if naive:
        rest = np.setdiff1d(np.arange(of.size), rows)
        judged = JudgedUnits(values=verdicts[rest], clusters=of[rest])
        return _checked(judged, LabelledUnits(values=verdicts[rows], labels=verdicts[rows], clusters=of[rows]))[1:]
    judged = JudgedUnits(values=verdicts, clusters=of, strata=place, weights=1 / sizes[of])
    labelled = LabelledUnits(values=verdicts[rows], labels=verdicts[rows], clusters=of[rows], strata=place[rows],
                             weights=np.ones(rows.size))  # fmt: skip
    return _checked(judged, labelled)


_checks_of_episodes = promising(
    CHECKS, _warned("labels are mixed otherwise, {}"), _warned("the judge's rate is another, {}"), named="checks of {}"
)(_of_episodes)
_careless_checks = promising(
    CHECKS,
    _warned("the judge's rate is another, {}, things taken as alike", naive=True),
    named="checks of {}, careless",
)(_of_episodes)


@promising(CHECKS, _warned("the judge's rate is another, {}"), named="checks of {}")
def _checks_near_an_edge(seed: Seed, days: int, labels: int) -> list[float]:
    """One label of each of few long days, of which a judge says nearly always yes: a warning is a false one."""
    rng = generator(seed)
    verdicts = (rng.random((days, 30)) < rng.uniform(0.8, 0.98)).astype(np.float64)
    rows = rng.choice(days, labels, replace=False)
    seen = verdicts[rows, rng.integers(0, 30, labels)]
    weights = np.full(verdicts.size, 1 / 30)
    judged = JudgedUnits(values=verdicts.ravel(), clusters=np.repeat(np.arange(days), 30), weights=weights)
    return _checked(judged, LabelledUnits(values=seen, labels=seen, clusters=rows, weights=np.ones(labels)))[1:]


@one_promise(FAMILY)
def _one_sided(seed: Seed, n: int, many: int, share: float, right: tuple[float, float]) -> float:
    """A judge that errs to one side only."""
    return missed(prediction_powered(*_independent(seed, n, many, share, right)).corrected, share)


@promising(
    CHECKS,
    _warned("labels are mixed otherwise"),
    _warned("the judge's rate is another"),
    careless=(_warned("labels are mixed otherwise, clusters ignored", naive=True),),
)
def _checks(seed: Seed, n: int, many: int, *, naive: bool = False) -> list[float]:
    """A random sample of labels, in clusters and places: a warning is a false one. The level of both is .01."""
    rng = generator(seed)
    of = np.repeat(np.arange((n + many) // 5), 5)
    place = (rng.integers(0, 4, of[-1] + 1))[of]
    verdicts = (hidden(of[-1] + 1, 5, rng)[:, 0] < 0.5).astype(np.float64)
    units = np.arange(of.size) if naive else of
    judged = JudgedUnits(values=verdicts[n:], clusters=units[n:], strata=place[n:])
    labelled = LabelledUnits(values=verdicts[:n], labels=verdicts[:n], clusters=units[:n], strata=place[:n])
    return _checked(judged, labelled)[: 1 if naive else 2]


EXPERIMENTS = (
    _alone("200 labels of 2,000", 600, 200, 2000),
    _alone("50 labels of 2,000", 600, 50, 2000),
    _alone("20 labels of 2,000", 600, 20, 2000),
    _one_sided("PPI++, a judge that lets all pass that is right, 80 labels of 400", 600, 80, 400, 0.9, (1.0, 0.7)),
    _one_sided("PPI++, a judge that lets nothing pass that is wrong, 80 labels of 400", 600, 80, 400, 0.95, (0.7, 1.0)),
    _rogan_gladen("Rogan-Gladen, Lang-Reiczigel: 200 labels of 2,000", 800, 200, 2000),
    _rogan_gladen("Rogan-Gladen, Lang-Reiczigel: 500 labels of 1,000", 800, 500, 1000),
    _clustered("60 episodes of 5 labelled", 600, 60, 5),
    _clustered("20 episodes of 10 labelled", 600, 20, 10),
    _clustered("30 episodes of 30 labelled", 300, 30, 30, naive=True),
    _by_place("4 places of 50 labels", 800, 50, 500),
    _by_place("4 places of 20 labels", 800, 20, 500),
    _one_an_episode("PPI++ weighed: one label an episode of 1 to 8", 400),
    _one_an_episode("PPI++, one label an episode, not weighed", 100, naive=True),
    _unequal("one label an episode of 1 to 30", 300, "even", 100),
    _unequal("one label an episode of log-normal length", 300, "log-normal", 100),
    _checks("label checks", 800, 200, 2000),
    _checks_near_an_edge("39 labels of 60 days", 300, 60, 39),
    _checks_of_episodes("one label an episode of 1 to 30", 300),
    _careless_checks("one label an episode of 1 to 30", 500, naive=True),
    _checks("label checks, clusters ignored", 100, 200, 2000, naive=True),
)
