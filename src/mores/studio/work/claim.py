"""Handing out work: one transaction that gives a person an item, or says that there is none.

Nobody gets an item twice, nobody gets what they wrote, and no item is held by more people than its quota: constraints
of the database refuse all three, whatever is written here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import connection
from django.db.models import BigIntegerField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery

from mores.studio.models import Assignment, Item, ItemVersion, Participant, Project
from mores.studio.work.leases import reclaim
from mores.studio.work.transactions import writing

PRIME = (1 << 31) - 1
Status = Assignment.Status


class NoWork(StrEnum):
    """Why somebody is given nothing."""

    CLOSED = "closed"
    NOT_ADMITTED = "not_admitted"
    NOTHING_LEFT = "nothing_left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Work that somebody holds: numbers of the assignment and of the version of the item that is shown."""

    assignment: int
    shown: int
    lease_until: datetime


def claim(participant: int) -> Claim | NoWork:
    """Work for a participant: what they hold already, or else the next item.

    An item that most others have begun comes first; among equals each person has an order of their own.
    """
    reclaim(Project.objects.filter(participants=participant))
    with writing() as now:
        person = Participant.objects.select_for_update(of=("self",)).select_related("project").get(pk=participant)
        return _held(person) or _refused(person) or _next(person, now)


def _held(person: Participant) -> Claim | None:
    held = Assignment.objects.filter(participant=person.pk, status=Status.CLAIMED).first()
    return None if held is None else _told(held)


def _told(held: Assignment) -> Claim:
    return Claim(assignment=held.pk, shown=held.shown_id, lease_until=held.lease_until)


def _refused(person: Participant) -> NoWork | None:
    if person.project.state != Project.State.OPEN:
        return NoWork.CLOSED
    return None if person.may_work else NoWork.NOT_ADMITTED


def _next(person: Participant, now: datetime) -> Claim | NoWork:
    item = _first(eligible(person))
    if item is None:
        return NoWork.NOTHING_LEFT
    Item.objects.filter(pk=item.pk).update(claims=F("claims") + 1)
    hold = Assignment(
        project_id=person.project_id,
        item=item,
        shown_id=item.shown,  # type: ignore[attr-defined]
        participant=person,
        account_id=person.account_id,
        author_id=item.author_id,
        lease_until=now + timedelta(minutes=person.project.lease_minutes),
        claimed_at=now,
    )
    # A hold of this person that ran out is taken up again.
    again = ("status", "shown", "lease_until", "claimed_at")
    (held,) = Assignment.objects.bulk_create(
        [hold], update_conflicts=True, unique_fields=("item", "participant"), update_fields=again
    )
    return _told(held)


def _first(items: QuerySet[Item]) -> Item | None:
    if connection.vendor != "postgresql":
        return items.first()
    own = ("self",)
    # Others' rows are passed by, so that many people claim at once; only where all are locked does one wait for them.
    return items.select_for_update(skip_locked=True, of=own).first() or items.select_for_update(of=own).first()


def eligible(person: Participant) -> QuerySet[Item]:
    """Items with a free slot that a person may answer, the next one first; one that expired on them is among them."""
    words = ItemVersion.objects.filter(item=OuterRef("pk"), version=OuterRef("version")).values("pk")
    had = Assignment.objects.filter(item=OuterRef("pk"), participant=person).exclude(status=Status.EXPIRED)
    # A product modulo a prime: another order for each person, worked out by the database.
    order = ExpressionWrapper(F("shuffle") * (person.pk * 48271 % PRIME) % PRIME, output_field=BigIntegerField())
    return (
        Item.objects.filter(~Exists(had), project=person.project_id, state=Item.State.OPEN, claims__lt=F("quota"))
        .filter(Q(author__isnull=True) | ~Q(author=person.account_id))
        .filter(region__in={"", person.region, person.group})
        .annotate(shown=Subquery(words))
        .order_by("-claims", order)
    )
