"""Handing out work: one transaction that gives a person an item, or says that there is none.

Nobody gets an item twice, nobody gets what they wrote, and no item is held by more people than its quota: constraints
of the database refuse all three, whatever is written here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from mores.studio.models import Assignment
from mores.studio.work.leases import reclaim, reclaim_at_times
from mores.studio.work.transactions import by_hand, locking, read_time, stored_time, writing

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


class _Person(NamedTuple):
    """Who asks for work, and what their project says."""

    participant: int
    project: int
    account: int
    region: str
    group: str
    admitted: bool
    wanted: int | None
    open: bool
    lease_minutes: int
    check_every: int


_PERSON = """
SELECT person.id, person.project_id, person.account_id, person.region, person."group",
    person.state = 'active' AND person.consent_at IS NOT NULL AND NOT person.excluded, person.answers_wanted,
    project.state = 'open', project.lease_minutes, project.check_every
FROM studio_participant AS person JOIN studio_project AS project ON project.id = person.project_id
WHERE person.id = %s
"""
_HELD = "SELECT id, shown_id, lease_until FROM studio_assignment WHERE participant_id = %s AND status = 'claimed'"
_COUNT = """
UPDATE studio_item SET claims = claims + 1 WHERE id = %s AND state = 'open' AND claims < quota RETURNING id
"""
# A hold of this person that ran out is taken up again.
_HOLD = """
INSERT INTO studio_assignment
    (project_id, item_id, shown_id, participant_id, account_id, author_id, lease_until, claimed_at, status)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'claimed')
ON CONFLICT (item_id, participant_id) DO UPDATE SET
    status = 'claimed', shown_id = excluded.shown_id, lease_until = excluded.lease_until,
    claimed_at = excluded.claimed_at
RETURNING id
"""


def _tried(participant: int) -> Claim | NoWork | None:
    with writing() as now:
        person = _Person(*by_hand(_PERSON + locking("person"), participant)[0])
        for assignment, shown, until in by_hand(_HELD, participant):
            return Claim(assignment=assignment, shown=shown, lease_until=read_time(until))
        return _refused(person) or _next(person, now)


def _refused(person: _Person) -> NoWork | None:
    if not person.open:
        return NoWork.CLOSED
    if not person.admitted:
        return NoWork.NOT_ADMITTED
    return NoWork.ENOUGH if _has_enough(person) else None


def _has_enough(person: _Person) -> bool:
    """Whether somebody answered as much as was agreed with them."""
    if person.wanted is None:
        return False
    answered = Assignment.objects.filter(participant=person.participant, status__in=Assignment.ANSWERED)
    return answered.count() >= person.wanted


def _next(person: _Person, now: datetime) -> Claim | NoWork | None:
    found = _eligible(person)
    if found is None:
        return NoWork.NOTHING_LEFT
    if not by_hand(_COUNT, found.item):
        return None
    until = now + timedelta(minutes=person.lease_minutes)
    ((assignment,),) = by_hand(
        _HOLD, person.project, found.item, found.shown, person.participant, person.account, found.author,
        stored_time(until), stored_time(now),
    )  # fmt: skip
    return Claim(assignment=assignment, shown=found.shown, lease_until=until)


class _Free(NamedTuple):
    """An item with a free slot: its number, that of its words, and its author's."""

    item: int
    shown: int
    author: int | None


# Training comes before all else, an attention check after so many answers as the project says. A product modulo a prime
# is another order for each person, worked out by the database.
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
    SELECT SUM(CASE given.kind WHEN 'work' THEN 1 WHEN 'attention' THEN -%s ELSE 0 END) >= %s
    FROM studio_assignment AS gave JOIN studio_item AS given ON given.id = gave.item_id
    WHERE gave.participant_id = %s AND gave.status IN ('done', 'extra', 'excluded')
))
ORDER BY CASE item.kind WHEN 'training' THEN 0 WHEN 'attention' THEN 1 ELSE 2 END,
item.claims DESC, (item.shuffle * %s) %% 2147483647 LIMIT 1
"""


def _eligible(person: _Person) -> _Free | None:
    """The next item that a person may answer; one whose hold ran out on them is among them."""
    salt = person.participant * 48271 % PRIME
    who = person.account, person.participant, person.check_every, person.check_every, person.participant
    about = person.project, person.region, person.group, *who, salt
    # Rows that others are just counting are passed by, so that many people claim at once; where there is no other row,
    # one of these is taken without a lock, and counting waits for it. Claiming never locks two items.
    locks = (f"{locking('item')} SKIP LOCKED", "") if locking("item") else ("",)
    for lock in locks:
        for row in by_hand(_NEXT + lock, *about):
            return _Free(*row)
    return None
