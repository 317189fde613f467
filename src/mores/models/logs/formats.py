"""Formats of logs, told by their content, and their replies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from mores.core.errors import InputError
from mores.core.table import LINES, OddRow, SourceRow, parse_loosely, scan_table
from mores.models.batch.results import READERS, BatchResult
from mores.models.completion import read_reply
from mores.models.logs import every_eval_ever, helm, inspect_log, lm_eval
from mores.models.logs.logged_reply import Log, Logged, item_and_sample, odd_row, usable
from mores.models.request import CallFailed

LogRow = Mapping[str, object]


class LogFormat(NamedTuple):
    """A format: its name, how it is told, and how its replies are read."""

    name: str
    fits: Callable[[LogRow], bool]
    read: Callable[[LogRow, str], Iterator[Logged]]


def _draws(read: Callable[[LogRow, str], BatchResult], row: LogRow, where: str) -> Iterator[Logged]:
    """A draw for each choice of what came of a request of a batch.

    It repeats no words that were asked, so the name that the request was given has to be the item's, or `ITEM#SAMPLE`.
    """
    came = read(row, where)
    item, first = item_and_sample(came.name)
    if came.completion is None:
        yield Logged(where=where, item=item, sample=first, failed=str(came.failure))
        return
    choices = came.completion.get("choices")
    for sample, one in enumerate(choices if isinstance(choices, list) and choices else [None], start=first):
        body = {**came.completion, "choices": [] if one is None else [one]}
        try:
            reply = read_reply(msgspec.json.encode(body), 0.0)
        except CallFailed as failure:
            yield Logged(where=where, item=item, sample=sample, failed=str(failure))
        else:
            yield Logged(where=where, item=item, sample=sample, reply=reply)


WHOLES = (
    LogFormat(inspect_log.NAME, lambda whole: {"eval", "samples", "status"} <= whole.keys(), inspect_log.read_whole),
    LogFormat(helm.NAME, lambda whole: "request_states" in whole, helm.read_whole),
)
ROWS = (
    LogFormat(lm_eval.NAME, lambda row: {"doc_id", "resps"} <= row.keys(), lm_eval.read_row),
    LogFormat(
        every_eval_ever.NAME,
        lambda row: {"sample_id", "interaction_type", "input"} <= row.keys(),
        every_eval_ever.read_row,
    ),
    *(LogFormat(name, fits, partial(_draws, read)) for name, fits, read in READERS),
)


def read_zip(path: Path, data: bytes) -> Log:
    """The replies of Inspect's log.

    Raises:
        InputError: it is damaged, or nothing in it can be used.
    """
    return _log(path, inspect_log.NAME, inspect_log.read_zip(data, str(path)))


def read_log(path: Path, text: str) -> Log | None:
    """The replies of a log that is text; None where the file is in none of the layouts.

    Raises:
        InputError: it is in one of them, but nothing in it can be used.
    """
    if path.suffix == ".json":
        return _of_json(path, parse_loosely(text, where=str(path)))
    return _of_rows(path, scan_table(path, text)) if path.suffix in LINES else None


def _of_json(path: Path, whole: object) -> Log | None:
    if isinstance(whole, list):
        numbered = enumerate(whole, start=1)
        rows = (SourceRow(f"{path}:{n}", n, row) if isinstance(row, dict) else OddRow(f"{path}:{n}", n, "no object")
                for n, row in numbered)  # fmt: skip
        return _of_rows(path, rows)
    layout = next((each for each in WHOLES if isinstance(whole, dict) and each.fits(whole)), None)
    return _log(path, layout.name, layout.read(whole, str(path))) if layout and isinstance(whole, dict) else None


def _of_rows(path: Path, rows: Iterable[SourceRow | OddRow]) -> Log | None:
    """The replies of all rows, where the first that can be read is in a layout that is known."""
    coming, before = iter(rows), list[SourceRow | OddRow]()
    for row in coming:
        before.append(row)
        if isinstance(row, SourceRow):
            layout = next((each for each in ROWS if each.fits(row.cells)), None)
            return layout and _log(path, layout.name, _read_all(chain(before, coming), layout))
    return None


def _read_all(rows: Iterable[SourceRow | OddRow], layout: LogFormat) -> Iterator[Logged]:
    for row in rows:
        if isinstance(row, OddRow):
            yield odd_row(row.where, row.why)
        elif not layout.fits(row.cells):
            got = sorted(row.cells)[:6]
            yield odd_row(row.where, f"not a row of {layout.name}, as the first one is; got {got}.")
        else:
            try:
                # All of a row or nothing: what is wrong with it may show only at its end.
                yield from list(layout.read(row.cells, row.where))
            except InputError as error:
                yield odd_row(row.where, str(error).removeprefix(f"{row.where}: "))


def _log(path: Path, layout: str, rows: Iterable[Logged]) -> Log:
    """All rows of a log.

    Raises:
        InputError: none of them can be used.
    """
    return Log(layout, usable(rows, path, layout))
