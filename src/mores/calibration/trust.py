"""Judges of some runs held against people's labels and certificates: all that a report is given beside runs.

runs, labels, certificates ─▶ a part for each judge and task, and the corrections of models.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from mores.analysis.results import Results
from mores.annotation.label_tables import read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.calibration.certificate import CertificateFile, read_certificates
from mores.calibration.correct_tasks import correct_tables
from mores.calibration.corrections import CorrectionOptions, Corrections
from mores.calibration.judge_report import JudgeTaskReport, parts_of
from mores.core.errors import InputError


class Given(Struct, frozen=True, kw_only=True):
    """What a report is given beside runs: files of labels, the folder of the sample they are of, and certificates."""

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
