"""How far headlines hang on the wording of a question and on the order of its options or labels.

the first evaluation and the same in other wordings (or orders) ─▶ units graded in all of them ─▶ the figure in each,
how far they lie apart, what is left of that without the units' noise, and whether models change places.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import nan
from typing import Literal, get_args

import numpy as np
from msgspec import Struct

from mores.analysis.comparison import is_mean
from mores.analysis.contrast import Contrast, ContrastOptions, PairedUnits, adjusted, contrast_of, known
from mores.analysis.groups import PLACE
from mores.analysis.results import Result, Results, caution_of_several
from mores.analysis.units import SharedUnits, headline_units, shared_rows
from mores.blocks import DifferenceCell
from mores.core.card import FIRST, Metric, Variant
from mores.core.estimate import Caution, Estimate, Missing, cautioned
from mores.core.seeds import Seed
from mores.stats.gaps import Facet, facet
from mores.stats.ranks import holm

VariantKind = Literal["wording", "order"]
KINDS: tuple[VariantKind, ...] = get_args(VariantKind)
_SEED = Seed("variants")
TWO = Missing(code="too_few_conditions", n=2, needed=3)


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
        """Which variants of the kind these are."""
        return tuple(max(each.variant.wording, each.variant.order) for each in self.results)


class VariantSensitivity(Struct, frozen=True, eq=False, kw_only=True):
    """How far one model's headline on one benchmark hangs on the wording, or on the order.

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
        """What the headline is."""
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

    @property
    def deviation(self) -> DifferenceCell:
        """How far variants lie apart without the noise of the units."""
        of = self.found
        missing = None if of.deviation_low is not None else of.missing or TWO
        return DifferenceCell(difference=of.deviation, low=of.deviation_low, high=of.deviation_high, missing=missing,
                     caution=self.caution)  # fmt: skip


class OrderReversal(Struct, frozen=True, kw_only=True):
    """Two models of which one is ahead in one variant and the other in another; `certain` where both are found."""

    benchmark: str
    kind: VariantKind
    one: str
    other: str
    certain: bool


class RankStability(Struct, frozen=True, kw_only=True):
    """Whether models keep their order on one benchmark: pairs of models, and those that do not."""

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


@lru_cache(maxsize=1)
def variants(results: Results) -> Variants | None:
    """How far headlines hang on wordings and orders; None where everything was asked in one.

    A headline that is no mean of its units (an F1, say) is left out: its variants can be opened one by one.
    """
    asked = {kind: tuple(_asked(results, kind)) for kind in KINDS}
    rows = [row for kind in KINDS for row in _sensitivities(kind, asked[kind])]
    if not rows:
        return None
    return Variants(rows=tuple(rows), orders=tuple(o for kind in KINDS for o in _orders(kind, asked[kind])))


def _asked(results: Results, kind: VariantKind) -> Iterator[VariantUnits]:
    for first in results.evaluations:
        beside = [each for each in results.variants_of(first) if _is_of(kind, each.variant)]
        if beside and is_mean(first):
            every = (first, *sorted(beside, key=lambda each: each.variant))
            yield VariantUnits(results=every, shared=SharedUnits.of([headline_units(each) for each in every]))


def _is_of(kind: VariantKind, asked: Variant) -> bool:
    """Whether a variant differs from the first in nothing but a kind."""
    return asked == FIRST._replace(**{kind: getattr(asked, kind)})


def _sensitivities(kind: VariantKind, asked: Sequence[VariantUnits]) -> list[VariantSensitivity]:
    found = []
    for each in asked:
        keys, seed = each.shared.first.keys, _SEED.child(kind, each.first.benchmark)
        found.append(facet(each.shared.points.T, keys.cluster.codes, strata=keys.place.codes, seed=seed))
    corrected = holm([nan if each.p is None else each.p for each in found]).tolist()
    return [
        VariantSensitivity(kind=kind, first=each.first, numbers=each.numbers,
            figures=tuple(r.whole() for r in each.results),
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
        mine, family = family[: len(of_pair)], family[len(of_pair) :]
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
    kept, at = shared_rows([one.shared.first, other.shared.first])
    keys = one.shared.first.keys.take(kept)
    for number in sorted(set(one.numbers) & set(other.numbers)):
        a, b = (each.shared.points[each.numbers.index(number)] for each in (one, other))
        pairs = PairedUnits(
            a=a[kept], b=b[at], cluster=keys.cluster.codes, groups={PLACE: keys.place}, shared=len(kept)
        )
        seed = _SEED.child("order", one.first.benchmark, number)
        yield contrast_of(pairs, ContrastOptions(seed, one.first.headline, one.first.described))
