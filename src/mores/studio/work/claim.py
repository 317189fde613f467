"""Handing out work: one transaction that gives a person an item, or says that there is none.

Nobody gets an item twice, nobody gets what they wrote, and no item is held by more people than its quota: constraints
of the database refuse all three, whatever is written here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from mores.studio.work.assign import AssignmentRequest, CountedItem, claim_locked, claim_query
from mores.studio.work.leases import reclaim, reclaim_at_times
from mores.studio.work.statements import SqlQuery, SqlRows, all_by_hand, locking, read_time, stored_time
from mores.studio.work.transactions import writing_first


class NoWork(StrEnum):
    """Why somebody is given nothing."""

    CLOSED = "closed"
    NOT_ADMITTED = "not_admitted"
    ENOUGH = "enough"
    NOTHING_LEFT = "nothing_left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Work that somebody holds: the number of the assignment, and until when."""

    assignment: int
    lease_until: datetime


def claim(participant: int, project: int) -> Lease | NoWork:
    """Work for a participant of a project: what they hold already, or else the next item.

    An item that most others have begun comes first; among equals each person has an order of their own.
    """
    reclaim_at_times(project)
    found = _claimed(participant)
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
        """Why they are given nothing, whatever there is; None where they may be given work."""
        if not self.open:
            return NoWork.CLOSED
        if not self.admitted:
            return NoWork.NOT_ADMITTED
        return NoWork.ENOUGH if self.wanted is not None and self.asker.answered >= self.wanted else None

    def after(self, answers: int) -> "ClaimRules":
        """The same once they have answered so many more."""
        return self._replace(asker=self.asker._replace(answered=self.asker.answered + answers))


LOCK = "SELECT id FROM studio_participant WHERE id = %s"
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
_HELD = "SELECT id, lease_until FROM studio_assignment WHERE participant_id = %s AND status = 'claimed'"
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


def asking_terms(participant: int) -> SqlQuery:
    """What finds the terms of a participant."""
    return SqlQuery(_PERSON, (participant,))


def terms_in(rows: SqlRows) -> ClaimRules:
    """The terms in the rows of `asking_terms`."""
    ((admitted, wanted, opened, lease_minutes, *asker),) = rows
    return ClaimRules(admitted, wanted, opened, lease_minutes, AssignmentRequest(*asker))


def _tried(participant: int) -> Lease | NoWork | None:
    lock = SqlQuery(LOCK + locking("studio_participant"), (participant,))
    with writing_first(lock, asking_terms(participant), SqlQuery(_HELD, (participant,))) as (now, (_, found, held)):
        for assignment, until in held:
            return Lease(assignment=assignment, lease_until=read_time(until))
        terms = terms_in(found)
        return terms.refused or _next(terms, now)


def _next(terms: ClaimRules, now: datetime) -> Lease | NoWork | None:
    ((taken),) = all_by_hand(claim_query(terms.asker))
    slot = CountedItem(*taken[0]) if taken else claim_locked(terms.asker)
    if not isinstance(slot, CountedItem):
        return None if slot else NoWork.NOTHING_LEFT
    hold = ClaimedSlot(terms, slot, now)
    return hold.claim(all_by_hand(hold.asked)[0])


class ClaimedSlot(NamedTuple):
    """A hold on a slot that is taken, from now on."""

    terms: ClaimRules
    slot: CountedItem
    now: datetime

    @property
    def until(self) -> datetime:
        """When it runs out."""
        return self.now + timedelta(minutes=self.terms.lease_minutes)

    @property
    def asked(self) -> SqlQuery:
        """What stores it."""
        asker, slot = self.terms.asker, self.slot
        until, now = stored_time(self.until), stored_time(self.now)
        who = (asker.project, asker.participant, asker.account)
        return SqlQuery(_HOLD, (*who, slot.author, until, now, slot.item, slot.version))

    def claim(self, rows: SqlRows) -> Lease:
        """It as the rows of `asked` say it."""
        return Lease(assignment=rows[0][0], lease_until=self.until)
