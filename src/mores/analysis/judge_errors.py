"""Error rates of judges: by labels of the same answers, by a stated range, or by labels of others."""

from collections.abc import Mapping
from math import sqrt
from pathlib import Path

from msgspec import Struct, field

from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.estimate import Estimate, JudgeBand
from mores.models.verifier_facts import VerifierCalibration
from mores.stats.intervals import z_quantile
from mores.stats.rogan_gladen import LEAST_J, JudgeErrors, LabelSource, RateRange

STATED = JudgeErrors.within(0.75, 1.0)
"""In which range a judge's sensitivity and specificity are taken to lie where nobody says otherwise."""
_DIGITS = 10
"""Digits that figures keep, so that the last bit of a sum does not differ between machines."""
LEAST_LABELS = 10
"""Labels, counted by their clusters, from which a rate is theirs; below, it is the range's."""


class KnownJudgeErrors(Struct, frozen=True, kw_only=True):
    """Known errors of judges: by a cell's folder those that people's labels tell, and a range that was stated.

    A stated range goes before what was measured of a verifier elsewhere; None where nobody stated one.
    """

    stated: JudgeErrors | None = None
    labelled: Mapping[Path, JudgeErrors] = field(default_factory=dict)

    def of(self, folder: Path, measured: VerifierCalibration | None = None) -> JudgeErrors:
        """The errors of who judged in a folder, of which something may have been `measured` on other pairs."""
        # labels of these very answers go before a stated range, which goes before what was measured on other pairs
        return self.labelled.get(folder) or self.unlabelled(measured)

    def unlabelled(self, measured: VerifierCalibration | None) -> JudgeErrors:
        """The same where no answer of the run is labelled."""
        if self.stated is not None:
            return self.stated
        return STATED if measured is None else _measured(measured)


def judge_band(figure: Estimate, metric: Metric, shown: Estimate | None, errors: JudgeErrors) -> JudgeBand | None:
    """Values of a judged figure for every judge of a range, by Rogan and Gladen at the two ends that matter.

    A figure on a scale counts as the share of it that the judge let pass. `shown` is the share that the judge decided,
    None for all. Where a unit needs `every` one of several verdicts, a kept one may pass as seldom as the figure itself
    says, so the band reaches up to all; where `any` of several suffices, down to none. None without a value, or where
    no judge has a part.

    >>> half = Estimate(metric="kept", value=0.5, asked=20, graded=20)
    >>> band = judge_band(half, Metric(name="kept", unit="norm", says="", judged="verdict"), None, STATED)
    >>> band and (round(band.low, 3), round(band.high, 3))
    (0.333, 0.667)
    """
    if figure.value is None or not metric.judged:
        return None
    whole = 1.0 if shown is None or shown.value is None else shown.value
    span = metric.high - metric.low
    share = (figure.value - metric.low) / span
    rates = [_ends(rate) for rate in errors.rates]
    if metric.better == "lower":
        rates.reverse()  # what the judge turns down is what is counted
    (least_se, most_se), (least_sp, most_sp) = rates
    low = _corrected(share, whole, most_se, least_sp, otherwise=0.0)
    high = _corrected(share, whole, least_se, most_sp, otherwise=whole)
    # Labels are of what the figure counts; a stated range is of each verdict that it is made of.
    if metric.judged == "every" and not errors.labelled and least_se < 1:
        high = whole
    if metric.judged == "any" and not errors.labelled and least_sp < 1:
        low = 0.0
    return JudgeBand(
        low=round(metric.low + span * low, _DIGITS),
        high=round(metric.low + span * high, _DIGITS),
        sensitivity=_ends(errors.sensitivity),
        specificity=_ends(errors.specificity),
        labelled=errors.labelled,
    )


def _corrected(share: float, whole: float, se: float, sp: float, *, otherwise: float) -> float:
    """A share by a judge of these rates; of one hardly better than chance anything may be true."""
    youden = se + sp - 1
    return otherwise if youden < LEAST_J else min(max((share - (1 - sp) * whole) / youden, 0.0), whole)


def _ends(rate: RateRange) -> tuple[float, float]:
    """The range of a rate: as stated, or its 95 % interval where labels tell it."""
    reach = z_quantile(0.95) * sqrt(rate.variance)
    return max(rate.low - reach, 0.0), min(rate.high + reach, 1.0)


def stated_range(typed: str | None) -> KnownJudgeErrors:
    """Errors of every judge by a range such as `.85-1`; without one, those assumed by default.

    Raises:
        InputError: it is no range of two shares.
    """
    if typed is None:
        return KnownJudgeErrors()
    low, _, high = typed.partition("-")
    try:
        return KnownJudgeErrors(stated=JudgeErrors.within(float(low), float(high)))
    except ValueError:
        raise InputError(
            f"--judge-range {typed}: expected two shares from .6 to 1 with a hyphen, such as .85-1."
        ) from None


def rate_of(share: float, labels: float, otherwise: RateRange, source: LabelSource = "judged") -> RateRange:
    """A rate among so many labels; what it is otherwise, where these are too few."""
    return RateRange.labelled(share * labels, labels, source) if labels >= LEAST_LABELS else otherwise


def _measured(found: VerifierCalibration) -> JudgeErrors:
    sensitivity, specificity = (
        rate_of(figure.value or 0.0, worth, stated, found.labels)
        for figure, worth, stated in zip((found.sensitivity, found.specificity), found.worth, STATED.rates, strict=True)
    )
    return JudgeErrors(sensitivity=sensitivity, specificity=specificity)
