"""Files that any flow can write: tables as CSV and JSON Lines, and every answer as it was given."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext_lazy

from mores.core.codec import encode_lines
from mores.core.table import plain_cell, sheet
from mores.studio.flows.flow import ExportFormat


def tables(name: str, rows: Sequence[Mapping[str, object]]) -> dict[str, bytes]:
    """Rows of the same columns as two files: CSV that no spreadsheet takes for formulas, and JSON Lines as they are."""
    columns = tuple(rows[0]) if rows else ()
    cells = ([plain_cell(str(row[column])) for column in columns] for row in rows)
    return {
        f"{name}.csv": sheet(columns, cells, encoding="utf-8"),
        f"{name}.jsonl": encode_lines(rows),
    }


EVERY_ANSWER = ExportFormat(
    title=gettext_lazy("Every answer"), write=lambda _project, items: {"items.jsonl": encode_lines(items)}
)
"""Every item with its answers, one a line."""
