"""Runs written for other programs: tables, a table and figures for a paper, and the formats of neighbours."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from mores.analysis.results import Results
from mores.api.frames import Frame
from mores.api.tables import results_frame
from mores.core.errors import UnknownName
from mores.core.extras import needed
from mores.core.files import is_just, refuse_taken, sweep, write_new
from mores.exports import ExportedFiles
from mores.exports.every_eval_ever import every_eval_ever
from mores.exports.figures import figures
from mores.exports.inspect_log import inspect_logs
from mores.exports.latex import latex_table
from mores.reports.sections_list import tables_of

EXPORTED = ("estimates", "scores", "items", "transcripts", "verdicts")
"""Tables that are written; calls hold the same words as transcripts, and stay in the journal."""


def export(results: Results, to: str, out: Path) -> ExportedFiles:
    """Write runs for another program into a folder, over nothing that is there.

    An export that was cut short is completed: what it has written already, with just these bytes, stays.

    Raises:
        UnknownName: there is no such format.
        InputError: a file of that name is there already.
        StorageError: the disk is full or cannot be written.
    """
    if to not in FORMATS:
        raise UnknownName("format", to, FORMATS, where="--to", todo=f"Known are {', '.join(FORMATS)}.")
    made = FORMATS[to](results)
    left = {name: data for name, data in made.files.items() if not is_just(out / name, data)}
    for name in left:
        refuse_taken(out / name)
    for name in made.files:
        sweep(out / name)
    for name, data in left.items():
        write_new(out / name, data)
    return made


def _csv(results: Results) -> ExportedFiles:
    return ExportedFiles(files={f"{each.name}.csv": each.to_csv().encode() for each in _tables(results)})


def _parquet(results: Results) -> ExportedFiles:
    return ExportedFiles(files={f"{each.name}.parquet": _as_parquet(each) for each in _tables(results)})


def _as_parquet(frame: Frame) -> bytes:
    parquet: Any = needed("pyarrow.parquet")
    out = BytesIO()
    parquet.write_table(frame.to_arrow(), out)
    return out.getvalue()


def _tables(results: Results) -> list[Frame]:
    analyses = (Frame.of_table(filled) for filled in tables_of(results).values() if filled.rows)
    return [*(results_frame(name, results.evaluations) for name in EXPORTED), *analyses]


FORMATS: dict[str, Callable[[Results], ExportedFiles]] = {
    "csv": _csv,
    "parquet": _parquet,
    "latex": latex_table,
    "figures": figures,
    "every-eval-ever": every_eval_ever,
    "inspect": inspect_logs,
}
"""How each format is made."""
