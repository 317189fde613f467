"""Pages and addresses for Prolific: where its people arrive, where it tells of submissions, where owners set it up."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_exempt

from mores.core.errors import InputError
from mores.studio.accounts.links import BACKEND
from mores.studio.models import Participant, Project, ProlificStudy, Role
from mores.studio.recruiting.arrivals import PERSON, STUDY, SUBMISSION, Arrival, Unknown, arrive, read_link
from mores.studio.recruiting.forms import EndForm, StudyForm, SubmissionsForm
from mores.studio.recruiting.submissions import apply, apply_event, apply_table, read_event, signer
from mores.studio.web.access import account_of, arrived, for_everybody, in_project, methods
from mores.studio.web.errors import error_page
from mores.studio.web.middleware import uploaded
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


@for_everybody
@methods("GET")
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Let somebody in whom Prolific sends; the same link leads to the same place each time."""
    project = get_object_or_404(Project, slug=slug)
    found = read_link(project, request.GET.dict(), audience=settings.STUDIO_ORIGIN)
    person = arrive(found) if isinstance(found, Arrival) else found
    if isinstance(person, Unknown):
        return _unknown(request, person)
    login(request, person.account, backend=BACKEND)
    arrived(request, project)
    return redirect("work", slug=project.slug)


def _unknown(request: HttpRequest, why: Unknown) -> HttpResponse:
    title = _("This link does not lead in")
    match why:
        case Unknown.NOT_A_LINK:
            return error_page(request, 400, title, _("Open the study from Prolific: its link carries your ids."))
        case Unknown.NO_STUDY:
            return error_page(
                request, 404, title, _("This study does not belong to this project. Tell its researcher.")
            )
        case Unknown.FORGED:
            return error_page(
                request, 401, title, _("The link is not signed by Prolific, or ran out. Open the study again.")
            )
        case Unknown.TWICE:
            return error_page(
                request,
                409,
                title,
                _("You have taken part already, and everybody does so once. Return this submission."),
            )
        case Unknown.WITHDREW:
            return error_page(request, 410, title, _("You withdrew from this project."))


@csrf_exempt
@for_everybody
@methods("POST")
def hook(request: HttpRequest, slug: str) -> HttpResponse:
    """Take an event of Prolific: signed, once each; what is about nobody here is taken and changes nothing."""
    project = get_object_or_404(Project, slug=slug)
    sign, at = (request.headers.get(f"X-Prolific-Request-{name}", "") for name in ("Signature", "Timestamp"))
    study = signer(project, sign, at, request.body)
    if study is None:
        return JsonResponse({"error": "not signed with the secret of a study"}, status=401)
    try:
        event = read_event(request.headers.get("X-Event-ID", ""), request.body)
    except InputError as error:
        return JsonResponse({"error": str(error)}, status=422)
    return JsonResponse({"changed": int(event is not None and apply_event(study, event))})


@in_project(Role.OWNER)
@methods("GET", "POST")
def studies(request: HttpRequest, project: Project) -> HttpResponse:
    """The studies that send people here, and a form for another one."""
    form = StudyForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        form.instance.project = project
        _save(request, project, form)
        return redirect("studies", slug=project.slug)
    words = {
        "project": project,
        "form": form,
        "table_form": SubmissionsForm(),
        "studies": ProlificStudy.objects.filter(project=project).order_by("pk"),
        "entry": _address(project, "prolific"),
        "hook": _address(project, "prolific-hook"),
        "parameters": "&".join(f"{name}={{{{%{name}%}}}}" for name in (PERSON, STUDY, SUBMISSION)),
    }
    return render(request, "projects/studies.html", words, status=422 if form.errors else 200)


@in_project(Role.OWNER)
@methods("GET", "POST")
def change(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Change a study: its keys when Prolific has new ones, its secret, its codes and rewards."""
    study = get_object_or_404(ProlificStudy, pk=number, project=project)
    form = StudyForm(request.POST or None, instance=study, project=project)
    if request.method == "POST" and form.is_valid():
        _save(request, project, form)
        return redirect("studies", slug=project.slug)
    words = {"project": project, "study": study, "form": form}
    return render(request, "projects/study.html", words, status=422 if form.errors else 200)


def _save(request: HttpRequest, project: Project, form: StudyForm) -> None:
    with writing() as now:
        study = form.save()
        about = {"study": study.study_id, "changed": form.changed_data}
        record(project.pk, "study", about, who=account_of(request).pk, at=now)


def _address(project: Project, name: str) -> str:
    return f"{settings.STUDIO_ORIGIN}{reverse(name, args=[project.slug])}"


@in_project(Role.OWNER)
@methods("POST")
def submissions(request: HttpRequest, project: Project) -> HttpResponse:
    """Take Prolific's table of submissions."""
    form = SubmissionsForm(request.POST, request.FILES)
    if not form.is_valid():
        return error_page(request, 422, _("No table"), _("Choose the CSV that Prolific hands out for a study."))
    try:
        with uploaded(form.cleaned_data["file"]) as path:
            changed = apply_table(project, path)
    except InputError as error:
        return error_page(request, 422, _("This table cannot be read"), str(error))
    words = ngettext("%(n)d submission changed.", "%(n)d submissions changed.", changed)
    messages.success(request, words % {"n": changed})
    return redirect("studies", slug=project.slug)


@in_project(Role.OWNER)
@methods("POST")
def end_by_hand(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Say that somebody returned their submission or ran out of time; what they hold comes free."""
    person = get_object_or_404(Participant.objects.select_related("study"), pk=number, project=project)
    form = EndForm(request.POST)
    if person.study is None or not form.is_valid():
        return error_page(
            request, 422, _("Nothing was changed"), _("Only somebody who came by a study has a submission.")
        )
    apply(person.study, person.session_ext_id, form.cleaned_data["status"], who=account_of(request).pk)
    return redirect("members", slug=project.slug)
