"""Norms: how a norm is asked about, what follows from the answers, and what is exported."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.benchmarks.data_tables import DataRow, filled, read_table
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.norms.pack import PackNorm, load_pack
from mores.norms.places import find
from mores.studio.flows.fields import ChoiceField, ChoiceOption, PostedForm, read_posted
from mores.studio.flows.flow import EVERY_ANSWER, ExportFormat, Flow, FlowOutcome, tables
from mores.studio.flows.norms.answers import LETTERS, NormScene, NormWords, Step, answer, read_words, sheet, step_of
from mores.studio.flows.norms.votes import counted, ladder_rows, norm_rows, opinion_rows, surveys_of
from mores.studio.models import Project, Role
from mores.studio.place_names import in_order, place_name
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.records import ItemRecord

COLUMNS = ("id", "place", "statement")
BUNDLED = "pack"


def rows(path: Path, columns: Sequence[str]) -> Iterator[DataRow]:
    """The norms of a pack (`pack` is the bundled one), of one file of it, or of a table.

    Raises:
        InputError: the pack or the table cannot be read.
    """
    # A file or folder of this name goes before the bundled pack.
    bundled = str(path) == BUNDLED and not path.exists()
    if bundled or path.is_dir() or path.suffix == ".toml":
        entries = load_pack(None if bundled else path).norms
        return (
            DataRow(f"{path}: {each.norm.id}", number, _cells(each)) for number, each in enumerate(entries, start=1)
        )
    return read_table(path, columns)


def _cells(entry: PackNorm) -> dict[str, str]:
    norm, know, judge, explain = entry.norm, entry.know[0], entry.judge[0], entry.explain
    return {
        "id": norm.id,
        "place": norm.place,
        "statement": norm.statement,
        "subgroup": norm.subgroup or "",
        "know_question": know.question,
        **{f"know_{letter}": option.text for letter, option in zip(LETTERS, know.options, strict=False)},
        "judge_story": judge.story,
        "judge_question": judge.question,
        "explain_story": "" if explain is None else explain.story,
        "explain_question": "" if explain is None else explain.question,
    }


def read(row: DataRow, _project: Project) -> NewItem:
    """The first step of a norm: its questions, or the norm where it has none."""
    cells = {name: cell.strip() for name, cell in row.cells.items()}
    name, place, statement = (filled(row, column).strip() for column in COLUMNS)
    words = NormWords(
        id=name,
        place=find(place, where=row.where).id,
        statement=statement,
        subgroup=cells.get("subgroup", ""),
        know=cells.get("know_question", ""),
        options=tuple(text for letter in LETTERS if (text := cells.get(f"know_{letter}", ""))),
        judge=_scene(cells, "judge"),
        explain=_scene(cells, "explain"),
    )
    if bool(words.know) != bool(words.options):
        raise InputError(f"{row.where}: know_question and know_a to know_d go together; expected both or neither.")
    return item_of(words, "questions" if words.asks else "norm")


def item_of(words: NormWords, step: Step) -> NewItem:
    """One step of a norm as an item."""
    return NewItem(key=f"{step} {words.id}", payload=words.payload(step), region=words.place)


def _scene(cells: dict[str, str], rung: str) -> NormScene:
    return NormScene(story=cells.get(f"{rung}_story", ""), question=cells.get(f"{rung}_question", ""))


@methods("GET", "POST")
def bring_in(request: HttpRequest, project: Project) -> HttpResponse:
    """Choose places of the bundled pack; their norms become items, those that are there already are passed over."""
    if project.flow != "norms":
        raise Http404(project.flow)
    field = _field()
    read_ = {} if request.method != "POST" else read_posted((field,), dict(request.POST.lists()))
    if not isinstance(read_, PostedForm):
        words = {"project": project, "fields": [field], "problems": read_, "values": {}}
        return render(request, "norms/bundled.html", words, status=422 if read_ else 200)
    chosen = read_.values["places"]
    items = [read(row, project) for row in rows(Path(BUNDLED), COLUMNS)]
    wanted = [item for item in items if isinstance(chosen, list) and item.region in chosen]
    added = add_items(project, wanted, who=account_of(request).pk, file=BUNDLED)
    message = _("%(new)d new norms; %(known)d were there already.") % {"new": added.new, "known": added.known}
    messages.success(request, message)
    return redirect("project", slug=project.slug)


def _field() -> ChoiceField:
    norms = Counter(entry.norm.place for entry in load_pack().norms)
    known = in_order((each, place_name(each)) for each in norms)
    options = tuple(ChoiceOption(value=each, label=f"{name} ({norms[each]})", of_item=False) for each, name in known)
    return ChoiceField(name="places", legend=_("Norms of which places?"), options=options, several=True)


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """After its questions a norm is shown; what people say of it is counted, and keeps it whatever they say."""
    if step_of(item.payload) == "questions":
        following = item_of(read_words(item.payload), "norm")
        return FlowOutcome(kept=True, result={"answers": len(item.counted)}, then=following)
    found = counted(item)
    counts = {"agree": found.agree, "depends": found.depends, "disagree": found.disagree, "dont_know": found.dont_know}
    return FlowOutcome(kept=True, result={**counts, "agreement": found.agreement})


def write_norms(_project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """Opinions of people on norms, and their answers before: tables, and `agreement.jsonl` for a pack."""
    work = [item for item in items if item.kind == "work"]
    return (
        tables("norms", norm_rows(work))
        | tables("opinions", opinion_rows(work))
        | tables("people", ladder_rows(work))
        | {"agreement.jsonl": encode_lines(surveys_of(work))}
    )


FLOW = Flow(
    name="norms",
    title=gettext_lazy("Check norms"),
    read=read,
    columns=COLUMNS,
    rows=rows,
    sheet=sheet,
    answer=answer,
    outcome=outcome,
    exports={
        "norms": ExportFormat(title=gettext_lazy("Agreement and answers"), write=write_norms),
        "answers": EVERY_ANSWER,
    },
    routes=(path("norms", in_project(Role.OWNER)(bring_in), name="norms"),),
    home="norms/home.html",
)
