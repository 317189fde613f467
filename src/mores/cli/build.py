"""`mores build` by a pipeline: from what was typed to its release, its funnel and its datasheet."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from mores.cli import screen
from mores.cli.args_build import (
    BuildArgs,
    DialoguesArgs,
    LadderArgs,
    NormsArgs,
    QuestionsArgs,
    SubgroupsArgs,
    TopicsArgs,
    TypedBuilding,
)
from mores.cli.build_check import print_failing
from mores.cli.progress import carried_out
from mores.core.errors import InputError, RunError
from mores.core.seeds import Seed
from mores.core.terminal_safety import print_error
from mores.models.similarity import NAME, Embedder, embedder_of
from mores.pipelines.dialogues.pipeline import DialogueOptions, dialogues_pipeline
from mores.pipelines.duplicates import KeptVectors
from mores.pipelines.funnel import FunnelStage
from mores.pipelines.gates.gate import failing
from mores.pipelines.ladder.pipeline import ladder_pipeline
from mores.pipelines.norms.pipeline import NormsOptions, norms_pipeline
from mores.pipelines.norms.topics import topics_pipeline
from mores.pipelines.pipeline import (
    DATASHEET,
    DROPPED,
    PICTURE,
    BuildProgress,
    BuildResult,
    Pipeline,
    build,
    check_folder,
    estimate_pipeline,
)
from mores.pipelines.questions.pipeline import questions_pipeline
from mores.pipelines.subgroups.pipeline import subgroups_pipeline
from mores.runs.addresses import addresses_of
from mores.runs.options import PairArgument
from mores.runs.spec import ExecutionSpec
from mores.runs.specify import conditions_of, pairs_of
from mores.tables import formatting as words


def build_norms(typed: NormsArgs) -> None:
    """Build a norm base, or go on with one."""
    options = NormsOptions(
        sources=tuple(typed.sources), against=tuple(typed.against or ()), roles=pairs_of(typed.role, "--role"),
        near=typed.near, embedder=_embedder(typed), pool=typed.pool,
    )  # fmt: skip
    _build(norms_pipeline(options), typed)


def build_topics(typed: TopicsArgs) -> None:
    """Label texts with topics, or go on with it."""
    pipeline = topics_pipeline(
        typed.source, pairs_of(typed.role, "--role"), id_column=typed.column,
        words=tuple(typed.words or ("prompt_question",)), draws=typed.draws, limit=typed.limit,
    )  # fmt: skip
    _build(pipeline, typed)


def build_questions(typed: QuestionsArgs) -> None:
    """Build questions of three norms, or go on with it."""
    roles, against = pairs_of(typed.role, "--role"), tuple(typed.against or ())
    _build(questions_pipeline(typed.norms, roles, against=against, limit=typed.limit), typed, strict=typed.strict)


def build_subgroups(typed: SubgroupsArgs) -> None:
    """Build scenarios of subgroups, or go on with it."""
    roles, against = pairs_of(typed.role, "--role"), tuple(typed.against or ())
    _build(subgroups_pipeline(typed.source, roles, against=against, limit=typed.limit), typed, strict=typed.strict)


def build_dialogues(typed: DialoguesArgs) -> None:
    """Build scenarios of customs and values, or go on with it."""
    options = DialogueOptions(
        norms=typed.norms, values=typed.values, roles=pairs_of(typed.role, "--role"), wordings=typed.wordings,
        against=tuple(typed.against or ()), per_place=typed.per_place, limit=typed.limit,
    )  # fmt: skip
    _build(dialogues_pipeline(options), typed, strict=typed.strict)


def build_ladder(typed: LadderArgs) -> None:
    """Build a pack for the ladder, or go on with it."""
    against = tuple(typed.against or ())
    pipeline = ladder_pipeline(typed.norms, typed.writer, typed.checker, against=against, limit=typed.limit)
    _build(pipeline, typed, strict=typed.strict)


def _build(pipeline: Pipeline[Any, Any], typed: TypedBuilding, *, strict: bool = False) -> None:
    """Make what a pipeline makes, or go on with it.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: it is not finished, or a gate failed and was not to.
    """
    built = carry_out(pipeline, typed.out, typed, lambda built: _print(pipeline, built, json=typed.json))
    if strict and built is not None and failing(built.gates):
        raise typer.Exit(3)


def _embedder(typed: NormsArgs) -> Embedder | None:
    """The model of embeddings, what it gives kept in the build's folder; a dry build makes no folder."""
    if typed.embed is None:
        return None
    embedder = embedder_of(f"{NAME}:{typed.embed}")
    if typed.dry:
        return embedder
    check_folder(typed.out)
    return KeptVectors(embedder, typed.out)


def carry_out(
    pipeline: Pipeline[Any, Any], out: Path, typed: BuildArgs, show: Callable[[BuildResult], None]
) -> BuildResult | None:
    """A build that came to its end; None where only its calls and their price were asked for.

    Args:
        pipeline: What is to be made.
        out: Its folder.
        typed: How it is carried out.
        show: Is given what it came to, finished or not.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: it is not finished.
    """
    given = conditions_of(typed)
    conditions = ExecutionSpec(**{name: value for name, value in given.items() if value not in (None, ())})  # type: ignore[arg-type]
    addresses = _addresses(pipeline, typed.base_url)
    if typed.dry:
        _print_dry(pipeline, addresses, json=typed.json)
        return None
    course = BuildProgress()
    work = build(pipeline, out, conditions, seed=Seed(f"mores-{typed.seed}"), addresses=addresses, course=course)
    try:
        built = asyncio.run(carried_out(course, work))
    except RunError as error:
        print_error(f"{error} The same command goes on with {out}.")
        raise typer.Exit(1) from error
    waiting = len(pipeline.units) if built is None else built.waiting
    if built is not None:
        show(built)
    if waiting:
        print_error(f"{waiting:,} of {len(pipeline.units):,} wait for an answer; the same command goes on.")
        raise typer.Exit(130 if course.stop_signal.stopped else 1)
    if built is not None and built.broken:
        print_error(f"{built.broken:,} units failed in mores itself; the causes are in {DROPPED}. Please report it.")
        raise typer.Exit(1)
    return built


def _addresses(pipeline: Pipeline[Any, Any], base_url: PairArgument | str) -> dict[str, str | None]:
    """Where each model is reached, which is at one address in all of its roles."""
    given = addresses_of(base_url)
    plain, of_role = given["base_url"], given["role_urls"]
    found: dict[str, str | None] = {}
    for role, spec in pipeline.roles.items():
        url = of_role.get(role, plain) if isinstance(of_role, dict) else plain
        if found.setdefault(spec, url if isinstance(url, str) else None) != url:
            raise InputError(
                f"--base-url {role}={url or 'nothing'}: {spec} is reached at {found[spec] or 'its own address'} "
                "in another role; expected one address for a model."
            )
    return found


def _print(pipeline: Pipeline[Any, Any], built: BuildResult, *, json: bool) -> None:
    if json:
        screen.print_json({"out": str(built.folder), "finished": built.finished, "funnel": built.funnel, **built.facts})
        return
    if pipeline.simulated:
        screen.line(words.SIMULATED)
    screen.table(("stage", "came", "passed", "dropped"), [_row(step) for step in built.funnel])
    if built.why_empty:
        screen.line(built.why_empty)
    if built.finished:
        print_failing(built.gates)
        screen.line(
            f"No person has checked what is in {built.folder}. Dropped: {DROPPED}; datasheet: {DATASHEET}, {PICTURE}."
        )


def _row(step: FunnelStage) -> tuple[str, str, str, str]:
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in step.dropped.items())
    return step.stage, f"{step.came:,}", f"{step.passed:,}", reasons or "none"


def _print_dry(pipeline: Pipeline[Any, Any], addresses: dict[str, str | None], *, json: bool) -> None:
    found = estimate_pipeline(pipeline, addresses)
    if json:
        screen.print_json({"dry": True, "roles": found})
        return
    sys.stdout.write(
        "Nothing was asked. A build asks at most this where every reply will do; new tries and repairs come on top.\n"
    )
    rows = [(each.role, each.model, f"{each.calls:,}", f"{each.input_tokens:,}", f"{each.output_tokens:,}",
             "unknown" if each.cost is None else f"${each.cost:.2f}") for each in found]  # fmt: skip
    screen.table(("role", "model", "calls", "tokens in", "out", "price"), rows)
