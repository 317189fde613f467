"""Figures of explained labels: the label, the reasons, and the two together: right, and for the right reason.

The four shares of the table (label right or wrong × reasons good or bad) add up to 1: an answer is in none of them
unless both its label and its reasons are graded. To count a wrong label without graded reasons as not right-and-good,
which it is, but to leave out a right one would bend the share downwards with each failure of a judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mores.benchmarks.ledger import Floats, Frame, Ledger
from mores.benchmarks.shapes.explained_length import Lengths, corrected, lengths_of
from mores.benchmarks.shapes.figures import (
    Answers,
    Level,
    Mask,
    Part,
    Rows,
    answers_of,
    cluster_codes,
    f1_macro,
    fault_points,
    level_of,
    parts_of,
    rows_of,
    share,
)
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed

GOOD_FROM = 0.5
"""Points from which reasons are good."""
DISAGREEMENT, CORRECTED = "disagreement", "corrected"
WIDEST = 0.5
"""The greatest variance of points from 0 to 1, that of two votes at the two ends."""
_NO_GRADES = "nothing graded"


class Reasoned(NamedTuple):
    """What a benchmark of explained labels counts: its card, its two tasks, its labels, and people's points by answer.

    `people` holds points of reasons by item and sample, None where nobody gave any.
    """

    card: Card
    label: str
    reasons: str
    classes: tuple[str, ...]
    people: dict[tuple[str, int], float] | None = None

    @property
    def corrected(self) -> str:
        """The metric of the reasons put right for length."""
        return f"{self.reasons}_{CORRECTED}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """What all groups' figures are read off; `missing` are metrics that this run cannot have, and why."""

    tables: dict[str, Rows]
    answers: Answers
    lengths: Lengths | None
    missing: dict[str, str]


def explained_figures(ledger: Ledger, counted: Reasoned, seed: Seed) -> tuple[Estimate, ...]:
    """Each metric of the card over the whole and each of its groups; what a run cannot have, over the whole alone."""
    parts, groups = parts_of(ledger.abouts, counted.card.groups)
    cluster = cluster_codes([about.cluster for about in ledger.abouts])
    items = level_of([about.item for about in ledger.abouts], cluster, groups)
    counts = _counts(ledger, counted, items)
    return tuple(e for part in parts for e in _of_part(part, counted, counts, seed))


def _of_part(part: Part, counted: Reasoned, counts: _Counts, seed: Seed) -> Iterator[Estimate]:
    """The metrics of the card over one group; what is the same figure by another name is worked out once."""
    card, tables = counted.card, counts.tables
    found: dict[str, Estimate] = {}
    for metric in card.metrics:
        name = metric.name
        if name in counts.missing:
            if part.kind:
                continue
            asked = len(tables[counted.reasons].points)
            found[name] = Estimate(metric=name, value=None, asked=asked, graded=0, why=counts.missing[name])
        elif name == "f1_micro":
            found[name] = _micro(found, tables["label_accuracy"], part, seed)
        elif name == "f1_macro":
            found[name] = f1_macro(counts.answers, tables["label_accuracy"], part, seed)
        elif name == counted.corrected and counts.lengths is not None:
            found[name] = corrected(name, counts.lengths, part, seed)
        else:
            rows = tables["right_good"] if name == "accuracy" and _wants_both(card) else tables[name]
            found[name] = share(name, rows, part, seed, lower_is_better=metric.better == "lower")
        yield found[name]


def _micro(found: dict[str, Estimate], label: Rows, part: Part, seed: Seed) -> Estimate:
    """F1 of all answers together: the label's accuracy, but for groups of places, which it pools."""
    if part.equal:
        return share("f1_micro", label, part, seed, pooled=True)
    return replace(found["label_accuracy" if "label_accuracy" in found else "accuracy"], metric="f1_micro")


def _wants_both(card: Card) -> bool:
    """True where the headline is being right for the right reason, so that the label's accuracy has its own name."""
    return any(metric.name == "label_accuracy" for metric in card.metrics)


def _counts(ledger: Ledger, counted: Reasoned, items: Level) -> _Counts:
    label, reasons = ledger.frame(counted.label), ledger.frame(counted.reasons)
    if not (np.array_equal(label.item, reasons.item) and np.array_equal(label.sample, reasons.sample)):
        raise InputError(
            f"{counted.card.name}: verdicts on labels and on {counted.reasons} are not of the same answers."
        )
    cells, right = _cells(items, label, reasons), rows_of(items, label, label.points)
    tables = cells | {
        "accuracy": right,
        "label_accuracy": right,
        counted.reasons: rows_of(items, reasons, reasons.points),
        "wrong_reason": _wrong_reason(items, label, reasons),
        DISAGREEMENT: _disagreement(ledger, items, reasons, counted.reasons),
        "format_error": rows_of(items, label, fault_points(ledger, label, "format_error")),
        "refusal": rows_of(items, label, fault_points(ledger, label, "refusal")),
    }
    lengths = _lengths(ledger, counted, items, reasons)
    return _Counts(
        tables=tables,
        answers=answers_of(ledger, items, label, counted.classes),
        lengths=None if isinstance(lengths, str) else lengths,
        missing=_missing(counted, tables, lengths),
    )


def _lengths(ledger: Ledger, counted: Reasoned, items: Level, reasons: Frame) -> Lengths | str:
    """What length is worth to the judge, or why that is not known."""
    if counted.people is None:
        return "nobody's labels: --set length_labels=FILE takes points that people gave to answers of this run"
    return lengths_of(ledger, items, reasons, counted.reasons, counted.people)


def _missing(counted: Reasoned, tables: dict[str, Rows], lengths: Lengths | str) -> dict[str, str]:
    """Metrics that are missing altogether, by the reason."""
    missing = {counted.corrected: lengths} if isinstance(lengths, str) else {}
    if not np.isfinite(tables[DISAGREEMENT].points).any():
        missing[DISAGREEMENT] = "one vote an answer: --judge-runs asks a judge again, several --judge ask several"
    if not np.isfinite(tables[counted.reasons].points).any():
        missing = dict.fromkeys((counted.corrected, DISAGREEMENT), _NO_GRADES)
    return missing


def _cells(items: Level, label: Frame, reasons: Frame) -> dict[str, Rows]:
    """The four shares of label × reasons."""
    right, good = label.points, good_reasons(reasons.points)
    return {
        "right_good": rows_of(items, label, right * good),
        "right_bad": rows_of(items, label, right * (1 - good)),
        "wrong_good": rows_of(items, label, (1 - right) * good),
        "wrong_bad": rows_of(items, label, (1 - right) * (1 - good)),
    }


def good_reasons(points: Floats) -> Floats:
    """1 where reasons are good, 0 where not, NaN where ungraded."""
    return np.where(np.isnan(points), np.nan, (points >= GOOD_FROM).astype(float))


def _wrong_reason(items: Level, label: Frame, reasons: Frame) -> Rows:
    """Bad reasons among right labels alone; where the label is ungraded it may be a right one."""
    bad = np.where(label.points == 1, 1 - good_reasons(reasons.points), np.nan)
    return _among(items, label, label.points != 0, bad)


def _disagreement(ledger: Ledger, items: Level, reasons: Frame, task: str) -> Rows:
    """The variance of votes on an answer; nobody was asked of an answer that could not be used."""
    ballots = ledger.ballots(task)
    spread = np.array([np.nan if b is None or b.spread is None else b.spread for b in ballots], dtype=np.float64)
    judged = np.array([b is not None for b in ballots], dtype=np.bool_) | np.isnan(reasons.points)
    return _among(items, reasons, judged, spread, highest=WIDEST)


def _among(items: Level, frame: Frame, kept: Mask, points: Floats, highest: float = 1.0) -> Rows:
    """Means by unit over the kept answers, NaN points being ungraded; units without a kept answer are no part of it."""
    unit, values = items.of_item[frame.item[kept]], points[kept]
    known = np.isfinite(values)
    asked = np.bincount(unit, minlength=items.size)
    graded = np.bincount(unit[known], minlength=items.size)
    total = np.bincount(unit[known], values[known], minlength=items.size)
    some = asked > 0
    asked, graded, total = asked[some], graded[some], total[some]
    return Rows(
        points=np.divide(total, graded, out=np.full(len(total), np.nan), where=graded > 0),
        least=total / asked,
        most=(total + highest * (asked - graded)) / asked,
        cluster=items.cluster[some],
        groups={kind: values[some] for kind, values in items.groups.items()},
    )
