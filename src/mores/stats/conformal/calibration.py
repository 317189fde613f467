"""Thresholds with a promise, or the reason why there are none; by Learn-Then-Test over a sequence of settings.

labelled draws ─▶ sequence of settings ─▶ losses on the items tested ─▶ safe settings ─▶ the cheapest of them.

The order of settings is fixed without the items they are tested on: a line of stops fixed beforehand, or the efficient
thresholds on items split off for that, those of which no other has at most as many losses at a lower cost (draws made
and kept), fewest losses first. Where nothing is safe the answer says why; a setting that failed is never handed out,
nor are items split anew until one passes, which would void the promise.
"""

from collections.abc import Sequence
from math import inf
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import same_length
from mores.stats.conformal.draws import BoolArray, Draws, LabelledDraws, Thresholds
from mores.stats.conformal.replay import SetScore, chunk, kept_masks, losses_under, set_scores
from mores.stats.conformal.risk_tests import RiskEvidence, checked_level, safe, units_for
from mores.stats.rng import generator

Mode: TypeAlias = Literal["auto", "line", "pareto"]
UncalibratableCause: TypeAlias = Literal["too few items", "judge not good enough", "unlucky order"]
MANY = 400  # units from which splitting some off to choose thresholds pays


class CalibrationPlan(Struct, frozen=True, kw_only=True):
    """Settings of a calibration, all of them to be fixed before labels are seen.

    Attributes:
        score: The set's score that is held against the stop.
        mode: "line" moves the stop alone along steps fixed beforehand and tests on all items; "pareto" splits off
            items, looks there for the efficient thresholds of all three kinds and tests those on the rest; "auto" is
            "line" below 400 independent units, where splitting costs more than it brings.
        delta: Allowed chance that a certificate is wrong.
        claims: Number of certificates that must hold together; delta is divided by it.
        tuning: Share of clusters split off in mode "pareto".
        levels: Quantiles of likeness, quality and score that are tried in mode "pareto", besides none and all.
        most_empty: Largest share of empty sets among the items split off; None for no limit, as in the paper's code,
            which at a large risk is content to keep nothing of every sixth item.
        stops: Steps of mode "line" from the strictest downwards; None for the score's own: 41 equal ones over its
            range, which suit qualities between 0 and 1. For others take `stop_levels` of unlabelled draws.
    """

    score: SetScore = "max"
    mode: Mode = "auto"
    delta: float = 0.05
    claims: int = 1
    tuning: float = 0.3
    levels: int = 25
    most_empty: float | None = 0.01
    stops: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Refuses what could not be calibrated by."""
        if not 0 < self.delta < 1 or self.claims < 1:
            raise InputError(f"delta is {self.delta} for {self.claims} claims; expected 0 < delta < 1 and a claim.")
        if not 0 < self.tuning < 1 or self.levels < 1:
            raise InputError(f"tuning is {self.tuning}, levels {self.levels}; expected a share and at least one level.")
        if self.stops is not None and list(self.stops) != sorted(self.stops, reverse=True):
            raise InputError("stops do not fall; expected the strictest first, in an order fixed beforehand.")

    @property
    def level(self) -> float:
        """Delta of one claim."""
        return self.delta / self.claims


class Calibrated(Struct, frozen=True, kw_only=True):
    """Thresholds whose risk is at most the level, with probability at least 1 - delta over the calibration items.

    Attributes:
        risk: The level.
        delta: Of this certificate.
        thresholds: The last accepted, which are the cheapest.
        p: Their p-value.
        loss: Their mean loss over the tested units.
        units: Independent units tested on: items, or clusters where items share them.
        clustered: Whether the units are clusters, so that the risk is that of an item drawn from a cluster drawn.
        tested: Settings in the sequence.
        accepted: Settings that were safe.
    """

    risk: float
    delta: float
    thresholds: Thresholds
    p: float
    loss: float
    units: int
    clustered: bool
    tested: int
    accepted: int


class Uncalibratable(Struct, frozen=True, kw_only=True):
    """The honest answer that no thresholds can be certified at a level: every item goes to people.

    Attributes:
        risk: The level.
        cause: Which of three.
        missing: The cause with its figures.
        p: P-value of the first setting.
        loss: Mean loss over the tested units with all draws kept, the least there can be.
        p_all: P-value with all draws kept.
        passes_at: The least level at which the first setting would have passed.
        units: Independent units tested on.
        tested: Settings in the sequence.
    """

    risk: float
    cause: UncalibratableCause
    missing: Missing
    p: float
    loss: float
    p_all: float
    passes_at: float
    units: int
    tested: int


CalibrationOutcome: TypeAlias = Calibrated | Uncalibratable


class _Tested(Struct, frozen=True, kw_only=True):
    """Settings in their order and the evidence on each, with that of all draws kept in the last place."""

    settings: tuple[Thresholds, ...]
    evidence: RiskEvidence
    clustered: bool

    @classmethod
    def on(
        cls, held: LabelledDraws, settings: tuple[Thresholds, ...], plan: CalibrationPlan, *, clustered: bool
    ) -> "_Tested":
        losses = losses_under(held.draws, held.admissible, (*settings, Thresholds()), plan.score)
        evidence = RiskEvidence.of(losses, held.cluster if clustered else None)
        return cls(settings=settings, evidence=evidence, clustered=clustered)

    @property
    def units(self) -> int:
        return self.evidence.units

    @property
    def loss_of_all(self) -> float:
        return float(self.evidence.mean[-1])


def calibrate(
    labelled: LabelledDraws, risks: Sequence[float], plan: CalibrationPlan | None = None, *, seed: Seed
) -> tuple[CalibrationOutcome, ...]:
    """A certificate for each level, or the reason why there is none.

    Items that share a cluster are tested as clusters, by their mean losses with the bound of Hoeffding and Bentkus,
    which is honest and dear: one item from each cluster (`one_each`) allows more.

    Args:
        labelled: All labelled items, drawn like those that the thresholds are meant for.
        risks: Levels; each certificate holds on its own. To claim several at once set the plan's claims.
        plan: Fixed before the labels were seen.
        seed: Dice of the split in mode "pareto"; nothing else is random.

    Raises:
        InputError: a level is not between 0 and 1, or the plan does not suit the draws.

    Source:
        Quach et al. (2024), ICLR, sec. 4; Laufer-Goldshtein, Fisch, Barzilay and Jaakkola (2023), ICLR (Pareto).
    """
    plan = plan or CalibrationPlan()
    for risk in risks:
        checked_level(risk)
    tested = _tested(labelled, plan, seed)
    return tuple(_answer(tested, plan, risk) for risk in risks)


def calibrate_groups(
    labelled: LabelledDraws,
    groups: npt.ArrayLike,
    risks: Sequence[float],
    plan: CalibrationPlan | None = None,
    *,
    seed: Seed,
) -> dict[str, tuple[CalibrationOutcome, ...]]:
    """Answers for each group of items (a place, a class) on its own, all groups to hold at once: delta over groups.

    A certificate over all items says nothing of any one place: with judge errors from .04 to .30 over ten places,
    one that is valid at .10 leaves the worst places above it nearly always.
    """
    plan = plan or CalibrationPlan()
    names = np.asarray(groups).astype(str)
    same_length(names, labelled.cluster, "groups and items")
    distinct = np.unique(names).tolist()
    shared = replace(plan, claims=plan.claims * len(distinct))
    return {
        name: calibrate(labelled.at(np.flatnonzero(names == name)), risks, shared, seed=seed.child(name))
        for name in distinct
    }


def _tested(labelled: LabelledDraws, plan: CalibrationPlan, seed: Seed) -> _Tested:
    clustered = not labelled.independent
    if plan.mode == "line" or (plan.mode == "auto" and labelled.clusters < MANY):
        return _Tested.on(labelled, line(labelled.draws, plan), plan, clustered=clustered)
    tuning, held = _split(labelled, plan.tuning, seed)
    settings = efficient(labelled.at(tuning), plan)
    return _Tested.on(labelled.at(held), settings, plan, clustered=clustered)


def _split(labelled: LabelledDraws, share: float, seed: Seed) -> tuple[Integers, Integers]:
    """Rows split off and rows tested; a cluster goes whole."""
    clusters = labelled.clusters
    if clusters < 2:
        raise InputError(f"There are {clusters} independent units; expected at least two to split. Use mode 'line'.")
    off = min(max(1, round(share * clusters)), clusters - 1)
    tuning = np.isin(labelled.cluster, generator(seed).permutation(clusters)[:off])
    return np.flatnonzero(tuning), np.flatnonzero(~tuning)


def _answer(tested: _Tested, plan: CalibrationPlan, risk: float) -> CalibrationOutcome:
    p = tested.evidence.p(risk)
    accepted = np.flatnonzero(safe(p[:-1], plan.level))
    if accepted.size == 0:
        return _refusal(tested, plan, risk)
    last = int(accepted[-1])
    return Calibrated(
        risk=risk,
        delta=plan.level,
        thresholds=tested.settings[last],
        p=float(p[last]),
        loss=float(tested.evidence.mean[last]),
        units=tested.units,
        clustered=tested.clustered,
        tested=len(tested.settings),
        accepted=accepted.size,
    )


def _refusal(tested: _Tested, plan: CalibrationPlan, risk: float) -> Uncalibratable:
    many = len(tested.settings)
    p = tested.evidence.p(risk)
    # would any later setting pass even by Bonferroni, the order is at fault and not the judge
    later = int(np.sum(p[:-1] <= plan.level / many))
    cause, missing = _cause(tested, risk, plan.level, later)
    return Uncalibratable(
        risk=risk,
        cause=cause,
        missing=missing,
        p=float(p[0]),
        loss=tested.loss_of_all,
        p_all=float(p[-1]),
        passes_at=tested.evidence.passes_at(0, plan.level),
        units=tested.units,
        tested=many,
    )


def _cause(tested: _Tested, risk: float, delta: float, later: int) -> tuple[UncalibratableCause, Missing]:
    needed = units_for(risk, delta)
    if tested.units < needed:
        return "too few items", Missing(code="units_cannot_certify", n=tested.units, needed=needed, figures=(risk,))
    if float(tested.evidence.p(risk)[-1]) > delta:
        figures = (tested.loss_of_all, risk)
        if tested.loss_of_all < risk:
            return "too few items", Missing(code="too_few_units_to_show_loss", n=tested.units, figures=figures)
        return "judge not good enough", Missing(code="loss_not_under_risk", n=tested.units, figures=figures)
    return "unlucky order", Missing(code="first_setting_failed", n=later, of=len(tested.settings), figures=(risk,))


_STEPS = 41


class Sweep(NamedTuple):
    """Items lost, draws made and kept, and empty sets, over the items; shape (pairs of ceiling and floor, stops)."""

    losses: Integers
    cost: Integers
    empty: Integers


def line(draws: Draws, plan: CalibrationPlan) -> tuple[Thresholds, ...]:
    """Settings along the stop alone, from all draws downwards: as many losses or more with each step.

    Raises:
        InputError: the score's own steps do not suit these qualities.
    """
    if plan.stops is not None:
        return tuple(Thresholds(stop=stop) for stop in dict.fromkeys((inf, *plan.stops)))
    if plan.score == "max" and not (draws.quality.min() >= 0 and draws.quality.max() <= 1):
        raise InputError(
            f"quality runs from {draws.quality.min():g} to {draws.quality.max():g}, and steps from 0 to 1 do not suit "
            "it; set the plan's stops to stop_levels of draws without labels."
        )
    return tuple(Thresholds(stop=stop) for stop in (inf, *_own_steps(plan.score, draws.each)))


def _own_steps(score: SetScore, each: int) -> tuple[float, ...]:
    if score == "first_k":
        return tuple(float(k) for k in range(each, 0, -1))
    return tuple((np.arange(_STEPS - 1, -1, -1) / (_STEPS - 1)).tolist())


def stop_levels(unlabelled: Draws, score: SetScore = "max", count: int = _STEPS) -> tuple[float, ...]:
    """Stops for `CalibrationPlan.stops`, strictest first: quantiles of the score over draws that are not calibrated on.

    For qualities far from even between 0 and 1, such as likelihoods of long texts.
    """
    levels = np.quantile(_unfiltered(unlabelled, score), np.linspace(1, 0, count), method="nearest")
    return tuple(dict.fromkeys(levels.tolist()))


def efficient(labelled: LabelledDraws, plan: CalibrationPlan) -> tuple[Thresholds, ...]:
    """Efficient settings on the items split off, fewest losses first.

    Settings that come to the same there are one: the strictest of them (latest stop, highest ceiling, lowest floor).
    """
    draws = labelled.draws
    ceilings = _ceilings(draws, plan.levels)[::-1]
    floors = _levels(draws.quality, plan.levels)
    stops = _levels(_unfiltered(draws, plan.score), plan.levels)
    pairs = np.array([(ceiling, floor) for ceiling in ceilings for floor in floors])
    found = sweep(labelled, pairs, stops, plan.score)
    flat = [part[:, ::-1].T.ravel() for part in found]  # latest stop first, then the pairs in their order
    chosen = _frontier(*flat, most_empty=_most(plan.most_empty, draws.count))
    stop, pair = np.divmod(chosen, len(pairs))
    settings = zip(pairs[pair].tolist(), stops[::-1][stop].tolist(), strict=True)
    return tuple(Thresholds(ceiling, floor, last) for (ceiling, floor), last in settings)


def _most(share: float | None, items: int) -> int:
    # .01 of 700 is 6.999… in floats
    return items if share is None else int(share * items + 1e-9)


def _unfiltered(draws: Draws, score: SetScore) -> Floats:
    everything = np.ones((draws.each, 1, draws.count), dtype=np.bool_)
    return set_scores(draws.quality, everything, score).ravel()


def _ceilings(draws: Draws, levels: int) -> Floats:
    if draws.similarity is None or draws.each == 1:
        return np.array([inf])
    return _levels(draws.similarity[:, ~np.eye(draws.each, dtype=np.bool_)].ravel(), levels)


def _levels(values: Floats, count: int) -> Floats:
    quantiles = np.quantile(values, np.linspace(0, 1, count), method="nearest")
    return np.unique(np.concatenate(([-inf], quantiles, [inf])))


def _frontier(losses: Integers, cost: Integers, empty: Integers, *, most_empty: int) -> Integers:
    """Indices of the efficient settings among those with few enough empty sets, fewest losses first."""
    allowed = np.flatnonzero(empty <= most_empty)
    # by losses, then by cost: what stays is cheaper than all with as few losses or fewer
    order = allowed[np.lexsort((cost[allowed], losses[allowed]))]
    cheapest = np.minimum.accumulate(cost[order])
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = cost[order][1:] < cheapest[:-1]
    return order[first]


def sweep(labelled: LabelledDraws, pairs: Floats, stops: Floats, score: SetScore) -> Sweep:
    """Counts for every pair of ceiling and floor under every stop (rising), without replaying each.

    Scores never fall along the draws, so draw k is made under stop s exactly if the score before it is below s.
    """
    step = chunk(labelled.draws)
    parts = [_sweep(labelled, pairs[start : start + step], stops, score) for start in range(0, len(pairs), step)]
    return Sweep(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _sweep(labelled: LabelledDraws, pairs: Floats, stops: Floats, score: SetScore) -> Sweep:
    draws = labelled.draws
    kept = kept_masks(draws, pairs[:, 0], pairs[:, 1])
    scores = set_scores(draws.quality, kept, score)
    made_from = np.zeros(kept.shape, dtype=np.int64)  # index of the least stop under which a draw is made
    made_from[1:] = np.searchsorted(stops, scores[:-1], side="right")
    cost = _risen(made_from, kept + np.float64(1), stops.size)
    lost = _without(kept & labelled.admissible.T[:, None, :], made_from, stops.size)
    return Sweep(lost, cost, _without(kept, made_from, stops.size))


def _without(wanted: BoolArray, made_from: Integers, stops: int) -> Integers:
    """Items without a wanted draw among those made."""
    first = wanted.argmax(axis=0)[None]
    found_from = np.where(wanted.any(axis=0), np.take_along_axis(made_from, first, axis=0)[0], stops)
    return int(wanted.shape[2]) - _risen(found_from[None], np.ones(1), stops)


def _risen(made_from: Integers, weights: Floats, stops: int) -> Integers:
    """Weight of what is made under each stop or an earlier one, by pair."""
    pairs = made_from.shape[1]
    cell = made_from + (stops + 1) * np.arange(pairs)[None, :, None]
    weight = np.broadcast_to(weights, made_from.shape)
    counts = np.bincount(cell.ravel(), weight.ravel(), minlength=pairs * (stops + 1)).reshape(pairs, stops + 1)
    return np.rint(np.cumsum(counts[:, :stops], axis=1)).astype(np.int64)
