"""Options of the verbs that run, resume, collect, judge again and merge, and those that many verbs have.

The docstring of a class is the help of its verb.
"""

from dataclasses import dataclass

from mores.runs.options import (
    LIMITS,
    OUTPUT,
    CollectOptions,
    JudgeOptions,
    MergeOptions,
    ResumeOptions,
    RunOptions,
    option,
)

QUALITY = "The judge's sensitivity + specificity - 1, from people's labels."
AS_JSON = option(
    "One JSON object on standard output, everything else on standard error.", "--json", panel=OUTPUT, default=False
)
LABEL_COLUMNS = option(
    "Columns of the labels that are called otherwise, such as id=Input.id,annotator=WorkerId,label=Answer.label,"
    "keep=AssignmentStatus:Approved."
)


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """How much of what was found is printed, and for whom."""

    full: bool = option("Print all tables and sentences.", "--full", panel=OUTPUT, default=False)
    json: bool = AS_JSON


@dataclass(frozen=True, kw_only=True)
class RunArgs(RunOptions, OutputOptions):
    """Run benchmarks; alone, the norm ladder on the bundled pack with a simulated subject."""

    dry: bool = option(
        "Print the calls that a run would make and their cost; ask nothing.", "--dry", panel=LIMITS, default=False
    )


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
