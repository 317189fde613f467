"""Answers of somebody, for themselves to look back at; and the problems with items that they tell the owner of."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.fields import cleaned, words_of
from mores.studio.flows.flow import flow_named
from mores.studio.models import AnswerRedaction, Assignment, ItemKind, ItemProblem, ItemState, Project, Response, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

PAGE, LONGEST = 25, 2_000


def newest_answer(held: Assignment) -> Response | None:
    """The newest version of the answer to somebody's item; None where it is not answered."""
    return held.responses.order_by("-version").first()


def may_change(held: Assignment) -> bool:
    """True while an answer may be changed: it is of work, not of practice or a check, and its item is still open.

    What was redacted stays as it is.
    """
    open_ = held.item.kind == ItemKind.WORK and held.item.state == ItemState.OPEN
    return open_ and not AnswerRedaction.objects.filter(assignment=held).exists()


@in_project(Role.ANNOTATOR)
@methods("GET")
def answers(request: HttpRequest, project: Project) -> HttpResponse:
    """One's own answers, the newest first."""
    given = Assignment.objects.filter(
        project=project, account=account_of(request), status__in=Assignment.ANSWERED, item__kind=ItemKind.WORK
    )
    newest_first = given.select_related("item", "shown").order_by("-claimed_at", "-pk")
    page = Paginator(newest_first, PAGE).get_page(request.GET.get("page"))
    flow, rows = flow_named(project.flow), []
    for held in page:
        form, newest = flow.sheet(held.shown.payload, project), newest_answer(held)
        if newest is not None:
            rows.append((held, form, words_of(form.fields, newest.answer), newest, may_change(held)))
    return render(request, "work/answers.html", {"project": project, "page": page, "rows": rows})


@in_project(Role.ANNOTATOR)
@methods("POST")
def problem(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Tell the owner that something is wrong with an item; it stays with who holds it."""
    account = account_of(request)
    held = get_object_or_404(Assignment, pk=number, project=project, account=account)
    if words := cleaned(request.POST.get("words", ""))[:LONGEST]:
        with writing() as now:
            stored = ItemProblem.objects.create(item_id=held.item_id, by=account, words=words)
            record(project.pk, "problem", {"problem": stored.pk, "item": held.item.key}, who=account.pk, at=now)
        messages.success(request, _("Told to those who run the project. Thank you! You may answer, or pass it by."))
    else:
        messages.warning(request, _("Write what is wrong with it; nothing was sent."))
    return redirect("work-on", slug=project.slug, number=number)
