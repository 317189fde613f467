"""Tables for spreadsheets, as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence


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
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r" and cell[:1] else cell
