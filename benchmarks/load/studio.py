"""A studio with a project, its items, and annotators with sessions; and what is stored in it in the end."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Q

from mores.studio.models import (
    Account,
    Assignment,
    ItemVersion,
    Membership,
    Participant,
    Project,
    Response,
    Role,
    WorkItem,
)
from mores.studio.work.items import sha256
from tests.studio.served import session_of

SLUG = "load"


def fill(items: int, people: int, *, quota: int = 5) -> list[str]:
    """Make it, in bulk; gives the sessions of its annotators."""
    project = Project.objects.create(slug=SLUG, name="Load", flow="check", quota=quota)
    payloads = [
        {"question": f"What is done at feast {n}?", "options": [f"{n}-{x}" for x in "abcd"]} for n in range(items)
    ]
    rows = WorkItem.objects.bulk_create(
        WorkItem(project=project, key=f"q{n}", region="JP", quota=quota, shuffle=secrets.randbelow(2**31 - 1))
        for n in range(items)
    )
    ItemVersion.objects.bulk_create(
        ItemVersion(item=row, version=1, payload=payload, sha256=sha256(payload))
        for row, payload in zip(rows, payloads, strict=True)
    )
    accounts = [Account(password="!") for _ in range(people)]
    for n, account in enumerate(accounts):
        account.rename(f"person {n}")
    Account.objects.bulk_create(accounts)
    Membership.objects.bulk_create(Membership(account=a, project=project, role=Role.ANNOTATOR) for a in accounts)
    Participant.objects.bulk_create(
        Participant(project=project, account=account, state="active", region="JP", ext_id=str(account.pk),
                    consent_at=account.made_at)
        for account in accounts
    )  # fmt: skip
    return [session_of(account) for account in accounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What must hold in the end, as counts of what breaks it."""

    stored: int
    lost: int
    over_quota: int
    twice: int
    miscounted: int

    @property
    def sound(self) -> bool:
        """True where nothing broke."""
        return not (self.lost or self.over_quota or self.twice or self.miscounted)


def check(acknowledged: Iterable[str]) -> Check:
    """Hold what is stored against what was acknowledged."""
    keys = set(Response.objects.values_list("idem_key", flat=True))
    pairs = Assignment.objects.values("item", "participant").annotate(n=Count("pk"))
    counted = WorkItem.objects.annotate(
        answered=Count("assignments", filter=Q(assignments__status="done")),
        held=Count("assignments", filter=Q(assignments__status="claimed")),
    )
    wrong = counted.exclude(done=F("answered"), claims=F("answered") + F("held"))
    return Check(
        stored=len(keys),
        lost=len(set(acknowledged) - keys),
        over_quota=WorkItem.objects.filter(claims__gt=F("quota")).count(),
        twice=pairs.filter(n__gt=1).count(),
        miscounted=wrong.count(),
    )
