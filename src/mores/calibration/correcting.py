"""What judges' means would be if people had judged: the nouns of each task's mean, uncorrected and corrected.

Nothing is carried from one model to another: a model without labels of its own is named and left as it is. What is
estimated is the mean of people's words, who err too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mores.calibration.correcting_targets import CardFigure, Target
from mores.core.card import Metric
from mores.core.estimate import Caution, Estimate
from mores.stats.paired import Paired
from mores.stats.prevalence import RoganGladen

Method = Literal["ppi", "rogan-gladen", "both"]
LEVEL = 0.05
JUDGE, PPI, ROGAN, PEOPLE = "judge, uncorrected", "PPI++", "Rogan–Gladen", "people alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionOptions:
    """How to correct: by which methods, with what confidence, whether place by place, and the seed."""

    method: Method = "both"
    confidence: float = 0.95
    by_place: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """One mean over one group, all ways; a method that refuses has no value and says why, one not asked for is None.

    `place` is empty for the whole. `lam` says how far the judge's figures are used, one a stratum. Of a share,
    `sensitivity` and `specificity` are the judge's, and `rates` has them as they enter Rogan and Gladen's figure and
    its interval. `apart` is people less judge over labelled things, `p_holm` its p corrected for all such claims of
    the task. `refused` says why a method has no value.
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
    rates: RoganGladen | None
    apart: Paired
    sensitivity: Estimate | None = None
    specificity: Estimate | None = None
    p_holm: float | None = None
    refused: Mapping[str, Caution] = field(default_factory=dict)

    @property
    def metric(self) -> Metric | None:
        """What its range is."""
        return self.figure.metric if self.figure is not None else self.target.metric

    @property
    def ways(self) -> tuple[tuple[str, Estimate], ...]:
        """Each way with its figure, the uncorrected first."""
        found = (
            (JUDGE, self.judge), (PPI, self.powered), (ROGAN, self.rogan), (PEOPLE, self.people),
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

    `judges` are specs by role. `ungraded` are things on which judges said nothing usable, `nothing_to_judge` answers
    that left nothing; of what people labelled `tied` have no majority and `labelled_ungraded` were not graded by
    judges. `family` counts the claims that judge and people differ.
    """

    run: str
    model: str
    benchmark: str
    task: str
    judges: Mapping[str, str]
    options: tuple[str, ...]
    simulated: bool
    judged: int
    ungraded: int
    nothing_to_judge: int
    people: int
    labelled: int
    tied: int
    labelled_ungraded: int
    family: int
    warnings: tuple[Caution, ...]
    remarks: tuple[Caution, ...]
    whole: tuple[Corrected, ...]
    places: tuple[Corrected, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncorrected:
    """A model on a benchmark that is left as it is: no label of the task is of its answers, but of those `labelled`."""

    run: str
    model: str
    benchmark: str
    task: str
    labelled: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """All tasks with labels, and the models without; `simulated` where any answer, judge or label was made up."""

    simulated: bool
    confidence: float
    tasks: tuple[TaskCorrected, ...]
    without: tuple[Uncorrected, ...]
