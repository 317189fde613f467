"""Write: what is stored of a question, what goes on, and what is exported."""

from collections.abc import Sequence
from typing import Any, cast

from django.urls import path
from django.utils.translation import gettext_lazy

from mores.core.codec import encode
from mores.studio.flows.fields import ItemForm, Passage
from mores.studio.flows.flow import ExportFormat, Flow, FlowOutcome, Payload, tables
from mores.studio.flows.funnel import funnel
from mores.studio.flows.write.curator_views import curate
from mores.studio.flows.write.own_questions import rewrite_question, written
from mores.studio.flows.write.question import LETTERS, forwarded
from mores.studio.flows.write.views import save_text, write
from mores.studio.models import ItemKind, ItemState, Project
from mores.studio.work.records import ItemRecord


def sheet(payload: Payload, _project: Project) -> ItemForm:
    """The question and its options, to read; nothing is asked, since a curator decides."""
    options = cast("list[str]", payload["options"])
    lines = [f"{letter}) {words}" for letter, words in zip(LETTERS, options, strict=False)]
    return ItemForm(passages=(Passage(text="\n".join([str(payload["question"]), *lines])),), fields=())


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """Accepted questions go on."""
    return FlowOutcome(kept=True, result={}, forward=forwarded(item.payload))


def write_questions(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """Every question with what became of it and how models helped, and the funnel."""
    rows = [_row(item) for item in items if item.kind == ItemKind.WORK]
    return tables("questions", rows) | {"funnel.json": encode(funnel(project)) + b"\n"}


def _row(item: ItemRecord) -> dict[str, object]:
    writer = cast("dict[str, Any]", item.payload["writer"])
    options = cast("list[str]", item.payload["options"])
    return {
        "question_idx": item.key,
        "prompt_question": item.payload["question"],
        **{f"prompt_option_{letter}": word for letter, word in zip(LETTERS, options, strict=False)},
        "country": item.region,
        "writer": item.author,
        "writer_holds": "|".join(writer.get("holds", [])),
        "common": writer.get("common", ""),
        "knows": writer.get("knows", ""),
        "help": item.help,
        "state": item.state,
        "reason": (item.outcome or {}).get("reason", ""),
    }


FLOW = Flow(
    name="write",
    title=gettext_lazy("Write questions"),
    sheet=sheet,
    outcome=outcome,
    exports={"questions": ExportFormat(title=gettext_lazy("Questions and funnel"), write=write_questions)},
    routes=(
        path("write", write, name="write"),
        path("write/draft", save_text, name="write-draft"),
        path("curate", curate, name="curate"),
        path("written", written, name="written"),
        path("written/<int:number>", rewrite_question, name="rewrite"),
    ),
    begins=ItemState.WAITING,
    home="write/home.html",
)
