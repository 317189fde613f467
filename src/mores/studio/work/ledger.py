"""Ledger of payments, line by line: a line is never changed, a correction is another one."""

from decimal import Decimal

import msgspec
from django.db.models import Sum

from mores.studio.models import Assignment, Participant, Payment, Project
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

COLUMNS = (
    "participant",
    "source",
    "external_id",
    "submission",
    "status",
    "minutes",
    "amount",
    "currency",
    "reason",
    "at",
)
LONGEST_REASON = 24
"""Letters of a reason by hand: its column has 40, and the number of the correction stands before it."""
CENT = Decimal("0.01")


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line: what is paid, why, how it stands, for how long, and how much; less than nothing takes back."""

    submission: str
    reason: str
    status: str
    amount: Decimal = Decimal(0)
    minutes: Decimal = Decimal(0)
    currency: str = "USD"


def enter(person: Participant, line: LedgerEntry) -> bool:
    """Enter a line; False where this submission has one for this reason, which stays as it is."""
    with writing():
        _, new = Payment.objects.get_or_create(
            participant=person, submission=line.submission, reason=line.reason, defaults=msgspec.structs.asdict(line)
        )
        return new


def correct(person: Participant, line: LedgerEntry, *, who: int) -> None:
    """Enter a line by hand; its reason is numbered, so that each correction is a line of its own."""
    with writing() as now:
        # Locked, so that two corrections at once get two numbers.
        Participant.objects.select_for_update().get(pk=person.pk)
        number = Payment.objects.filter(participant=person, reason__startswith="by hand ").count() + 1
        reason = f"by hand {number}: {line.reason[:LONGEST_REASON]}"
        Payment.objects.create(participant=person, **msgspec.structs.asdict(line) | {"reason": reason})
        # What was typed stands in the ledger alone: the trail has no words in which somebody may be named.
        about = {"participant": person.pk, "reason": f"by hand {number}", "amount": str(line.amount)}
        record(person.project_id, "payment", about, who=who, at=now)


def minutes_of(person: Participant) -> Decimal:
    """Minutes that somebody was at work on what they answered, by the newest version of each answer."""
    answered = Assignment.objects.filter(participant=person, status__in=Assignment.ANSWERED)
    total = 0
    for assignment in answered.prefetch_related("responses"):
        newest = max(assignment.responses.all(), key=lambda response: response.version)
        total += newest.active_ms or 0
    return (Decimal(total) / 60_000).quantize(CENT)


def rows(project: Project) -> list[dict[str, object]]:
    """The ledger of a project as a table, in the order in which its lines were entered."""
    lines = Payment.objects.filter(participant__project=project).select_related("participant").order_by("pk")
    return [
        {
            "participant": f"p{line.participant_id}",
            "source": line.participant.source,
            "external_id": line.participant.ext_id,
            "submission": line.submission,
            "status": line.status,
            "minutes": line.minutes,
            "amount": line.amount,
            "currency": line.currency,
            "reason": line.reason,
            "at": line.made_at.isoformat(),
        }
        for line in lines
    ]


def totals(project: Project) -> list[tuple[str, str, Decimal]]:
    """Totals that are owed and paid: currency, status and sum."""
    found = Payment.objects.filter(participant__project=project).values_list("currency", "status")
    sums = found.annotate(Sum("amount")).order_by("currency", "status")
    return [(currency, status, total.quantize(CENT)) for currency, status, total in sums]
