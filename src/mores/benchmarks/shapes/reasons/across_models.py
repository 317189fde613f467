"""Results over several models: their spread in either form, and whether rubrics rank them alike.

Baselines are no models and are left out. The models are those of the runs, not a sample of all, so that neither figure
has an interval. Where the two forms of a model did not ask the same items, its F1 is worked out over those of both.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from mores.analysis.contrast import known, of_common_items
from mores.analysis.f1 import f1_of
from mores.benchmarks.shapes.reasons.thin_and_thick import Explained, ThinThickComparison, by_set
from mores.core.estimate import Caution, Estimate, Missing, gravest
from mores.stats.correlation import rank_correlations
from mores.stats.explanations import BoxStats, box_of, quartile_range, spread_reduced
from mores.tables import Column, Table

FOR_QUARTILES = 4
FOR_RANKS = 5
"""Models from which there are quartiles, and from which ranks say anything."""
WEAK = 20
"""Models below which a rank correlation is weak evidence."""
F1S = ("f1_micro", "f1_macro")


class ThinThickF1(Struct, frozen=True):
    """A model's F1 on one set in either form; `items` are graded in both. `caution` is to be known of its answers."""

    subject: str
    thin: float
    thick: float
    items: int
    caution: Caution | None = None


class InterquartileSpread(Struct, frozen=True, kw_only=True):
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


class MetricRanking(Struct, frozen=True, kw_only=True):
    """Metric that models are ranked by: a rubric on its set, or the accuracy of thin labels; values by model."""

    name: str
    set: str
    values: dict[str, float]


class Correlation(Struct, frozen=True, kw_only=True):
    """Spearman's correlation over the models that both have, None under five or where one is alike for all."""

    rho: float | None
    models: int


class RubricCorrelations(Struct, frozen=True, kw_only=True):
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
    one, other = (_value(result.overall(metric)) for result in both)
    return one, other


def together(explained: Sequence[Explained], pairs: Sequence[ThinThickComparison]) -> RubricCorrelations | None:
    """Rank correlations of rubrics over models; None where there is but one thing to rank them by."""
    real = [each for each in explained if not each.is_baseline]
    thin = by_set(pairs)
    rubrics = [_rubric(*key, real) for key in dict.fromkeys((each.rubric, each.set) for each in real)]
    labels = [_values((pair.thick.subject, pair.thin.overall()) for pair in thin.get(r.set, ())) for r in rubrics]
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


MODEL = Column(key="model", title="Model", kind="model", says="the subject, with its run where it has several")
SIMULATED = Column(key="simulated", title="Simulated", kind="flag", says="true where answers or judges were made up")
SET = Column(key="set", title="Set", kind="benchmark", says="what both forms ask about")
CAUTION = Column(key="caution", title="Caution", kind="text", says="what has to be known of the answers")
FIGURE = Column(key="figure", title="Figure", kind="text", says="`f1_micro` or `f1_macro`")
CHANGE = Column(
    key="change",
    title="Thick − thin, points",
    kind="contrast",
    main=True,
    ends=("thick", "thin"),
    says="thick answers less thin ones, over items graded in both",
)
LABELS = Table(
    id="thick_labels",
    title="Thin against thick",
    columns=(
        MODEL,
        SIMULATED,
        SET,
        Column(key="thin_benchmark", title="Thin benchmark", kind="benchmark", says="that asks for labels alone"),
        Column(key="thick_benchmark", title="Thick benchmark", kind="benchmark", says="that asks for reasons too"),
        CHANGE,
        Column(key="unreadable_thin", title="Unreadable, thin", kind="estimate", says="share without a label"),
        Column(key="unreadable_thick", title="Unreadable, thick", kind="estimate", says="share without a label"),
        Column(key="only_thin", title="Only thin", kind="count", says="items that the thick form did not ask"),
        Column(key="only_thick", title="Only thick", kind="count", says="items that the thin form did not ask"),
        Column(key="ungraded", title="Ungraded", kind="count", says="units not graded in both"),
        Column(key="other_data", title="Other data", kind="flag", says="true where data files differ: paired by id"),
    ),
)
MACRO = Table(id="thick_macro_f1", title="Macro F1 of each model", columns=(MODEL, SIMULATED, SET, CHANGE))
MACRO_MEANS = Table(
    id="thick_macro_f1_means",
    title="Macro F1, mean over models",
    columns=(
        Column(key="set", title="Set", kind="text", says="nothing for all sets, each counting alike"),
        Column(key="models", title="Models", kind="count", says="over which the mean is"),
        SIMULATED,
        CHANGE,
    ),
)
SPREADS = Table(
    id="thick_spreads",
    title="Spread over models",
    columns=(
        SET,
        FIGURE,
        Column(key="models", title="Models", kind="count", says="that have both forms"),
        SIMULATED,
        Column(key="thin", title="Thin, points", kind="number", says="interquartile range over models, thin"),
        Column(key="thick", title="Thick, points", kind="number", says="interquartile range over models, thick"),
        Column(key="reduced", title="Reduced", kind="number", says="by which part the thick range is less"),
        Column(key="why", title="Why", kind="reason", says=f"reason for a missing one: under {FOR_QUARTILES} models …"),
        CAUTION,
    ),
)
BOXES = Table(
    id="thick_boxes",
    title="F1 over models, thin and thick",
    columns=(
        SET,
        FIGURE,
        Column(key="form", title="Form", kind="text", says="`thin` or `thick`"),
        Column(key="low", title="Low", kind="share", says="the last model within 1.5 quartile ranges below"),
        Column(key="first_quartile", title="First quartile", kind="share", says="over models"),
        Column(key="median", title="Median", kind="share", says="over models"),
        Column(key="third_quartile", title="Third quartile", kind="share", says="over models"),
        Column(key="high", title="High", kind="share", says="the last model within 1.5 quartile ranges above"),
        Column(key="outliers", title="Outliers", kind="names", says="models beyond these ends"),
    ),
)
SCORED = Table(
    id="thick_f1",
    title="F1 of each model, thin and thick",
    columns=(
        SET,
        FIGURE,
        MODEL,
        Column(key="thin", title="Thin", kind="share", says="F1 of thin answers"),
        Column(key="thick", title="Thick", kind="share", says="F1 of thick answers to the same items"),
        Column(key="items", title="Items", kind="count", says="graded in both"),
        CAUTION,
    ),
)
RANKS = Table(
    id="thick_ranks",
    title="Ranks, thin and thick",
    columns=(
        SET,
        MODEL,
        SIMULATED,
        Column(key="thin", title="Thin", kind="share", says="share of right labels in thin answers"),
        Column(key="thin_rank", title="Rank, thin", kind="estimate", says="among these models"),
        Column(key="thick", title="Thick", kind="share", says="share of right labels in thick answers"),
        Column(key="thick_rank", title="Rank, thick", kind="estimate", says="among these models"),
        CAUTION,
    ),
)
REVERSED = Table(
    id="thick_reversed",
    title="Pairs of models whose order reverses",
    columns=(
        SET,
        SIMULATED,
        Column(key="share", title="Reversed", kind="estimate", main=True, says="share of pairs of models that reverse"),
        Column(key="reversed", title="Reversed pairs", kind="count", says="how many these are"),
        Column(key="certain", title="Certain", kind="count", says="of them for certain"),
        Column(key="units", title="Items", kind="count", says="that all models have a grade on in both forms"),
        Column(key="clusters", title="Clusters", kind="count", says="of these items"),
    ),
)
REVERSALS = Table(
    id="thick_reversals",
    title="Models whose order reverses",
    columns=(
        SET,
        Column(key="ahead", title="Ahead", kind="model", says="the model that is ahead in thin answers"),
        Column(key="behind", title="Behind", kind="model", says="the one behind it, which is ahead in thick ones"),
        Column(key="thin", title="Ahead by", kind="number", says="in thin answers, as a share"),
        Column(key="thick", title="Behind by", kind="number", says="in thick answers, as a share, below 0"),
        Column(key="certain", title="Certain", kind="flag", says="true where both differences are found"),
        CAUTION,
    ),
)
FORM_TABLES = (LABELS, MACRO, MACRO_MEANS, SPREADS, BOXES, SCORED, RANKS, REVERSED, REVERSALS)
