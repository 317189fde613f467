"""Options of a run, each declared once: the command line and the Python interface both read them here.

It imports next to nothing, so that help comes at once.
"""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

WHAT, MODELS, PROTOCOL = "What is asked", "Models", "Protocol"
JUDGES, LIMITS, OUTPUT = "Judges", "Limits and cost", "Output"
PANELS = ("Arguments", WHAT, MODELS, PROTOCOL, JUDGES, LIMITS, "Options", OUTPUT)
"""Headings under which options stand in help, in their order; those without a panel are `Options`."""
NameArgument: TypeAlias = str | Sequence[str] | None
"""One name or several."""
PairArgument: TypeAlias = Mapping[str, str] | Sequence[str] | None
"""Values by name, or entries such as `name=value`."""


def names_of(given: NameArgument, between: str | None = None) -> tuple[str, ...]:
    """The names as a tuple; one string may hold several `between` which a sign stands."""
    if isinstance(given, str):
        given = given.split(between) if between else [given]
    return tuple(name for name in given or () if name.strip())


def option(
    says: str, *flags: str, panel: str | None = None, default: Any = None, typed: Any = None, **more: Any
) -> Any:
    """A field of options: its use, its flags where they are not its name, the type that is `typed`, its panel.

    `more` is what typer is told besides, such as the least and greatest value (`min`, `max`).
    """
    more |= {"rich_help_panel": panel} if panel else {}
    return field(default=default, metadata={"says": says, "flags": flags, "typed": typed, "more": more})


def argument(says: str, default: Any = None, **more: Any) -> Any:
    """A field of options that is typed without a flag."""
    return field(default=default, metadata={"says": says, "flags": None, "typed": None, "more": more})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """Options of how a run is carried out, whatever it is."""

    concurrency: int | None = option(
        "Maximum number of calls in flight; default: 64; on resume: the earlier value.", panel=LIMITS
    )
    timeout: float | None = option(
        "Seconds to wait for one answer; default: 300; on resume: the earlier value.", panel=LIMITS, metavar="SECONDS"
    )
    max_calls: int | None = option("Stop before more calls than this.", panel=LIMITS)
    max_tokens: int | None = option("Stop before more tokens than this.", panel=LIMITS)
    max_cost: float | None = option("Stop before more US dollars than this.", panel=LIMITS, metavar="DOLLARS")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions(ExecutionOptions):
    """Options of a run whose calls can be put into batch files."""

    per_part: bool = option(
        "Limits of calls, tokens, dollars and requests a minute are of this shard; default: of the whole, of which it "
        "has its share.",
        "--per-part", panel=LIMITS, default=False,
    )  # fmt: skip
    batch: str | Path | None = option(
        "Write the calls into batch files in this folder instead of making them.", panel=LIMITS, metavar="DIR"
    )
    batch_format: Literal["openai", "anthropic", "gemini", "vllm"] | None = option(
        "Format of the batch files: openai, anthropic, gemini or vllm; default: the provider's.",
        panel=LIMITS, metavar="FORMAT",
    )  # fmt: skip
    think_tags: str | None = option(
        "Marks round a model's thinking, where mores does not know them.", panel=MODELS, metavar="OPEN,CLOSE"
    )
    base_url: PairArgument | str = option(
        "Address of an OpenAI-compatible endpoint, for all models or for one role, such as judge; repeatable.",
        panel=MODELS, metavar="[ROLE=]URL",
    )  # fmt: skip
    header: PairArgument = option(
        "Header of each call, such as api-key='$GATEWAY_KEY' from the environment; for one role ROLE:NAME=VALUE; "
        "repeatable.",
        panel=MODELS, metavar="NAME=VALUE",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(BatchOptions):
    """Options of a new run."""

    benchmarks: NameArgument = argument(
        "Benchmarks, families, or one STUDY.toml; default: the ladder.", metavar="[BENCHMARK… | STUDY.toml]"
    )
    data: str | Path | None = option(
        "Folder or file of the benchmark's data, or the name of a fetched data set.", panel=WHAT
    )
    places: NameArgument = option("Only these places.", panel=WHAT, typed=str | None, metavar="JP,NG,…")
    items: NameArgument = option(
        "Only these items or norms, by ids (mores show BENCHMARK --items); repeatable.",
        panel=WHAT, metavar="FILE|ID,…",
    )  # fmt: skip
    limit: int | str | None = option(
        "Sample size: number of units of each benchmark, of each place in proportion to what it has, or all; default: "
        "from the paper's protocol.",
        panel=WHAT, metavar="N|all",
    )  # fmt: skip
    until: str | None = option(
        "Ask questions in looks and stop once this is decided: 'A > B' of two models, or 'A > 0.7'.",
        panel=WHAT, metavar="CLAIM",
    )  # fmt: skip
    samples: int | None = option("Answers to each item; default: from the benchmark card.", panel=WHAT, metavar="K")
    seed: int | None = option("Seed of all random draws; default: 0.", panel=WHAT)
    shard: str | None = option(
        "Only the I-th of N shards of each benchmark; auto: as Slurm, Kubernetes, AWS Batch, SkyPilot or torchrun "
        "number this task, in the folder OUT/part-I-of-N. mores merge joins them.",
        panel=WHAT, metavar="I/N|auto",
    )  # fmt: skip
    parts: int | None = option(
        "Number of shards, for --shard auto where the launcher does not say it, and for --on; default there: four for "
        "each core.",
        panel=WHAT,
    )  # fmt: skip
    setting: PairArgument = option(
        "Option of a benchmark, as mores show BENCHMARK lists them; repeatable.",
        "--set", panel=WHAT, metavar="NAME=VALUE",
    )  # fmt: skip
    model: NameArgument = option("Model to measure; repeatable.", "--model", "-m", panel=MODELS, metavar="SPEC")
    role: PairArgument = option("Model of another role; repeatable.", panel=MODELS, metavar="ROLE=SPEC")
    fact: PairArgument = option(
        "Fact about all models or about one (MODEL:NAME=VALUE): family, provider, home, …; price_in and price_out in "
        "US dollars per million tokens; repeatable.",
        panel=MODELS, metavar="NAME=VALUE",
    )  # fmt: skip
    completions: bool = option(
        "Ask a base model, which has no chat template, at /completions.",
        "--completions", panel=MODELS, default=False,
    )  # fmt: skip
    columns: PairArgument = option(
        "Columns of a table of recorded outputs, such as item=data_idx,reply=response.content; also sample, prompt, "
        "role and step.",
        panel=MODELS, metavar="PART=COLUMN",
    )  # fmt: skip
    temperature: float | None = option("Default: from the paper's protocol.", panel=MODELS, metavar="T")
    top_p: float | None = option("Default: from the provider.", panel=MODELS, metavar="P")
    answer_tokens: int | None = option("Maximum tokens of an answer, without thinking.", panel=MODELS)
    thinking: int | str | None = option(
        "off, on, low, medium, high, or a number of tokens; default: from the provider.", panel=MODELS, metavar="LEVEL"
    )
    extra_body: str | Mapping[str, object] | None = option(
        'Further fields of each call to the measured model, such as {"top_k": 20}, or @FILE that holds them.',
        panel=MODELS, typed=str | None, metavar="JSON",
    )  # fmt: skip
    prompt_variants: int | None = option(
        "Ask in K prompt variants; figures are of the first, their spread stands beside.", panel=PROTOCOL, metavar="K"
    )
    orders: int | None = option("Number of option orders to test.", panel=PROTOCOL, metavar="K")
    control: NameArgument = option(
        "Ask also with the place masked, swapped for another whose norm differs, with another named in a scene that "
        "stays, or with the norm told before: masked, swapped, misplaced, told or all; repeatable.",
        panel=PROTOCOL, metavar="CONTROL",
    )  # fmt: skip
    shuffle: bool | None = option("Permute the options of a question.", panel=PROTOCOL)
    reading: Literal["strict", "lenient"] | None = option(
        "Reading of labels: strict or lenient; default: from the paper's protocol.", panel=PROTOCOL, metavar="WORD"
    )
    prompt: PairArgument = option(
        "Other words for a prompt, as mores show prompts BENCHMARK lists them; repeatable.",
        panel=PROTOCOL, metavar="ROLE/TASK=FILE",
    )  # fmt: skip
    prompts_from: NameArgument = option(
        "Checkout of a released repository whose prompts are used; repeatable.", panel=PROTOCOL, metavar="DIR"
    )
    judge: NameArgument = option("Judge model, where one is needed; repeat for a jury.", panel=JUDGES, metavar="SPEC")
    judge_samples: int | None = option(
        "Judgements per answer and judge; default: from the benchmark card.", panel=JUDGES, metavar="K"
    )
    judge_temperature: float | None = option("Default: from the benchmark card.", panel=JUDGES, metavar="T")
    judge_tokens: int | None = option("Maximum tokens of a judgement; default: from the benchmark card.", panel=JUDGES)
    judge_weight: PairArgument = option(
        "Weight of a judge of a jury, such as judge2=.5; default: 1; repeatable.", panel=JUDGES, metavar="ROLE=WEIGHT"
    )
    judge_range: str | None = option(
        "Range of judges' sensitivity and specificity for which a break must hold; default: .75-1.",
        panel=JUDGES, metavar="LOW-HIGH",
    )  # fmt: skip
    reuse: NameArgument = option(
        "Reuse replies to equal requests from an earlier run; repeatable.", panel=LIMITS, metavar="RUN"
    )
    on: str | None = option(
        "Ask the shards on a cluster, then merge them: ray (one that runs here, else one on this machine) or "
        "ray://HOST:10001.",
        panel=LIMITS, metavar="ray[://ADDRESS]",
    )  # fmt: skip
    out: str | Path | None = option("Folder of the run; default: runs/SPEC-N.", panel=OUTPUT, metavar="DIR")


def flag_of(name: str) -> str:
    """The flag of a field of a study, or the field itself where it has none.

    >>> flag_of("top_p"), flag_of("top_k")
    ('--top-p', 'top_k')
    """
    return f"--{name.replace('_', '-')}" if name in {each.name for each in fields(RunOptions)} else name


def as_of_run(name: str) -> Any:
    """The option of a run, for a verb that has it too."""
    known = next(each for each in fields(RunOptions) if each.name == name)
    return field(default=known.default, metadata=known.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions(BatchOptions):
    """Options of judging a finished run again."""

    run: str | Path = argument("Folder of a finished run.", "")
    judge: NameArgument = as_of_run("judge")
    samples: int | None = option(
        "Judgements per answer and judge, as --judge-samples of mores run.", panel=JUDGES, metavar="K"
    )
    setting: PairArgument = as_of_run("setting")
    prompt: PairArgument = as_of_run("prompt")
    prompts_from: NameArgument = as_of_run("prompts_from")
    judge_temperature: float | None = as_of_run("judge_temperature")
    judge_tokens: int | None = as_of_run("judge_tokens")
    judge_weight: PairArgument = as_of_run("judge_weight")
    logprobs: bool = option(
        "Ask for the log-probabilities of the judge's tokens, for mores judge sets and selective.",
        "--logprobs",
        panel=JUDGES,
        default=False,
    )
    reuse: NameArgument = as_of_run("reuse")
    out: str | Path | None = as_of_run("out")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions(BatchOptions):
    """Options of a run that was cut short and goes on; a budget is for this session."""

    run: str | Path = argument("Folder of the run.", "")
    live: bool = option("Make the calls that wait in batch files now.", "--live", panel=LIMITS, default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectOptions(BatchOptions):
    """Options of collecting answers into a run that waits for batches; a budget is of the whole run."""

    run: str | Path = argument("Folder of the run.", "")
    files: list[Path] | None = argument("Files of answers, in any order.")
    again: bool = option("Ask again for all that has no answer yet.", "--again", panel=LIMITS, default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOptions:
    """Options of joining the parts of a run."""

    runs: list[Path] | None = argument("Folders of the parts, from mores run --shard, in any order, or one of all.")
    out: str | Path | None = option("Folder of the whole run; default: runs/SPEC-N.", panel=OUTPUT, metavar="DIR")
