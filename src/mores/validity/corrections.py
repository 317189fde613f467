"""Shares put right with people's labels of some units: do corrected intervals hold what people would have said?

A judge with planted sensitivity and specificity grades many units and people label a few of them. The judge's own
mean, uncorrected, has to miss.
"""

from functools import cache

import numpy as np

from mores.core import special
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.checked_labels import label_checks
from mores.stats.corrected import prediction_powered
from mores.stats.labelled import JudgedUnits, LabelledUnits
from mores.stats.prevalence import rogan_gladen
from mores.stats.rng import generator
from mores.stats.weighed import weighed_mean
from mores.validity.hidden import evenly, hidden
from mores.validity.promises import Experiment, alarm, alarmed, interval, missed, one_promise

FAMILY, CHECKS = "corrected by labels", "label checks"
TRUE, RIGHT = 0.85, (0.91, 0.88)
JUDGED = 200
PLACES = ((0.85, 0.91, 0.88), (0.6, 0.95, 0.8), (0.75, 0.8, 0.9), (0.9, 0.85, 0.85))


def said_of(label: FloatArray, right: tuple[FloatArray | float, FloatArray | float], luck: FloatArray) -> FloatArray:
    """What a judge of this sensitivity and specificity says; it is right where luck is below its chance to be."""
    return np.where(luck < np.where(label == 1, *right), label, 1 - label)


def _parts(label: FloatArray, said: FloatArray, of: IntArray, n: int) -> tuple[JudgedUnits, LabelledUnits]:
    """The first n units are labelled, the others only judged."""
    return (
        JudgedUnits(values=said[n:], clusters=of[n:]),
        LabelledUnits(values=said[:n], labels=label[:n], clusters=of[:n]),
    )


def _alone(name: str, n: int, many: int, draws: int) -> Experiment:
    """Independent units; the judge's own mean beside every correction."""

    def draw(seed: Seed) -> list[float]:
        rng = generator(seed)
        label = (rng.random(n + many) < TRUE).astype(np.float64)
        said = said_of(label, RIGHT, rng.random(label.size))
        parts = _parts(label, said, np.arange(label.size), n)
        best, plain = prediction_powered(*parts), prediction_powered(*parts, lam=1.0)
        return [missed(each, TRUE) for each in (best.corrected, plain.corrected, best.people, best.uncorrected)]

    promises = (
        interval(f"PPI++: {name}"),
        interval(f"PPI, lambda 1: {name}"),
        interval(f"people's labels alone: {name}"),
        interval(f"the judge's mean uncorrected: {name}", naive=True),
    )
    return Experiment(name=f"corrections, {name}", family=FAMILY, promises=promises, draws=draws, draw=draw)


@one_promise(FAMILY)
def _rogan_gladen(seed: Seed, n: int, many: int) -> float:
    """Independent units, with labels enough of both kinds."""
    rng = generator(seed)
    label = (rng.random(n + many) < TRUE).astype(np.float64)
    said = said_of(label, RIGHT, rng.random(label.size))
    return missed(rogan_gladen(*_parts(label, said, np.arange(label.size), n)).corrected, TRUE)


def _clustered(name: str, labelled: int, each: int, draws: int, *, ignore: bool = False) -> Experiment:
    """Units of episodes: how good they are and how the judge errs are both alike within one; 200 are judged alone."""

    def draw(seed: Seed) -> list[float]:
        score, luck = hidden(labelled + JUDGED, each, generator(seed), 2).T
        label = (score < special.ndtri(TRUE)).astype(np.float64)
        said = said_of(label, RIGHT, special.ndtr(luck))
        parts = _parts(label, said, evenly((labelled + JUDGED, each), naive=ignore), labelled * each)
        powered = missed(prediction_powered(*parts).corrected, TRUE)
        return [powered] if ignore else [powered, missed(rogan_gladen(*parts).corrected, TRUE)]

    promises = (interval(f"PPI++ in clusters: {name}"), interval(f"Rogan-Gladen in clusters: {name}"))
    careless = (interval(f"PPI++, clusters ignored: {name}", naive=True),)
    return Experiment(
        name=f"corrections in clusters, {name}",
        family=FAMILY,
        promises=careless if ignore else promises,
        draws=draws,
        draw=draw,
    )


def _by_place(name: str, n: int, many: int, draws: int) -> Experiment:
    """Places with shares and judges of their own, each with as many labels."""
    shares, sensitivity, specificity = np.array(PLACES).T
    truth = float(shares.mean())

    def draw(seed: Seed) -> list[float]:
        rng = generator(seed)
        place = np.arange((n + many) * len(PLACES)) % len(PLACES)
        label = (rng.random(place.size) < shares[place]).astype(np.float64)
        said = said_of(label, (sensitivity[place], specificity[place]), rng.random(place.size))
        cut = n * len(PLACES)
        judged = JudgedUnits(values=said[cut:], clusters="independent", strata=place[cut:])
        labelled = LabelledUnits(values=said[:cut], labels=label[:cut], clusters="independent", strata=place[:cut])
        return [missed(prediction_powered(judged, labelled).corrected, truth)]

    promises = (interval(f"PPI++ by place: {name}"),)
    return Experiment(name=f"corrections by place, {name}", family=FAMILY, promises=promises, draws=draws, draw=draw)


@one_promise(FAMILY)
def _one_an_episode(seed: Seed, *, naive: bool = False) -> float:
    """Episodes of 1 to 8 things, the longer the worse, and one label an episode; naive: labels taken as they come."""
    kinds, rng = np.array([1, 2, 4, 8]), generator(seed)
    truth = float(np.average(TRUE - 0.05 * kinds, weights=kinds))
    sizes = rng.choice(kinds, JUDGED)
    of = np.repeat(np.arange(JUDGED), sizes)
    label = (rng.random(of.size) < TRUE - 0.05 * sizes[of]).astype(np.float64)
    said = np.where(rng.random(of.size) < 0.95 - 0.03 * sizes[of], label, 1.0)
    chosen = rng.choice(JUDGED, JUDGED // 2, replace=False)
    rows = np.cumsum(sizes)[chosen] - 1 - rng.integers(0, sizes[chosen])
    counts = None if naive else sizes[chosen].astype(np.float64)
    judged = JudgedUnits(values=said, clusters=of, weights=None if naive else np.ones(of.size))
    labelled = LabelledUnits(values=said[rows], labels=label[rows], clusters=of[rows], weights=counts)
    return missed(prediction_powered(judged, labelled).corrected, truth)


def _unequal(name: str, lengths: str, n: int, draws: int) -> Experiment:
    """Episodes of 1 to 30 things, the longer the worse and the worse judged, and a label of one thing of each of some.

    The mean wanted is that of all things, and so is the difference of people and judge.
    """

    def sizes_of(rng: np.random.Generator, many: int) -> IntArray:
        if lengths == "even":
            return rng.integers(1, 31, many)
        return np.clip(np.rint(np.exp(rng.normal(1.3, 1.0, many))), 1, 30).astype(np.int64)

    @cache
    def planted() -> tuple[float, float]:
        """What is true of all things, and what the judge says of them: of a million episodes, once it is asked."""
        every = sizes_of(np.random.default_rng(1), 10**6).astype(np.float64)
        share, right = _share_of(every), _right_of(every)
        said = share * right + (1 - share) * (1 - right)
        return float(np.average(share, weights=every)), float(np.average(said, weights=every))

    def draw(seed: Seed) -> list[float]:
        rng, (truth, said) = generator(seed), planted()
        sizes = sizes_of(rng, JUDGED)
        of = np.repeat(np.arange(JUDGED), sizes)
        label = (rng.random(of.size) < _share_of(sizes)[of]).astype(np.float64)
        word = np.where(rng.random(of.size) < _right_of(sizes)[of], label, 1 - label)
        chosen = rng.choice(JUDGED, n, replace=False)
        rows = np.cumsum(sizes)[chosen] - 1 - rng.integers(0, sizes[chosen])
        counts, clusters = sizes[chosen].astype(np.float64), of[rows]
        judged = JudgedUnits(values=word, clusters=of, weights=np.ones(of.size))
        labelled = LabelledUnits(values=word[rows], labels=label[rows], clusters=clusters, weights=counts)
        found = prediction_powered(judged, labelled)
        gap = weighed_mean(label[rows] - word[rows], clusters, counts, signs=True)
        return [missed(found.corrected, truth), missed(found.people, truth), missed(gap, truth - said)]

    promises = (
        interval(f"PPI++, {name}"),
        interval(f"people's labels alone, {name}"),
        interval(f"people less judge, {name}"),
    )
    return Experiment(name=f"unequal episodes, {name}", family=FAMILY, promises=promises, draws=draws, draw=draw)


def _share_of(sizes: IntArray | FloatArray) -> FloatArray:
    """What people say yes to in episodes of so many things."""
    return 0.9 - 0.3 * (np.asarray(sizes, dtype=np.float64) - 1) / 29


def _right_of(sizes: IntArray | FloatArray) -> FloatArray:
    """How often the judge is right there."""
    return 0.95 - 0.25 * (np.asarray(sizes, dtype=np.float64) - 1) / 29


def _checks_of_episodes(name: str, *, ignore: bool = False) -> Experiment:
    """One label of each of 100 episodes of 1 to 30 things, which lie in several places: a warning is a false one.

    Naive: labels are held against all else as if each thing had been as likely.
    """

    def draw(seed: Seed) -> list[float]:
        rng = generator(seed)
        sizes = rng.integers(1, 31, JUDGED)
        of = np.repeat(np.arange(JUDGED), sizes)
        place = np.where(rng.random(of.size) < sizes[of] / 30, rng.integers(0, 5, of.size), 5 + of % 5)
        said = (rng.random(of.size) < _share_of(sizes)[of]).astype(np.float64)
        chosen = rng.choice(JUDGED, 100, replace=False)
        rows = np.cumsum(sizes)[chosen] - 1 - rng.integers(0, sizes[chosen])
        if ignore:
            rest = np.setdiff1d(np.arange(of.size), rows)
            judged = JudgedUnits(values=said[rest], clusters=of[rest])
            labelled = LabelledUnits(values=said[rows], labels=said[rows], clusters=of[rows])
            return [alarmed(label_checks(judged, labelled).rate_p, 0.01)]
        judged = JudgedUnits(values=said, clusters=of, strata=place, weights=1 / sizes[of])
        labelled = LabelledUnits(values=said[rows], labels=said[rows], clusters=of[rows], strata=place[rows],
                                 weights=np.ones(rows.size))  # fmt: skip
        found = label_checks(judged, labelled)
        return [alarmed(found.mix_p, 0.01), alarmed(found.rate_p, 0.01)]

    fair = (alarm(f"labels are mixed otherwise, {name}", level=0.01),
            alarm(f"the judge's rate is another, {name}", level=0.01))  # fmt: skip
    careless = (alarm(f"the judge's rate is another, {name}, things taken as alike", level=0.01, naive=True),)
    return Experiment(name=f"checks of {name}{', careless' if ignore else ''}", family=CHECKS,
                      promises=careless if ignore else fair, draws=500 if ignore else 300, draw=draw)  # fmt: skip


def _checks_near_an_edge(name: str, days: int, labels: int) -> Experiment:
    """One label of each of few long days, of which a judge says nearly always yes: a warning is a false one."""

    def draw(seed: Seed) -> list[float]:
        rng = generator(seed)
        said = (rng.random((days, 30)) < rng.uniform(0.8, 0.98)).astype(np.float64)
        rows = rng.choice(days, labels, replace=False)
        seen = said[rows, rng.integers(0, 30, labels)]
        weights = np.full(said.size, 1 / 30)
        judged = JudgedUnits(values=said.ravel(), clusters=np.repeat(np.arange(days), 30), weights=weights)
        labelled = LabelledUnits(values=seen, labels=seen, clusters=rows, weights=np.ones(labels))
        return [alarmed(label_checks(judged, labelled).rate_p, 0.01)]

    promise = alarm(f"the judge's rate is another, {name}", level=0.01)
    return Experiment(name=f"checks of {name}", family=CHECKS, promises=(promise,), draws=300, draw=draw)


@one_promise(FAMILY)
def _one_sided(seed: Seed, n: int, many: int, share: float, right: tuple[float, float]) -> float:
    """A judge that errs to one side only."""
    rng = generator(seed)
    label = (rng.random(n + many) < share).astype(np.float64)
    said = said_of(label, right, rng.random(label.size))
    return missed(prediction_powered(*_parts(label, said, np.arange(label.size), n)).corrected, share)


def _checks(name: str, n: int, many: int, draws: int, *, ignore: bool = False) -> Experiment:
    """A random sample of labels, in clusters and places: a warning is a false one. The level of both is .01."""

    def draw(seed: Seed) -> list[float]:
        rng = generator(seed)
        of = np.repeat(np.arange((n + many) // 5), 5)
        place = (rng.integers(0, 4, of[-1] + 1))[of]
        said = (hidden(of[-1] + 1, 5, rng)[:, 0] < 0.5).astype(np.float64)
        units = np.arange(of.size) if ignore else of
        judged = JudgedUnits(values=said[n:], clusters=units[n:], strata=place[n:])
        labelled = LabelledUnits(values=said[:n], labels=said[:n], clusters=units[:n], strata=place[:n])
        found = label_checks(judged, labelled)
        mixed, rate = alarmed(found.mix_p, 0.01), alarmed(found.rate_p, 0.01)
        return [mixed] if ignore else [mixed, rate]

    promises = (alarm("labels are mixed otherwise", level=0.01), alarm("the judge's rate is another", level=0.01))
    careless = (alarm("labels are mixed otherwise, clusters ignored", level=0.01, naive=True),)
    return Experiment(name=name, family=CHECKS, promises=careless if ignore else promises, draws=draws, draw=draw)


EXPERIMENTS = (
    _alone("200 labels of 2,000", 200, 2000, 600),
    _alone("50 labels of 2,000", 50, 2000, 600),
    _one_sided("PPI++, a judge that lets all pass that is right, 80 labels of 400", 600, 80, 400, 0.9, (1.0, 0.7)),
    _one_sided("PPI++, a judge that lets nothing pass that is wrong, 80 labels of 400", 600, 80, 400, 0.95, (0.7, 1.0)),
    _rogan_gladen("Rogan-Gladen, Lang-Reiczigel: 200 labels of 2,000", 800, 200, 2000),
    _rogan_gladen("Rogan-Gladen, Lang-Reiczigel: 500 labels of 1,000", 800, 500, 1000),
    _clustered("60 episodes of 5 labelled", 60, 5, 600),
    _clustered("20 episodes of 10 labelled", 20, 10, 600),
    _clustered("30 episodes of 30 labelled", 30, 30, 300, ignore=True),
    _by_place("4 places of 50 labels", 50, 500, 800),
    _by_place("4 places of 20 labels", 20, 500, 800),
    _one_an_episode("PPI++ weighed: one label an episode of 1 to 8", 400),
    _one_an_episode("PPI++, one label an episode, not weighed", 100, naive=True),
    _unequal("one label an episode of 1 to 30", "even", 100, 300),
    _unequal("one label an episode of log-normal length", "log-normal", 100, 300),
    _checks("label checks", 200, 2000, 800),
    _checks_near_an_edge("39 labels of 60 days", 60, 39),
    _checks_of_episodes("one label an episode of 1 to 30"),
    _checks_of_episodes("one label an episode of 1 to 30", ignore=True),
    _checks("label checks, clusters ignored", 200, 2000, 100, ignore=True),
)
