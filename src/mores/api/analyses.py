"""What analyses found, as tables: each is declared as columns and made from rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mores.analysis.across import Across, across, models_of
from mores.analysis.contrast import Contrast
from mores.analysis.providers import Providers, providers_of
from mores.analysis.results import Result, Results
from mores.analysis.thinking import ThinkingEffect, ThinkingPair
from mores.analysis.variants import variants
from mores.api.frames import Frame, Kind
from mores.blocks.reasons import format_caution, format_missing
from mores.core.estimate import Estimate, caution_of

Row = Mapping[str, Any]
Kinds = dict[str, Kind]
WHOSE: Kinds = {"run": "text", "model": "text", "benchmark": "text", "simulated": "flag"}
ACROSS: Kinds = {
    "benchmark": "text", "metric": "text", "simulated": "flag", "figure": "text", "of": "text", "group": "text",
    "value": "number", "low": "number", "high": "number", "p": "number", "p_holm": "number", "models": "integer",
    "families": "integer", "units": "integer", "why": "text", "caution": "text",
}  # fmt: skip
FACET: Kinds = dict.fromkeys(
    ("mean", "low", "high", "spread", "spread_low", "spread_high", "p", "deviation", "deviation_low", "deviation_high"),
    "number",
)
WORDINGS: Kinds = {
    **WHOSE, "kind": "text", "number": "integer", "value": "number", **FACET, "p_adjusted": "number",
    "units": "integer", "caution": "text",
}  # fmt: skip
THINKING: Kinds = {
    "benchmark": "text", "model": "text", "models": "integer", "simulated": "flag", "metric": "text", "less": "text",
    "more": "text", "a": "number", "b": "number", "difference": "number", "low": "number", "high": "number",
    "p": "number", "p_holm": "number", "units": "integer", "clusters": "integer", "gap_less": "number",
    "gap_more": "number", "p_gap": "number", "tokens_less": "number", "tokens_more": "number",
    "tokens_estimated": "flag", "why": "text", "caution": "text",
}  # fmt: skip
"""`a` is the score with less thinking and `b` that with more; a row without a model is the mean over models."""


def across_frame(results: Results) -> Frame:
    """A row a figure of several models together, in points of the metric.

    `figure` is `mean` (over models), `provider` (the mean of one's models), `score by FACT` or `gap by FACT` (a slope,
    `within a family` where `of` says so), `home less elsewhere` or `advantage`; `of` is the provider, `group` the
    region, empty for everything.
    """
    rows = (row for models in models_of(results) for row in _across(across(models), providers_of(models)))
    return Frame.of_rows("across", ACROSS, rows)


def wordings_frame(results: Results) -> Frame:
    """A row a wording or order that something was asked in: its mean over the units that have a grade in all of them.

    The last columns are of all wordings (or orders) together, the same in each of their rows.
    """
    found = variants(results)
    rows = (
        {
            **_whose(row.first), "kind": row.kind, "number": number,
            "value": row.found.means[at] if row.found.means else None,
            **_named(row.found, FACET), "p_adjusted": row.p_adjusted, "units": row.found.units,
            "caution": _caution(row),
        }
        for row in (() if found is None else found.rows) for at, number in enumerate(row.numbers)
    )  # fmt: skip
    return Frame.of_rows("wordings", WORDINGS, rows)


def thinking_frame(effects: Sequence[ThinkingEffect]) -> Frame:
    """A row a pair, and one for the mean over the models of a benchmark where there are several."""
    return Frame.of_rows("thinking", THINKING, (row for effect in effects for row in _thinking(effect)))


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


def _thinking(effect: ThinkingEffect) -> Iterator[Row]:
    shared = {"benchmark": effect.benchmark, "simulated": effect.simulated, "metric": effect.pairs[0].a.headline}
    for pair in effect.pairs:
        yield shared | _of_pair(pair)
    if (mean := effect.mean) is not None:
        told = {"difference": mean.value, "low": mean.low, "high": mean.high, "units": mean.graded}
        yield {**shared, **told, "models": effect.models, **_said_of(mean)}


def _of_pair(pair: ThinkingPair) -> dict[str, Any]:
    whole, gaps, (less, more) = pair.whole, pair.gaps, pair.tokens
    names = ("a", "b", "difference", "low", "high", "p", "units", "clusters")
    return {
        "model": pair.model, "models": 1, "less": pair.said[0], "more": pair.said[1],
        **_named(whole, names),
        "p_holm": whole.p_adjusted, "gap_less": gaps.a, "gap_more": gaps.b, "p_gap": gaps.p,
        "tokens_less": less.mean.value, "tokens_more": more.mean.value,
        "tokens_estimated": less.estimated or more.estimated, **_said_of(whole),
    }  # fmt: skip


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
