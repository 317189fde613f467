"""Members of a project: roles, links that let people in, people of studies, and the quality of annotators' work."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.studio.accounts.links import make_token, revoke
from mores.studio.flows.check_items import quality_of
from mores.studio.flows.closing import close_all
from mores.studio.models import Assignment, AssignmentStatus, Invite, Membership, Participant, Project, Role
from mores.studio.recruiting.forms import EndForm
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.errors import error_page
from mores.studio.web.forms import InviteForm, without_name
from mores.studio.work.audit import record
from mores.studio.work.exclusion import exclude, readmit, why_excluded
from mores.studio.work.leases import free_all
from mores.studio.work.transactions import database_time, writing

PAGE = 100


@in_project(Role.OWNER)
@methods("GET")
def members(request: HttpRequest, project: Project) -> HttpResponse:
    """Roles, links, and how far each participant is."""
    answered = Count("assignments", filter=Q(assignments__status__in=Assignment.ANSWERED))
    people = Participant.objects.filter(project=project).select_related("account", "study").annotate(answered=answered)
    invites = Invite.objects.filter(project=project, uses_left__gt=0, expires_at__gt=database_time())
    return render(
        request,
        "projects/members.html",
        {
            "project": project,
            "memberships": Membership.objects.filter(project=project).exclude(account__name__contains=":")
            .select_related("account").order_by("role", "account__name"),
            "invites": invites.order_by("expires_at"),
            "people": Paginator(people.order_by("pk"), PAGE).get_page(request.GET.get("page")),
            "end_form": EndForm(),
        },
    )  # fmt: skip


@in_project(Role.OWNER)
@methods("POST")
def leave(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Take a role from somebody; what they hold comes free, what they answered stays."""
    member = get_object_or_404(Membership, pk=number, project=project)
    with writing() as now:
        owners = Membership.objects.select_for_update().filter(project=project, role=Role.OWNER)
        if member.role == Role.OWNER and len(owners) == 1:
            words = _("Invite another owner first, then take the role away.")
            return error_page(request, 409, _("A project keeps one owner"), words)
        if member.role == Role.ANNOTATOR:
            held = Assignment.objects.filter(project=project, account=member.account_id)
            free_all(held, AssignmentStatus.EXPIRED)
        member.delete()
        about = {"account": member.account_id, "role": member.role}
        record(project.pk, "leave", about, who=account_of(request).pk, at=now)
    return redirect("members", slug=project.slug)


@in_project(Role.OWNER)
@methods("POST")
def end_link(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """End a link before its time."""
    revoke(get_object_or_404(Invite, pk=number, project=project), by=account_of(request))
    return redirect("members", slug=project.slug)


class ReasonForm(forms.Form):
    """Reason that somebody is excluded, or is not any more."""

    reason = forms.CharField(label=gettext_lazy("Why"), max_length=500)

    def __init__(self, data: Any = None, *, person: Participant) -> None:
        self.person = person
        super().__init__(data)

    def clean_reason(self) -> str:
        """The reason, without a name."""
        return without_name(self.cleaned_data["reason"], self.person)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def annotators(request: HttpRequest, project: Project) -> HttpResponse:
    """Checks that people had right, and their time on task."""
    answered = Assignment.objects.filter(project=project, status__in=Assignment.ANSWERED)
    people = Participant.objects.filter(pk__in=answered.values("participant")).order_by("pk")
    page = Paginator(people, PAGE).get_page(request.GET.get("page"))
    rows = [(person, quality_of(person.pk), why_excluded(person)) for person in page]
    return render(request, "projects/annotators.html", {"project": project, "page": page, "rows": rows})


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET", "POST")
def exclusion(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Ask why, then exclude somebody, or let them back in."""
    person = get_object_or_404(Participant, pk=number, project=project)
    form = ReasonForm(request.POST or None, person=person)
    if request.method == "POST" and form.is_valid():
        reason, who = form.cleaned_data["reason"], account_of(request).pk
        if "readmit" in request.POST:
            readmit(person.pk, reason, who=who)
            close_all(project)
            messages.success(request, _("Their answers count again wherever a place is free."))
        else:
            exclude(person.pk, {"reason": reason}, who=who)
            messages.success(request, _("Their answers are kept, and do not count."))
        return redirect("annotators", slug=project.slug)
    words = {"project": project, "person": person, "form": form, "why": why_excluded(person)}
    words["quality"] = quality_of(person.pk)
    return render(request, "projects/exclusion.html", words, status=422 if request.method == "POST" else 200)


@in_project(Role.OWNER)
@methods("GET", "POST")
def invite(request: HttpRequest, project: Project) -> HttpResponse:
    """A new link; it is shown once."""
    form, link = InviteForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        token = make_token(project, Role(values.pop("role")), by=account_of(request), **values)
        link = f"{settings.STUDIO_ORIGIN}{reverse('enter', args=[token])}"
    return render(request, "projects/invite.html", {"project": project, "form": form, "link": link})
