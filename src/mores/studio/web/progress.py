"""Progress of a project: from what came in to what was kept, by place, with the projects before and after it."""

from collections import Counter
from collections.abc import Iterator

from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from mores.studio.flows.funnel import funnel
from mores.studio.flows.readable import KEPT_BACK, NO_OUTCOME, NOT_SHOWN, reported
from mores.studio.models import ItemKind, ItemState, Participant, ParticipantState, Project, Role, WorkItem
from mores.studio.web.access import account_of, in_project, methods

STATES = {
    "waiting": ItemState.WAITING,
    "open": ItemState.OPEN,
    "kept": ItemState.COMPLETE,
    "dropped": ItemState.DROPPED,
}
"""What the page calls items in a state."""
REPORTED = {
    NOT_SHOWN: gettext_lazy("cannot be shown to those who answer"),
    NO_OUTCOME: gettext_lazy("has all its answers, and they cannot be read"),
    KEPT_BACK: gettext_lazy("was kept, and did not go on"),
}
"""What the page says of items that somebody has to look at."""


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def progress(request: HttpRequest, project: Project) -> HttpResponse:
    """The live funnel and progress by place."""
    people = Counter(Participant.objects.filter(project=project).values_list("state", flat=True))
    words = {
        "project": project,
        "stages": funnel(project, account_of(request)),
        "places": list(_places(project)),
        "people": [(label, people[value]) for value, label in ParticipantState.choices if people[value]],
        "reported": [(event, REPORTED[event.what]) for event in reported(project)],
    }
    return render(request, "projects/progress.html", words)


def _places(project: Project) -> Iterator[dict[str, object]]:
    """By place: items in each state, answers of those wanted, people at work of those wanted."""
    items = WorkItem.objects.filter(project=project, kind=ItemKind.WORK).exclude(state=ItemState.RETIRED)
    states = {(place, state): n for place, state, n in items.values_list("region", "state").annotate(Count("pk"))}
    answers = {
        place: (done, wanted) for place, done, wanted in items.values_list("region").annotate(Sum("done"), Sum("quota"))
    }
    admitted = Participant.objects.filter(project=project, state__in=("active", "finished"), excluded=False)
    # A person counts for a region and for a group, and once where both are the same or empty.
    people = Counter(place for pair in admitted.values_list("region", "group") for place in set(pair))
    quotas = {quota.region: quota for quota in project.region_quotas.all()}
    for place in sorted({*answers, *quotas}):
        done, wanted = answers.get(place, (0, 0))
        quota = quotas.get(place)
        yield {
            "name": place,
            "wanted_items": quota.items if quota else None,
            **{name: states.get((place, state), 0) for name, state in STATES.items()},
            "answers": done,
            "wanted": wanted,
            "people": people[place] if place else admitted.count(),
            "wanted_people": quota.people if quota else None,
        }
