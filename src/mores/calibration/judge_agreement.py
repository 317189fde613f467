"""One judge, or all together, beside what people say, and people beside people: figures for words and for points.

two columns over the same things ─▶ figures with clustered intervals. People's word is the majority's, people's points
are the mean; things on which either is missing, or tied, are left out and counted.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mores.annotation.label_tables import TaskTable
from mores.core.arrays import Floats
from mores.stats.agreement import Ceiling, human_ceiling, krippendorff_alpha, rater_agreement
from mores.stats.alt_test import AltTest, alt_test
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.confusion import ClassAgreement, PairAgreement, pair_agreement
from mores.stats.correlation import pearson_correlation, spearman_correlation
from mores.stats.intervals import Interval
from mores.stats.paired import compare_paired
from mores.stats.weighted_means import weighted_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """One judge, or all together, beside people: figures of words or of points by their names, as the task has it.

    `spec` names the judge's model and `runs` how often each thing was judged. `unread` counts labelled things on which
    this judge said nothing that could be read, or tied. Of words, `classes` has the figures of each and
    `confusion` how often people say one (row) where the judge says another (column).
    """

    who: str
    spec: str
    runs: int
    n: int
    clusters: int
    unread: int
    figures: dict[str, MeasuredFigure]
    classes: tuple[ClassAgreement, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()


def compare_with_people(
    table: TaskTable, said: Floats, who: tuple[str, str, int], design: Design
) -> JudgeAgreement | None:
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
    part, judge, people = design.part(both, f"beside {name}"), said[both], table.truth[both]
    figures: dict[str, MeasuredFigure]
    classes: tuple[ClassAgreement, ...] = ()
    confusion: list[list[int]] = []
    if table.options:
        found = pair_agreement(people, judge, table.options, part, ordered=table.ordered)
        figures, classes, confusion = _of_words(found), found.classes, found.table.tolist()
    else:
        figures = _of_points(people, judge, part)
    clusters = int(np.unique(np.asarray(part.clusters)).size)
    return JudgeAgreement(
        who=name, spec=spec, runs=runs, n=people.size, clusters=clusters, unread=unread, figures=figures,
        classes=classes, confusion=tuple(map(tuple, confusion)),
    )  # fmt: skip


def mean_difference(apart: Floats, design: Design) -> MeasuredFigure:
    """A mean difference with its clustered interval: not that of a share, though none of these may lie below 0."""
    if design.weights is not None:
        return weighted_mean(apart, design.clusters, design.weights, signs=True, confidence=design.confidence)
    found = compare_paired(
        apart, np.zeros(apart.size), design.clusters, confidence=design.confidence, resamples=design.resamples,
        seed=design.seed.child("bias"),
    )  # fmt: skip
    return MeasuredFigure(float(apart.mean()), Interval(found.low, found.high, found.method, found.missing))


def _of_words(found: PairAgreement) -> dict[str, MeasuredFigure]:
    figures = {
        "raw agreement (accuracy)": found.accuracy,
        "balanced accuracy": found.balanced_accuracy,
        "macro F1": found.f1_macro,
        "Cohen's kappa": found.kappa,
        "Cohen's kappa, linear weights": found.kappa_linear,
        "Cohen's kappa, quadratic weights": found.kappa_quadratic,
        "Krippendorff's alpha": found.alpha,
        "Gwet's AC1": found.ac1,
        "PABAK": found.pabak,
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def _of_points(people: Floats, judge: Floats, design: Design) -> dict[str, MeasuredFigure]:
    apart = judge - people
    return {
        "Pearson's r": pearson_correlation(people, judge, design),
        "Spearman's rho": spearman_correlation(people, judge, design),
        "mean of judge less people (bias)": mean_difference(apart, design),
        "mean distance (absolute error)": share(np.abs(apart), design, "distance"),
        "Krippendorff's alpha, interval": krippendorff_alpha(np.column_stack((people, judge)), "interval", design),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Raters:
    """Agreement among some who labelled the same things: over `n` that two or more of them have labelled."""

    n: int
    raters: int
    figures: dict[str, MeasuredFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """People with each other, with the judge as one more of them, and the judge against each.

    `agreement` has the figures of `people` and of people `with_judge`. `labels` says how many each person gave.
    """

    labels: dict[str, int]
    agreement: dict[str, Raters]
    ceiling: Ceiling
    alt_test: AltTest
    points: bool


def people_agreement(table: TaskTable, design: Design, epsilon: float) -> PeopleAgreement:
    """People of one task with each other and with its judges' word."""
    joined = np.column_stack((table.labels, np.where(table.labelled, table.said, np.nan)))
    return PeopleAgreement(
        labels=dict(zip(table.people, np.isfinite(table.labels).sum(0).tolist(), strict=True)),
        agreement={
            "people": _raters(table, table.labels, _part(design, "people")),
            "with_judge": _raters(table, joined, _part(design, "joined")),
        },
        ceiling=human_ceiling(
            table.said, table.labels, _part(design, "ceiling"), likeness="equal" if table.options else "near"
        ),
        alt_test=alt_test(
            table.said, table.labels, table.people, epsilon=epsilon, clusters=table.clusters,
            distance="equal" if table.options else "points",
        ),
        points=not table.options,
    )  # fmt: skip


def _raters(table: TaskTable, labels: Floats, design: Design) -> Raters:
    if table.options:
        level: Literal["ordinal", "nominal"] = "ordinal" if table.ordered else "nominal"
        found = rater_agreement(labels, len(table.options), design, level=level)
        figures = {
            "pairs that agree": found.pairwise,
            "Fleiss' kappa": found.fleiss,
            "Krippendorff's alpha": found.alpha,
            "Gwet's AC1": found.ac1,
            "PABAK": found.pabak,
        }
        return Raters(n=found.units, raters=found.raters, figures=figures)
    given = np.isfinite(labels)
    return Raters(
        n=int((given.sum(1) > 1).sum()),
        raters=int(given.any(0).sum()),
        figures={"Krippendorff's alpha, interval": krippendorff_alpha(labels, "interval", design)},
    )


def _part(design: Design, name: str) -> Design:
    return design.part(np.ones(np.asarray(design.clusters).size, dtype=np.bool_), name)
