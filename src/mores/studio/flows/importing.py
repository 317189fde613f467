"""Items out of a file, read by the project's flow: all of them are stored, or none."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from mores.benchmarks.tabular import Row
from mores.core.errors import InputError
from mores.studio.flows.flow import Cells, Flow
from mores.studio.flows.registry import flow_named
from mores.studio.models import Project
from mores.studio.work.items import Added, KeyTaken, NewItem, add_items

MOST = 20_000
LONGEST = 100_000  # dialogues are long
LONGEST_KEY = 120


def import_file(project: Project, path: Path, *, who: int | None = None, name: str = "") -> Added:
    """Store the items of a CSV or JSON Lines file; those that are there with the same words are passed over.

    Args:
        project: Where they go.
        path: The file.
        who: Number of the account that imports it.
        name: What the file is called in messages; its own name where empty.

    Raises:
        InputError: a row cannot be read, or a key is taken by other words; the line names the row.
    """
    flow = flow_named(project.flow)
    if not flow.columns:
        raise InputError(f"{project.slug}: items of the flow {flow.name} are written in the studio, not imported.")
    try:
        items = [_item(flow, row, project) for row in _few(flow.rows(path, flow.columns), path)]
    except InputError as error:
        raise InputError(str(error).replace(str(path), name or str(path))) from None
    twice = [key for key, count in Counter(item.key for item in items).items() if count > 1]
    if twice:
        raise InputError(f"{name or path}: the key '{twice[0]}' stands twice; expected each once.")
    try:
        return add_items(project, items, who=who, state=flow.begins)
    except KeyTaken as taken:
        raise InputError(
            f"{name or path}: '{taken}' is in the project with other words; give it another key, or leave it out."
        ) from taken


def _few(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if number > MOST:
            raise InputError(f"{path}: more than {MOST:,} rows; split it into parts.")
        yield row


def _item(flow: Flow, row: Row, project: Project) -> NewItem:
    """The item of a row, within what the database stores and a page shows."""
    for column, text in row.cells.items():
        if "\x00" in text:
            raise InputError(f"{row.where}: it has a NUL, which no database stores; take it out.")
        if len(text) > LONGEST:
            raise InputError(f"{row.where}: {column} has {len(text):,} characters; expected at most {LONGEST:,}.")
    item = flow.read(Cells(where=row.where, cells=row.cells), project)
    if len(item.key) > LONGEST_KEY:
        raise InputError(f"{row.where}: an id has {len(item.key)} characters; expected at most {LONGEST_KEY}.")
    return item
