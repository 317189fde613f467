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
    """Amount and form of what is printed."""

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
    """Judge the stored transcripts of a run again; the run itself is left as it is."""


@dataclass(frozen=True, kw_only=True)
class ResumingArgs(ResumeOptions, OutputOptions):
    """Resume an interrupted run; nothing that was answered is asked again."""


@dataclass(frozen=True, kw_only=True)
class TakingArgs(CollectOptions, OutputOptions):
    """Collect batch results into a run that waits for them, and continue: to the next round, or to the report."""


@dataclass(frozen=True, kw_only=True)
class MergeArgs(MergeOptions, OutputOptions):
    """Merge the shards of a run, from mores run --shard; nothing is asked."""
