"""A writer's own questions: what became of each, and another try at one that a curator sent back."""

from typing import NamedTuple

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.closing import SENT_BACK
from mores.studio.flows.fields import PostedForm
from mores.studio.flows.personal import warn
from mores.studio.flows.write.curator_views import verdicts
from mores.studio.flows.write.question import fields, filled, read_question, reworded
from mores.studio.models import Decision, ItemState, ItemVersion, Project, Role, WorkItem
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.items import rewrite

SHOWN = 200


class OwnQuestion(NamedTuple):
    """A question with what became of it: what a curator decided or asks for, and the item that it is where checked."""

    item: WorkItem
    words: str
    reason: str
    onward: WorkItem | None


@in_project(Role.WRITER)
@methods("GET")
def written(request: HttpRequest, project: Project) -> HttpResponse:
    """One's own questions, the newest first."""
    decisions = Prefetch("decisions", Decision.objects.order_by("pk"))
    mine = WorkItem.objects.filter(project=project, author=account_of(request)).prefetch_related("versions", decisions)
    newest = list(mine.order_by("-pk")[:SHOWN])
    # As `closing` names what goes on.
    keys = {f"{project.slug}-{item.key}"[:120]: item.pk for item in newest}
    going = WorkItem.objects.filter(project=project.feeds_id, key__in=keys) if project.feeds_id else ()
    onward = {keys[each.key]: each for each in going}
    rows = [
        OwnQuestion(
            item=item,
            words=next(each.payload["question"] for each in item.versions.all() if each.version == item.version),
            reason=_reason_of(item),
            onward=onward.get(item.pk),
        )
        for item in newest
    ]
    return render(request, "write/written.html", {"project": project, "rows": rows, "states": ItemState})


def _reason_of(item: WorkItem) -> str:
    """Words of a curator: what they ask for where it is sent back, and else their verdict against it."""
    last = next(iter(reversed(item.decisions.all())), None)
    if last is None:
        return ""
    return last.reason if last.kind == SENT_BACK else dict(verdicts()).get(last.verdict.get("reason", ""), "")


@in_project(Role.WRITER)
@methods("GET", "POST")
def rewrite_question(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Change a question that was sent back, and send it again."""
    account = account_of(request)
    sent_back = WorkItem.objects.filter(project=project, author=account, state=ItemState.RETURNED)
    item = get_object_or_404(sent_back, pk=number)
    posted, seen = dict(request.POST.lists()), ""
    problems = {} if request.method == "GET" else read_question(posted)
    if isinstance(problems, PostedForm):
        warned = warn(fields(), problems.values, posted)
        if warned is None:
            before = ItemVersion.objects.get(item=item, version=item.version).payload
            rewrite(item.pk, reworded(before, problems.values), who=account.pk, state=ItemState.RETURNED)
            messages.success(request, _("Your question is stored. A curator looks at it next."))
            return redirect("written", slug=project.slug)
        problems, seen = warned.problems, warned.seen
    payload = ItemVersion.objects.get(item=item, version=item.version).payload
    words = {
        "project": project,
        "item": item,
        "sent_back": item.decisions.filter(kind=SENT_BACK).order_by("pk").last(),
        "fields": fields(),
        "values": posted if request.method == "POST" else filled(payload),
        "problems": problems,
        "seen": seen,
    }
    return render(request, "write/rewrite.html", words, status=422 if problems else 200)
