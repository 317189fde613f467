"""What can be typed after the verbs on runs that are there, and after the one that plans a run."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.cli.args_run import AS_JSON, LABEL_COLUMNS, OutputOptions
from mores.runs.options import (
    CollectOptions,
    JudgeOptions,
    MergeOptions,
    NameArgument,
    PairArgument,
    ResumeOptions,
    argument,
    as_of_run,
    option,
)

RUNS = "Folders of finished runs."
QUALITY = "The judge's sensitivity + specificity - 1, from people's labels."


@dataclass(frozen=True, kw_only=True)
class JudgingArgs(JudgeOptions, OutputOptions):
    """Judge the stored transcripts of a run again, without playing again; the run itself is left as it is."""


@dataclass(frozen=True, kw_only=True)
class ResumingArgs(ResumeOptions, OutputOptions):
    """Go on with a run that was cut short; nothing that was answered is asked again."""


@dataclass(frozen=True, kw_only=True)
class TakingArgs(CollectOptions, OutputOptions):
    """Take the answers of batches into a run that waits for them, and go on: to the next wave, or to the report."""


@dataclass(frozen=True, kw_only=True)
class MergeArgs(MergeOptions, OutputOptions):
    """Join the parts of a run that were asked apart, by mores run --shard; nothing is asked."""


@dataclass(frozen=True, kw_only=True)
class ReportArgs(OutputOptions):
    """Write one page over runs, finished or as far as they are: figures, provenance, words asked and answered."""

    runs: list[Path] = argument(RUNS, MISSING)
    out: Path | None = option("File of the page; default for one run: RUN/report.html.")
    labels: list[Path] | None = option("People's labels to check judges against; repeatable.")
    sample: Path | None = option("With --labels: folder of the sample that was labelled.")
    columns: str | None = LABEL_COLUMNS
    certificate: list[Path] | None = option("Certificate of a judge, from mores calibrate; repeatable.")
    judge_range: str | None = as_of_run("judge_range")
    only: list[str] | None = option("Show this analysis alone, by its id in --json; repeatable.", "--only")
    serve: bool = option(
        "Serve the page on this machine and refresh it while a run continues.", "--serve", default=False
    )
    port: int = option("With --serve: its port; default: a free one.", default=0, min=0, max=65535)


@dataclass(frozen=True, kw_only=True)
class CompareArgs(OutputOptions):
    """Compare two runs item by item: differences with intervals, and places corrected for their number."""

    run_a: Path = argument("Folder of the first run.", MISSING)
    run_b: Path = argument("Folder of the second run.", MISSING)
    model: list[str] | None = option("Compare this model alone; give it again for several.", "--model", "-m")
    out: Path | None = option("The page's file: figures, changed items word for word; default: no page.")
    fail_if_worse: bool = option(
        "Exit 3 if the second is worse in any headline, 4 if too few units can tell.", "--fail-if-worse", default=False
    )
    margin: float | None = option("The largest loss that still passes, in points of a share; default 3.")
    allow_other_data: bool = option(
        "Pair items by id although the data files differ.", "--allow-other-data", default=False
    )
    judge_quality: float | None = option(QUALITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArgs:
    """Write runs for other programs: tables, a table or figures for a paper, or files of Every Eval Ever or Inspect."""

    runs: list[Path] = argument(RUNS, MISSING)
    to: str = option("csv, parquet, latex, figures, every-eval-ever or inspect.", default=MISSING)
    out: Path = option("Folder to write into; existing files are never overwritten.", default=MISSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsArgs:
    """Say of each item how hard it is, whether better models do better on it, and whether its key may be wrong."""

    runs: list[Path] = argument("Folders of finished runs, of any number of models.", MISSING)
    out: Path | None = option("New CSV file of all units.")
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanArgs:
    """Say before a run how many units, calls and how much money it takes to see a difference of two models."""

    benchmarks: list[str] = argument("Benchmarks or families.", MISSING)
    difference: float | None = option(
        "Difference to detect, in metric units (.05 of a share); default: three common ones."
    )
    discordance: float | None = option("Share of units on which two models differ.")
    model: NameArgument = as_of_run("model")
    judge: NameArgument = as_of_run("judge")
    role: PairArgument = as_of_run("role")
    samples: int | None = as_of_run("samples")
    power: float = option("Power: the chance to find the difference.", default=0.8)
    alpha: float = option("Level of the two-sided test.", default=0.05)
    design_effect: float | None = option("Design effect: how much clusters increase the variance.")
    judge_quality: float | None = option(QUALITY)
    earlier: list[Path] | None = option("Estimate missing values from this earlier run; repeatable.", "--from")
    places: NameArgument = as_of_run("places")
    data: str | Path | None = as_of_run("data")
    json: bool = AS_JSON
