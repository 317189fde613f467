"""F1 of labels over a group: the unweighted mean over labels of each label's F1."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mores.analysis.aggregate import Slice, laid_out
from mores.core.arrays import Codes, Mask
from mores.core.estimate import Estimate, MetricRows
from mores.stats.classification import F1, f1_scores, macro_f1


def f1_macro(piece: Slice) -> Estimate:
    """Unweighted mean over labels of their F1; an unreadable answer counts as wrong, an ungraded one is left out."""
    rows, inside = piece.rows, piece.group.mask(piece.rows.keys)
    labels = _labels(rows)
    kept = inside & labels.graded
    if not kept.any():
        return piece.nothing()
    graded = labels.among(kept, labels.said)
    clusters, strata = rows.keys.cluster.codes[kept], rows.keys.place.codes[kept]
    value, interval = macro_f1(graded.gold, graded.said, graded.classes, clusters, strata)
    return laid_out(piece, (value, *_ends(labels, inside, value, all_graded=bool((kept == inside).all()))), interval)


def _ends(labels: _Labels, inside: Mask, value: float, *, all_graded: bool) -> tuple[float, float]:
    """The figure with all that is ungraded wrong, and with all of it right; of a row without a gold label, neither."""
    inside = inside & (labels.gold >= 0)
    if all_graded:
        return value, value
    worst, best = (np.where(labels.graded, labels.said, filler) for filler in (-1, labels.gold))
    cases = (labels.among(inside, said) for said in (worst, best))
    low, high = (f1_scores(case.gold, case.said, case.classes).macro for case in cases)
    return low, high


def f1_of(rows: MetricRows) -> F1:
    """F1 of all rows that are graded; all NaN where none is."""
    labels = _labels(rows)
    graded = labels.among(labels.graded, labels.said)
    return f1_scores(graded.gold, graded.said, graded.classes)


class _Given(NamedTuple):
    """Gold and read labels as codes into the classes that occur among them."""

    gold: Codes
    said: Codes
    classes: tuple[str, ...]


class _Labels(NamedTuple):
    """Gold and read labels of all rows as codes into the gold labels that there are, -1 for what is none of them."""

    gold: Codes
    said: Codes
    graded: Mask
    classes: tuple[str, ...]

    def among(self, rows: Mask, said: Codes) -> _Given:
        """The labels of some rows, among those they have: a label in neither column says nothing of them."""
        gold, told = (self.gold, said) if rows.all() else (self.gold[rows], said[rows])
        seen = np.zeros(len(self.classes) + 1, dtype=np.bool_)
        seen[gold] = seen[told] = True
        codes = np.flatnonzero(seen[:-1])
        if len(codes) == len(self.classes):
            return _Given(gold, told, self.classes)
        table = np.full(len(self.classes) + 1, -1, dtype=np.int64)
        table[codes] = np.arange(len(codes))
        return _Given(table[gold], table[told], tuple(self.classes[code] for code in codes))


@lru_cache(maxsize=4)  # all groups of one metric in turn
def _labels(rows: MetricRows) -> _Labels:
    """The labels of rows that have some."""
    if rows.gold is None or rows.label is None:
        raise ValueError(f"f1: rows of '{rows.task}' have no labels")
    classes = tuple(sorted({*rows.gold.used(), *rows.label.used()}))
    return _Labels(rows.gold.among(classes), rows.label.among(classes), np.isfinite(rows.value), classes)
