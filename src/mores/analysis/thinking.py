"""Effect of thinking: the same models on the same items, told to think more and less.

results that differ in the subject's thinking alone ─▶ pairs, a model and benchmark each ─▶ contrasts, the change of the
gap between places and tokens of thinking ─▶ the mean over models, for other models and other items ─▶ tables, findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from msgspec import Struct, structs

from mores.analysis.aggregate import estimated
from mores.analysis.compatibility import first_mismatch, thinking_of
from mores.analysis.contrast import (
    Contrast,
    ContrastOptions,
    PairedUnits,
    adjusted,
    contrast_of,
    of_common_items,
    paired,
)
from mores.analysis.groups import PLACE
from mores.analysis.model_summary import family_of
from mores.analysis.results import Result, Results
from mores.analysis.units import SharedUnits, headline_units
from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing, cautioned, gravest
from mores.core.seeds import Seed
from mores.stats.checks import ranks
from mores.stats.clusters import clustered
from mores.stats.crossed_effects import mean_over_models
from mores.stats.gaps import GapChange, gap_change
from mores.stats.intervals import ClusteredMeans, mean_interval, no_interval, refused
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, Finding, Paragraph, Span, Words
from mores.tables.columns import BENCHMARK, METRIC, MODEL, SIMULATED

_SEED = Seed("thinking")
NONE_VARIES = Missing(code="values_constant")
_WORDS = ("low", "medium", "high", "on")


class Tokens(NamedTuple):
    """Thinking of a result's subject in tokens an answer, and true if any of it is estimated from its words."""

    mean: Estimate
    estimated: bool


class ThinkingPair(Struct, frozen=True, kw_only=True):
    """One model on one benchmark with less thinking (`a`) and with more (`b`).

    `gaps` are those between places, as both score them.
    """

    a: Result
    b: Result
    whole: Contrast
    gaps: GapChange
    tokens: tuple[Tokens, Tokens]

    @property
    def model(self) -> str:
        """The model."""
        return self.a.model

    @property
    def thinking_settings(self) -> tuple[str, str]:
        """Settings of thinking, less and more."""
        return thinking_of(self.a), thinking_of(self.b)


class ThinkingEffect(Struct, frozen=True, kw_only=True):
    """Effect of thinking on one benchmark: each pair, p corrected for their number, and the mean over models.

    The mean takes each model once, with its least and its most thinking; None where there is one model.
    """

    pairs: tuple[ThinkingPair, ...]
    mean: Estimate | None

    @property
    def benchmark(self) -> str:
        """The benchmark."""
        return self.pairs[0].a.benchmark

    @property
    def metric(self) -> Metric | None:
        """The card's entry for the headline."""
        return self.pairs[0].a.described

    @property
    def models(self) -> int:
        """Number of models."""
        return len({pair.model for pair in self.pairs})

    @property
    def simulated(self) -> bool:
        """True where any of it was made up."""
        return any(pair.a.simulated or pair.b.simulated for pair in self.pairs)


def thinking_effects(results: Results) -> tuple[ThinkingEffect, ...]:
    """Effects of thinking on each benchmark that a model did with more and with less of it."""
    return effects_of([pair for name in results.benchmarks for pair in _pairs_on(results, name)])


def effects_of(pairs: Sequence[tuple[Result, Result]]) -> tuple[ThinkingEffect, ...]:
    """Effects of thinking in these pairs of results of one model each, in any order, by benchmark."""
    ordered = [(min(pair, key=_amount), max(pair, key=_amount)) for pair in pairs]
    names = dict.fromkeys(a.benchmark for a, _ in pairs)
    return tuple(_effect([pair for pair in ordered if pair[0].benchmark == name]) for name in names)


def _pairs_on(results: Results, benchmark: str) -> Iterator[tuple[Result, Result]]:
    """For each model, its result with the least thinking and each with more."""
    done = [each for each in results.on(benchmark) if not each.partial]
    for model in dict.fromkeys(each.model for each in done):
        own = sorted((each for each in done if each.model == model), key=_amount)
        alike = [each for each in own if first_mismatch(own[0], each, allow_other_data=False) is None]
        # backwards, so that of several results of one setting the first stays
        levels = {thinking_of(each): each for each in reversed(alike)}
        if len(levels) > 1:
            yield from ((own[0], each) for level, each in reversed(levels.items()) if level != thinking_of(own[0]))


def _amount(result: Result) -> tuple[int, int]:
    """Key to sort by how much a subject was told to think: off, what its provider thinks best, tokens, words."""
    setting = thinking_of(result)
    if setting.isdecimal():
        return 2, int(setting)
    return (3, _WORDS.index(setting)) if setting in _WORDS else (int(setting != "off"), 0)


def _effect(pairs: Sequence[tuple[Result, Result]]) -> ThinkingEffect:
    found = [_pair(a, b) for a, b in pairs]
    wholes = adjusted([each.whole for each in found])
    # pairs go from little to much thinking, so that the last of a model is its widest
    widest = {a.model: (a, b) for a, b in pairs}
    return ThinkingEffect(
        pairs=tuple(structs.replace(each, whole=whole) for each, whole in zip(found, wholes, strict=True)),
        mean=_marked_mean(found, [*widest.values()]) if len(widest) > 1 else None,
    )


def _pair(a: Result, b: Result) -> ThinkingPair:
    both = paired(*of_common_items(a.scores[a.headline], b.scores[b.headline]))
    terms = ContrastOptions(_SEED.child(a.benchmark, a.model), a.headline, a.described, sides=(a, b))
    return ThinkingPair(
        a=a, b=b, whole=contrast_of(both, terms), gaps=_gaps(both, terms.seed), tokens=(_tokens(a), _tokens(b))
    )  # fmt: skip


def _gaps(both: PairedUnits, seed: Seed) -> GapChange:
    place = both.groups[PLACE].codes
    kept = both.take(place >= 0)
    return gap_change(kept.a, kept.b, kept.groups[PLACE].codes, kept.cluster, seed=seed.child("gap"))


def _tokens(result: Result) -> Tokens:
    """The mean over items of the tokens of thinking that an answer took."""
    spent = tuple(result.stored.thought())
    values = np.array([each.tokens for each in spent], dtype=np.float64)
    items = ranks([each.item for each in spent])
    # tokens that are all alike, such as none at all, have no spread to tell an interval by
    alike = not spent or np.ptp(values) == 0
    interval = no_interval(NONE_VARIES) if alike else mean_interval(values, items, seed=_SEED.child("tokens"))
    mean = estimated("thinking_tokens", float(values.mean()) if spent else nan, interval, asked=len(spent))
    return Tokens(mean, any(each.estimated for each in spent))


def _marked_mean(found: Sequence[ThinkingPair], pairs: Sequence[tuple[Result, Result]]) -> Estimate:
    return cautioned(_mean(pairs), gravest([each.whole.caution for each in found if (each.a, each.b) in pairs]))


def _mean(pairs: Sequence[tuple[Result, Result]]) -> Estimate:
    """The mean difference over models, on the units that all of them have a grade on in both."""
    shared = SharedUnits.of([headline_units(each) for pair in pairs for each in pair])
    keys, size = shared.first.keys, len(shared.first)
    # results stand in turns: less thinking, more thinking, model by model
    gaps = shared.points[1::2] - shared.points[::2]
    families = [family_of(a) for a, _ in pairs]
    asked, metric = size + shared.left_out, pairs[0][0].headline
    if not size:
        return Estimate(
            metric=metric, value=None, asked=asked, graded=0, missing=Missing(code="nothing_graded_for_all")
        )
    over = ClusteredMeans.of(gaps.mean(axis=0), clustered(keys.cluster.codes, keys.place.codes, size))
    interval = refused(over.load) or mean_over_models(gaps.mean(axis=1), families, over.spread(), share=False)
    return estimated(metric, float(gaps.mean()), interval, asked=asked, graded=size)


# The tables, as programs know them.

THINKING = Table.of(
    "thinking",
    "With and without thinking",
    *(BENCHMARK, MODEL, SIMULATED, METRIC),
    Column("less", "text", "how little the model was told to think", title="Thinking"),
    Column("more", "text", "how much", title="More thinking"),
    Column(
        "difference",
        "contrast",
        "the score with more thinking less that with less",
        title="Difference, points",
        main=True,
        ends=("score_more", "score_less"),
    ),
    Column("gap_less", "score", "best place less worst, with less", title="Gap between places"),
    Column("gap_more", "score", "the same with more", title="With more"),
    Column("p_gap", "p", "p of the change of that gap", title="p of the gap"),
    Column("places", "count", "places that the gap is between"),
    Column("tokens_less", "rough", "tokens of thinking an answer, with less", title="Tokens"),
    Column("tokens_more", "rough", "the same with more", title="With more"),
)
"""A row a model and benchmark, and each amount of thinking beside the least."""
MEANS = Table.of(
    "thinking_means",
    "Mean effect of thinking over models",
    *(BENCHMARK, SIMULATED, METRIC),
    Column("models", "count", "models that the mean is over"),
    Column("difference", "estimate", "the mean difference over models", main=True),
)
TOKENS = Table.of(
    "thinking_tokens",
    "Tokens of thinking",
    Column("run", "text", "folder of the run"),
    *(BENCHMARK, MODEL, SIMULATED),
    Column("thinking", "text", "how much the model was told to think"),
    Column("tokens", "estimate", "tokens of thinking an answer", main=True),
    Column("estimated", "flag", "true where some are estimated from the words"),
)


def _row(pair: ThinkingPair) -> Row:
    gaps, rough = pair.gaps, ((each.mean.value, each.estimated) for each in pair.tokens)
    simulated = pair.a.simulated or pair.b.simulated
    whose = (pair.a.benchmark, pair.model, simulated, pair.a.listed())
    return (*whose, *pair.thinking_settings, pair.whole, gaps.a, gaps.b, gaps.p, gaps.regions, *rough)


def _means(effects: Sequence[ThinkingEffect]) -> Iterator[Row]:
    for each in effects:
        if each.mean is not None:
            yield each.benchmark, each.simulated, each.pairs[0].a.listed(), each.models, each.mean


def _spent(effects: Sequence[ThinkingEffect]) -> Iterator[Row]:
    """Each evaluation once, however many others it is held against."""
    pairs = [pair for effect in effects for pair in effect.pairs]
    sides = (side for pair in pairs for side in zip((pair.a, pair.b), pair.thinking_settings, pair.tokens, strict=True))
    once = {result.folder: (result, setting, tokens) for result, setting, tokens in sides}
    for result, setting, tokens in once.values():
        yield str(result.run), result.benchmark, result.model, result.simulated, setting, *tokens


# The same for people.

ABOUT = (
    "Each model answered the same items twice, told to think less and told to think more; all else is equal. A "
    "difference is the score with more thinking minus that with less, in points with its 95% interval. The mean over "
    "models takes each model’s least and most thinking and speaks of other models and other items. A gap is that "
    "between the best and the worst place, wider than the truth as both are noisy; its p comes of swapping the two "
    "scores in whole clusters. Tokens are those of thinking, an answer; ≈ marks what is estimated from its words."
)
SHOWN = (
    "model", Show("less", to="more"), Show("units", minor=True), Show("score_less", "Less"),
    Show("score_more", "More"), "difference", "p_holm",
    Show("gap_less", to="gap_more", format="size"), "p_gap", Show("tokens_less", to="tokens_more"),
)  # fmt: skip


def analyse(results: Results) -> AnalysisResult | None:
    """Effects of thinking; None where no model did the same with more and with less of it."""
    return result_of(thinking_effects(results))


def result_of(effects: Sequence[ThinkingEffect]) -> AnalysisResult | None:
    """Result for effects of thinking in some runs, or in two that are compared; None of no effects."""
    if not effects:
        return None
    rows = [tuple(map(_row, each.pairs)) for each in effects]
    filled = THINKING.filled(row for own in rows for row in own)
    views = (block for each, own in zip(effects, rows, strict=True) for block in _blocks(filled, each, own))
    return AnalysisResult(
        tables=(
            filled,
            MEANS.filled(_means(effects)),
            TOKENS.filled(_spent(effects)),
        ),
        blocks=(Paragraph(ABOUT, "explanation"), *views),
        findings=tuple(finding for each in effects for finding in _findings(each)),
    )


def _blocks(filled: FilledTable, effect: ThinkingEffect, rows: tuple[Row, ...]) -> Iterator[Block]:
    return blocks_of(
        filled,
        View(title=f"Thinking on {effect.benchmark}", rows=rows, shown=SHOWN, says=(mean_over_models_in(effect),)),
    )


def mean_over_models_in(effect: ThinkingEffect) -> Words:
    """The mean over models with its interval and n, in a sentence."""
    name, mean = Span(effect.benchmark, "code"), effect.mean
    if mean is None:
        return "One model on ", name, ": nothing is said of others."
    change = CellValue(mean, "signed", effect.metric)
    n = (CellValue(effect.models), " models, ", CellValue(mean.graded), " units that all have a grade on.")
    why = () if mean.missing is None else (" No interval: ", CellValue(mean.missing, "why"), ".")
    return "Mean over models on ", name, ": ", change, " points; ", *n, *why


def format_spent(pair: ThinkingPair) -> str:
    """Tokens of thinking an answer with less and with more of it; what is estimated from its words is marked."""
    return " → ".join(words.format_rough(tokens.mean.value, tokens.estimated) for tokens in pair.tokens)


def _findings(effect: ThinkingEffect) -> Iterator[Finding]:
    """Findings on models that thinking changes; that nothing is found, once for all."""
    name = Span(effect.benchmark, "code")
    for pair in effect.pairs:
        if pair.whole.found and pair.whole.difference is not None:
            way = "more" if pair.whole.difference > 0 else "less"
            change = CellValue(pair.whole, metric=effect.metric)
            yield Finding(
                id=f"thinking.{way}",
                words=(
                    Span(pair.model, "model"),
                    " ",
                    Span("gets", several="get"),
                    f" {way} on ",
                    name,
                    f" with thinking {pair.thinking_settings[1]}.",
                ),
                sure=(change, " points, ", CellValue(pair.whole.p_adjusted, "full_p"), " after correction."),
            )
    if not any(pair.whole.found for pair in effect.pairs):
        yield Finding(
            id="thinking.none",
            words=("No effect of thinking is found on ", name, "."),
            sure=words.describe_detectable((pair.whole for pair in effect.pairs), effect.metric),
            found=False,
        )


THINKING_ANALYSIS = Analysis(
    id="thinking", title="With and without thinking", tables=(THINKING, MEANS, TOKENS), analyse=analyse, order=11
)
