"""What can be typed after `mores run`, beside the options of the run itself.

What is said of a class that stands after a verb is the verb's help.
"""

from dataclasses import dataclass

from mores.runs.options import LIMITS, OUTPUT, RunOptions, option

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
