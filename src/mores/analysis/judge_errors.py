"""Error rates of judges: by labels of the same answers, by a stated range, or by labels of others."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from mores.core.errors import InputError
from mores.models.verifier_facts import VerifierCalibration
from mores.stats.rogan_gladen import JudgeErrors, LabelSource, RateRange

STATED = JudgeErrors.within(0.75, 1.0)
"""In which range a judge's sensitivity and specificity are taken to lie where nobody says otherwise."""
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
