"""Taking items in from a file that somebody uploads."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mores.core.errors import InputError
from mores.studio.flows.importing import import_file
from mores.studio.flows.registry import flow_named
from mores.studio.models import Project, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.forms import ImportForm
from mores.studio.web.uploads import uploaded


@in_project(Role.OWNER)
@methods("GET", "POST")
def import_items(request: HttpRequest, project: Project) -> HttpResponse:
    """Items of a file, all of it or none."""
    form, added = ImportForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        try:
            with uploaded(form.cleaned_data["file"]) as path:
                added = import_file(project, path, who=account_of(request).pk)
        except InputError as error:
            form.add_error("file", str(error))
    status = 200 if request.method == "GET" or added is not None else 422
    words = {"project": project, "form": form, "added": added, "flow": flow_named(project.flow)}
    return render(request, "projects/import.html", words, status=status)
