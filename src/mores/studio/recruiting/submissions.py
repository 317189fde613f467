"""Submissions on Prolific: their events, by its hook, in its table or through an owner, and the codes that end them."""

import hashlib
import hmac
from base64 import b64encode
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from mores.benchmarks.data_tables import read_table
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.studio.models import (
    Assignment,
    AssignmentStatus,
    Notice,
    Participant,
    ParticipantState,
    Project,
    ProlificStudy,
)
from mores.studio.work.audit import record
from mores.studio.work.leases import free_all
from mores.studio.work.ledger import LedgerEntry, enter, minutes_of
from mores.studio.work.transactions import writing

RETURNED, TIMED_OUT = "RETURNED", "TIMED-OUT"
ENDED = {
    RETURNED: (ParticipantState.RETURNED, AssignmentStatus.DISCARDED),
    TIMED_OUT: (ParticipantState.TIMED_OUT, AssignmentStatus.EXPIRED),
}
"""What becomes of the person and of the work that they hold; an answer that comes after a time-out is still kept."""
JUDGED = ("APPROVED", "REJECTED", "PARTIALLY-APPROVED", "SCREENED-OUT")
GOING = ("RESERVED", "ACTIVE", "AWAITING-REVIEW")
STATUSES = (*GOING, *ENDED, *JUDGED)
COLUMNS = ("Submission id", "Participant id", "Status")
"""Of Prolific's own table of submissions, as an owner downloads and uploads it."""


class SubmissionEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that Prolific tells: the event's id, the submission, and how it stands now."""

    event: str
    submission: str
    status: str


def spelled(status: str) -> str:
    """A status as it is kept, however it is spelled: `Timed out` is `TIMED-OUT`.

    Raises:
        InputError: Prolific has no such status.
    """
    found = status.strip().upper().replace(" ", "-").replace("_", "-")
    if found not in STATUSES:
        raise InputError(f"status '{status.strip()[:40]}'; expected one of {', '.join(STATUSES)}.")
    return found


def signature_of(secret: str, timestamp: str, body: bytes) -> str:
    """Signature of an event by Prolific: HMAC-SHA256 of its time and its words, in base 64."""
    return b64encode(hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()).decode()


def signer(project: Project, signature: str, timestamp: str, body: bytes) -> ProlificStudy | None:
    """The study whose secret an event is signed with, None where it is forged."""
    for study in ProlificStudy.objects.filter(project=project).exclude(hook_secret=""):
        expected = signature_of(study.hook_secret, timestamp, body).encode()
        if hmac.compare_digest(expected, signature.encode()):
            return study
    return None


def read_event(event: str, body: bytes) -> SubmissionEvent | None:
    """Event of a submission; None where it is about something else.

    Raises:
        InputError: it has no id, or cannot be read.
    """
    payload = parse_json(body, where="event")
    if not isinstance(payload, dict) or not event:
        raise InputError("event: expected X-Event-ID and an object.")
    if payload.get("event_type") != "submission.status.change":
        return None
    submission = str(payload.get("resource_id", ""))[:100]
    return SubmissionEvent(event=event[:100], submission=submission, status=spelled(str(payload.get("status", ""))))


def apply_event(study: ProlificStudy, event: SubmissionEvent) -> bool:
    """Apply an event; True if it was new and about somebody here. It is carried out once, however often it is told."""
    with writing():
        # One transaction for the notice and what it does: an event that failed is carried out when it is sent again.
        kept = {"submission": event.submission, "status": event.status}
        _, new = Notice.objects.get_or_create(study=study, event_id=event.event, defaults=kept)
        return new and apply(study, event.submission, event.status)


def apply_table(project: Project, path: Path) -> int:
    """Number of rows that told something new of somebody here; all rows are carried out, or none.

    A row is known again by its submission and status, so that the same table can be uploaded twice.

    Raises:
        InputError: a column is missing, a status is unknown, or a submission is somebody else's.
    """
    rows = [_read_row(row.where, row.cells) for row in read_table(path, COLUMNS)]
    people = Participant.objects.filter(project=project, study__isnull=False).select_related("study")
    known = {person.session_ext_id: person for person in people}
    changed = 0
    with writing():
        for where, who, event in rows:
            person = known.get(event.submission)
            if person is None or person.study is None:
                continue
            if person.ext_id != who:
                raise InputError(f"{where}: submission {event.submission} is of {person.ext_id}; got {who}.")
            changed += apply_event(person.study, event)
    return changed


def _read_row(where: str, cells: dict[str, str]) -> tuple[str, str, SubmissionEvent]:
    submission, who, status = (cells[column].strip() for column in COLUMNS)
    try:
        found = spelled(status)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return (
        where,
        who,
        SubmissionEvent(event=f"table {submission[:60]} {found}", submission=submission[:100], status=found),
    )


def apply(study: ProlificStudy, submission: str, status: str, *, who: int | None = None) -> bool:
    """Carry out what a status means for the person of a submission; False where it changes nothing here."""
    with writing() as now:
        people = Participant.objects.filter(project=study.project_id, study=study, session_ext_id=submission)
        person = people.select_for_update().first()
        if person is None or status in GOING:
            return False
        if status in JUDGED:
            enter(person, LedgerEntry(submission=submission, reason=f"prolific {status}", status=status.lower()))
        else:
            state, work = ENDED[status]
            if person.state in {ParticipantState.RETURNED, ParticipantState.TIMED_OUT}:
                return False
            Participant.objects.filter(pk=person.pk).update(state=state)
            free_all(Assignment.objects.filter(participant=person), work)
        about = {"participant": person.pk, "status": status}
        record(person.project_id, "submission", about, who=who, at=now)
        return True


COMPLETE = "https://app.prolific.com/submissions/complete"
DONE, SCREENED_OUT, DECLINED, LATE = "done", "screened out", "declined", "late"


class CompletionCode(msgspec.Struct, frozen=True, kw_only=True):
    """The code that pays for a submission."""

    code: str

    @property
    def link(self) -> str:
        """Address at which Prolific takes the code."""
        return f"{COMPLETE}?{urlencode({'cc': self.code})}"


def end(participant: int) -> CompletionCode | None:
    """End the submission of somebody who is given no more work; None where they came by no study, or returned it."""
    with writing() as now:
        people = Participant.objects.filter(pk=participant, study__isnull=False)
        # The study's row is not locked, where all of its people would wait for one another.
        person = people.select_for_update(of=("self",)).select_related("study").first()
        if person is None or person.study is None:
            return None
        reason = _reason(person)
        if reason is None:
            return None
        if person.state == ParticipantState.ACTIVE:
            ended = ParticipantState.FINISHED if reason == DONE else ParticipantState.LATE
            Participant.objects.filter(pk=person.pk).update(state=ended)
        code, amount = _terms(person.study, reason)
        line = LedgerEntry(
            submission=person.session_ext_id, reason=reason, status="owed", amount=amount,
            minutes=minutes_of(person), currency=person.study.currency,
        )  # fmt: skip
        if enter(person, line):
            about = {"participant": person.pk, "reason": reason}
            record(person.project_id, "end", about, who=person.account_id, at=now)
        return CompletionCode(code=code)


def _reason(person: Participant) -> str | None:
    match ParticipantState(person.state):
        case ParticipantState.SCREENED_OUT:
            return SCREENED_OUT
        case ParticipantState.DECLINED:
            return DECLINED
        case ParticipantState.LATE | ParticipantState.TIMED_OUT:
            return LATE
        case ParticipantState.ACTIVE | ParticipantState.FINISHED:
            answered = Assignment.objects.filter(participant=person, status__in=Assignment.ANSWERED).exists()
            return DONE if answered else LATE
        case ParticipantState.NEW | ParticipantState.RETURNED | ParticipantState.WITHDRAWN:
            return None


def _terms(study: ProlificStudy, reason: str) -> tuple[str, Decimal]:
    """The code and what is paid; who declines is told how to leave, and paid nothing."""
    return {
        DONE: (study.code_done, study.reward),
        SCREENED_OUT: (study.code_screened_out, study.screen_out_reward),
        DECLINED: (study.code_declined, Decimal(0)),
        LATE: (study.code_late, study.screen_out_reward),
    }[reason]
