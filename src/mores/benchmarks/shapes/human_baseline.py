"""What people get on the same questions, and how far a model lies from it: the row of people in a table of models.

votes of annotators ─▶ right where just the true answers were named ─▶ the mean over a question's annotators, then
over questions. Other questions and other annotators would both give another figure, so both are drawn, which counts
what is an annotator's own on a question twice: over 160 questions of four places, each asked of five out of 20
annotators, 95% intervals held .97 to .996, with annotators alike or as far apart as questions.

Where the gold comes of the same votes, everybody has had a part in what they are held against, which flatters. So each
vote is also held against the gold that all others make: what four in five of them chose, to the nearest whole vote
(three of four; were it all four, a question on which one of five differs would keep that one alone).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace
from scipy import special

from mores.analysis.aggregate import Slice, laid_out
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.scoring import VerdictSource, right_of
from mores.core.arrays import Codes, Floats
from mores.core.estimate import Estimate, MetricRows
from mores.core.verdict_table import VerdictColumns
from mores.stats.clusters import clustered
from mores.stats.crossed_effects import both_drawn
from mores.stats.intervals import ClusteredMeans, Interval, refused, score_interval, t_quantile

HUMAN, LESS, LEFT_OUT = "people", "less_people", "people_left_out"
METHOD = "t, questions and annotators drawn"
_Source = TypeVar("_Source", bound=VerdictSource)


class AnnotatorVote(NamedTuple):
    """What one annotator answered to one question: the answers held to be true, none for nothing."""

    question: str
    annotator: str
    answers: frozenset[str]


class _Mark(NamedTuple):
    """Whether one annotator is right on one question, 1 or 0."""

    question: str
    annotator: str
    right: float


def people_measures(
    votes: Sequence[AnnotatorVote], truths: Mapping[str, frozenset[str]], *,
    question_of: Callable[[str], str] = str, frame: Callable[[_Source], VerdictColumns] = lambda source: source.frame,
) -> dict[str, MetricDefinition[_Source]]:  # fmt: skip
    """People's accuracy, by the gold and by that of all others, and a model's less theirs; nothing without votes.

    Args:
        votes: What people answered.
        truths: What is true of each question.
        question_of: The question that a unit is.
        frame: The verdicts by which a model is right.
    """
    kept = [vote for vote in votes if vote.question in truths]
    plain = [_Mark(*vote[:2], float(vote.answers == truths[vote.question])) for vote in kept]
    marks = {HUMAN: plain, LESS: plain, LEFT_OUT: list(_left_out(kept))}
    return {
        name: MetricDefinition(
            partial(_rows, own, question_of, frame if name == LESS else None), over_both, is_mean=False, compared=False
        )
        for name, own in marks.items()
    }


def _left_out(votes: Sequence[AnnotatorVote]) -> Iterator[_Mark]:
    """Each vote by the gold that all others make; none where they make none."""
    of_question = defaultdict(list)
    for vote in votes:
        of_question[vote.question].append(vote)
    for question, every in of_question.items():
        chosen = Counter(answer for vote in every for answer in vote.answers)
        needed = max(1, int(0.8 * (len(every) - 1) + 0.5))
        for vote in every:
            gold = {answer for answer, count in chosen.items() if count - (answer in vote.answers) >= needed}
            if gold:
                yield _Mark(question, vote.annotator, float(vote.answers == gold))


def _rows(
    marks: Sequence[_Mark],
    question_of: Callable[[str], str],
    frame: Callable[[_Source], VerdictColumns] | None,
    source: _Source,
) -> MetricRows | None:
    """A row a vote on a question that was asked: whether it is right, or a model's points by a frame less that."""
    names = source.keys.unit.take(source.units.first).texts()
    unit = {question_of(name): code for code, name in enumerate(names)}
    kept = [mark for mark in marks if mark.question in unit]
    if not kept:
        return None
    people = {name: code for code, name in enumerate(dict.fromkeys(mark.annotator for mark in kept))}
    code = np.array([unit[mark.question] for mark in kept])
    keys = source.keys.take(source.units.first[code], np.array([people[mark.annotator] for mark in kept]))
    right = np.array([mark.right for mark in kept])
    if frame is None:
        return MetricRows.within(0.0, 1.0, keys=keys, value=right)
    told = frame(source)
    points = right_of(source.units, told, told.points)
    graded = np.isfinite(points)
    mean = np.divide(np.nansum(points, axis=1), graded.sum(axis=1), out=np.full(len(points), np.nan),
                     where=graded.any(axis=1))  # fmt: skip
    return MetricRows.within(-1.0, 1.0, keys=keys, value=mean[code] - right)


def over_both(piece: Slice) -> Estimate:
    """The mean of questions, each the mean of its annotators, with an interval for other questions and annotators."""
    units, kept = piece.units, piece.inside & piece.units.graded
    if not kept.any():
        return piece.nothing()
    drawn = clustered(units.keys.cluster.codes[kept], units.keys.place.codes[kept], int(kept.sum()))
    questions = ClusteredMeans.of(_shares(piece, units.value[kept]), drawn, "equal" if piece.group.equal else None)
    annotators = _annotators(piece, questions, np.flatnonzero(kept))
    found = laid_out(piece, (questions.mean,) * 3, _interval(piece, questions, annotators))
    return replace(found, worst=None, best=None, p=_p(piece, questions, annotators) if found.low is not None else None)


def _shares(piece: Slice, values: Floats) -> Floats:
    """Values as shares of the metric's range."""
    return (values - piece.metric.low) / (piece.metric.high - piece.metric.low)


def _annotators(piece: Slice, questions: ClusteredMeans, units: Codes) -> ClusteredMeans:
    """The same mean laid out by annotators: each vote counts its part of the question's weight."""
    rows, at = piece.rows, np.full(1 + int(piece.rows.keys.unit.codes.max()), -1)
    at[piece.units.keys.unit.codes[units]] = np.arange(len(units))
    unit = at[rows.keys.unit.codes]
    some = (unit >= 0) & np.isfinite(rows.value)
    unit, value = unit[some], _shares(piece, rows.value[some])
    clusters = clustered(rows.keys.sample[some], rows.keys.place.codes[some], len(unit))
    weight = (questions.mass[questions.clusters.of_unit] / np.bincount(unit, minlength=len(units)))[unit]
    return ClusteredMeans(
        total=clusters.sums(weight * value), mass=clusters.sums(weight), clusters=clusters,
        right=np.zeros(clusters.count), binary=np.array([False]), low=np.zeros(1), high=np.ones(1),
    )  # fmt: skip


def _interval(piece: Slice, questions: ClusteredMeans, annotators: ClusteredMeans) -> Interval:
    few = refused(questions.load) or refused(annotators.load)
    if few is not None:
        return few
    if _is_share(piece):
        error = both_drawn(questions.steadied(questions.spread()), annotators.spread())
        return score_interval(questions.mean, error, questions.clusters.count, 0.95)._replace(method=METHOD)
    error = both_drawn(questions.spread(), annotators.spread())
    reach = t_quantile(error.freedom, 0.95) * error.se
    return Interval(questions.mean - reach, questions.mean + reach, METHOD)


def _p(piece: Slice, questions: ClusteredMeans, annotators: ClusteredMeans) -> float | None:
    """Two-sided p of no difference; None of what is none."""
    error = both_drawn(questions.spread(), annotators.spread())
    if _is_share(piece) or not error.se:
        return None
    nothing = -piece.metric.low / (piece.metric.high - piece.metric.low)
    return 2 * float(special.stdtr(error.freedom, -abs(questions.mean - nothing) / error.se))


def _is_share(piece: Slice) -> bool:
    return piece.metric.low == 0
