"""Models against each other: two by their difference and where it lies, three or more by their ranks.

cells of a benchmark that may be compared ─▶ units that all of them have a grade on ─▶ ranks with intervals, and each
model's difference from the first. Nobody is called best whose interval does not say so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from markupsafe import Markup

from mores.benchmarks.ledger import Codes
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports import difference_words as words
from mores.reports import drawing, wording
from mores.reports.cell_units import UnitsTable, units_table
from mores.reports.comparable import groups_alike, unlike
from mores.reports.comparison import Compared, compare_cells, is_mean_of
from mores.reports.differences import (
    CORRECTIONS,
    LEVEL,
    Difference,
    Family,
    Table,
    Terms,
    difference_of,
    known,
    reach_of,
)
from mores.reports.findings import Finding, Findings
from mores.stats.arrays import FloatArray
from mores.stats.rankings import Ranking, rank_models

DICE = Seed("ranking")
MODELS_RANKED = 3
"""Models from which a ranking says more than their difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One model among others: its mean over the units of all, its rank, and how it stands to the first.

    `first` is the share of resamples in which it comes first. `against` is this model less the first, its p corrected
    for all pairs of models; None for the first itself.
    """

    label: str
    simulated: bool
    mean: float
    rank: int
    low: int | None
    high: int | None
    first: float | None
    against: Difference | None

    @property
    def ranks(self) -> str:
        """The ranks that it may have: `1–3`, or one of them alone; a dash where none can be said."""
        if self.low is None or self.high is None:
            return wording.DASH
        return f"{self.low}" if self.low == self.high else f"{self.low}–{self.high}"

    def picture(self, models: int) -> Markup:
        """The ranks that it may have, on a line from the first to the last."""
        rank = Estimate(metric="rank", value=self.rank, low=self.low, high=self.high, asked=models, graded=models)
        return drawing.dot_and_whisker(rank, None, drawing.Scale(1, models))

    @property
    def apart(self) -> bool:
        """True where it is found to be worse than the first."""
        return self.against is not None and self.against.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Three models or more on one benchmark, the first of them first.

    `family` counts the pairs that p-values are corrected for. `left_out` counts units that only some have a grade on;
    `notes` say what keeps the figures from being plain; `why` says why there are no rank intervals.
    """

    benchmark: str
    metric: str
    described: Metric | None
    unit: str
    standings: tuple[Standing, ...]
    family: int
    test: str
    units: int
    clusters: int
    left_out: int
    why: str | None
    notes: tuple[str, ...]

    @property
    def simulated(self) -> bool:
        """True where any of it was made up."""
        return any(standing.simulated for standing in self.standings)

    @property
    def level_with(self) -> tuple[Standing, ...]:
        """Those that cannot be told from the first."""
        return tuple(each for each in self.standings[1:] if not each.apart)

    @property
    def verdict(self) -> str:
        """Who is first, and who cannot be told from it, in a sentence."""
        leader, level = self.standings[0].label, [each.label for each in self.level_with]
        if self.why is not None:
            return f"No order can be told: {self.why}."
        if not level:
            return f"{leader} is first, and told from every other."
        return f"No single best: {leader} has the highest mean, and cannot be told from {', '.join(level)}."

    @property
    def axis(self) -> Markup:
        """The first and the last rank, to stand above the pictures."""
        last = len(self.standings)
        return drawing.axis(drawing.Scale(1, last), [(1.0, "first"), (float(last), "last")])

    @property
    def least(self) -> str:
        """The least differences from the first that could have been seen, in points; a dash for none."""
        seen = [each.against.detectable for each in self.standings if each.against and each.against.detectable]
        if not seen:
            return wording.DASH
        ends = [words.points(min(reach_of(self.described), size), self.described) for size in (min(seen), max(seen))]
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two models on one benchmark, A the one that was named first."""

    label_a: str
    label_b: str
    compared: Compared

    @property
    def families(self) -> tuple[Family, ...]:
        """Places and other groups."""
        return self.compared.families


@dataclass(frozen=True, slots=True, kw_only=True)
class Rankings:
    """All benchmarks on which models stand against each other; `apart` says which could not be compared, and why."""

    id: ClassVar[str] = "models"
    title: ClassVar[str] = "Models against each other"
    template: ClassVar[str] = "rankings.html.jinja"
    ranked: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]
    apart: tuple[str, ...]

    @property
    def corrections(self) -> dict[str, str]:
        """What each corrected p promises."""
        return CORRECTIONS

    def lines(self) -> Iterator[str]:
        """The order of models on each benchmark, or the difference of two."""
        for ranked in self.ranked:
            yield from _lines_of_ranked(ranked)
        for pair in self.pairs:
            yield from _lines_of_pair(pair)
        yield from (f"Not compared: {why}" for why in self.apart)

    def plain(self) -> dict[str, object]:
        """All figures."""
        return {
            "level": LEVEL,
            "corrections": CORRECTIONS,
            "rankings": [_plain_ranked(ranked) for ranked in self.ranked],
            "pairs": [
                {"benchmark": p.compared.benchmark, "a": p.label_a, "b": p.label_b, **words.plain_benchmark(p.compared)}
                for p in self.pairs
            ],
            "not_compared": self.apart,
        }


def rankings(findings: Findings) -> Rankings | None:
    """All models of some runs against each other; None where no two did the same benchmark."""
    ranked, pairs, apart, blank = [], [], [], []
    for benchmark in findings.benchmarks:
        groups = groups_alike(findings.on(benchmark))
        for cells in groups:
            if len(cells) >= MODELS_RANKED:
                found = _ranked(cells)
                if found.units:
                    ranked.append(found)
                else:
                    blank.append(_nothing_graded(cells))
            elif len(cells) > 1:
                a, b = cells
                pairs.append(Pair(label_a=a.label, label_b=b.label, compared=compare_cells(a, b)))
        apart += [f"{unlike(groups[0][0], cells[0], allow_other_data=False)}" for cells in groups[1:]]
    if not ranked and not pairs and not blank:
        return None
    return Rankings(ranked=tuple(ranked), pairs=tuple(pairs), apart=(*blank, *apart))


def _nothing_graded(cells: Sequence[Finding]) -> str:
    """Why models without a unit that all have a grade on have no order, and whose grades are missing."""
    silent = [cell.label for cell in cells if not _graded(units_table(cell))]
    if silent:
        return f"{cells[0].benchmark}: nothing was graded of {', '.join(silent)}."
    return f"{cells[0].benchmark}: none of the {wording.units_of(cells[0])} was graded for all {len(cells)} models."


def _ranked(cells: Sequence[Finding]) -> Ranked:
    tables = [units_table(cell) for cell in cells]
    shared = _Shared.of(tables)
    described = cells[0].metric(cells[0].headline)
    sign = -1.0 if described is not None and described.better == "lower" else 1.0
    found = rank_models(sign * shared.points, shared.cluster, strata=shared.place, seed=DICE.child(cells[0].benchmark))
    order = sorted(range(len(cells)), key=lambda number: (found.models[number].rank, number))
    leader = order[0]
    standings = [_standing(cells, shared, found, number, leader) for number in order]
    notes = [f"{cell.label} was judged by itself" for cell in cells if cell.own_judges]
    notes += [
        f"{cell.label}: {cell.headline} is counted in a way of its own; ranked here by the mean points of units"
        for cell, table in zip(cells, tables, strict=True)
        if not is_mean_of(cell, table)
    ]
    return Ranked(
        benchmark=cells[0].benchmark,
        metric=cells[0].headline,
        described=described,
        unit=wording.units_of(cells[0]),
        standings=tuple(standings),
        family=found.family,
        test=found.test,
        units=found.units,
        clusters=found.clusters,
        left_out=len({name for table in tables for name in table.names}) - found.units,
        why=found.why,
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """Units that all models have a grade on: points of shape (models, units), and what each unit is drawn with."""

    points: FloatArray
    cluster: Codes
    place: Codes

    @classmethod
    def of(cls, tables: Sequence[UnitsTable]) -> "_Shared":
        rows = [_graded(table) for table in tables]
        names = [name for name in rows[0] if all(name in other for other in rows[1:])]
        first, weight = tables[0], float(tables[0].weight.mean()) if len(tables[0].weight) else 1.0
        own = np.array([rows[0][name] for name in names], dtype=np.int64)
        points = [
            table.points[np.array([row[name] for name in names], dtype=np.int64)] / weight
            for table, row in zip(tables, rows, strict=True)
        ]
        return cls(points=np.array(points), cluster=first.cluster[own], place=first.place[own])


def _graded(table: UnitsTable) -> Mapping[str, int]:
    known_points = np.isfinite(table.points)
    return {name: row for row, name in enumerate(table.names) if known_points[row]}


def _standing(cells: Sequence[Finding], shared: _Shared, found: Ranking, number: int, leader: int) -> Standing:
    cell, own = cells[number], found.models[number]
    return Standing(
        label=cell.label,
        simulated=cell.simulated,
        mean=float(shared.points[number].mean()) if found.units else float("nan"),
        rank=own.rank,
        low=own.low,
        high=own.high,
        first=own.first,
        against=None if number == leader else _against(cells, shared, found, number, leader),
    )


def _against(cells: Sequence[Finding], shared: _Shared, found: Ranking, number: int, leader: int) -> Difference:
    """A model less the first, with the p-values of the ranking."""
    cell = cells[number]
    table = Table(shared.points[leader], shared.points[number], shared.cluster, {"place": shared.place})
    terms = Terms(DICE.child(cell.benchmark, cell.label), reach_of(cell.metric(cell.headline)))
    apart = difference_of(table, terms)
    p, p_holm = float(found.p[leader, number]), float(found.p_holm[leader, number])
    return replace(apart, p=known(p), p_holm=known(p_holm), test=found.test)


def _lines_of_ranked(ranked: Ranked) -> Iterator[str]:
    clusters = "" if ranked.clusters == ranked.units else f" in {ranked.clusters:,} clusters"
    made_up = " (simulated)" if ranked.simulated else ""
    yield (
        f"{ranked.benchmark} · {ranked.metric}{made_up}, {len(ranked.standings)} models over {ranked.units:,} "
        f"{ranked.unit}{clusters} that all of them have graded. {ranked.verdict}"
    )
    for each in ranked.standings:
        told = f"  rank {each.ranks}: {each.label} {wording.number(each.mean, ranked.described)}"
        if each.against is not None:
            apart = words.apart(each.against, ranked.described)
            told += f"; from the first {apart} points, {wording.chance_of(each.against.p_holm) or 'not tested'}"
        yield told
    yield (
        f"  Ranks hold together at 95%; p after Holm's correction for a family of {ranked.family} pairs "
        f"({ranked.test or 'none tested'}). Could have seen {ranked.least} points (power .8, level .05, one pair)."
    )
    yield from (f"  Note: {note}." for note in ranked.notes)


def _lines_of_pair(pair: Pair) -> Iterator[str]:
    compared, whole = pair.compared, pair.compared.whole
    made_up = " (simulated)" if compared.simulated else ""
    yield (
        f"{compared.benchmark} · {compared.metric}{made_up}: {pair.label_b} less {pair.label_a} "
        f"{words.apart(whole, compared.described)} points, {wording.chance_of(whole.p) or 'not tested'}; "
        f"{words.over(whole)}. {words.seen(compared)}"
    )
    yield from (f"  {words.family_told(family)}." for family in pair.families)
    yield from (f"  Note: {note}." for note in compared.notes)


def _plain_ranked(ranked: Ranked) -> dict[str, object]:
    return {
        "benchmark": ranked.benchmark,
        "metric": ranked.metric,
        "simulated": ranked.simulated,
        "units": ranked.units,
        "clusters": ranked.clusters,
        "left_out": ranked.left_out,
        "family": ranked.family,
        "test": ranked.test,
        "why": ranked.why,
        "notes": ranked.notes,
        "verdict": ranked.verdict,
        "models": [_plain_standing(each) for each in ranked.standings],
    }


def _plain_standing(standing: Standing) -> dict[str, object]:
    against = standing.against
    return {
        "model": standing.label,
        "mean": known(standing.mean),
        "rank": standing.rank,
        "low": standing.low,
        "high": standing.high,
        "first_share": standing.first,
        "told_from_first": None if against is None else standing.apart,
        "against_first": None if against is None else words.plain_difference(against),
    }
