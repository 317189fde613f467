"""Items out of a file, read by the project's flow: all of them are stored, or none."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

import msgspec

from mores.benchmarks.data_tables import DataRow
from mores.core.errors import InputError
from mores.pipelines.review_sheets import KEY
from mores.studio.flows.check_items import with_expected
from mores.studio.flows.flow import Flow, flow_named
from mores.studio.models import ItemKind, Project
from mores.studio.work.items import CLUSTER, LONGEST_KEY, ImportCounts, KeyTaken, NewItem, add_items

MOST = 20_000
LONGEST = 100_000  # dialogues are long
SPREADSHEETS = {".xlsx", ".xlsm", ".xls", ".ods", ".numbers"}


def import_file(
    project: Project, path: Path, *, who: int | None = None, key: Path | None = None, sample: int = 0, called: str = ""
) -> ImportCounts:
    """Store the items of a CSV or JSON Lines file; those that are there with the same words are passed over.

    Of a folder that mores wrote, the sheet or work list in it, and the key beside it.

    Args:
        project: Where they go.
        path: The file, or the folder.
        who: Number of the account that imports it.
        key: What the items are and should be.
        sample: How many groups of them are taken, stratified by place; 0 for all.
        called: Name of the file where people look back at it; that of the path where it is empty.

    Raises:
        InputError: a row cannot be read, or a key is taken by other words; the line names the row.
    """
    flow = flow_named(project.flow)
    if path.suffix.lower() in SPREADSHEETS:
        raise InputError(f"{path}: a spreadsheet; expected CSV or JSON Lines. Save it as CSV (UTF-8), and import that.")
    if not flow.columns:
        raise InputError(f"{project.slug}: items of the flow {flow.name} are written in the studio, not imported.")
    if flow.files and path.is_dir():
        path, key = _in_folder(flow, path, key)
    read: list[NewItem] = []
    for row in flow.rows(path, flow.columns):
        if len(read) == MOST:
            raise InputError(f"{path}: more than {MOST:,} rows; split it into parts.")
        read.append(_item(flow, row, project))
    items = list(_with_key_facts(flow, read, key))
    twice = [key for key, count in Counter(item.key for item in items).items() if count > 1]
    if twice:
        raise InputError(f"{path}: the key '{twice[0]}' stands twice; expected each once.")
    try:
        taken = _by_place(items, sample)
        return add_items(project, taken, who=who, state=flow.begins, file=called or path.name)
    except KeyTaken as known:
        raise InputError(
            f"{path}: '{known}' is in the project with other words; give it another key, or leave it out."
        ) from known


def _in_folder(flow: Flow, folder: Path, key: Path | None) -> tuple[Path, Path | None]:
    found = [folder / name for name in flow.files if (folder / name).is_file()]
    if not found:
        raise InputError(f"{folder}: nothing to take in there; expected {' or '.join(flow.files)}.")
    folder_key = folder / KEY
    return found[0], folder_key if key is None and folder_key.is_file() else key


def _item(flow: Flow, row: DataRow, project: Project) -> NewItem:
    """The item of a row, within what the database stores and a page shows."""
    for column, text in row.cells.items():
        if "\x00" in text:
            raise InputError(f"{row.where}: it has a NUL, which no database stores; take it out.")
        if len(text) > LONGEST:
            raise InputError(f"{row.where}: {column} has {len(text):,} characters; expected at most {LONGEST:,}.")
    item = with_expected(flow.read(row, project), row, lambda item: flow.sheet(item.payload, project))
    if len(item.key) > LONGEST_KEY:
        raise InputError(f"{row.where}: an id has {len(item.key)} characters; expected at most {LONGEST_KEY}.")
    return item


def _with_key_facts(flow: Flow, items: Sequence[NewItem], key: Path | None) -> Iterator[NewItem]:
    """The items with what the key says of them."""
    if key is not None and flow.seals is None:
        raise InputError(f"{key}: items of the flow {flow.name} have no key; leave it out.")
    facts = {} if key is None or flow.seals is None else flow.seals(key)
    for item in items:
        if facts and item.kind == ItemKind.WORK and item.key not in facts:
            raise InputError(f"{key}: the key has no '{item.key}'; expected the key of the same build.")
        known = {**(item.key_facts or {}), **facts.get(item.key, {})}
        yield msgspec.structs.replace(item, key_facts=known or None)


def _by_place(items: Sequence[NewItem], groups: int) -> list[NewItem]:
    """The items of so many groups (0 for all), drawn place by place in turn, within a place by the hash of their names.

    A group is what the key names as drawn together, such as the pairs of one question; without a key an item is one.
    The same file gives the same part, and a larger part holds a smaller one. Training and attention checks are no
    groups and always stay.
    """
    if not groups:
        return list(items)
    places: dict[str, dict[str, list[NewItem]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.kind == ItemKind.WORK:
            group = str((item.key_facts or {}).get(CLUSTER, item.key))
            places[str(item.payload.get("place", item.region))][group].append(item)
    orders = [[drawn for _, drawn in sorted(found.items(), key=_draw_order)] for _, found in sorted(places.items())]
    turns = [drawn for turn in zip_longest(*orders) for drawn in turn if drawn is not None]
    return [*(item for item in items if item.kind != ItemKind.WORK), *chain.from_iterable(turns[:groups])]


def _draw_order(group: tuple[str, list[NewItem]]) -> str:
    # By a hash, not a random draw: the same file gives the same sample, and a larger one holds the smaller.
    return hashlib.sha256(f"sample {group[0]}".encode()).hexdigest()
