"""What can be typed after the verbs that go on from a run or plan one."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.cli.typed import AS_JSON, FULL
from mores.runs.options import (
    JudgeOptions,
    MergeOptions,
    Names,
    Pairs,
    ResumeOptions,
    TakeOptions,
    argument,
    as_of_run,
    option,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedJudging(JudgeOptions):
    """After `mores judge`."""

    full: bool = FULL
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedResuming(ResumeOptions):
    """After `mores resume`."""

    full: bool = FULL
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedTaking(TakeOptions):
    """After `mores take`."""

    full: bool = FULL
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedMerge(MergeOptions):
    """After `mores merge`."""

    full: bool = FULL
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPlan:
    """After `mores plan`."""

    benchmarks: list[str] = argument("Benchmarks or families.", MISSING)
    difference: float | None = option(
        "Difference to detect, in metric units (.05 of a share); default: three common ones."
    )
    discordance: float | None = option("Share of units on which two models differ.")
    model: Names = as_of_run("model")
    judge: Names = as_of_run("judge")
    role: Pairs = as_of_run("role")
    samples: int | None = as_of_run("samples")
    power: float = option("Power: the chance to find the difference.", default=0.8)
    alpha: float = option("Level of the two-sided test.", default=0.05)
    design_effect: float | None = option("Design effect: how much clusters increase the variance.")
    judge_quality: float | None = option("The judge's sensitivity + specificity - 1, from people's labels.")
    earlier: list[Path] | None = option("Estimate missing values from this earlier run; repeatable.", "--from")
    places: Names = as_of_run("places")
    data: str | Path | None = as_of_run("data")
    json: bool = AS_JSON
