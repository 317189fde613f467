"""Scores of open answers that a verifier compares with norms: satisfied, left open or violated.

probabilities (samples, slots, 3) ─▶ slot values ─▶ score, scores of regions, intervals. A slot is one norm of one
question. Utilities are +1 for satisfying, -beta for leaving open and -1 for violating; a norm that is never to be
broken ("no") weighs 1, one that sometimes may be ("sometimes") weighs alpha. Scores are points from -100 to 100.

A verdict that failed is three NaN and left out. Regions have two forms. The paper's divides by the mean weight of the
whole benchmark, as published: a region that is rich in "no" norms may then exceed 100, so that gaps mix skill with what
is asked where. The adjusted one divides by the region's own mean weight, and is the one for claims about regions.

`norm_sensitivity` says whether conclusions depend on the two weights: rankings under each setting, and Spearman between
every two. The score is linear in a slot's satisfied less violated, and in its left open, so sums by region and
strictness are all that a setting needs.

Source:
    CultureForest, equations 1 to 3 and tables 2 and 3; beta, alpha and the range recovered from the tables. The grid
    of its appendix F is lost; the default has alpha and beta from .1 to .9.
"""

from collections.abc import Sequence
from itertools import product
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, CategoricalColumn, Missing
from mores.core.norm import Strictness
from mores.stats.checks import confident, ratio, same_length, sums_by
from mores.stats.clusters import clustered
from mores.stats.correlation import spearman
from mores.stats.intervals import ClusteredMeans, Interval, no_interval, refused, score_interval

StrictnessForm: TypeAlias = Literal["paper", "adjusted"]
_ROUNDING = 1e-3  # how far three probabilities may be from adding up to 1: tables print two decimals of a percent


class NormRule(Struct, frozen=True, kw_only=True):
    """Weight of a "sometimes" norm (alpha, above 0) and cost of leaving a norm open (beta), both up to 1.

    Raises:
        InputError: one of them is outside.
    """

    alpha: float = 0.5
    beta: float = 0.5

    def __post_init__(self) -> None:
        if not (0 < self.alpha <= 1 and 0 <= self.beta <= 1):
            raise InputError(f"alpha is {self.alpha}, beta {self.beta}; expected 0 < alpha <= 1 and 0 <= beta <= 1.")


PUBLISHED = NormRule()


class RegionScores(NamedTuple):
    """Regions with their points; population standard deviation and largest difference over them.

    A region without graded slots is NaN and not in `std` and `gap`.
    """

    names: tuple[str, ...]
    points: Floats
    std: float
    gap: float


def norm_utilities(probabilities: npt.ArrayLike, strictness: Sequence[str], rule: NormRule = PUBLISHED) -> Floats:
    """Weighted utility of each slot in each sample, within its weight, (samples, slots); NaN where ungraded.

    Args:
        probabilities: Of satisfied, left open and violated, shape (samples, slots, 3); three NaN where ungraded.
        strictness: "no" or "sometimes" for each slot: may its norm be broken?
        rule: The weights.

    Raises:
        InputError: a strictness is unknown, shapes do not fit, or three probabilities are not a distribution.
    """
    p = _distributions(probabilities)
    weight = norm_weights(strictness, rule)
    if p.ndim != 3 or p.shape[0] == 0 or p.shape[1] != weight.size:
        raise InputError(f"probabilities have shape {p.shape}; expected (samples, {weight.size} slots, 3).")
    return np.asarray(weight * (p[..., 0] - rule.beta * p[..., 1] - p[..., 2]))


def norm_weights(strictness: Sequence[str], rule: NormRule = PUBLISHED) -> Floats:
    """Weight of each slot: 1 for a "no" norm, alpha for a "sometimes" norm.

    Raises:
        InputError: another strictness; a weight is never taken over from the slot before.
    """
    of = np.asarray(strictness, dtype=np.str_)
    unknown = np.flatnonzero(~np.isin(of, get_args(Strictness)))
    if unknown.size:
        raise InputError(
            f"slot {unknown[0]}: strictness '{of[unknown[0]]}'; expected 'no' or 'sometimes'. Leave other norms out."
        )
    return np.where(of == "no", 1.0, rule.alpha)


def region_points(values: Floats, divisors: Floats, regions: CategoricalColumn) -> RegionScores:
    """100 times the sum of values over the sum of divisors in each region; units whose value is NaN are left out.

    Regions stand in the order of the column's names.

    Raises:
        InputError: lengths differ.
    """
    codes, known = regions.codes.astype(np.int64, copy=False), ~np.isnan(values)
    count = len(regions.names)
    same_length(codes, values, "regions and units")
    top, bottom = sums_by(codes[known], values[known], count), sums_by(codes[known], divisors[known], count)
    points = 100 * ratio(top, bottom)
    return RegionScores(tuple(regions.names), points, *_disparity(points))


def weighted_interval(
    values: Floats,
    weight: Floats,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    mean_weight: float | None = None,
    confidence: float = 0.95,
) -> Interval:
    """Interval in points of the score of these slots; none, with the reason, with too few clusters or nothing graded.

    The score is a ratio of sums over clusters, so its standard error is linearised; it is read in Wilson's form with
    a t quantile, as score / 200 + 1/2 is a share of what could be had. The paper's form takes the mean weight as
    known, as it is a constant of the whole benchmark; the adjusted one lets it vary with the clusters drawn. Without
    random draws.

    Coverage of 95 % intervals over 600 draws of questions of three norms and three samples, adjusted: Mean@3 at
    46.7 points .955-.968 with 15 to 200 questions, .99 with 8. Pass@3 at 76 points, where one question in ten or so
    fails in part and most say the same: 1.0 (8 questions), .99 (15), .96 (30), .945 (60 and 200).

    Args:
        values: Weighted utilities of graded slots.
        weight: What each may be at most.
        clusters: What is drawn: the norm bundle or question of each slot.
        strata: What is fixed by design, such as the region of each slot.
        mean_weight: The weight that the sum is divided by for each value, where it is known; None for their own.
        confidence: Wanted coverage.

    Raises:
        InputError: lengths differ, or `confidence` is not between 0 and 1.
    """
    confident(confidence)
    if not values.size:
        return no_interval(NOTHING_GRADED)
    codes = clustered(clusters, strata, values.size)
    mass = weight if mean_weight is None else np.ones(values.size)
    # a value lies between -mass and mass: moved and halved it is a share of what could be had
    share, whole = (values + mass) / 2, float(mass.sum())
    each = share / mass
    layout = ClusteredMeans(
        total=codes.sums(share) / whole,
        mass=codes.sums(mass) / whole,
        clusters=codes,
        right=np.zeros(codes.count),
        binary=np.array([False]),
        low=np.array([each.min()]),
        high=np.array([each.max()]),
    )
    few = refused(layout.load)
    if few is not None:
        return few
    found = score_interval(layout.mean, layout.steadied(layout.spread()), codes.count, confidence)
    scale = 100 if mean_weight is None else 100 / mean_weight
    return found.on_scale(lambda end: scale * (2 * end - 1))


def _disparity(points: Floats) -> tuple[float, float]:
    known = points[~np.isnan(points)]
    return (float(known.std()), float(np.ptp(known))) if known.size else (float("nan"), float("nan"))


def _distributions(probabilities: npt.ArrayLike) -> Floats:
    """Probabilities whose last axis has three that add up to 1, or three NaN."""
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim == 0 or p.shape[-1] != 3:
        raise InputError(f"probabilities have shape {p.shape}; expected the last of 3: satisfied, left open, violated.")
    ungraded = np.isnan(p).all(-1)
    with np.errstate(invalid="ignore"):
        fits = (p >= 0).all(-1) & (np.abs(p.sum(-1) - 1) <= _ROUNDING)
    bad = np.argwhere(~(fits | ungraded))
    if bad.size:
        where = tuple(bad[0].tolist())
        raise InputError(f"probabilities at {where} are {p[where].tolist()}; expected three that add up to 1, or NaN.")
    return p


GRID = tuple(NormRule(alpha=a / 10, beta=b / 10) for a, b in product(range(1, 10), repeat=2))
_DECIMALS = 9  # of a point, beyond which two scores are a tie


class RankingAgreement(NamedTuple):
    """Spearman's correlation of the rankings under every two settings, and the least of them.

    NaN where a ranking is constant or has fewer than two entries; `missing` then says so.
    """

    correlations: Floats
    least: float
    missing: Missing | None


class WeightSensitivity(Struct, frozen=True, kw_only=True):
    """Points under each setting, of models (settings, models) and of regions over models (settings, regions).

    `steadiest` is the setting whose rankings are most like those of the others, over models and regions together;
    None where no ranking can be compared.
    """

    settings: tuple[NormRule, ...]
    regions: tuple[str, ...]
    model_points: Floats
    region_points: Floats
    models_agree: RankingAgreement
    regions_agree: RankingAgreement
    steadiest: NormRule | None


def norm_sensitivity(
    probabilities: Sequence[npt.ArrayLike] | Floats,
    strictness: Sequence[str],
    regions: Sequence[str],
    *,
    settings: Sequence[NormRule] = GRID,
    form: StrictnessForm = "paper",
) -> WeightSensitivity:
    """Scores and rankings of models and of regions under each setting.

    A region's points are the mean over the models that have any there.

    Args:
        probabilities: One array (samples, slots, 3) a model, as in `norm_utilities`.
        strictness: As in `norm_utilities`.
        regions: The region of each slot.
        settings: At least two.
        form: As in `region_scores`; the published analysis has "paper".

    Raises:
        InputError: as in `norm_utilities`, lengths differ, there is no model, or fewer than two settings.
    """
    if len(settings) < 2:
        raise InputError(f"settings has {len(settings)}; expected at least two to compare.")
    names, codes = np.unique(np.asarray(regions, dtype=np.str_), return_inverse=True)
    sums = _Sums.of(probabilities, strictness, codes, len(names))
    model_points, region_points = sums.models(settings), sums.regions(settings, form)
    models_agree, regions_agree = rankings_agree(model_points), rankings_agree(region_points)
    return WeightSensitivity(
        settings=tuple(settings),
        regions=tuple(names.tolist()),
        model_points=model_points,
        region_points=region_points,
        models_agree=models_agree,
        regions_agree=regions_agree,
        steadiest=_steadiest(settings, (models_agree, regions_agree)),
    )


def rankings_agree(points: npt.ArrayLike) -> RankingAgreement:
    """Agreement of the rankings of the columns under every two rows; ties share the average of their ranks.

    Args:
        points: One row a setting, one column a model or region. A column with a NaN is left out.

    Raises:
        InputError: `points` is not two-dimensional.
    """
    x = np.asarray(points, dtype=np.float64)
    if x.ndim != 2:
        raise InputError(f"points has shape {x.shape}; expected (settings, models or regions).")
    x = np.round(x[:, ~np.isnan(x).any(0)], _DECIMALS)
    correlations = spearman(x, np.ones((1, x.shape[1])))[0]
    known = ~np.isnan(correlations)
    ranked = int(np.diagonal(known).sum())
    lone = len(x) - ranked
    missing = Missing(code="rankings_constant", n=lone, of=len(x), figures=(x.shape[1],)) if lone else None
    pairs = correlations[known & ~np.eye(len(x), dtype=np.bool_)]
    return RankingAgreement(correlations, float(pairs.min()) if pairs.size else float("nan"), missing)


def _steadiest(settings: Sequence[NormRule], levels: Sequence[RankingAgreement]) -> NormRule | None:
    """The setting with the highest mean correlation to the others, over both levels; the first of equals."""
    pairs = np.stack([level.correlations for level in levels])
    # a setting agrees with itself, which says nothing
    pairs[:, np.arange(len(settings)), np.arange(len(settings))] = np.nan
    known = ~np.isnan(pairs)
    means = ratio(np.where(known, pairs, 0).sum((0, 1)), known.sum((0, 1)).astype(np.float64))
    return None if np.isnan(means).all() else settings[int(np.nanargmax(np.round(means, _DECIMALS)))]


class _Sums(Struct, frozen=True, kw_only=True):
    """By model, region and strictness ("no", "sometimes"): graded slots, their satisfied less violated, left open.

    `asked` is the number of all slots of each strictness.
    """

    slots: Floats
    margin: Floats
    left_open: Floats
    asked: Floats

    @classmethod
    def of(
        cls,
        probabilities: Sequence[npt.ArrayLike] | Floats,
        strictness: Sequence[str],
        region: Integers,
        count: int,
    ) -> "_Sums":
        """Sums over the slots of each region's code, of so many regions."""
        # With weights of 1 and beta 0 a slot's value is satisfied less violated; with beta 1 also less left open.
        plain = [_slots(p, strictness, beta=0) for p in probabilities]
        strict = [_slots(p, strictness, beta=1) for p in probabilities]
        if not plain:
            raise InputError("probabilities has no model; expected one array (samples, slots, 3) a model.")
        same_length(region, plain[0], "regions and slots")
        kind = np.asarray(norm_weights(strictness) < 1, dtype=np.int64)
        margin, cells = np.array(plain), 2 * region + kind
        return cls(
            slots=_by_cell(np.where(np.isnan(margin), 0.0, 1.0), cells, count),
            margin=_by_cell(margin, cells, count),
            left_open=_by_cell(margin - np.array(strict), cells, count),
            asked=np.bincount(kind, minlength=2).astype(np.float64),
        )

    def models(self, settings: Sequence[NormRule]) -> Floats:
        """Points of each model under each setting, (settings, models)."""
        weights = _weights(settings)
        return 100 * ratio(self._values(settings).sum(-1), (self.slots.sum(1) @ weights.T).T)

    def regions(self, settings: Sequence[NormRule], form: StrictnessForm) -> Floats:
        """Points of each region under each setting, as the mean over models that have any, (settings, regions)."""
        weights = _weights(settings)
        if form == "adjusted":
            divisors = np.moveaxis(self.slots @ weights.T, -1, 0)
        else:
            divisors = (weights @ self.asked / max(self.asked.sum(), 1))[:, None, None] * self.slots.sum(-1)
        points = ratio(self._values(settings), divisors)
        known = ~np.isnan(points)
        return 100 * ratio(np.where(known, points, 0).sum(1), known.sum(1).astype(np.float64))

    def _values(self, settings: Sequence[NormRule]) -> Floats:
        """Sums of weighted utilities, (settings, models, regions)."""
        weights, beta = _weights(settings), np.array([setting.beta for setting in settings])
        return np.moveaxis(self.margin @ weights.T - beta * (self.left_open @ weights.T), -1, 0)


def _slots(probabilities: npt.ArrayLike, strictness: Sequence[str], *, beta: float) -> Floats:
    """Mean utility of each slot over its graded samples, strict and lenient norms weighing alike; NaN without any."""
    values = norm_utilities(probabilities, strictness, NormRule(alpha=1, beta=beta))
    return ratio(np.nansum(values, axis=0), (~np.isnan(values)).sum(0))


def _by_cell(values: Floats, cells: Integers, regions: int) -> Floats:
    """Sums of each row's values, NaN as none, by region and strictness, (rows, regions, 2)."""
    rows = [np.bincount(cells, row, 2 * regions) for row in np.where(np.isnan(values), 0, values)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), regions, 2)


def _weights(settings: Sequence[NormRule]) -> Floats:
    return np.array([(1.0, setting.alpha) for setting in settings])
