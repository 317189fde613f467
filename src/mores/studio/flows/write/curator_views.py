"""The curator's page: one question at a time is accepted, and goes on to be checked, or is dropped with a reason."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.closing import decide, send_back
from mores.studio.flows.fields import ChoiceField, ChoiceOption, Field, PostedForm, Problems, TextField, read_posted
from mores.studio.flows.funnel import funnel
from mores.studio.flows.personal import personal, possible
from mores.studio.flows.write.fooled_views import name_help
from mores.studio.flows.write.question import LETTERS, filled, forwarded, read_question, reworded
from mores.studio.flows.write.question import fields as question_fields
from mores.studio.models import ItemState, ItemVersion, Project, Role, WorkItem
from mores.studio.place_names import place_name
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.items import rewrite

ACCEPT, SEND_BACK, EDITED = "accept", "send_back", "edited-"
WORDS = ("question", *LETTERS)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET", "POST")
def curate(request: HttpRequest, project: Project) -> HttpResponse:
    """The oldest question that waits and that the curator did not write, and what is decided about one.

    `after` passes by all up to one.
    """
    account = account_of(request)
    if request.method != "POST":
        waiting = WorkItem.objects.filter(project=project, state=ItemState.WAITING).exclude(author=account)
        after = waiting.filter(pk__gt=_number(request.GET.get("after", ""))).order_by("pk")
        shown = filter(_can_be_shown, chain(after.iterator(), waiting.order_by("pk").iterator()))
        return _page(request, project, next(shown, None))
    posted = dict(request.POST.lists())
    item = WorkItem.objects.filter(project=project, pk=_number(request.POST.get("item", ""))).first()
    if item is None or item.author_id == account.pk or not _can_be_shown(item):
        return redirect("curate", slug=project.slug)
    read = read_posted(_fields(), posted)
    if not isinstance(read, PostedForm):
        return _page(request, project, item, problems=read, values=posted)
    verdict, note = str(read.values["verdict"]), str(read.values["note"])
    if verdict == SEND_BACK and not note:
        return _page(request, project, item, problems={"note": _("Say what is to be changed.")}, values=posted)
    payload = ItemVersion.objects.get(item=item, version=item.version).payload
    kept = verdict == ACCEPT
    if kept:
        edited = _edited(payload, posted)
        if not isinstance(edited, PostedForm):
            problems = {EDITED + name: problem for name, problem in edited.items()}
            return _page(request, project, item, problems=problems, values=posted)
        payload = reworded(payload, edited.values)
        rewrite(item.pk, payload, who=account.pk, state=ItemState.WAITING)
    first = (
        send_back(item.pk, account.pk, note)
        if verdict == SEND_BACK
        else decide(
            item.pk,
            account.pk,
            kind="curate",
            kept=kept,
            reason="" if kept else verdict,
            note=note,
            forward=forwarded(payload),
        )
    )
    if not first:
        messages.info(request, _("Somebody else has decided about this question already."))
    return redirect("curate", slug=project.slug)


def _can_be_shown(item: WorkItem) -> bool:
    """True of a question with its writer's remarks; what came in from elsewhere may have none, and waits."""
    payload = ItemVersion.objects.get(item=item, version=item.version).payload
    options = payload.get("options")
    return isinstance(payload.get("writer"), dict) and isinstance(options, list) and len(options) == len(LETTERS)


def _edited(payload: dict[str, Any], posted: Mapping[str, Sequence[str]]) -> PostedForm | Problems:
    """The question in the curator's words where they changed them, with the writer's own remarks."""
    stored = {name: value if isinstance(value, list) else [str(value)] for name, value in filled(payload).items()}
    typed = {name: posted[EDITED + name] for name in WORDS if EDITED + name in posted}
    return read_question(stored | typed)


def _number(typed: str) -> int:
    return int(typed) if typed.isdecimal() and len(typed) < 15 else 0


def verdicts() -> tuple[tuple[str, str], ...]:
    """Verdicts of a curator, each with its words."""
    return (
        (ACCEPT, _("Accept: hand it on to those who check it")),
        (SEND_BACK, _("Send it back: who wrote it reads what you write below")),
        ("not_of_the_region", _("Drop: it is not about the region")),
        ("unsafe", _("Drop: it is harmful or insulting")),
        ("personal_data", _("Drop: it tells who somebody is")),
        ("unclear", _("Drop: it cannot be understood")),
        ("like_another", _("Drop: another question asks the same")),
    )


def _fields() -> tuple[Field, ...]:
    options = tuple(ChoiceOption(value=value, label=label, of_item=False) for value, label in verdicts())
    return (
        ChoiceField(name="verdict", legend=_("What is to become of it?"), options=options),
        TextField(name="note", legend=_("Why (for the record)"), limit=1_000, lines=2),
    )


def _page(
    request: HttpRequest,
    project: Project,
    item: WorkItem | None,
    *,
    problems: Problems | None = None,
    values: Mapping[str, object] | None = None,
) -> HttpResponse:
    words: dict[str, object] = {
        "project": project,
        "item": item,
        "stages": funnel(project, account_of(request)),
        "waiting": WorkItem.objects.filter(project=project, state=ItemState.WAITING).count(),
    }
    if item is not None:
        shown = ItemVersion.objects.get(item=item, version=item.version)
        own = shown.payload["writer"].get("situation", "")
        text = "\n".join(map(str, (shown.payload["question"], *shown.payload["options"], own)))
        words |= {
            "shown": shown,
            "help": name_help(shown.help),
            "place": place_name(item.region),
            "options": list(zip(LETTERS, shown.payload["options"], strict=True)),
            "flags": [*(part.words for part in personal(text)), *possible(text)],
            "fields": _fields(),
            "edits": [
                msgspec.structs.replace(field, name=EDITED + field.name)
                for field in question_fields()
                if field.name in WORDS
            ],
            "problems": problems or {},
            "edit_problem": any(name.startswith(EDITED) for name in problems or {}),
            "values": {EDITED + name: value for name, value in filled(shown.payload).items()} | dict(values or {}),
        }
    return render(request, "write/curate.html", words, status=422 if problems else 200)
