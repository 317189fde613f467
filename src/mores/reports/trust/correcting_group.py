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
from mores.stats import (
    Measured,
    Paired,
    RoganGladen,
    compare_paired,
    mean_interval,
    prediction_powered,
    rogan_gladen,
    weighed_gap,
    weighed_mean,
)
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
        rates = None
        if self.target.is_share:
            rates = rogan_gladen(*design.plain().parts(design.words), confidence=self.wish.confidence)
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
            rogan=None if rates is None or self.wish.method == "ppi" else self._rogan(rates),
            rates=rates,
            lam=() if refused else powered.lam,
            errors=self._errors() if self.target.is_share else None,
            apart=self._apart(),
        )

    def _apart(self) -> Paired:
        """People less judge over what is labelled, weighed as the means beside it are."""
        design, own = self.design, self.design.labelled
        pair, clusters = (design.labels[own], design.figures[own]), design.clusters[own]
        confidence, seed = self.wish.confidence, self._seed.child("apart")
        if design.lifted is None:
            return compare_paired(*pair, clusters, confidence=confidence, seed=seed)
        return weighed_gap(*pair, clusters, design.lifted[own], confidence=confidence, seed=seed)

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
        return self._mean("people", self.design.labels, own)

    def _mean(self, name: str, values: Floats, own: npt.NDArray[np.bool_]) -> Measured:
        """A mean over some of what is labelled, weighed as all figures here are."""
        clusters, confidence = self.design.clusters[own], self.wish.confidence
        if self.design.lifted is not None:
            return weighed_mean(values[own], clusters, self.design.lifted[own], confidence=confidence)
        interval = mean_interval(values[own], clusters, confidence=confidence, seed=self._seed.child(name))
        return Measured(float(values[own].mean()), interval)

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

    def _rogan(self, found: RoganGladen) -> Estimate:
        if self._few is not None:
            return self._none(self._few)
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
        return Errors(
            sensitivity=self._share("sensitivity", design.words, own & (design.labels == 1)),
            specificity=self._share("specificity", 1 - design.words, own & (design.labels == 0)),
        )

    def _share(self, name: str, right: Floats, own: npt.NDArray[np.bool_]) -> Estimate:
        asked = int(own.sum())
        if not asked:
            return Estimate(metric=name, group=self._group, value=None, asked=0, graded=0, why="no such labels")
        value, found, _ = self._mean(name, right, own)
        return Estimate(metric=name, group=self._group, value=value, low=found.low, high=found.high,
                        asked=asked, graded=asked, method=found.method, why=found.why)  # fmt: skip
