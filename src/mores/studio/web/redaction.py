"""The page on which an owner takes the words out of an answer, on request."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.studio.models import AnswerRedaction, Assignment, Project, Response, Role
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.redaction import redact


class AnswerForm(forms.Form):
    """One answer, by its item and who gave it."""

    item = forms.CharField(label=gettext_lazy("Item"), max_length=120)
    person = forms.RegexField(
        r"^p?[0-9]{1,18}$",
        label=gettext_lazy("Person"),
        help_text=gettext_lazy("A number such as p12, as under Members."),
    )

    def found(self, project: Project) -> Assignment | None:
        """The answer, None where this person answered no such item."""
        number = int(self.cleaned_data["person"].removeprefix("p"))
        answered = Assignment.objects.filter(project=project, status__in=Assignment.ANSWERED, participant=number)
        found: Assignment | None = answered.filter(item__key=self.cleaned_data["item"]).select_related("item").first()
        return found


@in_project(Role.OWNER)
@methods("GET", "POST")
def redact_answer(request: HttpRequest, project: Project) -> HttpResponse:
    """Show one answer; POST takes its words out."""
    form = AnswerForm(request.POST or request.GET or None)
    held = form.found(project) if form.is_valid() else None
    if request.method == "POST" and held is not None:
        if redact(held.pk, who=account_of(request).pk):
            messages.success(request, _("The answer is redacted: its words are gone, and exports say so."))
        return redirect("redact", slug=project.slug)
    if form.is_valid() and held is None:
        form.add_error(None, _("This person answered no such item."))
    words = {
        "project": project,
        "form": form,
        "held": held,
        "fields": _fields(held),
        "redacted": held is not None and AnswerRedaction.objects.filter(assignment=held).exists(),
    }
    return render(request, "projects/redact.html", words, status=422 if request.method == "POST" else 200)


def _fields(held: Assignment | None) -> list[tuple[str, str]]:
    """The newest version of an answer, field by field."""
    newest = Response.objects.filter(assignment=held).order_by("-version").first()
    given = {} if newest is None else newest.answer
    return [(name, ", ".join(map(str, each)) if isinstance(each, list) else str(each)) for name, each in given.items()]
