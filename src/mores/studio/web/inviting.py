"""Making links that let people into a project."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from mores.studio.accounts.links import make_token
from mores.studio.models import Project, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.forms import InviteForm


@in_project(Role.OWNER)
@methods("GET", "POST")
def invite(request: HttpRequest, project: Project) -> HttpResponse:
    """A new link; it is shown once."""
    form, link = InviteForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        told = form.cleaned_data
        token = make_token(project, Role(told.pop("role")), by=account_of(request), **told)
        link = f"{settings.STUDIO_ORIGIN}{reverse('enter', args=[token])}"
    return render(request, "projects/invite.html", {"project": project, "form": form, "link": link})
