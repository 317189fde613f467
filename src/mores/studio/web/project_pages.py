"""The first page, and a sign of life for whoever watches the server."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mores.studio.models import Project
from mores.studio.web.access import account_of, for_everybody, signed_in
from mores.studio.work.transactions import database_time


@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """The projects that somebody is a member of."""
    projects = Project.objects.filter(memberships__account=account_of(request)).distinct()
    return render(request, "home.html", {"projects": projects})


@for_everybody
def health(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's shape
    """`ok`, once the database answers."""
    database_time()
    return HttpResponse("ok", content_type="text/plain")
