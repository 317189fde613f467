"""Functions of the Python interface: run, load, compare; `mores.run` and the like are these."""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from mores.analysis.comparison import compare_runs
from mores.analysis.results import Results
from mores.api import conductor
from mores.api.runs import Comparisons, Runs
from mores.core.errors import UnknownName
from mores.runs.loading import read_unchanged, read_what_is_there, with_dates
from mores.runs.options import CollectOptions, JudgeOptions, MergeOptions, NameArgument, ResumeOptions, RunOptions

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
            `mores.runs.options.RunOptions` lists them.

    Raises:
        InputError: an option is unknown or cannot be used.
        RunError: the run was stopped; the line says how to go on.
    """
    given = {"benchmarks": benchmarks, "model": model, **options}
    return _found(conductor.run(_options(RunOptions, given)))


async def run_async(benchmarks: NameArgument = None, *, model: NameArgument = None, **options: Any) -> Runs:
    """The same as `run`, to be awaited."""
    given = {"benchmarks": benchmarks, "model": model, **options}
    return Runs(await conductor.run(_options(RunOptions, given)))


def resume(folder: str | Path, **options: Any) -> Runs:
    """Go on with a run that was cut short, and give what it found.

    Raises:
        InputError: the folder is no run.
        RunError: the run was stopped again.
    """
    return _found(conductor.resume(_options(ResumeOptions, {"run": folder, **options})))


def collect(folder: str | Path, files: Folders, **options: Any) -> Runs:
    """Take the answers of batches into a run that waits for batches, and give what it found.

    Raises:
        InputError: the folder is no such run, or a file holds no answers.
        RunPending: further answers are to be taken; the line says where their requests are.
    """
    given = {"run": folder, "files": _paths(files), **options}
    return _found(conductor.collect(_options(CollectOptions, given)))


def merge(parts: Folders, *, out: str | Path | None = None) -> Runs:
    """Join the parts of a run that were asked apart (`shard="1/8"`), and give what the whole found; nothing is asked.

    Raises:
        InputError: a folder is no part of a run, or of another one, or was changed.
        RunError: a part is missing or not finished; the line says how to go on.
    """
    return Runs(conductor.merge(MergeOptions(runs=_paths(parts), out=out)))


def judge(folder: str | Path, judge: NameArgument, **options: Any) -> Runs:
    """Have a run's transcripts judged again, in a new run, and give what it found.

    Raises:
        InputError: there is nothing to judge, or an option cannot be used.
        RunError: the run was stopped; the line says how to go on.
    """
    return _found(conductor.judge(_options(JudgeOptions, {"run": folder, "judge": judge, **options})))


def load(paths: Folders, *, dates: str | Path | None = None) -> Runs:
    """Results of one or several runs, as far as they came; `partial` says where one was cut short.

    `dates` is a table of items with their dates, by which the scores of each model are split.

    Raises:
        InputError: a folder is no run, or the table is none.
    """
    found = read_what_is_there(_paths(paths))
    return Runs(found if dates is None else with_dates(found, Path(dates)))


def compare(
    a: Runs | str | Path,
    b: Runs | str | Path,
    *,
    model: NameArgument = None,
    allow_other_data: bool = False,
    judge_quality: float | None = None,
) -> Comparisons:
    """Differences of run B from run A, item by item; only finished runs that nobody changed are compared.

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


def _found(conducted: Coroutine[Any, Any, Results]) -> Runs:
    """Results of a coroutine of the conductor; in a thread of its own where a loop is running here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return Runs(asyncio.run(conducted))
    with ThreadPoolExecutor(1) as thread:
        return Runs(thread.submit(asyncio.run, conducted).result())
