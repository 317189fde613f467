"""How a submission ends: the code that Prolific is told, and the line in the ledger. Asked again, it ends the same."""

from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlencode

from mores.studio.models import Assignment, Participant, Study
from mores.studio.work.audit import record
from mores.studio.work.ledger import LedgerEntry, enter, minutes_of
from mores.studio.work.transactions import writing

State = Participant.State
COMPLETE = "https://app.prolific.com/submissions/complete"
DONE, SCREENED_OUT, DECLINED, LATE = "done", "screened out", "declined", "late"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionCode:
    """The code that pays for a submission."""

    code: str

    @property
    def link(self) -> str:
        """Where Prolific takes the code."""
        return f"{COMPLETE}?{urlencode({'cc': self.code})}"


def end(participant: int) -> CompletionCode | None:
    """End the submission of somebody who is given no more work; None where they came by no study, or returned it."""
    with writing() as now:
        people = Participant.objects.filter(pk=participant, study__isnull=False)
        person = people.select_for_update(of=("self",)).select_related("study").first()
        if person is None or person.study is None:
            return None
        reason = _reason(person)
        if reason is None:
            return None
        if person.state == State.ACTIVE:
            ended = State.FINISHED if reason == DONE else State.LATE
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
    match State(person.state):
        case State.SCREENED_OUT:
            return SCREENED_OUT
        case State.DECLINED:
            return DECLINED
        case State.LATE | State.TIMED_OUT:
            return LATE
        case State.ACTIVE | State.FINISHED:
            answered = Assignment.objects.filter(participant=person, status__in=Assignment.ANSWERED).exists()
            return DONE if answered else LATE
        case State.NEW | State.RETURNED | State.WITHDRAWN:
            return None


def _terms(study: Study, reason: str) -> tuple[str, Decimal]:
    """The code and what is paid; who declines is told how to leave, and paid nothing."""
    return {
        DONE: (study.code_done, study.reward),
        SCREENED_OUT: (study.code_screened_out, study.screen_out_reward),
        DECLINED: (study.code_declined, Decimal(0)),
        LATE: (study.code_late, study.screen_out_reward),
    }[reason]
