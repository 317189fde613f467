"""Label judges: work lists of `mores judge sample` and `mores judge apply`, and the labels they come back with.

What a row is, which model it is of and whether it is for calibration or for testing stands in the sealed record beside
the work list. That record never comes in here, so that nobody who labels, decides or exports can look at it.
"""

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.annotation.sample import ROWS
from mores.annotation.sample import SHEET as WORK_SHEET
from mores.benchmarks.data_tables import DataRow, filled
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.studio.flows.fields import ChoiceOption, ItemForm, Passage, TextField
from mores.studio.flows.flow import EVERY_ANSWER, ExportFormat, Flow, FlowOutcome, Payload
from mores.studio.flows.labels import NOTE, check_settings, counts, label_field, place_of, write_labels
from mores.studio.models import Project
from mores.studio.work.items import NewItem
from mores.studio.work.records import ItemRecord

BETWEEN, POINTS = " | ", "0 to 1"
"""What parts the options in a sheet's cell, and what stands there where points are asked for."""
STEPS = tuple(f"{step / 10:g}" for step in range(11))


def read(row: DataRow, project: Project) -> NewItem:
    """One thing to judge: its words and options, and nothing else of its row."""
    task, place = filled(row, "task").strip(), row.cells.get("place", "").strip()
    payload = {"task": task, "place": place, "words": filled(row, "words"), "options": _options(row)}
    return NewItem(key=filled(row, "id").strip(), payload=payload, region=place_of(place, project, row.where))


def _options(row: DataRow) -> list[str]:
    """The options of a row of either kind of work list; none where points are asked for."""
    cell = row.cells["options"].strip()
    if cell in {"", POINTS}:
        return []
    options = parse_json(cell, where=row.where) if cell.startswith("[") else cell.split(BETWEEN)
    if not isinstance(options, list) or len({str(each) for each in options}) < max(2, len(options)):
        raise InputError(
            f"{row.where}: options are '{cell}'; expected two or more, such as yes{BETWEEN}no, or {POINTS}."
        )
    return [str(each) for each in options]


def sheet(payload: Payload, _project: Project) -> ItemForm:
    """Question to the judges, word for word, and the answers that they could give."""
    words: list[str] = payload["options"] or []  # type: ignore[assignment]
    options = [ChoiceOption(value=each, label=each) for each in words or STEPS]
    legend = _("Your judgement") if words else _("Your judgement, from 0 to 1")
    asked = msgspec.structs.replace(label_field(legend, options), scale=not words)
    fields = (asked, TextField(name=NOTE, legend=_("A word on it, if you like"), lines=2))
    return ItemForm(passages=(Passage(text=str(payload["words"])),), fields=fields, about=str(payload["task"]))


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """The label of most; everything stays in the data."""
    return FlowOutcome(kept=True, result=counts(item))


FLOW = Flow(
    name="label",
    title=gettext_lazy("Label what judges judged"),
    read=read,
    columns=("id", "task", "words", "options"),
    files=(ROWS, WORK_SHEET),
    sheet=sheet,
    outcome=outcome,
    check=lambda settings, _questions: check_settings(settings),
    adjudicated=True,
    exports={
        "labels": ExportFormat(
            title=gettext_lazy("Labels, for mores judge agreement, sets and correct"), write=write_labels
        ),
        "answers": EVERY_ANSWER,
    },
)
