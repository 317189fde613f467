"""Which program wrote a log, told by its content, and its replies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mores.core.codec import parse_json, parse_lines
from mores.core.errors import InputError
from mores.models.batch import results
from mores.models.logs import every_eval_ever, helm, inspect_log, lm_eval
from mores.models.logs.batches import rows_by
from mores.models.logs.row import Log, Logged

Row = Mapping[str, object]
LINES = frozenset({".jsonl", ".ndjson"})


class Layout(NamedTuple):
    """A format: its name, how it is told, and how its replies are read."""

    name: str
    fits: Callable[[Row], bool]
    read: Callable[[Row, str], Iterator[Logged]]


WHOLES = (
    Layout(inspect_log.NAME, inspect_log.is_inspect, inspect_log.read_whole),
    Layout(helm.NAME, helm.is_helm, helm.read_whole),
)
ROWS = (
    Layout(lm_eval.NAME, lm_eval.is_lm_eval, lm_eval.read_row),
    Layout(every_eval_ever.NAME, every_eval_ever.is_every_eval_ever, every_eval_ever.read_row),
    Layout(results.OPENAI, results.is_openai, rows_by(results.read_openai)),
    Layout(results.ANTHROPIC, results.is_anthropic, rows_by(results.read_anthropic)),
    Layout(results.GEMINI, results.is_gemini, rows_by(results.read_gemini)),
)


def read_zip(path: Path, data: bytes) -> Log:
    """The replies of Inspect's log.

    Raises:
        InputError: it is damaged, or two replies are of one item and draw.
    """
    return _log(path, inspect_log.NAME, inspect_log.read_zip(data, str(path)))


def read_log(path: Path, text: str) -> Log | None:
    """The replies of a log that is text; None where the file is in none of the layouts.

    Raises:
        InputError: it is in one of them, but damaged, or two replies are of one item and draw.
    """
    if path.suffix == ".json":
        return _of_json(path, parse_json(text, where=str(path)))
    if path.suffix in LINES:
        return _of_rows(path, parse_lines(text, where=str(path), expected="an object with item and reply"))
    return None


def _of_json(path: Path, whole: object) -> Log | None:
    if isinstance(whole, list) and all(isinstance(row, dict) for row in whole):
        return _of_rows(path, enumerate(whole, start=1))
    layout = next((each for each in WHOLES if isinstance(whole, dict) and each.fits(whole)), None)
    return _log(path, layout.name, layout.read(whole, str(path))) if layout and isinstance(whole, dict) else None


def _of_rows(path: Path, rows: Iterable[tuple[int, Row]]) -> Log | None:
    """The replies of all rows, where the first is in a layout that is known."""
    numbered = iter(rows)
    first = next(numbered, None)
    layout = first and next((each for each in ROWS if each.fits(first[1])), None)
    if not first or not layout:
        return None
    return _log(path, layout.name, _read_all([first, *numbered], layout, path))


def _read_all(rows: Iterable[tuple[int, Row]], layout: Layout, path: Path) -> Iterator[Logged]:
    for number, row in rows:
        where = f"{path}:{number}"
        if not layout.fits(row):
            raise InputError(f"{where}: not a row of {layout.name}, as the first one is; got {sorted(row)[:6]}.")
        yield from layout.read(row, where)


def _log(path: Path, layout: str, rows: Iterable[Logged]) -> Log:
    """All rows, those that say the same of the same once; a row for each figure or filter is usual."""
    kept: dict[tuple[str, int, str], Logged] = {}
    for row in rows:
        place = row.item, row.sample, row.left_out
        before = kept.setdefault(place, row)
        if (before.reply, before.failed) != (row.reply, row.failed):
            raise InputError(
                f"{row.where}: a second reply for item '{row.item}', sample {row.sample}; expected one "
                f"({layout}; a file is of one model and task)."
            )
    if not kept:
        raise InputError(f"{path}: no replies; expected {layout} of a run that has some.")
    return Log(layout, tuple(kept.values()))
