"""All that labels and certificates tell of judges: agreement, decisions, corrected scores, and rates on rungs.

runs, labels, certificates ─▶ a part for each judge and task (the whole jury, then each judge alone), and the
corrections of models. labels ─▶ tables of the ladder's judged tasks ─▶ sensitivity and specificity on each rung.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.judge_errors import LEAST_LABELS, rate_of
from mores.analysis.results import Result, Results
from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.benchmarks.ladder.rungs import FAMILY, measured_of
from mores.benchmarks.ladder.scores import RUNGS, RungRule
from mores.calibration.agreement import TOGETHER, AgreementOptions, TaskAgreement, agreement_of
from mores.calibration.apply_certificate import ELSEWHERE, apply_certificates
from mores.calibration.certificate import Certificate, CertificateFile, CertifiedLevel, read_certificates
from mores.calibration.correct_tasks import correct_tables
from mores.calibration.corrections import CorrectionOptions, Corrections, TaskCorrected
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.verdict import LABEL
from mores.stats.labelled_units import JudgedUnits, LabelledUnits
from mores.stats.rogan_gladen import JudgeErrors, rogan_gladen


class LevelUse(Struct, frozen=True, kw_only=True):
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


class CertificateUse(Struct, frozen=True, kw_only=True):
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


class EscalationCounts(Struct, frozen=True, kw_only=True):
    """Counts of things sent to human review without a certificate: those that judges did not or could not decide.

    `split_votes` are things on which a judge's or jury's own votes differ, `ungraded` those without a word, or tied.
    """

    judged: int
    split_votes: int
    ungraded: int
    repeated: bool


class JudgeTaskReport(Struct, frozen=True, kw_only=True):
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
    split = [len({(judged.label, judged.points) for judged in row.answers() if judged.given}) > 1 for row in table.rows]
    repeated = any(len(row.answers()) > 1 for row in table.rows)
    return EscalationCounts(
        judged=len(table.rows), split_votes=sum(split), ungraded=int(np.isnan(table.judged).sum()), repeated=repeated
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


class Given(Struct, frozen=True, kw_only=True):
    """Input of a report beside runs: files of labels, the folder of the sample they are of, and certificates."""

    labels: tuple[Path, ...] = ()
    sample: Path | None = None
    certificates: tuple[Path, ...] = ()
    columns: LabelColumns = AS_NAMED

    @property
    def anything(self) -> bool:
        """True where there is something to hold judges against."""
        return bool(self.labels or self.certificates)

    @property
    def typed(self) -> str:
        """The labels and the sample as commands take them."""
        labels = " ".join(f"--labels {path}" for path in self.labels) or "--labels FILE"
        sample = "" if self.sample is None else f" --sample {self.sample}"
        return f"{labels}{sample}{f' --columns {self.columns.typed}' if self.columns else ''}"


class JudgeTrust(Struct, frozen=True, kw_only=True):
    """All parts with the corrections of models; `unused` are certificates that are of no task here.

    `run` is how commands name the run, where there is one.
    """

    given: Given
    run: str
    simulated: bool
    parts: tuple[JudgeTaskReport, ...]
    corrections: Corrections
    unused: tuple[str, ...]


def trust(results: Results, given: Given) -> JudgeTrust | None:
    """Judges of some runs held against what was given; None where nothing was.

    Raises:
        InputError: a file cannot be used, or nobody judges in the runs.
    """
    if not given.anything:
        if given.sample is not None:
            raise InputError(f"--sample {given.sample}: a sample without labels says nothing; expected --labels FILE.")
        return None
    sample = None if given.sample is None else read_sample(given.sample)
    files = [(path, read_certificates(path)) for path in given.certificates]
    tables = read_tables(results.runs, given.labels, sample, columns=given.columns)
    if not given.labels:
        wanted = {(c.conditions.benchmark, c.conditions.task) for _, file in files for c in file.certificates}
        tables = tuple(table for table in tables if (table.benchmark, table.task) in wanted)
    options = CorrectionOptions(by_place=True)
    corrections = correct_tables(tables if given.labels else (), results.evaluations, options)
    parts = parts_of(tables, corrections.tasks, files)
    return JudgeTrust(
        given=given,
        run=str(results.runs[0]) if len(results.runs) == 1 else "RUN",
        simulated=any(part.simulated for part in parts),
        parts=parts,
        corrections=corrections,
        unused=_unused(parts, files),
    )


def _unused(parts: Sequence[JudgeTaskReport], files: Sequence[tuple[Path, CertificateFile]]) -> tuple[str, ...]:
    used = {(each.path, each.certificate.name) for part in parts for each in part.certified}
    return tuple(
        f"{path}: the certificate of {certificate.name} is of nothing that was judged and labelled here."
        for path, file in files
        for certificate in file.certificates
        if (path, certificate.name) not in used
    )


TOWN, ON_NORMS, VIOLATED = "liveculture/town", "norms", "violated"
RULES = {FAMILY + name: rule for name, rule in RUNGS.items() if rule.task}


def with_labels(results: Results, tables: Sequence[TaskTable]) -> Results:
    """The same results, in which judges of the ladder and the town are known by what people said of the same answers.

    Those of the town are known on norms: a norm is kept at a step where it is not violated.
    """
    by_task = {(table.benchmark, table.task): table for table in tables}
    labelled = dict(results.judges.labelled)
    for evaluation in results.evaluations:
        rule = RULES.get(evaluation.benchmark)
        table = by_task.get((evaluation.benchmark, rule.task)) if rule is not None else None
        if rule is not None and table is not None:
            otherwise = results.judges.unlabelled(measured_of(evaluation, rule))
            labelled[evaluation.folder] = _errors(evaluation, rule, table, otherwise)
        days = by_task.get((TOWN, ON_NORMS))
        if evaluation.benchmark == TOWN and days is not None:
            labelled[evaluation.folder] = _errors_on_norms(evaluation, days, results.judges.unlabelled(None))
    return results.judged_by(replace(results.judges, labelled=labelled))


def _errors(evaluation: Result, rule: RungRule, table: TaskTable, otherwise: JudgeErrors) -> JudgeErrors:
    """The errors on one model's answers; a rate of which too few labels speak is what it is otherwise."""
    own = np.array([row.evaluation.folder == evaluation.folder for row in table.rows], dtype=bool)
    if LABEL in evaluation.verdict_table.tasks:
        right = _right_labels(evaluation)
        own &= np.array([(row.thing.item, row.thing.sample) in right for row in table.rows], dtype=bool)
    known = own & table.compared
    # by the rule that the rung itself counts by, so that labels correct the figure that is shown
    judged, truth = (_kept(rule, table, codes[known]) for codes in (table.judged, table.truth))
    found = rogan_gladen(
        JudgedUnits(values=judged, clusters="each"),
        LabelledUnits(values=judged, labels=truth, clusters=table.clusters[known]),
    )
    if rule.by_steps and min(found.yes, found.no) < LEAST_LABELS:
        return otherwise  # of each step, where the labels are of days
    return JudgeErrors(
        sensitivity=rate_of(found.sensitivity, found.yes, otherwise.sensitivity),
        specificity=rate_of(found.specificity, found.no, otherwise.specificity),
    )


def _errors_on_norms(evaluation: Result, table: TaskTable, otherwise: JudgeErrors) -> JudgeErrors:
    """The errors on the norms of one model's days."""
    own = np.array([row.evaluation.folder == evaluation.folder for row in table.rows], dtype=bool) & table.compared
    violated = table.options.index(VIOLATED)
    judged, truth = ((codes[own] != violated).astype(np.float64) for codes in (table.judged, table.truth))
    drawn = None if table.sampling_weights is None else table.sampling_weights[own]
    found = rogan_gladen(
        JudgedUnits(values=judged, clusters="each"),
        LabelledUnits(values=judged, labels=truth, clusters=table.clusters[own], weights=drawn),
    )
    return JudgeErrors(
        sensitivity=rate_of(found.sensitivity, found.yes, otherwise.sensitivity),
        specificity=rate_of(found.specificity, found.no, otherwise.specificity),
    )


def _kept(rule: RungRule, table: TaskTable, codes: Floats) -> Floats:
    if not table.options:
        return np.array([rule.kept(None, points) for points in codes.tolist()], dtype=np.float64)
    words = (table.options[int(code)] for code in codes.tolist())
    return np.array([rule.kept(word, None) for word in words], dtype=np.float64)


def _right_labels(evaluation: Result) -> set[tuple[str, int]]:
    """Answers whose label is right: only there do reasons decide."""
    table = evaluation.verdict_table
    labels = table.frame(LABEL)
    right = labels.take(labels.points >= 1)
    return {
        (table.item_metadata[item].item, int(sample)) for item, sample in zip(right.item, right.sample, strict=True)
    }
