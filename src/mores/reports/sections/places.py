"""Where models do well: a map of the world, and places, regions and other groups by model as tables in shades.

results of each benchmark ─▶ figures by group ─▶ one map with a series a benchmark and model, and a table a benchmark
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from mores.analysis.breakdown import groups_by_kind, place_means
from mores.analysis.groups import GROUPINGS
from mores.analysis.links import units_link
from mores.analysis.results import Result, Results
from mores.blocks import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Point,
    Row,
    Section,
    Series,
    Span,
    Table,
    Text,
    Value,
)
from mores.blocks import formatting as words
from mores.core.errors import UnknownName
from mores.core.estimate import AS_TOLD, Estimate, Missing
from mores.norms.places import group_of
from mores.reports.charts.world import country_of, shade_of
from mores.reports.sections.summary import title_of

HOW = (
    "Shades stand for figures, as the scale below the map says; places with too wide an interval (over 60% of it) are "
    "dotted, not shaded. Select a place to go to its row; the tables have the same figures, and each figure links to "
    "its items and has its interval and n. Norms are what many people of a place say, never truths about persons; "
    "differences between neighbours are rarely real."
)
ELSEWHERE = "No region"


def places_section(results: Results, order: Sequence[str]) -> Section | None:
    """The map and the tables, models in an order of their labels; None where no figure is broken down."""
    at = {label: number for number, label in enumerate(order)}
    every = [
        sorted(results.on(name), key=lambda each: at.get(each.label, at.get(each.model, len(at))))
        for name in results.benchmarks
    ]
    placed = [of for of in every if any(each.kinds for each in of)]
    if not placed:
        return None
    asked = dict.fromkeys(place for of in placed for each in of for place in each.by("place"))
    return Section(
        id="places",
        title="Places and groups",
        order=-50,
        folded=False,
        blocks=(
            *(_map(placed, tuple(asked)) if asked else ()),
            *(_details(of, first=not number) for number, of in enumerate(placed)),
        ),
    )


def _map(placed: Sequence[Sequence[Result]], asked: Sequence[str]) -> Iterator[Block]:
    """The map, and the places that it cannot show."""
    drawn = [(series, axis) for of in placed for series, axis in _series(of)]
    away = [words.group_name("place", place) for place in asked if country_of(place) is None]
    title = f"Figures of {words.plural(len(asked), 'place')} on a map of the world"
    if len(away) < len(asked):
        series, axes = zip(*drawn, strict=True)
        yield Chart(kind="world", title=title, series=series, axes=axes)
        yield Text(words=HOW, role="explanation")
    if away:
        yield Text(words=f"Not on the map: {', '.join(away)}.", role="explanation")


def _series(of: Sequence[Result]) -> Iterator[tuple[Series, Axis]]:
    """The mean over models where there are several, then each model; every axis bears its benchmark's name."""
    metric = of[0].metric(of[0].headline)
    axis = Axis.of(metric)
    named = Axis(low=axis.low, high=axis.high, share=axis.share, title=of[0].benchmark)
    tables = [each.by("place") for each in of]
    if len(of) > 1:
        means = place_means(of).items()
        points = tuple(Point(y=_mean(tables, place, mean, axis), label=place) for place, mean in means)
        yield Series(points=points, name=f"mean of {len(of)} models", marked=True), named
    for each, table in zip(of, tables, strict=True):
        yield Series(points=tuple(Point(y=e, label=place) for place, e in table.items()), name=each.label), named


def _mean(tables: Sequence[Mapping[str, Estimate]], place: str, mean: Estimate | None, axis: Axis) -> Estimate | None:
    """A mean over models, too few where the figure of one of them is."""
    few = any(shade_of(table[place], axis) == "few" for table in tables if place in table)
    return mean and (replace(mean, missing=Missing(code=AS_TOLD, told="too few")) if few else mean)


def _details(of: Sequence[Result], *, first: bool) -> Details:
    """One benchmark's places under their regions, then its other groups."""
    groups = groups_by_kind(of)
    told = ", ".join(words.plural(len(groups[kind]), words.kind_name(kind), words.kinds_name(kind)) for kind in groups)
    return Details(
        summary=(f"{title_of(of[0])} ", Span(told, "soft")),
        blocks=(_table(of, groups, anchored=first),),
        open=first,
    )


def _table(of: Sequence[Result], groups: Mapping[str, Sequence[str]], *, anchored: bool) -> Table:
    metric = of[0].metric(of[0].headline)
    models = (Column(title=Span(each.label, "model"), format="heat", metric=metric, shade=True) for each in of)
    rows = [Row(cells=("Everything", *(_cell(each, each.whole()) for each in of)), whole=True)]
    regions = _by_region(groups.get("place", ()))
    anchors = _anchors(groups.get("place", ())) if anchored else {}
    for region, places in regions.items():
        figures = _cells(of, "region", region) if region in groups.get("region", ()) else ()
        rows.append(Row(cells=(region, *figures), kind="region"))
        rows += [
            Row(cells=(words.group_name("place", place), *_cells(of, "place", place)), kind="place",
                id=anchors.get(place, ""))
            for place in places
        ]  # fmt: skip
    for kind, values in groups.items():
        if kind == "place" or (kind == "region" and regions):
            continue
        name, mean = words.kinds_name(kind), ", each the mean of its places" if kind in GROUPINGS else ""
        rows.append(Row(cells=(f"{name[0].upper()}{name[1:]}{mean}",)))
        rows += [Row(cells=(words.group_name(kind, value), *_cells(of, kind, value))) for value in values]
    unit = "in per cent" if words.is_share(metric) else "in points"
    caption = f"{of[0].benchmark} by place and group, {unit}"
    return Table.of(caption, ("Place or group", *models), rows, on="page")


def _by_region(places: Sequence[str]) -> dict[str, list[str]]:
    """Places under their regions by name, those without one last."""
    found: dict[str, list[str]] = {}
    for place in places:
        try:
            region = group_of(place, "region") or ELSEWHERE
        except UnknownName:
            region = ELSEWHERE
        found.setdefault(region, []).append(place)
    return dict(sorted(found.items(), key=lambda pair: (pair[0] == ELSEWHERE, pair[0])))


def _anchors(places: Sequence[str]) -> dict[str, str]:
    """The rows that countries of the map lead to: their own, else that of the first of their parts."""
    rows = {country_of(place): place for place in sorted(places, key=lambda place: (country_of(place) == place, place))}
    return {place: f"place-{country}" for country, place in rows.items() if country is not None}


def _cells(of: Sequence[Result], kind: str, value: str) -> Iterator[Cell]:
    return (_cell(each, each.by(kind).get(value), kind, value) for each in of)


def _cell(evaluation: Result, figure: Estimate | None, kind: str = "", value: str = "") -> Cell:
    """A figure that leads to the items behind it; those of a region stand under its places."""
    target = "" if kind in GROUPINGS else units_link(evaluation, kind, value)
    return figure and Value(value=figure, format="heat", metric=evaluation.metric(evaluation.headline), target=target)
