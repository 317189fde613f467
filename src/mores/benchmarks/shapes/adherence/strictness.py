"""Open answers by their norms: what they score, and which norms they keep, leave open and break."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
from msgspec import Struct

from mores.analysis.contrast import known
from mores.analysis.units import SubjectScores
from mores.benchmarks.shapes.norm_scores import COUNTED, KEPT, NORM_SCORE, SHARES, STRICTNESS
from mores.core.arrays import Floats
from mores.core.estimate import Estimate, Missing, Scores
from mores.core.norm import Strictness
from mores.stats.norm_scores import GRID, PUBLISHED, NormRule, norm_sensitivity


class ModeNormScore(Struct, frozen=True, kw_only=True):
    """One mode of open answers: the norm score, and the share of norms kept to.

    Verdicts that are `counted` are shares of repeated words, and do not compare with probabilities.
    """

    mode: str
    figure: Estimate | None
    kept: Estimate | None
    counted: bool


class StrictnessShares(Struct, frozen=True, kw_only=True):
    """Shares of the norms of one strictness that one model's answers keep to, leave open and break."""

    name: str
    simulated: bool
    mode: str
    strictness: Strictness
    satisfied: Estimate
    neutral: Estimate
    violated: Estimate
    counted: bool


def is_counted(each: SubjectScores) -> bool:
    """True if verdicts are shares of repeated words."""
    return bool(each.result.scores[NORM_SCORE].facts[COUNTED])


def step_of(each: SubjectScores) -> ModeNormScore:
    """The figures of one model in one mode of open answers."""
    figure, kept = each.result.overall(NORM_SCORE), each.result.overall(KEPT)
    return ModeNormScore(mode=each.mode, figure=figure, kept=kept, counted=is_counted(each))


def standings_of(scored: Sequence[SubjectScores]) -> tuple[StrictnessShares, ...]:
    """The strict norms before the others, for each model in each mode, as the runs found them."""
    found = []
    for each in scored:
        figures = [each.result.by(STRICTNESS, metric) for metric in SHARES]
        for strictness in get_args(Strictness):
            if all(strictness in known for known in figures):
                satisfied, neutral, violated = (known[strictness] for known in figures)
                found.append(
                    StrictnessShares(
                        name=each.subject.name,
                        simulated=each.subject.simulated,
                        mode=each.mode,
                        strictness=strictness,
                        satisfied=satisfied,
                        neutral=neutral,
                        violated=violated,
                        counted=is_counted(each),
                    )
                )
    return tuple(found)


class Steadiness(Struct, frozen=True, kw_only=True):
    """The least Spearman between the rankings under any two settings, of models and of regions (in both forms).

    None where no ranking can be compared, as `missing` says of models and regions. `steadiest` is the setting most like
    the others. Models whose verdicts are of the other kind (counted from words, or probabilities) are `left_out`.
    """

    mode: str
    names: tuple[str, ...]
    left_out: tuple[str, ...]
    simulated: bool
    settings: int
    slots: int
    regions: int
    models_least: float | None
    regions_least: float | None
    regions_least_adjusted: float | None
    steadiest: NormRule | None
    published: NormRule
    missing: dict[str, Missing]

    @property
    def pairs(self) -> int:
        """Pairs of settings that are compared."""
        return self.settings * (self.settings - 1) // 2


def steadiness_of(scored: Sequence[SubjectScores]) -> tuple[Steadiness, ...]:
    """One for each mode of open answers in which two models have norms of questions in common."""
    modes = dict.fromkeys(each.mode for each in scored)
    found = (_steadiness([each for each in scored if each.mode == mode]) for mode in modes)
    return tuple(each for each in found if each is not None)


def _steadiness(models: Sequence[SubjectScores]) -> Steadiness | None:
    counted = 2 * sum(map(is_counted, models)) > len(models)
    alike = [each for each in models if is_counted(each) is counted]
    slots = _common_slots(alike) if len(alike) > 1 else ()
    if not slots:
        return None
    keys = alike[0].units.keys
    where = zip(keys.groups[STRICTNESS].texts(), keys.place.texts(), strict=True)
    known_of = dict(zip(keys.unit.texts(), where, strict=True))
    strictness, places = zip(*(known_of[slot] for slot in slots), strict=True)
    given = [_probabilities(each.result.scores, slots) for each in alike]
    paper = norm_sensitivity(given, strictness, places, form="paper")
    adjusted = norm_sensitivity(given, strictness, places, form="adjusted")
    reasons = {"models": paper.models_agree.missing, "regions": paper.regions_agree.missing}
    return Steadiness(
        mode=models[0].mode,
        names=tuple(each.subject.name for each in alike),
        left_out=tuple(each.subject.name for each in models if each not in alike),
        simulated=any(each.subject.simulated for each in alike),
        settings=len(GRID),
        slots=len(slots),
        regions=len(paper.regions),
        models_least=known(paper.models_agree.least),
        regions_least=known(paper.regions_agree.least),
        regions_least_adjusted=known(adjusted.regions_agree.least),
        steadiest=paper.steadiest,
        published=PUBLISHED,
        missing={what: missing for what, missing in reasons.items() if missing is not None},
    )


def _common_slots(models: Sequence[SubjectScores]) -> tuple[str, ...]:
    """The norms of questions that all models were asked about."""
    first, *others = ([*dict.fromkeys(each.units.keys.unit.texts())] for each in models)
    shared = set(first).intersection(*others)
    return tuple(name for name in first if name in shared)


def _probabilities(scores: Scores, slots: Sequence[str]) -> Floats:
    """Of satisfied, left open and violated, shape (samples, slots, 3); NaN where ungraded."""
    rows = [scores[metric] for metric in SHARES]
    at, sample = rows[0].keys.unit.among(tuple(slots)), rows[0].keys.sample
    kept = at >= 0
    found = np.full((1 + int(sample.max(initial=0)), len(slots), len(rows)), np.nan)
    found[sample[kept], at[kept]] = np.stack([each.value[kept] for each in rows], axis=1)
    return found
