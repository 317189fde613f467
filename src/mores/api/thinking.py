"""What thinking does, as a table for other programs."""

from collections.abc import Mapping, Sequence

from mores.analysis.thinking import ThinkingEffect, ThinkingPair
from mores.api.frames import Column, Frame, Kind, Value
from mores.blocks.reasons import format_missing

KINDS: dict[str, Kind] = {
    "benchmark": "text", "model": "text", "models": "integer", "simulated": "flag", "metric": "text", "less": "text",
    "more": "text", "a": "number", "b": "number", "difference": "number", "low": "number", "high": "number",
    "p": "number", "p_holm": "number", "units": "integer", "clusters": "integer", "gap_less": "number",
    "gap_more": "number", "p_gap": "number", "tokens_less": "number", "tokens_more": "number",
    "tokens_estimated": "flag", "why": "text",
}  # fmt: skip
"""`a` is the score with less thinking and `b` that with more; a row without a model is the mean over models."""


def thinking_frame(effects: Sequence[ThinkingEffect]) -> Frame:
    """A row a pair, and one for the mean over the models of a benchmark where there are several."""
    rows = [row for effect in effects for row in _rows(effect)]
    columns = {name: Column(kind, [row.get(name) for row in rows]) for name, kind in KINDS.items()}
    return Frame(name="thinking", columns=columns)


def _rows(effect: ThinkingEffect) -> list[Mapping[str, Value]]:
    shared: dict[str, Value] = {
        "benchmark": effect.benchmark, "simulated": effect.simulated, "metric": effect.pairs[0].a.headline,
    }  # fmt: skip
    rows: list[Mapping[str, Value]] = [{**shared, **_of_pair(pair)} for pair in effect.pairs]
    if (mean := effect.mean) is not None:
        told = {"difference": mean.value, "low": mean.low, "high": mean.high, "units": mean.graded}
        rows.append({**shared, **told, "models": effect.models, "why": format_missing(mean.missing) or None})
    return rows


def _of_pair(pair: ThinkingPair) -> Mapping[str, Value]:
    whole, gaps, (less, more) = pair.whole, pair.gaps, pair.tokens
    names = ("a", "b", "difference", "low", "high", "p", "units", "clusters")
    return {
        "model": pair.model, "models": 1, "less": pair.said[0], "more": pair.said[1],
        **{name: getattr(whole, name) for name in names},
        "p_holm": whole.p_adjusted, "gap_less": gaps.a, "gap_more": gaps.b, "p_gap": gaps.p,
        "tokens_less": less.mean.value, "tokens_more": more.mean.value,
        "tokens_estimated": less.estimated or more.estimated, "why": format_missing(whole.missing) or None,
    }  # fmt: skip
