"""All that a calibration finds of one judge on one task: its certificates, and their levels on held-out things.

labelled table and judge ─▶ draws ─▶ certificates ─▶ figures on held-out things, the judge's single words.

Runs with other models' answers are things of the same population and go together; a run that judged the very same
answers again is another judge's, and is compared with the same labels in a table of its own. A certificate bounds the
true risk; the loss on a few hundred held-out things varies around it. A held-out loss above its level now and then is
no breach, and one below it no proof.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy import special

from mores.annotation.judged_items import JudgedEvaluation, judged_evaluations
from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import Sample
from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.calibration.calibration_labels import CalibrationLabels, Splitting, split_truths
from mores.calibration.certificate import (
    Certificate,
    CertificateFile,
    CertificateKind,
    CertifiedLevel,
    ConformalSettings,
    HeldOutResult,
)
from mores.calibration.certify import CertificationRequest, certify, certify_decisions, one_each_allows
from mores.calibration.draws import JudgeDraws, Rows, judge_draws
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.core.seeds import Seed
from mores.stats.agreement import repeat_stability
from mores.stats.cluster_sums import Design, MeasuredFigure
from mores.stats.conformal.replay import PredictionSetMetrics, judge_sets, loss_by_group, set_figures
from mores.stats.confusion import ClassAgreement, pair_agreement
from mores.stats.intervals import Interval, mean_interval

HeldOutVerdict = Literal["not certified", "within", "chance", "above"]
"""Relation of a loss to its level: at most that, above it by no more than chance brings, or by more."""


class PlaceLoss(Struct, frozen=True, kw_only=True):
    """Loss at one place, which no certificate over all places speaks of."""

    place: str
    loss: float
    interval: Interval
    items: int


class LevelOnData(Struct, frozen=True, kw_only=True):
    """Outcome of one level on some things; no figures where the level is not certified.

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


class Applied(Struct, frozen=True, kw_only=True):
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
        # how often a judge whose risk is just the level would lose more than its share here
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


class SingleWord(Struct, frozen=True, kw_only=True):
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


class JudgeCalibration(Struct, frozen=True, kw_only=True):
    """One judge on one task: certificates (one, or one a place) and what each comes to on things, in the same order.

    `one_each` is how many losses would pass each level, were one of each cluster tested, where things share clusters.
    `error` is the share of wrong decisions were all trusted, where decisions and not kept sets are certified.
    """

    draws: JudgeDraws
    truths: CalibrationLabels
    certificates: tuple[Certificate, ...]
    applied: tuple[Applied | None, ...]
    single: SingleWord
    claims: int
    one_each: dict[float, int]
    error: float | None = None


def calibration(
    table: TaskTable, role: str, measure: ConformalSettings, how: tuple[CertificationRequest, Splitting], *, seed: Seed
) -> JudgeCalibration:
    """Kept sets of the judge of one role on one task; its decisions where the measure is of their confidence.

    Raises:
        InputError: the table, the judge or the labels cannot be calibrated on.
    """
    asked, splitting = how
    draws, truths = judge_draws(table, role, measure), split_truths(table, splitting, seed=seed)
    own, selective = seed.child(table.name, role), measure.confidence is not None
    made = (
        (certify_decisions(draws, truths, asked),)
        if selective
        else certify(draws, truths, asked, seed=own.child("split"))
    )
    on = tuple(applied(each, draws, truths, seed=own) for each in made)
    population = truths.population(truths.calibration)
    # decisions are certified for independent things alone, which have nothing to choose
    many = population.clustered and not selective
    return JudgeCalibration(
        draws=draws,
        truths=truths,
        certificates=tuple(replace(c, held=() if o is None else o.held) for c, o in zip(made, on, strict=True)),
        applied=on,
        single=single_word(draws, truths, seed=own.child("single")),
        claims=asked.plan.claims,
        one_each=one_each_allows(population.clusters, asked.risks, asked.plan.level) if many else {},
        error=float(np.mean(truths.wrong(draws.decided, truths.calibration))) if selective else None,
    )


def certificate_file(
    kind: CertificateKind, found: Sequence[JudgeCalibration], labels: Sequence[Path], *, seed: int
) -> CertificateFile:
    """A file of the certificates of some calibrations, with the hashes of what they rest on."""
    first = found[0]
    file = CertificateFile(
        kind=kind,
        simulated=any(each.draws.table.simulated for each in found),
        seed=seed,
        labels={_named(path, labels): sha256_of(path)[:16] for path in labels},
        sample="" if first.draws.table.sample is None else first.draws.table.sample.sha,
        split=first.truths.split,
        certificates=tuple(certificate for each in found for certificate in each.certificates),
    )
    return replace(file, sha=file.hash)


def _named(path: Path, others: Sequence[Path]) -> str:
    """A file by its name, by its whole path where another has the same."""
    return path.name if sum(other.name == path.name for other in others) == 1 else str(path)


def judges_of(tables: Sequence[TaskTable], named: Sequence[str]) -> tuple[tuple[TaskTable, str], ...]:
    """Each table with each role that judged in it, by role or spec where any are named.

    Raises:
        InputError: a name is no judge's.
    """
    every = [(table, role, {row.evaluation.judges.get(role, role) for row in table.rows}) for table in tables
             for role in table.judges]  # fmt: skip
    for name in named:
        if not any(name == role or name in specs for _, role, specs in every):
            known = dict.fromkeys(f"{role} ({', '.join(sorted(specs))})" for _, role, specs in every)
            raise InputError(f"--judge {name}: nobody of that name judges; expected {', '.join(known)}.")
    return tuple((table, role) for table, role, specs in every if not named or role in named or specs & set(named))


def tables_by_judge(
    runs: Sequence[Path], labels: Sequence[Path], sample: Sample | None, tasks: Sequence[str], *,
    columns: LabelColumns = AS_NAMED, noting: Callable[[str], None] | None = None,
) -> tuple[TaskTable, ...]:  # fmt: skip
    """The labelled tasks of some runs, once for each time that the same answers were judged.

    Raises:
        InputError: a run or a label cannot be used, or a run holds other answers under the same names.
    """
    layers = _layers(runs)
    first = {evaluation.name: evaluation for evaluation in judged_evaluations(layers[0])}
    found: list[TaskTable] = []
    for number, layer in enumerate(layers):
        # labels are the same for each layer, and so is what has to be noted of them: once is enough
        tables = read_tables(layer, labels, sample, tasks=tasks, columns=columns, noting=None if number else noting)
        for table in tables if number else ():
            _refuse_other_answers(table, first)
        found += [table for table in tables if table.labelled.any() or tasks]
    return tuple(found)


def _layers(runs: Sequence[Path]) -> list[list[Path]]:
    """Runs that can share a table: none of them has a model on a benchmark that another has."""
    layers: list[tuple[list[Path], set[tuple[str, str]]]] = []
    for run in dict.fromkeys(runs):
        names = {evaluation.name for evaluation in judged_evaluations([run])}
        # a run goes into the first table that has none of its models, so that tables are few
        free = next((layer for layer in layers if not layer[1] & names), None)
        if free is None:
            layers.append(([run], names))
        else:
            free[0].append(run)
            free[1].update(names)
    return [members for members, _ in layers]


def _refuse_other_answers(table: TaskTable, first: dict[tuple[str, str], JudgedEvaluation]) -> None:
    labelled = table.at(table.labelled)
    for evaluation in labelled.evaluations:
        plays = {(row.thing.item, row.thing.sample) for row in labelled.rows if row.evaluation is evaluation}
        before = first.get(evaluation.name)
        if before is not None and before.plays(plays) != evaluation.plays(plays):
            raise InputError(
                f"{evaluation.run}: it holds other answers of {evaluation.model} than {before.run}, so a label "
                "cannot be about both; calibrate each run with its own labels."
            )
