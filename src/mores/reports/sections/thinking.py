"""What thinking does as blocks: each model with less and with more of it, the mean over models, and what it took."""

from collections.abc import Iterator, Sequence

from mores.analysis.results import Results
from mores.analysis.thinking import ThinkingEffect, ThinkingPair, thinking_effects
from mores.blocks import Block, Cell, Column, Finding, Section, Span, Table, Text, Value, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.card import Metric
from mores.reports.sections.comparison import effect_to_dict

ABOUT = (
    "Each model answered the same items twice, told to think less and told to think more; all else is equal. A "
    "difference is the score with more thinking minus that with less, in points with its 95% interval. The mean over "
    "models takes each model’s least and most thinking and speaks of other models and other items. A gap is that "
    "between the best and the worst place, wider than the truth as both are noisy; its p comes of swapping the two "
    "scores in whole clusters. Tokens are those of thinking, an answer; ≈ marks what is estimated from its words."
)


def thinking_section(results: Results) -> Section | None:
    """What thinking does; None where no model did the same with more and with less of it."""
    found = thinking_effects(results)
    if not found:
        return None
    return Section(
        id="thinking",
        title="With and without thinking",
        order=11,
        blocks=tuple(thinking_blocks(found)),
        data=[effect_to_dict(each) for each in found],
        findings=tuple(finding for each in found for finding in _findings(each)),
    )


def thinking_blocks(found: Sequence[ThinkingEffect]) -> Iterator[Block]:
    """A table and a sentence for each benchmark."""
    yield Text(words=ABOUT, role="explanation")
    for each in found:
        yield _table(each)
        yield Text(words=mean_over_models(each), role="finding")


def _table(effect: ThinkingEffect) -> Table:
    metric, family = effect.metric, effect.pairs[0].whole.family
    columns = (
        "Model",
        "Thinking",
        Column(title="n", format="count", minor=True),
        Column(title="Less", format="share", metric=metric),
        Column(title="More", format="share", metric=metric),
        Column(title="Difference, points", metric=metric),
        Column(title=f"p (Holm, {family})", format="p"),
        "Gap between places",
        Column(title="p of the gap", format="p"),
        "Tokens",
    )
    made_up = " (simulated)" if effect.simulated else ""
    rows = (_cells(pair, metric) for pair in effect.pairs)
    return Table.of(f"Thinking on {effect.benchmark}{made_up}", columns, rows)


def _cells(pair: ThinkingPair, metric: Metric | None) -> tuple[Cell, ...]:
    less, more = pair.said
    whole, gaps = pair.whole, pair.gaps
    ends = [words.format_number(each, metric, sign=False) for each in (gaps.a, gaps.b)]
    return (
        Span(pair.model, "model"), f"{less} → {more}", whole.units, whole.a, whole.b, whole, whole.p_adjusted,
        "–" if gaps.p is None else " → ".join(ends), gaps.p, told_tokens(pair),
    )  # fmt: skip


def told_tokens(pair: ThinkingPair) -> str:
    """What thinking took with less and with more of it; what is estimated from its words is marked."""
    return " → ".join(
        words.DASH if tokens.mean.value is None else f"{'≈' * tokens.estimated}{tokens.mean.value:,.0f}"
        for tokens in pair.tokens
    )


def mean_over_models(effect: ThinkingEffect) -> Words:
    """The mean over models with its interval and n, in a sentence."""
    name, mean = Span(effect.benchmark, "code"), effect.mean
    if mean is None:
        return "One model on ", name, ": nothing is said of others."
    why = f" No interval: {format_missing(mean.missing)}." if mean.missing else ""
    n = f"{words.plural(effect.models, 'model')}, {mean.graded:,} units that all have a grade on"
    change = Value(value=mean, format="signed", metric=effect.metric)
    return "Mean over models on ", name, ": ", change, f" points; {n}.{why}"


def _findings(effect: ThinkingEffect) -> Iterator[Finding]:
    """Whom thinking changes, and for whom places lie further apart or nearer; that nothing is found, once for all."""
    name = Span(effect.benchmark, "code")
    for pair in effect.pairs:
        difference = pair.whole.difference
        if pair.whole.found and difference is not None:
            way = "more" if difference > 0 else "less"
            told = (Span(pair.model, "model"), f" gets {way} on ", name, f" with thinking {pair.said[1]}.")
            p = words.format_p(pair.whole.p_adjusted)
            sure = f"{words.format_difference(pair.whole, effect.metric)} points, {p} after correction."
            yield Finding(words=told, sure=sure)
    if not any(pair.whole.found for pair in effect.pairs):
        least = words.describe_detectable((pair.whole for pair in effect.pairs), effect.metric)
        yield Finding(words=("No effect of thinking is found on ", name, "."), sure=least, found=False)
