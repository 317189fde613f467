"""Write: what is stored of a question, what goes on, and what is exported."""

from collections.abc import Sequence
from typing import Any, cast

from django.urls import path
from django.utils.translation import gettext_lazy

from mores.core.codec import encode, encode_lines
from mores.studio.flows.fields import ItemForm, Passage
from mores.studio.flows.flow import ExportFormat, Flow, FlowOutcome, Payload, tables
from mores.studio.flows.funnel import funnel
from mores.studio.flows.write.attempts import QuestionResult, attempts_of, results_of
from mores.studio.flows.write.curator_views import curate
from mores.studio.flows.write.fooled_views import fooled
from mores.studio.flows.write.own_questions import rewrite_question, written
from mores.studio.flows.write.question import LETTERS, forwarded
from mores.studio.flows.write.settings import WritingForm, check_writing
from mores.studio.flows.write.success import fooled_shares
from mores.studio.flows.write.survey import survey, survey_rows
from mores.studio.flows.write.views import save_text, write
from mores.studio.models import ItemKind, ItemState, Project
from mores.studio.work.records import ItemRecord


def sheet(payload: Payload, _project: Project) -> ItemForm:
    """The question and its options, to read; nothing is asked, since a curator decides."""
    options = cast("list[str]", payload["options"])
    _writer(payload)  # without which a curator cannot be shown it, and no table written
    lines = [f"{letter}) {words}" for letter, words in zip(LETTERS, options, strict=False)]
    return ItemForm(passages=(Passage(text="\n".join([str(payload["question"]), *lines])),), fields=())


def _writer(payload: Payload) -> dict[str, Any]:
    """The writer's own remarks on a question."""
    return cast("dict[str, Any]", dict(payload["writer"]))  # type: ignore[call-overload]


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """Accepted questions go on."""
    return FlowOutcome(kept=True, result={}, forward=forwarded(item.payload))


def write_questions(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """Every question with what became of it, every step at which a model helped, how often models were fooled.

    `attempts.jsonl` has the steps in their order, `success` the shares that fooled a model, `survey` what writers say
    of how it went.
    """
    results, attempts = results_of(project, items), attempts_of(project, items)
    found = {each.question_idx: each for each in results}
    rows = [_row(item, found[item.key]) for item in items if item.kind == ItemKind.WORK]
    return {
        **tables("questions", rows),
        "attempts.jsonl": encode_lines(attempts),
        **tables("success", [row.row() for row in fooled_shares(results, attempts)]),
        **tables("survey", survey_rows(project)),
        "funnel.json": encode(funnel(project)) + b"\n",
    }


def _row(item: ItemRecord, found: QuestionResult) -> dict[str, object]:
    writer = _writer(item.payload)
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
        "offered": found.offered,
        "answers_of_models": found.answers,
        "verifier": found.model,
        "fooled": found.fooled,
        "state": item.state,
        "reason": (item.outcome or {}).get("reason", ""),
    }


FLOW = Flow(
    name="write",
    title=gettext_lazy("Write questions"),
    sheet=sheet,
    outcome=outcome,
    forwards_to=frozenset({"check"}),
    exports={"questions": ExportFormat(title=gettext_lazy("Questions and attempts"), write=write_questions)},
    routes=(
        path("write", write, name="write"),
        path("write/draft", save_text, name="write-draft"),
        path("write/survey", survey, name="survey"),
        path("curate", curate, name="curate"),
        path("fooled", fooled, name="fooled"),
        path("written", written, name="written"),
        path("written/<int:number>", rewrite_question, name="rewrite"),
    ),
    begins=ItemState.WAITING,
    check=check_writing,
    settings_form=WritingForm,
    home="write/home.html",
)
