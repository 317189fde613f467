"""The public page of a project: what became of people's answers, in numbers, and thanks to who wants them.

It is there where the owner opened it. Nothing on it is about one person but the name that somebody chose for it.
"""

from django import forms
from django.contrib import messages
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.studio.flows.datasheet import shown_counts
from mores.studio.flows.fields import cleaned
from mores.studio.flows.flow import flow_named
from mores.studio.flows.funnel import Stage, funnel
from mores.studio.models import Assignment, ItemKind, Participant, ParticipantState, Project, Role, WorkItem
from mores.studio.web.access import account_of, for_everybody, in_project, methods
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

OWN = "studio"
"""Source of those who came by a link; a platform's people stay without a name, as it promises them."""


@for_everybody
@methods("GET")
def public(request: HttpRequest, slug: str) -> HttpResponse:
    """Numbers of what became of the answers; not found where the owner has not opened it."""
    project = get_object_or_404(Project, slug=slug, public=True)
    items = WorkItem.objects.filter(project=project, kind=ItemKind.WORK)
    answered = Participant.objects.filter(
        project=project, assignments__status__in=Assignment.ANSWERED, excluded=False
    ).distinct()
    thanked = answered.exclude(credit="").filter(source=OWN).exclude(state=ParticipantState.WITHDRAWN)
    by_place = {row["region"]: row["people"] for row in answered.values("region").annotate(people=Count("pk"))}
    words = {
        "project": None,  # the bar above leads to pages of members
        "about": project,
        "flow": flow_named(project.flow),
        "answers": items.aggregate(done=Sum("done"))["done"] or 0,
        "people": answered.count(),
        "places": shown_counts(by_place),
        "stages": _open_stages(project),
        "names": sorted(set(thanked.values_list("credit", flat=True)), key=str.casefold),
    }
    return render(request, "projects/public.html", words)


def _open_stages(project: Project) -> list[Stage]:
    """Stages of the way that are told: this project's, and those of others that are open to everybody too."""
    stages = funnel(project)
    open_ = set(Project.objects.filter(slug__in=[each.project for each in stages], public=True).values_list("slug"))
    return [each for each in stages if (each.project,) in open_]


class CreditForm(forms.Form):
    """Name by which somebody wants to be thanked."""

    credit = forms.CharField(label=gettext_lazy("Name on the public page (empty: none)"), max_length=80, required=False)

    def clean_credit(self) -> str:
        """The name on one line, without signs that nobody sees."""
        return cleaned(self.cleaned_data["credit"])


@in_project(Role.WRITER, Role.ANNOTATOR)
@methods("POST")
def credit(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep the name by which somebody wants to be thanked, or forget it."""
    person = get_object_or_404(Participant, project=project, account=account_of(request), source=OWN)
    form = CreditForm(request.POST)
    if form.is_valid():
        with writing() as now:
            Participant.objects.filter(pk=person.pk).update(credit=form.cleaned_data["credit"])
            # The name itself stays out of the trail, which nothing is ever taken from.
            about = {"participant": person.pk, "named": bool(form.cleaned_data["credit"])}
            record(project.pk, "credit", about, who=person.account_id, at=now)
        messages.success(request, _("Your choice is kept."))
    return redirect("project", slug=project.slug)
