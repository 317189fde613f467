"""What a notebook calls, and what the command line is a thin layer over: run, load, compare, and tables of all."""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from mores.analysis.comparison import compare_runs
from mores.analysis.judge_errors import KnownJudgeErrors, stated_range
from mores.api.runs import Comparisons, Runs
from mores.core.errors import RunError, RunPending, UnknownName
from mores.reports.page import finished
from mores.runs.batch_files import how_to_go_on
from mores.runs.loading import read_unchanged, read_what_is_there
from mores.runs.merge import merged_study
from mores.runs.options import CollectOptions, JudgeOptions, MergeOptions, NameArgument, ResumeOptions, RunOptions
from mores.runs.run_study import run_study
from mores.runs.specify import judging_study, new_study, resumed_study, taking_study
from mores.runs.study import Study

__all__ = [
    "Comparisons",
    "RunOptions",
    "Runs",
    "collect",
    "compare",
    "judge",
    "load",
    "merge",
    "resume",
    "run",
    "run_async",
]
Folders: TypeAlias = str | Path | Sequence[str | Path]
T = TypeVar("T")


def run(benchmarks: NameArgument = None, *, model: NameArgument = None, **options: Any) -> Runs:
    """Run benchmarks, and give what they found; it works where a loop is running too, as in a notebook.

    Args:
        benchmarks: Names of benchmarks or families, or one STUDY.toml; without any, the ladder.
        model: The subject, or several; without any, a simulated one.
        options: Any other option of `mores run`, by the name of its flag: `judge`, `role`, `limit`, `places`, …;
            `mores.api.RunOptions` lists them.

    Raises:
        InputError: an option is unknown or cannot be used.
        RunError: the run was stopped; the line says how to go on.
    """
    return _now(run_async(benchmarks, model=model, **options))


async def run_async(benchmarks: NameArgument = None, *, model: NameArgument = None, **options: Any) -> Runs:
    """The same as `run`, to be awaited."""
    asked = _options(RunOptions, {"benchmarks": benchmarks, "model": model, **options})
    judges = stated_range(asked.judge_range)
    return await _carried(new_study(asked), judges)


def resume(folder: str | Path, **options: Any) -> Runs:
    """Go on with a run that was cut short, and give what it found.

    Raises:
        InputError: the folder is no run.
        RunError: the run was stopped again.
    """
    return _now(_carried(resumed_study(_options(ResumeOptions, {"run": folder, **options}))))


def collect(folder: str | Path, files: Folders, **options: Any) -> Runs:
    """Take the answers of batches into a run whose calls are parked, and give what it found.

    Raises:
        InputError: the folder is no such run, or a file holds no answers.
        Waiting: further answers are to be taken; the line says where their requests are.
    """
    given = {"run": folder, "files": _paths(files), **options}
    return _now(_carried(taking_study(_options(CollectOptions, given))))


def merge(parts: Folders, *, out: str | Path | None = None) -> Runs:
    """Join the parts of a run that were asked apart (`shard="1/8"`), and give what the whole found; nothing is asked.

    Raises:
        InputError: a folder is no part of a run, or of another one, or was changed.
        RunError: a part is missing or not finished; the line says how to go on.
    """
    return Runs(finished(merged_study(MergeOptions(runs=_paths(parts), out=out))))


def judge(folder: str | Path, judge: NameArgument, **options: Any) -> Runs:
    """Have a run's transcripts judged again, in a new run, and give what it found.

    Raises:
        InputError: there is nothing to judge, or an option cannot be used.
        RunError: the run was stopped; the line says how to go on.
    """
    return _now(_carried(judging_study(_options(JudgeOptions, {"run": folder, "judge": judge, **options}))))


def load(paths: Folders) -> Runs:
    """What one or several runs found, as far as they came; `partial` says where one was cut short.

    Raises:
        InputError: a folder is no run.
    """
    return Runs(read_what_is_there(_paths(paths)))


def compare(
    a: Runs | str | Path,
    b: Runs | str | Path,
    *,
    model: NameArgument = None,
    allow_other_data: bool = False,
    judge_quality: float | None = None,
) -> Comparisons:
    """How run B differs from run A, item by item; only finished runs that nobody changed are compared.

    Models that both have are paired by name, one in each whatever their names; `model` names those to compare.

    Raises:
        InputError: the runs cannot be compared.
    """
    of_a, of_b = (read_unchanged(each.folders if isinstance(each, Runs) else [Path(each)]) for each in (a, b))
    models = [model] if isinstance(model, str) else model or ()
    found = compare_runs(of_a, of_b, models=models, allow_other_data=allow_other_data, judge_quality=judge_quality)
    return Comparisons(found)


def _paths(given: Folders) -> list[Path]:
    return [Path(each) for each in ([given] if isinstance(given, str | Path) else given)]


def _options(kind: type[T], given: dict[str, Any]) -> T:
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise UnknownName("option", name, known, where="mores")
    return kind(**given)


async def _carried(study: Study, judges: KnownJudgeErrors | None = None) -> Runs:
    """What a study found, played and reported; where it was stopped, the line says how to go on."""
    try:
        await run_study(study)
    except RunPending:
        raise
    except RunError as error:
        raise type(error)(f"{error} {how_to_go_on(study)}") from error
    return Runs(finished(study, judges))


def _now(found: Coroutine[Any, Any, Runs]) -> Runs:
    """What a coroutine gives; in a thread of its own where a loop is running here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(found)
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, found).result()
