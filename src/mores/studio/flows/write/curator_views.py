"""The curator's page: one question at a time is accepted, and goes on to be checked, or is dropped with a reason."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.closing import decide
from mores.studio.flows.fields import ChoiceField, ChoiceOption, Field, PostedForm, TextField, read_posted
from mores.studio.flows.funnel import funnel
from mores.studio.flows.personal import personal, possible
from mores.studio.flows.write.question import LETTERS, forwarded
from mores.studio.models import ItemState, ItemVersion, Project, Role, WorkItem
from mores.studio.place_names import place_name
from mores.studio.web.access import account_of, in_project, methods

ACCEPT = "accept"


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET", "POST")
def curate(request: HttpRequest, project: Project) -> HttpResponse:
    """The oldest question that waits and that the curator did not write, and what is decided about one."""
    account = account_of(request)
    if request.method != "POST":
        waiting = WorkItem.objects.filter(project=project, state=ItemState.WAITING).exclude(author=account)
        return _page(request, project, next(filter(_can_be_shown, waiting.order_by("pk").iterator()), None))
    posted = dict(request.POST.lists())
    item = WorkItem.objects.filter(project=project, pk=_number(request.POST.get("item", ""))).first()
    if item is None or item.author_id == account.pk or not _can_be_shown(item):
        return redirect("curate", slug=project.slug)
    read = read_posted(_fields(), posted)
    if not isinstance(read, PostedForm):
        return _page(request, project, item, problems=read, values=posted)
    verdict, note = str(read.values["verdict"]), str(read.values["note"])
    payload = ItemVersion.objects.get(item=item, version=item.version).payload
    kept = verdict == ACCEPT
    first = decide(item.pk, account.pk, kind="curate", kept=kept, reason="" if kept else verdict, note=note,
                   forward=forwarded(payload))  # fmt: skip
    if not first:
        messages.info(request, _("Somebody else has decided about this question already."))
    return redirect("curate", slug=project.slug)


def _can_be_shown(item: WorkItem) -> bool:
    """True of a question with its writer's remarks; what came in from elsewhere may have none, and waits."""
    payload = ItemVersion.objects.get(item=item, version=item.version).payload
    options = payload.get("options")
    return isinstance(payload.get("writer"), dict) and isinstance(options, list) and len(options) == len(LETTERS)


def _number(typed: str) -> int:
    return int(typed) if typed.isdecimal() and len(typed) < 15 else 0


def _fields() -> tuple[Field, ...]:
    verdicts = (
        (ACCEPT, _("Accept: hand it on to those who check it")),
        ("not_of_the_region", _("Drop: it is not about the region")),
        ("unsafe", _("Drop: it is harmful or insulting")),
        ("personal_data", _("Drop: it tells who somebody is")),
        ("unclear", _("Drop: it cannot be understood")),
        ("like_another", _("Drop: another question asks the same")),
    )
    options = tuple(ChoiceOption(value=value, label=label, of_item=False) for value, label in verdicts)
    return (
        ChoiceField(name="verdict", legend=_("What is to become of it?"), options=options),
        TextField(name="note", legend=_("Why (for the record)"), limit=1_000, lines=2),
    )


def _page(
    request: HttpRequest, project: Project, item: WorkItem | None, *, problems: object = None, values: object = None
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
            "place": place_name(item.region),
            "options": list(zip(LETTERS, shown.payload["options"], strict=True)),
            "flags": [*(part.words for part in personal(text)), *possible(text)],
            "fields": _fields(),
            "problems": problems or {},
            "values": values or {},
        }
    return render(request, "write/curate.html", words, status=422 if problems else 200)
