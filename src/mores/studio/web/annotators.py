"""How those who answer do, one by one, and excluding them or letting them back in."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.studio.flows.attention import standing
from mores.studio.flows.closing import close_all
from mores.studio.models import Assignment, Participant, Project, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.exclusion import exclude, readmit, why_excluded

PAGE = 100


class ReasonForm(forms.Form):
    """Why somebody is excluded, or is not any more."""

    reason = forms.CharField(label=gettext_lazy("Why"), max_length=500)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def annotators(request: HttpRequest, project: Project) -> HttpResponse:
    """Checks that people had right, and their time on task."""
    answered = Assignment.objects.filter(project=project, status__in=Assignment.ANSWERED)
    people = Participant.objects.filter(pk__in=answered.values("participant")).order_by("pk")
    page = Paginator(people, PAGE).get_page(request.GET.get("page"))
    rows = [(person, standing(person.pk), why_excluded(person)) for person in page]
    return render(request, "projects/annotators.html", {"project": project, "page": page, "rows": rows})


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET", "POST")
def exclusion(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Ask why, then exclude somebody, or let them back in."""
    person = get_object_or_404(Participant, pk=number, project=project)
    form = ReasonForm(request.POST or None)
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
    words["standing"] = standing(person.pk)
    return render(request, "projects/exclusion.html", words, status=422 if request.method == "POST" else 200)
