"""All that is printed of a run: its calls and their price before, its batches between, its figures after."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text as Line

from mores.analysis.results import Results
from mores.cli import screen
from mores.cli.args_run import OutputOptions
from mores.core.codec import encode
from mores.core.terminal_safety import print_error
from mores.reports.console import show_fitted
from mores.reports.json_output import as_json
from mores.reports.page import PAGE
from mores.reports.sections.provenance import describe_broken
from mores.reports.terminal import print_full, print_report
from mores.reports.terminal_table import GridCell, TextTable, cut
from mores.runs.batch_files import CollectedAnswers, PendingBatches
from mores.runs.cost_estimate import DryRunEstimate, describe_long_waits, estimate
from mores.runs.options import RunOptions
from mores.runs.specify import specify
from mores.tables import formatting as words

COLUMNS = ("file", "model", "requests", "waiting")


def finish(results: Results, typed: OutputOptions) -> None:
    """Print what a run found.

    Raises:
        SystemExit: 1, as much of it could not be graded, or something failed in mores itself.
    """
    print_results(results, full=typed.full, json=typed.json)
    folder = results.runs[0]
    broken = [line for evaluation in results.every for line in describe_broken(evaluation)]
    for line in broken:
        print_error(f"{line} Their causes are in {folder}; mores resume {folder} tries them again.")
    if broken:
        sys.exit(1)
    few = [evaluation for evaluation in results.evaluations if evaluation.mostly_ungraded]
    if few:
        names = ", ".join(dict.fromkeys(f"{evaluation.benchmark} by {evaluation.model}" for evaluation in few))
        silent = all((whole := evaluation.overall()) is not None and not whole.graded for evaluation in few)
        print_error(
            f"{'nothing' if silent else 'less than half'} could be graded for the headline of {names}, see why above; "
            f"mores resume {folder} retries what failed."
        )
        sys.exit(1)


def print_results(results: Results, *, full: bool, json: bool) -> None:
    """Print what matters of a run, everything, or a line for programs for each model."""
    folder = results.runs[0]
    if json:
        sys.stdout.write("".join(f"{line}\n" for line in as_json(results, folder)))
    elif full:
        print_full(results, folder / PAGE)
    else:
        print_report(results, folder / PAGE)


def print_batch_round(run: Path, pending: PendingBatches, taken: CollectedAnswers | None, *, json: bool) -> None:
    """Print what a run waits for: a row a file, or one JSON object."""
    rows = [(each.file, each.model, each.requests, len(each.waiting)) for each in pending.files]
    if json:
        files = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        head = {"run": str(run), "state": "waiting", "wave": pending.wave, "park": pending.folder}
        screen.print_json({**head, "files": files, "answers": taken})
    else:
        screen.table(COLUMNS, [(Path(file).name, *rest) for file, *rest in rows])


FEW = 20
"""Units of a taste."""


def dry_run(options: RunOptions, *, json: bool) -> None:
    """Print the calls that a run would make and their cost; nothing is asked.

    Raises:
        InputError: an option cannot be used.
    """
    spec, execution = specify(options)
    print_estimate(estimate(spec, batch=execution.batch is not None), json=json)


def print_estimate(found: Sequence[DryRunEstimate], *, json: bool) -> None:
    """Print the calls and the cost of evaluations, or one JSON object."""
    if json:
        screen.print_json({"dry": True, "cells": found})
        return
    calls = sum((Counter(each.calls) for each in found), Counter[str]())
    calls_by_role = ", ".join(f"{count:,} calls to the {role}" for role, count in calls.items())
    prices = dict.fromkeys(each.prices for each in found if each.cost)
    waves = max((each.waves or 0 for each in found), default=0)
    show_fitted(
        notes=[Line("Nothing was asked. A run would ask at most this.", style="bold")],
        table=lambda width, most: list(_table(found, width, most)),
        found=[Line(f"{calls_by_role}."), *_addresses(found), *_sent(found), *map(Line, _of_waves(found, waves))],
        foot=[
            Line(_smaller(found)),
            *(Line(f"Prices: {each.removeprefix('price ')}.", style="dim") for each in prices),
        ],
    )


def _addresses(found: Sequence[DryRunEstimate]) -> Iterator[Line]:
    """Addresses of the calls to endpoints, and their roles."""
    roles: dict[str, dict[str, None]] = {}
    for each in found:
        for role, address in each.addresses.items():
            roles.setdefault(address, {})[role] = None
    for address, names in roles.items():
        yield Line(f"Calls to the {', '.join(names)} would go to {address}.")


def _smaller(found: Sequence[DryRunEstimate]) -> str:
    """Ways to ask less."""
    asked = max((each.units for each in found), default=0)
    fewer = FEW if asked > FEW else asked // 2
    ways = [
        f"--limit {fewer} asks {words.plural(fewer, 'question')} of each benchmark" if fewer else "",
        "--places JP,NG these places alone" if fewer else "--places JP,NG asks these places alone",
    ]
    options = ", ".join(filter(None, ways))
    return f"Smaller: {options}; --max-cost 2 stops at two dollars, and mores resume goes on."


def _sent(found: Sequence[DryRunEstimate]) -> Iterator[Line]:
    """Extra fields sent to each model, where there are any."""
    for model, sent in {each.model: each.sent for each in found if each.sent}.items():
        settings = (f"{name} {encode(value).decode()}" for name, value in sent.items())
        yield Line(f"Sent to {model} with each call: {', '.join(settings)}.")


def _of_waves(found: Sequence[DryRunEstimate], most: int) -> Iterator[str]:
    """Number of batches that follow one another, where any are written."""
    if not most:
        return
    yield f"In up to {words.plural(most, 'round')} of batches, at half the price; what fails is asked in a further one."
    yield from describe_long_waits(found)


def _table(found: Sequence[DryRunEstimate], width: int, most: int) -> Iterator[Line]:
    """The evaluations that there is room for, how many there are more, and all together."""
    several = len({each.model for each in found}) > 1
    named = [(each, each.benchmark + each.variant.suffix) for each in found]
    names = (f"{each.model} · {name}" if several else name for each, name in named)
    rows = [_row(cut(name), [each]) for name, each in zip(names, found, strict=True)]
    total = [_row("in all", found)] if len(found) > 1 else []
    room = most - len(total)
    kept = len(rows) if len(rows) <= room else room - 1
    grid = TextTable(["", "items", "calls", "tokens in", "out", "price"], [*rows[:kept], *total])
    lines = list(grid.fitted(width).lines(most))
    yield from lines[: kept + 1]
    if kept < len(rows):
        yield Line(f"… {words.plural(len(rows) - kept, 'more row')} with --json", style="dim")
    yield from lines[kept + 1 :]


def _row(name: str, of: Sequence[DryRunEstimate]) -> list[GridCell]:
    counts = (
        sum(each.items for each in of),
        sum(sum(each.calls.values()) for each in of),
        sum(each.input_tokens for each in of),
        sum(each.output_tokens for each in of),
    )
    return [
        GridCell("", name),
        *(GridCell(f"{count:,}") for count in counts),
        GridCell(_price([each.cost for each in of])),
    ]


def _price(costs: Sequence[float | None]) -> str:
    known = sum(cost for cost in costs if cost is not None)
    if None in costs:
        return "unknown" if not known else f"${known:.2f} and more"
    return f"${known:.2f}" if known else "nothing"
