"""The page of what may tell who somebody is, in what people wrote."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mores.studio.flows.personal_review import written
from mores.studio.flows.personal_warning import looks_like
from mores.studio.flows.registry import flow_named
from mores.studio.models import Project, Role
from mores.studio.web.access import in_project, methods
from mores.studio.work.records import read_items

SHOWN = 200


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def flagged(request: HttpRequest, project: Project) -> HttpResponse:
    """The texts that look so, each with what was found in it."""
    texts = written(flow_named(project.flow), project, read_items(project))
    found = [each for each in texts if each.found]
    rows = [(each, [(looks_like(part.kind), part.words) for part in each.found]) for each in found[:SHOWN]]
    words = {"project": project, "rows": rows, "count": len(found), "texts": len(texts), "shown": SHOWN}
    return render(request, "projects/flagged.html", words)
