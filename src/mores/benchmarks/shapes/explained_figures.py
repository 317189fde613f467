"""Figures of explained labels: the label, the reasons, and the two together: right, and for the right reason.

The four shares of the table (label right or wrong × reasons good or bad) add up to 1. An answer whose label is graded
and whose reasons are not is in neither of its two cells: the bounds show what it could do.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mores.benchmarks.ledger import Floats, Frame, Ledger
from mores.benchmarks.shapes.figures import (
    Answers,
    Level,
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


class Reasoned(NamedTuple):
    """What a benchmark of explained labels counts: its card, its two tasks and its labels."""

    card: Card
    label: str
    reasons: str
    classes: tuple[str, ...]


def explained_figures(ledger: Ledger, counted: Reasoned, seed: Seed) -> tuple[Estimate, ...]:
    """Each metric of the card over the whole and each of its groups."""
    parts, groups = parts_of(ledger.abouts, counted.card.groups)
    cluster = cluster_codes([about.cluster for about in ledger.abouts])
    items = level_of([about.item for about in ledger.abouts], cluster, groups)
    tables = _tables(ledger, counted, items)
    answers = answers_of(ledger, items, ledger.frame(counted.label), counted.classes)
    return tuple(e for part in parts for e in _of_part(part, counted, tables, answers, seed))


def _of_part(
    part: Part, counted: Reasoned, tables: dict[str, Rows], answers: Answers, seed: Seed
) -> Iterator[Estimate]:
    found: dict[str, Estimate] = {}
    for metric in counted.card.metrics:
        name = metric.name
        if name == "f1_micro" and not part.equal:
            found[name] = replace(found["label_accuracy" if "label_accuracy" in found else "accuracy"], metric=name)
        elif name == "f1_micro":
            found[name] = share(name, tables["label_accuracy"], part, seed, pooled=True)
        elif name == "f1_macro":
            found[name] = f1_macro(answers, tables["label_accuracy"], part, seed)
        else:
            rows = tables["right_good"] if name == "accuracy" and _wants_both(counted.card) else tables[name]
            found[name] = share(name, rows, part, seed, lower_is_better=metric.better == "lower")
        yield found[name]


def _wants_both(card: Card) -> bool:
    """True where the headline is being right for the right reason, so that the label's accuracy has its own name."""
    return any(metric.name == "label_accuracy" for metric in card.metrics)


def _tables(ledger: Ledger, counted: Reasoned, items: Level) -> dict[str, Rows]:
    """The rows of each share, by metric."""
    label, reasons = ledger.frame(counted.label), ledger.frame(counted.reasons)
    if not (np.array_equal(label.item, reasons.item) and np.array_equal(label.sample, reasons.sample)):
        raise InputError(
            f"{counted.card.name}: verdicts on labels and on {counted.reasons} are not of the same answers."
        )
    cells = crossed(label.points, reasons.points)
    right = rows_of(items, label, label.points)
    tables = {name: rows_of(items, label, points) for name, points in cells.items()}
    return tables | {
        "accuracy": right,
        "label_accuracy": right,
        counted.reasons: rows_of(items, reasons, reasons.points),
        "wrong_reason": _among_right(items, label, label.points, cells["right_bad"]),
        "format_error": rows_of(items, label, fault_points(ledger, label, "format_error")),
        "refusal": rows_of(items, label, fault_points(ledger, label, "refusal")),
    }


def crossed(right: Floats, points: Floats) -> dict[str, Floats]:
    """Whether each answer falls into each cell of label × reasons: 1 or 0, NaN where it cannot be told."""
    good = np.where(np.isnan(points), np.nan, (points >= GOOD_FROM).astype(float))
    return {
        "right_good": _product(right, good),
        "right_bad": _product(right, 1 - good),
        "wrong_good": _product(1 - right, good),
        "wrong_bad": _product(1 - right, 1 - good),
    }


def _product(one: Floats, other: Floats) -> Floats:
    """Both at once: 0 where either is 0, though the other be unknown."""
    return np.where((one == 0) | (other == 0), 0.0, one * other)


def _among_right(items: Level, frame: Frame, right: Floats, bad: Floats) -> Rows:
    """Bad reasons among right labels alone: units without a right label are no part of it."""
    kept = right == 1
    chosen = Frame(*(column[kept] for column in frame))
    rows = rows_of(items, chosen, bad[kept])
    asked = np.bincount(items.of_item[chosen.item], minlength=items.size) > 0
    return Rows(
        points=rows.points[asked],
        least=rows.least[asked],
        most=rows.most[asked],
        cluster=rows.cluster[asked],
        groups={kind: values[asked] for kind, values in rows.groups.items()},
    )
