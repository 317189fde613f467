"""Headline of an evaluation as each judge alone would give it: the same plays, scored by one judge's votes.

votes of a jury ─▶ verdicts of each judge ─▶ rows of the headline. It is done only where the votes give back the
verdicts that the run stored, so that nothing is read apart that a benchmark puts together in a way of its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isclose
from typing import NamedTuple

from msgspec.structs import replace

from mores.analysis.results import Result
from mores.core.estimate import MetricRows
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable

VoteKey = tuple[str, int, str, str]
"""Item, sample, task and part (or norm) that a vote is on."""
_ALIKE = 0.99
"""Share of verdicts, at least, that votes have to give back."""
_JUDGE_FAILED = "no opinion of this judge"


class JudgeOpinion(NamedTuple):
    """One vote: points, or else the share of each label (1 of the one that was given)."""

    points: float | None
    shares: Mapping[str, float]


OpinionsByJudge = Mapping[VoteKey, Mapping[str, Sequence[JudgeOpinion]]]


def rows_by_judge(result: Result) -> Mapping[str, MetricRows] | None:
    """Rows of the headline by the role of each judge; None for one judge, or where votes do not give the verdicts back.

    A judge that was asked several times of one thing counts as the mean of its points, or of its labels' shares.
    """
    opinions = _opinions(result) if len(result.judges) > 1 else None
    if opinions is None:
        return None
    verdicts = tuple(result.every_verdict())
    scale = _LabelScale.of(verdicts)
    weights = {role: result.provenance.protocol.judge_weights.get(role, 1.0) for role in result.judges}
    judged = [each for each in verdicts if isinstance(each, Graded) and each.ballot is not None]
    alike = sum(_same(verdict, scale.alone(verdict, _of(verdict, opinions), weights)) for verdict in judged)
    if not judged or alike < _ALIKE * len(judged):
        return None
    rows = {
        judge: result.stored.headline_of(VerdictTable(_alone(verdicts, opinions, judge, scale)))
        for judge in result.judges
    }
    return {judge: each for judge, each in rows.items() if each is not None} if None not in rows.values() else None


def _opinions(result: Result) -> OpinionsByJudge | None:
    """Opinions of each judge by what they are on; None where judges saw the steps of a play."""
    found: dict[VoteKey, dict[str, list[JudgeOpinion]]] = defaultdict(lambda: defaultdict(list))
    for vote in result.stored.votes():
        if vote.step is not None:
            return None
        for thing, answer in vote.things():
            if answer.given:
                shares = vote.shares or ({} if answer.label is None else {answer.label: 1.0})
                opinion = JudgeOpinion(answer.points, shares)
                found[thing.item, thing.sample, thing.task, thing.norm][vote.judge].append(opinion)
    return found


def _of(verdict: Verdict, opinions: OpinionsByJudge) -> Mapping[str, Sequence[JudgeOpinion]]:
    key = (verdict.about.item, verdict.sample, verdict.task)
    return opinions.get((*key, verdict.about.part)) or opinions.get((*key, "")) or {}


class _LabelScale(NamedTuple):
    """Points of a label by task and gold label, and by task the label whose share are the points, where one's is."""

    points: Mapping[tuple[str, str | None, str], float]
    shared: Mapping[str, str]

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> "_LabelScale":
        """The scale that stored verdicts show."""
        points: dict[tuple[str, str | None, str], float] = {}
        candidates: dict[str, set[str]] = {}
        for verdict in verdicts:
            if not isinstance(verdict, Graded) or verdict.ballot is None or verdict.label is None:
                continue
            points[verdict.task, verdict.gold, verdict.label] = verdict.points
            probs = verdict.ballot.label_probs or {}
            fit = {label for label, share in probs.items() if isclose(share, verdict.points, abs_tol=1e-9)}
            candidates[verdict.task] = candidates.get(verdict.task, fit) & fit
        return cls(points, {task: min(labels) for task, labels in candidates.items() if labels})

    def alone(
        self, verdict: Graded, opinions: Mapping[str, Sequence[JudgeOpinion]], weights: Mapping[str, float]
    ) -> Graded | None:
        """The verdict that the opinions of these judges give; None where they give none."""
        weighted = [(one, weights[judge]) for judge, own in opinions.items() if judge in weights for one in own]
        total = sum(weight for one, weight in weighted)
        if verdict.label is None:
            scored = [(one.points, weight) for one, weight in weighted if one.points is not None]
            total = sum(weight for _, weight in scored)
            return replace(verdict, points=sum(p * weight for p, weight in scored) / total) if total > 0 else None
        if total <= 0 or verdict.ballot is None:
            return None
        labels = dict.fromkeys(label for one, _ in weighted for label in one.shares)
        shares = {
            label: sum(weight * one.shares.get(label, 0.0) for one, weight in weighted) / total for label in labels
        }
        label = max(shares, key=lambda each: (shares[each], each == verdict.label), default=None)
        key = self.shared.get(verdict.task)
        if label is None:
            return None
        worth = self.points.get((verdict.task, verdict.gold, label)) if key is None else shares.get(key, 0.0)
        probs = shares if verdict.ballot.label_probs is not None else None
        ballot = replace(verdict.ballot, label_probs=probs)
        return None if worth is None else replace(verdict, label=label, points=worth, ballot=ballot)


def _same(verdict: Graded, other: Graded | None) -> bool:
    return other is not None and other.label == verdict.label and isclose(other.points, verdict.points, abs_tol=1e-6)


def _alone(verdicts: Sequence[Verdict], opinions: OpinionsByJudge, judge: str, scale: _LabelScale) -> Iterator[Verdict]:
    """The run's verdicts, those of the jury replaced by one judge's."""
    for verdict in verdicts:
        if not isinstance(verdict, Graded) or verdict.ballot is None:
            yield verdict
            continue
        own = scale.alone(verdict, _of(verdict, opinions), {judge: 1.0})
        yield own or Ungraded(
            about=verdict.about, sample=verdict.sample, task=verdict.task, cause=_JUDGE_FAILED, gold=verdict.gold
        )
