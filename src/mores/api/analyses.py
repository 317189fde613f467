"""What analyses found, as tables: each is declared as columns and made from rows."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mores.analysis.across import Across, across, models_of
from mores.analysis.comparison import Comparison
from mores.analysis.contrast import Contrast
from mores.analysis.providers import Providers, providers_of
from mores.analysis.results import Result, Results
from mores.api.frames import Frame, Kind
from mores.blocks.reasons import format_caution, format_missing
from mores.core.estimate import Estimate, caution_of
from mores.reports.sections.comparison import KEYS

Row = Mapping[str, Any]
Kinds = dict[str, Kind]
WHOSE: Kinds = {"run": "text", "model": "text", "benchmark": "text", "simulated": "flag"}
ACROSS: Kinds = {
    "benchmark": "text", "metric": "text", "simulated": "flag", "figure": "text", "of": "text", "group": "text",
    "value": "number", "low": "number", "high": "number", "p": "number", "p_holm": "number", "models": "integer",
    "families": "integer", "units": "integer", "why": "text", "caution": "text",
}  # fmt: skip
DIFFERENCES: Kinds = {
    "benchmark": "text", "model_a": "text", "model_b": "text", "metric": "text", "kind": "text", "group": "text",
    "a": "number", "b": "number", "difference": "number", "low": "number", "high": "number", "p": "number",
    "p_holm": "number", "p_bh": "number", "detectable": "number", "units": "integer", "clusters": "integer",
    "why": "text", "caution": "text",
}  # fmt: skip


def across_frame(results: Results) -> Frame:
    """A row a figure of several models together, in points of the metric.

    `figure` is `mean` (over models), `provider` (the mean of one's models), `score by FACT` or `gap by FACT` (a slope,
    `within a family` where `of` says so), `home less elsewhere` or `advantage`; `of` is the provider, `group` the
    region, empty for everything.
    """
    rows = (row for models in models_of(results) for row in _across(across(models), providers_of(models)))
    return Frame.of_rows("across", ACROSS, rows)


def differences_frame(found: Comparison) -> Frame:
    """A row a difference, B less A: of the headline over everything, its groups, and other metrics."""
    rows = (
        {
            "benchmark": of.benchmark, "model_a": of.a.model, "model_b": of.b.model, "metric": each.metric,
            "kind": each.group.kind or None, "group": each.group.value or None,
            **{key: getattr(each, name) for key, name in KEYS.items()}, **_said_of(each),
        }
        for of in found.compared
        for each in (of.whole, *(one for members in of.families.values() for one in members), *of.beside)
    )  # fmt: skip
    return Frame.of_rows("differences", DIFFERENCES, rows)


def _across(found: Across, providers: Providers | None) -> Iterator[Row]:
    models = found.models
    own = {"benchmark": models.benchmark, "metric": models.evaluations[0].headline, "simulated": models.simulated}
    count, families = len(models.evaluations), len(set(models.families))
    for mean in found.means:
        yield own | _estimate(mean) | {"figure": "mean", "models": count, "families": families}
    for each in found.trends:
        within = "within a family" if each.within else None
        more = {"figure": f"{each.figure} by {each.fact}", "of": within, "p_holm": each.p_holm}
        told = {"units": len(models.shared.first), "why": _why(each.found), "caution": _caution(each)}
        yield own | each.found._asdict() | more | told
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
    return {**_named(figure, ("value", "low", "high")), "group": group, "units": figure.graded, **_said_of(figure)}


def _contrast(found: Contrast) -> dict[str, Any]:
    told = {"value": found.difference, "p_holm": found.p_adjusted, **_said_of(found)}
    return told | _named(found, ("low", "high", "p", "units"))


def _whose(result: Result) -> dict[str, Any]:
    return {"run": str(result.run), "model": result.label, **_named(result, ("benchmark", "simulated"))}


def _named(found: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def _why(found: Any) -> str | None:
    return format_missing(found.missing) or None


def _said_of(found: Any) -> dict[str, str | None]:
    """Why something of it is missing, and what has to be known of it."""
    return {"why": _why(found), "caution": _caution(found)}


def _caution(found: object) -> str | None:
    caution = caution_of(found)
    return None if caution is None else format_caution(caution)
