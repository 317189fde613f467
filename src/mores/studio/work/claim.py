"""Handing out work: one transaction that gives a person an item, or says that there is none.

Nobody gets an item twice, nobody gets what they wrote, and no item is held by more people than its quota: constraints
of the database refuse all three, whatever is written here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from django.db import connection
from django.db.models import F

from mores.studio.models import Assignment, Item, Participant, Project
from mores.studio.work.leases import reclaim, reclaim_at_times
from mores.studio.work.transactions import writing

PRIME = (1 << 31) - 1


class NoWork(StrEnum):
    """Why somebody is given nothing."""

    CLOSED = "closed"
    NOT_ADMITTED = "not_admitted"
    ENOUGH = "enough"
    NOTHING_LEFT = "nothing_left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Work that somebody holds: numbers of the assignment and of the version of the item that is shown."""

    assignment: int
    shown: int
    lease_until: datetime


def claim(participant: int, project: int) -> Claim | NoWork:
    """Work for a participant of a project: what they hold already, or else the next item.

    An item that most others have begun comes first; among equals each person has an order of their own.
    """
    reclaim_at_times(project)
    found = _claimed(participant)
    if found is NoWork.NOTHING_LEFT and reclaim(project):
        return _claimed(participant)
    return found


def _claimed(participant: int) -> Claim | NoWork:
    while (found := _tried(participant)) is None:  # somebody else was given that slot: there is one fewer to try
        pass
    return found


def _tried(participant: int) -> Claim | NoWork | None:
    with writing() as now:
        person = Participant.objects.select_for_update(of=("self",)).select_related("project").get(pk=participant)
        held = Assignment.objects.filter(participant=participant, status=Assignment.Status.CLAIMED).first()
        return _told(held) if held is not None else _refused(person) or _next(person, now)


def _told(held: Assignment) -> Claim:
    return Claim(assignment=held.pk, shown=held.shown_id, lease_until=held.lease_until)


def _refused(person: Participant) -> NoWork | None:
    if person.project.state != Project.State.OPEN:
        return NoWork.CLOSED
    if not person.may_work:
        return NoWork.NOT_ADMITTED
    return NoWork.ENOUGH if _has_enough(person) else None


def _has_enough(person: Participant) -> bool:
    """Whether somebody answered as much as was agreed with them."""
    if person.answers_wanted is None:
        return False
    answered = Assignment.objects.filter(participant=person, status__in=("done", "extra"))
    return answered.count() >= person.answers_wanted


def _next(person: Participant, now: datetime) -> Claim | NoWork | None:
    found = _eligible(person)
    if found is None:
        return NoWork.NOTHING_LEFT
    item = Item.objects.filter(pk=found.item, state=Item.State.OPEN, claims__lt=F("quota"))
    if not item.update(claims=F("claims") + 1):
        return None
    hold = Assignment(
        project_id=person.project_id,
        item_id=found.item,
        shown_id=found.shown,
        participant=person,
        account_id=person.account_id,
        author_id=found.author,
        lease_until=now + timedelta(minutes=person.project.lease_minutes),
        claimed_at=now,
    )
    # A hold of this person that ran out is taken up again.
    again = ("status", "shown", "lease_until", "claimed_at")
    (held,) = Assignment.objects.bulk_create(
        [hold], update_conflicts=True, unique_fields=("item", "participant"), update_fields=again
    )
    return _told(held)


class _Free(NamedTuple):
    """An item with a free slot: its number, that of its words, and its author's."""

    item: int
    shown: int
    author: int | None


# By hand, as most of a server's time would go into composing it. Training comes before all else, an attention check
# after each ten answers. A product modulo a prime is another order for each
# person, worked out by the database.
_NEXT = """
SELECT item.id, words.id, item.author_id
FROM studio_item AS item JOIN studio_itemversion AS words ON words.item_id = item.id AND words.version = item.version
WHERE item.project_id = %s AND item.state = 'open' AND item.region IN ('', %s, %s) AND item.claims < item.quota
AND (item.author_id IS NULL OR item.author_id <> %s)
AND NOT EXISTS (
    SELECT 1 FROM studio_assignment AS had
    WHERE had.item_id = item.id AND had.participant_id = %s AND had.status <> 'expired'
)
AND (item.kind <> 'attention' OR (
    SELECT SUM(CASE given.kind WHEN 'work' THEN 1 WHEN 'attention' THEN -10 ELSE 0 END) >= 10
    FROM studio_assignment AS gave JOIN studio_item AS given ON given.id = gave.item_id
    WHERE gave.participant_id = %s AND gave.status IN ('done', 'extra')
))
ORDER BY CASE item.kind WHEN 'training' THEN 0 WHEN 'attention' THEN 1 ELSE 2 END,
item.claims DESC, (item.shuffle * %s) %% 2147483647 LIMIT 1
"""


def _eligible(person: Participant) -> _Free | None:
    """The next item that a person may answer; one whose hold ran out on them is among them."""
    salt = person.pk * 48271 % PRIME
    who = person.account_id, person.pk, person.pk
    about: list[int | str] = [person.project_id, person.region, person.group, *who, salt]
    # Rows that others are just counting are passed by, so that many people claim at once; where there is no other row,
    # one of these is taken without a lock, and counting waits for it. Nobody ever locks two items.
    locks = ("FOR UPDATE OF item SKIP LOCKED", "") if connection.vendor == "postgresql" else ("",)
    with connection.cursor() as cursor:
        for lock in locks:
            cursor.execute(_NEXT + lock, about)
            if row := cursor.fetchone():
                return _Free(*row)
    return None
