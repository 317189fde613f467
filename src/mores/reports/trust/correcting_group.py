"""One mean over one group, all ways: the judge's own, prediction-powered, Rogan and Gladen's, and people's alone."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.people.tables import Floats
from mores.reports.trust.correcting import Corrected, Errors, Wish
from mores.reports.trust.correcting_design import Design
from mores.reports.trust.correcting_targets import CardFigure, Target
from mores.stats import Measured, compare_paired, mean_interval, prediction_powered, rogan_gladen
from mores.stats.intervals import FEWEST

RUNS_CONFIDENCE = 0.95
"""Of the intervals of a run's own figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """Things that are in the figure without a judge's grade: `open` have none, `settled` needed none."""

    target: Target
    graded: int
    open: int
    settled: int

    def bounds(self, value: float | None) -> tuple[float | None, float | None]:
        """The figure if all ungraded things were at worst and at best."""
        if value is None or not self.open:
            return value, value
        graded = self.graded + self.settled
        every = graded + self.open
        ends = (self.target.low, self.target.high)
        low, high = ((graded * value + self.open * end) / every for end in ends)
        return low, high


@dataclass(frozen=True, slots=True)
class Group:
    """One target over one group; `picked` says why its labels can correct nothing at all."""

    target: Target
    place: str
    figure: CardFigure | None
    design: Design
    wish: Wish
    lacking: Lacking
    picked: str | None = None

    def corrected(self, refused: str | None) -> Corrected:
        """Its mean, all ways; `refused` says why places forbid a prediction-powered one."""
        design, own = self.design, self.design.labelled
        powered = prediction_powered(*design.parts(), confidence=self.wish.confidence)
        return Corrected(
            target=self.target,
            place=self.place,
            figure=self.figure,
            judged=design.figures.size,
            labelled=int(own.sum()),
            clusters=design.labelled_clusters,
            judge=self._own(powered.uncorrected),
            people=self._told(self._people(powered.people), int(own.sum())),
            powered=self._powered(powered.corrected, refused) if self.wish.method != "rogan-gladen" else None,
            rogan=self._rogan() if self.wish.method != "ppi" and self.target.is_share else None,
            lam=() if refused else powered.lam,
            errors=self._errors() if self.target.is_share else None,
            apart=compare_paired(
                design.labels[own],
                design.figures[own],
                design.clusters[own],
                confidence=self.wish.confidence,
                seed=self._seed.child("apart"),
            ),
        )

    def _own(self, found: Measured) -> Estimate:
        """The judge's mean uncorrected: the run's own figure where it is that, so that both pages say the same."""
        if self.figure is not None and not self.place and self.wish.confidence == RUNS_CONFIDENCE:
            return self.figure.estimate
        return self._told(found, self.design.figures.size)

    def _people(self, found: Measured) -> Measured:
        """People's mean, also where nothing can be corrected with it."""
        own = self.design.labelled
        if found.why is None or not own.any():
            return found
        labels, clusters = self.design.labels[own], self.design.clusters[own]
        weights = None if self.design.lifted is None else self.design.lifted[own]
        interval = mean_interval(labels, clusters, confidence=self.wish.confidence, seed=self._seed.child("people"))
        return Measured(float(np.average(labels, weights=weights)), interval)

    @property
    def _seed(self) -> Seed:
        return Seed(f"mores-correct-{self.wish.seed}").child(self.target.name, self.place)

    @property
    def _few(self) -> str | None:
        """Why no correction is made for want of labels, or of things without."""
        clusters = self.design.labelled_clusters
        if self.picked is not None:
            return self.picked
        if self.design.figures.size and self.design.labelled.all():
            return "people labelled all that was judged: their own mean needs no correction"
        return None if clusters >= FEWEST else f"too few labelled clusters: {clusters}, at least {FEWEST} are needed"

    def _powered(self, found: Measured, refused: str | None) -> Estimate:
        if refused:
            return self._none(refused)
        if self._few is not None:
            return self._none(self._few)
        return self._told(found, self.design.figures.size)

    def _rogan(self) -> Estimate:
        if self._few is not None:
            return self._none(self._few)
        found = rogan_gladen(*self.design.plain().parts(self.design.words), confidence=self.wish.confidence)
        if found.corrected.why is None:
            return self._told(found.corrected, self.design.figures.size)
        name = self.target.name
        named = f"that people call '{name}'", f"that people do not call '{name}'"
        why = found.corrected.why.replace("that people call yes", named[0]).replace("that people call no", named[1])
        one = why.startswith("1 units")
        if self.design.lifted is None:
            alike = "unit that people" if one else "units that people"
        else:
            alike = "label's worth that people" if one else "labels' worth that people"
        return self._none(why.replace("units that people", alike))

    def _none(self, why: str) -> Estimate:
        return Estimate(metric=self._name, group=self._group, value=None, asked=self.lacking.graded + self.lacking.open,
                        graded=0, why=why)  # fmt: skip

    def _told(self, found: Measured, graded: int) -> Estimate:
        """A mean over what was judged, as the card's figure where it is one."""
        if np.isnan(found.value):
            return self._none(found.why or "nothing graded")
        mass, rest = (self.figure.mass, self.figure.rest) if self.figure is not None else (1.0, 0.0)
        low, high = found.interval.low, found.interval.high
        ends = [
            None if end is None else mass * min(max(end, self.target.low), self.target.high) + rest
            for end in (low, high)
        ]
        value = mass * found.value + rest
        worst, best = self.lacking.bounds(value)
        return Estimate(
            metric=self._name, group=self._group, value=value, low=ends[0], high=ends[1], asked=graded, graded=graded,
            worst=worst, best=best, method=found.interval.method, why=found.interval.why,
        )  # fmt: skip

    @property
    def _name(self) -> str:
        return self.figure.name if self.figure is not None else self.target.name

    @property
    def _group(self) -> dict[str, str]:
        return {"place": self.place} if self.place else {}

    def _errors(self) -> Errors:
        design, own = self.design, self.design.labelled
        yes = own & (design.labels == 1)
        no = own & (design.labels == 0)
        return Errors(
            sensitivity=self._share("sensitivity", design.words[yes], design.clusters[yes]),
            specificity=self._share("specificity", 1 - design.words[no], design.clusters[no]),
        )

    def _share(self, name: str, right: Floats, clusters: npt.NDArray[np.str_]) -> Estimate:
        if not right.size:
            return Estimate(metric=name, group=self._group, value=None, asked=0, graded=0, why="no such labels")
        found = mean_interval(right, clusters, confidence=self.wish.confidence, seed=self._seed.child(name))
        return Estimate(metric=name, group=self._group, value=float(right.mean()), low=found.low, high=found.high,
                        asked=right.size, graded=right.size, method=found.method, why=found.why)  # fmt: skip
