"""Who is in a project: roles, links that still let people in, and people of studies."""

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from mores.studio.accounts.links import revoke
from mores.studio.models import Assignment, Invite, Membership, Participant, Project, Role
from mores.studio.recruiting.forms import EndForm
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.errors import error_page
from mores.studio.work.audit import record
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
            free_all(held, Assignment.Status.EXPIRED)
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
