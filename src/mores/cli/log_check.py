"""`mores doctor log`: whether another program's log and mores agree on the same replies, and where not."""

# ruff: noqa: RUF009 - `option` makes a field
import asyncio
from dataclasses import MISSING, dataclass
from pathlib import Path

import typer

from mores.benchmarks import catalogue
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.hosted.log_check import LogCheck, check_log
from mores.runs.options import argument, option
from mores.tables.formatting import format_graded, format_interval, format_number, plural

SHOWN, LONGEST = 20, 60
"""Differences that are shown, and letters of a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCheckArgs:
    """Check that a log of another program and mores agree on the same replies; exit 1 where they do not."""

    log: Path = argument("A log of Inspect, lm-evaluation-harness, HELM or Every Eval Ever.", MISSING)
    benchmark: str | None = argument("The benchmark that it is of, where the log does not say so.")
    data: Path | None = option("Folder or file of the benchmark's data.")
    json: bool = AS_JSON


def check_logs(typed: LogCheckArgs) -> None:
    """Print how far a log and mores agree, and exit with 1 where they do not throughout.

    Raises:
        InputError: the log cannot be read, or is of no benchmark that can be graded without asking anybody.
    """
    found = asyncio.run(check_log(typed.log, typed.benchmark, data=typed.data))
    if typed.json:
        screen.print_json(
            {"agrees": found.agrees, **{name: getattr(found, name) for name in LogCheck.__struct_fields__}}
        )
    else:
        _print(found)
    if not found.agrees:
        raise typer.Exit(1)


def _print(found: LogCheck) -> None:
    screen.line(f"{found.log}: {found.layout}, {plural(found.replies, 'reply', 'replies')} to {found.benchmark}.")
    if found.judged:
        screen.line("A judge graded them: its verdicts are taken as they stand, and figures made of them anew.")
    elif not found.scored:
        screen.line("It has no grades of single replies to compare.")
    else:
        alike = found.scored - len(found.grades)
        screen.line(f"Grades: {alike:,} of {found.scored:,} alike{_means(found)}.")
    if found.grades:
        shown = found.grades[:SHOWN]
        rows = ((each.item, each.sample, each.log, each.mores, each.reason, _short(each.reply)) for each in shown)
        screen.table(("item", "sample", "log", "mores", "why here", "reply"), rows)
        _more(len(found.grades))
    if found.figures:
        screen.line(f"Figures: {found.figures - len(found.different):,} of {found.figures:,} equal.")
    if found.different:
        screen.table(
            ("figure", "log", "mores"), ((each.name, each.log, each.mores) for each in found.different[:SHOWN])
        )
        _more(len(found.different))
    whole = found.headline
    metric = next(each for each in catalogue.card(found.benchmark).metrics if each.name == whole.metric)
    interval = format_interval(whole, metric)
    screen.line(f"{whole.metric} by mores: {format_number(whole.value, metric)} {interval}, n {format_graded(whole)}.")


def _means(found: LogCheck) -> str:
    if found.points_log is None or found.points_mores is None:
        return ""
    return f"; mean points {found.points_log:.4f} in the log, {found.points_mores:.4f} here"


def _short(reply: str) -> str:
    words = " ".join(reply.split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _more(count: int) -> None:
    if count > SHOWN:
        screen.line(f"… and {count - SHOWN:,} more (--json has all).")
