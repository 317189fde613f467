"""When there may be work again for somebody who is given none."""

from math import ceil

from django.db.models import Exists, Min, OuterRef, Q

from mores.studio.models import Assignment, Item, Participant
from mores.studio.work.transactions import database_time


def minutes_to_wait(person: Participant) -> int | None:
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
