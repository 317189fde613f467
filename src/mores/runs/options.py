"""What can be asked of a run, each option declared once: the command line and the Python interface both read it here.

It imports next to nothing, so that help comes at once.
"""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

WHAT, MODELS, PROTOCOL = "What is asked", "Models", "Protocol"
JUDGES, LIMITS, OUTPUT = "Judges", "Limits and cost", "Output"
PANELS = (WHAT, MODELS, PROTOCOL, JUDGES, LIMITS, OUTPUT)
"""Headings under which the options of a run stand in its help, in their order."""
Names: TypeAlias = str | Sequence[str] | None
"""One name or several."""
Pairs: TypeAlias = Mapping[str, str] | Sequence[str] | None
"""Values by name, or entries such as `name=value`."""


def names_of(given: Names, between: str | None = None) -> tuple[str, ...]:
    """The names as a tuple; one string may hold several `between` which a sign stands."""
    if isinstance(given, str):
        given = given.split(between) if between else [given]
    return tuple(name for name in given or () if name.strip())


def option(says: str, *flags: str, default: Any = None, typed: Any = None, **more: Any) -> Any:
    """A field of options: what it is for, its flags where they are not its name, what is `typed` where it is not it.

    `more` is what typer is told besides, such as the least and greatest value (`min`, `max`).
    """
    return field(default=default, metadata={"says": says, "flags": flags, "typed": typed, "more": more})


def argument(says: str, default: Any = None, **more: Any) -> Any:
    """A field of options that is typed without a flag."""
    return field(default=default, metadata={"says": says, "flags": None, "typed": None, "more": more})


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrying:
    """How a run is carried out, whatever it is."""

    concurrency: int | None = option("Maximum number of calls at the same time; default: 64, or as before.")
    timeout: float | None = option("Seconds to wait for one answer; default: 300, or as before.")
    max_calls: int | None = option("Stop before more calls than this.")
    max_tokens: int | None = option("Stop before more tokens than this.")
    max_cost: float | None = option("Stop before more US dollars than this.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parking(Carrying):
    """How a run is carried out whose calls can be put into batch files."""

    park: str | Path | None = option("Put the calls into batch files in this folder instead of making them.")
    park_as: Literal["openai", "anthropic", "gemini", "vllm"] | None = option(
        "With --park: layout of the files, where the provider does not tell it."
    )
    think_tags: str | None = option("OPEN,CLOSE: marks round a model's thinking, where mores does not know them.")
    base_url: Pairs | str = option(
        "Address of an OpenAI-compatible endpoint; ROLE=URL for one role, such as judge.",
    )
    header: Pairs = option(
        "NAME=VALUE, a header of each call, such as api-key='$GATEWAY_KEY' from the environment; ROLE:NAME=VALUE for "
        "one role; repeatable.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(Parking):
    """What is asked of a new run."""

    benchmarks: Names = argument("Benchmarks, families, or one STUDY.toml; default: the ladder.")
    model: Names = option("Model to measure; repeatable.", "--model", "-m")
    judge: Names = option("Judge model, where one is needed; repeat for a jury.")
    role: Pairs = option("ROLE=SPEC for other roles.")
    data: str | Path | None = option("Folder or file of the benchmark's data.", "--data", "--pack")
    limit: int | str | None = option("Number of questions, drawn evenly over places, or all; default: the paper's.")
    targets: int | None = option("Number of residents' days, each origin by its share.")
    cultures: int | None = option("Number of places that the people whom a resident meets come from.")
    samples: int | None = option("Number of answers to each item.")
    places: Names = option("Only these places, such as JP,NG.", typed=str | None)
    items: Names = option(
        "Only these items, by ids as mores show BENCHMARK --items lists them, or norms: FILE or ID,ID,…; repeatable."
    )
    seed: int | None = option("Seed of all random draws; default: 0.")
    reading: Literal["strict", "lenient"] | None = option("How labels are read; default: the paper's.")
    shuffle: bool | None = option("Permute the options of a question.")
    wordings: int | None = option("Ask in so many wordings; figures are of the first, their spread stands beside.")
    orders: int | None = option("Ask with so many orders of options or labels, as --wordings.")
    control: Names = option(
        "Ask also with the place masked, or swapped for another whose norm differs; repeatable.", "--control"
    )
    controls: bool = option("Ask also under all controls that a benchmark has.", "--controls", default=False)
    temperature: float | None = option("Default: the paper's.")
    answer_tokens: int | None = option("Maximum tokens of an answer, without thinking.")
    thinking: int | str | None = option(
        "How much the subject thinks: off, on, low, medium, high, or a number of tokens; default: its provider's."
    )
    top_p: float | None = option("The subject's; default: its provider's.")
    top_k: int | None = option("The subject's, where its endpoint takes it; default: its provider's.")
    min_p: float | None = option("The subject's, where its endpoint takes it; default: its provider's.")
    extra_body: str | Mapping[str, object] | None = option(
        "JSON object of further fields of each call to the subject, or @FILE that holds it.", typed=str | None
    )
    seed_endpoint: bool = option(
        "Send a seed with each call to the subject, where its endpoint takes one.", default=False
    )
    completions: bool = option(
        "Ask a base model, which has no chat template: questions as text to go on with, at /completions.",
        "--completions",
        default=False,
    )
    shard: str | None = option("I/N: ask only the I-th of N parts of each benchmark; mores merge joins the parts.")
    columns: Pairs = option(
        "What a table of recorded outputs calls its parts, such as item=data_idx,reply=response.content; also sample, "
        "prompt, role and step."
    )
    topics: str | Path | None = option("CSV with question_idx and topic, for CulturalBench's figures by topic.")
    setting: Pairs = option("NAME=VALUE of a benchmark's option; mores show lists them.", "--set")
    prompt: Pairs = option("ROLE/TASK=FILE, a prompt in other words; mores show prompts BENCHMARK lists them.")
    prompts_from: Names = option("Folder of a released repository, whose words for prompts are used; repeatable.")
    protocol: Literal["paper", "released"] | None = option(
        "What a benchmark takes from its paper or from its released code, where it offers both; default: the paper."
    )
    judge_runs: int | None = option("Judgements of each answer by each judge; default: the card's.")
    judge_temperature: float | None = option("Default: the card's.")
    judge_weight: Pairs = option("ROLE=WEIGHT, what a judge of a jury counts, such as judge2=.5; default: 1.")
    fact: Pairs = option(
        "NAME=VALUE, a fact about all models, or MODEL:NAME=VALUE: family, provider, home, …, and the price, price_in "
        "and price_out in US dollars for a million tokens."
    )
    requests_per_minute: float | None = option("At most so many a minute.")
    tokens_per_minute: float | None = option("At most so many a minute.")
    reuse: Names = option("Reuse replies to equal requests from an earlier run.")
    power_safe: bool = option("Write the journal so that it survives a power failure.", default=False)
    out: str | Path | None = option("Folder of the run; default: runs/SPEC-N.")
    judge_range: str | None = option(
        "Range of judges' sensitivity and specificity for which a break must hold; default .75-1."
    )


def as_of_run(name: str) -> Any:
    """The option of a run, for a verb that has it too."""
    known = next(each for each in fields(RunOptions) if each.name == name)
    return field(default=known.default, metadata=known.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions(Parking):
    """What is asked of those who judge a finished run again."""

    run: str | Path = argument("Folder of a finished run.", "")
    judge: Names = as_of_run("judge")
    samples: int | None = option("Judgements of each answer by each judge, as --judge-runs.")
    setting: Pairs = as_of_run("setting")
    prompt: Pairs = as_of_run("prompt")
    prompts_from: Names = as_of_run("prompts_from")
    judge_temperature: float | None = as_of_run("judge_temperature")
    judge_weight: Pairs = as_of_run("judge_weight")
    logprobs: bool = option(
        "Ask for the log-probabilities of the judge's tokens, for mores calibrate.", "--logprobs", default=False
    )
    reuse: Names = as_of_run("reuse")
    out: str | Path | None = as_of_run("out")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions(Parking):
    """How a run that was cut short goes on; a budget is for this sitting."""

    run: str | Path = argument("Folder of the run.", "")
    live: bool = option("Make the calls that are parked now.", "--live", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOptions(Parking):
    """What is taken into a run whose calls are parked; a budget is of the whole run."""

    run: str | Path = argument("Folder of the run.", "")
    files: list[Path] | None = argument("Files of answers, in any order.")
    again: bool = option("Ask again for all that has no answer yet.", "--again", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOptions:
    """Which parts of a run are joined, and where."""

    runs: list[Path] | None = argument("Folders of the parts, from mores run --shard I/N, in any order.")
    out: str | Path | None = option("Folder of the whole run; default: runs/SPEC-N.")
