"""Figures by place: a map of the world, and places, regions and other groups by model as tables in shades.

results of each benchmark ─▶ figures by group ─▶ one map with a series a benchmark and model, and a table a benchmark
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from mores.analysis.breakdown import Breakdown, GroupFigures, breakdown, mean_of
from mores.analysis.groups import GROUPINGS, PLACE
from mores.analysis.outcomes import units_link
from mores.analysis.results import Result, Results
from mores.core.errors import UnknownName
from mores.core.estimate import VERBATIM, Estimate, Missing
from mores.norms.places import group_of
from mores.reports.charts.world import country_of, shade_of
from mores.reports.sections.benchmark import title_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BlockColumn,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    Details,
    Paragraph,
    Section,
    Series,
    Span,
    TableBlock,
    TableRow,
)

HOW = (
    "Shades stand for figures, as the scale below the map says; places with too wide an interval (over 60% of it) are "
    "dotted, not shaded. Select a place to go to its row; the tables have the same figures, and each figure links to "
    "its items and has its interval and n. Norms are what many people of a place say, never truths about persons; "
    "differences between neighbours are rarely real."
)
ELSEWHERE = "No region"


class _Placed(NamedTuple):
    """The groups of one benchmark by their kind, and its models in the order of a report."""

    of: tuple[Result, ...]
    groups: Mapping[str, Sequence[GroupFigures]]
    at: tuple[int, ...]

    @classmethod
    def of_benchmark(cls, found: Breakdown, order: Mapping[str, int]) -> "_Placed":
        """The models as they stand in a report, and where the figures of each are."""
        of = found.evaluations
        places = [order.get(each.label, order.get(each.model, len(order))) for each in of]
        at = tuple(sorted(range(len(of)), key=places.__getitem__))
        return cls(tuple(of[number] for number in at), found.kinds, at)

    @property
    def places(self) -> Sequence[GroupFigures]:
        """Groups that are places."""
        return self.groups.get(PLACE, ())

    def figures(self, group: GroupFigures) -> list[tuple[Result, Estimate | None]]:
        """The figures of a group with their models."""
        return list(zip(self.of, (group.figures[number] for number in self.at), strict=True))


def places_section(results: Results, order: Sequence[str]) -> Section | None:
    """The map and the tables, models in an order of their labels; None where no figure is broken down."""
    at = {label: number for number, label in enumerate(order)}
    every = (_Placed.of_benchmark(breakdown(results, name), at) for name in results.benchmarks)
    placed = [each for each in every if each.groups]
    if not placed:
        return None
    asked = dict.fromkeys(group.value for each in placed for group in each.places)
    return Section(
        id="places",
        title="Places and groups",
        order=-50,
        folded=False,
        blocks=(
            *(_map(placed, tuple(asked)) if asked else ()),
            *(_details(each, first=not number) for number, each in enumerate(placed)),
        ),
    )


def _map(placed: Sequence[_Placed], asked: Sequence[str]) -> Iterator[Block]:
    """The map, and the places that it cannot show."""
    drawn = [(series, axis) for each in placed for series, axis in _series(each)]
    away = [words.group_name("place", place) for place in asked if country_of(place) is None]
    title = f"Figures of {words.plural(len(asked), 'place')} on a map of the world"
    if len(away) < len(asked):
        series, axes = zip(*drawn, strict=True)
        yield Chart(kind="world", title=title, series=series, axes=axes)
        yield Paragraph(HOW, "explanation")
    if away:
        yield Paragraph(f"Not on the map: {', '.join(away)}.", "explanation")


def _series(placed: _Placed) -> Iterator[tuple[Series, Axis]]:
    """The mean over models where there are several, then each model; every axis bears its benchmark's name."""
    first = placed.of[0]
    axis = Axis.of(first.described)
    named = Axis(low=axis.low, high=axis.high, share=axis.share, title=first.benchmark)
    if len(placed.of) > 1:
        means = tuple(ChartPoint(y=_mean(group, axis), label=group.value) for group in placed.places)
        yield Series(points=means, name=f"mean of {len(placed.of)} models", marked=True), named
    figures = [(group.value, group.figures) for group in placed.places]
    for each, at in zip(placed.of, placed.at, strict=True):
        points = tuple(ChartPoint(y=of[at], label=place) for place, of in figures if of[at] is not None)
        yield Series(points=points, name=each.label), named


def _mean(group: GroupFigures, axis: Axis) -> Estimate | None:
    """A mean over models, too few where the figure of one of them is."""
    mean = mean_of(group)
    few = any(shade_of(each, axis) == "few" for each in group.figures if each is not None)
    return mean and (replace(mean, missing=Missing(code=VERBATIM, told="too few")) if few else mean)


def _details(placed: _Placed, *, first: bool) -> Details:
    """One benchmark's places under their regions, then its other groups."""
    kinds = ((len(groups), kind) for kind, groups in placed.groups.items())
    text = ", ".join(words.plural(many, words.kind_name(kind), words.kinds_name(kind)) for many, kind in kinds)
    return Details(
        summary=(f"{title_of(placed.of[0])} ", Span(text, "soft")),
        blocks=(_table(placed, anchored=first),),
        open=first,
    )


def _table(placed: _Placed, *, anchored: bool) -> TableBlock:
    first = placed.of[0]
    metric = first.described
    models = (
        BlockColumn(title=Span(each.label, "model"), format="heat", metric=metric, shade=True) for each in placed.of
    )
    rows = [TableRow(cells=("Everything", *(_cell(each, each.overall()) for each in placed.of)), whole=True)]
    known = {group.value: group for group in placed.groups.get("region", ())}
    regions = _by_region(placed.places)
    anchors = _anchors([group.value for group in placed.places]) if anchored else {}
    for region, places in regions.items():
        figures = _cells(placed, known[region]) if region in known else ()
        rows.append(TableRow(cells=(region, *figures), kind="region"))
        rows += [
            TableRow(cells=(group.name, *_cells(placed, group)), kind="place", id=anchors.get(group.value, ""))
            for group in places
        ]
    for kind, groups in placed.groups.items():
        if kind == PLACE or (kind == "region" and regions):
            continue
        name, mean = words.kinds_name(kind), ", each the mean of its places" if kind in GROUPINGS else ""
        rows.append(TableRow(cells=(f"{name[0].upper()}{name[1:]}{mean}",)))
        rows += [TableRow(cells=(group.name, *_cells(placed, group))) for group in groups]
    unit = "in per cent" if words.is_share(metric) else "in points"
    caption = f"{first.benchmark} by place and group, {unit}"
    return TableBlock.of(caption, ("Place or group", *models), rows, on="page")


def _by_region(places: Sequence[GroupFigures]) -> dict[str, list[GroupFigures]]:
    """Places under their regions by name, those without one last."""
    found: dict[str, list[GroupFigures]] = {}
    for place in places:
        try:
            region = group_of(place.value, "region") or ELSEWHERE
        except UnknownName:
            region = ELSEWHERE
        found.setdefault(region, []).append(place)
    return dict(sorted(found.items(), key=lambda pair: (pair[0] == ELSEWHERE, pair[0])))


def _anchors(places: Sequence[str]) -> dict[str, str]:
    """The rows that countries of the map lead to: their own, else that of the first of their parts."""
    rows = {country_of(place): place for place in sorted(places, key=lambda place: (country_of(place) == place, place))}
    return {place: f"place-{country}" for country, place in rows.items() if country is not None}


def _cells(placed: _Placed, group: GroupFigures) -> Iterator[Cell]:
    return (_cell(each, figure, group.kind, group.value) for each, figure in placed.figures(group))


def _cell(evaluation: Result, figure: Estimate | None, kind: str = "", value: str = "") -> Cell:
    """A figure that leads to the items behind it; those of a region stand under its places."""
    target = "" if kind in GROUPINGS else units_link(evaluation, kind, value)
    return figure and CellValue(figure, "heat", evaluation.metric(evaluation.headline), target=target)
