"""Figures of closed questions: shares of units and items, F1, and the shares of unusable answers.

A unit (a question) is right in a sample if all its items are; a partly ungraded unit is wrong if any graded item is
wrong, else ungraded. Samples of one unit are averaged first, so seeds never count as units. Groups of places are
unweighted means of their places; everything else is a plain mean.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from mores.benchmarks.ledger import Codes, Floats, Frame, Ledger
from mores.core.card import Card, Metric, Reading
from mores.core.estimate import Estimate
from mores.core.item import About
from mores.core.seeds import Seed
from mores.norms.groupings import Grouping, group_of
from mores.stats.classification import f1_interval, f1_scores
from mores.stats.intervals import Interval, mean_interval

GROUPINGS: tuple[str, ...] = get_args(Grouping)
Mask: TypeAlias = npt.NDArray[np.bool_]
Groups: TypeAlias = dict[str, npt.NDArray[np.int32]]
"""For each kind of group, the code of what each row belongs to; -1 where it belongs to none.

Where rows belong to several groups of a kind, each of these has a column of its own, `kind=value`.
"""
SEVERAL = "|"
"""Stands between the groups of one kind that an item belongs to, such as the cues of a persona."""


class Part(NamedTuple):
    """A group of a figure: its kind and value, and its code in its column (empty and -1 for the whole)."""

    kind: str
    value: str
    code: int
    column: str = ""

    @property
    def key(self) -> dict[str, str]:
        """The group as the command line prints it."""
        return {self.kind: self.value} if self.kind else {}

    @property
    def equal(self) -> bool:
        """True for groups of places: their figure is the unweighted mean of their places."""
        return self.kind in GROUPINGS

    def mask(self, groups: Groups, rows: int) -> Mask:
        """Which rows belong to it."""
        return groups[self.column or self.kind] == self.code if self.kind else np.ones(rows, dtype=bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """One value a unit, NaN where ungraded, with its cluster and what it belongs to.

    `least` and `most` are the value if every ungraded sample of the unit had 0 or 1 point.
    """

    points: Floats
    least: Floats
    most: Floats
    cluster: Codes
    groups: Groups


def parts_of(abouts: Sequence[About], kinds: Sequence[str]) -> tuple[tuple[Part, ...], Groups]:
    """The whole and every group that the items fall into, in the order of the kinds; and each item's groups."""
    parts: list[Part] = [Part("", "", -1)]
    groups: Groups = {}
    for kind in ("place", *(kind for kind in kinds if kind != "place")):
        values = [group_value(about, kind) for about in abouts]
        if any(value is not None and SEVERAL in value for value in values):
            several = _several(kind, values)
            groups |= several
            parts += [Part(kind, column.partition("=")[2], 1, column) for column in several]
            continue
        codes = {value: code for code, value in enumerate(sorted({value for value in values if value is not None}))}
        groups[kind] = np.array([-1 if value is None else codes[value] for value in values], dtype=np.int32)
        parts += [Part(kind, value, code) for value, code in codes.items() if kind in kinds]
    return tuple(parts), groups


def _several(kind: str, values: Sequence[str | None]) -> Groups:
    """A column for each group of a kind in which rows belong to several: 1 inside, 0 outside."""
    belongs = [frozenset((value or "").split(SEVERAL)) for value in values]
    names = sorted(frozenset().union(*belongs) - {""})
    return {f"{kind}={name}": np.array([name in each for each in belongs], dtype=np.int32) for name in names}


def group_value(about: About, kind: str) -> str | None:
    """What an item counts towards in one kind of group; None where it has none."""
    if kind == "place":
        return about.place
    if kind in GROUPINGS:
        return None if about.place is None else group_of(about.place, cast(Grouping, kind))
    return about.groups.get(kind)


class Level(NamedTuple):
    """What counts as one: the code of each item's unit, and each unit's cluster and groups."""

    of_item: Codes
    size: int
    cluster: Codes
    groups: Groups


def level_of(names: Sequence[str], cluster: Codes, groups: Groups) -> Level:
    """Units by their names, one for each item; a unit is where its first item is."""
    first, of_item = _codes(names)
    if len(first) == len(names):
        return Level(of_item, len(first), cluster, groups)
    return Level(of_item, len(first), cluster[first], {kind: values[first] for kind, values in groups.items()})


def rows_of(level: Level, frame: Frame, points: Floats) -> Rows:
    """Values by unit: all items of a unit and sample together, then the mean over samples."""
    right = right_of(level, frame, points)
    if np.isfinite(right).all():
        mean = least = most = right.mean(axis=1)
    else:
        graded = np.isfinite(right).sum(axis=1)
        mean = np.divide(np.nansum(right, axis=1), graded, out=np.full(level.size, np.nan), where=graded > 0)
        least, most = (np.where(np.isnan(right), filler, right).mean(axis=1) for filler in (0.0, 1.0))
    return Rows(points=mean, least=least, most=most, cluster=level.cluster, groups=level.groups)


def passed_rows_of(level: Level, frame: Frame, points: Floats) -> Rows:
    """Values by unit: all items of a unit and sample together, then the best of the samples (Pass@K).

    A unit with a right sample has passed whatever is ungraded beside it; without one it is known if all are graded.
    """
    right = right_of(level, frame, points)
    least, most = (np.where(np.isnan(right), filler, right).max(axis=1) for filler in (0.0, 1.0))
    passed = np.where(least == most, least, np.nan)
    return Rows(points=passed, least=least, most=most, cluster=level.cluster, groups=level.groups)


def right_of(level: Level, frame: Frame, points: Floats) -> Floats:
    """Points of each unit in each sample, all its items together, NaN where not known; shape (units, samples)."""
    samples = 1 + int(frame.sample.max(initial=0))
    cell = level.of_item[frame.item] * samples + frame.sample
    return _all_right(cell, points, level.size * samples).reshape(level.size, samples)


def _all_right(cell: Codes, points: Floats, size: int) -> Floats:
    """The least of a cell's graded points; NaN where some are ungraded and no graded one is below 1."""
    graded = np.isfinite(points)
    least = np.full(size, np.inf)
    np.minimum.at(least, cell[graded], points[graded])
    some_missing = np.bincount(cell[~graded], minlength=size) > 0
    asked = np.bincount(cell, minlength=size) > 0
    unknown = ~asked | (some_missing & (least >= 1.0))
    return np.where(unknown | np.isinf(least), np.nan, least)


def cluster_codes(names: Sequence[str]) -> Codes:
    """A code for each name, equal for equal names."""
    return _codes(names)[1]


def _codes(names: Sequence[str]) -> tuple[Codes, Codes]:
    """Index of the first of each name, in order of appearance, and each entry's code."""
    seen: dict[str, int] = {}
    codes = np.fromiter((seen.setdefault(name, len(seen)) for name in names), dtype=np.int64, count=len(names))
    first = np.zeros(len(seen), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first, codes


def share(  # what a figure is of, and the two ways in which it may differ from the plain case
    metric: str, rows: Rows, part: Part, seed: Seed, *, lower_is_better: bool = False, pooled: bool = False
) -> Estimate:
    """A mean of points with its interval, its counts and its bounds; `pooled` weighs units alike in any group."""
    inside = part.mask(rows.groups, len(rows.points))
    points, cluster, places = rows.points[inside], rows.cluster[inside], rows.groups["place"][inside]
    graded = np.isfinite(points)
    asked, counted = len(points), int(graded.sum())
    weights: Literal["equal"] | None = "equal" if part.equal and not pooled else None
    if counted == 0:
        return Estimate(metric=metric, group=part.key, value=None, asked=asked, graded=0, why="nothing graded")
    dice = seed.child(metric, part.kind, part.value)
    binary = bool(np.isin(rows.points[np.isfinite(rows.points)], (0.0, 1.0)).all())
    interval = mean_interval(
        points[graded], cluster[graded], strata=places[graded], weights=weights, binary=binary, seed=dice
    )
    bounds = [_mean(bound[inside], places, weights) for bound in (rows.least, rows.most)]
    worst, best = reversed(bounds) if lower_is_better else bounds
    value = _mean(points[graded], places[graded], weights)
    return _estimate(metric, part, (value, worst, best), interval, (asked, counted))


def _mean(points: Floats, places: npt.NDArray[np.int32], weights: str | None) -> float:
    if weights is None:
        return float(points.mean())
    codes = np.unique(places, return_inverse=True)[1]
    return float(np.mean(np.bincount(codes, points) / np.bincount(codes)))


def _estimate(
    metric: str, part: Part, values: tuple[float, float, float], interval: Interval, counts: tuple[int, int]
) -> Estimate:
    value, worst, best = map(rounded, values)
    return Estimate(
        metric=metric,
        group=part.key,
        value=value,
        low=rounded(interval.low),
        high=rounded(interval.high),
        asked=counts[0],
        graded=counts[1],
        worst=worst,
        best=best,
        method=interval.method,
        why=interval.why,
    )


def rounded(value: float | None) -> float | None:
    """Ten digits are kept, so that the last bit of a sum does not differ between machines."""
    return None if value is None else round(value, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Gold and read labels as codes into `classes`, -1 where unread; a row an item and sample."""

    gold: Codes
    said: Codes
    graded: Mask
    cluster: Codes
    groups: Groups
    classes: tuple[str, ...]


def answers_of(ledger: Ledger, items: Level, frame: Frame, classes: tuple[str, ...]) -> Answers:
    """The labels of one task, recoded to the given classes."""
    table = np.full(len(ledger.words) + 1, -1, dtype=np.int64)
    for index, name in enumerate(classes):
        if ledger.code(name) >= 0:
            table[ledger.code(name)] = index
    item = items.of_item[frame.item]
    return Answers(
        gold=table[frame.gold],
        said=table[frame.label],
        graded=np.isfinite(frame.points),
        cluster=items.cluster[item],
        groups={kind: values[item] for kind, values in items.groups.items()},
        classes=classes,
    )


def f1_macro(answers: Answers, items: Rows, part: Part, seed: Seed) -> Estimate:
    """Unweighted mean over labels of their F1; an unreadable answer counts as wrong, an ungraded one is left out."""
    metric = "f1_macro"
    inside = part.mask(answers.groups, len(answers.gold))
    kept = inside & answers.graded
    asked = items.points[part.mask(items.groups, len(items.points))]
    counts = len(asked), int(np.isfinite(asked).sum())
    if not kept.any():
        return Estimate(metric=metric, group=part.key, value=None, asked=counts[0], graded=0, why="nothing graded")
    graded = _among_present(answers, kept, answers.said)
    interval = f1_interval(
        graded.gold,
        graded.said,
        graded.classes,
        answers.cluster[kept],
        strata=answers.groups["place"][kept],
        average="macro",
        seed=seed.child(metric, part.kind, part.value),
    )
    filled = (np.where(answers.graded, answers.said, filler) for filler in (-1, answers.gold))
    cases = (graded, *(_among_present(answers, inside, said) for said in filled))
    value, worst, best = (f1_scores(case.gold, case.said, case.classes).macro for case in cases)
    return _estimate(metric, part, (value, worst, best), interval, counts)


class _Labels(NamedTuple):
    """Gold and read labels as codes into the classes that occur among them."""

    gold: Codes
    said: Codes
    classes: tuple[str, ...]


def _among_present(answers: Answers, rows: Mask, said: Codes) -> _Labels:
    """The labels of some rows, among those they have: a label that is in neither column says nothing of them."""
    gold, told = answers.gold[rows], said[rows]
    codes = np.setdiff1d(np.union1d(gold, told), [-1])
    table = np.full(len(answers.classes) + 1, -1, dtype=np.int64)
    table[codes] = np.arange(len(codes))
    return _Labels(table[gold], table[told], tuple(answers.classes[code] for code in codes))


class Material(NamedTuple):
    """What figures of a closed benchmark are made from; `reading` is the one that the run goes by."""

    ledger: Ledger
    reading: Reading
    units: Level
    items: Level


Figure: TypeAlias = Callable[[Part, Seed], Estimate | None]
"""One metric over a group; None where it says nothing of such a group."""
Extra: TypeAlias = Callable[[Material], Figure]
"""Makes a metric that only one family has, once for all groups."""


class _Made(NamedTuple):
    """What `closed_figures` makes once for all groups."""

    tables: dict[str, Rows]
    answers: Answers
    extras: dict[str, Figure]


def closed_figures(
    ledger: Ledger,
    card: Card,
    reading: Reading,
    classes: tuple[str, ...],
    seed: Seed,
    *,
    extras: Mapping[str, Extra] | None = None,
) -> tuple[Estimate, ...]:
    """All figures of a closed benchmark: each metric of its card over the whole and each of its groups.

    `extras` are metrics that only this benchmark has, or has of its own kind, by their names.
    """
    parts, groups = parts_of(ledger.abouts, card.groups)
    cluster = cluster_codes([about.cluster for about in ledger.abouts])
    units = level_of([about.unit for about in ledger.abouts], cluster, groups)
    items = level_of([about.item for about in ledger.abouts], cluster, groups)
    frame = ledger.frame(reading)
    material = Material(ledger, reading, units, items)
    made = _Made(
        tables=_tables(ledger, units, items, frame),
        answers=answers_of(ledger, items, frame, classes),
        extras={name: extra(material) for name, extra in (extras or {}).items()},
    )
    return tuple(estimate for part in parts for estimate in _figures_of_part(part, card, reading, made, seed))


def _figures_of_part(part: Part, card: Card, reading: Reading, made: _Made, seed: Seed) -> Iterator[Estimate]:
    """The metrics of the card over one group; what is the same figure by another name is worked out once."""
    found: dict[str, Estimate] = {}
    twins = {
        f"accuracy_{reading}": "accuracy",
        "f1_micro": "item_accuracy" if _has(card, "item_accuracy") else "accuracy",
    }
    if part.equal:
        del twins["f1_micro"]  # F1 is of all answers together, in groups of places too
    for metric in card.metrics:
        twin = found.get(twins.get(metric.name, ""))
        figure = _figure(metric, part, made, seed) if twin is None else replace(twin, metric=metric.name)
        if figure is not None:
            found[metric.name] = figure
            yield figure


def _figure(metric: Metric, part: Part, made: _Made, seed: Seed) -> Estimate | None:
    """One metric over one group."""
    if metric.name in made.extras:
        return made.extras[metric.name](part, seed)
    if metric.name == "f1_micro":
        return share(metric.name, made.tables["item_accuracy"], part, seed, pooled=True)
    if metric.name == "f1_macro":
        return f1_macro(made.answers, made.tables["item_accuracy"], part, seed)
    return share(metric.name, made.tables[metric.name], part, seed, lower_is_better=metric.better == "lower")


def _has(card: Card, metric: str) -> bool:
    return any(each.name == metric for each in card.metrics)


def _tables(ledger: Ledger, units: Level, items: Level, frame: Frame) -> dict[str, Rows]:
    """The rows of each share, by metric; both ways of reading labels stand beside the run's own."""
    strict, lenient = ledger.frame("strict"), ledger.frame("lenient")
    return {
        "accuracy": rows_of(units, frame, frame.points),
        "item_accuracy": rows_of(items, frame, frame.points),
        "accuracy_strict": rows_of(units, strict, strict.points),
        "accuracy_lenient": rows_of(units, lenient, lenient.points),
        "format_error": rows_of(items, frame, fault_points(ledger, frame, "format_error")),
        "refusal": rows_of(items, frame, fault_points(ledger, frame, "refusal")),
    }


def fault_points(ledger: Ledger, frame: Frame, fault: str) -> Floats:
    """1 where the answer had the fault, NaN where ungraded."""
    return np.where(np.isfinite(frame.points), (frame.fault == ledger.code(fault)).astype(float), np.nan)
