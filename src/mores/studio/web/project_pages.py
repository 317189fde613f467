"""Small pages: the first one, preferences, import and export, the audit trail, and personal data."""

import io
import zipfile
from contextlib import ExitStack

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.i18n import set_language

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.studio.flows.exporting import export_files
from mores.studio.flows.flow import flow_named
from mores.studio.flows.importing import import_file
from mores.studio.flows.other_tools import exports_of
from mores.studio.flows.personal import looks_like, written
from mores.studio.flows.readable import built
from mores.studio.models import AuditEvent, Project, Role
from mores.studio.web.access import (
    account_of,
    for_everybody,
    for_owner,
    in_project,
    memberships_of,
    methods,
    roles_in,
    signed_in,
)
from mores.studio.web.forms import ImportForm
from mores.studio.web.middleware import uploaded
from mores.studio.work.audit import STUDIO, broken_at
from mores.studio.work.items import ImportCounts
from mores.studio.work.records import read_all_items
from mores.studio.work.transactions import database_time


@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """The projects that somebody is a member of."""
    projects = Project.objects.filter(memberships__in=memberships_of(request)).distinct()
    return render(request, "home.html", {"projects": projects})


@for_everybody
def health(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's shape
    """`ok`, once the database answers."""
    database_time()
    return HttpResponse("ok", content_type="text/plain")


PAGE = 100


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def trail(request: HttpRequest, project: Project) -> HttpResponse:
    """Audit trail of a project."""
    return _page(request, project.pk, project)


@for_owner
@methods("GET")
def studio_trail(request: HttpRequest) -> HttpResponse:
    """Audit trail of accounts."""
    return _page(request, STUDIO, None)


def _page(request: HttpRequest, chain: int, project: Project | None) -> HttpResponse:
    events = AuditEvent.objects.filter(chain=chain).select_related("who").order_by("-number")
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


# The first moment that ZIP knows: a time of the day would make other bytes each time.
LONG_AGO = (1980, 1, 1, 0, 0, 0)


@in_project(Role.OWNER, Role.REVIEWER)
def export(_request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """The files of one export, zipped; the same data give the same bytes."""
    if name not in exports_of(flow_named(project.flow)):
        raise Http404(name)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in export_files(project, name).items():
            archive.writestr(zipfile.ZipInfo(file, LONG_AGO), content)
    filename = f'attachment; filename="{project.slug}-{name}.zip"'
    return HttpResponse(out.getvalue(), content_type="application/zip", headers={"Content-Disposition": filename})


SHOWN = 200


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def flagged(request: HttpRequest, project: Project) -> HttpResponse:
    """The texts that look so, each with what was found in it."""
    flow = flow_named(project.flow)
    texts, unreadable = built(flow, project, read_all_items(project), lambda items: written(flow, project, items))
    found = [each for each in texts if each.found]
    rows = [(each, [(looks_like(part.kind), part.words) for part in each.found]) for each in found[:SHOWN]]
    words = {"project": project, "rows": rows, "count": len(found), "texts": len(texts), "shown": SHOWN}
    words |= {"unreadable": unreadable, "owns": Role.OWNER in roles_in(project, account_of(request))}
    return render(request, "projects/flagged.html", words)


@in_project(Role.OWNER)
@methods("GET", "POST")
def import_items(request: HttpRequest, project: Project) -> HttpResponse:
    """Items of a file, all of it or none."""
    form, added = ImportForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        try:
            added = _imported(project, form, account_of(request).pk)
        except InputError as error:
            form.add_error("file", str(error))
    status = 200 if request.method != "POST" or added is not None else 422
    flow = flow_named(project.flow)
    words = {"project": project, "form": form, "added": added, "columns": flow.columns + flow.own_columns(project)}
    return render(request, "projects/import.html", words, status=status)


def _imported(project: Project, form: ImportForm, who: int) -> ImportCounts:
    values = form.cleaned_data
    with ExitStack() as stack:
        path = stack.enter_context(uploaded(values["file"]))
        key = stack.enter_context(uploaded(values["key"])) if values["key"] else None
        return import_file(project, path, who=who, key=key, sample=values["sample"] or 0, called=values["file"].name)


SCHEMES = ("light", "dark")
YEAR = 365 * 24 * 3600


@for_everybody
def choose(request: HttpRequest) -> HttpResponseBase:
    """Keep both in cookies, and go back to where they were chosen; any other colours are the device's."""
    answer = set_language(request)
    if request.POST.get("scheme") in SCHEMES:
        secure = settings.SESSION_COOKIE_SECURE
        answer.set_cookie("scheme", request.POST["scheme"], max_age=YEAR, samesite="Lax", httponly=True, secure=secure)
    elif request.method == "POST":
        answer.delete_cookie("scheme", samesite="Lax")
    return answer
