"""What can be typed after the verbs that hold judges against people: agreement, calibrate, correct."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from mores.cli.args_run import AS_JSON, LABEL_COLUMNS
from mores.runs.options import argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class _OnRuns:
    """On which runs, and on which of their tasks."""

    runs: list[Path] = argument("Folders of finished runs.", MISSING)
    task: list[str] | None = option("Only this task; repeatable.")
    seed: int = option("Seed of all random draws.", default=0)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that were named."""
        return tuple(self.task or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class _OnLabels(_OnRuns):
    """By which labels of people."""

    labels: list[Path] = option(
        "People's labels (CSV, JSON Lines or a tool's export): item, task, annotator, label; repeatable.",
        default=MISSING,
    )
    sample: Path | None = option("Folder of the sample that was labelled, for its ids and splits.")
    columns: str | None = LABEL_COLUMNS
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementArgs(_OnLabels):
    """How far judges agree with people, and people with each other."""

    split: str | None = option("Only this split of the sample, such as test.")
    disagreement: float = option(
        "For points: list cases in which judges and people differ at least this much.", default=0.5
    )
    cases: Path | None = option("New file for the cases of disagreement, to code causes.")
    causes: Path | None = option("The file of --cases with the causes filled in.")
    epsilon: float = option(
        "Epsilon of the alt-test: .2 for experts, .15 for skilled people, .1 for a crowd.", default=0.2
    )
    folds: bool = option(
        "A verifier's agreement by left-out model; each may have a verifier of its own.", "--folds", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsArgs(_OnLabels):
    """Weights of the judges of a jury, by people's labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleArgs(_OnRuns):
    """Draw a sample for people to label: a work list without model and verdict, its splits frozen beside it."""

    n: int = option("Number of rows over all tasks.", "--n", default=MISSING)
    out: Path = option("New folder of the work list and its sealed record.", default=MISSING)
    stratify: str = option(
        "Strata: any of model, place, task and verdict; tasks and verdicts get as many rows.",
        default="model,place,task",
    )
    one_per: Literal["episode", "item", "none"] = option("At most one row of each within a task.", default="episode")
    split: str = option("Names of the splits, of equal size.", default="calibration,test")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionArgs(_OnLabels):
    """What judges' means would be if people had judged, always beside the uncorrected ones."""

    by: Literal["place"] | None = option("Also by place.")
    method: Literal["ppi", "rogan-gladen", "both"] = option("ppi, rogan-gladen (for words), or both.", default="both")
    confidence: float = option("Coverage of intervals.", default=0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyingArgs(_OnLabels):
    """What both kinds of calibration are given: runs, labels, who and what of them, and how they are split."""

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
    """Certify how many draws of a judge to keep so that the right judgement is among them, at each level of risk."""

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
    """Certify from which confidence a judge's decisions may stand; the rest goes to people."""

    confidence: Literal["consistency", "shares", "likelihood"] = option(
        "Share of repeated votes that agree, of weighed labels, or likelihood.", default="consistency"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierCalibrationArgs:
    """Fit the temperature of a trained verifier, and measure how reliable it is and how often it errs."""

    folder: Path = argument("Folder of a verifier from mores judge verifier train.", MISSING)
    pairs: Path | None = option(
        "File of other labelled pairs (response, norm, label); default: those that its training held out."
    )
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class UseArgs:
    """Put certificates to use on another run: what is decided, and a work list of what goes to people."""

    certificate: Path = argument("File that mores calibrate wrote with --out.", MISSING)
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
