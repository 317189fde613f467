"""A judge's sensitivity and specificity, and its rate corrected by them as measured on units that people labelled.

The judge says yes at a rate p, finds a share `se` of what people call yes and a share `sp` of what they call no: then
people would say yes at (p + sp - 1) / (se + sp - 1). Unlike `prediction_powered` it survives another share of yes in
the units judged, but only with the same sensitivity and specificity: not another model, language or country. A judge
hardly better than chance makes the divisor, and trust, vanish.
"""

from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.stats.checks import confident, kish, numbers, ranks, same_length
from mores.stats.cluster_sums import MeasuredFigure, undefined
from mores.stats.clusters import design_effect
from mores.stats.intervals import Interval, wilson
from mores.stats.labelled_units import ClusterArgument, JudgedUnits, LabelledUnits

LEAST_J = 0.2
"""Sensitivity plus specificity less 1, below which a judge's words carry no claim."""
LabelSource = Literal["judged", "people", "synthetic", "file"]


class RateRange(Struct, frozen=True, kw_only=True):
    """A judge's sensitivity or specificity: the ends of its range, which meet where `labels` tell it.

    `source` says which labels these are: people's of the answers judged, or of other answers people's, synthetic ones,
    or those of a file that does not say who labelled; None for a range.
    """

    low: float
    high: float
    labels: float = 0.0
    source: LabelSource | None = None

    @classmethod
    def labelled(cls, right: float, labels: float, source: LabelSource = "judged") -> "RateRange":
        """The rate among labelled units, drawn in as if one more were right and one more wrong."""
        found = (right + 1) / (labels + 2)
        return cls(low=found, high=found, labels=labels, source=source)

    @property
    def variance(self) -> float:
        """Its variance as an estimate; 0 for a range."""
        return self.low * (1 - self.low) / (self.labels + 2) if self.labels else 0.0

    @property
    def centre(self) -> float:
        """The middle of the range, or what labels tell."""
        return (self.low + self.high) / 2

    def quantiles(self, shares: Floats) -> Floats:
        """Its quantiles: of the stated range spread evenly, or of a beta law where labels tell it."""
        if not self.labels:
            return np.asarray(self.low + shares * (self.high - self.low))
        right = self.low * (self.labels + 2)
        return np.asarray(special.betaincinv(right, self.labels + 2 - right, shares))


PERFECT = RateRange(low=1.0, high=1.0)


class JudgeErrors(Struct, frozen=True, kw_only=True):
    """Sensitivity and specificity of a judge on one rung."""

    sensitivity: RateRange
    specificity: RateRange

    @classmethod
    def within(cls, low: float, high: float) -> "JudgeErrors":
        """Both rates in one stated range.

        Raises:
            InputError: the range is not within .6 to 1, below which a judge is hardly better than chance.
        """
        if not (1 + LEAST_J) / 2 <= low <= high <= 1:
            raise InputError(f"judge range is {low:g} to {high:g}; expected two shares from .6 to 1, the lower first.")
        return cls(sensitivity=RateRange(low=low, high=high), specificity=RateRange(low=low, high=high))

    @property
    def rates(self) -> tuple[RateRange, RateRange]:
        """Sensitivity and specificity."""
        return self.sensitivity, self.specificity

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of what is known of both: of a stated range its middle, which is the mean of an even prior."""
        return self.sensitivity.centre, self.specificity.centre

    @property
    def labelled(self) -> bool:
        """True where labels tell any of it."""
        return any(rate.labels for rate in self.rates)

    @property
    def hopeless(self) -> bool:
        """True where in some corner it is hardly better than chance."""
        return self.sensitivity.low + self.specificity.low - 1 < LEAST_J


FLAWLESS = JudgeErrors(sensitivity=PERFECT, specificity=PERFECT)


_LEAST_UNITS = 10


class RoganGladen(Struct, frozen=True, kw_only=True):
    """The corrected rate beside the judge's own, with what it was corrected by.

    `raw` is the corrected rate before it was cut to [0, 1], `se` its standard error. Sizes are effective ones, of
    units divided by their design effect. Where the data cannot carry it the corrected rate is NaN and says why.
    """

    corrected: MeasuredFigure
    uncorrected: MeasuredFigure
    raw: float
    se: float
    sensitivity: float
    specificity: float
    judged: float
    yes: float
    no: float

    @property
    def youden(self) -> float:
        """Sensitivity plus specificity less 1: 0 for chance, 1 for a judge that is always right."""
        return self.sensitivity + self.specificity - 1

    @property
    def youden_of_interval(self) -> float:
        """The same of the rates that Lang and Reiczigel's interval is made of: one error and one hit added to each."""
        return (self.yes * self.sensitivity + 1) / (self.yes + 2) + (self.no * self.specificity + 1) / (self.no + 2) - 1


class JudgeRates(Struct, frozen=True, kw_only=True):
    """The judge's rate of yes over so many units, its sensitivity over `yes` of them and its specificity over `no`."""

    rate: float
    judged: float
    sensitivity: float
    yes: float
    specificity: float
    no: float


def rogan_gladen(judged: JudgedUnits, labelled: LabelledUnits, *, confidence: float = 0.95) -> RoganGladen:
    """The rate at which people would have said yes, from the judge's yes and no and its errors on labelled units.

    Clustered units count as fewer: their number is divided by the design effect of what is averaged over them. So do
    units that count unevenly.

    Args:
        judged: Units with the judge's 0 or 1.
        labelled: Units with the judge's and the people's 0 or 1, which may be drawn by the people's label.
        confidence: Wanted coverage.

    Raises:
        InputError: a figure or label is not 0 or 1, there are strata, or lengths differ.
    """
    guesses, seen = _binary(judged.values, "judged values"), _binary(labelled.values, "labelled values")
    labels = _binary(labelled.labels, "labels")
    same_length(seen, labels, "the judge's and the people's labels")
    if judged.strata is not None or labelled.strata is not None:
        raise InputError("there are strata; expected none: correct each of them, or use prediction_powered.")
    own = _Rated.of(guesses, judged.clusters, judged.weights)
    lent = _Rated.of(seen, labelled.clusters, labelled.weights)
    found, missed = lent.at(labels == 1), lent.at(labels == 0)
    return rogan_gladen_rates(
        JudgeRates(
            rate=own.mean,
            judged=own.effective,
            sensitivity=found.mean,
            yes=found.effective,
            specificity=1 - missed.mean,
            no=missed.effective,
        ),
        confidence=confidence,
    )


def rogan_gladen_rates(rates: JudgeRates, *, confidence: float = 0.95) -> RoganGladen:
    """The corrected rate from rates and numbers of units; refused, with the reason, where these cannot carry it.

    (p + sp - 1) / J with J = se + sp - 1, cut to [0, 1], and Lang and Reiczigel's interval, which covers .95 to .99.
    Refused with J under .2, or under 10 units that people call yes, or no.

    Raises:
        InputError: a rate lies outside [0, 1], or a number of units is negative.

    Source:
        Rogan and Gladen (1978), American Journal of Epidemiology 107.
        Lang and Reiczigel (2014), Preventive Veterinary Medicine 113.

    >>> rates = JudgeRates(rate=0.735, judged=1000, sensitivity=0.9, yes=80, specificity=0.85, no=20)
    >>> result = rogan_gladen_rates(rates)
    >>> low, high, *_ = result.corrected.interval
    >>> round(result.corrected.value, 3), round(result.se, 4), round(low, 3), round(high, 3)
    (0.78, 0.046, 0.678, 0.873)
    """
    confident(confidence)
    _check(rates)
    youden = rates.sensitivity + rates.specificity - 1
    missing = _refusal(rates, youden)
    raw = float("nan") if missing else (rates.rate + rates.specificity - 1) / youden
    uncorrected = undefined(NOTHING_GRADED)
    if rates.judged > 0:
        uncorrected = MeasuredFigure(rates.rate, wilson(rates.rate * rates.judged, rates.judged, confidence))
    return RoganGladen(
        corrected=undefined(missing)
        if missing
        else MeasuredFigure(min(max(raw, 0.0), 1.0), _lang_reiczigel(rates, confidence)),
        uncorrected=uncorrected,
        raw=raw,
        se=float("nan") if missing else sqrt(_variance(rates, raw)) / youden,
        sensitivity=rates.sensitivity,
        specificity=rates.specificity,
        judged=rates.judged,
        yes=rates.yes,
        no=rates.no,
    )


def _refusal(rates: JudgeRates, youden: float) -> Missing | None:
    if rates.judged <= 0:
        return NOTHING_GRADED
    # before J, which means nothing where a rate rests on few units
    for count, word in ((rates.yes, "yes"), (rates.no, "no")):
        if count < _LEAST_UNITS:
            return Missing(code="too_few_units_called", needed=_LEAST_UNITS, told=word, figures=(count,))
    if youden < LEAST_J:
        return Missing(code="judge_hardly_better_than_chance", figures=(youden, LEAST_J))
    return None


def _variance(rates: JudgeRates, share: float) -> float:
    """Variance of p + sp - 1 - share · J, which is that of the corrected rate times J²."""
    return (
        rates.rate * (1 - rates.rate) / rates.judged
        + share**2 * rates.sensitivity * (1 - rates.sensitivity) / rates.yes
        + (1 - share) ** 2 * rates.specificity * (1 - rates.specificity) / rates.no
    )


def _lang_reiczigel(rates: JudgeRates, confidence: float) -> Interval:
    z = float(special.ndtri((1 + confidence) / 2))
    # Lang and Reiczigel: one hit and one error more in each rate, and z² / 2 of each in what was judged
    moved = JudgeRates(
        rate=(rates.judged * rates.rate + z * z / 2) / (rates.judged + z * z),
        judged=rates.judged + z * z,
        sensitivity=(rates.yes * rates.sensitivity + 1) / (rates.yes + 2),
        yes=rates.yes + 2,
        specificity=(rates.no * rates.specificity + 1) / (rates.no + 2),
        no=rates.no + 2,
    )
    youden = moved.sensitivity + moved.specificity - 1
    share = (moved.rate + moved.specificity - 1) / youden
    shift = (
        2
        * z
        * z
        * (
            share * moved.sensitivity * (1 - moved.sensitivity) / moved.yes
            - (1 - share) * moved.specificity * (1 - moved.specificity) / moved.no
        )
    )
    half = z * sqrt(_variance(moved, share)) / youden
    low, high = (min(max(end, 0.0), 1.0) for end in (share + shift - half, share + shift + half))
    return Interval(low, high, "Lang-Reiczigel")


def _check(rates: JudgeRates) -> None:
    shares = (rates.rate, rates.sensitivity, rates.specificity)
    counts = (rates.judged, rates.yes, rates.no)
    if any(share < 0 or share > 1 for share in shares) or any(count < 0 for count in counts):
        raise InputError(f"rates are {shares} of {counts} units; expected shares from 0 to 1 and counts from 0.")
    if any(np.isnan(share) and count > 0 for share, count in zip(shares, counts, strict=True)):
        raise InputError(f"rates are {shares} of {counts} units; expected no NaN where there are units.")


def _binary(values: npt.ArrayLike, name: str) -> Floats:
    given = numbers(values, name)
    other = given[(given != 0) & (given != 1)]
    if other.size:
        raise InputError(f"{name} has {other[0]:g}; expected 0 and 1 only. Points are corrected by prediction_powered.")
    return given


class _Rated(NamedTuple):
    """Zeros and ones, their clusters, and how much each counts, where that differs."""

    values: Floats
    groups: npt.NDArray[np.generic] | None
    weights: Floats | None

    @classmethod
    def of(cls, values: Floats, clusters: ClusterArgument, weights: npt.ArrayLike | None) -> "_Rated":
        groups = None if isinstance(clusters, str) else np.asarray(clusters)
        return cls(values, groups, None if weights is None else numbers(weights, "weights"))

    def at(self, mask: npt.NDArray[np.bool_]) -> "_Rated":
        """Some of them."""
        groups = None if self.groups is None else self.groups[mask]
        weights = None if self.weights is None else self.weights[mask]
        return _Rated(self.values[mask], groups, weights)

    @property
    def mean(self) -> float:
        """Their share of ones; NaN for none."""
        return float(np.average(self.values, weights=self.weights)) if self.values.size else float("nan")

    @property
    def effective(self) -> float:
        """Number of independent units that these are worth; the number of clusters where all are equal."""
        if self.groups is None or self.values.size == 0:
            return self._kish(self.values.size)
        if self.weights is not None:
            return self._weighed(self.groups, self.weights)
        deff = design_effect(self.values, self.groups).deff
        # a design effect below 1 is chance, and makes no more units than there are
        return float(np.unique(self.groups).size) if np.isnan(deff) else self.values.size / max(1.0, deff)

    def _weighed(self, groups: npt.NDArray[np.generic], weights: Floats) -> float:
        """From the variance of the weighted share over clusters; at most Kish's number of units."""
        codes = ranks(groups)
        share, most = self.mean, self._kish(self.values.size)
        mass = np.bincount(codes, weights)
        errors = np.bincount(codes, weights * (self.values - share)) / mass.sum()
        variance = float((errors**2).sum()) * mass.size / max(mass.size - 1, 1)
        # all alike: their spread says nothing, and clusters by weight are what they are worth
        if variance <= 0 or not 0 < share < 1:
            return min(most, kish(mass.astype(np.float64)))
        return min(most, share * (1 - share) / variance)

    def _kish(self, size: int) -> float:
        return float(size) if self.weights is None else kish(self.weights)
