"""What certified thresholds come to on things that they were not calibrated on, and what the judge's single words do.

A certificate bounds the true risk; the loss on a few hundred held-out things swings round it. A held-out loss above
its level now and then is no breach, and one below it no proof.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from mores.calibration.calibration_labels import CalibrationLabels
from mores.calibration.certificate import Certificate, CertifiedLevel, HeldOutResult
from mores.calibration.draws import JudgeDraws, Rows
from mores.core.seeds import Seed
from mores.stats.agreement import repeat_stability
from mores.stats.cluster_sums import Design, MeasuredFigure
from mores.stats.conformal.replay import PredictionSetMetrics, judge_sets, loss_by_group, set_figures
from mores.stats.confusion import ClassAgreement, pair_agreement
from mores.stats.intervals import Interval, mean_interval

HeldOutVerdict = Literal["not certified", "within", "chance", "above"]
"""How a loss stands to its level: at most that, above it by no more than chance brings, or by more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLoss:
    """Loss at one place, which no certificate over all places speaks of."""

    place: str
    loss: float
    interval: Interval
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOnData:
    """What one level comes to on some things; no figures where the level is not certified.

    Of kept sets `chance_above_level` is that of a loss above the level on as many independent things, were the true
    risk the level. Of decisions `accepted` counts those of at least the certified confidence, `error` is the share
    wrong among them.
    """

    risk: float
    items: int
    figures: PredictionSetMetrics | None = None
    verdict: HeldOutVerdict = "not certified"
    chance_above_level: float | None = None
    places: tuple[PlaceLoss, ...] = ()
    accepted: int | None = None
    error: float | None = None
    interval: Interval | None = None

    @property
    def held(self) -> HeldOutResult | None:
        """The same as it is stored beside the certificate."""
        if self.figures is None and self.accepted is None:
            return None
        found = self.figures
        loss, interval = (self.error, self.interval) if found is None else (found.loss, found.loss_interval)
        low, high = (None, None) if interval is None else interval[:2]
        return HeldOutResult(risk=self.risk, loss=loss, low=low, high=high, items=self.items, accepted=self.accepted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A certificate's levels on some things, held out or, where none were, those that calibrated."""

    held_out: bool
    items: int
    clusters: int
    levels: tuple[LevelOnData, ...]

    @property
    def held(self) -> tuple[HeldOutResult, ...]:
        """The same as it is stored beside the certificate; nothing where nothing was held out."""
        return tuple(held for each in self.levels if self.held_out and (held := each.held) is not None)


def applied(certificate: Certificate, draws: JudgeDraws, truths: CalibrationLabels, *, seed: Seed) -> Applied | None:
    """The levels of a certificate on the held-out things of its place; those certified, where it is of decisions.

    Kept sets are told of the things that calibrated where none are held out. None where there are no things at all.
    """
    selective, held = certificate.promise == "selective", truths.held.size > 0
    rows = truths.held if held or selective else truths.calibration
    if certificate.place is not None:
        rows = rows[draws.table.places[rows] == certificate.place]
    if not rows.size:
        return None
    if selective:
        own = seed.child("held")
        levels = [_decisions(each, draws, truths, rows, own) for each in certificate.levels if each.certified]
    else:
        own = seed.child("held", certificate.place or "")
        levels = [_sets(each, draws, truths, rows, own) for each in certificate.levels]
    return Applied(held_out=held, items=rows.size, clusters=truths.clusters(rows), levels=tuple(levels))


def _sets(level: CertifiedLevel, draws: JudgeDraws, truths: CalibrationLabels, rows: Rows, seed: Seed) -> LevelOnData:
    if not level.certified:
        return LevelOnData(risk=level.risk, items=rows.size)
    own = seed.child(str(level.risk))
    labelled = truths.labelled(draws.draws(rows, similarity=np.isfinite(level.settings.similarity)), rows)
    sets = judge_sets(labelled.draws, level.settings, draws.measure.score)
    groups = loss_by_group(sets, labelled, draws.table.places[rows], seed=own.child("places"))
    figures = set_figures(sets, labelled, seed=own)
    return LevelOnData(
        risk=level.risk,
        items=rows.size,
        figures=figures,
        verdict=_verdict(figures, level.risk),
        chance_above_level=float(special.bdtrc(int(level.risk * rows.size + 1e-9), rows.size, level.risk)),
        places=tuple(
            PlaceLoss(place=place, loss=loss, interval=interval, items=items)
            for place, (loss, interval, items) in groups.items()
        ),
    )


def _decisions(
    level: CertifiedLevel, draws: JudgeDraws, truths: CalibrationLabels, rows: Rows, seed: Seed
) -> LevelOnData:
    found = draws.decided
    lost, clusters = truths.wrong(found, rows), truths.table.clusters[rows]
    stands = found.confidence[rows] >= float(level.thresholds["confidence"])
    return LevelOnData(
        risk=level.risk,
        items=rows.size,
        accepted=int(stands.sum()),
        error=float(lost[stands].mean()) if stands.any() else None,
        interval=mean_interval(lost[stands], clusters[stands], seed=seed.child(str(level.risk))),
    )


def _verdict(figures: PredictionSetMetrics, risk: float) -> HeldOutVerdict:
    low = figures.loss_interval.low
    if figures.loss <= risk:
        return "within"
    return "chance" if low is None or low <= risk else "above"


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleWord:
    """The judge's first word on each labelled thing beside people's, and how far it contradicts itself.

    `unread` counts first words that could not be read: they are left out here, and losses where sets are judged.
    `flip_rate` is None where each of `items` was judged once, `accuracy` where nothing could be read.
    """

    units: int
    unread: int
    accuracy: MeasuredFigure | None
    classes: tuple[ClassAgreement, ...]
    items: int
    flip_rate: MeasuredFigure | None


def single_word(draws: JudgeDraws, truths: CalibrationLabels, *, seed: Seed) -> SingleWord:
    """Accuracy, precision, recall and F1 of the first draw over all labelled things, and the flip rate of all draws."""
    rows = np.sort(np.concatenate((truths.calibration, truths.held)))
    first, gold = draws.codes[rows, 0], draws.table.truth[rows].astype(np.int64)
    read, clusters, repeats, found = first >= 0, draws.table.clusters[rows], None, None
    if read.any():
        design = Design(clusters=clusters[read], seed=seed.child("single"))
        found = pair_agreement(gold[read], first[read], draws.table.options, design)
    if draws.each > 1:
        words = np.where(draws.codes < 0, np.nan, draws.codes)
        repeats = repeat_stability(words, Design(clusters=draws.table.clusters, seed=seed.child("flips")))
    return SingleWord(
        units=0 if found is None else found.units,
        unread=int((~read).sum()),
        accuracy=None if found is None else found.accuracy,
        classes=() if found is None else found.classes,
        items=len(draws.codes) if repeats is None else repeats.items,
        flip_rate=None if repeats is None else repeats.flip_rate,
    )
