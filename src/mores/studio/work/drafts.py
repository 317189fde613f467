"""Saving what somebody types: a save that builds on an older state than the stored one is refused, not merged."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mores.studio.models import Draft
from mores.studio.work.statements import SqlQuery, SqlRows, all_by_hand
from mores.studio.work.transactions import writing, writing_first

_READ = "SELECT rev, body FROM studio_draft WHERE project_id = %s AND account_id = %s AND name = %s"
_DROP = "DELETE FROM studio_draft WHERE project_id = %s AND account_id = %s AND name = %s"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedDraft:
    """A draft as it is stored; `ours` is False where another tab or device had saved in between."""

    rev: int
    body: dict[str, object]
    ours: bool


def read_draft(project: int, account: int, name: str) -> SavedDraft | None:
    """What was saved last under a name, None for nothing."""
    return saved_of(all_by_hand(reading(project, account, name))[0])


def reading(project: int, account: int, name: str) -> SqlQuery:
    """What reads it, for `saved_of`."""
    return SqlQuery(_READ, (project, account, name))


def saved_of(rows: SqlRows) -> SavedDraft | None:
    """The draft in the rows of `reading`."""
    return SavedDraft(rev=rows[0][0], body=json.loads(rows[0][1]), ours=True) if rows else None


def save_draft(project: int, account: int, name: str, *, rev: int, body: Mapping[str, object]) -> SavedDraft:
    """Save a draft that builds on `rev` (0 for the first one); where the stored one is newer, that one comes back."""
    with writing():
        draft, _ = Draft.objects.get_or_create(project_id=project, account_id=account, name=name)
        kept = Draft.objects.filter(pk=draft.pk, rev=rev).update(rev=rev + 1, body=dict(body))
        if not kept:
            draft.refresh_from_db()
            return SavedDraft(rev=draft.rev, body=draft.body, ours=False)
        return SavedDraft(rev=rev + 1, body=dict(body), ours=True)


def drop_draft(project: int, account: int, name: str) -> None:
    """Forget a draft that was sent."""
    with writing_first(dropping(project, account, name)):
        pass


def dropping(project: int, account: int, name: str) -> SqlQuery:
    """What forgets it."""
    return SqlQuery(_DROP, (project, account, name))
