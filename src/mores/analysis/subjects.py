"""Evaluations of one model in some runs, each in another mode, such as a level of help or a rung."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from mores.analysis.results import Result, Results
from mores.analysis.units import Units, units_of


class Subject(Struct, frozen=True, kw_only=True):
    """One model with its evaluations by mode; `name` is its label where it did a mode twice."""

    name: str
    evaluations: Mapping[str, Result]

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return any(each.simulated for each in self.evaluations.values())


@dataclass(frozen=True, kw_only=True)
class SubjectScores:
    """Scores of one subject in one mode, by one metric."""

    subject: Subject
    mode: str
    metric: str

    @property
    def result(self) -> Result:
        """The evaluation."""
        return self.subject.evaluations[self.mode]

    @cached_property
    def units(self) -> Units:
        """The metric's units, folded once."""
        return units_of(self.result.scores[self.metric])

    @property
    def weighted(self) -> bool:
        """True where units have weights, so that figures are points and no shares."""
        return self.units.weight is not None


def subjects_of(results: Results, mode_of: Callable[[Result], str | None]) -> tuple[Subject, ...]:
    """The models that have an evaluation in any mode; evaluations without a mode are left out.

    Runs of one model are taken together where each brings other modes; where two have the same, each run stands alone.
    """
    modes = [(mode, each) for each in results.evaluations if (mode := mode_of(each)) is not None]
    found: list[Subject] = []
    for model in dict.fromkeys(each.model for _, each in modes):
        mine = [(mode, each) for mode, each in modes if each.model == model]
        if len(dict(mine)) == len(mine):
            found.append(Subject(name=model, evaluations=dict(mine)))
            continue
        for label in dict.fromkeys(each.label for _, each in mine):
            own = {mode: each for mode, each in mine if each.label == label}
            found.append(Subject(name=label, evaluations=own))
    return tuple(found)
