"""`mores judge sets`, `selective` and `apply`: certificates of judges, and what they make of another run."""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Literal

from msgspec import structs

from mores.annotation.label_tables import TaskTable, read_tables
from mores.annotation.sample import RECORD, ROWS, SHEET, list_things, read_sample, write_sample
from mores.benchmarks.label_columns import LabelColumns
from mores.calibration.agreement import to_dict, with_field
from mores.calibration.apply_certificate import AppliedCertificates, apply_certificates, chosen_risk
from mores.calibration.calibration_labels import Splitting
from mores.calibration.certificate import (
    CertificateFile,
    CertificateKind,
    ConformalSettings,
    read_certificates,
    write_certificates,
)
from mores.calibration.certificates_analysis import analyse, elsewhere, put_blocks, risk_charts
from mores.calibration.certify import CertificationRequest
from mores.calibration.judge_calibration import (
    JudgeCalibration,
    calibration,
    certificate_file,
    judges_of,
    tables_by_judge,
)
from mores.cli import screen
from mores.cli.agreement import LabelArgs
from mores.cli.args_run import AS_JSON
from mores.core.codec import encode, encode_lines
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.core.seeds import Seed
from mores.core.terminal_safety import print_error
from mores.reports.charts import risk_file
from mores.runs.options import argument, option
from mores.stats.conformal.calibration import CalibrationPlan
from mores.stats.conformal.replay import SetScore
from mores.tables import as_data, blocks_in

DECISIONS, SUMMARY = "decisions.jsonl", "applied.json"
PAPER: dict[str, object] = {"quality": "gnmt", "similarity": "stemmed", "mode": "pareto"}
"""The settings of conformal language modelling as LiveCultureBench has them (its section 2.6.2, and the code it uses).

Levels of risk, delta, quantiles and the share split off are as ours.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyingArgs(LabelArgs):
    """Options of both kinds of calibration: runs, labels, judges, and how units are split."""

    risk: str = option("Levels, such as .05,.11,.17.", default=".05,.11,.17")
    delta: float = option("Allowed chance that a certificate is wrong.", default=0.05)
    judge: list[str] | None = option("Only this judge, by role or spec; repeatable.")
    claims: int = option("Number of certificates that must hold together; delta is divided by it.", default=1)
    held_out: float | None = option("Without a sample: share of the clusters to hold out, such as .5.")
    one_each: bool = option(
        "Keep one labelled unit of each cluster, so that all are independent.", "--one-per-episode", default=False
    )
    promise: Literal["thing", "episode"] = option(
        "What the certificate covers: one of all units (thing), or one unit drawn from an episode (episode).",
        default="thing",
    )
    out: Path | None = option("New file of the certificates (.json).")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetsArgs(CertifyingArgs):
    """Calibrate conformal sets: samples of a judge that hold the right judgement, at each level of risk."""

    risk: str = option("Levels, such as .05,.11,.17.", default=".05,.11,.17,.23,.29,.35")
    quality: Literal["constant", "gnmt", "mean", "prefix", "verbalised", "decision"] = option(
        "Rule for the quality of a draw.", default="constant"
    )
    protocol: Literal["own", "paper"] = option(
        "paper: quality gnmt, similarity stemmed, mode pareto, no limit of empty sets.", default="own"
    )
    similarity: Literal["decision", "plain", "stemmed", "none"] = option(
        "ROUGE-L of reasons, 0 for other decisions; or plain; or stemmed, as in the paper.", default="decision"
    )
    mode: Literal["auto", "line", "pareto"] = option(
        "line varies only the stopping threshold; pareto tries all thresholds.", default="auto"
    )
    by: Literal["place"] | None = option("Certify each place separately, with one delta for all.")
    figure: Path | None = option("New picture of held-out loss against level (.svg).")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectingArgs(CertifyingArgs):
    """Calibrate selective decisions: the confidence from which a judge decides; the rest is sent to human review."""

    confidence: Literal["consistency", "shares", "likelihood"] = option(
        "Share of repeated votes that agree, of weighed labels, or likelihood.", default="consistency"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UseArgs:
    """Apply certificates to another run: its decisions, and a work list of what is sent to human review."""

    certificate: Path = argument("File that mores judge sets or selective wrote with --out.", MISSING)
    run: Path = argument("Folder of a finished run, judged exactly as certified.", MISSING)
    out: Path = option("New folder of the decisions and of the work list for people.", default=MISSING)
    risk: float | None = option("Level to use; needed where the file has several.")
    task: list[str] | None = option("Only this task; repeatable.")
    judge: str | None = option("Judge whose certificate to use, by role or spec, if there are several.")
    json: bool = AS_JSON

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that were named."""
        return tuple(self.task or ())


def calibrate_sets(given: SetsArgs) -> None:
    """Certify kept sets of draws, say what they come to, and store certificates and picture where wished.

    Raises:
        InputError: something typed, a run or a label cannot be used.
    """
    for path, flag in ((given.out, "--out"), (given.figure, "--figure")):
        if path is not None:
            refuse_taken(path, flag)
    given = _as_in_the_paper(given) if given.protocol == "paper" else given
    score: SetScore = "first_k" if given.quality == "constant" else "max"
    measure = ConformalSettings(quality=given.quality, similarity=given.similarity, score=score, promise=given.promise)
    plan = CalibrationPlan(score=score, mode=given.mode, delta=given.delta, claims=given.claims)
    plan = structs.replace(plan, most_empty=None) if given.protocol == "paper" else plan
    asked = CertificationRequest(risks=levels(given.risk), plan=plan, by_place=given.by is not None)
    found, refused = _carried(given, measure, asked)
    certificates = [each for one in found for each in one.certificates]
    charts = risk_charts(certificates, simulated=any(each.draws.table.simulated for each in found))
    drawn = given.figure if charts else None
    if drawn is not None:
        write_new(drawn, risk_file(charts).encode())
    _store(given, "clm", found)
    _print_calibration(given, found, refused, drawn)
    if given.figure is not None and drawn is None:
        print_error(
            f"--figure {given.figure}: no picture was drawn, as nothing was held out, or no level is certified; "
            "a sample with a split 'test' holds out, or --held-out .5."
        )


def _as_in_the_paper(given: SetsArgs) -> SetsArgs:
    """The options, with the paper's settings.

    Raises:
        InputError: one of them was typed, and otherwise.
    """
    for each in fields(given):
        typed, wanted = getattr(given, each.name), PAPER.get(each.name)
        if each.name in PAPER and typed not in (each.default, wanted):
            flag = each.metadata["flags"][0] if each.metadata["flags"] else f"--{each.name}"
            raise InputError(f"{flag}: --protocol paper has {flag} {wanted}; leave one of the two out.")
    return replace(given, **PAPER)  # type: ignore[arg-type]


def calibrate_trust(given: SelectingArgs) -> None:
    """Certify from which confidence decisions may stand, say what it comes to, and store the certificate where wished.

    Raises:
        InputError: something typed, a run or a label cannot be used.
    """
    if given.out is not None:
        refuse_taken(given.out)
    measure = ConformalSettings(confidence=given.confidence, promise=given.promise)
    asked = CertificationRequest(risks=levels(given.risk), plan=CalibrationPlan(delta=given.delta, claims=given.claims))
    found, refused = _carried(given, measure, asked)
    _store(given, "selective", found)
    _print_calibration(given, found, refused, None)


def _carried(
    given: CertifyingArgs, measure: ConformalSettings, asked: CertificationRequest
) -> tuple[tuple[JudgeCalibration, ...], tuple[str, ...]]:
    """The calibration of every judge on every labelled task, and why there is none of the others."""
    sample = None if given.sample is None else read_sample(given.sample)
    splitting = Splitting(held_out=given.held_out, one_each=given.one_each, promise=given.promise)
    seed = Seed(f"mores-calibrate-{given.seed}")

    def make(judged: tuple[TaskTable, str]) -> JudgeCalibration:
        return calibration(*judged, measure, (asked, splitting), seed=seed)

    pairs = judges_of(
        tables_by_judge(
            given.runs, given.labels, sample, given.tasks, columns=LabelColumns.read(given.columns), noting=print_error
        ),
        tuple(given.judge or ()),
    )
    if given.tasks:
        return tuple(map(make, pairs)), ()
    return with_field(pairs, make, none="No label is about a task that judges are asked.")


def levels(typed: str) -> tuple[float, ...]:
    """Levels as they were typed, rising, each once.

    Raises:
        InputError: one is no number between 0 and 1.
    """
    try:
        found = sorted({float(part) for part in typed.split(",") if part.strip()})
    except ValueError:
        found = []
    if not found or not all(0 < level < 1 for level in found):
        raise InputError(f"--risk {typed}: expected levels between 0 and 1, such as .05,.11,.17.")
    return tuple(found)


def _store(given: CertifyingArgs, kind: CertificateKind, found: Sequence[JudgeCalibration]) -> None:
    if given.out is not None:
        write_certificates(given.out, certificate_file(kind, found, given.labels, seed=given.seed))


def _print_calibration(
    given: CertifyingArgs, found: Sequence[JudgeCalibration], refused: Sequence[str], figure: Path | None
) -> None:
    result = analyse(found)
    if given.json:
        certificates = [to_dict(certificate) for each in found for certificate in each.certificates]
        runs = [str(run) for run in given.runs]
        screen.print_json({"runs": runs, "refused": refused, "certificates": certificates, **as_data(result)})
    else:
        notes = ("Brackets hold 95% intervals over clusters.", *(f"Left out: {why}" for why in refused))
        simulated = any(each.draws.table.simulated for each in found)
        screen.analysed(blocks_in(result), simulated=simulated, notes=notes)
    written = {"certificates": given.out, "picture": figure}
    files = "; ".join(f"{what}: {path}" for what, path in written.items() if path is not None)
    if files:
        (sys.stderr if given.json else sys.stdout).write(f"\n{files[0].upper()}{files[1:]}\n")


def apply_to_run(given: UseArgs) -> None:
    """Replay certified thresholds on another run: decisions, and a work list of what goes to people.

    Raises:
        InputError: the certificate does not fit the run, or something typed cannot be used.
    """
    for name in (DECISIONS, SUMMARY, RECORD, ROWS, SHEET):
        refuse_taken(given.out / name)
    file = read_certificates(given.certificate)
    risk = chosen_risk(file, given.risk)
    known = {each.conditions.task for each in file.certificates}
    tables = [table for table in read_tables([given.run], tasks=given.tasks) if given.tasks or table.task in known]
    put = apply_certificates(file, tables or read_tables([given.run]), risk=risk, judge=given.judge)
    summary = _summary(given, file, put, risk)
    _write(given.out, put, summary)
    if given.json:
        screen.print_json(summary)
        return
    named = ((each.name, put_blocks(each, sets=file.kind == "clm")) for each in put)
    screen.parts(named, simulated=file.simulated)
    screen.line(f"Every thing with its set: {given.out / DECISIONS}.")
    people = sum(len(each.for_people) for each in put)
    if people:
        screen.line(f"For people, {people:,} things: {given.out / SHEET} or {given.out / ROWS}.")
        screen.line(f"Sealed, not for them: {given.out / RECORD}.")


def _write(out: Path, put: Sequence[AppliedCertificates], summary: dict[str, object]) -> None:
    rows = [row for each in put for row in each.for_people]
    if rows:
        write_sample(out, *list_things(rows))
    write_new(out / DECISIONS, encode_lines(d for each in put for d in each.decisions))
    write_new(out / SUMMARY, encode(summary) + b"\n")


def _summary(
    given: UseArgs, file: CertificateFile, put: Sequence[AppliedCertificates], risk: float
) -> dict[str, object]:
    return {
        "certificate": file.sha,
        "kind": file.kind,
        "run": str(given.run),
        "risk": risk,
        "simulated": file.simulated,
        "tasks": [
            {"name": each.name, "things": len(each.rows), "counts": each.counts, "claims": each.claims,
             "words": each.words, "other_models": each.strangers, "promise": each.promise,
             "not_promised": list(elsewhere(each))}
            for each in put
        ],
    }  # fmt: skip
