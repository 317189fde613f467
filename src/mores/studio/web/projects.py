"""Pages of a project: making one, how far it is, its guidelines."""

from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from mores.core.codec import read_text
from mores.core.errors import InputError
from mores.studio.accounts.links import join
from mores.studio.design import design_of, make_from
from mores.studio.flows.feeding import lock_feeding
from mores.studio.flows.flow import flow_named
from mores.studio.flows.other_tools import exports_of
from mores.studio.models import (
    Assignment,
    AssignmentStatus,
    ItemKind,
    ItemProblem,
    ItemState,
    Participant,
    Project,
    Role,
    WorkItem,
)
from mores.studio.web.access import account_of, for_owner, in_project, methods, roles_in
from mores.studio.web.forms import DesignForm, ProjectForm, StateForm, owned_by
from mores.studio.web.middleware import uploaded
from mores.studio.web.public import OWN, CreditForm
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


@for_owner
@methods("GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Make a project; whoever makes it owns it."""
    owned = owned_by(account_of(request))
    form = ProjectForm(request.POST or None, owned=owned)
    if request.method == "POST":
        with writing() as now:
            lock_feeding()  # one at a time, so that no two take one address
            if form.is_valid():
                project = form.save()
                join(project, account_of(request), Role.OWNER)
                record(project.pk, "make", {"flow": project.flow}, who=account_of(request).pk, at=now)
                return redirect("project", slug=project.slug)
    return render(request, "projects/new.html", {"form": form, "design_form": DesignForm()})


@for_owner
@methods("POST")
def from_design(request: HttpRequest) -> HttpResponse:
    """Make a project like that of a design; whoever makes it owns it."""
    form = DesignForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            with uploaded(form.cleaned_data["file"]) as path:
                project = make_from(read_text(path), where=str(path), owners=[account_of(request)])
        except InputError as error:
            form.add_error("file", str(error))
        else:
            return redirect("project", slug=project.slug)
    words = {"form": ProjectForm(owned=owned_by(account_of(request))), "design_form": form}
    return render(request, "projects/new.html", words, status=422)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def design(_request: HttpRequest, project: Project) -> HttpResponse:
    """The design of a project as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{project.slug}.toml"'}
    return HttpResponse(design_of(project), content_type="application/toml", headers=headers)


@in_project(*Role)
def show(request: HttpRequest, project: Project) -> HttpResponse:
    """A project: progress and tools for who runs it, the way to work for who works."""
    roles = roles_in(project, account_of(request))
    managing = not roles.isdisjoint({Role.OWNER, Role.REVIEWER})
    person = Participant.objects.filter(project=project, account=account_of(request)).first()
    thanked = person is not None and person.source == OWN
    return render(
        request,
        "projects/show.html",
        {
            "project": project,
            "flow": flow_named(project.flow),
            "exports": exports_of(flow_named(project.flow)),
            "roles": roles,
            "managing": managing,
            "progress": progress(project) if managing else None,
            "person": person,
            "credit_form": CreditForm(initial={"credit": person.credit}) if person is not None and thanked else None,
            "state_form": StateForm(instance=project),
        },
    )


def progress(project: Project) -> dict[str, object]:
    """Progress of a project, in numbers."""
    states = dict(
        WorkItem.objects.filter(project=project, kind=ItemKind.WORK).values_list("state").annotate(Count("pk"))
    )
    in_use = WorkItem.objects.filter(project=project, kind=ItemKind.WORK).exclude(state=ItemState.RETIRED)
    wanted = in_use.aggregate(quota=Sum("quota"), done=Sum("done"))
    held = dict(Assignment.objects.filter(project=project).values_list("status").annotate(Count("pk")))
    answered = Participant.objects.filter(project=project, assignments__status__in=Assignment.ANSWERED)
    return {
        "items": [
            (label, states.get(value, 0))
            for value, label in ItemState.choices
            if states.get(value) or value not in {ItemState.RETURNED, ItemState.RETIRED}
        ],
        "answers": wanted["done"] or 0,
        "wanted": wanted["quota"] or 0,
        "work": [(label, held.get(value, 0)) for value, label in AssignmentStatus.choices],
        "people": answered.distinct().count(),
        "problems": ItemProblem.objects.filter(item__project=project, handled_at=None).count(),
    }


@in_project(Role.OWNER)
@methods("POST")
def state(request: HttpRequest, project: Project) -> HttpResponse:
    """Open, pause or close a project."""
    form = StateForm(request.POST, instance=project)
    if form.is_valid():
        with writing() as now:
            form.save()
            record(project.pk, "state", {"state": project.state}, who=account_of(request).pk, at=now)
    return redirect("project", slug=project.slug)
