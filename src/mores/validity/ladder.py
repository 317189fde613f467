"""Breaks of a ladder: the share of draws in which a break is shown for a model that has none, whoever judges it.

A model is as good on every rung, each place having a skill of its own, from hardly any to nearly all. It either knows a
norm or guesses (evenly, or always the same word), or it knows all and slips. Norms of a bundle are partly known as one
where they are applied and lived by. On each judged rung there is another judge, whose sensitivity and specificity lie
anywhere from .75 to 1, or at the ends of that.

Falls are planted too, of the size that a run says it would have found: such a sentence is a promise of power .8.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import Struct, structs

from mores.analysis.judge_errors import STATED
from mores.analysis.results import CardTrace, Provenance, Result
from mores.benchmarks.ladder.contrasts import LEVEL, SIZE, RungContrasts, first_break, groups_of, rung_contrasts
from mores.benchmarks.ladder.rungs import ORDER, Rung, RungNormScores
from mores.benchmarks.ladder.scores import RUNGS, SEEN
from mores.core.arrays import Floats, Mask
from mores.core.card import Protocol, Sampling
from mores.core.estimate import CategoricalColumn, MetricRows, RowKeys
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.runs.loading import StoredResult
from mores.stats.judged_power import fall_power
from mores.stats.judged_scores import DropCriterion, NormDesign, RungScores, contrast, score_intervals
from mores.stats.paired import detectable
from mores.stats.rng import generator
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors, RateRange
from mores.validity.promises import Promise, alarm, missed, one_promise, promising

FAMILY = "the ladder"
NORMS, DOMAINS, BUNDLE = 9, 3, 3
WORST = 0.75
SCENES = ("yes", "yes", "yes", "no", "no", "no", "no", "neutral", "neutral")
"""Labels of a place's scenes, as in the bundled pack."""
LEAST_LABELS = 10


class SimulatedLadderModel(Struct, frozen=True, kw_only=True):
    """A model to be: places of nine norms each, their skills, how it errs, and what is known of its judges.

    `slips`: it knows all and errs in single answers; else it knows a norm or guesses, always `bias` where there is one.
    From the rung `at` on it falls by `drop`. Judges' rates lie anywhere in `judges`, or at its ends. With `labels`,
    people labelled so many answers on each judged rung; else the stated range is what is known.
    """

    places: int = 5
    skill: tuple[float, float] = (0.05, 0.99)
    slips: bool = False
    bias: str | None = None
    drop: float = 0.0
    at: str = "apply"
    judges: tuple[float, float] = (WORST, 1.0)
    ends: bool = False
    labels: int = 0
    stated: JudgeErrors = STATED

    def climbed(self, rng: np.random.Generator) -> RungContrasts:
        """Its drops."""
        rungs = [self._rung_scores(name, each, rng) for name, each in zip(ORDER, self._skills(rng), strict=True)]
        return rung_contrasts(rungs, groups_of(rungs))

    def _skills(self, rng: np.random.Generator) -> list[Floats]:
        # places lie about a level of the model's own, each up to a tenth away
        own = rng.uniform(*self.skill) + rng.uniform(-0.1, 0.1, self.places)
        skill = np.repeat(np.clip(own, *self.skill), NORMS)
        return [np.clip(skill - self.drop * (ORDER.index(name) >= ORDER.index(self.at)), 0, 1) for name in ORDER]

    def _rung_scores(self, name: str, skill: Floats, rng: np.random.Generator) -> RungNormScores:
        bundled = name in {"apply", "live"}
        answers = _Answers(self, _drawn(skill, rng, bundled=bundled), skill, rng)
        norms = [
            ItemMetadata(
                item=f"n{n}", unit=f"n{n}", cluster=f"b{n // BUNDLE}" if bundled else f"n{n}", place=f"P{n // NORMS}",
                groups={"domain": f"D{n // BUNDLE % DOMAINS}"},
            )
            for n in range(skill.size)
        ]  # fmt: skip
        keys, none = RowKeys.of(norms), np.zeros(skill.size)
        if RUNGS[name].task:
            judged, seen, steps, judge = answers.judged(name)
        else:
            judged, seen, steps, judge = answers.known() if name == "know" else answers.seen(), none, none + 1, FLAWLESS
        gold = CategoricalColumn.of(np.tile(SCENES, self.places).tolist()) if name == "judge" else None
        rows = MetricRows(keys=keys, value=judged, least=judged, most=judged, gold=gold, extra={SEEN: seen})
        scenes = None if gold is None else rows
        return RungNormScores(rung=_rung(name), norms=rows, verdicts=steps, scenes=scenes, judge=judge)


def _drawn(skill: Floats, rng: np.random.Generator, *, bundled: bool) -> Mask:
    """Norms that are kept; of bundled ones half as their bundle is."""
    own, shared = rng.random(skill.size), np.repeat(rng.random(skill.size // BUNDLE), BUNDLE)
    return np.asarray((np.where(rng.random(skill.size) < 0.5, shared, own) if bundled else own) < skill)


class _Answers(NamedTuple):
    """Answers of one model on one rung, norm by norm."""

    model: SimulatedLadderModel
    kept: Mask
    skill: Floats
    rng: np.random.Generator

    def known(self) -> Floats:
        """Four statements a norm, one to three of them true."""
        true = np.arange(4) < self.rng.integers(1, 4, self.kept.size)[:, None]
        guessed = self.rng.random(true.shape) < 0.5 if self.model.bias is None else true == (self.model.bias == "yes")
        right = self.kept[:, None] | guessed
        if self.model.slips:
            right = self.rng.random(true.shape) < self.skill[:, None]
        shares = (right & true).sum(1) / true.sum(1) + (right & ~true).sum(1) / (~true).sum(1)
        return np.asarray(shares - 1)

    def seen(self) -> Floats:
        """A scene a norm, with one of three labels."""
        gold = np.tile(SCENES, self.model.places)
        guessed = self.rng.random(gold.size) < 1 / 3 if self.model.bias is None else gold == self.model.bias
        right = self.kept if self.model.slips else self.kept | guessed
        # guessing one of three gets 0 on average
        return np.asarray(1.5 * right - 0.5)

    def judged(self, rung: str) -> tuple[Floats, Floats, Floats, JudgeErrors]:
        """Answers that the rung's judge lets pass: no wrong label, and a day only if each of its steps passes."""
        low, high = self.model.judges
        se, sp = self.rng.choice([low, high], 2) if self.model.ends else self.rng.uniform(low, high, 2)
        size = self.kept.size
        shown = self.kept | (self.rng.random(size) < 0.5) if rung == "explain" else np.ones_like(self.kept)
        steps = 1 + self.rng.poisson(1.0 if rung == "live" else 0.0, size)
        passed = np.where(self.kept, self.rng.random(size) < se**steps, self.rng.random(size) >= sp) & shown
        share = float(self.kept[shown].mean()) if shown.any() else 0.0
        judge = self._known(float(np.mean(se**steps)), sp, share)
        return passed.astype(float), shown.astype(float), steps.astype(float), judge

    def _known(self, se: float, sp: float, share: float) -> JudgeErrors:
        """Rates by labels of the model's own answers, where there are enough of both kinds."""
        yes = int(self.rng.binomial(self.model.labels, share))
        no = self.model.labels - yes
        if min(yes, no) < LEAST_LABELS:
            return self.model.stated
        right = self.rng.binomial([yes, no], [se, sp]).tolist()
        return JudgeErrors(sensitivity=RateRange.labelled(right[0], yes), specificity=RateRange.labelled(right[1], no))


def _rung(name: str) -> Rung:
    """A rung of which only the name counts."""
    traced = Provenance(
        card=CardTrace(version="1-A"), protocol=Protocol(sampling=Sampling()), items=1, roles={"subject": "m"}, data={}
    )
    evaluation = Result(
        run=Path("run"), folder=Path("run"), model="m", label="m", benchmark=f"ladder/{name}", headline="accuracy",
        simulated=True, estimates=(), card=None, provenance=traced,
        stored=StoredResult(folder=Path("run"), benchmark=f"ladder/{name}", protocol=traced.protocol),
    )  # fmt: skip
    return Rung(name=name, chance=0.0, evaluation=evaluation)


def any_break(found: RungContrasts) -> bool:
    """True where any group is said to break."""
    return any(first_break(drops) is not None for drops in found.of.values())


def any_climber(rng: np.random.Generator, *, labels: int = 0) -> SimulatedLadderModel:
    """A model without a drop: any skill, any way to err, any judges."""
    low, high = ((0.05, 0.99), (0.9, 0.99), (0.05, 0.4), (0.4, 0.9))[rng.integers(4)]
    bias = (None, None, "yes", "no")[rng.integers(4)]
    return SimulatedLadderModel(
        skill=(low, high), slips=bool(rng.integers(2)), bias=bias, ends=bool(rng.integers(2)), labels=labels
    )


_DESIGN = "45 norms, 9 groups, 5 drops"


def _any_break(seed: Seed, labels: int) -> list[float]:
    rng = generator(seed)
    return [float(any_break(any_climber(rng, labels=labels).climbed(rng)))]


def _without_a_break(known: str) -> Promise:
    return alarm(f"any break of a model with none, judges {known}: {_DESIGN}")


_unknown = promising(FAMILY, _without_a_break("from .75 to 1"))(_any_break)
_labelled = promising(FAMILY, _without_a_break("known by 200 labels"))(_any_break)


@promising(
    FAMILY,
    alarm("any break, judges taken at their word", naive=True),
    alarm("any drop at .05, not corrected for their number", naive=True),
)
def _at_their_word(seed: Seed) -> list[float]:
    found = SimulatedLadderModel(skill=(0.9, 0.99), ends=True).climbed(generator(seed))
    drops = [drop for group in found.of.values() for drop in group]
    return [
        float(any(drop.breaks or drop.may_be_judge for drop in drops)),
        float(any((p := drop.contrast.p_judged) is not None and p < LEVEL for drop in drops)),
    ]


MISSED = 0.2
"""Share of draws in which a fall may stay unseen at power .8."""
_AMONG = 9
"""Claims that a planted fall stands among."""
_START = 0.9
"""Share of norms kept on the rung before a planted fall."""


def _scores(share: float, norms: int, judge: JudgeErrors, rng: np.random.Generator) -> RungScores:
    """Norms of which a share is kept, as a judge at the centre of what is known of it would say; FLAWLESS for none."""
    se, sp = judge.centre
    kept = rng.random(norms) < share
    passed = np.where(kept, rng.random(norms) < se, rng.random(norms) >= sp).astype(np.float64)
    seen = np.full(norms, float(judge is not FLAWLESS))
    return RungScores(passed=passed, seen=seen, verdicts=np.ones(norms), judge=judge)


def _design(norms: int) -> NormDesign:
    """Norms that are each drawn alone, from one place."""
    return NormDesign(np.arange(norms), np.zeros(norms, dtype=np.int64))


def _by_labels(labels: int, rng: np.random.Generator) -> JudgeErrors:
    """A judge at the centre of the stated range, of which labels tell, half of them of each kind."""
    half = labels // 2
    one, other = (RateRange.labelled(float(rng.binomial(half, rate)), half) for rate in STATED.centre)
    return JudgeErrors(sensitivity=one, specificity=other)


class _FallSought(NamedTuple):
    """Rungs between which a fall is planted: the judge of each, FLAWLESS for none, and the norms; labels, if any."""

    before: JudgeErrors
    after: JudgeErrors
    norms: int
    labels: int = 0

    def planted(self, fall: float, rng: np.random.Generator) -> tuple[RungScores, RungScores, NormDesign]:
        """Both rungs with a fall between them."""
        one, other = (
            _by_labels(self.labels, rng) if self.labels and judge is not FLAWLESS else judge for judge in self[:2]
        )
        design = _design(self.norms)
        before, after = (
            _scores(share, self.norms, at, rng) for share, at in ((_START, self.before), (_START - fall, self.after))
        )
        return structs.replace(before, judge=one), structs.replace(after, judge=other), design


_CLAIM = DropCriterion(SIZE, LEVEL / _AMONG)


def _is_found(before: RungScores, after: RungScores, design: NormDesign, seed: Seed) -> bool:
    found = contrast(before, after, design, seed=seed)
    return found.p is not None and found.least is not None and _CLAIM.holds_for(found.least, found.p)


@one_promise(FAMILY, partial(alarm, level=MISSED))
def _missed_fall(seed: Seed, sought: _FallSought, *, naive: bool = False) -> float:
    """A fall of the size that a run without one says it would have found; naive: for a judge without errors, alone."""
    rng = generator(seed)
    before, after, design = sought.planted(0.0, rng)
    if naive:
        gap = before.by(1.0, 1.0) - after.by(1.0, 1.0)
        size = detectable(gap, design.clusters, float(np.abs(gap).max()))
    else:
        size = fall_power(before, after, design, _CLAIM).least
    return 1.0 if size is None else float(not _is_found(*sought.planted(size, rng), seed.child("signs")))


@one_promise(FAMILY, partial(alarm, level=MISSED))
def _found_below(seed: Seed, sought: _FallSought) -> float:
    """A fall two points below what any number of norms is said to show, among very many norms."""
    rng = generator(seed)
    size = fall_power(*sought.planted(0.0, rng), _CLAIM).unlimited
    return float(size is not None and _is_found(*sought.planted(size - 0.02, rng), seed.child("signs")))


@one_promise(FAMILY)
def _norms_kept(seed: Seed, share: float, norms: int, labels: int, *, naive: bool = False) -> float:
    """The interval of norms kept, its judge at the centre of its range; naive: the judge's word taken for the truth."""
    rng = generator(seed)
    scores = _scores(share, norms, STATED, rng)
    judge = FLAWLESS if naive else _by_labels(labels, rng) if labels else STATED
    (found,) = score_intervals([(structs.replace(scores, judge=judge), _design(norms))], None)
    return missed(found.interval, share)


_NARROW = JudgeErrors.within(0.9, 1.0)
_FALLS = "missed: the least fall that 298 norms show, "
EXPERIMENTS = (
    _unknown("a ladder without a break", 80, 0),
    _labelled("a ladder without a break, labelled", 80, 200),
    _at_their_word("judges at their word", 40),
    _norms_kept("norms kept by .8 of 298, a judge at the centre of .75 to 1", 500, 0.8, 298, 0),
    _norms_kept("norms kept by .95 of 298, a judge at the centre of .75 to 1", 500, 0.95, 298, 0),
    _norms_kept("norms kept by .8 of 298, a judge known by 200 labels", 500, 0.8, 298, 200),
    _norms_kept("norms kept by .8 of 298, the judge's word", 100, 0.8, 298, 0, naive=True),
    _missed_fall(f"{_FALLS}nobody judges", 300, _FallSought(FLAWLESS, FLAWLESS, 298)),
    _missed_fall(f"{_FALLS}the second rung judged, .75 to 1", 300, _FallSought(FLAWLESS, STATED, 298)),
    _missed_fall(f"{_FALLS}both judged, .75 to 1", 300, _FallSought(STATED, STATED, 298)),
    _missed_fall(f"{_FALLS}both judged, .9 to 1", 300, _FallSought(_NARROW, _NARROW, 298)),
    _missed_fall(f"{_FALLS}both known by 200 labels", 300, _FallSought(STATED, STATED, 298, 200)),
    _missed_fall(
        f"{_FALLS}for a judge without errors, before correction", 100, _FallSought(STATED, STATED, 298), naive=True
    ),
    _found_below("found: two points under what any number of norms shows", 100, _FallSought(FLAWLESS, STATED, 5000)),
)
