"""Tables for spreadsheets, as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""How a cell begins that a spreadsheet may run; the last four are what it takes for the first in some countries."""


def sheet(columns: Sequence[str], rows: Iterable[Iterable[object]], *, encoding: str = "utf-8-sig") -> bytes:
    """A header and rows; by default with the mark by which a spreadsheet knows that it is UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode(encoding)


def sheet_for_people(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A header and rows of words that others wrote, none of which a spreadsheet takes for a formula."""
    return sheet(columns, (map(plain_cell, row) for row in rows), encoding="utf-8")


def plain_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: it has an apostrophe before it, which `bare_cell` takes off.

    >>> plain_cell("=1+1"), plain_cell("one"), plain_cell("'=1+1")
    ("'=1+1", 'one', "''=1+1")
    """
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA) else cell


def bare_cell(cell: str) -> str:
    """What stood in a cell before it was guarded.

    >>> bare_cell("'=1+1"), bare_cell("'tis"), bare_cell("=1+1")
    ('=1+1', "'tis", '=1+1')
    """
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell
