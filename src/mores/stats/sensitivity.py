"""Whether conclusions hang on the two weights of the norm score: rankings under each setting, and how alike they are.

probabilities (models, samples, slots, 3) ─▶ scores of models and of regions under each setting ─▶ Spearman between
the rankings of every two settings. The score is linear in what a slot has of satisfied less violated, and of left
open, so sums by region and strictness are all that a setting needs.

Source:
    CultureForest, appendix F. The published grid is lost; the default has alpha and beta from .1 to .9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import FloatArray, IntArray, ratio, same_length
from mores.stats.consensus import spearman
from mores.stats.norm_scores import NormRule, StrictnessForm, norm_utilities, norm_weights

GRID = tuple(NormRule(alpha=a / 10, beta=b / 10) for a, b in product(range(1, 10), repeat=2))
_DECIMALS = 9  # of a point, beyond which two scores are a tie


class RankingAgreement(NamedTuple):
    """Spearman's correlation of the rankings under every two settings, and the least of them.

    NaN where a ranking is constant or has fewer than two entries; `missing` then says so.
    """

    correlations: FloatArray
    least: float
    missing: Missing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSensitivity:
    """Points under each setting, of models (settings, models) and of regions over models (settings, regions).

    `steadiest` is the setting whose rankings are most like those of the others, over models and regions together;
    None where no ranking can be compared.
    """

    settings: tuple[NormRule, ...]
    regions: tuple[str, ...]
    model_points: FloatArray
    region_points: FloatArray
    models_agree: RankingAgreement
    regions_agree: RankingAgreement
    steadiest: NormRule | None


def norm_sensitivity(
    probabilities: Sequence[npt.ArrayLike] | FloatArray,
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
    """How alike the rankings of the columns are under every two rows; ties share the average of their ranks.

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
    pairs[:, np.arange(len(settings)), np.arange(len(settings))] = np.nan
    known = ~np.isnan(pairs)
    means = ratio(np.where(known, pairs, 0).sum((0, 1)), known.sum((0, 1)).astype(np.float64))
    return None if np.isnan(means).all() else settings[int(np.nanargmax(np.round(means, _DECIMALS)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sums:
    """By model, region and strictness ("no", "sometimes"): graded slots, their satisfied less violated, left open.

    `asked` is the number of all slots of each strictness.
    """

    slots: FloatArray
    margin: FloatArray
    left_open: FloatArray
    asked: FloatArray

    @classmethod
    def of(
        cls,
        probabilities: Sequence[npt.ArrayLike] | FloatArray,
        strictness: Sequence[str],
        region: IntArray,
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

    def models(self, settings: Sequence[NormRule]) -> FloatArray:
        """Points of each model under each setting, (settings, models)."""
        weights = _weights(settings)
        return 100 * ratio(self._values(settings).sum(-1), (self.slots.sum(1) @ weights.T).T)

    def regions(self, settings: Sequence[NormRule], form: StrictnessForm) -> FloatArray:
        """Points of each region under each setting, as the mean over models that have any, (settings, regions)."""
        weights = _weights(settings)
        if form == "adjusted":
            divisors = np.moveaxis(self.slots @ weights.T, -1, 0)
        else:
            divisors = (weights @ self.asked / max(self.asked.sum(), 1))[:, None, None] * self.slots.sum(-1)
        points = ratio(self._values(settings), divisors)
        known = ~np.isnan(points)
        return 100 * ratio(np.where(known, points, 0).sum(1), known.sum(1).astype(np.float64))

    def _values(self, settings: Sequence[NormRule]) -> FloatArray:
        """Sums of weighted utilities, (settings, models, regions)."""
        weights, beta = _weights(settings), np.array([setting.beta for setting in settings])
        return np.moveaxis(self.margin @ weights.T - beta * (self.left_open @ weights.T), -1, 0)


def _slots(probabilities: npt.ArrayLike, strictness: Sequence[str], *, beta: float) -> FloatArray:
    """Mean utility of each slot over its graded samples, strict and lenient norms weighing alike; NaN without any."""
    values = norm_utilities(probabilities, strictness, NormRule(alpha=1, beta=beta))
    return ratio(np.nansum(values, axis=0), (~np.isnan(values)).sum(0))


def _by_cell(values: FloatArray, cells: IntArray, regions: int) -> FloatArray:
    """Sums of each row's values, NaN as none, by region and strictness, (rows, regions, 2)."""
    rows = [np.bincount(cells, row, 2 * regions) for row in np.where(np.isnan(values), 0, values)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), regions, 2)


def _weights(settings: Sequence[NormRule]) -> FloatArray:
    return np.array([(1.0, setting.alpha) for setting in settings])
