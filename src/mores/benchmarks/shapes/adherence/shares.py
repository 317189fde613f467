"""Open answers by their norms: what they score, and which norms they keep, leave open and break."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from mores.analysis.units import SubjectScores
from mores.benchmarks.shapes.norm_scores import COUNTED, KEPT, NORM_SCORE, SHARES, STRICTNESS
from mores.core.estimate import Estimate
from mores.core.norm import Strictness


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeNormScore:
    """One mode of open answers: the norm score, and the share of norms kept to.

    Verdicts that are `counted` are shares of repeated words, and do not compare with probabilities.
    """

    mode: str
    figure: Estimate | None
    kept: Estimate | None
    counted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictnessShares:
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
    """Whether verdicts are shares of repeated words."""
    return bool(each.result.scores[NORM_SCORE].facts[COUNTED])


def step_of(each: SubjectScores) -> ModeNormScore:
    """The figures of one model in one mode of open answers."""
    figure, kept = each.result.whole(NORM_SCORE), each.result.whole(KEPT)
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
