"""Taking an answer: once, however often it is sent, and never lost.

An answer after its lease ran out takes a free slot where there is one; else it is kept as an extra one: paid, and not
counted.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from mores.studio.models import Assignment
from mores.studio.work.assign import CountedItem, claim_query
from mores.studio.work.assignments import draft_of
from mores.studio.work.audit import appended, end_of
from mores.studio.work.claim import LOCK, ClaimedSlot, ClaimRules, Lease, NoWork, asking_terms, terms_in
from mores.studio.work.drafts import dropping
from mores.studio.work.leases import reclaim_at_times
from mores.studio.work.statements import SqlQuery, all_by_hand, by_hand, locking, read_time, stored_time
from mores.studio.work.transactions import writing_first

Status = Assignment.Status


class Refusal(StrEnum):
    """Why an answer is not taken."""

    NOT_YOURS = "not_yours"
    GIVEN_UP = "given_up"
    ITEM_COMPLETE = "item_complete"
    KEY_USED = "key_used"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSubmission:
    """An answer as it arrives: `key` names one sending, so that a second arrival of it is known."""

    assignment: int
    participant: int
    answer: dict[str, object]
    key: str
    active_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """An answer that is stored.

    Attributes:
        response: Its number.
        counted: Whether it is data.
        completed: The item whose last answer it was; None where more are wanted.
        following: What its sender is given next, or why nothing; None where this has to be claimed apart.
    """

    response: int
    counted: bool
    completed: int | None
    following: Lease | NoWork | None = None


class _Held(NamedTuple):
    """What an answer is to."""

    assignment: int
    status: str
    project: int
    account: int
    item: int
    claimed_at: datetime
    key: str
    excluded: bool


class _Taken(NamedTuple):
    """What an assignment becomes by being answered, and whether its item then has all its answers.

    `counting` says that the slot it holds is still to be counted as answered, which tells whether it has.
    """

    status: Status
    complete: bool = False
    counting: bool = False


_HELD = """
SELECT held.id, held.status, held.project_id, held.account_id, held.item_id, held.claimed_at, item.key,
    person.excluded
FROM studio_assignment AS held JOIN studio_item AS item ON item.id = held.item_id
JOIN studio_participant AS person ON person.id = held.participant_id
WHERE held.id = %s AND held.participant_id = %s
"""
_BEFORE = "SELECT id, assignment_id, idem_key FROM studio_response WHERE idem_key = %s OR assignment_id = %s"
_COUNT = "UPDATE studio_item SET done = done + 1 WHERE id = %s RETURNING done >= quota"
_COUNT_LATE = """
UPDATE studio_item SET claims = claims + 1, done = done + 1 WHERE id = %s AND state = 'open' AND claims < quota
RETURNING done >= quota
"""
_STANDS = "SELECT state = 'open', done >= quota FROM studio_item WHERE id = %s"
_BECOMES = "UPDATE studio_assignment SET status = %s WHERE id = %s AND status <> %s"
_ANSWER = """
INSERT INTO studio_response (assignment_id, version, answer, idem_key, active_ms, at) VALUES (%s, %s, %s, %s, %s, %s)
RETURNING id
"""


def submit(sending: AnswerSubmission, *, onward: int | None = None) -> Submitted | Refusal:
    """Store an answer and forget its draft, or say what came of it before.

    Within the same transaction whoever held the item is given the next one of the project `onward`, as far as nobody
    has to be waited for: a lock on an item while the audit trail is locked could close a circle.
    """
    if onward is not None:
        reclaim_at_times(onward)
    with writing_first(*_reading(sending, onward)) as (now, (_, found, before, *terms)):
        if not found:
            return Refusal.NOT_YOURS
        held = _Held(*found[0])
        for response, assignment, key in before:
            if key == sending.key:
                return _known(response, assignment, held)
        taken = _taken(held)
        if isinstance(taken, Refusal):
            return taken
        # Who answers late or changes an answer may hold other work.
        further = terms_in(terms[0]).after(1) if terms and held.status == Status.CLAIMED else None
        return _store(sending, held, len(before) + 1, taken, now, further)


def _reading(sending: AnswerSubmission, onward: int | None) -> tuple[SqlQuery, ...]:
    """What locks the person, then their hold, and finds what they sent before."""
    who, hold = sending.participant, sending.assignment
    # What one person sends at once is taken one after another; SQLite does so anyway.
    asked = (
        SqlQuery(LOCK + locking("studio_participant"), (who,)),
        SqlQuery(_HELD + locking("held"), (hold, who)),
        SqlQuery(_BEFORE, (sending.key, hold)),
    )
    return asked if onward is None else (*asked, asking_terms(who))


def _known(response: int, assignment: int, held: _Held) -> Submitted | Refusal:
    if assignment != held.assignment:
        return Refusal.KEY_USED
    return Submitted(response=response, counted=held.status == Status.DONE, completed=None)


def _taken(held: _Held) -> _Taken | Refusal:
    """What the assignment becomes by being answered."""
    match Status(held.status):
        case Status.CLAIMED:
            return _Taken(Status.DONE, counting=True)
        case Status.EXPIRED if held.excluded:
            return _Taken(Status.EXCLUDED)
        case Status.EXPIRED:
            counted = by_hand(_COUNT_LATE, held.item)
            return _Taken(Status.DONE, complete=bool(counted[0][0])) if counted else _Taken(Status.EXTRA)
        case Status.DONE:
            # Locked, so that an outcome is not found while one of its answers changes.
            ((opened, complete),) = by_hand(_STANDS + locking("studio_item"), held.item)
            return _Taken(Status.DONE, complete=bool(complete)) if opened else Refusal.ITEM_COMPLETE
        case Status.EXTRA | Status.EXCLUDED:
            return _Taken(Status(held.status))
        case Status.SKIPPED | Status.DISCARDED:
            return Refusal.GIVEN_UP


def _store(
    sending: AnswerSubmission, held: _Held, version: int, taken: _Taken, now: datetime, further: ClaimRules | None
) -> Submitted:
    status, answer, active = taken.status.value, json.dumps(sending.answer), _clipped(sending.active_ms, held, now)
    asked = {
        "becomes": SqlQuery(_BECOMES, (status, held.assignment, status)),
        "answer": SqlQuery(_ANSWER, (held.assignment, version, answer, sending.key, active, stored_time(now))),
    }
    if taken.counting:
        asked["complete"] = SqlQuery(_COUNT, (held.item,))
    if further is not None and further.refused is None:
        asked["slot"] = claim_query(further.asker)
    told = dict(zip(asked, all_by_hand(*asked.values()), strict=True))
    hold = (
        ClaimedSlot(further, CountedItem(*told["slot"][0]), now) if further is not None and told.get("slot") else None
    )
    *holding, last = all_by_hand(*((hold.asked,) if hold else ()), *end_of(held.project))
    ((response,),) = told["answer"]
    about = {"item": held.key, "response": response, "version": version, "status": status}
    all_by_hand(
        appended(last, held.project, "submit", about, who=held.account, at=now),
        dropping(held.project, held.account, draft_of(held.assignment)),
    )
    return Submitted(
        response=int(response),
        counted=taken.status == Status.DONE,
        completed=held.item if (told["complete"][0][0] if taken.counting else taken.complete) else None,
        following=hold.claim(holding[0]) if hold else further and further.refused,
    )


def _clipped(active_ms: int | None, held: _Held, now: datetime) -> int | None:
    """Time on task by the person's own clock, never more than what passed here since the item was given."""
    if active_ms is None:
        return None
    passed = max(0, int((now - read_time(held.claimed_at)).total_seconds() * 1000))
    return min(max(0, active_ms), passed)
