"""Plan of a calibration, and its answers: a certificate, or the reason why there is none."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.conformal.draws import Thresholds
from mores.stats.conformal.replay import SetScore

Mode: TypeAlias = Literal["auto", "line", "pareto"]
UncalibratableCause: TypeAlias = Literal["too few items", "judge not good enough", "unlucky order"]
RISKS = (0.05, 0.11, 0.17, 0.23, 0.29, 0.35)  # six levels from .05 to .35
MANY = 400  # units from which splitting some off to choose thresholds pays


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPlan:
    """Settings of a calibration, all of them to be fixed before labels are seen.

    Attributes:
        score: The set's score that is held against the stop.
        mode: "line" moves the stop alone along steps fixed beforehand and tests on all items; "pareto" splits off
            items, looks there for the efficient thresholds of all three kinds and tests those on the rest; "auto" is
            "line" below 400 independent units, where splitting costs more than it brings.
        delta: Allowed chance that a certificate is wrong.
        claims: Number of certificates that must hold together; delta is divided by it.
        tuning: Share of clusters split off in mode "pareto".
        levels: Quantiles of likeness, quality and score that are tried in mode "pareto", besides none and all.
        most_empty: Largest share of empty sets among the items split off; None for no limit, as in the paper's code,
            which at a large risk is content to keep nothing of every sixth item.
        stops: Steps of mode "line" from the strictest downwards; None for the score's own: 41 equal ones over its
            range, which suit qualities between 0 and 1. For others take `stop_levels` of unlabelled draws.
    """

    score: SetScore = "max"
    mode: Mode = "auto"
    delta: float = 0.05
    claims: int = 1
    tuning: float = 0.3
    levels: int = 25
    most_empty: float | None = 0.01
    stops: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Refuses what could not be calibrated by."""
        if not 0 < self.delta < 1 or self.claims < 1:
            raise InputError(f"delta is {self.delta} for {self.claims} claims; expected 0 < delta < 1 and a claim.")
        if not 0 < self.tuning < 1 or self.levels < 1:
            raise InputError(f"tuning is {self.tuning}, levels {self.levels}; expected a share and at least one level.")
        if self.stops is not None and list(self.stops) != sorted(self.stops, reverse=True):
            raise InputError("stops do not fall; expected the strictest first, in an order fixed beforehand.")

    @property
    def level(self) -> float:
        """Delta of one claim."""
        return self.delta / self.claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """Thresholds whose risk is at most the level, with probability at least 1 - delta over the calibration items.

    Attributes:
        risk: The level.
        delta: Of this certificate.
        thresholds: The last accepted, which are the cheapest.
        p: Their p-value.
        loss: Their mean loss over the tested units.
        units: Independent units tested on: items, or clusters where items share them.
        clustered: Whether the units are clusters, so that the risk is that of an item drawn from a cluster drawn.
        tested: Settings in the sequence.
        accepted: Settings that were safe.
    """

    risk: float
    delta: float
    thresholds: Thresholds
    p: float
    loss: float
    units: int
    clustered: bool
    tested: int
    accepted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncalibratable:
    """The honest answer that no thresholds can be certified at a level: every item goes to people.

    Attributes:
        risk: The level.
        cause: Which of three.
        missing: The cause with its figures.
        p: P-value of the first setting.
        loss: Mean loss over the tested units with all draws kept, the least there can be.
        p_all: P-value with all draws kept.
        passes_at: The least level at which the first setting would have passed.
        units: Independent units tested on.
        tested: Settings in the sequence.
    """

    risk: float
    cause: UncalibratableCause
    missing: Missing
    p: float
    loss: float
    p_all: float
    passes_at: float
    units: int
    tested: int
