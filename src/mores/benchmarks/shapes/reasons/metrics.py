"""Scores of explained labels: the label, the reasons, and the two together: right, and for the right reason.

The four shares of the table (label right or wrong × reasons good or bad) add up to 1: an answer is in none of them
unless both its label and its reasons are graded. To count a wrong label without graded reasons as not right-and-good,
which it is, but to leave out a right one would bend the share downwards with each failure of a judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container
from functools import lru_cache, partial
from math import hypot
from pathlib import Path
from statistics import fmean

import numpy as np
from msgspec import structs
from msgspec.structs import replace
from scipy import special

from mores.analysis.aggregate import GroupWeights, Slice, mean, pooled, rounded
from mores.analysis.f1 import f1_macro
from mores.analysis.units import units_of
from mores.benchmarks.benchmark import ExpectedVerdict, Setting
from mores.benchmarks.label_rows import points_of, read_label_rows
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.judge_panel import failed_verdict, fault_verdict
from mores.benchmarks.shapes.scoring import VerdictSource, all_right, each_answer, fault_points, labelled_answers
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import Estimate, MetricRows, Missing
from mores.core.transcript import FailureEvent, ItemMetadata, ReplyEvent
from mores.core.verdict import DISAGREEMENT, LABEL, Graded, Verdict
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.models.similarity import Embedded, cosine, embedder_named
from mores.stats.explanations import length_bias
from mores.stats.group_means import group_means

LENGTH_LABELS, CORRECTED = "length_labels", "corrected"
People = dict[tuple[str, int], float]
"""The mean of people's points by item and sample."""


def labels_file(setting: Setting) -> Path | None:
    """The file of people's labels that the run names, if it names one."""
    named = setting.protocol.settings.get(LENGTH_LABELS, "")
    return Path(named) if named else None


def read_people(path: Path, task: str, items: Container[str]) -> People:
    """People's points of one task on known items, each answer's annotators averaged; rows of other tasks are passed by.

    Raises:
        InputError: the file cannot be read, or a row of this task is malformed or stands twice.
    """
    given: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for row in read_label_rows(path):
        thing = row.thing
        if thing is not None and thing.task == task and thing.item in items:
            given[thing.item, thing.sample][row.annotator] = points_of(row)
    return {answer: fmean(points.values()) for answer, points in given.items()}


def corrected_rows(
    source: VerdictSource, frame: VerdictColumns, task: str, people: People | None
) -> MetricRows | Missing:
    """Points less what length is worth to this run's judge on labelled answers, or why that cannot be told.

    An answer that nobody judged, as it could not be used, has no length and keeps its zero.
    """
    if not np.isfinite(frame.points).any():
        return Missing(code="nothing_graded", n=source.items.size)
    if people is None:
        return Missing(code="no_length_labels", n=source.items.size)
    words = np.array([0 if b is None else b.words for b in source.table.ballots(task)], dtype=np.float64)
    answers = zip(frame.item.tolist(), frame.sample.tolist(), strict=True)
    given = np.array([people.get((source.table.item_metadata[item].item, sample), np.nan) for item, sample in answers])
    judged = (words > 0) & np.isfinite(frame.points)
    labelled = judged & np.isfinite(given)
    try:
        bias = length_bias(frame.points[labelled], given[labelled], words[labelled])
    except InputError as refused:
        return Missing(code="labels_do_not_tell", n=source.items.size, told=str(refused))
    points, aside = frame.points.copy(), np.where(np.isfinite(frame.points), 0.0, np.nan)
    points[judged] = bias.corrected(points[judged], words[judged])
    aside[judged] = np.log(words[judged]) - bias.centre
    rows, lengths = (all_right(source, source.items, frame, each) for each in (points, aside))
    facts = {"slope": bias.slope, "error": bias.error, "labelled": bias.labelled}
    return structs.replace(rows, extra={"aside": lengths.value}, facts=facts)


def mean_corrected(piece: Slice) -> Estimate:
    """The mean of corrected points; its interval is widened by what is not known of the slope; `missing` tells it.

    Measured with 40 of 200 answers labelled, shorter ones more often, over 300 draws: the interval held the truth in
    .93 of them, without the slope's error in .52, that of the uncorrected mean in none.
    """
    found, facts = mean(piece), piece.rows.facts
    missing = Missing(code="put_right_for_length", n=int(facts["labelled"]), figures=(facts["slope"], facts["error"]))
    if found.value is None or found.low is None or found.high is None:
        return structs.replace(found, missing=replace(missing, because=found.missing))
    # Two degrees of freedom went to the fitted line: its slope and its level.
    unsure = float(special.stdtrit(facts["labelled"] - 2, 0.975)) * facts["error"] * abs(_aside(piece))
    # The slope comes of labels, the mean of verdicts: their errors are taken as independent, and add in squares.
    low = found.value - hypot(found.value - found.low, unsure)
    high = found.value + hypot(found.high - found.value, unsure)
    return structs.replace(
        found, low=rounded(low), high=rounded(high), method=f"{found.method}, slope's error added", missing=missing
    )


def _aside(piece: Slice) -> float:
    """Distance of the group's answers from the centre in log length, as its points are averaged."""
    units = units_of(structs.replace(piece.rows, value=piece.rows.extra["aside"]))
    kept = piece.group.mask(units.keys) & units.graded
    values, places = units.value[kept], units.keys.place.codes[kept].astype(np.int64)
    weights: GroupWeights = "equal" if piece.group.equal else None
    return float(group_means(values, np.zeros(len(values), dtype=np.int64), 1, strata=places, weights=weights)[0])


GOOD_FROM = 0.5
"""Points from which reasons are good."""
SIMILARITY = "similarity"
NO_SIDE = "no_side"
"""Task of the remark that an answer takes no side, where a judge decides labels."""
WIDEST = 0.5
"""The greatest variance of points from 0 to 1, that of two votes at the two ends."""


class ReasonSource(VerdictSource):
    """The verdicts on labels and on reasons of one run.

    `people` holds points of reasons by item and sample, None where nobody gave any.

    Raises:
        InputError: the two are not of the same answers.
    """

    def __init__(self, table: VerdictTable, *, label: str, reasons: str, people: People | None) -> None:
        super().__init__(table)
        self.label, self.reasons = table.frame(label), table.frame(reasons)
        self.dimension, self.people = reasons, people
        same = (np.array_equal(getattr(self.label, name), getattr(self.reasons, name)) for name in ("item", "sample"))
        if not all(same):
            raise InputError(f"verdicts on {label} and on {reasons} are not of the same answers.")

    @property
    def good(self) -> Floats:
        """1 where reasons are good, 0 where not, NaN where ungraded."""
        points = self.reasons.points
        return np.where(np.isnan(points), np.nan, (points >= GOOD_FROM).astype(float))

    def rows(self, frame: VerdictColumns, points: Floats) -> MetricRows:
        """Points of each answer."""
        return all_right(self, self.items, frame, points)


def measures_of(metrics: Collection[str], dimension: str) -> dict[str, MetricDefinition[ReasonSource]]:
    """Metrics of a benchmark of explained labels by name; `dimension` is what its rubric grades."""
    both = "label_accuracy" in metrics
    return {
        **_ALL,
        "accuracy": structs.replace(_ALL["right_good" if both else "label_accuracy"], tasks=(LABEL, dimension)),
        dimension: MetricDefinition(lambda source: source.rows(source.reasons, source.reasons.points)),
        f"{dimension}_{CORRECTED}": MetricDefinition(
            lambda source: corrected_rows(source, source.reasons, source.dimension, source.people),
            mean_corrected,
            is_mean=False,
        ),
    }


def _label(source: ReasonSource) -> MetricRows:
    return source.rows(source.label, source.label.points)


def _both(source: ReasonSource, *, right: bool, good: bool) -> MetricRows:
    """One of the four shares of label × reasons."""
    labels = source.label.points if right else 1 - source.label.points
    return source.rows(source.label, labels * (source.good if good else 1 - source.good))


def _wrong_reason(source: ReasonSource) -> MetricRows:
    """Bad reasons among right labels alone; where the label is ungraded it may be a right one."""
    points = source.label.points
    bad = np.where(points == 1, 1 - source.good, np.nan)
    return each_answer(source, source.label, bad, points != 0)


def _disagreement(source: ReasonSource) -> MetricRows | Missing:
    """The variance of votes on an answer; nobody was asked of an answer that could not be used."""
    ballots = source.table.ballots(source.dimension)
    spread = np.array([np.nan if b is None or b.spread is None else b.spread for b in ballots], dtype=np.float64)
    judged = np.array([b is not None for b in ballots], dtype=np.bool_) | np.isnan(source.reasons.points)
    if not np.isfinite(spread[judged]).any():
        graded = np.isfinite(source.reasons.points).any()
        return Missing(code="one_vote" if graded else "nothing_graded", n=source.items.size)
    return each_answer(source, source.reasons, spread, judged, most=WIDEST)


def _similarity(source: ReasonSource) -> MetricRows | Missing:
    """The cosine of each answer and its reference, where the run has an encoder."""
    frame = source.table.frame(SIMILARITY)
    if not len(frame.item):
        return Missing(code="no_encoder", n=source.items.size)
    return MetricRows.within(-1.0, 1.0, keys=source.answers(frame), value=frame.points, task=SIMILARITY)


def _no_side(source: ReasonSource) -> MetricRows | Missing:
    """Answers that take no side, as the judges of labels remark where they are asked to."""
    frame = source.table.frame(NO_SIDE)
    if not len(frame.item):
        return Missing(code="no_remarks", n=source.items.size)
    return MetricRows.within(0.0, 1.0, keys=source.answers(frame), value=frame.points, task=NO_SIDE)


def _fault(fault: str, source: ReasonSource) -> MetricRows:
    return source.rows(source.label, fault_points(source.table, source.label, fault))


_ALL: dict[str, MetricDefinition[ReasonSource]] = {
    "label_accuracy": MetricDefinition(_label, compared=False),
    "right_good": MetricDefinition(partial(_both, right=True, good=True), compared=False),
    "right_bad": MetricDefinition(partial(_both, right=True, good=False), compared=False),
    "wrong_good": MetricDefinition(partial(_both, right=False, good=True), compared=False),
    "wrong_bad": MetricDefinition(partial(_both, right=False, good=False), compared=False),
    "wrong_reason": MetricDefinition(_wrong_reason, compared=False),
    DISAGREEMENT: MetricDefinition(_disagreement, compared=False),
    SIMILARITY: MetricDefinition(_similarity),
    NO_SIDE: MetricDefinition(_no_side),
    "f1_micro": MetricDefinition(_label, pooled, compared=False),
    "f1_macro": MetricDefinition(lambda source: labelled_answers(source, source.label), f1_macro, is_mean=False),
    "format_error": MetricDefinition(partial(_fault, "format_error")),
    "refusal": MetricDefinition(partial(_fault, "refusal")),
}


ENCODER = "encoder"


def encoder_name(setting: Setting) -> str:
    """The encoder that the run names; empty where it names none."""
    return setting.protocol.settings.get(ENCODER, "")


@lru_cache(maxsize=1)
def encoder(name: str) -> Embedded:
    """An encoder by its folder or its name on the Hugging Face hub, not loaded yet.

    Raises:
        InputError: there is none by that name, or the library is not installed.
    """
    return Embedded(embedder_named(name, f"--set {ENCODER}={name}"))


def encoder_hash(setting: Setting) -> dict[str, str]:
    """The hash of the files of the run's encoder, by its name; nothing where it names none."""
    name = encoder_name(setting)
    return {f"encoder {name}": encoder(name).identity} if name else {}


async def similarity_verdict(
    reply: ReplyEvent | FailureEvent, reference: str, about: ItemMetadata, sample: int, name: str
) -> Verdict:
    """The cosine of an answer and its reference; 0 for an answer without words.

    Raises:
        InputError: the encoder cannot be loaded.
    """
    due = ExpectedVerdict(SIMILARITY, about)
    if isinstance(reply, FailureEvent):
        return failed_verdict(reply, due, sample)
    if not reply.text.strip():
        return fault_verdict("format_error", due, sample)
    one, other = await encoder(name).vectors((reply.text, reference))
    return Graded(about=about, sample=sample, task=SIMILARITY, points=cosine(one, other))
