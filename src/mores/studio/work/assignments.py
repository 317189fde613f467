"""The item that somebody holds, with its words as they are shown."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from mores.studio.work.drafts import SavedDraft, reading, saved_of
from mores.studio.work.statements import Ask, SqlQuery, SqlRows, all_by_hand, by_hand


class HeldAssignment(NamedTuple):
    """One person's hold on one item; numbers are those of the tables."""

    pk: int
    status: str
    participant: int
    item: int
    kind: str
    payload: Mapping[str, object]


class ItemView(NamedTuple):
    """What the page of an item says: the item, what was typed of its answer, and how many were answered before."""

    held: HeldAssignment
    saved: SavedDraft | None
    answered: int


_HELD = """
SELECT held.id, held.status, held.participant_id, held.item_id, item.kind, words.payload
FROM studio_assignment AS held JOIN studio_item AS item ON item.id = held.item_id
JOIN studio_itemversion AS words ON words.id = held.shown_id
WHERE held.id = %s AND held.project_id = %s AND held.account_id = %s
"""
_ANSWERED = """
SELECT COUNT(*) FROM studio_assignment
WHERE project_id = %s AND account_id = %s AND status IN ('done', 'extra', 'excluded')
"""


def draft_of(assignment: int) -> str:
    """Name under which the draft of an answer is saved."""
    return f"assignment-{assignment}"


def held_by(account: int, project: int, assignment: int) -> HeldAssignment | None:
    """What an account holds or held, None where it is somebody else's."""
    return _held(by_hand(_HELD, assignment, project, account))


def shown_by(account: int, project: int, assignment: int, ask: Ask = all_by_hand) -> ItemView | None:
    """The same as its page says it, with its draft and a count, read at once."""
    rows, saved, ((answered,),) = ask(
        SqlQuery(_HELD, (assignment, project, account)),
        reading(project, account, draft_of(assignment)),
        SqlQuery(_ANSWERED, (project, account)),
    )
    held = _held(rows)
    return None if held is None else ItemView(held, saved_of(saved), int(answered))


def answered_by(account: int, project: int) -> int:
    """How many items of a project an account has answered."""
    ((count,),) = by_hand(_ANSWERED, project, account)
    return int(count)


def _held(rows: SqlRows) -> HeldAssignment | None:
    for pk, status, participant, item, kind, payload in rows:
        return HeldAssignment(pk, status, participant, item, kind, json.loads(payload))
    return None
