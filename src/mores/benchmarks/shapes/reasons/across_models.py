"""What only several models show: how far they lie apart in either form, and whether rubrics rank them alike.

Baselines are no models and are left out. The models are those of the runs, not a sample of all, so that neither figure
has an interval. Where the two forms of a model did not ask the same items, its F1 is worked out over those of both.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mores.analysis.contrast import known, of_common_items
from mores.analysis.f1 import f1_of
from mores.benchmarks.shapes.reasons.thin_and_thick import Explained, ThinThickComparison, by_set
from mores.core.estimate import Caution, Estimate, Missing, gravest
from mores.stats.correlation import rank_correlations
from mores.stats.explanations import BoxStats, box_of, quartile_range, spread_reduced

FOR_QUARTILES = 4
FOR_RANKS = 5
"""Models from which there are quartiles, and from which ranks say anything."""
WEAK = 20
"""Models below which a rank correlation is weak evidence."""
F1S = ("f1_micro", "f1_macro")


@dataclass(frozen=True, slots=True)
class ThinThickF1:
    """A model's F1 on one set in either form; `items` are graded in both. `caution` is to be known of its answers."""

    subject: str
    thin: float
    thick: float
    items: int
    caution: Caution | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterquartileSpread:
    """Interquartile range over models of one metric on one set in either form, and by how much the thick one's is less.

    Both forms are of the items that a model was asked in both. Figures and boxes are None under four models, and
    `missing` says so; so is `reduced` where thin scores do not differ. `scored` has the models, `caution` what has to
    be known of their answers.
    """

    set: str
    metric: str
    models: int
    simulated: bool
    thin: float | None
    thick: float | None
    reduced: float | None
    missing: Missing | None
    scored: tuple[ThinThickF1, ...]
    thin_box: BoxStats | None
    thick_box: BoxStats | None
    caution: Caution | None = None

    def outliers(self, form: Literal["thin", "thick"]) -> tuple[ThinThickF1, ...]:
        """Models beyond the whiskers in one form, the lowest first."""
        box: BoxStats | None = getattr(self, f"{form}_box")
        beyond = [each for each in self.scored if box is not None and getattr(each, form) in box.outliers]
        return tuple(sorted(beyond, key=lambda each: (getattr(each, form), each.subject)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRanking:
    """What models are ranked by: a rubric on its set, or the accuracy of thin labels on one; values by model."""

    name: str
    set: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Spearman's correlation over the models that both have, None under five or where one is alike for all."""

    rho: float | None
    models: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricCorrelations:
    """Rubrics against each other and, in `thin`, against thin accuracy on the rubric's own set.

    `models` counts all that have any rubric; `most` is the greatest number that two columns have in common.
    """

    rubrics: tuple[MetricRanking, ...]
    rows: tuple[tuple[Correlation, ...], ...]
    thin: tuple[Correlation | None, ...]
    models: int
    simulated: bool

    @property
    def pairs(self) -> tuple[Correlation, ...]:
        """Each correlation once."""
        upper = [each for number, row in enumerate(self.rows) for each in row[number + 1 :]]
        return (*upper, *(each for each in self.thin if each is not None))

    @property
    def most(self) -> int:
        """Models that any correlation rests on, at most."""
        return max((each.models for each in self.pairs), default=0)


def spreads(pairs: Sequence[ThinThickComparison]) -> tuple[InterquartileSpread, ...]:
    """For each set and kind of F1, how far models lie apart in either form."""
    return tuple(_spread(own, name, metric) for name, own in by_set(pairs).items() for metric in F1S)


def _spread(pairs: Sequence[ThinThickComparison], name: str, metric: str) -> InterquartileSpread:
    both = ((pair, *_f1(pair, metric)) for pair in pairs)
    scored = [
        ThinThickF1(pair.thick.subject, thin, thick, pair.contrast.units, pair.contrast.caution)
        for pair, thin, thick in both
        if thin is not None and thick is not None
    ]
    before, after = ([getattr(each, form) for each in scored] for form in ("thin", "thick"))
    reduced = known(spread_reduced(after, before))
    missing = Missing(code="thin_scores_alike") if reduced is None else None
    if len(scored) < FOR_QUARTILES:
        missing = Missing(code="too_few_models_for_quartiles", n=len(scored), needed=FOR_QUARTILES)
    return InterquartileSpread(
        set=name,
        metric=metric,
        models=len(scored),
        simulated=any(each.simulated for each in pairs),
        thin=known(quartile_range(before)),
        thick=known(quartile_range(after)),
        reduced=reduced,
        missing=missing,
        scored=tuple(scored),
        thin_box=box_of(before),
        thick_box=box_of(after),
        caution=gravest([each.caution for each in scored]),
    )


def _f1(pair: ThinThickComparison, metric: str) -> tuple[float | None, float | None]:
    """F1 of one model in both forms on the same items: the runs' own figures where they asked the same."""
    both = pair.thin, pair.thick.evaluation
    if pair.only_thin or pair.only_thick:
        thin, thick = (result.scores["f1_macro"] for result in both)
        one, other = (getattr(f1_of(rows), metric.removeprefix("f1_")) for rows in of_common_items(thin, thick))
        return known(one), known(other)
    one, other = (_value(result.whole(metric)) for result in both)
    return one, other


def together(explained: Sequence[Explained], pairs: Sequence[ThinThickComparison]) -> RubricCorrelations | None:
    """Whether rubrics rank models alike; None where there is but one thing to rank them by."""
    real = [each for each in explained if not each.is_baseline]
    thin = by_set(pairs)
    rubrics = [_rubric(*key, real) for key in dict.fromkeys((each.rubric, each.set) for each in real)]
    labels = [_values((pair.thick.subject, pair.thin.whole()) for pair in thin.get(r.set, ())) for r in rubrics]
    if len(rubrics) < 2 and not any(labels):
        return None
    subjects, size = list(dict.fromkeys(each.subject for each in real)), len(rubrics)
    ranked = [*(rubric.values for rubric in rubrics), *labels]
    table = np.array([[values.get(subject, np.nan) for subject in subjects] for values in ranked])
    rho, there = rank_correlations(table), ~np.isnan(table)

    def correlation(one: int, other: int) -> Correlation:
        return Correlation(rho=known(float(rho[one, other])), models=int((there[one] & there[other]).sum()))

    return RubricCorrelations(
        rubrics=tuple(rubrics),
        rows=tuple(tuple(correlation(row, column) for column in range(size)) for row in range(size)),
        thin=tuple(correlation(row, size + row) if labels[row] else None for row in range(size)),
        models=len(subjects),
        simulated=any(each.evaluation.simulated for each in real),
    )


def _rubric(rubric: str, name: str, explained: Sequence[Explained]) -> MetricRanking:
    own = [each for each in explained if (each.rubric, each.set) == (rubric, name)]
    return MetricRanking(name=rubric, set=name, values=_values((each.subject, each.points) for each in own))


def _values(figures: Iterable[tuple[str, Estimate | None]]) -> dict[str, float]:
    return {subject: found.value for subject, found in figures if found is not None and found.value is not None}


def _value(found: Estimate | None) -> float | None:
    return None if found is None else found.value
