"""Certificates: the share of draws in which the true risk of what was certified is above its level, at most delta.

Calibration items are drawn anew for each draw from a population that is known whole, so that the true risk of any
thresholds is exact. Levels to certify are set a hair below the true risks of some settings, where a careless rule
breaks the promise soonest. Beside each way of calibrating stands a careless one: the cheapest thresholds whose loss on
the sample is at most the level, items of one cluster taken as independent, many settings tested without correction.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.conformal.calibration import Calibrated, CalibrationPlan, calibrate, calibrate_groups, line
from mores.stats.conformal.draws import Draws, LabelledDraws, Thresholds, keep_by_weight, one_each
from mores.stats.conformal.replay import losses_under
from mores.stats.conformal.risk_tests import RiskEvidence, safe
from mores.stats.rng import generator
from mores.stats.selective import Trusted, certify_confidence
from mores.validity.promises import Experiment, certificate, one_promise, promising

LINE = CalibrationPlan(mode="line")


class PopulationSpec(NamedTuple):
    """Items of a population, draws of each, and how many in a row are as hard as each other."""

    items: int = 2000
    each: int = 10
    alike: int = 1
    ease: float = 2.2


class JudgePopulation(Struct, frozen=True, kw_only=True):
    """All items of a judge with their draws and labels; rows of `clusters` are items of one cluster."""

    whole: LabelledDraws
    clusters: Integers
    _known: dict[Thresholds, float]

    def risk(self, thresholds: Thresholds) -> float:
        """The true risk of thresholds: the share of all items that they lose."""
        if thresholds not in self._known:
            lost = losses_under(self.whole.draws, self.whole.admissible, (thresholds,))
            self._known[thresholds] = float(lost.mean())
        return self._known[thresholds]

    def line_risks(self) -> Floats:
        """True risks along the line of stops."""
        return np.array([self.risk(setting) for setting in line(self.whole.draws, LINE)])

    def sharp(self, place: float) -> float:
        """A level a hair below one of the true risks between .04 and .4; `place` from 0, the least, to 1."""
        risks = self.line_risks()
        distinct = np.unique(risks[(risks > 0.04) & (risks < 0.4)])
        # a level just below a true risk: whoever certifies that setting breaks the promise
        return float(distinct[round(place * (distinct.size - 1))]) - 1e-9

    def sample(self, units: int, rng: np.random.Generator) -> LabelledDraws:
        """Labelled items of clusters drawn independently; one that is drawn twice is two."""
        picked = self.clusters[rng.integers(0, len(self.clusters), units)]
        drawn = self.whole.at(picked.ravel())
        return replace(drawn, cluster=np.repeat(np.arange(units), picked.shape[1]))


@cache
def population(kind: PopulationSpec, seed: int = 0) -> JudgePopulation:
    """A judge wrong in about an eighth of its draws, surer when right; some items it never gets right."""
    rng = np.random.default_rng(seed)
    many = kind.items // kind.alike
    # some items are never judged right, so that no threshold has a risk of 0
    skill = np.where(rng.random(many) < 0.02, 0.0, rng.beta(kind.ease, 0.25, many))
    right = rng.random((kind.items, kind.each)) < np.repeat(skill, kind.alike)[:, None]
    shape = (kind.items, kind.each, kind.each)
    similarity = np.where(right[:, :, None] == right[:, None, :], rng.uniform(0.2, 1, shape), 0.0)
    draws = Draws.of(right.astype(int).tolist(), rng.beta(2 + 3 * right, 3), similarity)
    of = np.arange(kind.items) // kind.alike
    whole = LabelledDraws.of(draws, [1] * kind.items, of)
    return JudgePopulation(whole=whole, clusters=np.arange(kind.items).reshape(-1, kind.alike), _known={})


CLM, TESTED, TRUST = "conformal language modelling", "risks of many settings", "trust or escalate"
ALONE, GROUPED = PopulationSpec(), PopulationSpec(each=6, alike=10)

PARETO = CalibrationPlan(mode="pareto", levels=8)

LEVELS = {"a low level": 0.2, "a middle level": 0.5, "a high level": 0.9}
HIGH = {"a high level": 0.9, "the highest level": 1.0}


def broken(everyone: JudgePopulation, answer: object) -> float:
    """1 where certified thresholds have a true risk above their level, NaN where nothing was certified."""
    if not isinstance(answer, Calibrated):
        return nan
    return float(everyone.risk(answer.thresholds) > answer.risk)


def _line(
    name: str, units: int, draws: int, hand: Callable[[LabelledDraws, Seed], LabelledDraws] | None = None
) -> Experiment:
    """Along the stop alone, at sharp levels; with `hand`, clusters of ten are drawn, and it says what is handed on."""
    kind, naive = ALONE if hand is None else GROUPED, hand is _as_independent
    levels = LEVELS if hand is None else HIGH

    def draw(seed: Seed) -> list[float]:
        everyone = population(kind)
        sample = everyone.sample(units, generator(seed))
        given = sample if hand is None else hand(sample, seed.child("hand"))
        risks = [everyone.sharp(place) for place in levels.values()]
        return [broken(everyone, each) for each in calibrate(given, risks, LINE, seed=seed)]

    promises = tuple(certificate(f"{name}, {level}", naive=naive) for level in levels)
    return Experiment(name=name, family=CLM, promises=promises, draws=draws, draw=draw)


def _in_clusters(sample: LabelledDraws, _: Seed) -> LabelledDraws:
    return sample


def _as_independent(sample: LabelledDraws, _: Seed) -> LabelledDraws:
    return replace(sample, cluster=np.arange(sample.draws.count))


def _one_of_each(sample: LabelledDraws, seed: Seed) -> LabelledDraws:
    return sample.at(one_each(sample.cluster, seed))


def cheapest(everyone: JudgePopulation, sample: LabelledDraws, risk: float, plan: CalibrationPlan = LINE) -> float:
    """The true risk of the cheapest stop whose loss on the sample is at most the level; NaN where there is none."""
    settings = line(sample.draws, plan)
    loss = losses_under(sample.draws, sample.admissible, settings).mean(axis=1)
    passing = np.flatnonzero(loss <= risk)
    return everyone.risk(settings[int(passing[-1])]) if passing.size else nan


@promising(CLM, *(certificate(f"{{}}, {level}", naive=True) for level in LEVELS))
def _naive_line(seed: Seed, units: int) -> list[float]:
    everyone = population(ALONE)
    sample = everyone.sample(units, generator(seed))
    risks = [everyone.sharp(place) for place in LEVELS.values()]
    found = [(cheapest(everyone, sample, risk), risk) for risk in risks]
    return [nan if np.isnan(true) else float(true > risk) for true, risk in found]


MIDDLE = (0.11, 0.17)


@promising(CLM, *(certificate(f"{{}}, level {level}") for level in MIDDLE))
def _pareto(seed: Seed, units: int) -> list[float]:
    """With some items split off to look for efficient thresholds of all three kinds."""
    everyone = population(ALONE)
    sample = everyone.sample(units, generator(seed))
    return [broken(everyone, each) for each in calibrate(sample, MIDDLE, PARETO, seed=seed.child("split"))]


@one_promise(CLM, certificate)
def _six_at_once(seed: Seed, units: int) -> float:
    """Six sharp levels claimed together: any of them broken."""
    everyone = population(ALONE)
    risks = [everyone.sharp(place) for place in np.linspace(0, 1, 6)]
    found = calibrate(everyone.sample(units, generator(seed)), risks, replace(LINE, claims=6), seed=seed)
    each = [broken(everyone, answer) for answer in found]
    return nan if np.isnan(each).all() else float(np.nanmax(each))


EASES = (4.0, 2.2, 1.2)


@one_promise(CLM, certificate)
def _groups(seed: Seed, units: int, *, naive: bool = False) -> float:
    """Three places, one with a worse judge: any place's certificate broken; naive: one certificate for all of them."""
    rng = generator(seed)
    places = [population(PopulationSpec(items=1000, ease=ease), seed=7) for ease in EASES]
    risk = places[-1].sharp(0.4)
    samples = [place.sample(units, rng) for place in places]
    whole = _joined(samples)
    if naive:
        (answer,) = calibrate(whole, [risk], LINE, seed=seed)
        return max(broken(place, answer) for place in places)
    found = calibrate_groups(whole, np.repeat(np.arange(len(places)), units), [risk], LINE, seed=seed)
    # NaN where a place was refused: nothing was promised there
    each = [broken(place, found[str(number)][0]) for number, place in enumerate(places)]
    return nan if np.isnan(each).all() else float(np.nanmax(each))


def _joined(samples: Sequence[LabelledDraws]) -> LabelledDraws:
    """Samples of several places as one."""
    parts = [one.draws for one in samples]
    draws = replace(
        parts[0],
        decisions=np.concatenate([part.decisions for part in parts]),
        quality=np.concatenate([part.quality for part in parts]),
        similarity=None,
    )
    admissible = np.concatenate([one.admissible for one in samples])
    return LabelledDraws(draws=draws, admissible=admissible, cluster=np.arange(len(admissible)))


SETTINGS, UNITS, EPS = 20, 300, 0.1


@one_promise(TESTED, certificate)
def _many_settings(seed: Seed, *, graded: bool = False, naive: bool = False) -> float:
    """Twenty settings with losses of their own, the first half safe and the rest a hair above the level.

    Any of these called safe breaks the promise. Naive: each is tested at the full delta.
    """
    rng, true = generator(seed), np.where(np.arange(SETTINGS) < SETTINGS // 2, EPS / 3, EPS + 1e-9)
    lost = (rng.random((SETTINGS, UNITS)) < true[:, None]).astype(np.float64)
    if graded:  # losses of clusters of five: the same means, and finer
        lost = rng.binomial(5, true[:, None], (SETTINGS, UNITS)) / 5
    p = RiskEvidence.of(lost).p(EPS)
    called = p <= 0.05 if naive else safe(p, 0.05)
    return float(called[true > EPS].any())


RISK = 0.15
SURE = np.arange(100, 0, -1) / 100
WRONG = 0.6 * (1 - SURE)
AMONG = np.cumsum(WRONG) / np.arange(1, 101)
"""The chance that a decision of each confidence is wrong, and that of those at least so sure."""


@one_promise(TRUST, certificate)
def _selective(seed: Seed, items: int, *, naive: bool = False) -> float:
    """Decisions, the surer the more often right: is the error of those accepted above the level in truth?"""
    rng = generator(seed)
    at = rng.integers(0, 100, items)
    wrong = rng.random(items) < WRONG[at]
    if naive:
        reached = np.cumsum(np.bincount(at, wrong, 100)) / np.maximum(np.cumsum(np.bincount(at, minlength=100)), 1)
        passing = np.flatnonzero(reached <= RISK)
        return float(AMONG[passing[-1]] > RISK) if passing.size else nan
    return _trusted(SURE[at], wrong)


@one_promise(TRUST, certificate)
def _by_length(seed: Seed, episodes: int, *, naive: bool = False) -> float:
    """One label of each episode of 1 to 30 things, the longer the more often wrong: the error of all things accepted.

    Errors are spread over lengths so that over things each confidence is as often wrong as in `_selective`. Naive: the
    labels are taken for things.
    """
    lengths, rng = np.arange(1, 31), generator(seed)
    more = lengths * lengths.sum() / (lengths**2).sum()
    length, at = rng.integers(1, 31, episodes), rng.integers(0, 100, episodes)
    wrong = rng.random(episodes) < WRONG[at] * more[length - 1]
    kept = keep_by_weight(np.ones(episodes) if naive else length, 1 if naive else 30, rng.random(episodes))
    return _trusted(SURE[at[kept]], wrong[kept])


def _trusted(sure: Floats, wrong: npt.NDArray[np.bool_]) -> float:
    """1 where the error of those accepted is above the level in truth, NaN where nothing was certified."""
    (found,) = certify_confidence(sure, wrong, [RISK], levels=tuple(SURE.tolist()))
    return float(AMONG[round(100 - 100 * found.level)] > RISK) if isinstance(found, Trusted) else nan


EXPERIMENTS = (
    _line("stops on a line: 200 items", 200, 400),
    _line("one item of each of 120 clusters", 120, 300, _one_of_each),
    _line("120 clusters of 10 (Hoeffding-Bentkus)", 120, 120, _in_clusters),
    _pareto("thresholds by Pareto: 200 items", 200, 200),
    _pareto("thresholds by Pareto: 400 items", 60, 400),
    _six_at_once("six levels at once: 200 items", 300, 200),
    _groups("three places, each with its own: 150 items each", 150, 150),
    _naive_line("cheapest stop with a loss of at most the level", 150, 200),
    _line("120 clusters of 10, items taken as independent", 120, 100, _as_independent),
    _groups("one certificate for all three places", 60, 150, naive=True),
    _many_settings("20 settings in sequence, losses counted", 600),
    _many_settings("20 settings in sequence, graded losses (Hoeffding-Bentkus)", 600, graded=True),
    _many_settings("20 settings, each at the full delta", 300, naive=True),
    _selective("decisions trusted: 200 items", 800, 200),
    _selective("decisions trusted: 500 items", 600, 500),
    _by_length("decisions trusted: one label of each of 500 episodes of 1 to 30", 400, 500),
    _by_length("decisions trusted: 500 episodes of 1 to 30, labels taken for things", 200, 500, naive=True),
    _selective("lowest confidence with at most so many errors: 200 items", 300, 200, naive=True),
)
