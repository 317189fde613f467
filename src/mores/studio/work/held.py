"""The item that somebody holds, with its words as they are shown."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from mores.studio.work.transactions import by_hand


class Held(NamedTuple):
    """One person's hold on one item; numbers are those of the tables."""

    pk: int
    status: str
    participant: int
    item: int
    kind: str
    payload: Mapping[str, object]

    @property
    def draft(self) -> str:
        """Name under which its draft is saved."""
        return f"assignment-{self.pk}"


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


def held_by(account: int, project: int, assignment: int) -> Held | None:
    """What an account holds or held, None where it is somebody else's."""
    for pk, status, participant, item, kind, payload in by_hand(_HELD, assignment, project, account):
        return Held(pk, status, participant, item, kind, json.loads(payload))
    return None


def answered_by(account: int, project: int) -> int:
    """How many items of a project an account has answered."""
    ((count,),) = by_hand(_ANSWERED, project, account)
    return int(count)
