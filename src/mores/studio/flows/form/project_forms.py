"""Form of a project: text in its settings, which changes only while nobody has answered."""

from collections.abc import Mapping
from typing import cast

from mores.core.errors import InputError
from mores.studio.flows.form.form_file import Cells, TaskForm, read_form, refuse_cells
from mores.studio.models import ItemVersion, Project, Response
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

FORM = "form"
FILE = "form.toml"


def form_text(project: Project) -> str:
    """Text of a project's form, "" where it has none yet."""
    return str(project.settings.get(FORM, ""))


def form_of(project: Project) -> TaskForm | None:
    """Form of a project, None where it has none yet."""
    text = form_text(project)
    return read_form(text, where=FILE) if text else None


def cells_of(payload: Mapping[str, object]) -> Cells:
    """The cells in an item's words."""
    return cast(Cells, payload["cells"])


def check_form(text: object) -> None:
    """Nothing, where it is the text of a form.

    Raises:
        InputError: it is none.
    """
    if not isinstance(text, str):
        raise InputError(f"form: got {type(text).__name__}; expected the text of a form file.")
    read_form(text, where=FILE)


def set_form(project: Project, text: str, *, where: str = FILE, who: int | None = None) -> None:
    """Give a project its form, or another one while nobody has answered and every item can be asked about by it.

    Raises:
        InputError: it is no form, answers are stored, or an item lacks what it shows.
    """
    form = read_form(text, where=where)
    with writing() as now:
        held = Project.objects.select_for_update().get(pk=project.pk)
        if form_text(held) == text:
            return
        answers = Response.objects.filter(assignment__project=held).count()
        if answers:
            raise InputError(
                f"{where}: {answers} answers to the form before are stored; expected none. Make another project for it."
            )
        for key, payload in ItemVersion.objects.filter(item__project=held).values_list("item__key", "payload"):
            _refuse_item(form, cells_of(payload), f"{where}: item {key}")
        held.settings = {**held.settings, FORM: text}
        held.save(update_fields=["settings"])
        record(held.pk, "form", {"asks": [each.name for each in form.ask]}, who=who, at=now)
    project.settings = held.settings


def _refuse_item(form: TaskForm, cells: Cells, where: str) -> None:
    missing = [column for column in form.columns if column not in cells]
    if missing:
        raise InputError(f"{where}: no column '{missing[0]}'; expected {', '.join(cells)}, which were imported.")
    refuse_cells(form, cells, where)
