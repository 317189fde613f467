"""What tests do with work, in one line."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from django.db import connections
from django.db.models import F
from django.test import Client

from mores.studio.accounts.links import BACKEND, join
from mores.studio.models import Account, Assignment, Participant, Project, Role
from mores.studio.work.leases import Lease, claim
from mores.studio.work.submit import AnswerSubmission, Refusal, Submitted, submit

THREADS = 8


def owner_in(project: Project, name: str = "owner") -> Client:
    """A browser at which an owner of a project is signed in."""
    account = Account.objects.make(name)
    join(project, account, Role.OWNER)
    return client_of(account)


def client_of(account: Account) -> Client:
    """A browser at which somebody is signed in."""
    client = Client()
    client.force_login(account, backend=BACKEND)
    return client


def claimed(person: Participant) -> Lease:
    """The item that somebody is given."""
    found = claim(person.pk, person.project_id)
    assert isinstance(found, Lease), found
    return found


def sent(person: Participant, held: Lease, *chosen: str, key: str = "", active_ms: int | None = None) -> object:
    """What comes of sending an answer."""
    answer: dict[str, object] = {"options": list(chosen or ("a",))}
    return submit(
        AnswerSubmission(
            assignment=held.assignment,
            participant=person.pk,
            answer=answer,
            key=key or f"key of {held.assignment}",
            active_ms=active_ms,
        )
    )


def stored(person: Participant, held: Lease, *chosen: str, key: str = "", active_ms: int | None = None) -> Submitted:
    """An answer that is taken."""
    found = sent(person, held, *chosen, key=key, active_ms=active_ms)
    assert isinstance(found, Submitted), found
    return found


def refused(person: Participant, held: Lease, key: str) -> Refusal:
    """Why an answer is not taken."""
    found = sent(person, held, key=key)
    assert isinstance(found, Refusal), found
    return found


def let_pass(held: Lease, **time: float) -> None:
    """Let so much time pass for one piece of work."""
    Assignment.objects.filter(pk=held.assignment).update(
        lease_until=F("lease_until") - timedelta(**time), claimed_at=F("claimed_at") - timedelta(**time)
    )


def all_at_once(act: Callable[[int], object], times: int) -> list[object]:
    """What comes of doing it so many times, in threads that each have their own way to the database."""

    def one(number: int) -> object:
        try:
            return act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(one, range(times)))
