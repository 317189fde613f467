"""Progress of a project: from what came in to what was kept, by place, with the projects before and after it."""

from collections import Counter
from collections.abc import Iterator

from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mores.studio.flows.flow import flow_named
from mores.studio.models import ItemKind, ItemState, Participant, ParticipantState, Project, Role, WorkItem
from mores.studio.web.access import account_of, in_project, methods

STATES = {
    "waiting": ItemState.WAITING,
    "open": ItemState.OPEN,
    "kept": ItemState.COMPLETE,
    "dropped": ItemState.DROPPED,
}
"""What the page calls items in a state."""


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def progress(request: HttpRequest, project: Project) -> HttpResponse:
    """The live funnel and progress by place."""
    seen = Project.objects.filter(
        memberships__account=account_of(request), memberships__role__in=(Role.OWNER, Role.REVIEWER)
    )
    allowed = set(seen.values_list("pk", flat=True))
    people = Counter(Participant.objects.filter(project=project).values_list("state", flat=True))
    words = {
        "project": project,
        "stages": [_stage(each) for each in _chain(project) if each.pk in allowed],
        "places": list(_places(project)),
        "people": [(label, people[value]) for value, label in ParticipantState.choices if people[value]],
    }
    return render(request, "projects/progress.html", words)


def _chain(project: Project) -> list[Project]:
    """Projects before a project, itself, and those that it feeds, in this order; each once, even in a ring."""
    before: list[Project] = []
    todo = list(project.fed_by.all())
    while todo:
        each = todo.pop()
        if each != project and each not in before:
            before.insert(0, each)
            todo.extend(each.fed_by.all())
    chain, following = [*before, project], project.feeds
    while following is not None and following not in chain:
        chain.append(following)
        following = following.feeds
    return chain


def _stage(project: Project) -> dict[str, object]:
    """One project of the funnel, in numbers of items."""
    items = WorkItem.objects.filter(project=project, kind=ItemKind.WORK).exclude(state=ItemState.RETIRED)
    states = Counter(items.values_list("state", flat=True))
    counts = {name: states[state] for name, state in STATES.items()}
    return {"name": project.name, "flow": flow_named(project.flow).title, "came": states.total(), **counts}


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
