"""Items of a project as those who run it look back at them: a table, each item as people see it, and taking back."""

import msgspec
from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mores.core.codec import encode
from mores.studio.flows.fields import ItemForm, words_of
from mores.studio.flows.flow import Flow, flow_named
from mores.studio.models import (
    ItemImport,
    ItemKind,
    ItemProblem,
    ItemState,
    ItemVersion,
    Project,
    Response,
    Role,
    WorkItem,
)
from mores.studio.web.access import account_of, in_project, methods, roles_in
from mores.studio.work.retiring import bring_back, retire, settle_problem, undo_import

PAGE, EXCERPT = 100, 160
ANY = ("", gettext_lazy("any"))


class FilterForm(forms.Form):
    """Filters of the table."""

    words = forms.CharField(label=gettext_lazy("Id or words"), max_length=200, required=False)
    state = forms.ChoiceField(label=gettext_lazy("State"), choices=[ANY, *ItemState.choices], required=False)
    kind = forms.ChoiceField(label=gettext_lazy("Kind"), choices=[ANY, *ItemKind.choices], required=False)
    problems = forms.BooleanField(label=gettext_lazy("With problems that people told of"), required=False)


class RetireForm(forms.Form):
    """Reason that an item is retired."""

    reason = forms.CharField(label=gettext_lazy("Why"), max_length=500)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def items(request: HttpRequest, project: Project) -> HttpResponse:
    """The items that are looked for, the newest first."""
    form = FilterForm(request.GET)
    found = _found(project, form.cleaned_data) if form.is_valid() else WorkItem.objects.none()
    open_problems = Count("problems", filter=Q(problems__handled_at=None))
    page = Paginator(found.annotate(open_problems=open_problems).order_by("-pk"), PAGE).get_page(
        request.GET.get("page")
    )
    shown = {(item.pk, item.version) for item in page}
    versions = ItemVersion.objects.filter(item__in=[number for number, _version in shown])
    words = {each.item_id: each for each in versions if (each.item_id, each.version) in shown}
    flow = flow_named(project.flow)
    counted = Count("items", filter=~Q(items__state=ItemState.RETIRED))
    asked = request.GET.copy()
    asked.pop("page", None)
    values = {
        "project": project,
        "form": form,
        "page": page,
        "asked": asked.urlencode(),
        "rows": [(item, _excerpt(flow, project, words[item.pk])) for item in page],
        "imports": project.imports.annotate(left=counted).filter(left__gt=0).order_by("-pk")[:PAGE],
        "owns": Role.OWNER in roles_in(project, account_of(request)),
    }
    return render(request, "projects/items.html", values)


def _found(project: Project, asked: dict[str, object]) -> QuerySet[WorkItem]:
    found = WorkItem.objects.filter(project=project)
    for name in ("state", "kind"):
        if asked[name]:
            found = found.filter(**{name: asked[name]})
    if asked["problems"]:
        found = found.filter(pk__in=ItemProblem.objects.filter(handled_at=None).values("item"))
    if wanted := str(asked["words"]).strip().casefold():
        # Read here: a database may store letters escaped, and knows no cases beyond those of Latin.
        versions = ItemVersion.objects.filter(item__in=found).values_list("item_id", "item__key", "payload")
        found = found.filter(
            pk__in={
                number
                for number, key, payload in versions.iterator()
                if wanted in key.casefold() or wanted in " ".join(_texts(payload)).casefold()
            }
        )
    return found


def _texts(value: object) -> list[str]:
    """The words in a payload."""
    if isinstance(value, dict | list):
        return [text for part in (value.values() if isinstance(value, dict) else value) for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def _excerpt(flow: Flow, project: Project, words: ItemVersion) -> str:
    form = _form(flow, project, words)
    text = next((each.text for each in form.passages), "") if form else encode(words.payload).decode()
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]} …"


def _form(flow: Flow, project: Project, words: ItemVersion) -> ItemForm | None:
    """Form that people see of some words; None where the flow cannot show them, as where another flow's came in."""
    try:
        return flow.sheet(words.payload, project)
    except (LookupError, TypeError, ValueError, msgspec.ValidationError):
        return None


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def item(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """One item as those who answer see it, with its answers, its versions, and the problems that people told of."""
    found = get_object_or_404(WorkItem, pk=number, project=project)
    flow = flow_named(project.flow)
    versions = list(found.versions.order_by("-version"))
    form = _form(flow, project, versions[0])
    responses = Response.objects.filter(assignment__item=found).select_related("assignment")
    values: dict[str, object] = {
        "project": project,
        "item": found,
        "sheet": form,
        "fields": () if form is None else form.fields,
        "raw": encode(versions[0].payload).decode() if form is None else "",
        "versions": versions,
        "answers": [
            (each, words_of(form.fields if form else (), each.answer)) for each in responses.order_by("-at", "-pk")
        ],
        "item_problems": found.problems.order_by("-pk"),
        "decisions": found.decisions.order_by("-pk"),
        "owns": Role.OWNER in roles_in(project, account_of(request)),
        "reason": RetireForm(),
        "values": {},
        "problems": {},
    }
    return render(request, "projects/item.html", values)


@in_project(Role.OWNER)
@methods("POST")
def retire_item(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Retire an item, or bring it back."""
    found = get_object_or_404(WorkItem, pk=number, project=project)
    who, form = account_of(request).pk, RetireForm(request.POST)
    if "back" in request.POST:
        if bring_back(found.pk, who=who):
            messages.success(request, _("The item stands where it stood before."))
        else:
            messages.warning(request, _("Another item has this id by now; retire that one first."))
    elif form.is_valid():
        retire(found, form.cleaned_data["reason"], who=who)
        messages.success(request, _("Nobody is given this item any more. What was answered is kept and paid."))
    else:
        messages.warning(request, _("Say why: nothing was retired."))
    return redirect("item", slug=project.slug, number=number)


@in_project(Role.OWNER)
@methods("POST")
def undo(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Take an import back."""
    count = undo_import(get_object_or_404(ItemImport, pk=number, project=project), who=account_of(request).pk)
    retired = ngettext("%(count)d item is retired.", "%(count)d items are retired.", count) % {"count": count}
    messages.success(request, f"{retired} " + _("Import the right file: it may have the same ids."))
    return redirect("items", slug=project.slug)


@in_project(Role.OWNER)
@methods("POST")
def settle(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Say that a problem was seen to."""
    problem = get_object_or_404(ItemProblem.objects.select_related("item"), pk=number, item__project=project)
    settle_problem(problem, who=account_of(request).pk)
    return redirect("item", slug=project.slug, number=problem.item_id)
