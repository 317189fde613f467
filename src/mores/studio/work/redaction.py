"""AnswerRedaction of an answer on request: its words go for good, that there was one stays, and is paid.

Responses are only ever added to; the database lets the words of one be emptied where a redaction is stored, and nothing
else of it be changed.
"""

from django.db.models import F

from mores.studio.models import AnswerRedaction, Assignment, AssignmentStatus, ItemState, Response, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.drafts import draft_of, drop_draft
from mores.studio.work.transactions import writing


def redact(assignment: int, *, who: int) -> bool:
    """Take the words out of each version of an answer; False where there is none, or it was done before.

    It counts no more. An item that is still open is put to somebody else; one that is closed keeps what was found.
    """
    with writing() as now:
        answered = Assignment.objects.filter(pk=assignment, status__in=Assignment.ANSWERED)
        held = answered.select_for_update(of=("self",)).select_related("item").first()
        if held is None or AnswerRedaction.objects.filter(assignment=held).exists():
            return False
        AnswerRedaction.objects.create(assignment=held, by_id=who)
        versions = Response.objects.filter(assignment=held).update(answer={})
        if held.status == AssignmentStatus.DONE:
            # Locked and asked in one statement: an outcome that is being found has found it, or finds it without this.
            still_open = WorkItem.objects.filter(pk=held.item_id, state=ItemState.OPEN)
            still_open.update(claims=F("claims") - 1, done=F("done") - 1)
        Assignment.objects.filter(pk=held.pk).update(status=AssignmentStatus.EXTRA)
        drop_draft(held.project_id, held.account_id, draft_of(held.pk))
        about = {"item": held.item.key, "participant": held.participant_id, "versions": versions}
        record(held.project_id, "redact", about, who=who, at=now)
        return True
