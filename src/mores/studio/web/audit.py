"""The audit trail as pages, newest first, with a check of its chain of hashes."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mores.core.codec import encode
from mores.studio.models import Event, Project, Role
from mores.studio.web.access import for_owner, in_project, methods
from mores.studio.work.audit import STUDIO, broken_at

PAGE = 100


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def trail(request: HttpRequest, project: Project) -> HttpResponse:
    """What happened in a project."""
    return _page(request, project.pk, project)


@for_owner
@methods("GET")
def studio_trail(request: HttpRequest) -> HttpResponse:
    """What happened to accounts."""
    return _page(request, STUDIO, None)


def _page(request: HttpRequest, chain: int, project: Project | None) -> HttpResponse:
    events = Event.objects.filter(chain=chain).select_related("who").order_by("-number")
    page = Paginator(events, PAGE).get_page(request.GET.get("page"))
    checked = "check" in request.GET
    words = {
        "project": project,
        "page": page,
        "rows": [(event, encode(event.about).decode()) for event in page],
        "last": events.first(),
        "checked": checked,
        "broken": broken_at(chain) if checked else None,
    }
    return render(request, "projects/audit.html", words)
