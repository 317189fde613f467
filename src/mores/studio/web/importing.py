"""Taking items in from a file that somebody uploads."""

from contextlib import ExitStack

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mores.core.errors import InputError
from mores.studio.flows.importing import import_file
from mores.studio.flows.registry import flow_named
from mores.studio.models import Project, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.forms import ImportForm
from mores.studio.web.uploads import uploaded
from mores.studio.work.items import ImportCounts


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
    status = 200 if request.method == "GET" or added is not None else 422
    words = {"project": project, "form": form, "added": added, "flow": flow_named(project.flow)}
    return render(request, "projects/import.html", words, status=status)


def _imported(project: Project, form: ImportForm, who: int) -> ImportCounts:
    told = form.cleaned_data
    with ExitStack() as stack:
        path = stack.enter_context(uploaded(told["file"]))
        key = stack.enter_context(uploaded(told["key"])) if told["key"] else None
        return import_file(project, path, who=who, key=key, sample=told["sample"] or 0)
