"""The units of a benchmark over models: who got what, what is odd about it, and how reliable the whole is.

results of a benchmark that may be compared ─▶ points of each model on each unit ─▶ statistics over models ─▶ a row a
unit. A model of several runs counts once, with the mean of its points.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.compatibility import groups_alike
from mores.analysis.groups import PLACE, REGION, region_of
from mores.analysis.model_summary import family_of
from mores.analysis.results import Result, Results
from mores.analysis.units import HELD, headline_units, means_by, units_of
from mores.core.arrays import Floats, Integers
from mores.core.estimate import SEPARATE, Caution, caution_of
from mores.stats.checks import ranks
from mores.stats.crossed_effects import MIN_FAMILIES
from mores.stats.items import (
    ENOUGH,
    LEVEL,
    Alpha,
    ItemStatistics,
    item_statistics,
    rival_p,
    scale_reliability,
)
from mores.stats.place_fit import ScaleFit, place_fit

_EDGE = 1e-9
MOST_LABELS = 10
"""Labels of a closed question, at most; what has more is no choice between a few answers."""


class ItemFlag(StrEnum):
    """Reason to look at a unit."""

    NOBODY = "nobody right"
    NEGATIVE = "better models do worse"
    RIVAL = "better models say otherwise"
    EVERYBODY = "everybody right"


class _Answer(NamedTuple):
    """A unit's first item, part and place, and the label that its first sample got, with the key.

    Both are None where it is no closed question, several questions make the unit, or the answer could not be used.
    """

    item: str
    part: str
    place: str
    label: str | None
    key: str | None


class Distractor(NamedTuple):
    """The answer besides the key that most models gave, how many did, how many gave the key, and the p of its test."""

    label: str
    models: int
    key: str
    keyed: int
    p: float


class ItemRow(Struct, frozen=True, kw_only=True):
    """One unit over models: those with a grade on it, their mean share, how many got all of it and nothing.

    `p_fit` is the one-sided p of its going with ability, as items that as many models get do; it, `rest` and
    `p_negative` are None with fewer than 8 models, the p also with fewer than 5 families of them, `rival` where
    nobody gave another answer or it is no closed question. `item` is the id of its first item, `part` the norm
    where an answer is held against several.
    """

    unit: str
    item: str
    part: str
    place: str
    models: int
    share: float | None
    right: int
    wrong: int
    rest: float | None
    p_negative: float | None
    rival: Distractor | None
    p_fit: float | None
    flags: tuple[ItemFlag, ...]
    separate: str = ""


class ItemTable(Struct, frozen=True, kw_only=True):
    """One benchmark: a row a unit in the order of the data, and the reliability of the scale over models.

    `independent` counts the families that its models are of, one whose family is unknown being its own; `fits` say by
    kind of group, place or region, how its units go with those of all others. `partial` says that units have shares
    of their points and not all or nothing. `separate` are units that no figure of the benchmark counts, such as those
    at the boundary of a norm, each held against all. `left_out` counts evaluations that could not be compared.
    `cautions` say of models, by their labels, that most of their answers cannot be used or are all alike.
    """

    benchmark: str
    metric: str
    unit: str
    simulated: bool
    models: tuple[str, ...]
    independent: int
    partial: bool
    left_out: int
    first: Result
    rows: tuple[ItemRow, ...]
    separate: tuple[ItemRow, ...]
    alpha: Alpha
    fits: Mapping[str, ScaleFit]
    cautions: dict[str, Caution]

    @property
    def counts(self) -> dict[ItemFlag, int]:
        """Number of units with each flag."""
        found = Counter(flag for row in self.rows for flag in row.flags)
        return {flag: found[flag] for flag in ItemFlag}

    @property
    def claims(self) -> bool:
        """True where the models, and their families, are enough for a correlation over them."""
        return len(self.models) >= ENOUGH and self.independent >= MIN_FAMILIES

    @property
    def suspects(self) -> tuple[ItemRow, ...]:
        """Units to look at, those first whose key may be wrong; none with too few models."""
        every = (*self.rows, *self.separate)
        some = [row for row in every if row.flags and row.flags != (ItemFlag.EVERYBODY,)] if self.claims else []
        return tuple(sorted(some, key=_suspicion))


def item_tables(results: Results) -> tuple[ItemTable, ...]:
    """A table of each benchmark, over the largest lot of its evaluations that may be compared."""
    return tuple(item_table(results.on(benchmark)) for benchmark in results.benchmarks)


def _suspicion(row: ItemRow) -> tuple[int, float]:
    """The more flags the sooner, then by the smallest p."""
    p = [1.0 if row.p_negative is None else row.p_negative, 1.0 if row.rival is None else row.rival.p]
    return -len(row.flags), min(p)


@lru_cache(maxsize=HELD)
def item_table(every: tuple[Result, ...]) -> ItemTable:
    """That of evaluations of one benchmark; read once for its items and for its places."""
    # of evaluations that differ in more than the model only the largest set is one table
    evaluations = max(groups_alike(every), key=len)
    by_model: dict[str, list[Result]] = defaultdict(list)
    for evaluation in evaluations:
        by_model[evaluation.model].append(evaluation)
    names = tuple(dict.fromkeys(chain.from_iterable(headline_units(each).keys.unit.texts() for each in evaluations)))
    points = np.array([_points(own, names) for own in by_model.values()])
    firsts = [own[0] for own in by_model.values()]
    families = ranks([family_of(each) for each in firsts])
    fits = _fits(evaluations, names, points, families)
    rivals = _rivals(firsts, names, points, families.tolist())
    facts = _UnitFacts(item_statistics(points, families), rivals, fits[PLACE].p)
    where = _where(evaluations, names)
    return ItemTable(
        benchmark=evaluations[0].benchmark,
        metric=evaluations[0].headline,
        unit=evaluations[0].counted,
        simulated=any(evaluation.simulated for evaluation in evaluations),
        models=tuple(by_model),
        independent=len(set(families.tolist())),
        partial=bool(((points > _EDGE) & (points < 1 - _EDGE)).any()),
        left_out=len(every) - len(evaluations),
        first=evaluations[0],
        rows=tuple(_row(name, number, where[name], facts) for number, name in enumerate(names)),
        separate=tuple(_separate(by_model, names, points, families)),
        alpha=scale_reliability(points, families),
        fits=fits,
        cautions={each.label: mark for each in evaluations if (mark := caution_of(each.overall())) is not None},
    )


def _separate(
    by_model: Mapping[str, Sequence[Result]], names: Sequence[str], points: Floats, families: Integers
) -> Iterator[ItemRow]:
    """The units that are scored separately, each held against those that count and all like it."""
    evaluations = list(chain.from_iterable(by_model.values()))
    kinds: dict[str, str] = {}
    for rows in (each.scores.separate.get(each.headline) for each in evaluations):
        if rows is not None:
            kinds |= dict(zip(rows.keys.unit.texts(), rows.keys.groups[SEPARATE].texts(), strict=True))
    if not kinds:
        return
    every = (*names, *kinds)
    own = np.array([_points(each, tuple(kinds), separate=True) for each in by_model.values()])
    both = np.concatenate([points, own], axis=1)
    rivals = _rivals([each[0] for each in by_model.values()], every, both, families.tolist())
    facts = _UnitFacts(item_statistics(both, families), rivals, np.full(len(every), np.nan))
    where = _where(evaluations, every)
    for number, (name, kind) in enumerate(kinds.items(), start=len(names)):
        yield replace(_row(name, number, where[name], facts), separate=kind)


def _points(evaluations: Sequence[Result], names: Sequence[str], *, separate: bool = False) -> Floats:
    """A model's points on each unit as shares of the metric's range, the mean over its results; NaN where ungraded.

    Units are those that count, or those that are scored separately.
    """
    codes, shares = [], []
    for evaluation in evaluations:
        rows, metric = evaluation.scores.separate.get(evaluation.headline), evaluation.described
        if separate and rows is None:
            continue
        units = units_of(rows) if separate and rows is not None else headline_units(evaluation)
        low, high = (metric.low, metric.high) if metric else (0.0, 1.0)
        codes.append(units.keys.unit.among(names))
        shares.append(np.clip((units.points / units.mean_weight - low) / (high - low), 0, 1))
    if not codes:
        return np.full(len(names), np.nan)
    return means_by(np.concatenate(codes), np.concatenate(shares), len(names))


def _fits(
    evaluations: Sequence[Result], names: Sequence[str], points: Floats, families: Integers
) -> dict[str, ScaleFit]:
    """Fit of the units of each place, and of each region, to those of all others; units by their names."""
    of: dict[str, tuple[str, str, str]] = {}
    for evaluation in reversed(evaluations):
        keys = headline_units(evaluation).keys
        regions = [region_of(evaluation, place) for place in keys.place.texts()]
        of |= dict(
            zip(keys.unit.texts(), zip(keys.place.texts(), regions, keys.cluster.texts(), strict=True), strict=True)
        )
    places, regions_of, cluster = zip(*(of[name] for name in names), strict=True) if names else ((), (), ())
    kinds = {PLACE: places, REGION: regions_of}
    return {kind: place_fit(points, own, clusters=cluster, families=families) for kind, own in kinds.items()}


def _rivals(
    evaluations: Sequence[Result], names: Sequence[str], points: Floats, families: Sequence[int]
) -> dict[str, Distractor]:
    """The most frequent answer besides the key, of closed questions and enough models."""
    if len(evaluations) < ENOUGH:
        return {}
    answers_by = [_answers_of(evaluation) for evaluation in evaluations]
    known = {
        word for of in answers_by for given in of.values() if given.label for word in (given.label, str(given.key))
    }
    if not 2 <= len(known) <= MOST_LABELS:
        return {}
    # once for all units, each of which then takes its own points off
    total, graded = np.nansum(points, axis=1), np.isfinite(points).sum(1)
    found = {}
    for number, name in enumerate(names):
        given = [(model, of[name]) for model, of in enumerate(answers_by) if name in of and of[name].label is not None]
        others = Counter(str(one.label) for _, one in given if one.label != one.key)
        if others:
            # of equals the first by name, so that the order of models does not matter
            label, many = min(others.items(), key=lambda pair: (-pair[1], pair[0]))
            # each model's mean on all other items, so that no item vouches for itself
            rest = (total - np.nan_to_num(points[:, number])) / np.maximum(1, graded - np.isfinite(points[:, number]))
            key = str(given[0][1].key)
            keyed, rival = ([model for model, one in given if one.label == word] for word in (key, label))
            of = [families[model] for model in keyed], [families[model] for model in rival]
            p = rival_p(rest[keyed], rest[rival], len(known) - 1, of) if many > len(keyed) / 2 else 1.0
            found[name] = Distractor(label, many, key, len(keyed), p)
    return found


@lru_cache(maxsize=HELD)
def _answers_of(evaluation: Result) -> Mapping[str, _Answer]:
    """The answers on the units of an evaluation's headline by the unit's name."""
    table, found = evaluation.verdict_table, dict[str, _Answer]()
    tasks, talks = evaluation.headline_tasks[:1], evaluation.scores.by_value
    every = [rows.keys for rows in evaluation.scores.every(evaluation.headline)]
    unit_of = {
        part: unit
        for keys in every
        for part, unit in zip(zip(keys.item.texts(), keys.part.texts(), strict=True), keys.unit.texts(), strict=True)
    }
    frame, ballots = table.frame(*tasks or ("",)), table.ballots(*tasks or ("",))
    rows = zip(frame.item, frame.sample, frame.label, frame.gold, ballots, strict=True)
    for thing, sample, label, gold, ballot in rows:
        about = table.item_metadata[thing]
        name = unit_of.get((about.item, about.part), about.unit)
        closed = not sample and ballot is None and min(label, gold) >= 0
        if name not in found:
            both = (table.words[label], table.words[gold]) if closed else (None, None)
            found[name] = _Answer(about.item, "" if talks else about.part, about.place or "", *both)
        elif not sample:
            found[name] = found[name]._replace(label=None, key=None)
    return found


def _where(evaluations: Sequence[Result], names: Sequence[str]) -> dict[str, _Answer]:
    """Item, part and place of each unit, from the first evaluation that has it."""
    found: dict[str, _Answer] = {}
    for evaluation in evaluations:
        if any(name not in found for name in names):
            found = {**_answers_of(evaluation), **found}
    return found


class _UnitFacts(NamedTuple):
    """All that is known of the units of a table."""

    found: ItemStatistics
    rivals: Mapping[str, Distractor]
    p_fit: Floats


def _row(name: str, number: int, where: _Answer, facts: _UnitFacts) -> ItemRow:
    found, rival = facts.found, facts.rivals.get(name)
    claimed = rival is not None and rival.p < LEVEL
    marks = {
        ItemFlag.NOBODY: bool(found.nobody[number]),
        ItemFlag.NEGATIVE: bool(found.negative[number]),
        ItemFlag.RIVAL: claimed,
        ItemFlag.EVERYBODY: bool(found.everybody[number]),
    }
    return ItemRow(
        unit=name,
        item=where.item,
        part=where.part,
        place=where.place,
        models=int(found.models[number]),
        share=_known(found.share[number]),
        right=int(found.right[number]),
        wrong=int(found.wrong[number]),
        rest=_known(found.rest[number]),
        p_negative=_known(found.p_negative[number]),
        rival=rival,
        p_fit=_known(facts.p_fit[number]),
        flags=tuple(flag for flag, holds in marks.items() if holds),
    )


def _known(figure: np.floating | float) -> float | None:
    return float(figure) if np.isfinite(figure) else None
