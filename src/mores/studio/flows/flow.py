"""Interface of a flow, and the registry.

A folder `flows/NAME/` with a `flow.py` that has a `FLOW` is all that a new one needs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import msgspec
from django import forms
from django.urls import URLPattern
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from mores.benchmarks.data_tables import DataRow, read_table
from mores.core.codec import encode_lines
from mores.core.errors import UnknownName
from mores.core.table import plain_cell, sheet
from mores.stats.cluster_sums import MeasuredFigure
from mores.studio.flows.fields import ItemForm, Posted, PostedForm, Problems, read_posted
from mores.studio.models import ItemState, Project
from mores.studio.work.items import NewItem
from mores.studio.work.records import ItemRecord

Payload = Mapping[str, object]
Seals = Mapping[str, Mapping[str, object]]
"""What items are and should be, by their keys."""
LazyText = str | Promise
"""Words for people, translated when they are shown."""


class FlowOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of an item that has all its answers.

    Attributes:
        kept: False drops the item; `result` then has the `reason`.
        result: Plain JSON values; stored, and exported.
        forward: The words that go on to the project which this one feeds; None for nothing.
        then: The item that comes next in this project; None for nothing.
    """

    kept: bool
    result: Mapping[str, object]
    forward: Payload | None = None
    then: NewItem | None = None


class ExportFormat(msgspec.Struct, frozen=True, kw_only=True):
    """One way to write a project's items to files."""

    title: LazyText
    write: Callable[[Project, Sequence[ItemRecord]], dict[str, bytes]]


class FlowMetric(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that a flow makes of what is answered so far, with its interval and the number it is of."""

    name: LazyText
    about: str = ""  # what it is of, in the words of the item or of the form
    measured: MeasuredFigure
    n: int
    share: bool = True  # told in percent; False for a coefficient


def no_row(row: DataRow, project: Project) -> NewItem:
    """For flows whose items are written in the studio."""
    raise NotImplementedError(row.where, project)


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of work.

    Attributes:
        name: Name of its folder.
        title: What people call it.
        read: An item of an imported row; raises InputError, with the place, where there is none.
        columns: Columns that an imported file has to have.
        own_columns: Columns that it has to have besides in one project.
        rows: The rows of an imported file, which have these columns; of a table where a flow says nothing else.
        sheet: What a person sees of an item.
        answer: The answer in what was posted, or what is wrong with it.
        outcome: What follows once an item has all its answers; a pure function.
        exports: The ways to export, by name; the first is the default.
        routes: Pages of its own, at `p/SLUG/`; their views are wrapped by `web.access.in_project`.
        forwards_to: Flows that can read what its outcomes and decisions forward.
        begins: The state of items that come in: waiting where a curator comes first.
        home: Template shown on the project's page for this flow, empty for none.
        files: Names under which a folder holds its file; the first that is there is taken.
        seals: What the key beside a file says of its items; None where there is no such key.
        check: Refuses settings and questions of a project that the flow cannot read, by an InputError.
        settings_form: Its settings as fields, made with `project=`; what is cleaned is stored by the field's name.
        figures: What is told of the answers so far beside how far people agree.
        adjudicated: Whether somebody may decide where people differ.
        own_settings: Settings that a page of the flow's own changes, not the page "Settings".
    """

    name: str
    title: LazyText
    sheet: Callable[[Payload, Project], ItemForm]
    outcome: Callable[[Project, ItemRecord], FlowOutcome]
    exports: Mapping[str, ExportFormat]
    read: Callable[[DataRow, Project], NewItem] = no_row
    columns: tuple[str, ...] = ()
    own_columns: Callable[[Project], tuple[str, ...]] = lambda _project: ()
    rows: Callable[[Path, Sequence[str]], Iterable[DataRow]] = read_table
    answer: Callable[[ItemForm, Posted], PostedForm | Problems] = lambda sheet, posted: read_posted(
        sheet.fields, posted
    )
    routes: tuple[URLPattern, ...] = ()
    forwards_to: frozenset[str] = frozenset()
    begins: ItemState = ItemState.OPEN
    home: str = ""
    files: tuple[str, ...] = ()
    seals: Callable[[Path], Seals] | None = None
    check: Callable[[Mapping[str, object], Sequence[object]], None] = lambda _settings, _questions: None
    settings_form: Callable[..., forms.Form] | None = None
    figures: Callable[[Project, Sequence[ItemRecord]], Sequence[FlowMetric]] | None = None
    adjudicated: bool = False
    own_settings: tuple[str, ...] = ()


def tables(name: str, rows: Sequence[Mapping[str, object]]) -> dict[str, bytes]:
    """Rows of the same columns as two files: CSV that no spreadsheet takes for formulas, and JSON Lines as they are."""
    columns = tuple(rows[0]) if rows else ()
    cells = ([plain_cell("" if row[column] is None else str(row[column])) for column in columns] for row in rows)
    return {
        f"{name}.csv": sheet(columns, cells, encoding="utf-8"),
        f"{name}.jsonl": encode_lines(rows),
    }


EVERY_ANSWER = ExportFormat(
    title=gettext_lazy("Every answer"), write=lambda _project, items: {"items.jsonl": encode_lines(items)}
)
"""Every item with its answers, one a line."""


@cache
def flows() -> dict[str, Flow]:
    """All flows, by name."""
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*/flow.py"))
    found: dict[str, Flow] = {name: import_module(f"mores.studio.flows.{name}.flow").FLOW for name in names}
    return found


def flow_named(name: str) -> Flow:
    """The flow of this name.

    Raises:
        UnknownName: there is none.
    """
    if name not in flows():
        raise UnknownName("flow", name, flows())
    return flows()[name]
