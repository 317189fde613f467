"""Saving what somebody types: a save that builds on an older state than the stored one is refused, not merged."""

from collections.abc import Mapping

import msgspec

from mores.studio.models import Draft
from mores.studio.work.transactions import writing


class SavedDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A draft as it is stored; `ours` is False where another tab or device had saved in between."""

    rev: int
    body: dict[str, object]
    ours: bool


def draft_of(assignment: int) -> str:
    """Name under which the draft of an answer is saved."""
    return f"assignment-{assignment}"


def read_draft(project: int, account: int, name: str) -> SavedDraft | None:
    """The draft that was saved last under a name, None for nothing."""
    draft = Draft.objects.filter(project=project, account=account, name=name).first()
    return None if draft is None else SavedDraft(rev=draft.rev, body=draft.body, ours=True)


def save_draft(project: int, account: int, name: str, *, rev: int, body: Mapping[str, object]) -> SavedDraft:
    """Save a draft that builds on `rev` (0 for the first one); where the stored one is newer, that one comes back."""
    with writing():
        draft, _ = Draft.objects.get_or_create(project_id=project, account_id=account, name=name)
        # Compared and set in one statement, so that of two tabs at once one is refused.
        kept = Draft.objects.filter(pk=draft.pk, rev=rev).update(rev=rev + 1, body=dict(body))
        if not kept:
            draft.refresh_from_db()
            return SavedDraft(rev=draft.rev, body=draft.body, ours=False)
        return SavedDraft(rev=rev + 1, body=dict(body), ours=True)


def drop_draft(project: int, account: int, name: str) -> None:
    """Forget a draft that was sent."""
    with writing():
        Draft.objects.filter(project=project, account=account, name=name).delete()
