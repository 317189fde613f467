"""Thresholds with a promise, or the reason why there are none; by Learn-Then-Test over a sequence of settings.

labelled draws ─▶ sequence of settings ─▶ losses on the items tested ─▶ safe settings ─▶ the cheapest of them.

Where nothing is safe the answer says why; a setting that failed is never handed out, nor are items split anew until
one passes, which would void the promise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import IntArray, same_length
from mores.stats.conformal.certificates import MANY, Calibrated, CalibrationPlan, Uncalibratable, UncalibratableCause
from mores.stats.conformal.draws import LabelledDraws, Thresholds
from mores.stats.conformal.replay import losses_under
from mores.stats.conformal.risk_tests import RiskEvidence, checked_level, safe, units_for
from mores.stats.conformal.sequences import efficient, line
from mores.stats.rng import generator

CalibrationOutcome: TypeAlias = Calibrated | Uncalibratable


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
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


def _split(labelled: LabelledDraws, share: float, seed: Seed) -> tuple[IntArray, IntArray]:
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
