"""The page on which a question is written: saved at every step, helped by models where they answer, sent once."""

import re
import uuid
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import cast

import msgspec
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from mores.pipelines.structured_query import UNUSABLE
from mores.studio.flows.fields import PostedForm, Problems, cleaned
from mores.studio.flows.personal import SEEN, warn
from mores.studio.flows.write.attempts import asked_words, is_right, reply_of, words_of
from mores.studio.flows.write.question import LETTERS, fields, first, payload_of, read_question
from mores.studio.flows.write.settings import WritingSettings, writing_settings
from mores.studio.flows.write.survey import is_due
from mores.studio.help.jobs import ask_for, jobs_about, take
from mores.studio.help.prompts import DRAFT, HELPER, HINT, REVISE, VERIFIER, VERIFY, HelpRequest, role_of, wrong_letters
from mores.studio.models import (
    Account,
    ItemState,
    Job,
    JobState,
    Participant,
    ParticipantState,
    Project,
    ProjectState,
    Role,
    WorkItem,
)
from mores.studio.web.access import account_of, in_project, methods
from mores.studio.web.guidance import is_unread, newest_guideline, read_first
from mores.studio.web.scripts import save_typed
from mores.studio.work.drafts import SavedDraft, drop_draft, read_draft, save_draft
from mores.studio.work.items import KeyTaken, NewItem, add_items
from mores.studio.work.transactions import writing


class NotStored(StrEnum):
    """Reason that a question is not taken."""

    SENT_BEFORE = "sent_before"
    WRITER_FULL = "writer_full"
    REGION_FULL = "region_full"


def store(
    project: Project, person: Participant, values: Mapping[str, object], page: str, *, help_: str
) -> NotStored | None:
    """Store a question for the curator; sent again with the same words, it is there already, which is success."""
    offered = writing_settings(project).offered_to(person)
    payload = payload_of({**values, "offered": offered.value})
    new = NewItem(key=page, payload=payload, region=person.region, author=person.account_id, help=help_[:40])
    with writing():
        Project.objects.select_for_update().get(pk=project.pk)  # one at a time, so that no quota is passed
        known = WorkItem.objects.filter(project=project, key=page).exists()
        full = None if known else _full(project, person)
        if full is not None:
            return full
        try:
            add_items(project, [new], who=person.account_id, state=ItemState.WAITING)
        except KeyTaken:
            return NotStored.SENT_BEFORE
    return None


def _full(project: Project, person: Participant) -> NotStored | None:
    """Quota that is used up; a dropped question makes room for another of its region, not of its writer."""
    items = WorkItem.objects.filter(project=project)
    most = writing_settings(project).per_writer
    if 0 < most <= items.filter(author=person.account_id).count():
        return NotStored.WRITER_FULL
    wanted = project.region_quotas.filter(region=person.region).first()
    written = items.filter(region=person.region).exclude(state=ItemState.DROPPED).count()
    return NotStored.REGION_FULL if wanted is not None and written >= wanted.items else None


NAME = "write"
NAMES = ("page", "situation", "question", *LETTERS, "holds", "common", "knows")
_PAGE = re.compile(r"[0-9a-f]{32}")
PostedBody = Mapping[str, Sequence[str]]


@in_project(Role.WRITER)
@methods("GET", "POST")
def write(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the question in the making; save it, ask for help with it, or send it."""
    account = account_of(request)
    person = Participant.objects.get(project=project, account=account)
    if person.state == ParticipantState.NEW:
        return redirect("screening", slug=project.slug)
    if not person.may_work or project.state != ProjectState.OPEN:
        words = _("This project takes no questions from you at the moment. Thank you for your interest!")
        return render(request, "work/none.html", {"project": project, "words": words})
    guideline = newest_guideline(project)
    if guideline is not None and request.method != "POST" and is_unread(guideline, person):
        return read_first(request, project, guideline, reverse("write", args=[project.slug]))
    saved = read_draft(project.pk, account.pk, NAME)
    if request.method != "POST":
        fresh = {"page": [uuid.uuid4().hex]}
        return _page(request, project, person, saved or save_draft(project.pk, account.pk, NAME, rev=0, body=fresh))
    body = _body(request)
    mine = save_draft(project.pk, account.pk, NAME, rev=saved.rev if saved else 0, body=body)
    return _done(request, project, person, body, mine)


def _body(request: HttpRequest) -> dict[str, list[str]]:
    """Form as it is typed; a page without a number of its own gets one."""
    body = {name: request.POST.getlist(name) for name in NAMES}
    if not _PAGE.fullmatch(first(body, "page")):
        body["page"] = [uuid.uuid4().hex]
    return body


def _done(
    request: HttpRequest, project: Project, person: Participant, body: PostedBody, mine: SavedDraft
) -> HttpResponse:
    """Action of the pressed button."""
    account, (what, _sign, name) = account_of(request), request.POST.get("do", "").partition("-")
    if what == "send":
        return _sent(request, project, person, body, mine)
    wanted = writing_settings(project)
    if what == "take":
        _take(project, account, name, body, mine)
    elif what in {HINT, DRAFT, VERIFY, REVISE} and role_of(what) in wanted.offered_to(person).roles:
        problems = _missing(what, body)
        if problems:
            return _page(request, project, person, mine, problems=problems)
        if what != REVISE or name in wanted.ways():
            ask_for(project, account, first(body, "page"), _wanted(what, name, person, body, wanted))
    return redirect(reverse("write", args=[project.slug]) + "#help")


def _missing(what: str, body: PostedBody) -> Problems:
    """Field that a model needs before it can be asked."""
    needed = {HINT: (), DRAFT: ("situation",)}.get(what, ("question", *LETTERS))
    missing = {name: _("Write this first.") for name in needed if not first(body, name).strip()}
    # Said before the answer is known: else nobody could tell whether the model was fooled.
    chosen = {} if what != VERIFY or body.get("holds") else {"holds": _("Choose this first.")}
    return missing | chosen


def _wanted(what: str, strategy: str, person: Participant, body: PostedBody, settings: WritingSettings) -> HelpRequest:
    asks = what in {VERIFY, REVISE}
    return HelpRequest(
        kind=what,
        place=person.region,
        situation=cleaned(first(body, "situation")) if not asks else "",
        question=cleaned(first(body, "question")) if asks else "",
        options=tuple(cleaned(first(body, letter)) for letter in LETTERS) if asks else (),
        holds=tuple(letter for letter in LETTERS if letter in body.get("holds", ())) if asks else (),
        strategy=strategy if what == REVISE else "",
        instruction=settings.ways()[strategy].get("instruction", "") if what == REVISE else "",
    )


def _take(project: Project, account: Account, number: str, body: PostedBody, mine: SavedDraft) -> None:
    """Put a proposal into the form; what stood there stays in the list of what was asked."""
    jobs = {str(job.pk): job for job in jobs_about(project, account, first(body, "page"))}
    job = jobs.get(number)
    proposal = None if job is None else reply_of(job)
    if job is None or proposal is None or job.kind not in {DRAFT, REVISE}:
        return
    take(job)
    taken: dict[str, object] = {name: [str(proposal[name])] for name in ("question", *LETTERS)}
    save_draft(project.pk, account.pk, NAME, rev=mine.rev, body={**body, **taken, "holds": proposal["holds"]})


def _sent(
    request: HttpRequest, project: Project, person: Participant, body: PostedBody, mine: SavedDraft
) -> HttpResponse:
    account = account_of(request)
    read = read_question(body)
    if not isinstance(read, PostedForm):
        return _page(request, project, person, mine, problems=read)
    warned = warn(fields(), read.values, {SEEN: request.POST.getlist(SEEN)})
    if warned is not None:
        return _page(request, project, person, mine, problems=warned.problems, seen=warned.seen)
    page = first(body, "page")
    stored = store(project, person, read.values, page, help_=_helped(jobs_about(project, account, page)))
    if isinstance(stored, NotStored):
        if stored == NotStored.SENT_BEFORE:  # other words under the number of a question that is stored
            again = {**body, "page": [uuid.uuid4().hex]}
            mine = save_draft(project.pk, account.pk, NAME, rev=mine.rev, body=again)
        return _page(request, project, person, mine, notice=_why(stored))
    drop_draft(project.pk, account.pk, NAME)
    messages.success(request, _("Your question is stored. A curator looks at it next."))
    return redirect("survey" if is_due(project, person) else "write", slug=project.slug)


def _why(stored: NotStored) -> str:
    match stored:
        case NotStored.SENT_BEFORE:
            return _("This question was stored before with other words. Send it again to store it as a second one.")
        case NotStored.WRITER_FULL:
            return _("You have written as many questions as this project takes from one person. Thank you!")
        case NotStored.REGION_FULL:
            return _("There are enough questions about your region already. Thank you! Your text is kept.")


def _helped(jobs: Sequence[Job]) -> str:
    """Help by models: the kinds that were answered, or none."""
    kinds = {job.kind for job in jobs if job.state == JobState.ANSWERED}
    return "+".join(kind for kind in (HINT, DRAFT, VERIFY, REVISE) if kind in kinds) or "none"


class ShownJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job as the page shows it.

    Attributes:
        job: The job as it is stored.
        reply: Its reply; None where nothing of use.
        cause: Why it was of no use.
        right: Whether a verifier named what the writer said holds; None where that is not known.
        changed: True where the words were changed since.
    """

    job: Job
    reply: Mapping[str, object] | None
    cause: str
    right: bool | None
    changed: bool


def _shown(job: Job, body: Mapping[str, object]) -> ShownJob:
    typed = {name: cast("list[str]", body.get(name) or []) for name in ("question", *LETTERS, "holds")}
    now = words_of(first(typed, "question"), [first(typed, letter) for letter in LETTERS], typed["holds"])
    stored_wrong = job.state == JobState.ANSWERED and reply_of(job) is None
    # Only our own reading of a reply is told, not what a server says of itself.
    cause = job.error.removeprefix(f"{UNUSABLE}: ") if job.error.startswith(UNUSABLE) else ""
    return ShownJob(
        job=job, reply=reply_of(job), cause=wrong_letters(_holds(job)) if stored_wrong else cause, right=is_right(job),
        changed=asked_words(job) not in {now, now[:5]},
    )  # fmt: skip


def _holds(job: Job) -> Sequence[str]:
    return cast("list[str]", (job.response or {}).get("said", {}).get("holds", []))


def _page(  # noqa: PLR0913 - what a page shows
    request: HttpRequest, project: Project, person: Participant, saved: SavedDraft, *, problems: Problems | None = None,
    notice: str = "", seen: str = "",
) -> HttpResponse:  # fmt: skip
    page = first(saved.body, "page")  # type: ignore[arg-type]
    jobs = jobs_about(project, account_of(request), page)
    wanted = writing_settings(project)
    roles = wanted.offered_to(person).roles
    return render(
        request,
        "write/page.html",
        {
            "project": project,
            "fields": fields(),
            "values": saved.body,
            "page": page,
            "rev": saved.rev,
            "problems": problems or {},
            "notice": notice,
            "seen": seen,
            "jobs": [_shown(job, saved.body) for job in jobs if job.kind != HINT],
            "hints": [job for job in jobs if job.kind == HINT],
            "asking": any(job.state == JobState.ASKED for job in jobs),
            "strategies": wanted.ways() if HELPER in roles else {},
            "helper": HELPER in roles,
            "verifier": VERIFIER in roles,
            "wanted": wanted,
            "written": WorkItem.objects.filter(project=project, author=person.account_id).count(),
            "survey": is_due(project, person),
        },
        status=422 if problems or notice else 200,
    )


@in_project(Role.WRITER)
@methods("POST")
def save_text(request: HttpRequest, project: Project) -> HttpResponse:
    """Save what is typed of a question."""

    def kept(body: dict[str, object]) -> dict[str, object]:
        return {name: value for name, value in body.items() if name in NAMES and isinstance(value, list)}

    return save_typed(request, project, NAME, kept)
