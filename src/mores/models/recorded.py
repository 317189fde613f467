"""Outputs made elsewhere, played back: `recorded/FILE`, CSV or JSON Lines.

Columns are `item` and `reply`, and where they apply `sample`, `role` and `step`. A missing row is a failed call
(ungraded), an empty string is what the subject said (a graded zero).
"""

import csv
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mores.core.codec import parse_json, read_text
from mores.core.errors import InputError
from mores.models.completion import apart
from mores.models.local import Local
from mores.models.request import CallFailed, Reply, Request

LONGEST_CELL = 1 << 27
COLUMNS = ("item", "reply", "sample", "role", "step")


class Place(NamedTuple):
    """Where in a run a recorded reply belongs."""

    item: str
    sample: int
    role: str
    step: int


class Recorded(Local):
    """A model that says what a file says it said."""

    sealed = False
    by_item = True
    simulated = False

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        path = Path(spec.removeprefix("recorded/"))
        text = read_text(path)
        self.identity = f"recorded.v1 {hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self._replies = read_replies(text, path)
        self._path = path

    async def reply(self, request: Request) -> Reply:
        """The recorded words.

        Raises:
            CallFailed: the file has no such row.
        """
        tag = request.tag
        text = self._replies.get(Place(tag.item, tag.sample, tag.role, tag.step))
        if text is None:
            raise CallFailed("no recorded reply", f"{self._path} has no row for {tag.item}")
        answer, thinking = apart(text)
        return Reply(text=answer, reasoning=thinking, model=self.spec)

    def items(self) -> set[str]:
        """Ids of the items that the file speaks of."""
        return {place.item for place in self._replies}


def read_replies(text: str, path: Path) -> dict[Place, str]:
    """Recorded replies of a file by their place in the run.

    Raises:
        InputError: the file is empty, lacks a column, has an unknown one, or has two rows for one place.
    """
    rows = _json_rows(text, path) if path.suffix in {".jsonl", ".ndjson"} else _csv_rows(text, path)
    replies: dict[Place, str] = {}
    for number, row in rows:
        where = f"{path}:{number}"
        place = _place(row, where)
        if place in replies:
            raise InputError(f"{where}: a second reply for item '{place.item}', sample {place.sample}; expected one.")
        replies[place] = _reply(row, where)
    if not replies:
        raise InputError(f"{path}: no rows; expected columns item and reply (and sample, role, step).")
    return replies


def _place(row: dict[str, object], where: str) -> Place:
    unknown = sorted(set(row) - set(COLUMNS))
    if unknown or not {"item", "reply"} <= set(row):
        raise InputError(f"{where}: columns are {sorted(row)}; expected item and reply (and sample, role, step).")
    try:
        sample, step = int(str(row.get("sample") or 0)), int(str(row.get("step") or 0))
    except ValueError as error:
        raise InputError(f"{where}: sample and step are whole numbers ({error}).") from error
    item = row["item"]
    if not isinstance(item, str | int) or not str(item).strip():
        raise InputError(f"{where}: item is {item!r}; expected the id of an item.")
    return Place(str(item), sample, str(row.get("role") or "subject"), step)


def _reply(row: dict[str, object], where: str) -> str:
    reply = row["reply"]
    if not isinstance(reply, str):
        raise InputError(f"{where}: reply is {reply!r}; expected text (leave the row out where there is none).")
    return reply


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row = parse_json(line, where=f"{path}:{number}")
            if not isinstance(row, dict):
                raise InputError(f"{path}:{number}: expected an object with item and reply.")
            yield number, row


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if len(set(reader.fieldnames or ())) < len(reader.fieldnames or ()):
            raise InputError(f"{path}: two columns have one name ({', '.join(reader.fieldnames or ())}).")
        for row in reader:
            if None in row or None in row.values():
                raise InputError(f"{path}:{reader.line_num}: not as many cells as the header has columns.")
            yield reader.line_num, dict(row)
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV ({error}).") from error
