"""What people get on the same questions, and how far a model lies from it: the row of people in a table of models.

votes of annotators ─▶ right where just the true statements were named ─▶ the mean over a question's annotators, then
over questions. Other questions and other annotators would both give another figure, so both are drawn, which counts
what is an annotator's own on a question twice: over 160 questions of four places, each asked of five out of 20
annotators, 95% intervals held .97 to .996, with annotators alike or as far apart as questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import stdtr

from mores.analysis.aggregate import Slice, laid_out
from mores.benchmarks.culturalbench.columns import Vote
from mores.benchmarks.scoring import Measure
from mores.benchmarks.shapes.scoring import Source, right_of
from mores.core.estimate import Estimate
from mores.core.scores import Codes, Floats, Rows
from mores.stats.clusters import clustered
from mores.stats.crossed import both_drawn
from mores.stats.intervals import Interval, Layout, refused, score_interval, t_quantile

HUMAN, LESS = "people", "less_people"
METHOD = "t, questions and annotators drawn"


def question_of(unit: str) -> str:
    """The question_idx of a unit of either setup, which both share."""
    return unit.partition("-")[2]


def people_measures(votes: Sequence[Vote], truths: Mapping[str, frozenset[str]]) -> dict[str, Measure[Source]]:
    """People's accuracy, and a model's less theirs; without votes a run has nothing to say of either."""
    kinds = {HUMAN: False, LESS: True}
    return {
        name: Measure(partial(_rows, votes, truths, less), over_both, is_mean=False, compared=False)
        for name, less in kinds.items()
    }


def _rows(votes: Sequence[Vote], truths: Mapping[str, frozenset[str]], less: bool, source: Source) -> Rows | None:
    """A row a vote on a question that was asked: whether it is right, or the model's points less that."""
    names = source.keys.unit.take(source.units.first).texts()
    unit = {question_of(name): code for code, name in enumerate(names)}
    kept = [vote for vote in votes if vote.question in unit and vote.question in truths]
    if not kept:
        return None
    people = {name: code for code, name in enumerate(dict.fromkeys(vote.annotator for vote in kept))}
    code = np.array([unit[vote.question] for vote in kept])
    keys = source.keys.take(source.units.first[code], np.array([people[vote.annotator] for vote in kept]))
    right = np.array([float(vote.letters == truths[vote.question]) for vote in kept])
    if not less:
        return Rows.within(0.0, 1.0, keys=keys, value=right)
    points = right_of(source.units, source.frame, source.frame.points)
    graded = np.isfinite(points)
    mean = np.divide(np.nansum(points, axis=1), graded.sum(axis=1), out=np.full(len(points), np.nan),
                     where=graded.any(axis=1))  # fmt: skip
    return Rows.within(-1.0, 1.0, keys=keys, value=mean[code] - right)


def over_both(piece: Slice) -> Estimate:
    """The mean of questions, each the mean of its annotators, with an interval for other questions and annotators."""
    units, kept = piece.units, piece.inside & piece.units.graded
    if not kept.any():
        return piece.nothing()
    drawn = clustered(units.keys.cluster.codes[kept], units.keys.place.codes[kept], int(kept.sum()))
    questions = Layout.of(_shares(piece, units.value[kept]), drawn, "equal" if piece.group.equal else None)
    annotators = _annotators(piece, questions, np.flatnonzero(kept))
    found = laid_out(piece, (questions.mean,) * 3, _interval(piece, questions, annotators))
    return replace(found, worst=None, best=None, p=_p(piece, questions, annotators) if found.low is not None else None)


def _shares(piece: Slice, values: Floats) -> Floats:
    """Values as shares of the metric's range."""
    return (values - piece.metric.low) / (piece.metric.high - piece.metric.low)


def _annotators(piece: Slice, questions: Layout, units: Codes) -> Layout:
    """The same mean laid out by annotators: each vote counts its part of the question's weight."""
    rows, at = piece.rows, np.full(1 + int(piece.rows.keys.unit.codes.max()), -1)
    at[piece.units.keys.unit.codes[units]] = np.arange(len(units))
    unit = at[rows.keys.unit.codes]
    some = (unit >= 0) & np.isfinite(rows.value)
    unit, value = unit[some], _shares(piece, rows.value[some])
    clusters = clustered(rows.keys.sample[some], rows.keys.place.codes[some], len(unit))
    weight = (questions.mass[questions.clusters.of_unit] / np.bincount(unit, minlength=len(units)))[unit]
    return Layout(
        total=clusters.sums(weight * value), mass=clusters.sums(weight), clusters=clusters, right=None, ends=(0.0, 1.0)
    )  # fmt: skip


def _interval(piece: Slice, questions: Layout, annotators: Layout) -> Interval:
    few = refused(questions.load) or refused(annotators.load)
    if few is not None:
        return few
    if _is_share(piece):
        error = both_drawn(questions.steadied(questions.spread()), annotators.spread())
        return score_interval(questions.mean, error, questions.clusters.count, 0.95)._replace(method=METHOD)
    error = both_drawn(questions.spread(), annotators.spread())
    reach = t_quantile(error.freedom, 0.95) * error.se
    return Interval(questions.mean - reach, questions.mean + reach, METHOD)


def _p(piece: Slice, questions: Layout, annotators: Layout) -> float | None:
    """Two-sided p of no difference; None of what is none."""
    error = both_drawn(questions.spread(), annotators.spread())
    if _is_share(piece) or not error.se:
        return None
    nothing = -piece.metric.low / (piece.metric.high - piece.metric.low)
    return 2 * float(stdtr(error.freedom, -abs(questions.mean - nothing) / error.se))


def _is_share(piece: Slice) -> bool:
    return piece.metric.low == 0
