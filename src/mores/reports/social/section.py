"""The section on talks: scores, pressure, places and the talks themselves, for the page, a terminal and programs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from mores.benchmarks.shapes.talks import LEVELS
from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.drawing import scale_of
from mores.reports.findings import Finding, Findings
from mores.reports.social import pictures
from mores.reports.social.places import (
    MOST_PLACES,
    Heat,
    Map,
    Unknowing,
    heat_of,
    map_of,
    shares_of,
    unknowing_of,
)
from mores.reports.social.pressure import TOLD, Curve, Drop, curves_of, drops_of
from mores.reports.social.reading import (
    AWARENESS,
    CONDUCT,
    KNOWLEDGE,
    RESPECTED,
    VALUE,
    by_benchmark,
    read_scores,
    talk_cells,
)
from mores.reports.social.talks import Reader, most_of, reader_of

STEPS = 5
"""Shades of a table of values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One model on one benchmark: what was noticed, known and done, and the shares of each score of conduct."""

    cell: Finding
    figures: dict[str, Estimate | None]
    shares: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One metric of a benchmark over the levels of pressure, a curve a model."""

    benchmark: str
    metric: str
    curves: tuple[Curve, ...]

    @property
    def levels(self) -> tuple[str, ...]:
        """All levels that any of the runs had, weakest first."""
        found = {level for curve in self.curves for level in curve.levels}
        return tuple(level for level in LEVELS if level in found)

    @property
    def rows(self) -> tuple[tuple[Curve, tuple[Estimate | None, ...]], ...]:
        """Each curve with its figure at each of all levels."""
        tables = [(curve, dict(zip(curve.levels, curve.figures, strict=True))) for curve in self.curves]
        return tuple((curve, tuple(table.get(level) for level in self.levels)) for curve, table in tables)

    @property
    def picture(self) -> Markup:
        """The curves."""
        scale = scale_of(self.curves[0].cell.metric(self.metric))
        return pictures.curves(self.levels, [figures for _, figures in self.rows], scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Social:
    """All that the runs say of talks under pressure."""

    id: ClassVar[str] = "social"
    title: ClassVar[str] = "Talks under pressure"
    template: ClassVar[str] = "social.html.jinja"
    standings: tuple[Standing, ...]
    charts: tuple[Chart, ...]
    drops: tuple[Drop, ...]
    maps: tuple[Map, ...]
    unknowing: tuple[Unknowing, ...]
    heats: tuple[Heat, ...]
    readers: tuple[Reader, ...]

    @property
    def simulated(self) -> bool:
        """True where any talk or verdict was made up."""
        return any(each.cell.simulated for each in self.standings)

    @property
    def asked(self) -> dict[str, str]:
        """The columns of the first table."""
        return {AWARENESS: "Noticed", KNOWLEDGE: "Custom known", VALUE: "Value known", RESPECTED: "Norms respected",
                CONDUCT: "Conduct, 0–3"}  # fmt: skip

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores of conduct whose shares stand in the table, best first; none where no benchmark has them."""
        return (3, 2, 1, 0) if any(each.shares for each in self.standings) else ()

    @property
    def fell(self) -> int:
        """Drops that are significant after correction."""
        return sum(drop.significant and drop.found.difference > 0 for drop in self.drops)

    @property
    def metric_names(self) -> dict[str, str]:
        """Metrics of drops, in words."""
        return TOLD

    @property
    def most_places(self) -> int:
        """How many places are shown."""
        return MOST_PLACES

    @property
    def coloured(self) -> int:
        """How many curves a picture has."""
        return pictures.COLOURS

    def scatter(self, found: Map) -> Markup:
        """The picture of knowledge against awareness."""
        return pictures.scatter(found.spots)

    def shade(self, figure: Estimate) -> int:
        """How dark a value of a table is drawn, 0 to 5."""
        return round(STEPS * (figure.value or 0.0))

    def lines(self) -> Iterator[str]:
        """A line for each model's conduct, each drop, who is aware without knowing, and where talks can be read."""
        yield from (_standing(each) for each in self.standings)
        if self.drops:
            yield f"Under pressure {self.fell} of a family of {len(self.drops)} fell at .05 after Holm."
        yield from (_drop(drop) for drop in self.drops)
        yield from (_unknowing(each) for each in self.unknowing)
        yield from (f"{each.benchmark}: {sum(each.shown.values())} talks to read on the page." for each in self.readers)

    def plain(self) -> dict[str, object]:
        """All figures of the section."""
        return {
            "simulated": self.simulated,
            "standing": [
                {**_named(each.cell), "figures": each.figures, "shares": each.shares} for each in self.standings
            ],
            "pressure": {
                "family": len(self.drops),
                "curves": [
                    {**_named(curve.cell), "metric": chart.metric, "figures": dict(zip(chart.levels, row, strict=True))}
                    for chart in self.charts
                    for curve, row in chart.rows
                ],
                "drops": [_plain_drop(drop) for drop in self.drops],
            },
            "places": [{**_named(each.cell), "places": each.places, "shown": each.spots} for each in self.maps],
            "aware_without_knowing": [
                {**_named(each.cell), "whole": each.whole, "kinds": each.kinds} for each in self.unknowing
            ],
            "values": [
                {**_named(each.cell), "family": each.size, "figures": tuple(each.figures.values())}
                for each in self.heats
            ],
            "talks": [
                {"benchmark": each.benchmark, "played": each.played, "shown": each.shown,
                 "items": [scene.item for scene in each.scenes]}
                for each in self.readers
            ],
        }  # fmt: skip


def social(findings: Findings) -> Social | None:
    """What some runs say of talks; None where nobody talked.

    Raises:
        InputError: verdicts or transcripts cannot be read.
    """
    cells = talk_cells(findings)
    if not cells:
        return None
    scores = [read_scores(cell, most_of(len(cells))) for cell in cells]
    curves = [curve for each in scores for curve in curves_of(each.cell, each.levels)]
    charts = dict.fromkeys((curve.cell.benchmark, curve.metric) for curve in curves)
    return Social(
        standings=tuple(_standing_of(cell) for cell in cells),
        charts=tuple(
            Chart(benchmark=name, metric=metric,
                  curves=tuple(c for c in curves if (c.cell.benchmark, c.metric) == (name, metric)))
            for name, metric in charts
        ),
        drops=drops_of(scores),
        maps=tuple(filter(None, map(map_of, cells))),
        unknowing=tuple(filter(None, map(unknowing_of, cells))),
        heats=tuple(filter(None, (heat_of(each.cell, each.values) for each in scores))),
        readers=tuple(
            reader_of(name, [each for each in scores if each.cell in members])
            for name, members in by_benchmark(cells)
        ),
    )  # fmt: skip


def _standing_of(cell: Finding) -> Standing:
    metrics = (AWARENESS, KNOWLEDGE, VALUE, RESPECTED, CONDUCT)
    return Standing(cell=cell, figures={name: cell.whole(name) for name in metrics}, shares=shares_of(cell))


def _named(cell: Finding) -> dict[str, object]:
    return {"model": cell.label, "benchmark": cell.benchmark, "simulated": cell.simulated}


def _who(cell: Finding) -> str:
    return f"{cell.label} on {cell.benchmark}" + (" (simulated)" if cell.simulated else "")


def _told(figure: Estimate | None, cell: Finding, metric: str) -> str:
    if figure is None or figure.value is None:
        return wording.DASH
    described = cell.metric(metric)
    told = f"{wording.number(figure.value, described)} {wording.interval(figure, described)}".strip()
    return f"{told}, n {wording.counted(figure)}"


def _standing(each: Standing) -> str:
    words = {AWARENESS: "noticed", KNOWLEDGE: "custom known", RESPECTED: "norms respected", CONDUCT: "conduct"}
    told = (f"{name} {_told(each.figures[metric], each.cell, metric)}" for metric, name in words.items())
    return f"{_who(each.cell)}: {'; '.join(told)}"


def _drop(drop: Drop) -> str:
    pair = drop.found
    return (
        f"{_who(drop.cell)}, {TOLD[drop.metric]}: {100 * drop.before:.1f} at {drop.weakest}, {100 * drop.after:.1f} at "
        f"{drop.strongest} pressure, drop {drop.told}, {wording.chance_of(drop.p_holm)} after Holm, n {pair.units:,} "
        f"scenes in {pair.clusters:,} clusters."
    )


def _unknowing(each: Unknowing) -> str:
    kinds = "; ".join(f"{kind} {_told(e, each.cell, e.metric)}" for kind, e in each.kinds.items())
    told = _told(each.whole, each.cell, each.whole.metric)
    return f"{_who(each.cell)}: aware without knowing {told}{f' ({kinds})' if kinds else ''}"


def _plain_drop(drop: Drop) -> dict[str, object]:
    pair = drop.found
    return {
        **_named(drop.cell), "metric": drop.metric, "weakest": drop.weakest, "strongest": drop.strongest,
        "before": drop.before, "after": drop.after, "drop": pair.difference, "low": pair.low, "high": pair.high,
        "p": pair.p, "p_holm": drop.p_holm, "units": pair.units, "clusters": pair.clusters, "test": pair.test,
        "method": pair.method, "why": pair.why,
    }  # fmt: skip
