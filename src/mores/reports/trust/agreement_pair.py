"""One judge, or all together, beside what people say: the figures for words, and those for points.

two columns over the same things ─▶ figures with clustered intervals. People's word is the majority's, people's points
are the mean; things on which either is missing, or tied, are left out and counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mores.people.tables import Floats, TaskTable
from mores.reports.trust.agreement_words import Grid, Scale, counted, plain, told
from mores.stats import Design, Measured, PairAgreement, krippendorff_alpha, pair_agreement
from mores.stats import pearson_correlation as pearson
from mores.stats import spearman_correlation as spearman
from mores.stats.cluster_sums import share
from mores.stats.intervals import Interval
from mores.stats.paired import compare_paired
from mores.stats.weighed import weighed_mean

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsAgreement:
    """Points beside people's: whether they go together, and how far apart they lie; `bias` is judge less people."""

    units: int
    clusters: int
    pearson: Measured
    spearman: Measured
    bias: Measured
    distance: Measured
    alpha: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One judge, or all together, beside people: figures of words or of points, as the task has it.

    `spec` names the judge's model and `runs` how often each thing was judged. `unread` counts labelled things on which
    this judge said nothing that could be read, or tied.
    """

    who: str
    spec: str
    runs: int
    unread: int
    found: PairAgreement | PointsAgreement

    @property
    def units(self) -> int:
        """Things on which both said something."""
        return self.found.units

    @property
    def clusters(self) -> int:
        """What these things were drawn in."""
        return self.found.clusters

    @property
    def main(self) -> tuple[tuple[str, Measured, Scale], ...]:
        """The few figures that a line or a row of a table has room for."""
        found = self.found
        if isinstance(found, PairAgreement):
            return (("agree", found.accuracy, "share"), ("kappa", found.kappa, "number"), ("AC1", found.ac1, "number"))
        return (("r", found.pearson, "number"), ("judge − people", found.bias, "number"),
                ("distance", found.distance, "number"))  # fmt: skip

    def figures(self) -> Iterator[tuple[str, Measured, Scale]]:
        """All figures, by name, in the order in which they are shown; those of single classes apart."""
        return _of_words(self.found) if isinstance(self.found, PairAgreement) else _of_points(self.found)

    def grids(self) -> Iterator[Grid]:
        """The figures, the confusion table and those of each class, as tables."""
        rows = tuple(
            (name, told(found, scale) if found.why is None else found.why) for name, found, scale in self.figures()
        )
        yield Grid(title=f"{self.who} beside people, n = {self.units:,}", heads=("figure", "95%"), rows=rows)
        if isinstance(self.found, PairAgreement):
            yield from _class_grids(self.found)

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "who": self.who,
            "spec": self.spec,
            "runs": self.runs,
            "n": self.units,
            "clusters": self.clusters,
            "unread": self.unread,
            "figures": {name: plain(found) for name, found, _ in self.figures()},
            **(_plain_classes(self.found) if isinstance(self.found, PairAgreement) else {}),
        }


def beside(table: TaskTable, said: Floats, who: tuple[str, str, int], design: Design) -> Beside | None:
    """One column of judges' words or points beside people's; None where nothing can be compared.

    Args:
        table: The task.
        said: What is held against people, a value a row.
        who: Name, model and number of runs.
        design: Clusters of all rows.
    """
    name, spec, runs = who
    both = np.isfinite(said) & np.isfinite(table.truth)
    unread = int((np.isfinite(table.truth) & ~np.isfinite(said)).sum())
    if not both.any():
        return None
    part = design.part(both, f"beside {name}")
    if table.options:
        found = pair_agreement(table.truth[both], said[both], table.options, part, ordered=table.ordered)
        return Beside(who=name, spec=spec, runs=runs, unread=unread, found=found)
    points = points_agreement(table.truth[both], said[both], part)
    return Beside(who=name, spec=spec, runs=runs, unread=unread, found=points)


def points_agreement(people: Floats, judge: Floats, design: Design) -> PointsAgreement:
    """All figures of a judge's points beside people's, over the same things."""
    apart = judge - people
    return PointsAgreement(
        units=people.size,
        clusters=int(np.unique(np.asarray(design.clusters)).size),
        pearson=pearson(people, judge, design),
        spearman=spearman(people, judge, design),
        bias=mean_apart(apart, design),
        distance=share(np.abs(apart), design, "distance"),
        alpha=krippendorff_alpha(np.column_stack((people, judge)), "interval", design),
    )


def mean_apart(apart: Floats, design: Design) -> Measured:
    """A mean difference with its clustered interval: not that of a share, though none of these may lie below 0."""
    if design.weights is not None:
        return weighed_mean(apart, design.clusters, design.weights, signs=True, confidence=design.confidence)
    found = compare_paired(
        apart, np.zeros(apart.size), design.clusters, confidence=design.confidence, resamples=design.resamples,
        seed=design.seed.child("bias"),
    )  # fmt: skip
    return Measured(float(apart.mean()), Interval(found.low, found.high, found.method, found.why))


def _of_words(found: PairAgreement) -> Iterator[tuple[str, Measured, Scale]]:
    yield "raw agreement (accuracy)", found.accuracy, "share"
    yield "balanced accuracy", found.balanced_accuracy, "share"
    yield "Cohen's kappa", found.kappa, "number"
    if found.kappa_linear is not None:
        yield "Cohen's kappa, linear weights", found.kappa_linear, "number"
    if found.kappa_quadratic is not None:
        yield "Cohen's kappa, quadratic weights", found.kappa_quadratic, "number"
    yield "Krippendorff's alpha", found.alpha, "number"
    yield "Gwet's AC1", found.ac1, "number"
    yield "PABAK", found.pabak, "number"


def _of_points(found: PointsAgreement) -> Iterator[tuple[str, Measured, Scale]]:
    yield "Pearson's r", found.pearson, "number"
    yield "Spearman's rho", found.spearman, "number"
    yield "mean of judge less people (bias)", found.bias, "number"
    yield "mean distance (absolute error)", found.distance, "number"
    yield "Krippendorff's alpha, interval", found.alpha, "number"


def _class_grids(found: PairAgreement) -> Iterator[Grid]:
    names = [each.name for each in found.classes]
    rows = (
        (*(str(count) for count in line), name) for name, line in zip(names, found.table.tolist(), strict=True)
    )  # fmt: skip
    yield Grid(
        title="Who says what: a column for each word of the judge, a row for each of people",
        heads=(*names, "people"),
        rows=tuple(rows),
    )
    yield Grid(
        title="Word by word, in per cent",
        heads=("n", "precision", "recall", "F1", "word"),
        rows=tuple(
            (str(c.gold), *(_short(each) for each in (c.precision, c.recall, c.f1)), c.name) for c in found.classes
        ),
        note="Precision: of those that the judge gives the word, how many people do; recall the other way round.",
    )


def _short(found: Measured) -> str:
    return told(found, "share").replace("%", "")


def _plain_classes(found: PairAgreement) -> dict[str, object]:
    return {
        "confusion": {"options": [each.name for each in found.classes], "people_by_judge": found.table.tolist()},
        "classes": [
            {"word": c.name, "people": c.gold, "judge": c.said, "precision": plain(c.precision),
             "recall": plain(c.recall), "f1": plain(c.f1)}
            for c in found.classes
        ],
    }  # fmt: skip


def side_by_side(all_of: Sequence[Beside], title: str) -> Grid:
    """Several judges, models or splits, a row each, with their few figures."""
    names = tuple(name for name, _, _ in all_of[0].main)
    rows = tuple(
        (f"{each.units:,}", *(told(found, scale) for _, found, scale in each.main), each.who) for each in all_of
    )
    specs = "; ".join(f"{each.who}: {each.spec}" for each in all_of if each.spec)
    return Grid(title=title, heads=("n", *names, "who"), rows=rows, note=specs)


def headline(each: Beside) -> str:
    """The few figures in a sentence."""
    parts = [f"{name} {told(found, scale)}" for name, found, scale in each.main]
    left = f"; {counted(each.unread, 'labelled thing')} without a word of the judge" if each.unread else ""
    return f"{', '.join(parts)}; n = {number_of(each)}{left}"


def number_of(each: Beside) -> str:
    """Things and the clusters that they are in."""
    alone = each.clusters == each.units
    return f"{each.units:,}" if alone else f"{each.units:,} in {counted(each.clusters, 'cluster')}"
