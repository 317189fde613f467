"""What judges' means would be if people had judged: the nouns of each task's mean, uncorrected and corrected.

Nothing is carried from one model to another: a model without labels of its own is named and left as it is. What is
estimated is the mean of people's words, who err too.
"""

from dataclasses import dataclass
from typing import Literal

from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.people.judged import Cell
from mores.reports.trust.correcting_targets import CardFigure, Target
from mores.stats import Paired, RoganGladen

Method = Literal["ppi", "rogan-gladen", "both"]
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to correct: by which methods, with what confidence, whether place by place, and the dice."""

    method: Method = "both"
    confidence: float = 0.95
    by_place: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """A judge's sensitivity and specificity for one word, each with its n and interval."""

    sensitivity: Estimate
    specificity: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """One mean over one group, all ways; a method that refuses has no value and says why, one not asked for is None.

    `place` is empty for the whole. `lam` says how far the judge's figures are used, one a stratum. `rates` has the
    judge's errors as they enter Rogan and Gladen's figure and its interval. `apart` is people less judge over labelled
    things, `p_holm` its p corrected for all such claims of the task.
    """

    target: Target
    place: str
    figure: CardFigure | None
    judged: int
    labelled: int
    clusters: int
    judge: Estimate
    people: Estimate
    powered: Estimate | None
    rogan: Estimate | None
    lam: tuple[float, ...]
    errors: Errors | None
    rates: RoganGladen | None
    apart: Paired
    p_holm: float | None = None

    @property
    def metric(self) -> Metric | None:
        """What its range is."""
        return self.figure.metric if self.figure is not None else self.target.metric

    @property
    def ways(self) -> tuple[tuple[str, Estimate], ...]:
        """Each way with its figure, the uncorrected first."""
        found = (
            ("judge, uncorrected", self.judge), ("PPI++", self.powered), ("Rogan–Gladen", self.rogan),
            ("people alone", self.people),
        )  # fmt: skip
        return tuple((name, figure) for name, figure in found if figure is not None)

    @property
    def best(self) -> Estimate | None:
        """The corrected figure, of the first method that does not refuse."""
        return next((each for each in (self.powered, self.rogan) if each is not None and each.value is not None), None)

    @property
    def significant(self) -> bool:
        """True where judge and people differ, after correction for the number of claims."""
        return self.p_holm is not None and self.p_holm < LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCorrected:
    """One task of one model on one benchmark, its whole by each target and its places.

    `ungraded` are things on which judges said nothing usable, `settled` answers that left nothing to judge; of what
    people labelled `tied` have no majority and `lost` were not graded by judges. `family` counts the claims that
    judge and people differ.
    """

    cell: Cell
    label: str
    task: str
    options: tuple[str, ...]
    people: int
    judged: int
    ungraded: int
    settled: int
    labelled: int
    tied: int
    lost: int
    simulated: bool
    whole: tuple[Corrected, ...]
    places: tuple[Corrected, ...]
    family: int
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def judges(self) -> tuple[str, ...]:
        """Who judged, by spec."""
        return tuple(dict.fromkeys(self.cell.judges.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncorrected:
    """A model on a benchmark that is left as it is, and why."""

    cell: Cell
    label: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """All tasks with labels, and the models without."""

    tasks: tuple[TaskCorrected, ...]
    without: tuple[Uncorrected, ...]
    wish: Wish

    @property
    def simulated(self) -> bool:
        """True where any answer, judge or label was made up."""
        return any(each.simulated for each in self.tasks)

    @property
    def people(self) -> int:
        """The most people that labelled one task."""
        return max((each.people for each in self.tasks), default=0)
