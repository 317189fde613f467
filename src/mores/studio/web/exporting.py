"""Handing a project's data out as one archive."""

import io
import zipfile

from django.http import Http404, HttpRequest, HttpResponse

from mores.studio.flows.exporting import export_files
from mores.studio.flows.registry import flow_named
from mores.studio.models import Project, Role
from mores.studio.web.access import in_project

LONG_AGO = (1980, 1, 1, 0, 0, 0)


@in_project(Role.OWNER, Role.REVIEWER)
def export(_request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """The files of one export, zipped; the same data give the same bytes."""
    if name not in flow_named(project.flow).exports:
        raise Http404(name)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in export_files(project, name).items():
            archive.writestr(zipfile.ZipInfo(file, LONG_AGO), content)
    filename = f'attachment; filename="{project.slug}-{name}.zip"'
    return HttpResponse(out.getvalue(), content_type="application/zip", headers={"Content-Disposition": filename})
