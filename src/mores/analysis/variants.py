"""Dependence of headlines on the wording of a question and on the order of its options or labels.

the first evaluation and the same in other wordings (or orders) ─▶ units graded in all of them ─▶ the figure in each,
how far they lie apart, what is left of that without the units' noise, and whether models change places.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import nan
from typing import Literal, get_args

import numpy as np
from msgspec import Struct

from mores.analysis.contrast import (
    LEVEL,
    Contrast,
    ContrastOptions,
    PairedUnits,
    adjusted,
    contrast_of,
    known,
    metric_range,
)
from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results, caution_of_several
from mores.analysis.units import SharedUnits, headline_units, shared_rows
from mores.core.card import FIRST, Metric, Variant
from mores.core.estimate import Caution, Estimate, cautioned
from mores.core.seeds import Seed
from mores.stats.gaps import Facet, facet
from mores.stats.ranks import holm
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, DifferenceCell, Finding, Paragraph, Span, Words
from mores.tables.columns import BENCHMARK, EVALUATION, METRIC, SIMULATED

VariantKind = Literal["wording", "order"]
KINDS: tuple[VariantKind, ...] = get_args(VariantKind)
PARAPHRASE_OF, DATE = "paraphrase_of", "date"
"""Groups of an item: the item that it puts in other words, and when it was written (2024, 2024-05 or 2024-05-31)."""
_SEED = Seed("variants")


class VariantUnits(Struct, frozen=True, eq=False, kw_only=True):
    """The same units of one model in each variant of a kind."""

    results: tuple[Result, ...]
    shared: SharedUnits

    @property
    def first(self) -> Result:
        """In the first wording and order, which the headline is of."""
        return self.results[0]

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of these variants of the kind."""
        return tuple(max(each.variant.wording, each.variant.order) for each in self.results)


class VariantSensitivity(Struct, frozen=True, eq=False, kw_only=True):
    """Dependence of one model's headline on one benchmark on the wording, or on the order.

    `figures` are the estimates of each variant over all its units; `found` is over the units that all have a grade on.
    `p_adjusted` is Holm's over all rows of one kind. `caution` is what has to be known of the answers in them.
    """

    kind: VariantKind
    first: Result
    numbers: tuple[int, ...]
    figures: tuple[Estimate | None, ...]
    found: Facet
    p_adjusted: float | None = None
    caution: Caution | None = None

    @property
    def metric(self) -> Metric | None:
        """The headline's metric."""
        return self.first.described

    @property
    def mean(self) -> Estimate:
        """The mean over units and variants."""
        found = self.found
        mean = Estimate(metric=self.first.headline, value=found.mean, low=found.low, high=found.high, asked=found.units,
                        graded=found.units, missing=found.missing)  # fmt: skip
        return cautioned(mean, self.caution)

    @property
    def spread(self) -> DifferenceCell:
        """The largest difference between variants."""
        of = self.found
        return DifferenceCell(difference=of.spread, low=of.spread_low, high=of.spread_high, missing=of.missing,
                     caution=self.caution)  # fmt: skip


class OrderReversal(Struct, frozen=True, kw_only=True):
    """Two models of which one is ahead in one variant and the other in another; `certain` where both are found."""

    benchmark: str
    kind: VariantKind
    one: str
    other: str
    certain: bool


class RankStability(Struct, frozen=True, kw_only=True):
    """Stability of models' order on one benchmark: pairs of models, and those that do not."""

    benchmark: str
    kind: VariantKind
    models: int
    variants: int
    pairs: int
    units: int
    reversals: tuple[OrderReversal, ...]
    simulated: bool


class Variants(Struct, frozen=True, eq=False, kw_only=True):
    """All that is known of wordings and orders in some runs."""

    rows: tuple[VariantSensitivity, ...]
    orders: tuple[RankStability, ...]


Analyse = Callable[[Results], AnalysisResult | None]


def where(there: Callable[[Results], bool], analyse: Analyse) -> Analyse:
    """The same analysis, which begins only where runs have what it is of: most have not, and need not wait for it."""
    return lambda results: analyse(results) if there(results) else None


def several_asked(results: Results) -> bool:
    """True where anything besides items was tried in several: wordings, orders, samples or judges."""
    return bool(results.variants) or any(
        each.provenance.protocol.samples > 1 or len(each.judges) > 1 for each in results.evaluations
    )


def others_of_items(results: Results) -> bool:
    """True where items have other wordings, paraphrases or dates."""
    known = {PARAPHRASE_OF, DATE}
    groups = (each.stored.headline_rows.keys.groups for each in results.evaluations if is_mean_of_rows(each))
    return bool(results.variants) or bool(results.dates) or any(known & each.keys() for each in groups)


def is_mean_of_rows(result: Result) -> bool:
    """True of a finished result whose headline is the mean over its units."""
    return not result.partial and result.is_mean


@lru_cache(maxsize=1)
def variants(results: Results) -> Variants | None:
    """Dependence of headlines on wordings and orders; None where everything was asked in one.

    A headline that is no mean of its units (an F1, say) is left out: its variants can be opened one by one.
    """
    asked = {kind: tuple(_asked(results, kind)) for kind in KINDS}
    rows = [row for kind in KINDS for row in _sensitivities(kind, asked[kind])]
    if not rows:
        return None
    return Variants(rows=tuple(rows), orders=tuple(o for kind in KINDS for o in _orders(kind, asked[kind])))


def in_variants(results: Results, first: Result, kind: VariantKind) -> tuple[Result, ...]:
    """An evaluation and the same in other variants of a kind, in their order."""
    others = (each for each in results.variants_of(first) if _is_of(kind, each.variant))
    return first, *sorted(others, key=lambda each: each.variant)


def _asked(results: Results, kind: VariantKind) -> Iterator[VariantUnits]:
    for first in results.evaluations:
        every = in_variants(results, first, kind)
        if len(every) > 1 and first.is_mean:
            yield VariantUnits(results=every, shared=SharedUnits.of([headline_units(each) for each in every]))


def _is_of(kind: VariantKind, asked: Variant) -> bool:
    """True if a variant differs from the first in nothing but a kind."""
    return asked == FIRST._replace(**{kind: getattr(asked, kind)})


def _sensitivities(kind: VariantKind, asked: Sequence[VariantUnits]) -> list[VariantSensitivity]:
    found = []
    for each in asked:
        keys, seed = each.shared.first.keys, _SEED.child(kind, each.first.benchmark)
        found.append(facet(each.shared.points.T, keys.cluster.codes, strata=keys.place.codes, seed=seed))
    # rows of one kind are a family, as the largest of them is what a reader sees
    corrected = holm([nan if each.p is None else each.p for each in found]).tolist()
    return [
        VariantSensitivity(kind=kind, first=each.first, numbers=each.numbers,
            figures=tuple(r.overall() for r in each.results),
                    found=of, p_adjusted=known(p), caution=caution_of_several(each.results, each.first.headline, {}))
        for each, of, p in zip(asked, found, corrected, strict=True)
    ]  # fmt: skip


def _orders(kind: VariantKind, asked: Sequence[VariantUnits]) -> Iterator[RankStability]:
    for benchmark in dict.fromkeys(each.first.benchmark for each in asked):
        models = [each for each in asked if each.first.benchmark == benchmark]
        if len(models) > 1:
            yield _order(kind, benchmark, models)


def _order(kind: VariantKind, benchmark: str, models: Sequence[VariantUnits]) -> RankStability:
    """Each pair of models on the units that both have in every variant that both have; all tests are one family."""
    pairs = list(combinations(models, 2))
    tested = [list(_contrasts(one, other)) for one, other in pairs]
    family = adjusted([each for of_pair in tested for each in of_pair])
    reversals = []
    for (one, other), of_pair in zip(pairs, tested, strict=True):
        # all pairs were corrected together, and each takes its own tests back
        mine, family = family[: len(of_pair)], family[len(of_pair) :]
        # equal means are no lead
        ahead = {np.sign(c.difference) for c in mine if c.difference}
        found = {np.sign(c.difference) for c in mine if c.difference and c.found}
        if len(ahead) > 1:
            who = {"one": one.first.label, "other": other.first.label}
            reversals.append(OrderReversal(benchmark=benchmark, kind=kind, **who, certain=len(found) > 1))
    return RankStability(
        benchmark=benchmark,
        kind=kind,
        models=len(models),
        variants=min(len(each.results) for each in models),
        pairs=len(pairs),
        units=min((each.units for of_pair in tested for each in of_pair), default=0),
        reversals=tuple(reversals),
        simulated=any(each.first.simulated for each in models),
    )


def _contrasts(one: VariantUnits, other: VariantUnits) -> Iterator[Contrast]:
    """The difference of two models in each variant that both have, on the units that both have in all."""
    # the same units in each variant, so that models change places by the wording and not by the units
    kept, at = shared_rows([one.shared.first, other.shared.first])
    keys = one.shared.first.keys.take(kept)
    for number in sorted(set(one.numbers) & set(other.numbers)):
        a, b = (each.shared.points[each.numbers.index(number)] for each in (one, other))
        pairs = PairedUnits(
            a=a[kept], b=b[at], cluster=keys.cluster.codes, groups={PLACE: keys.place}, shared=len(kept)
        )
        seed = _SEED.child("order", one.first.benchmark, number)
        yield contrast_of(pairs, ContrastOptions(seed, one.first.headline, one.first.described))


KIND = Column("kind", "text", "`wording`, or `order` of options or labels")
WORDINGS = Table.of(
    "wordings",
    "Dependence on prompt variants and orders",
    *(EVALUATION, KIND, METRIC),
    Column("first", "estimate", "the headline, which is of the first variant"),
    Column("mean", "estimate", "the mean over units and variants", title="Mean of all", main=True),
    Column("spread", "size", "the best variant less the worst", title="Largest difference, points"),
    Column("p", "p", "p of all variants being equal, corrected for their pairs", title="p"),
    Column("p_holm", "p", "the same after Holm's correction for rows of a kind", title="p (Holm)"),
    Column("units", "count", "units that have a grade in all variants"),
    Column("clusters", "count", "independent clusters of them"),
)
"""A row a model, benchmark and kind of variants."""
EACH = Table.of(
    "wordings_each",
    "Each prompt variant and order",
    *(EVALUATION, KIND, METRIC),
    Column("number", "count", "which variant of its kind"),
    Column("value", "score", "the mean over units that have a grade in all of them"),
    Column("figure", "estimate", "the headline over all its own units", title="Headline", main=True),
)
ORDERS = Table.of(
    "wordings_orders",
    "Models that change their order",
    *(BENCHMARK, SIMULATED, KIND),
    Column("models", "count", "models that were asked in several variants"),
    Column("variants", "count", "variants that each has at least"),
    Column("pairs", "count", "pairs of models"),
    Column("reversed", "count", "pairs whose order changes"),
    Column("units", "count", "units that a pair has at least"),
)
REVERSALS = Table.of(
    "wordings_reversals",
    "Pairs of models that change their order",
    BENCHMARK,
    KIND,
    Column("one", "model", "ahead in one variant"),
    Column("other", "model", "ahead in another"),
    Column("certain", "flag", "true where both are found after Holm's correction"),
)


def _row(row: VariantSensitivity) -> Row:
    first, found = row.first, row.found
    tested = (row.spread, found.p, row.p_adjusted)
    return first, row.kind, row.first.listed(), row.figures[0], row.mean, *tested, found.units, found.clusters


def _each(row: VariantSensitivity) -> Iterator[Row]:
    means = row.found.means or (None,) * len(row.numbers)
    for number, mean, figure in zip(row.numbers, means, row.figures, strict=True):
        yield row.first, row.kind, row.first.listed(), number, mean, figure


def _of_order(order: RankStability) -> Row:
    counts = (order.models, order.variants, order.pairs, len(order.reversals), order.units)
    return order.benchmark, order.simulated, order.kind, *counts


# The same for people.

NAMES: dict[VariantKind, str] = {"wording": "prompt variant", "order": "option order"}
ABOUT = (
    "The same questions were also asked in other prompt variants or option orders. Headlines are of the first alone. "
    "Everything else here is over the units that have a grade in all of them. The largest difference is between the "
    "best and the worst of them; its interval allows for having looked at all pairs. What other variants would add to "
    "the error of a headline stands under sources of variance. p-values are corrected (Holm) for the pairs and for the "
    "rows of a table."
)
SHOWN = (
    "evaluation", "first", "mean", "spread",
    Show("p_holm", sort="ascending"), "units", Show("clusters", minor=True),
)  # fmt: skip


def analyse(results: Results) -> AnalysisResult | None:
    """Dependence of headlines on wordings and orders; None where everything was asked in one."""
    found = variants(results)
    if found is None:
        return None
    reversals = (pair for order in found.orders for pair in order.reversals)
    whole = WORDINGS.filled(map(_row, found.rows))
    each = EACH.filled(row for of in found.rows for row in _each(of))
    views = (block for kind in KINDS for block in _blocks(kind, whole, each, found.orders))
    return AnalysisResult(
        tables=(
            whole,
            each,
            ORDERS.filled(map(_of_order, found.orders)),
            REVERSALS.filled((p.benchmark, p.kind, p.one, p.other, p.certain) for p in reversals),
        ),
        blocks=(Paragraph(ABOUT, "explanation"), *views),
        findings=tuple(_findings(found)),
    )


def _blocks(
    kind: VariantKind, whole: FilledTable, each: FilledTable, orders: Sequence[RankStability]
) -> Iterator[Block]:
    """Dependence of each model on a kind of variants, its mean in each of them, and reversals of models."""
    rows, members = (tuple(row for row in filled.rows if row[1] == kind) for filled in (whole, each))
    heads = {number: f"Mean in {NAMES[kind]} {number}" for number in sorted({row[3] for row in members})}
    yield from blocks_of(whole, View(title=f"Dependence on the {NAMES[kind]}", rows=rows, shown=SHOWN))
    shown = ("evaluation",)
    title = f"Mean in each {NAMES[kind]}, over the units graded in all"
    yield from blocks_of(each, View(title=title, rows=members, shown=shown, across="number", cell="value", heads=heads))
    yield from (Paragraph(_in_words(order)) for order in orders if order.kind == kind)


def _in_words(order: RankStability) -> Words:
    """Stability of models' order, in a sentence."""
    counts = (
        ": pairs of models that change their order over ", CellValue(order.variants),
        f" {NAMES[order.kind]}s (a pair has ", CellValue(order.units), " units or more): ",
        CellValue(len(order.reversals)), " of ", CellValue(order.pairs),
    )  # fmt: skip
    pairs = ", ".join(f"{each.one} and {each.other}{'*' if each.certain else ''}" for each in order.reversals)
    certain = any(each.certain for each in order.reversals)
    star = "; * found each way (p < .05 after Holm’s correction)" if certain else "; none is found each way"
    tags = words.made_up(simulated=order.simulated)
    return Span(order.benchmark, "code"), *counts, f" ({pairs}{star})." if pairs else ".", *tags


def _findings(found: Variants) -> Iterator[Finding]:
    """The headline that depends most on the variant, and on the order; or that none was found to, or could be."""
    for kind in KINDS:
        rows = [row for row in found.rows if row.kind == kind and row.found.spread is not None]
        sure = [row for row in rows if row.p_adjusted is not None and row.p_adjusted < LEVEL]
        if rows:
            most = max(sure or rows, key=lambda row: (row.found.spread or 0.0) / metric_range(row.metric))
            yield _moved(most) if sure else _unmoved(most)


def _moved(most: VariantSensitivity) -> Finding:
    size = CellValue(most.found.spread, "size", most.metric)
    name, who = Span(most.first.benchmark, "code"), Span(most.first.label, "model")
    ends = CellValue(most.spread, "size", most.metric)
    return Finding(
        id="wordings.moved",
        words=(f"The {NAMES[most.kind]} moves ", name, " of ", who, " by up to ", size, " points."),
        sure=("Largest difference ", ends, " points, ", CellValue(most.p_adjusted, "full_p"), "."),
        weight="doubtful",
    )


def _unmoved(most: VariantSensitivity) -> Finding:
    """That none is found to depend on it; without an interval, that it cannot be told."""
    known, why = most.found.spread_low is not None and most.found.spread_high is not None, most.found.missing
    largest = CellValue(most.spread if known else most.found.spread, "size", most.metric)
    mark = () if known else words.marks_of(most)
    reason = () if known or why is None else ("; ", CellValue(why, "why"))
    text = (
        f"No headline is found to depend on the {NAMES[most.kind]}."
        if known
        else f"Whether headlines depend on the {NAMES[most.kind]} cannot be told."
    )
    return Finding(
        id=f"wordings.{'unmoved' if known else 'unknown'}",
        words=text,
        sure=("Largest difference ", largest, " points", *mark, *reason, "."),
        found=False,
    )


WORDINGS_ANALYSIS = Analysis(
    id="wordings",
    title="Prompt variants and orders",
    tables=(WORDINGS, EACH, ORDERS, REVERSALS),
    analyse=analyse,
    order=12,
)
