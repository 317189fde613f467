"""CultureForest's own figures: the best of three samples, errors of form, gaps between places, norms possessed.

Verdicts ─▶ what each unit got in each sample ─▶ figures. They join those of every closed benchmark (`shapes.figures`).

Source:
    CultureForest, sections 3.1 and 4.1, appendices I and J, and its released evaluation.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from mores.benchmarks.ledger import Codes, Floats, Frame
from mores.benchmarks.shapes.figures import (
    Extra,
    Figure,
    Groups,
    Level,
    Material,
    Part,
    Rows,
    passed_rows_of,
    right_of,
    rounded,
    rows_of,
    share,
)
from mores.core.card import Reading
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.stats.gaps import Gap, region_gap
from mores.stats.intervals import mean_interval

TRUE, FALSE = "true", "false"


def passed(metric: str, material: Material) -> Figure:
    """Share of units that any sample got right."""
    frame = material.ledger.frame(material.reading)
    return partial(_share, metric, passed_rows_of(material.units, frame, frame.points))


def _share(metric: str, rows: Rows, part: Part, seed: Seed) -> Estimate:
    return share(metric, rows, part, seed)


class _Errors(NamedTuple):
    """Each unit in each sample, a row each: was it wrong, and by its form; NaN where that is not known."""

    wrong: Floats
    of_form: Floats
    unit: Codes
    sample: Codes
    cluster: Codes
    groups: Groups


def format_share(metric: str, material: Material) -> Figure:
    """Share of errors in which an answer could not be read, a refusal among them, averaged over samples.

    A unit of several items is an error of form where any of them could not be read, as in the paper.
    """
    frame, units = material.ledger.frame(material.reading), material.units
    right = right_of(units, frame, frame.points)
    readable = np.where(np.isfinite(frame.points), (frame.fault == -1).astype(float), np.nan)
    read = right_of(units, frame, readable)
    unit, sample = np.divmod(np.arange(right.size), right.shape[1])
    errors = _Errors(
        wrong=np.where(np.isnan(right), np.nan, (right < 1).astype(float)).ravel(),
        of_form=np.where(np.isnan(read), np.nan, (read < 1).astype(float)).ravel(),
        unit=unit,
        sample=sample,
        cluster=units.cluster[unit],
        groups={kind: values[unit] for kind, values in units.groups.items()},
    )
    return partial(_format_share, metric, errors)


def _format_share(metric: str, errors: _Errors, part: Part, seed: Seed) -> Estimate:
    inside = part.mask(errors.groups, len(errors.wrong))
    wrong, of_form, sample = errors.wrong[inside], errors.of_form[inside], errors.sample[inside]
    asked = len(np.unique(errors.unit[inside]))
    graded = len(np.unique(errors.unit[inside][np.isfinite(wrong)]))
    known = (wrong == 1) & np.isfinite(of_form)
    bare = partial(Estimate, metric=metric, group=part.key, asked=asked, graded=graded)
    if not known.any():
        return bare(value=None, why="nothing graded" if (wrong == 1).any() or not graded else "no errors")
    interval = mean_interval(
        of_form[known],
        errors.cluster[inside][known],
        strata=sample[known],
        weights="equal",
        seed=seed.child(metric, part.kind, part.value),
    )
    unknown = np.isnan(wrong) | ((wrong == 1) & np.isnan(of_form))
    rows = known | unknown
    bounds = (np.where(known, of_form, filler)[rows] for filler in (1.0, 0.0))
    worst, best = (_over_samples(bound, sample[rows]) for bound in bounds)
    return bare(
        value=rounded(_over_samples(of_form[known], sample[known])),
        low=rounded(interval.low),
        high=rounded(interval.high),
        worst=rounded(worst),
        best=rounded(best),
        method=interval.method,
        why=interval.why,
    )


def _over_samples(values: Floats, sample: Codes) -> float:
    """The mean over samples of each sample's mean; samples without errors have none."""
    count = np.bincount(sample)
    return float(np.mean(np.bincount(sample, values)[count > 0] / count[count > 0]))


def between_places(metric: str, material: Material) -> Figure:
    """How far places lie apart, over the whole alone: `region_std`, `region_gap`, and its null, `region_gap_null`."""
    frame = material.ledger.frame(material.reading)
    return partial(_between_places, metric, rows_of(material.units, frame, frame.points))


def _between_places(metric: str, rows: Rows, part: Part, seed: Seed) -> Estimate | None:
    if part.kind:
        return None
    somewhere = rows.groups["place"] >= 0
    known = somewhere & np.isfinite(rows.points)
    found = region_gap(
        rows.points[known],
        np.ones(int(known.sum())),
        rows.groups["place"][known],
        rows.cluster[known],
        seed=seed.child("region_gap"),
        deals=0 if metric == "region_std" else 1000,
    )
    why = "nothing graded" if not known.any() else "fewer than two places" if found.regions < 2 else None
    value = {"region_std": found.std, "region_gap": found.gap, "region_gap_null": found.null}[metric]
    return Estimate(
        metric=metric,
        value=None if why else rounded(value),
        asked=int(somewhere.sum()),
        graded=int(known.sum()),
        method="places dealt out anew over bundles" if metric == "region_gap_null" else "",
        why=why or _told(metric, found),
    )


def _told(metric: str, found: Gap) -> str:
    """Why there is no interval, and of a gap how often chance alone makes one as large."""
    if metric == "region_gap":
        return f"p = {found.p:.3g}: gaps as large in {found.deals} deals of places over bundles"
    if metric == "region_gap_null":
        return f"the mean of {found.deals} deals, not a figure of the places"
    return "chance alone spreads places too: see region_gap_null"


def possessed(metric: str, material: Material, *, reading: Reading | None = None) -> Figure:
    """Share of norms that are called true and whose negation is called false, each by more than half of its samples."""
    statements = _by_majority(material, reading or material.reading)
    return partial(_share, metric, rows_of(material.units, statements, statements.points))


def one_sided(metric: str, material: Material, *, gold: str) -> Figure:
    """Share of statements with one gold label that more than half of the samples judged rightly."""
    statements = _by_majority(material, material.reading)
    rows = rows_of(material.items, statements, statements.points)
    kept = np.zeros(len(rows.points), dtype=bool)
    kept[material.items.of_item[statements.item[statements.gold == material.ledger.code(gold)]]] = True
    return partial(
        _share,
        metric,
        Rows(
            points=rows.points[kept],
            least=rows.least[kept],
            most=rows.most[kept],
            cluster=rows.cluster[kept],
            groups={kind: values[kept] for kind, values in rows.groups.items()},
        ),
    )


def _by_majority(material: Material, reading: Reading) -> Frame:
    """A verdict a statement: right where more than half of all samples are, NaN where ungraded ones could decide."""
    frame, items = material.ledger.frame(reading), material.items
    right = right_of(items, frame, frame.points)
    samples, surely = right.shape[1], (right == 1).sum(axis=1)
    possibly = surely + np.isnan(right).sum(axis=1)
    points = np.where(2 * surely > samples, 1.0, np.where(2 * possibly > samples, np.nan, 0.0))
    first = _first_of(items, frame)
    blank = np.full(len(first), -1, dtype=np.int32)
    return Frame(frame.item[first], np.zeros_like(blank), points, blank, frame.gold[first], blank)


def _first_of(items: Level, frame: Frame) -> Codes:
    """The row of the first verdict on each item."""
    first = np.zeros(items.size, dtype=np.int64)
    first[items.of_item[frame.item][::-1]] = np.arange(len(frame.item))[::-1]
    return first


QUESTIONS: dict[str, Extra] = {
    name: partial(make, name)
    for name, make in {
        "accuracy_passed": passed,
        "format_share_of_errors": format_share,
        "region_std": between_places,
        "region_gap": between_places,
        "region_gap_null": between_places,
    }.items()
}
"""Of questions asked several times, by metric."""
NORMS: dict[str, Extra] = {
    "accuracy": partial(possessed, "accuracy"),
    "accuracy_strict": partial(possessed, "accuracy_strict", reading="strict"),
    "accuracy_lenient": partial(possessed, "accuracy_lenient", reading="lenient"),
    "affirmed": partial(one_sided, "affirmed", gold=TRUE),
    "denied": partial(one_sided, "denied", gold=FALSE),
}
"""Of norms and their negations, by metric."""
