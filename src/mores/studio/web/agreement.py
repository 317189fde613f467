"""Pages for who runs a project: how far people agree, where they differ, and what holds there."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from mores.studio.flows.agreement import QuestionAgreement, agreements, disputed
from mores.studio.flows.fields import Field, PostedForm, TextField, read_posted
from mores.studio.flows.flow import FlowMetric, flow_named
from mores.studio.flows.readable import built, sheet_of
from mores.studio.models import Project, Role, WorkItem
from mores.studio.web.access import account_of, in_project, methods, roles_in
from mores.studio.web.errors import error_page, refused
from mores.studio.work.decisions import NoDecision, adjudicate, adjudicated, ask_for_one_more
from mores.studio.work.items import read_key_facts
from mores.studio.work.records import ItemRecord, read_item, read_items

SHOWN = 50
REASON = "why"


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def agreement(request: HttpRequest, project: Project) -> HttpResponse:
    """Agreement of people so far, with the flow's own figures."""
    flow, key_facts = flow_named(project.flow), read_key_facts(project)

    def build(items: tuple[ItemRecord, ...]) -> tuple[Sequence[FlowMetric], Sequence[QuestionAgreement]]:
        figures = () if flow.figures is None else flow.figures(project, items)
        return figures, agreements(flow, project, items, key_facts)

    (figures, by_question), unreadable = built(flow, project, read_items(project), build)
    words = {"project": project, "flow": flow, "agreements": by_question, "figures": figures, "unreadable": unreadable}
    return render(request, "projects/agreement.html", words)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET")
def disagreement(request: HttpRequest, project: Project) -> HttpResponse:
    """The items on which people differ most, without who said what."""
    flow = flow_named(project.flow)
    found, unreadable = built(flow, project, read_items(project), lambda items: disputed(flow, project, items))
    decided = adjudicated(project)
    rows = [(each, each.item.key in decided) for each in found[:SHOWN]]
    owns = Role.OWNER in roles_in(project, account_of(request))
    words = {"project": project, "flow": flow, "rows": rows, "count": len(found), "shown": SHOWN, "owns": owns}
    words["unreadable"] = unreadable
    return render(request, "projects/disagreement.html", words)


@in_project(Role.OWNER, Role.REVIEWER)
@methods("GET", "POST")
def decide(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Say which answer holds for one item; answers stay as they were given."""
    flow = flow_named(project.flow)
    item = WorkItem.objects.filter(pk=number, project=project).first()
    if item is None or not flow.adjudicated:
        raise Http404(number)
    record = read_item(item)
    sheet = sheet_of(flow, record.payload, project)
    if isinstance(sheet, Exception):
        return error_page(request, 409, _("This item cannot be shown"), _("Its words are of another kind of work."))
    reason = TextField(name=REASON, legend=_("Why"), required=True, lines=2)
    fields: tuple[Field, ...] = (*(field for field in sheet.fields if not isinstance(field, TextField)), reason)
    posted = dict(request.POST.lists())
    read = read_posted(fields, posted) if request.method == "POST" else None
    if isinstance(read, PostedForm):
        answer = {name: value for name, value in read.values.items() if name != REASON}
        no = adjudicate(item.pk, account_of(request).pk, answer=answer, reason=str(read.values[REASON]))
        if no is not None:
            return refused(request, _why(no))
        messages.success(request, _("Your decision is stored; people's answers stay as they are."))
        return redirect("disagreement", slug=project.slug)
    words = {
        "project": project,
        "item": item,
        "case": next(iter(disputed(flow, project, [record])), None),
        "decisions": item.decisions.filter(kind="adjudicate").select_related("by").order_by("pk"),
        "sheet": sheet,
        "fields": fields,
        "values": posted,
        "problems": read or {},
    }
    return render(request, "projects/decide.html", words, status=422 if read else 200)


@in_project(Role.OWNER)
@methods("POST")
def one_more(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Have one more person answer an item that had all its answers."""
    item = get_object_or_404(WorkItem, pk=number, project=project)
    if ask_for_one_more(item.pk, who=account_of(request).pk):
        messages.success(request, _("One more person is asked. What was found before stays in the audit trail."))
    else:
        messages.info(request, _("This item waits for answers already."))
    return redirect("disagreement", slug=project.slug)


def _why(no: NoDecision) -> str:
    match no:
        case NoDecision.ANSWERED_IT:
            return _("You answered this item yourself; somebody else decides what holds.")
        case NoDecision.NOT_ANSWERED_YET:
            return _("Fewer than two people have answered this item; nobody differs yet.")
