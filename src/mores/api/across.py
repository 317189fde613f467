"""What several models show together as a table: means, slopes against facts, providers by region and at home."""

from collections.abc import Iterator
from typing import Any

from mores.analysis.across import Across, across, models_of
from mores.analysis.contrast import Contrast
from mores.analysis.providers import Providers, providers_of
from mores.analysis.results import Results
from mores.api.frames import Column, Frame, Kind
from mores.blocks.reasons import format_missing
from mores.core.estimate import Estimate

COLUMNS: dict[str, Kind] = {
    "benchmark": "text", "metric": "text", "simulated": "flag", "figure": "text", "of": "text", "group": "text",
    "value": "number", "low": "number", "high": "number", "p": "number", "p_holm": "number", "models": "integer",
    "families": "integer", "units": "integer", "why": "text",
}  # fmt: skip


def across_frame(results: Results) -> Frame:
    """A row a figure, in points of the metric.

    `figure` is `mean` (over models), `provider` (the mean of one's models), `score by FACT` or `gap by FACT` (a slope,
    `within a family` where `of` says so), `home less elsewhere` or `advantage`; `of` is the provider, `group` the
    region, empty for everything.
    """
    rows = [row for models in models_of(results) for row in _rows(across(models), providers_of(models))]
    columns = {name: Column(kind, [row.get(name) for row in rows]) for name, kind in COLUMNS.items()}
    return Frame(name="across", columns=columns)


def _rows(found: Across, providers: Providers | None) -> Iterator[dict[str, Any]]:
    models = found.models
    own = {"benchmark": models.benchmark, "metric": models.evaluations[0].headline, "simulated": models.simulated}
    count, families = len(models.evaluations), len(set(models.families))
    for mean in found.means:
        yield own | _estimate(mean) | {"figure": "mean", "models": count, "families": families}
    for each in found.trends:
        slope = each.found._asdict()
        why = format_missing(slope.pop("missing")) or None
        within = "within a family" if each.within else None
        more = {"figure": f"{each.figure} by {each.fact}", "of": within, "p_holm": each.p_holm, "why": why}
        yield own | slope | more | {"units": len(models.shared.first)}
    if providers is None:
        return
    for name, figures in providers.figures.items():
        for figure in figures:
            yield own | _estimate(figure) | {"figure": "provider", "of": name, "models": providers.counts[name]}
    for home in providers.at_home:
        at = {"of": home.provider, "group": home.region, "models": home.models}
        yield own | at | _contrast(home.plain) | {"figure": "home less elsewhere"}
        if home.advantage is not None:
            yield own | at | _contrast(home.advantage) | {"figure": "advantage"}


def _estimate(figure: Estimate) -> dict[str, Any]:
    group = next(iter(figure.group.values()), None)
    ends = {name: getattr(figure, name) for name in ("value", "low", "high")}
    return {**ends, "group": group, "units": figure.graded, "why": format_missing(figure.missing) or None}


def _contrast(found: Contrast) -> dict[str, Any]:
    return {
        "value": found.difference, "low": found.low, "high": found.high, "p": found.p, "p_holm": found.p_adjusted,
        "units": found.units, "why": format_missing(found.missing) or None,
    }  # fmt: skip
