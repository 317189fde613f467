"""The pages where work is done: an item is shown, saved while it is typed, sent, or passed by."""

import uuid
from collections.abc import Mapping
from math import ceil

from django.contrib import messages
from django.db.models import Exists, Min, OuterRef, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.studio.flows.check_items import is_right, rule_after
from mores.studio.flows.closing import close_at_times, close_item
from mores.studio.flows.fields import ItemForm, PostedForm, cleaned, order_of, shuffled
from mores.studio.flows.flow import flow_named
from mores.studio.flows.personal import warn
from mores.studio.flows.readable import NOT_SHOWN, report, sheet_of
from mores.studio.models import (
    Assignment,
    AssignmentStatus,
    ItemKind,
    ItemState,
    Participant,
    ParticipantState,
    Project,
    Response,
    Role,
)
from mores.studio.recruiting.submissions import end
from mores.studio.web.access import account_of, in_project, methods, restore
from mores.studio.web.errors import gone
from mores.studio.web.guidance import is_unread, newest_guideline, read_first
from mores.studio.web.own_answers import may_change, newest_answer
from mores.studio.web.scripts import ASKED, page_or_part, save_typed
from mores.studio.work.drafts import draft_of, read_draft
from mores.studio.work.items import FEEDBACK, key_facts_of
from mores.studio.work.leases import Lease, NoWork, claim, free, skip, undo_skip
from mores.studio.work.submit import AnswerSubmission, Refusal, submit
from mores.studio.work.transactions import database_time, one_flush, writing

GONE = {
    ParticipantState.SCREENED_OUT: gettext_lazy(
        "Thank you for your answers. This project looks for people of other places."
    ),
    ParticipantState.DECLINED: gettext_lazy("You did not agree to take part. Nothing that you told us was stored."),
    ParticipantState.LATE: gettext_lazy("All places are taken by now. Thank you for coming."),
    ParticipantState.RETURNED: gettext_lazy("You returned your submission, and your work went to somebody else."),
    ParticipantState.TIMED_OUT: gettext_lazy(
        "The time for your submission ran out, and your work went to somebody else. Thank you for what you did."
    ),
    ParticipantState.WITHDRAWN: gettext_lazy("You withdrew from this project."),
    ParticipantState.FINISHED: gettext_lazy("You have done all that we asked of you. Thank you!"),
}
"""What is told to who is at work no more."""
REFUSED = {
    NoWork.CLOSED: gettext_lazy("This project hands out no work at the moment."),
    NoWork.ENOUGH: gettext_lazy("You have done all that we asked of you. Thank you!"),
}


def no_work(request: HttpRequest, project: Project, participant: int, why: NoWork) -> HttpResponse:
    """Page that says why there is nothing to do; for people of a study, with the code that ends their submission."""
    person = Participant.objects.get(pk=participant)
    ending = end(person.pk) if person.study_id else None
    # To end a submission may have finished the person, or shut them out as late.
    person.refresh_from_db(fields=["state"])
    waiting = _minutes_to_wait(person) if why == NoWork.NOTHING_LEFT and ending is None else None
    excluded = _("Your answers are kept, and you are given no more work in this project. Thank you for coming.")
    nothing = _("There is nothing left for you to do here. Thank you!")
    text = excluded if person.excluded else GONE.get(ParticipantState(person.state)) or REFUSED.get(why) or nothing
    words = {"project": project, "words": text, "minutes": waiting, "ending": ending}
    return page_or_part(request, "work/none.html", words, place=reverse("work", args=[project.slug]))


def _minutes_to_wait(person: Participant) -> int | None:
    """Minutes until the first hold of somebody else runs out on an item that this person could take; None for none."""
    had = Assignment.objects.filter(item=OuterRef("item"), participant=person).exclude(status=AssignmentStatus.EXPIRED)
    held = Assignment.objects.filter(
        ~Exists(had),
        ~Q(item__author=person.account_id) | Q(item__author=None),
        project=person.project_id,
        status=AssignmentStatus.CLAIMED,
        item__state=ItemState.OPEN,
        item__region__in=("", person.region, person.group),
    )
    until = held.aggregate(first=Min("lease_until"))["first"]
    return None if until is None else max(1, ceil((until - database_time()).total_seconds() / 60))


@in_project(Role.ANNOTATOR)
@methods("GET")
def work(request: HttpRequest, project: Project) -> HttpResponse:
    """Go to the item that somebody holds, or to the next one."""
    person = Participant.objects.get(project=project, account=account_of(request))
    if person.state == ParticipantState.NEW:
        return redirect("screening", slug=project.slug)
    close_at_times(project.pk)
    found = claim(person.pk, project.pk)
    if isinstance(found, Lease):
        return redirect("work-on", slug=project.slug, number=found.assignment)
    return no_work(request, project, person.pk, found)


@in_project(Role.ANNOTATOR)
@methods("GET", "POST")
def work_on(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Show one item, and take its answer."""
    if request.method == "POST":
        return _sent(request, project, _own(request, project, number))
    return _opened(request, project, _own(request, project, number))


def _opened(request: HttpRequest, project: Project, held: Assignment) -> HttpResponse:
    if held.status in {AssignmentStatus.SKIPPED, AssignmentStatus.DISCARDED}:
        return gone(request, _("You passed this item by."))
    given = newest_answer(held) if held.status in Assignment.ANSWERED else None
    if given is not None:
        return _page(request, project, held, values=restore(request) or given.answer, given=given)
    saved = read_draft(project.pk, held.account_id, draft_of(held.pk))
    values = restore(request) or (saved.body if saved else {})
    return _page(request, project, held, values=values, rev=saved.rev if saved else 0)


def _own(request: HttpRequest, project: Project, number: int) -> Assignment:
    """Assignment of an account, with its item and the text that is shown."""
    mine = Assignment.objects.filter(project=project, account=account_of(request))
    held: Assignment = get_object_or_404(mine.select_related("item", "shown", "participant"), pk=number)
    return held


def _page(  # noqa: PLR0913 - what a page shows
    request: HttpRequest, project: Project, held: Assignment, *, values: Mapping[str, object],
    problems: Mapping[str, str] | None = None, key: str = "", seen: str = "", rev: int = 0,
    given: Response | None = None,
) -> HttpResponse:  # fmt: skip
    sheet = _form(project, held)
    if isinstance(sheet, Exception):
        return _not_shown(request, project, held, sheet)
    sheet = _mixed(sheet, held) if project.shuffles else sheet
    guideline = newest_guideline(project)
    here = reverse("work-on", args=[project.slug, held.pk])
    if guideline is not None and given is None and not problems and is_unread(guideline, held.participant):
        return read_first(request, project, guideline, here)
    answered = Assignment.objects.filter(project=project, account=held.account_id, status__in=Assignment.ANSWERED)
    return page_or_part(
        request,
        "work/on.html",
        {
            "project": project,
            "held": held,
            "sheet": sheet,
            "mixed": project.shuffles,
            "values": values,
            "problems": problems or {},
            "rev": rev,
            "seen": seen,
            "given": given,
            "guideline": guideline,
            "open": given is not None and may_change(held),
            # One key for one showing of the form: however often it is sent, it is one answer.
            "key": key or uuid.uuid4().hex,
            "done": answered.count(),
        },
        place=here,
        status=422 if problems else 200,
    )


def _not_shown(request: HttpRequest, project: Project, held: Assignment, why: Exception) -> HttpResponse:
    """Pass an item by that cannot be shown to whoever holds it, and tell its owners."""
    with writing() as now:
        free(held.pk, AssignmentStatus.SKIPPED)
        report(project.pk, NOT_SHOWN, held.item.key, type(why).__name__, at=now)
    words = _("It is our fault; those who run the project are told. Go on with the next one.")
    return page_or_part(
        request, "work/not_shown.html", {"project": project, "words": words},
        place=reverse("work-on", args=[project.slug, held.pk]),
    )  # fmt: skip


def _form(project: Project, held: Assignment) -> ItemForm | Exception:
    """Form of an item; an error where it has none."""
    return sheet_of(flow_named(project.flow), held.shown.payload, project)


def _mixed(form: ItemForm, held: Assignment) -> ItemForm:
    """The form with its options in the order of this person."""
    return shuffled(form, f"{held.participant_id} {held.item_id}")


def _sent(request: HttpRequest, project: Project, held: Assignment) -> HttpResponse:
    flow = flow_named(project.flow)
    sheet = _form(project, held)
    if isinstance(sheet, Exception):
        return _not_shown(request, project, held, sheet)
    posted = dict(request.POST.lists())
    read, key = flow.answer(sheet, posted), cleaned(request.POST.get("key", ""))[:64]
    given = _given_before(held, key)
    if given is not None and not may_change(held):
        return gone(request, _refusal(Refusal.ITEM_COMPLETE))
    # A page that was opened before the answer shows none: nothing is changed from there unseen.
    unseen = given is not None and request.POST.get("changes") != str(given.version)
    if not isinstance(read, PostedForm) or unseen:
        problems = {} if isinstance(read, PostedForm) else read
        return _page(request, project, held, values=posted, problems=problems, key=key, given=given)
    warned = warn(sheet.fields, read.values, posted)
    if warned is not None:
        return _page(
            request, project, held, values=posted, problems=warned.problems, key=key, seen=warned.seen, given=given
        )
    active, shown = request.POST.get("active_ms", ""), _mixed(sheet, held) if "mixed" in posted else sheet
    sending = AnswerSubmission(
        assignment=held.pk, participant=held.participant_id, answer=read.values, key=key or uuid.uuid4().hex,
        active_ms=int(active) if active.isdecimal() and len(active) < 10 else None, order=order_of(shown),
    )  # fmt: skip
    return _stored(request, project, held, sending, given)


def _stored(
    request: HttpRequest, project: Project, held: Assignment, sending: AnswerSubmission, given: Response | None
) -> HttpResponse:
    """Store an answer, and go on."""
    close_at_times(project.pk)
    with one_flush():
        goes_on = request.accepts("text/html")
        # Whoever is excluded by a rule is given nothing more.
        rule = rule_after(project, held.item.kind)
        stored = submit(sending, onward=project.pk if goes_on and rule is None and given is None else None)
        if isinstance(stored, Refusal):
            return gone(request, _refusal(stored))
        if rule is not None:
            rule(held.participant_id)
        if stored.completed is not None:
            close_item(stored.completed)
        if not goes_on:
            return JsonResponse({"response": stored.response, "counted": stored.counted})
        if given is not None:
            messages.success(request, _("Your answer is changed; the one before is kept."))
            return redirect("answers", slug=project.slug)
        # A resent answer gets what the first one got: success.
        messages.success(request, _("Your answer is stored."))
        if held.item.kind == ItemKind.TRAINING:
            _teach(request, held, sending.answer)
        following = stored.following or claim(held.participant_id, project.pk)
        return _onward(request, project, held.participant_id, following)


def _given_before(held: Assignment, key: str) -> Response | None:
    """The answer that this sending changes; None where it is the first, or is that one sent again."""
    given = newest_answer(held) if held.status in Assignment.ANSWERED else None
    return None if given is None or held.responses.filter(idem_key=key).exists() else given


def _onward(request: HttpRequest, project: Project, person: int, found: Lease | NoWork) -> HttpResponse:
    """Page after an answer: at once for a script, by a redirect for a browser that has none."""
    scripted = ASKED in request.headers
    if isinstance(found, NoWork):
        return no_work(request, project, person, found) if scripted else redirect("work", slug=project.slug)
    if scripted:
        return _opened(request, project, _own(request, project, found.assignment))
    return redirect("work-on", slug=project.slug, number=found.assignment)


def _teach(request: HttpRequest, held: Assignment, answer: Mapping[str, object]) -> None:
    """Say whether an answer to a training item is right, and what there is to learn from it."""
    facts = key_facts_of(held.item_id)
    right = is_right(answer, facts)
    wrong = _("This was for practice: another answer is right.")
    words = _("This was for practice, and your answer is right.") if right else wrong
    (messages.success if right else messages.warning)(request, f"{words} {facts.get(FEEDBACK, '')}".strip())


def _refusal(why: Refusal) -> str:
    match why:
        case Refusal.NOT_YOURS | Refusal.KEY_USED:
            return _("This answer belongs to another item. Go on with the next one.")
        case Refusal.GIVEN_UP:
            return _("You passed this item by.")
        case Refusal.REDACTED:
            return _("Your answer to this item was taken out on request; none is taken in its place.")
        case Refusal.ITEM_COMPLETE:
            return _("All answers to this item are in; yours is among them and stays as it is.")


@in_project(Role.ANNOTATOR)
@methods("POST")
def draft(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Save what is typed of an answer."""
    return save_typed(request, project, draft_of(_own(request, project, number).pk))


@in_project(Role.ANNOTATOR)
@methods("POST")
def pass_by(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Give an item back, for others."""
    held = _own(request, project, number)
    skip(held.pk, account_of(request).pk)
    return render(request, "work/skipped.html", {"project": project, "held": held})


@in_project(Role.ANNOTATOR)
@methods("POST")
def undo_skip_view(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Hold a skipped item again, where nobody took it."""
    held = _own(request, project, number)
    if undo_skip(held.pk, account_of(request).pk):
        return redirect("work-on", slug=project.slug, number=held.pk)
    return gone(request, _("Somebody else has this item by now."))
