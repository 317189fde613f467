"""All that is known of each judge on each task: agreement, certificates and what they decide, corrected scores.

table of a task ─▶ the whole jury, then each judge alone ─▶ a part each.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mores.annotation.label_tables import TaskTable
from mores.calibration.agreement import TOGETHER, AgreementOptions, TaskAgreement, agreement_of
from mores.calibration.apply_certificate import ELSEWHERE, apply_certificates
from mores.calibration.certificate import Certificate, CertificateFile, CertifiedLevel
from mores.calibration.corrections import TaskCorrected
from mores.core.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelUse:
    """One level of a certificate put to use on these runs: how many things are decided, how many go to people."""

    risk: float
    counts: dict[str, int]

    @property
    def decided(self) -> int:
        """Things that the judge may decide."""
        return self.counts.get("decided", 0)

    @property
    def people(self) -> int:
        """Things that go to people."""
        return sum(self.counts.values()) - self.decided


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateUse:
    """A certificate of a judge on a task, of which file, and what its levels decide here; else `why` they do not."""

    certificate: Certificate
    path: Path
    simulated: bool
    uses: tuple[LevelUse, ...]
    why: str = ""

    @property
    def best(self) -> CertifiedLevel | None:
        """The strictest level that is certified."""
        return min(
            (level for level in self.certificate.levels if level.certified), key=lambda each: each.risk, default=None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationCounts:
    """What of a task goes to people where no certificate says so: what judges did not or could not decide.

    `split_votes` are things on which a judge's or jury's own votes differ, `ungraded` those without a word, or tied.
    """

    judged: int
    split_votes: int
    ungraded: int
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTaskReport:
    """One judge, or the whole jury, on one task; `refused` says why there is no agreement."""

    benchmark: str
    task: str
    role: str
    judge: str
    options: tuple[str, ...]
    certifiable: bool
    simulated: bool
    agreement: TaskAgreement | None
    refused: str
    certified: tuple[CertificateUse, ...]
    corrected: tuple[TaskCorrected, ...]
    sending: EscalationCounts


def parts_of(
    tables: Sequence[TaskTable], corrected: Sequence[TaskCorrected], files: Sequence[tuple[Path, CertificateFile]]
) -> tuple[JudgeTaskReport, ...]:
    """A part for each judge and task; where several judge, one for all together comes first.

    Raises:
        InputError: judges or prompts are mixed.
    """
    return tuple(part for table in tables for part in _parts(table, corrected, files))


def _parts(
    table: TaskTable, corrected: Sequence[TaskCorrected], files: Sequence[tuple[Path, CertificateFile]]
) -> Iterator[JudgeTaskReport]:
    own = tuple(each for each in corrected if (each.benchmark, each.task) == (table.benchmark, table.task))
    judges = table.judges
    if len(judges) > 1:
        yield _part(table, TOGETHER, own, ())
    for role in judges:
        alone = table if len(judges) == 1 else table.only(role)
        yield _part(alone, role, own if len(judges) == 1 else (), _certified(table, role, files))


def _part(
    table: TaskTable, role: str, corrected: tuple[TaskCorrected, ...], certified: tuple[CertificateUse, ...]
) -> JudgeTaskReport:
    agreement, refused = _agreement(table)
    return JudgeTaskReport(
        benchmark=table.benchmark,
        task=table.task,
        role=role,
        judge=table.specs.get(role, ", ".join(dict.fromkeys(table.specs.values()))),
        options=table.options,
        certifiable=bool(table.options and table.rows[0].prompt),  # what is worked out of others has no words
        simulated=table.simulated,
        agreement=agreement,
        refused=refused,
        certified=certified,
        corrected=corrected,
        sending=_sending(table),
    )


def _agreement(table: TaskTable) -> tuple[TaskAgreement | None, str]:
    if not table.labelled.any():
        return None, ""
    try:
        return agreement_of(table, AgreementOptions()), ""
    except InputError as error:
        return None, str(error)


def _sending(table: TaskTable) -> EscalationCounts:
    split = [len({(said.label, said.points) for said in row.said() if said.given}) > 1 for row in table.rows]
    repeated = any(len(row.said()) > 1 for row in table.rows)
    return EscalationCounts(
        judged=len(table.rows), split_votes=sum(split), ungraded=int(np.isnan(table.said).sum()), repeated=repeated
    )


def _certified(
    table: TaskTable, role: str, files: Sequence[tuple[Path, CertificateFile]]
) -> tuple[CertificateUse, ...]:
    found = []
    for path, file in files:
        for certificate in file.certificates:
            conditions = certificate.conditions
            if (conditions.benchmark, conditions.task, conditions.role) == (table.benchmark, table.task, role):
                found.append(_one(certificate, path, file, table))
    return tuple(found)


def _one(certificate: Certificate, path: Path, file: CertificateFile, table: TaskTable) -> CertificateUse:
    own = replace(file, certificates=(certificate,))
    rows = table.at(np.array([row.evaluation.folder == table.rows[0].evaluation.folder for row in table.rows]))
    uses, why = [], ""
    for level in certificate.levels:
        if not level.certified:
            continue
        try:
            counts: Counter[str] = Counter()
            for put in apply_certificates(own, (rows,), risk=level.risk, judge=certificate.conditions.role):
                counts.update(put.counts)
            del counts[ELSEWHERE]  # things of other places, which have certificates of their own or none
            uses.append(LevelUse(risk=level.risk, counts=dict(counts)))
        except InputError as error:
            why = str(error)
    return CertificateUse(certificate=certificate, path=path, simulated=file.simulated, uses=tuple(uses), why=why)
