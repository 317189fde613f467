"""`mores build` by a pipeline: from what was typed to its release, its funnel and its datasheet."""

# ruff: noqa: RUF009 - `option` makes a field
import asyncio
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, Literal

import typer

from mores.cli import screen
from mores.cli.args_run import AS_JSON
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
from mores.pipelines.subgroups.mix import ScenarioMix, level_shares
from mores.pipelines.subgroups.pipeline import subgroups_pipeline
from mores.pipelines.translate.pipeline import translate_pipeline
from mores.runs.client_pool import addresses_of
from mores.runs.options import ExecutionOptions, PairArgument, argument, as_of_run, option
from mores.runs.spec import ExecutionSpec
from mores.runs.specify import conditions_of, pairs_of
from mores.tables import formatting as words


def _out(name: str) -> Any:
    """Option of a build's folder, by default of this name."""
    return option("Folder of the build; the same command again goes on with it.", default=Path(name))


STRICT = option("Exit with 3 where a gate fails; the release is there all the same.", "--strict", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildArgs(ExecutionOptions):
    """Options of every build that asks models."""

    seed: int = option("Seed of all random draws.", default=0)
    base_url: PairArgument | str = as_of_run("base_url")
    dry: bool = option("Print the calls that it would make and their cost; ask nothing.", "--dry", default=False)
    json: bool = AS_JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class NormsArgs(BuildArgs):
    """Make a norm base: import norms, drop duplicates, label strictness, negate and bundle; or go on with one."""

    sources: list[str] = argument("Files of norms, folders of packs, or pack for the bundled one.", MISSING)
    out: Path = _out("norms")
    role: PairArgument = option("ROLE=SPEC: labeller, labeller2, labeller3 for strictness, writer for negations.")
    against: list[Path] | None = option("Table of a public benchmark whose texts no norm may repeat; repeatable.")
    embed: str | None = option("sentence-transformers model, by folder or hub name: near duplicates and bundles.")
    near: float = option("Cosine from which two norms say the same.", default=0.95)
    pool: Literal["topic", "domain", "place"] = option(
        "What the norms of a bundle have in common beside their place.", default="topic"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsArgs(BuildArgs):
    """Make questions of three norms each, in CultureForest's form, checked by another model than writes them."""

    norms: Path = argument("Folder of a norm base with bundles, from mores build norms --embed.", MISSING)
    out: Path = _out("questions")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model), refiner; default: the writer refines.")
    against: list[Path] | None = option("Table of a public benchmark that gates hold questions against; repeatable.")
    limit: int | None = option("Make questions of so many bundles at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgroupsArgs(BuildArgs):
    """Make personas, situations and yes/no questions of statements on subgroups, in SpecNorm's form."""

    source: str = argument("Norm base (its file or folder), a table of statements, a pack's folder, or pack.", MISSING)
    out: Path = _out("subgroups")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model), labeller of cues; default: the writer.")
    yes_share: float = option("Share of statements that are asked for a yes; SpecNorm has .65.", default=0.5)
    level: PairArgument = option(
        "LEVEL=SHARE: low, medium, high; scenarios are kept so that levels have these shares; repeatable. SpecNorm has "
        "low=.37, medium=.575, high=.055. Default: all are kept."
    )
    against: list[Path] | None = option("Table of a public benchmark whose texts no scene may repeat; repeatable.")
    limit: int | None = option("Make scenarios of so many statements at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsArgs(BuildArgs):
    """Label norms or questions with CulturalBench's topics and CultureForest's domains, by a model you name."""

    source: Path = argument("Norm base (norms.jsonl), or a table of questions.", MISSING)
    out: Path = _out("topics")
    role: PairArgument = option("labeller=SPEC.")
    draws: int = option("How often each text is asked about; the share of draws is how sure a label is.", default=3)
    column: str = option("Of a table: its column of ids; rows of one id are one text.", "--id", default="question_idx")
    words: list[str] | None = option("Of a table: column of words; repeatable; default: prompt_question.")
    limit: int | None = option("Label so many texts at most.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderArgs(BuildArgs):
    """Make a pack of norms with items of all rungs, checked by another model than writes them."""

    norms: str = option(
        "Norm base, table of CultureBank, CultureAtlas, NormAd's rules or your own, a pack's folder, or pack.",
        default=MISSING,
    )
    writer: str = option("Model that writes the items.", default=MISSING)
    checker: str = option("Another model, which checks them.", default=MISSING)
    out: Path = _out("ladder")
    against: list[Path] | None = option("Table of a public benchmark that gates hold items against; repeatable.")
    limit: int | None = option("Make items of so many norms at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguesArgs(BuildArgs):
    """Make scenarios in SocialCC's form of customs and values, checked by another model than writes them."""

    norms: str = argument(
        "Norm base (its file or folder) whose norms have domains, a table of norms with domains, a pack's folder, or "
        "pack.",
        MISSING,
    )
    values: Path = argument("Table of values, each with its statement, or as mores build values writes it.", MISSING)
    wordings: Path | None = option(
        "Table of what the answers of mores build values say: question, codes, topic, statement."
    )
    against: list[Path] | None = option("Table of a public benchmark whose texts no situation may repeat; repeatable.")
    out: Path = _out("dialogues")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model).")
    per_place: int = option("Make so many scenarios of each place of values at most.", default=20)
    limit: int | None = option("Make so many scenarios at most.")
    strict: bool = STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateArgs(BuildArgs):
    """Put a pack's norms into another language, translated back, compared and keyed again by another model."""

    norms: str = argument("Folder or file of a pack in English, or pack for the bundled one.", MISSING)
    language: str = option(
        "Language of the translation, as a BCP 47 tag such as ar, hi, id, es or sw.", default=MISSING
    )
    out: Path = _out("translation")
    role: PairArgument = option("ROLE=SPEC: writer, checker (another model).")
    place: list[str] | None = option("Translate norms of this place; repeatable; default: all.")
    limit: int | None = option("Translate so many norms at most.")
    strict: bool = STRICT


TypedBuilding = NormsArgs | TopicsArgs | QuestionsArgs | SubgroupsArgs | DialoguesArgs | LadderArgs | TranslateArgs
"""After a `mores build` that is a pipeline."""


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
    mix = ScenarioMix(yes=typed.yes_share, levels=level_shares(pairs_of(typed.level, "--level")))
    pipeline = subgroups_pipeline(typed.source, roles, against=against, limit=typed.limit, mix=mix)
    _build(pipeline, typed, strict=typed.strict)


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


def build_translate(typed: TranslateArgs) -> None:
    """Translate a pack, or go on with it."""
    pipeline = translate_pipeline(
        typed.norms, typed.language, pairs_of(typed.role, "--role"), places=tuple(typed.place or ()), limit=typed.limit
    )
    _build(pipeline, typed, strict=typed.strict)


def _build(pipeline: Pipeline[Any, Any], typed: TypedBuilding, *, strict: bool = False) -> None:
    """Make what a pipeline makes, or go on with it.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: it is not finished, or a gate failed and was not to.
    """
    built = carry_out(pipeline, typed.out, typed, lambda built: print_built(pipeline, built, json=typed.json))
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
    """Address of each model, one in all of its roles."""
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


def print_built(pipeline: Pipeline[Any, Any], built: BuildResult, *, json: bool) -> None:
    """Print what a build came to: its funnel, failing gates, and where the rest lies."""
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
