"""What certified thresholds come to on things that they were not calibrated on, and what the judge's single words do.

A certificate bounds the true risk; the loss on a few hundred held-out things swings round it. A held-out loss above
its level now and then is no breach, and one below it no proof.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from mores.core.seeds import Seed
from mores.reports.trust.certificate import Certificate, Held, Level
from mores.reports.trust.draws import JudgeDraws, Rows
from mores.reports.trust.draws_labels import Truths
from mores.stats import (
    Design,
    Interval,
    PairAgreement,
    Repeats,
    SetFigures,
    judge_sets,
    loss_by_group,
    pair_agreement,
    repeat_stability,
    set_figures,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLoss:
    """Loss at one place, which no certificate over all places speaks of."""

    place: str
    loss: float
    interval: Interval
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOnData:
    """What the thresholds of one level come to on some things; None and nothing where the level is not certified.

    `by_chance` is the chance of a loss above the level on as many independent things, were the true risk the level.
    """

    level: Level
    figures: SetFigures | None
    places: tuple[PlaceLoss, ...]
    by_chance: float | None

    @property
    def verdict(self) -> str:
        """How the loss stands to its level, in words."""
        if self.figures is None:
            return "not certified"
        loss, low = self.figures.loss, self.figures.loss_interval.low
        if loss <= self.level.risk:
            return "at most the level"
        if low is None or low <= self.level.risk:
            return "above the level by no more than chance brings"
        return "above the level by more than chance brings: these things may be unlike those that calibrated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A certificate's levels on some things, held out or, where none were, those that calibrated."""

    held_out: bool
    items: int
    clusters: int
    levels: tuple[LevelOnData, ...]

    @property
    def held(self) -> tuple[Held, ...]:
        """The same as it is stored beside the certificate; nothing where nothing was held out."""
        return tuple(
            Held(risk=each.level.risk, loss=each.figures.loss, low=each.figures.loss_interval.low,
                 high=each.figures.loss_interval.high, items=each.figures.items)
            for each in self.levels
            if self.held_out and each.figures is not None
        )  # fmt: skip


def applied(certificate: Certificate, draws: JudgeDraws, truths: Truths, *, seed: Seed) -> Applied | None:
    """The levels of a certificate on the held-out things of its place; on those that calibrated where none are.

    None where there are no things at all.
    """
    held = truths.held.size > 0
    rows = truths.held if held else truths.calibration
    if certificate.place is not None:
        rows = rows[draws.table.places[rows] == certificate.place]
    if not rows.size:
        return None
    levels = tuple(_on(level, draws, truths, rows, seed.child(str(level.risk))) for level in certificate.levels)
    return Applied(held_out=held, items=rows.size, clusters=truths.clusters(rows), levels=levels)


def _on(level: Level, draws: JudgeDraws, truths: Truths, rows: Rows, seed: Seed) -> LevelOnData:
    if not level.certified:
        return LevelOnData(level=level, figures=None, places=(), by_chance=None)
    labelled = truths.labelled(draws.draws(rows, likeness=np.isfinite(level.settings.similarity)), rows)
    sets = judge_sets(labelled.draws, level.settings, draws.measure.score)
    groups = loss_by_group(sets, labelled, draws.table.places[rows], seed=seed.child("places"))
    return LevelOnData(
        level=level,
        figures=set_figures(sets, labelled, seed=seed),
        places=tuple(
            PlaceLoss(place=place, loss=loss, interval=interval, items=items)
            for place, (loss, interval, items) in groups.items()
        ),
        by_chance=float(bdtrc(int(level.risk * rows.size + 1e-9), rows.size, level.risk)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleWord:
    """The judge's first word on each labelled thing beside people's, and how far it contradicts itself.

    `unread` counts first words that could not be read: they are left out here, and losses where sets are judged.
    `agreement` and `repeats` are None where there is too little for them, and `why` says so.
    """

    agreement: PairAgreement | None
    unread: int
    repeats: Repeats | None
    why: str = ""


def single_word(draws: JudgeDraws, truths: Truths, *, seed: Seed) -> SingleWord:
    """Accuracy, precision, recall and F1 of the first draw over all labelled things, and the flip rate of all draws."""
    rows = np.sort(np.concatenate((truths.calibration, truths.held)))
    first, gold = draws.codes[rows, 0], draws.table.truth[rows].astype(np.int64)
    read = first >= 0
    clusters = draws.table.clusters[rows]
    found = None
    if read.any():
        design = Design(clusters=clusters[read], seed=seed.child("single"))
        found = pair_agreement(gold[read], first[read], draws.table.options, design)
    several = None
    if draws.each > 1:
        words = np.where(draws.codes < 0, np.nan, draws.codes)
        several = repeat_stability(words, Design(clusters=draws.table.clusters, seed=seed.child("flips")))
    return SingleWord(
        agreement=found,
        unread=int((~read).sum()),
        repeats=several,
        why="" if draws.each > 1 else "each thing was judged once; mores judge RUN --samples K judges it K times",
    )
