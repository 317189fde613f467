"""Macro F1: the unweighted mean over labels of each label's F1, over a group, and its change from one form to another.

rows of both forms, model by model ─▶ units that both graded, their labels counted ─▶ the change over clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import nan
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.analysis.aggregate import Slice, laid_out
from mores.analysis.contrast import Contrast, known
from mores.analysis.units import first_codes, means_by
from mores.core.arrays import Codes, Floats, Mask
from mores.core.estimate import CategoricalColumn, Caution, Estimate, MetricRows, Missing
from mores.core.seeds import Seed
from mores.stats.classification import F1, TEST, F1Change, F1SwapTest, f1_scores, f1_swapped, macro_f1
from mores.stats.clusters import clustered
from mores.stats.intervals import no_interval


def f1_macro(piece: Slice) -> Estimate:
    """Unweighted mean over labels of their F1; an unreadable answer counts as wrong, an ungraded one is left out."""
    rows, inside = piece.rows, piece.group.mask(piece.rows.keys)
    labels = _labels(rows)
    kept = inside & labels.graded
    if not kept.any():
        return piece.nothing()
    graded = labels.among(kept, labels.read)
    clusters, strata = rows.keys.cluster.codes[kept], rows.keys.place.codes[kept]
    value, interval = macro_f1(graded.gold, graded.read, graded.classes, clusters, strata)
    return laid_out(piece, (value, *_ends(labels, inside, value, all_graded=bool((kept == inside).all()))), interval)


def _ends(labels: _Labels, inside: Mask, value: float, *, all_graded: bool) -> tuple[float, float]:
    """The figure with all that is ungraded wrong, and with all of it right; of a row without a gold label, neither."""
    # of a row without a gold label nothing can be right or wrong
    inside = inside & (labels.gold >= 0)
    if all_graded:
        return value, value
    worst, best = (np.where(labels.graded, labels.read, filler) for filler in (-1, labels.gold))
    cases = (labels.among(inside, read) for read in (worst, best))
    low, high = (f1_scores(case.gold, case.read, case.classes).macro for case in cases)
    return low, high


def f1_of(rows: MetricRows) -> F1:
    """F1 of all rows that are graded; all NaN where none is."""
    labels = _labels(rows)
    graded = labels.among(labels.graded, labels.read)
    return f1_scores(graded.gold, graded.read, graded.classes)


class _Given(NamedTuple):
    """Gold and read labels as codes into the classes that occur among them."""

    gold: Codes
    read: Codes
    classes: tuple[str, ...]


class _Labels(NamedTuple):
    """Gold and read labels of all rows as codes into the gold labels that there are, -1 for what is none of them."""

    gold: Codes
    read: Codes
    graded: Mask
    classes: tuple[str, ...]

    def among(self, rows: Mask, read: Codes) -> _Given:
        """The labels of some rows, among those they have: a label in neither column says nothing of them."""
        gold, given = (self.gold, read) if rows.all() else (self.gold[rows], read[rows])
        # the last place takes -1, a label that is none of the classes
        seen = np.zeros(len(self.classes) + 1, dtype=np.bool_)
        seen[gold] = seen[given] = True
        codes = np.flatnonzero(seen[:-1])
        if len(codes) == len(self.classes):
            return _Given(gold, given, self.classes)
        table = np.full(len(self.classes) + 1, -1, dtype=np.int64)
        table[codes] = np.arange(len(codes))
        return _Given(table[gold], table[given], tuple(self.classes[code] for code in codes))


@lru_cache(maxsize=4)  # all groups of one metric in turn
def _labels(rows: MetricRows) -> _Labels:
    """The labels of rows that have some."""
    if rows.gold is None or rows.label is None:
        raise ValueError(f"f1: rows of '{rows.task}' have no labels")
    classes = tuple(sorted({*rows.gold.used(), *rows.label.used()}))
    return _Labels(rows.gold.among(classes), rows.label.among(classes), np.isfinite(rows.value), classes)


METRIC = "f1_macro"
RowsOfBothForms = tuple[MetricRows, MetricRows]
"""One model's rows in either form; they have labels."""


class LabelChange(Struct, frozen=True, kw_only=True):
    """The change over some units; `swapped` is None where no unit is graded in both forms."""

    swapped: F1SwapTest | None
    units: int
    clusters: int

    @classmethod
    def over(cls, parts: Sequence[LabelChange]) -> LabelChange:
        """The mean over independent sets of items; those without units are left out."""
        some = [each.swapped for each in parts if each.swapped is not None]
        units, clusters = (sum(getattr(each, name) for each in parts) for name in ("units", "clusters"))
        return cls(swapped=F1SwapTest.over(some) if some else None, units=units, clusters=clusters)

    def contrast(self, caution: Caution | None = None) -> Contrast:
        """Second form less the first, and what has to be known of the answers."""
        nothing = no_interval(Missing(code="nothing_graded_for_both"))
        found = F1Change(nan, nan, nan, nothing, nan, nan) if self.swapped is None else self.swapped.change()
        return Contrast(
            metric=METRIC,
            a=known(found.first),
            b=known(found.second),
            difference=known(found.difference),
            low=found.interval.low,
            high=found.interval.high,
            p=known(found.p),
            p_lower=known(found.p_one_sided),
            units=self.units,
            clusters=self.clusters,
            test=TEST if self.swapped else "",
            method=found.interval.method,
            missing=found.interval.missing,
            caution=caution,
        )


def label_change(models: Sequence[RowsOfBothForms], seed: Seed) -> LabelChange:
    """The change of macro F1, the mean over models; each counts the units that it has a grade on in both forms.

    Raises:
        ValueError: rows have no labels.
    """
    columns = [column for forms in models for rows in forms for column in (rows.gold, rows.label)]
    classes = tuple(sorted({name for column in columns if column is not None for name in column.used()}))
    counted = [tuple(_Counted.of(rows, classes) for rows in forms) for forms in models]
    both = [sorted(first.rows.keys() & second.rows.keys()) for first, second in counted]
    home = {name: first.home(name) for (first, _), mine in zip(counted, both, strict=True) for name in mine}
    if not home:
        return LabelChange(swapped=None, units=0, clusters=0)
    at = {name: number for number, name in enumerate(sorted(home))}
    counts = np.zeros((len(at), len(models), 2, 3, len(classes)))
    for model, (forms, mine) in enumerate(zip(counted, both, strict=True)):
        for way, form in enumerate(forms):
            counts[[at[name] for name in mine], model, way] = form.counts[[form.rows[name] for name in mine]]
    cluster, place = (CategoricalColumn.sorted(names).codes for names in zip(*(home[name] for name in at), strict=True))
    codes = clustered(cluster, place, len(at))
    return LabelChange(swapped=f1_swapped(counts, codes, classes, seed), units=len(at), clusters=codes.count)


class _Counted(Struct, frozen=True, eq=False, kw_only=True):
    """The graded units of one form by name: what each gives of each class, its samples averaged, and where it belongs.

    `counts` has the shape (units, 3, classes): right answers, gold labels, labels that were read.
    """

    rows: dict[str, int]
    counts: Floats
    cluster: list[str]
    place: list[str]

    @classmethod
    def of(cls, rows: MetricRows, classes: tuple[str, ...]) -> _Counted:
        graded = rows.take(np.isfinite(rows.value))
        gold, read = (_one_hot(column, classes) for column in (graded.gold, graded.label))
        first, unit = first_codes(graded.keys.unit.codes)
        answers = np.stack([gold & read, gold, read], axis=1).reshape(len(graded), 3 * len(classes)).astype(np.float64)
        means = np.stack([means_by(unit, each, len(first)) for each in answers.T], axis=1)
        keys = graded.keys.take(first)
        return cls(
            rows={name: row for row, name in enumerate(keys.unit.texts())},
            counts=means.reshape(len(first), 3, len(classes)),
            cluster=keys.cluster.texts(),
            place=keys.place.texts(),
        )

    def home(self, unit: str) -> tuple[str, str]:
        """The cluster and the place of a unit."""
        return self.cluster[self.rows[unit]], self.place[self.rows[unit]]


def _one_hot(column: CategoricalColumn | None, classes: tuple[str, ...]) -> Mask:
    """One-hot class of each row; none where there is no label, or it could not be read."""
    if column is None:
        raise ValueError("macro F1 of rows without labels")
    return np.asarray(column.among(classes)[:, None] == np.arange(len(classes)))
