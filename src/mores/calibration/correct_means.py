"""One mean over one group of judged things, all ways: the judge's, prediction-powered, Rogan and Gladen's, people's.

A sample with one thing of each episode draws things of long episodes more rarely; each of its labels then counts as
many times as its episode has things, or the mean wanted is that over episodes.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.annotation.label_tables import TaskTable, some
from mores.calibration.corrections import PPI, ROGAN, CardFigure, CorrectedMean, CorrectionOptions, Target
from mores.core.arrays import Floats, Mask
from mores.core.estimate import NOTHING_GRADED, Caution, Estimate, Missing
from mores.core.seeds import Seed
from mores.stats.checks import distinct_pairs, kish, ranks
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import MIN_CLUSTERS, mean_interval
from mores.stats.labelled_units import JudgedUnits, LabelledUnits, label_checks
from mores.stats.paired import Paired, compare_paired
from mores.stats.prediction_powered import prediction_powered
from mores.stats.rogan_gladen import RoganGladen, rogan_gladen
from mores.stats.weighted_means import weighted_difference, weighted_mean

LEAST_UNITS = 10
"""Labels of a word, and of the others, that Rogan and Gladen's correction takes."""
LEAST_OF_PLACE = 4
"""Labelled clusters of every place from which places are weighed apart."""
RUNS_CONFIDENCE = 0.95
"""Of the intervals of a run's own figures."""
_LEVEL = 0.01


class TargetWeights(NamedTuple):
    """Weight of each thing in the mean wanted, and that over how likely it was to be drawn.

    Both are None where all count alike and were as likely.
    """

    counts: Floats | None = None
    lifted: Floats | None = None

    @classmethod
    def of(cls, table: TaskTable, counts: Floats | None) -> "TargetWeights":
        """Weight of each graded thing, by the figure wanted and by how the labelled ones were drawn.

        Args:
            table: The graded things; one that was not drawn was as likely among those it would be drawn among.
            counts: How much each counts in the figure wanted; None where no figure of the card is wanted, and all that
                things were drawn from count alike.
        """
        odds = np.ones(len(table.rows)) if table.among is None else 1.0 / table.among
        target = odds if counts is None else counts
        if table.chances is not None:
            odds = np.where(np.isnan(table.chances), odds, table.chances)
        lifted = target / odds
        # where weights change nothing the methods without them apply, whose intervals are known better
        if _alike(target) and _alike(lifted[np.isfinite(table.truth)]):
            return cls()
        return cls(target / target.mean(), lifted / lifted.mean())

    def at(self, mask: Mask) -> "TargetWeights":
        """Those of some things."""
        return TargetWeights(some(self.counts, mask), some(self.lifted, mask))


def _alike(weights: Floats) -> bool:
    return bool(weights.size == 0 or np.ptp(weights) <= 1e-9 * float(weights.max()))


class TargetMean(Struct, frozen=True, kw_only=True, dict=True):
    """One target over the graded things of one group, with the figure of the card that it is, if any.

    `open` counts things in the figure that have no grade, `nothing_to_judge` those that needed none. `picked` says why
    the labels can correct nothing at all; `by_place` whether places are weighted separately.
    """

    target: Target
    table: TaskTable
    figure: CardFigure | None
    weights: TargetWeights
    options: CorrectionOptions
    open: int
    nothing_to_judge: int
    picked: Caution | None = None
    place: str = ""
    by_place: bool = False

    def at(self, place: str, ungraded: int) -> "TargetMean":
        """The same of one place."""
        here = self.table.places == place
        figure = None if self.figure is None else self.figure.at(place)
        return replace(self, table=self.table.at(here), weights=self.weights.at(here), figure=figure, place=place,
                       open=ungraded, nothing_to_judge=0, by_place=False)  # fmt: skip

    @cached_property
    def judged(self) -> Floats:
        """The judge's figures: probabilities of the word where they were weighed."""
        return self.target.judged(self.table)

    @cached_property
    def verdicts(self) -> Floats:
        """The judge's words as figures."""
        return self.target.worth_of(self.table.judged)

    @cached_property
    def people(self) -> Floats:
        """People's words as figures; NaN where they said nothing, or are tied."""
        return self.target.worth_of(self.table.truth)

    @property
    def labelled(self) -> Mask:
        """Things that people have a word on."""
        return np.isfinite(self.people)

    @property
    def clusters(self) -> int:
        """Clusters with a labelled thing."""
        return int(np.unique(self.table.clusters[self.labelled]).size)

    @property
    def worth(self) -> float:
        """Number of labelled things that count alike and would be worth as much."""
        lifted = self.weights.lifted
        return float(self.labelled.sum()) if lifted is None else kish(lifted[self.labelled])

    def parts(
        self, values: Floats, weights: TargetWeights, *, strata: bool = False
    ) -> tuple[JudgedUnits, LabelledUnits]:
        """Judged and labelled units for the statistics; with weights the judged ones are all."""
        own, clusters = self.labelled, self.table.clusters
        # with weights the judged part is all units, as the mean wanted is theirs
        judged = ~own if weights.counts is None else np.ones(own.size, dtype=np.bool_)
        places = self.table.places if strata else None
        counts, lifted = some(weights.counts, judged), some(weights.lifted, own)
        return (
            JudgedUnits(
                values=values[judged], clusters=clusters[judged], strata=some(places, judged), weights=counts
            ),
            LabelledUnits(
                values=values[own], labels=self.people[own], clusters=clusters[own], strata=some(places, own),
                weights=lifted,
            ),
        )  # fmt: skip

    def corrected(self, mix: Caution | None = None) -> CorrectedMean:
        """The mean, all ways; `mix` says why places forbid a prediction-powered one."""
        own, method, confidence = self.labelled, self.options.method, self.options.confidence
        powered = prediction_powered(
            *self.parts(self.judged, self.weights, strata=self.by_place), confidence=confidence
        )
        rates, sensitivity, specificity = None, None, None
        if self.target.is_share:
            rates = rogan_gladen(*self.parts(self.verdicts, self.weights), confidence=confidence)
            sensitivity = self._share("sensitivity", self.verdicts, own & (self.people == 1))
            specificity = self._share("specificity", 1 - self.verdicts, own & (self.people == 0))
        refused = self._refused(rates, mix)
        return CorrectedMean(
            target=self.target,
            place=self.place,
            figure=self.figure,
            judged=own.size,
            labelled=int(own.sum()),
            clusters=self.clusters,
            judge=self._own(powered.uncorrected),
            people=self._estimate(self._of_people(powered.people), int(own.sum())),
            powered=None if method == "rogan-gladen" else self._way(powered.corrected, refused.get(PPI)),
            rogan=None if rates is None or method == "ppi" else self._way(rates.corrected, refused.get(ROGAN)),
            rates=rates,
            lam=() if mix else powered.lam,
            difference=self._difference(),
            refused=refused,
            sensitivity=sensitivity,
            specificity=specificity,
        )

    def _refused(self, rates: RoganGladen | None, mix: Caution | None) -> dict[str, Caution]:
        """Reasons that methods have no value, of those that have none: want of labels, or of things without, first."""
        few = self.picked
        if few is None and self.labelled.size and self.labelled.all():
            few = Caution(code="all labelled")
        if few is None and self.clusters < MIN_CLUSTERS:
            few = Caution(code="few clusters", n=self.clusters, of=MIN_CLUSTERS)
        # another mix of places does not touch Rogan and Gladen's figure, which rests on rates of errors
        found = {PPI: mix or few, ROGAN: few or (None if rates is None else self._unfit(rates))}
        return {way: why for way, why in found.items() if why is not None}

    def _unfit(self, rates: RoganGladen) -> Caution | None:
        """Reason that Rogan and Gladen's figure is none; without weights labels are units, else worth as many units."""
        if rates.corrected.missing is None:
            return None
        for code, count in (("few of the word", rates.yes), ("few of the others", rates.no)):
            if count < LEAST_UNITS:
                kind = "label" if self.weights.lifted is None else "worth"
                return Caution(code=code, size=count, of=LEAST_UNITS, words=(self.target.name, kind))
        return Caution(code="hardly better than chance", size=rates.youden)

    def _difference(self) -> Paired:
        """People less judge over what is labelled, weighed as the means beside it are."""
        own, lifted = self.labelled, self.weights.lifted
        pair, clusters = (self.people[own], self.judged[own]), self.table.clusters[own]
        confidence, seed = self.options.confidence, self._seed.child("apart")
        if lifted is None:
            return compare_paired(*pair, clusters, confidence=confidence, seed=seed)
        return weighted_difference(*pair, clusters, lifted[own], confidence=confidence, seed=seed)

    def _own(self, found: MeasuredFigure) -> Estimate:
        """The judge's mean uncorrected: the run's own figure where it is that, so that both pages say the same."""
        if self.figure is not None and not self.place and self.options.confidence == RUNS_CONFIDENCE:
            return self.figure.estimate
        return self._estimate(found, self.labelled.size)

    def _of_people(self, found: MeasuredFigure) -> MeasuredFigure:
        """People's mean, also where nothing can be corrected with it."""
        own = self.labelled
        return found if found.missing is None or not own.any() else self._mean("people", self.people, own)

    def _mean(self, name: str, values: Floats, own: Mask) -> MeasuredFigure:
        """A mean over some of what is labelled, weighed as all figures here are."""
        clusters, confidence, lifted = self.table.clusters[own], self.options.confidence, self.weights.lifted
        if lifted is not None:
            return weighted_mean(values[own], clusters, lifted[own], confidence=confidence)
        interval = mean_interval(values[own], clusters, confidence=confidence, seed=self._seed.child(name))
        return MeasuredFigure(float(values[own].mean()), interval)

    def _share(self, name: str, right: Floats, own: Mask) -> Estimate:
        """Share of right answers of the judge on some labelled things."""
        asked, group = int(own.sum()), self._group
        if not asked:
            return Estimate(
                metric=name, group=group, value=None, asked=0, graded=0, missing=Missing(code="no_such_labels")
            )
        value, found, _ = self._mean(name, right, own)
        return Estimate(metric=name, group=group, value=value, low=found.low, high=found.high,
                        asked=asked, graded=asked, method=found.method, missing=found.missing)  # fmt: skip

    def _way(self, found: MeasuredFigure, refused: Caution | None) -> Estimate:
        return (
            self._estimate(found, self.labelled.size)
            if refused is None
            else self._none(Missing(code=refused.code, told=refused.code))
        )

    def _none(self, missing: Missing) -> Estimate:
        return Estimate(metric=self._name, group=self._group, value=None, asked=self.labelled.size + self.open,
                        graded=0, missing=missing)  # fmt: skip

    def _estimate(self, found: MeasuredFigure, graded: int) -> Estimate:
        """A mean over what was judged, as the card's figure where it is one, with its bounds by what is ungraded."""
        if np.isnan(found.value):
            return self._none(found.missing or NOTHING_GRADED)
        mass, rest = (self.figure.mass, self.figure.rest) if self.figure is not None else (1.0, 0.0)
        # a figure of the card also has answers that nobody judged: they shrink the interval and shift it
        ends = [
            None if end is None else mass * min(max(end, self.target.low), self.target.high) + rest
            for end in (found.interval.low, found.interval.high)
        ]
        value = mass * found.value + rest
        every, left = self.labelled.size + self.nothing_to_judge, self.open
        worst, best = ((every * value + left * end) / (every + left) if left else value
                       for end in (self.target.low, self.target.high))  # fmt: skip
        return Estimate(
            metric=self._name, group=self._group, value=value, low=ends[0], high=ends[1], asked=graded, graded=graded,
            worst=worst, best=best, method=found.interval.method, missing=found.interval.missing,
        )  # fmt: skip

    @property
    def _name(self) -> str:
        return self.figure.name if self.figure is not None else self.target.name

    @property
    def _group(self) -> dict[str, str]:
        return {"place": self.place} if self.place else {}

    @property
    def _seed(self) -> Seed:
        return Seed(f"mores-correct-{self.options.seed}").child(self.target.name, self.place)


class Strata(NamedTuple):
    """Treatment of places: weighted apart or not; why their mix forbids a correction of the whole; cautions."""

    by_place: bool = False
    refused: Caution | None = None
    warnings: tuple[Caution, ...] = ()
    remarks: tuple[Caution, ...] = ()


def strata_of(mean: TargetMean) -> Strata:
    """Treatment of places: weighted apart where each has labels enough, together where the mix is the same.

    If the labelled things are the sample that they are held to be, the judge's mean over them is that over all, each
    counting as it was likely to be drawn, whatever mean is wanted.
    """
    table, own, weights = mean.table, mean.labelled, mean.weights
    if table.likely is not None:
        weights = TargetWeights(table.likely, np.ones(own.size))
    names, codes = np.unique(table.places, return_inverse=True)
    checks = label_checks(*mean.parts(mean.judged, weights, strata=names.size > 1))
    warnings: tuple[Caution, ...] = ()
    if checks.rate_p < _LEVEL:
        warnings = (Caution(code="another population", size=checks.rate_gap, p=checks.rate_p),)
    if names.size < 2 or not own.any():
        return Strata(warnings=warnings)
    # clusters with a label of each place, each once
    of_place, *_ = distinct_pairs(codes[own], ranks(table.clusters)[own])
    few = tuple(names[np.bincount(of_place, minlength=names.size) < LEAST_OF_PLACE].tolist())
    mixed = bool(checks.mix_p < _LEVEL)
    if not few:
        text = Caution(code="weighed by place", of=names.size, p=checks.mix_p if mixed else None)
        return Strata(by_place=True, warnings=warnings, remarks=(text,))
    if mixed:
        other = Caution(code="another mix", n=len(few), of=names.size, words=few, p=checks.mix_p)
        return Strata(refused=other, warnings=(other, *warnings))
    p = None if np.isnan(checks.mix_p) else checks.mix_p
    return Strata(warnings=warnings, remarks=(Caution(code="not by place", n=len(few), of=names.size, p=p),))
