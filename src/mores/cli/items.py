"""`mores items`: item analysis by the models of finished runs."""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from mores.analysis.item_places import place_blocks
from mores.analysis.items import ItemTable, item_tables
from mores.analysis.odd_items import filled_of, odd_blocks, summary
from mores.analysis.short_forms import short_form_of
from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.core.table import plain_cell, sheet
from mores.reports.console import block_parts, show
from mores.runs.loading import read_unchanged
from mores.runs.options import (
    argument,
    option,
)
from mores.tables import FilledTable, formatting, rows_by_key, types_of

PLACES = 5
"""Places, and regions, that a screen shows."""
SHOWN = 20
"""Odd units of a benchmark that a terminal lists; --out and --json have all units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsArgs:
    """Item analysis: difficulty, discrimination, doubtful keys."""

    runs: list[Path] = argument("Folders of finished runs, of any number of models.", MISSING)
    out: Path | None = option("New CSV file of all units, or of the short form.")
    short_form: int | None = option(
        "Choose so many units that stand for all, spread evenly over places and difficulty; for --items of a run.",
        metavar="N",
    )
    json: bool = AS_JSON


def items(typed: ItemsArgs) -> None:
    """Print what is odd about the units of some runs' benchmarks; put all units into a new CSV file where one is named.

    Raises:
        InputError: a folder is no finished run, or the file is there already.
    """
    out = typed.out
    if out is not None:
        refuse_taken(out)
    tables = item_tables(read_unchanged(typed.runs))
    if typed.short_form is not None:
        _short_form(tables, typed.short_form, out)
        return
    filled = filled_of(tables, {each.benchmark: (*each.rows, *each.separate) for each in tables})
    if out is not None:
        write_new(out, _as_csv(filled[0]))
    if typed.json:
        found = {each.table.id: rows_by_key(each.table, each.rows) for each in filled}
        screen.print_json({"runs": [str(run) for run in typed.runs], **found})
        return
    for table in tables:
        _say(table, filled)
    if out is not None:
        screen.line(f"All units: {out}")


def _short_form(tables: Sequence[ItemTable], count: int, out: Path | None) -> None:
    """Write the short form of the one benchmark into a new file.

    Raises:
        InputError: there are several benchmarks, no file is named, or there are not so many units.
    """
    if out is None or len(tables) != 1:
        what = "no --out" if out is None else f"{len(tables)} benchmarks"
        raise InputError(f"--short-form {count}: {what}; expected runs of one benchmark and --out FILE.csv.")
    rows = short_form_of(tables[0], count)
    cells = ([row.item, row.unit, row.place, _cell(row.share)] for row in rows)
    write_new(out, sheet(("item", "unit", "place", "share"), ([plain_cell(cell) for cell in each] for each in cells)))
    table = tables[0]
    screen.line(f"{len(rows):,} of {len(table.rows):,} {table.unit} of {table.benchmark}: {out}")
    screen.line(f"Next: mores run {table.benchmark} --items {out}; then mores report it beside these runs, with --out.")


def _say(table: ItemTable, filled: Sequence[FilledTable]) -> None:
    screen.heading(f"{table.benchmark} · {table.metric}")
    if table.simulated:
        screen.line(formatting.SIMULATED)
    screen.line(summary(table))
    if table.left_out:
        screen.line(f"Left out, because they differ in more than the model: {table.left_out} runs.")
    blocks = (*odd_blocks(filled[0], table, SHOWN), *place_blocks(filled[2], table, PLACES))
    show(part for block in blocks for part in block_parts(block, SHOWN))
    if len(table.suspects) > SHOWN:
        screen.line(f"The {SHOWN} oddest of {len(table.suspects):,}; --out FILE.csv has all.")


def _as_csv(units: FilledTable) -> bytes:
    rows = rows_by_key(units.table, units.rows)
    return sheet(tuple(types_of(units.table)), ([_cell(value) for value in row.values()] for row in rows))


def _cell(value: Any) -> str:
    """A value in a spreadsheet; the parts of a unit's name stand apart."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return plain_cell("; ".join(value))
    return plain_cell(value.replace("\x1f", " ")) if isinstance(value, str) else "" if value is None else f"{value:.6g}"
