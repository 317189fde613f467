"""Which program wrote a log, told by its content, and its replies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from mores.core.codec import parse_json, parse_lines
from mores.core.errors import InputError
from mores.models.batch.results import READERS, Outcome
from mores.models.completion import read_reply
from mores.models.logs import every_eval_ever, helm, inspect_log, lm_eval
from mores.models.logs.row import Log, Logged, item_and_sample
from mores.models.request import CallFailed

Row = Mapping[str, object]
LINES = frozenset({".jsonl", ".ndjson"})


class Layout(NamedTuple):
    """A format: its name, how it is told, and how its replies are read."""

    name: str
    fits: Callable[[Row], bool]
    read: Callable[[Row, str], Iterator[Logged]]


def _draws(read: Callable[[Row, str], Outcome], row: Row, where: str) -> Iterator[Logged]:
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
    Layout(inspect_log.NAME, lambda whole: {"eval", "samples", "status"} <= whole.keys(), inspect_log.read_whole),
    Layout(helm.NAME, lambda whole: "request_states" in whole, helm.read_whole),
)
ROWS = (
    Layout(lm_eval.NAME, lambda row: {"doc_id", "resps"} <= row.keys(), lm_eval.read_row),
    Layout(
        every_eval_ever.NAME,
        lambda row: {"sample_id", "interaction_type", "input"} <= row.keys(),
        every_eval_ever.read_row,
    ),
    *(Layout(name, fits, partial(_draws, read)) for name, fits, read in READERS),
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
