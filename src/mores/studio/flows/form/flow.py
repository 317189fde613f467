"""Form: items of any table, asked about by the form file of the project."""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext_lazy

from mores.benchmarks.data_tables import DataRow, filled
from mores.core.errors import InputError
from mores.studio.flows.fields import ChoiceField, ItemForm
from mores.studio.flows.flow import EVERY_ANSWER, ExportFormat, Flow, FlowOutcome, Payload
from mores.studio.flows.form.answers import figures, write
from mores.studio.flows.form.form_file import form_of_cells, refuse_cells
from mores.studio.flows.form.project_forms import FORM, cells_of, check_form, form_of
from mores.studio.flows.form.views import ROUTES
from mores.studio.flows.labels import check_settings, place_of
from mores.studio.models import Project
from mores.studio.work.items import NewItem
from mores.studio.work.records import ItemRecord


def read(row: DataRow, project: Project) -> NewItem:
    """The cells of a row that the project's form shows or asks about."""
    form = form_of(project)
    if form is None:
        raise InputError(f"{row.where}: the project has no form yet; save one on its page 'Form', then import.")
    missing = [column for column in form.columns if column not in row.cells]
    if missing:
        raise InputError(f"{row.where}: no column '{missing[0]}'; the form wants {', '.join(form.columns)}.")
    cells = {column: row.cells[column].strip() for column in form.columns}
    refuse_cells(form, cells, row.where)
    place = row.cells.get("place", "").strip()
    return NewItem(
        key=filled(row, "id").strip(), payload={"place": place, "cells": cells},
        region=place_of(place, project, row.where),
    )  # fmt: skip


def own_columns(project: Project) -> tuple[str, ...]:
    """Columns that the project's form shows or asks about; none before it has a form."""
    form = form_of(project)
    return () if form is None else form.columns


def sheet(payload: Payload, project: Project) -> ItemForm:
    """Form of an item by the form of its project; nothing in a project that has no form yet."""
    form = form_of(project)
    return ItemForm(passages=(), fields=()) if form is None else form_of_cells(form, cells_of(payload))


def outcome(project: Project, item: ItemRecord) -> FlowOutcome:
    """Votes for each question that has options; every item stays in the data."""
    fields = [each for each in sheet(item.payload, project).fields if isinstance(each, ChoiceField)]
    return FlowOutcome(kept=True, result={"votes": {each.name: _votes(each, item) for each in fields}})


def _votes(field: ChoiceField, item: ItemRecord) -> dict[str, int]:
    given = [answer.answer.get(field.name) for answer in item.counted]
    votes = Counter(value for one in given for value in (one if isinstance(one, list) else [one]))
    return {option.value: votes[option.value] for option in field.options if votes[option.value]}


def check(settings: Mapping[str, object], questions: Sequence[object]) -> None:
    """Refuse settings of another kind, a text that is no form, and questions beside the form's.

    Raises:
        InputError: one of them is there.
    """
    check_settings(settings)
    if questions:
        raise InputError(f"questions: got {len(questions)}; expected none, the form asks.")
    if FORM in settings:
        check_form(settings[FORM])


FLOW = Flow(
    name="form",
    title=gettext_lazy("Answer a form of your own"),
    read=read,
    columns=("id",),
    own_columns=own_columns,
    sheet=sheet,
    outcome=outcome,
    check=check,
    figures=figures,
    adjudicated=True,
    routes=ROUTES,
    home="form/home.html",
    own_settings=(FORM,),
    exports={
        "answers": ExportFormat(title=gettext_lazy("Answers, a line a question and person"), write=write),
        "every-answer": EVERY_ANSWER,
    },
)
