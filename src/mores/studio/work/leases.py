"""Handing out work and taking it back: one transaction gives a person an item, or says that there is none.

Nobody gets an item twice, nobody gets what they wrote, and no item is held by more people than its quota: constraints
of the database refuse all three, whatever is written here.
"""

import time
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

import msgspec
from django.db import connection
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from mores.studio.models import Assignment, AssignmentStatus, ItemState, WorkItem
from mores.studio.work.assign import AssignmentRequest, CountedItem, next_item, next_item_locked
from mores.studio.work.transactions import sql, stored_time, writing

PAUSE = 10.0  # seconds
_next: dict[int, float] = {}
CLAIMED, EXPIRED, SKIPPED = AssignmentStatus.CLAIMED, AssignmentStatus.EXPIRED, AssignmentStatus.SKIPPED


class NoWork(StrEnum):
    """Reason that somebody is given nothing."""

    CLOSED = "closed"
    NOT_ADMITTED = "not_admitted"
    ENOUGH = "enough"
    NOTHING_LEFT = "nothing_left"


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """Work that somebody holds: the number of the assignment, and until when."""

    assignment: int
    lease_until: datetime


def claim(participant: int, project: int) -> Lease | NoWork:
    """Work for a participant of a project: what they hold already, or else the next item.

    An item that most others have begun comes first; among equals each person has an order of their own.
    """
    reclaim_at_times(project)
    found = _claimed(participant)
    # Before anybody is sent away, stale work is taken back also within the pause.
    if found is NoWork.NOTHING_LEFT and reclaim(project):
        return _claimed(participant)
    return found


def _claimed(participant: int) -> Lease | NoWork:
    while (found := _tried(participant)) is None:  # somebody else was given that slot: there is one fewer to try
        pass
    return found


class ClaimRules(NamedTuple):
    """On what terms somebody works."""

    admitted: bool
    wanted: int | None
    open: bool
    lease_minutes: int
    asker: AssignmentRequest

    @property
    def refused(self) -> NoWork | None:
        """Reason that they are given nothing, whatever there is; None where they may be given work."""
        if not self.open:
            return NoWork.CLOSED
        if not self.admitted:
            return NoWork.NOT_ADMITTED
        return NoWork.ENOUGH if self.wanted is not None and self.asker.answered >= self.wanted else None

    def after(self, answers: int) -> "ClaimRules":
        """The same once they have answered so many more."""
        return self._replace(asker=self.asker._replace(answered=self.asker.answered + answers))


_PERSON = """
SELECT person.state = 'active' AND person.consent_at IS NOT NULL AND NOT person.excluded, person.answers_wanted,
    project.state = 'open', project.lease_minutes,
    person.id, person.project_id, person.account_id, person.region, person."group",
    (SELECT COUNT(*) FROM studio_assignment AS gave
        WHERE gave.participant_id = person.id AND gave.status IN ('done', 'extra', 'excluded')),
    project.check_every,
    EXISTS (SELECT 1 FROM studio_item AS item
        WHERE item.project_id = project.id AND item.state = 'open' AND item.kind IN ('training', 'attention'))
FROM studio_participant AS person JOIN studio_project AS project ON project.id = person.project_id
WHERE person.id = %s
"""
# A hold of this person that ran out is taken up again. The item's words are its newest.
_HOLD = """
INSERT INTO studio_assignment
    (project_id, item_id, shown_id, participant_id, account_id, author_id, lease_until, claimed_at, status)
SELECT %s, words.item_id, words.id, %s, %s, %s, %s, %s, 'claimed'
FROM studio_itemversion AS words WHERE words.item_id = %s AND words.version = %s
ON CONFLICT (item_id, participant_id) DO UPDATE SET
    status = 'claimed', shown_id = excluded.shown_id, lease_until = excluded.lease_until,
    claimed_at = excluded.claimed_at
RETURNING id
"""


def lock_person(participant: int) -> None:
    """Take what one person asks for at once one after another, until the transaction ends; SQLite does so anyway."""
    if connection.vendor == "postgresql":
        sql("SELECT id FROM studio_participant WHERE id = %s FOR UPDATE", participant)


def rules_of(participant: int) -> ClaimRules:
    """The rules for a participant as they are now."""
    ((admitted, wanted, opened, lease_minutes, *asker),) = sql(_PERSON, participant)
    return ClaimRules(admitted, wanted, opened, lease_minutes, AssignmentRequest(*asker))


def lease(rules: ClaimRules, slot: CountedItem, now: datetime) -> Lease:
    """A hold on a slot that is counted, from now on."""
    until, asker = now + timedelta(minutes=rules.lease_minutes), rules.asker
    who = asker.project, asker.participant, asker.account, slot.author
    ((assignment,),) = sql(_HOLD, *who, stored_time(until), stored_time(now), slot.item, slot.version)
    return Lease(assignment=assignment, lease_until=until)


def _tried(participant: int) -> Lease | NoWork | None:
    with writing() as now:
        lock_person(participant)
        held = Assignment.objects.filter(participant=participant, status=CLAIMED).first()
        if held is not None:
            return Lease(assignment=held.pk, lease_until=held.lease_until)
        rules = rules_of(participant)
        if rules.refused is not None:
            return rules.refused
        slot = next_item(rules.asker) or next_item_locked(rules.asker)
        if isinstance(slot, CountedItem):
            return lease(rules, slot, now)
        return None if slot else NoWork.NOTHING_LEFT


def reclaim_at_times(project: int) -> None:
    """Take back stale work of a project, where this process did not do so a moment ago."""
    if time.monotonic() >= _next.get(project, 0):
        _next[project] = time.monotonic() + PAUSE
        reclaim(project)


def reclaim(project: int) -> int:
    """Take back the leases of a project that have run out; gives their number.

    Each is taken back in a transaction of its own, so that locks are always taken in one order: work before item.
    """
    held = Assignment.objects.filter(project=project, status=CLAIMED, lease_until__lt=Now())
    return sum(_expire(assignment) for assignment in list(held.values_list("pk", flat=True)))


def _expire(assignment: int) -> bool:
    with writing() as now:
        held = Assignment.objects.filter(pk=assignment, status=CLAIMED, lease_until__lt=now)
        if not held.update(status=EXPIRED):
            return False
        release(assignment)
        return True


def free(assignment: int, status: AssignmentStatus) -> bool:
    """Give up open work at once, such as that of somebody who returned their submission; False where it is not open."""
    with writing():
        if not Assignment.objects.filter(pk=assignment, status=CLAIMED).update(status=status):
            return False
        release(assignment)
        return True


def free_all(held: QuerySet[Assignment], status: AssignmentStatus) -> None:
    """Give up all that is open of somebody's work."""
    for assignment in held.filter(status=CLAIMED).values_list("pk", flat=True):
        free(assignment, status)


def release(assignment: int) -> None:
    """Give the slot of an assignment back to its item, within a transaction."""
    WorkItem.objects.filter(assignments=assignment).update(claims=F("claims") - 1)


def skip(assignment: int, account: int) -> bool:
    """Give an item back for others; False where this account does not hold it."""
    if not Assignment.objects.filter(pk=assignment, account=account).exists():
        return False
    return free(assignment, SKIPPED)


def undo_skip(assignment: int, account: int) -> bool:
    """Hold a skipped item again; False where its slot is gone, or the person holds another."""
    with writing():
        own = Assignment.objects.filter(pk=assignment, account=account, status=SKIPPED)
        held = own.select_for_update().first()
        if held is None or Assignment.objects.filter(participant=held.participant_id, status=CLAIMED).exists():
            return False
        slot = WorkItem.objects.filter(pk=held.item_id, state=ItemState.OPEN, claims__lt=F("quota"))
        return bool(slot.update(claims=F("claims") + 1)) and bool(own.update(status=CLAIMED))
