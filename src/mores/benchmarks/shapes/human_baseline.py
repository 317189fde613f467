"""People's score on the same questions, and a model's distance from it: the row of people among models.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import nan
from typing import NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace
from scipy import special

from mores.analysis.aggregate import Slice, laid_out
from mores.analysis.contrast import known
from mores.analysis.results import Result
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.scoring import VerdictSource, right_of
from mores.core.arrays import Codes, Floats
from mores.core.card import Metric
from mores.core.estimate import Estimate, MetricRows
from mores.core.verdict_table import VerdictColumns
from mores.stats.clusters import clustered
from mores.stats.crossed_effects import both_drawn
from mores.stats.intervals import ClusteredMeans, Interval, refused, score_interval, t_quantile
from mores.stats.ranks import holm
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables.blocks import Block, Paragraph, Span
from mores.tables.columns import BENCHMARK, SIMULATED

HUMAN, LESS, LEFT_OUT = "people", "less_people", "people_left_out"
METHOD = "t, questions and annotators drawn"
_Source = TypeVar("_Source", bound=VerdictSource)


class AnnotatorVote(NamedTuple):
    """One annotator's answer to one question: the answers held to be true, none for nothing."""

    question: str
    annotator: str
    answers: frozenset[str]


class _Mark(NamedTuple):
    """Mark of one annotator on one question, 1 if right, else 0, or on a scale of the benchmark's own."""

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


def people_on_scale(
    votes: Sequence[AnnotatorVote], score: Callable[[AnnotatorVote], float | None]
) -> MetricDefinition[VerdictSource]:
    """People's score on a scale of the benchmark's own, by the score of each vote; None leaves a vote out."""
    scored = ((vote, score(vote)) for vote in votes)
    marks = [_Mark(*vote[:2], value) for vote, value in scored if value is not None]
    return MetricDefinition(partial(_rows, marks, str, None), over_both, is_mean=False, compared=False)


def _left_out(votes: Sequence[AnnotatorVote]) -> Iterator[_Mark]:
    """Each vote by the gold that all others make; none where they make none."""
    of_question = defaultdict(list)
    for vote in votes:
        of_question[vote.question].append(vote)
    for question, every in of_question.items():
        chosen = Counter(answer for vote in every for answer in vote.answers)
        # Rounded half up, as `round` would go to the even number.
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
    # An annotator stands where a sample does, so that each vote is a row of its own.
    keys = source.keys.take(source.units.first[code], np.array([people[mark.annotator] for mark in kept]))
    right = np.array([mark.right for mark in kept])
    if frame is None:
        return MetricRows.within(0.0, 1.0, keys=keys, value=right)
    verdicts = frame(source)
    points = right_of(source.units, verdicts, verdicts.points)
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
    # No difference, on the scale of shares on which the mean was taken.
    nothing = -piece.metric.low / (piece.metric.high - piece.metric.low)
    return 2 * float(special.stdtr(error.freedom, -abs(questions.mean - nothing) / error.se))


def _is_share(piece: Slice) -> bool:
    return piece.metric.low == 0


PEOPLE = (
    "People’s figure is the mean over a question’s annotators, right where just the true answers were named; no "
    "answer counts as none right. Its interval is for other questions and other annotators, and a model less people is "
    "paired by question. Where the gold comes of the same people’s votes it flatters them; by the others’ gold, each "
    "is held against what four in five of all others chose."
)


@lru_cache
def people_table(name: str) -> Table:
    """Models beside people: a row a model, benchmark and group."""
    return Table(
        id=name,
        title="Models and people",
        columns=(
            Column(key="run", title="Run", kind="text", says="folder of the run"),
            Column(key="model", title="Model", kind="model", says="the subject, by its label"),
            SIMULATED,
            BENCHMARK,
            Column(key="kind", title="Kind", kind="text", says="kind of the group; nothing for the whole"),
            Column(key="group", title="Group", kind="text", says="its name or code; nothing for the whole"),
            Column(key="metric", title="Metric", kind="metric", says="what the model's figure is of"),
            Column(key="right", title="Right", kind="estimate", main=True, says="the model's figure"),
            Column(key="people", title="People", kind="estimate", says="people's figure on the same questions"),
            Column(
                key="people_left_out",
                title="People, by the others’ gold",
                kind="estimate",
                says="the same, each against what four in five of all others chose",
            ),
            Column(
                key="less_people",
                title="Less people, points",
                kind="estimate",
                says="the model less people, paired by question",
            ),
            Column(key="p", title="p", kind="p", says="two-sided p-value of that, uncorrected"),
            Column(key="p_holm", title="p (Holm)", kind="p", says="p after Holm's correction for the models"),
        ),
    )


def compare_with_people(table: Table, asked: Iterable[tuple[Sequence[Result], str | None]]) -> AnalysisResult | None:
    """Models beside people; None where people were asked nothing.

    Args:
        table: One of `people_table`.
        asked: The evaluations of each benchmark, and the metric that people's is held against; None for the headline.
    """
    rows: list[Row] = []
    blocks: list[Block] = []
    for evaluations, right in asked:
        if having := [each for each in evaluations if each.overall(HUMAN) is not None]:
            own = tuple(_agreement_rows(having, right))
            rows += own
            blocks += _blocks(FilledTable(table=table, rows=own), having[0].benchmark)
    if not rows:
        return None
    return AnalysisResult(tables=(FilledTable(table=table, rows=tuple(rows)),), blocks=tuple(blocks))


def _agreement_rows(having: Sequence[Result], right: str | None) -> Iterator[Row]:
    """The whole of each model, then its groups; p-values of the whole are corrected for the models."""
    less = [each.overall(LESS) for each in having]
    p_holm = holm([nan if e is None or e.p is None else e.p for e in less]).tolist()
    for each, difference, adjusted in zip(having, less, p_holm, strict=True):
        name = right or each.headline
        metric = each.metric(name) or Metric(name=name, unit="question", says="")
        whose = str(each.run), each.label, each.simulated, each.benchmark
        p = None if difference is None else difference.p
        people = each.overall(HUMAN), each.overall(LEFT_OUT), difference, p, known(adjusted)
        yield *whose, None, None, metric, each.overall(right), *people
        for kind in each.kinds:
            by = [each.by(kind, metric) for metric in (right, HUMAN, LEFT_OUT, LESS)]
            for group in dict.fromkeys(name for some in by[1:] for name in some):
                own = [some.get(group) for some in by]
                yield *whose, kind, group, metric, *own, None if own[3] is None else own[3].p, None


def _blocks(filled: FilledTable, name: str) -> Iterator[Block]:
    """Models with people beside them, and both by region."""
    yield Paragraph(words=f"People on {name}", role="heading", id=f"people-{name.partition('/')[2]}")
    yield Paragraph(words=PEOPLE, role="explanation")
    kind, p = filled.table.getter("kind"), filled.table.getter("p_holm")
    wholes = tuple(row for row in filled.rows if kind(row) is None)
    family = sum(p(row) is not None for row in wholes)
    people = Show(key="people"), Show(key="people_left_out")
    whole = View(
        title=f"Models and people on {name}",
        rows=wholes,
        shown=(
            Show(key="model"),
            Show(key="right"),
            *people,
            Show(key="less_people", format="signed"),
            Show(key="p_holm", title=f"p (Holm, {family})"),
        ),
    )
    yield from blocks_of(filled, whole)
    regions = View(
        title=f"Regions of {name}, in %",
        rows=tuple(row for row in filled.rows if kind(row) == "region"),
        shown=(Show(key="group", title="Region"), *people),
        across="model",
        cell=Show(key="right", format="heat"),
        heads={label: Span(label, "model") for label in map(filled.table.getter("model"), wholes)},
        on="page",
    )
    yield from blocks_of(filled, regions)
