"""Guidelines: written as versions with pictures, read once a version before the first item, and beside each item."""

import re
from pathlib import PurePath

from django import forms
from django.contrib import messages
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.studio.models import Guideline, GuidelineKind, GuidelinePicture, Participant, Project, Role
from mores.studio.web.access import account_of, in_project, methods, roles_in
from mores.studio.web.forms import GuidelineForm
from mores.studio.web.scripts import page_or_part
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

LARGEST = 2 << 20
BEGINNINGS = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
"""First bytes of the pictures that are taken; none of them can hold a script, as SVG can."""


def newest_guideline(project: Project) -> Guideline | None:
    """The newest guidelines; None where there are none."""
    versions = Guideline.objects.filter(project=project, kind=GuidelineKind.GUIDELINE)
    return versions.order_by("-version").first()


def is_unread(guideline: Guideline | None, person: Participant) -> bool:
    """True if somebody has not said yet that they read this version."""
    return guideline is not None and guideline.version > (person.guideline_read or 0)


def read_first(request: HttpRequest, project: Project, guideline: Guideline, onward: str) -> HttpResponse:
    """Page that shows guidelines before work; `onward` is where whoever has read them goes."""
    words = {"project": project, "guideline": guideline, "onward": onward}
    return page_or_part(request, "work/read.html", words, place=onward)


@in_project(Role.WRITER, Role.ANNOTATOR)
@methods("GET", "POST")
def read(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the newest guidelines, and store that somebody has read them."""
    guideline = newest_guideline(project)
    home = reverse("project", args=[project.slug])
    onward = request.POST.get("next", "")
    if not onward.startswith(home):
        onward = home
    if guideline is None:
        return redirect(onward)
    # A version that came out in between is shown first.
    if request.method != "POST" or request.POST.get("version") != str(guideline.version):
        return read_first(request, project, guideline, onward)
    with writing() as now:
        mine = Participant.objects.filter(project=project, account=account_of(request))
        mine.update(guideline_read=guideline.version)
        about = {"participant": mine.values_list("pk", flat=True).first(), "version": guideline.version}
        record(project.pk, "read", about, who=account_of(request).pk, at=now)
    return redirect(onward)


class PictureForm(forms.Form):
    """A picture for guidelines."""

    picture = forms.FileField(label=gettext_lazy("Picture (PNG, JPEG, GIF or WebP, at most 2 MB)"), max_length=200)


@in_project(*Role)
@methods("GET", "POST")
def guidelines(request: HttpRequest, project: Project) -> HttpResponse:
    """The newest guidelines, for everybody; owners write the next version."""
    owning = Role.OWNER in roles_in(project, account_of(request))
    form = GuidelineForm(request.POST or None) if owning else None
    if request.method == "POST" and form is not None and form.is_valid():
        with writing() as now:
            kind = form.cleaned_data["kind"]
            last = Guideline.objects.filter(project=project, kind=kind).aggregate(last=Max("version"))["last"] or 0
            Guideline.objects.create(project=project, kind=kind, version=last + 1, text=form.cleaned_data["text"])
            record(project.pk, "guideline", {"kind": kind, "version": last + 1}, who=account_of(request).pk, at=now)
        return redirect("guidelines", slug=project.slug)
    newest = [
        Guideline.objects.filter(project=project, kind=kind).order_by("-version").first() for kind in GuidelineKind
    ]
    words = {
        "project": project,
        "form": form,
        "guidelines": [each for each in newest if each is not None],
        "picture_form": PictureForm() if owning else None,
        "pictures": project.pictures.order_by("name").defer("content"),
    }
    return render(request, "projects/guidelines.html", words)


@in_project(Role.OWNER)
@methods("POST")
def add_picture(request: HttpRequest, project: Project) -> HttpResponse:
    """Take in a picture; one that is there is never changed, as guidelines that people read show it."""
    form = PictureForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.warning(request, _("Choose a picture first."))
        return redirect("guidelines", slug=project.slug)
    file = form.cleaned_data["picture"]
    content = file.read(LARGEST + 1)
    kind = next((kind for kind, begins in BEGINNINGS.items() if begins.match(content)), None)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(file.name).name).strip("-.")[-80:] or "picture"
    if kind is None or len(content) > LARGEST:
        messages.warning(request, _("Expected a picture as PNG, JPEG, GIF or WebP of at most 2 MB; it was not stored."))
    else:
        with writing() as now:
            values = {"kind": kind, "content": content}
            _picture, new = GuidelinePicture.objects.get_or_create(project=project, name=name, defaults=values)
            if new:
                record(project.pk, "picture", {"name": name}, who=account_of(request).pk, at=now)
        if new:
            words = _("Stored. Write %(words)s where it is to stand.") % {"words": "<code>{}</code>"}
            messages.success(request, format_html(words, f"![…]({name})"))
        else:
            messages.warning(request, _("A picture of this name is there; give yours another name."))
    return redirect("guidelines", slug=project.slug)


@in_project(*Role)
@methods("GET")
def picture(_request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """A picture of a project, for its members."""
    found = get_object_or_404(GuidelinePicture, project=project, name=name)
    return HttpResponse(bytes(found.content), content_type=found.kind)
