"""Figures of talks: what judges decided, and what the talks show, each over its own place and kind.

A task's verdicts count where that task says: awareness at the place of the custom, the value at the place of the value.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mores.benchmarks.ledger import Floats, Frame, Ledger
from mores.benchmarks.shapes.figures import Groups, Level, Rows, cluster_codes, parts_of, rows_of, share
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.item import About
from mores.core.seeds import Seed

Points = Callable[[Ledger, Frame], Floats]
"""A figure's points of each verdict of a task, within 0 and the figure's top; NaN where ungraded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One metric: the task whose verdicts it counts, what each is worth, and the most that one can be worth.

    `low` is the least; `of` is another way to attribute a verdict, such as the paper's. Where `among` is set, only the
    verdicts count whose fellow on that task, of the same talk, is worth 0 by its own points. `plain` figures describe
    the talks that were held and have no interval.
    """

    task: str
    points: Points | None = None
    low: float = 0.0
    top: float = 1.0
    of: Callable[[About], About] | None = None
    among: str | None = None
    plain: bool = False


def labelled(*labels: str) -> Points:
    """1 where the verdict has one of the labels, 0 where it has another."""

    def points(ledger: Ledger, frame: Frame) -> Floats:
        codes = [ledger.code(label) for label in labels]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points


def worth(table: dict[str, float]) -> Points:
    """What each label is worth."""

    def points(ledger: Ledger, frame: Frame) -> Floats:
        found = np.full(len(frame.points), np.nan)
        for label, value in table.items():
            found[np.isfinite(frame.points) & (frame.label == ledger.code(label))] = value
        return found

    return points


def flagged(flag: str) -> Points:
    """1 where a flag is among those of the verdict's label."""

    def points(ledger: Ledger, frame: Frame) -> Floats:
        codes = [code for code, word in enumerate(ledger.words) if flag in word.split("|")]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points


def dialogue_figures(ledger: Ledger, card: Card, figures: dict[str, Figure], seed: Seed) -> tuple[Estimate, ...]:
    """Each metric of the card over the whole and each group that its verdicts fall into."""
    unknown = [metric.name for metric in card.metrics if metric.name not in figures]
    if unknown:
        raise InputError(f"{card.name}: no figure is called {unknown}; the card and the family disagree.")
    found: dict[tuple[int, str], list[Estimate]] = {}
    for metric in card.metrics:
        for order, part, estimate in _of_metric(ledger, card, metric.name, figures[metric.name], seed):
            found.setdefault((order, part), []).append(estimate)
    return tuple(estimate for key in sorted(found) for estimate in found[key])


def _of_metric(
    ledger: Ledger, card: Card, name: str, figure: Figure, seed: Seed
) -> Iterator[tuple[int, str, Estimate]]:
    metric = next(metric for metric in card.metrics if metric.name == name)
    frame = ledger.frame(figure.task)
    points = frame.points if figure.points is None else figure.points(ledger, frame)
    if figure.among is not None:
        frame, points = _among(ledger, figure, frame, points)
    kept, of_row = np.unique(frame.item, return_inverse=True)
    abouts = [ledger.abouts[index] for index in kept]
    if figure.of is not None:
        abouts = [figure.of(about) for about in abouts]
    parts, groups = parts_of(abouts, card.groups)
    rows = _rows(frame._replace(item=of_row), (points - figure.low) / (figure.top - figure.low), abouts, groups)
    for part in parts:
        estimate = share(name, rows, part, seed, lower_is_better=metric.better == "lower")
        if figure.plain:
            estimate = replace(estimate, low=None, high=None, method="", why="describes these talks; no interval")
        order = card.groups.index(part.kind) + 1 if part.kind else 0
        yield order, part.value, _scaled(estimate, figure.low, figure.top)


def _rows(frame: Frame, points: Floats, abouts: Sequence[About], groups: Groups) -> Rows:
    """A row a verdict's about; samples of one talk are averaged."""
    size = len(abouts)
    cluster = cluster_codes([about.cluster for about in abouts])
    level = Level(of_item=np.arange(size), size=size, cluster=cluster, groups=groups)
    return rows_of(level, frame, points)


def _among(ledger: Ledger, figure: Figure, frame: Frame, points: Floats) -> tuple[Frame, Floats]:
    """The verdicts of talks whose verdict on another task is worth nothing."""
    other = ledger.frame(str(figure.among))
    lost = {
        (ledger.abouts[item].item, int(sample))
        for item, sample, value in zip(other.item, other.sample, other.points, strict=True)
        if value == 0
    }
    talks = zip(frame.item, frame.sample, strict=True)
    kept = np.array([(ledger.abouts[item].item, int(sample)) in lost for item, sample in talks], dtype=bool)
    return Frame(*(column[kept] for column in frame)), points[kept]


def _scaled(estimate: Estimate, low: float, top: float) -> Estimate:
    """A figure that was worked out as a share of ten digits, on its own scale, where nine of them are left."""
    if low == 0.0 and top == 1.0:
        return estimate

    def scaled(share: float | None) -> float | None:
        return None if share is None else round(low + share * (top - low), 9) + 0.0

    return replace(
        estimate,
        value=scaled(estimate.value),
        low=scaled(estimate.low),
        high=scaled(estimate.high),
        worst=scaled(estimate.worst),
        best=scaled(estimate.best),
    )
