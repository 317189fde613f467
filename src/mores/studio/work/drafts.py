"""Saving what somebody types: a save that builds on an older state than the stored one is refused, not merged."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mores.studio.models import Draft
from mores.studio.work.transactions import by_hand, writing

_READ = "SELECT rev, body FROM studio_draft WHERE project_id = %s AND account_id = %s AND name = %s"
_DROP = "DELETE FROM studio_draft WHERE project_id = %s AND account_id = %s AND name = %s RETURNING id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A draft as it is stored; `ours` is False where another tab or device had saved in between."""

    rev: int
    body: dict[str, object]
    ours: bool


def read_draft(project: int, account: int, name: str) -> Saved | None:
    """What was saved last under a name, None for nothing."""
    for rev, body in by_hand(_READ, project, account, name):
        return Saved(rev=rev, body=json.loads(body), ours=True)
    return None


def save_draft(project: int, account: int, name: str, *, rev: int, body: Mapping[str, object]) -> Saved:
    """Save a draft that builds on `rev` (0 for the first one); where the stored one is newer, that one comes back."""
    with writing():
        draft, _ = Draft.objects.get_or_create(project_id=project, account_id=account, name=name)
        kept = Draft.objects.filter(pk=draft.pk, rev=rev).update(rev=rev + 1, body=dict(body))
        if not kept:
            draft.refresh_from_db()
            return Saved(rev=draft.rev, body=draft.body, ours=False)
        return Saved(rev=rev + 1, body=dict(body), ours=True)


def drop_draft(project: int, account: int, name: str) -> None:
    """Forget a draft that was sent."""
    with writing():
        by_hand(_DROP, project, account, name)
