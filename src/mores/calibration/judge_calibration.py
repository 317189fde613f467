"""All that a calibration finds of one judge on one task: its certificates, and what they come to.

labelled table and judge ─▶ draws ─▶ certificates ─▶ figures on held-out things, the judge's single words.

Runs with other models' answers are things of the same population and go together; a run that judged the very same
answers again is another judge's, and is held against the same labels in a table of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mores.annotation.judged_items import JudgedEvaluation, judged_evaluations
from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import Sample
from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.calibration.calibration_labels import CalibrationLabels, Splitting, split_truths
from mores.calibration.certificate import Certificate, CertificateFile, CertificateKind
from mores.calibration.certificate_conditions import ConformalSettings
from mores.calibration.certify import CertificationRequest, certify, certify_decisions, one_each_allows
from mores.calibration.draws import JudgeDraws, judge_draws
from mores.calibration.heldout import Applied, SingleWord, applied, single_word
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.core.seeds import Seed


@dataclass(frozen=True, kw_only=True)
class JudgeCalibration:
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


def sealed(
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
