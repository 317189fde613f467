"""How a judge errs: the share that it keeps of what is right, and the share that it turns down of what is wrong."""

from typing import Literal

from msgspec import Struct

from mores.core.errors import InputError

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


PERFECT = RateRange(low=1.0, high=1.0)


class JudgeErrors(Struct, frozen=True, kw_only=True):
    """What is known of a judge on one rung."""

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
    def labelled(self) -> bool:
        """True where labels tell any of it."""
        return any(rate.labels for rate in self.rates)

    @property
    def hopeless(self) -> bool:
        """True where in some corner it is hardly better than chance."""
        return self.sensitivity.low + self.specificity.low - 1 < LEAST_J


FLAWLESS = JudgeErrors(sensitivity=PERFECT, specificity=PERFECT)
