"""The second round: what most of a country did not know is asked of a finer group there."""

from collections import Counter
from collections.abc import Iterator

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mores.norms.places import places
from mores.studio.models import ItemKind, ItemState, ItemVersion, Project, Role, WorkItem
from mores.studio.place_names import in_order, place_name
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.work.items import ImportCounts, NewItem, add_items

MOSTLY_UNKNOWN = "mostly_unknown"
"""Why a question was dropped that more than half did not know."""
SIGN = "~"
"""Between the key of a question and the group that it is put to."""


def unknown(project: Project) -> dict[str, int]:
    """By country, how many questions were dropped since most did not know."""
    return dict(sorted(Counter(item.region for item in _dropped(project)).items()))


def _dropped(project: Project, **where: str) -> Iterator[WorkItem]:
    dropped = WorkItem.objects.filter(project=project, kind=ItemKind.WORK, state=ItemState.DROPPED, **where)
    for item in dropped.exclude(key__contains=SIGN).order_by("pk"):
        if (item.outcome or {}).get("reason") == MOSTLY_UNKNOWN:
            yield item


def groups_in(project: Project, country: str) -> dict[str, str]:
    """The finer groups of a country with their names: those that the project tells apart, else its parts."""
    own = dict(project.groups.filter(country=country).order_by("name").values_list("code", "name"))
    return own or dict(in_order((each.id, place_name(each.id)) for each in places() if each.parent == country))


def send_to_group(project: Project, country: str, group: str, *, who: int) -> ImportCounts:
    """Put the questions that a country mostly did not know to one of its groups; those put before stay as they are."""
    again = []
    for item in _dropped(project, region=country):
        words = ItemVersion.objects.get(item=item, version=item.version)
        again.append(NewItem(key=f"{item.key}{SIGN}{group}"[:120], payload=words.payload, region=group,
                             author=item.author_id, help=words.help))  # fmt: skip
    return add_items(project, again, who=who)


@in_project(Role.OWNER)
@methods("GET", "POST")
def second_round(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what most did not know, by country, and put it to a group."""
    if request.method == "POST":
        country, _sign, group = request.POST.get("to", "").partition(" ")
        if group in groups_in(project, country):
            added = send_to_group(project, country, group, who=account_of(request).pk)
            message = ngettext(
                "%(new)d question is put to this group.", "%(new)d questions are put to this group.", added.new
            )
            messages.success(request, message % {"new": added.new})
        else:
            messages.error(request, _("Choose a group."))
        return redirect("second-round", slug=project.slug)
    rows = [
        {"country": country, "name": place_name(country), "count": count, "groups": groups_in(project, country)}
        for country, count in unknown(project).items()
    ]
    return render(request, "check/second.html", {"project": project, "rows": rows})
