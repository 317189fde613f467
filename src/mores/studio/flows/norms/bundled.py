"""The page on which the bundled norms come into a project, place by place."""

from collections import Counter
from pathlib import Path

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mores.norms.pack import load_pack
from mores.norms.places import place
from mores.studio.flows.fields import ChoiceField, ChoiceOption, PostedForm, read_posted
from mores.studio.flows.norms.rows import BUNDLED, COLUMNS, read, rows
from mores.studio.models import Project
from mores.studio.web.access import account_of, methods
from mores.studio.work.items import add_items


@methods("GET", "POST")
def bring_in(request: HttpRequest, project: Project) -> HttpResponse:
    """Choose places of the bundled pack; their norms become items, those that are there already are passed over."""
    if project.flow != "norms":
        raise Http404(project.flow)
    field = _field()
    read_ = {} if request.method == "GET" else read_posted((field,), dict(request.POST.lists()))
    if not isinstance(read_, PostedForm):
        words = {"project": project, "fields": [field], "problems": read_, "values": {}}
        return render(request, "norms/bundled.html", words, status=422 if read_ else 200)
    chosen = read_.values["places"]
    items = [read(row, project) for row in rows(Path(BUNDLED), COLUMNS)]
    wanted = [item for item in items if isinstance(chosen, list) and item.region in chosen]
    added = add_items(project, wanted, who=account_of(request).pk)
    told = _("%(new)d new norms; %(known)d were there already.") % {"new": added.new, "known": added.known}
    messages.success(request, told)
    return redirect("project", slug=project.slug)


def _field() -> ChoiceField:
    norms = Counter(entry.norm.place for entry in load_pack().norms)
    known = sorted((place(each).name, each, count) for each, count in norms.items())
    options = tuple(ChoiceOption(value=each, label=f"{name} ({count})", of_item=False) for name, each, count in known)
    return ChoiceField(name="places", legend=_("Norms of which places?"), options=options, several=True)
