"""Figures of open answers held against norms: the norm score in both its forms, and where answers go.

A unit is a norm of a question; its samples are averaged first. An answer without words leaves its norms open. A
verdict that failed is left out, and the bounds say what it could have done.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mores.benchmarks.ledger import Codes, Floats, Ledger
from mores.benchmarks.shapes.figures import (
    Groups,
    Part,
    Rows,
    cluster_codes,
    fault_points,
    level_of,
    parts_of,
    rounded,
    rows_of,
    share,
)
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.judges.verifier import LABELS
from mores.stats.gaps import region_gap
from mores.stats.norm_scores import Form, NormSlots, Statistic, norm_interval, norm_slots

STRICTNESS = "strictness"
SCORES: dict[str, tuple[Form, Statistic]] = {
    "norm_score": ("paper", "mean"),
    "norm_score_adjusted": ("adjusted", "mean"),
    "norm_score_passed": ("paper", "passed"),
}
GAPS = ("region_std", "region_gap", "region_gap_null", "region_std_paper", "region_gap_paper")


def probabilities(ledger: Ledger, task: str) -> npt.NDArray[np.float64]:
    """Satisfied, neutral and violated by verdict, in the order of the task's frame; three NaN where ungraded.

    Where no judge was asked, as the answer had no words, all is neutral.
    """
    frame = ledger.frame(task)
    found = np.full((len(frame.item), len(LABELS)), np.nan)
    for row, ballot in enumerate(ledger.ballots(task)):
        if ballot is not None and ballot.shares is not None:
            found[row] = [ballot.shares[label] for label in LABELS]
    unasked = np.isnan(found[:, 0]) & np.isfinite(frame.points)
    found[unasked] = [float(label == LABELS[1]) for label in LABELS]
    return found


@dataclass(frozen=True, kw_only=True)
class NormTable:
    """The verdicts of one model by slot, which is a norm of a question: what all figures are made from.

    `given` has shape (samples, slots, 3); the other arrays have a value a slot.
    """

    given: npt.NDArray[np.float64]
    strictness: tuple[str, ...]
    cluster: Codes
    groups: Groups
    places: npt.NDArray[np.str_]

    @cached_property
    def slots(self) -> NormSlots:
        """Weighted utilities by the published rule."""
        return norm_slots(self.given, self.strictness)

    @cached_property
    def mean_weight(self) -> float:
        """Of all slots of the benchmark."""
        return float(self.slots.weight.mean())


def norm_table(ledger: Ledger, task: str, groups: Groups | None = None) -> NormTable:
    """The verdicts of one task in a table by slot.

    Raises:
        InputError: a norm has no strictness, or an unknown one.
    """
    frame, abouts = ledger.frame(task), ledger.abouts
    samples = 1 + int(frame.sample.max(initial=0))
    given = np.full((samples, len(abouts), len(LABELS)), np.nan)
    given[frame.sample, frame.item] = probabilities(ledger, task)
    for about in abouts:
        if STRICTNESS not in about.groups:
            raise InputError(f"{about.item}: norm '{about.part}' has no strictness; expected no or sometimes.")
    return NormTable(
        given=given,
        strictness=tuple(about.groups[STRICTNESS] for about in abouts),
        cluster=cluster_codes([about.cluster for about in abouts]),
        groups=parts_of(abouts, ())[1] if groups is None else groups,
        places=np.array([about.place or "" for about in abouts], dtype=np.str_),
    )


def normed_figures(ledger: Ledger, card: Card, task: str, seed: Seed) -> tuple[Estimate, ...]:
    """Each metric of the card over the whole and each of its groups; gaps between regions over the whole alone."""
    parts, groups = parts_of(ledger.abouts, card.groups)
    table = norm_table(ledger, task, groups)
    shares = _shares(ledger, task, table)
    return tuple(e for part in parts for e in _of_part(part, card, table, shares, seed))


def _of_part(part: Part, card: Card, table: NormTable, shares: dict[str, Rows], seed: Seed) -> Iterator[Estimate]:
    gaps = None
    for metric in card.metrics:
        name, lower = metric.name, metric.better == "lower"
        if name in SCORES:
            yield _score(name, table, part)
        elif name in GAPS:
            if not part.kind:
                gaps = gaps or _gaps(table, seed)
                yield gaps[name]
        else:
            yield share(name, shares[name], part, seed, lower_is_better=lower)


def _shares(ledger: Ledger, task: str, table: NormTable) -> dict[str, Rows]:
    """The rows of each share: of the three labels, and of answers that could not be used."""
    frame = ledger.frame(task)
    names = [f"{about.item}\x1f{about.part}" for about in ledger.abouts]
    level = level_of(names, table.cluster, table.groups)
    found = probabilities(ledger, task)
    of_label = {label: rows_of(level, frame, found[:, number]) for number, label in enumerate(LABELS)}
    faults = {fault: rows_of(level, frame, fault_points(ledger, frame, fault)) for fault in ("format_error", "refusal")}
    return {**of_label, "accuracy": of_label[LABELS[0]], **faults}


def _score(metric: str, table: NormTable, part: Part) -> Estimate:
    """The norm score of one group in points, by the published rule."""
    form, statistic = SCORES[metric]
    slots = table.slots
    inside = part.mask(table.groups, len(slots.weight))
    asked = int(inside.sum())
    values, *bounds = (bound[inside] for bound in _bounded(slots, statistic))
    known = np.isfinite(values)
    if not known.any():
        return Estimate(metric=metric, group=part.key, value=None, asked=asked, graded=0, why="nothing graded")
    weight = slots.weight[inside] if form == "adjusted" else np.full(asked, table.mean_weight)
    interval = norm_interval(
        slots,
        table.cluster,
        within=inside,
        strata=table.groups["place"],
        form=form,
        statistic=statistic,
    )
    worst, best = (_points(bound, weight) for bound in bounds)
    return Estimate(
        metric=metric,
        group=part.key,
        value=rounded(_points(values[known], weight[known])),
        low=rounded(interval.low),
        high=rounded(interval.high),
        asked=asked,
        graded=int(known.sum()),
        worst=rounded(worst),
        best=rounded(best),
        method=interval.method,
        why=interval.why,
    )


def _bounded(slots: NormSlots, statistic: Statistic) -> tuple[Floats, Floats, Floats]:
    """Each slot's value, and what it would be were all ungraded samples violations, or norms satisfied."""
    if statistic == "mean":
        return slots.mean, slots.worst, slots.best
    return slots.passed, slots.passed_worst, slots.passed_best


def _points(values: Floats, weight: Floats) -> float:
    return 100 * float(values.sum()) / float(weight.sum())


def _gaps(table: NormTable, seed: Seed) -> dict[str, Estimate]:
    """How far places lie apart in both forms of the score, and how far they would by chance in the adjusted one."""
    slots = table.slots
    known = (table.places != "") & np.isfinite(slots.mean)
    values, places, clusters = slots.mean[known], table.places[known], table.cluster[known]
    dice, whole = seed.child("gap"), np.full(values.size, table.mean_weight)
    own = region_gap(values, slots.weight[known], places, clusters, seed=dice)
    paper = region_gap(values, whole, places, clusters, seed=dice, deals=0)
    none = "fewer than two places" if values.size else "nothing graded"
    told = {
        "region_gap": f"p = {own.p:.3g}: gaps as large in {own.deals} deals of places over clusters",
        "region_gap_null": f"the mean of {own.deals} deals, not a figure of the places",
        "region_gap_paper": "it grows with how strict a place's norms are: see region_gap",
        "region_std_paper": "it grows with how strict a place's norms are: see region_std",
    }
    found = zip(GAPS, (own.std, own.gap, own.null, paper.std, paper.gap), strict=True)
    return {
        name: Estimate(
            metric=name,
            value=rounded(100 * value) if own.regions > 1 else None,
            asked=int((table.places != "").sum()),
            graded=values.size,
            method="places dealt out anew over clusters" if name == "region_gap_null" else "",
            why=told.get(name, "chance alone spreads places too: see region_gap_null") if own.regions > 1 else none,
        )
        for name, value in found
    }
