"""`mores items`: what the models of finished runs say of the items themselves."""

from collections.abc import Sequence

from mores.analysis.items import ItemRow, ItemTable, item_tables
from mores.blocks import formatting
from mores.cli import screen
from mores.cli.typed_again import TypedItems
from mores.core.files import refuse_taken, write_new
from mores.core.sheets import plain_cell, sheet
from mores.reports.sections.items import plain_row, plain_table, summary
from mores.runs.loading import read_unchanged

SHOWN = 20
"""Odd units of a benchmark that a terminal lists; --out and --json have all units."""
COLUMNS = (
    "benchmark", "unit", "item", "part", "place", "models", "share", "right", "wrong", "rest", "p_negative", "key",
    "keyed", "rival", "rival_models", "rival_p", "odd", "flags",
)  # fmt: skip


def items(typed: TypedItems) -> None:
    """Print what is odd about the units of some runs' benchmarks; put all units into a new CSV file where one is named.

    Raises:
        InputError: a folder is no finished run, or the file is there already.
    """
    out = typed.out
    if out is not None:
        refuse_taken(out)
    tables = item_tables(read_unchanged(typed.runs))
    if out is not None:
        write_new(out, _as_csv(tables))
    if typed.json:
        benchmarks = {t.benchmark: {**plain_table(t), "rows": [plain_row(row) for row in t.rows]} for t in tables}
        screen.print_json({"runs": [str(run) for run in typed.runs], "benchmarks": benchmarks})
        return
    for table in tables:
        _say(table)
    if out is not None:
        screen.line(f"All units: {out}")


def _say(table: ItemTable) -> None:
    screen.heading(f"{table.benchmark} · {table.metric}")
    if table.simulated:
        screen.line(formatting.SIMULATED)
    screen.line(summary(table))
    if table.left_out:
        screen.line(f"Left out, because they differ in more than the model: {table.left_out} runs.")
    if table.suspects:
        screen.table(("item", "right", "n", "rest", "key", "others", "why"), map(_row, table.suspects[:SHOWN]))
    if len(table.suspects) > SHOWN:
        screen.line(f"The {SHOWN} oddest of {len(table.suspects):,}; --out FILE.csv has all.")


def _row(row: ItemRow) -> tuple[object, ...]:
    rival = row.rival
    told = [flag.value for flag in row.flags] + [f"{odd.family} {odd.p_adjusted:.3f}" for odd in row.odd]
    return (
        f"{row.item} {row.part}".strip(),
        formatting.format_number(row.share),
        row.models,
        formatting.DASH if row.rest is None else f"{row.rest:.2f}",
        f"{rival.key} {rival.keyed}" if rival else formatting.DASH,
        f"{rival.label} {rival.models}" if rival else formatting.DASH,
        "; ".join(told),
    )


def _as_csv(tables: Sequence[ItemTable]) -> bytes:
    return sheet(COLUMNS, (_cells(table, row) for table in tables for row in table.rows))


def _cells(table: ItemTable, row: ItemRow) -> list[str]:
    rival = row.rival
    numbers = (row.models, row.share, row.right, row.wrong, row.rest, row.p_negative)
    words = (table.benchmark, row.unit.replace("\x1f", " "), row.item, row.part, row.place)
    other = (rival.key, rival.keyed, rival.label, rival.models, rival.p) if rival else ("",) * 5
    odd = "; ".join(f"{each.family} {'' if each.delta is None else format(each.delta, '.2f')}" for each in row.odd)
    return [
        *map(plain_cell, words),
        *("" if number is None else f"{number:.6g}" for number in numbers),
        *(plain_cell(each) if isinstance(each, str) else f"{each:.6g}" for each in other),
        plain_cell(odd),
        "; ".join(row.flags),
    ]
