"""The page where a project is given its form: typed, uploaded, or begun with an example."""

from pathlib import Path

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.core.codec import read_text
from mores.core.errors import InputError
from mores.studio.flows.form.form_file import MOST_FORM
from mores.studio.flows.form.project_forms import FILE, form_of, form_text, set_form
from mores.studio.models import Project, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.middleware import uploaded

EXAMPLES = Path(__file__).parent / "examples"
TITLES = {
    "likert": gettext_lazy("Points for several aspects"),
    "pairwise": gettext_lazy("Which of two"),
    "ranking": gettext_lazy("In order"),
    "spans": gettext_lazy("Marking parts of a text"),
    "text": gettext_lazy("Free text, and a choice"),
}
"""Names of the examples, by their files."""


class FormForm(forms.Form):
    """Text of a form file, or the file."""

    text = forms.CharField(
        label=gettext_lazy("Form file (TOML)"), required=False, max_length=MOST_FORM, strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "dir": "ltr", "lang": "en"}),
    )  # fmt: skip
    file = forms.FileField(label=gettext_lazy("Or a file with it"), required=False, max_length=200)


@in_project(Role.OWNER)
@methods("GET", "POST")
def form_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the form of a project, and take another one while nobody has answered."""
    if project.flow != "form":
        raise Http404(project.flow)
    sent = request.method == "POST"
    example = request.GET.get("example", "")
    shown = read_text(EXAMPLES / f"{example}.toml") if example in TITLES else form_text(project)
    form = FormForm(request.POST, request.FILES) if sent else FormForm(initial={"text": shown})
    if sent and form.is_valid():
        try:
            _save(request, project, form)
        except InputError as error:
            form.add_error("file" if form.cleaned_data["file"] else "text", str(error))
        else:
            messages.success(request, _("The form is stored."))
            return redirect("project", slug=project.slug)
    words = {"project": project, "form": form, "examples": TITLES.items(), "kept": form_of(project)}
    return render(request, "form/form.html", words, status=422 if sent else 200)


def _save(request: HttpRequest, project: Project, form: FormForm) -> None:
    who, file = account_of(request).pk, form.cleaned_data["file"]
    if not file:
        return set_form(project, form.cleaned_data["text"].replace("\r\n", "\n"), where=FILE, who=who)
    with uploaded(file) as place:
        return set_form(project, read_text(place), where=str(place), who=who)


ROUTES = (path("form", form_page, name="form"),)
