"""Macro F1 of the same units in two forms, for one model or the mean over several, as a contrast.

rows of both forms, model by model ─▶ units that both graded, their labels counted ─▶ the change over clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from mores.analysis.contrast import Contrast, known
from mores.analysis.units import first_codes, means_by
from mores.core.arrays import Floats, Mask
from mores.core.estimate import CategoricalColumn, Caution, MetricRows, Missing
from mores.core.seeds import Seed
from mores.stats.classification import TEST, F1Change, F1SwapTest, f1_swapped
from mores.stats.clusters import clustered
from mores.stats.intervals import no_interval

METRIC = "f1_macro"
RowsOfBothForms = tuple[MetricRows, MetricRows]
"""One model's rows in either form; they have labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChange:
    """The change over some units; `swapped` is None where no unit is graded in both forms."""

    swapped: F1SwapTest | None
    units: int
    clusters: int

    @classmethod
    def over(cls, parts: "Sequence[LabelChange]") -> "LabelChange":
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
            p_worse=known(found.p_worse),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """The graded units of one form by name: what each gives of each class, its samples averaged, and where it belongs.

    `counts` has the shape (units, 3, classes): right answers, gold labels, labels that were read.
    """

    rows: dict[str, int]
    counts: Floats
    cluster: list[str]
    place: list[str]

    @classmethod
    def of(cls, rows: MetricRows, classes: tuple[str, ...]) -> "_Counted":
        graded = rows.take(np.isfinite(rows.value))
        gold, said = (_labels(column, classes) for column in (graded.gold, graded.label))
        first, unit = first_codes(graded.keys.unit.codes)
        answers = np.stack([gold & said, gold, said], axis=1).reshape(len(graded), 3 * len(classes)).astype(np.float64)
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


def _labels(column: CategoricalColumn | None, classes: tuple[str, ...]) -> Mask:
    """Which class each row has; none where there is no label, or it could not be read."""
    if column is None:
        raise ValueError("macro F1 of rows without labels")
    return np.asarray(column.among(classes)[:, None] == np.arange(len(classes)))
