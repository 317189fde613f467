"""What thinking does: the same models on the same items, told to think more and less.

results that differ in the subject's thinking alone ─▶ pairs, a model and benchmark each ─▶ contrasts, the change of the
gap between places and tokens of thinking ─▶ the mean over models, for other models and other items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import NamedTuple

from msgspec import Struct, structs

from mores.analysis.across import family_of
from mores.analysis.aggregate import estimated
from mores.analysis.comparable import thinking_of, unlike
from mores.analysis.contrast import Contrast, Pairs, Terms, adjusted, contrast_of, of_common_items, paired
from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results
from mores.analysis.units import SharedUnits, headline_units
from mores.core.arrays import np
from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing, cautioned, gravest
from mores.core.seeds import Seed
from mores.stats.arrays import ranks
from mores.stats.clusters import clustered
from mores.stats.crossed import mean_over_models
from mores.stats.gaps import GapChange, gap_change
from mores.stats.intervals import Layout, mean_interval, no_interval, refused

_SEED = Seed("thinking")
NONE_VARIES = Missing(code="values_constant")
_WORDS = ("low", "medium", "high", "on")


class Tokens(NamedTuple):
    """What thinking a result's subject did, in tokens an answer, and whether any of it is estimated from its words."""

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
    def said(self) -> tuple[str, str]:
        """How much it was told to think."""
        return thinking_of(self.a), thinking_of(self.b)


class ThinkingEffect(Struct, frozen=True, kw_only=True):
    """What thinking does on one benchmark: each pair, p corrected for their number, and the mean over models.

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
        """What the card says of the headline."""
        return self.pairs[0].a.described

    @property
    def models(self) -> int:
        """How many models there are."""
        return len({pair.model for pair in self.pairs})

    @property
    def simulated(self) -> bool:
        """True where any of it was made up."""
        return any(pair.a.simulated or pair.b.simulated for pair in self.pairs)


def thinking_effects(results: Results) -> tuple[ThinkingEffect, ...]:
    """What thinking does on each benchmark that a model did with more and with less of it."""
    return effects_of([pair for name in results.benchmarks for pair in _pairs_on(results, name)])


def effects_of(pairs: Sequence[tuple[Result, Result]]) -> tuple[ThinkingEffect, ...]:
    """What thinking does in these pairs of results of one model each, in any order, by benchmark."""
    ordered = [(min(pair, key=_amount), max(pair, key=_amount)) for pair in pairs]
    names = dict.fromkeys(a.benchmark for a, _ in pairs)
    return tuple(_effect([pair for pair in ordered if pair[0].benchmark == name]) for name in names)


def _pairs_on(results: Results, benchmark: str) -> Iterator[tuple[Result, Result]]:
    """For each model, its result with the least thinking and each with more."""
    done = [each for each in results.on(benchmark) if not each.partial]
    for model in dict.fromkeys(each.model for each in done):
        own = sorted((each for each in done if each.model == model), key=_amount)
        alike = [each for each in own if unlike(own[0], each, allow_other_data=False) is None]
        levels = {thinking_of(each): each for each in reversed(alike)}
        if len(levels) > 1:
            yield from ((own[0], each) for level, each in reversed(levels.items()) if level != thinking_of(own[0]))


def _amount(result: Result) -> tuple[int, int]:
    """How much a subject was told to think, to sort by: off, what its provider thinks best, tokens, words."""
    told = thinking_of(result)
    if told.isdecimal():
        return 2, int(told)
    return (3, _WORDS.index(told)) if told in _WORDS else (int(told != "off"), 0)


def _effect(pairs: Sequence[tuple[Result, Result]]) -> ThinkingEffect:
    found = [_pair(a, b) for a, b in pairs]
    wholes = adjusted([each.whole for each in found])
    widest = {a.model: (a, b) for a, b in pairs}
    return ThinkingEffect(
        pairs=tuple(structs.replace(each, whole=whole) for each, whole in zip(found, wholes, strict=True)),
        mean=_marked_mean(found, [*widest.values()]) if len(widest) > 1 else None,
    )


def _pair(a: Result, b: Result) -> ThinkingPair:
    both = paired(*of_common_items(a.scores[a.headline], b.scores[b.headline]))
    terms = Terms(_SEED.child(a.benchmark, a.model), a.headline, a.described, sides=(a, b))
    return ThinkingPair(
        a=a, b=b, whole=contrast_of(both, terms), gaps=_gaps(both, terms.seed), tokens=(_tokens(a), _tokens(b))
    )  # fmt: skip


def _gaps(both: Pairs, seed: Seed) -> GapChange:
    place = both.groups[PLACE].codes
    kept = both.take(place >= 0)
    return gap_change(kept.a, kept.b, kept.groups[PLACE].codes, kept.cluster, seed=seed.child("gap"))


def _tokens(result: Result) -> Tokens:
    """The mean over items of the tokens of thinking that an answer took."""
    spent = tuple(result.stored.thought())
    values = np.array([each.tokens for each in spent], dtype=np.float64)
    items = ranks([each.item for each in spent])
    alike = not spent or np.ptp(values) == 0
    interval = (
        no_interval(NONE_VARIES) if alike else mean_interval(values, items, binary=False, seed=_SEED.child("tokens"))
    )
    mean = estimated("thinking_tokens", float(values.mean()) if spent else nan, interval, asked=len(spent))
    return Tokens(mean, any(each.estimated for each in spent))


def _marked_mean(found: Sequence[ThinkingPair], pairs: Sequence[tuple[Result, Result]]) -> Estimate:
    return cautioned(_mean(pairs), gravest([each.whole.caution for each in found if (each.a, each.b) in pairs]))


def _mean(pairs: Sequence[tuple[Result, Result]]) -> Estimate:
    """The mean difference over models, on the units that all of them have a grade on in both."""
    shared = SharedUnits.of([headline_units(each) for pair in pairs for each in pair])
    keys, size = shared.first.keys, len(shared.first)
    gaps = shared.points[1::2] - shared.points[::2]
    families = [family_of(a) for a, _ in pairs]
    asked, metric = size + shared.left_out, pairs[0][0].headline
    if not size:
        return Estimate(
            metric=metric, value=None, asked=asked, graded=0, missing=Missing(code="nothing_graded_for_all")
        )
    over = Layout.of(gaps.mean(axis=0), clustered(keys.cluster.codes, keys.place.codes, size))
    interval = refused(over.load) or mean_over_models(gaps.mean(axis=1), families, over.spread(), share=False)
    return estimated(metric, float(gaps.mean()), interval, asked=asked, graded=size)
