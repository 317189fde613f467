"""The page for somebody who is given no work: why, when to look again, and how to be paid."""

from math import ceil

from django.db.models import Exists, Min, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from mores.studio.models import Assignment, Item, Participant, Project
from mores.studio.recruiting.completion_codes import end
from mores.studio.web.htmx import page_or_part
from mores.studio.work.leases import NoWork
from mores.studio.work.transactions import database_time

State = Participant.State
GONE = {
    State.SCREENED_OUT: _("Thank you for your answers. This project looks for people of other places."),
    State.DECLINED: _("You did not agree to take part. Nothing that you told us was stored."),
    State.LATE: _("All places are taken by now. Thank you for coming."),
    State.RETURNED: _("You returned your submission, and your work went to somebody else."),
    State.TIMED_OUT: _(
        "The time for your submission ran out, and your work went to somebody else. Thank you for what you did."
    ),
    State.WITHDRAWN: _("You withdrew from this project."),
    State.FINISHED: _("You have done all that we asked of you. Thank you!"),
}
"""What is told to who is at work no more."""
REFUSED = {
    NoWork.CLOSED: _("This project hands out no work at the moment."),
    NoWork.ENOUGH: _("You have done all that we asked of you. Thank you!"),
}


def no_work(request: HttpRequest, project: Project, participant: int, why: NoWork) -> HttpResponse:
    """Why there is nothing to do; for people of a study, the code that ends their submission."""
    person = Participant.objects.get(pk=participant)
    ending = end(person.pk) if person.study_id else None
    person.refresh_from_db(fields=["state"])
    waiting = _minutes_to_wait(person) if why == NoWork.NOTHING_LEFT and ending is None else None
    told = _("Your answers are kept, and you are given no more work in this project. Thank you for coming.")
    nothing = _("There is nothing left for you to do here. Thank you!")
    said = told if person.excluded else GONE.get(State(person.state)) or REFUSED.get(why, nothing)
    words = {"project": project, "words": said, "minutes": waiting, "ending": ending}
    return page_or_part(request, "work/none.html", words, place=reverse("work", args=[project.slug]))


def _minutes_to_wait(person: Participant) -> int | None:
    """Minutes until the first hold of somebody else runs out on an item that this person could take; None for none."""
    had = Assignment.objects.filter(item=OuterRef("item"), participant=person).exclude(status=Assignment.Status.EXPIRED)
    held = Assignment.objects.filter(
        ~Exists(had),
        ~Q(item__author=person.account_id) | Q(item__author=None),
        project=person.project_id,
        status=Assignment.Status.CLAIMED,
        item__state=Item.State.OPEN,
        item__region__in=("", person.region, person.group),
    )
    until = held.aggregate(first=Min("lease_until"))["first"]
    return None if until is None else max(1, ceil((until - database_time()).total_seconds() / 60))
