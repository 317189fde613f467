"""Webhooks: an item that has all its answers is told to addresses of its project, signed, until they take it.

item is closed ─▶ deliveries, in the same transaction ─▶ worker, in a thread of its own ─▶ address

No request waits for an address. An address is reached at the place that was looked up and found public, so that no
name leads into the network of the server; redirects are not followed.
"""

import hashlib
import hmac
import logging
import secrets
import socket
import ssl
from collections.abc import Mapping
from datetime import datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import msgspec
from django.conf import settings
from django.db import DatabaseError, connections
from filelock import FileLock

from mores.core.codec import canonical
from mores.core.errors import InputError
from mores.studio.background import BackgroundWorker
from mores.studio.models import Account, Delivery, Project, Webhook, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.transactions import database_time, writing

MOST_HOOKS, MOST_ATTEMPTS, AT_ONCE, SECONDS, TICK = 10, 9, 20, 10.0, 2.0
LOCK = "hooks.lock"
_log = logging.getLogger("mores.studio.hooks")


def add_webhook(project: Project, address: str, *, by: Account) -> str:
    """Secret of a new address, which is shown once.

    Raises:
        InputError: the address cannot be told anything, or there are too many.
    """
    reachable(address)
    secret = secrets.token_hex(32)
    with writing() as now:
        if Webhook.objects.filter(project=project, ended_at=None).count() >= MOST_HOOKS:
            raise InputError(f"{MOST_HOOKS} addresses are told already; end one first.")
        Webhook.objects.create(project=project, address=address, secret=secret)
        record(project.pk, "webhook", {"host": urlsplit(address).hostname or ""}, who=by.pk, at=now)
    return secret


def end_webhook(project: Project, number: int, *, by: Account) -> None:
    """Tell an address no more; nothing where it has ended, or is of another project."""
    with writing() as now:
        if Webhook.objects.filter(pk=number, project=project, ended_at=None).update(ended_at=now):
            Delivery.objects.filter(webhook=number).update(due_at=None)
            record(project.pk, "webhook-end", {"webhook": number}, who=by.pk, at=now)


def announce(item: WorkItem, at: datetime) -> None:
    """Have addresses told that an item has all its answers, in the transaction that closes it."""
    hooks = list(Webhook.objects.filter(project=item.project_id, ended_at=None))
    # An item that was opened again is closed with more answers, which is another event.
    event = f"{item.project_id}-{item.pk}-{item.done}"
    body = {"id": event, "event": "item.done", "project": item.project.slug, "item": item.key, "state": item.state,
            "answers": item.done}  # fmt: skip
    if hooks:
        rows = [Delivery(webhook=hook, event_id=event, body=body, due_at=at) for hook in hooks]
        Delivery.objects.bulk_create(rows, ignore_conflicts=True)


def signed(body: bytes, secret: str, event: str, stamp: str) -> dict[str, str]:
    """Headers of a delivery: HMAC-SHA256 of the time, a full stop and the body."""
    signature = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return {"Content-Type": "application/json", "User-Agent": "mores-studio", "X-Event-ID": event,
            "X-Mores-Timestamp": stamp, "X-Mores-Signature": f"sha256={signature}"}  # fmt: skip


class _Place(msgspec.Struct, frozen=True):
    """Destination of an address: its parts, and the place that its name stood for when it was looked up."""

    parts: SplitResult
    port: int
    found: str


def reachable(address: str) -> _Place:
    """Destination of an address.

    Raises:
        InputError: it is no https address (http where private places are allowed), its name is unknown, or one of the
            places that it stands for is private.
    """
    private = bool(settings.STUDIO_PRIVATE_HOOKS)
    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        known = parts.scheme == "https" or (private and parts.scheme == "http")
        if not known or not parts.hostname or parts.username or parts.password:
            raise InputError(f"{address[:80]}: expected https:// and a host.")
        places = [str(each[4][0]) for each in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)]
    except (ValueError, OSError) as error:
        raise InputError(f"{address[:80]}: cannot be looked up ({error}).") from error
    if not private and not all(_public(each) for each in places):
        raise InputError(f"{address[:80]}: leads to a private place; expected a public one, or --private-hooks.")
    return _Place(parts, port, places[0])


def _public(place: str) -> bool:
    found = ip_address(place.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or found
    return mapped.is_global and not mapped.is_multicast


class _Pinned(HTTPSConnection):
    """A connection to the place that was checked, by the name that its certificate bears."""

    def __init__(self, place: _Place) -> None:
        super().__init__(place.parts.hostname or "", place.port, timeout=SECONDS)
        self.place = place

    def connect(self) -> None:
        """Connect there."""
        plain = socket.create_connection((self.place.found, self.place.port), timeout=SECONDS)
        if self.place.parts.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)
        else:
            self.sock = plain


def post(address: str, body: bytes, headers: Mapping[str, str]) -> str:
    """Problem of a sending, "" where it was taken."""
    try:
        place = reachable(address)
        connection: HTTPConnection = _Pinned(place)
        try:
            path = place.parts.path or "/"
            query = f"?{place.parts.query}" if place.parts.query else ""
            host = {"Host": place.parts.netloc}
            connection.request("POST", path + query, body=body, headers={**headers, **host})
            status = connection.getresponse().status
        finally:
            connection.close()
    except (InputError, OSError, HTTPException, ValueError) as error:
        return str(error)[:200] or type(error).__name__
    return "" if 200 <= status < 300 else f"HTTP {status}"


def deliver_due() -> int:
    """Send what is due, and store what came of it; how many were sent."""
    due = Delivery.objects.filter(due_at__lte=database_time()).select_related("webhook").order_by("due_at")
    rows = list(due[:AT_ONCE])
    for row in rows:
        body = canonical(row.body)
        stamp = str(int(database_time().timestamp()))
        error = post(row.webhook.address, body, signed(body, row.webhook.secret, row.event_id, stamp))
        with writing() as now:
            attempts = row.attempts + 1
            again = None if not error or attempts >= MOST_ATTEMPTS else now + timedelta(minutes=2**row.attempts)
            # An address that was ended while it was being told is told no more.
            held = Delivery.objects.filter(pk=row.pk, webhook__ended_at=None)
            held.update(attempts=attempts, error=error, due_at=again, taken_at=None if error else now)
    return len(rows)


class HookWorker(BackgroundWorker):
    """Sends what is due until it is stopped; one process of a studio does so, and another follows where it dies."""

    def run(self) -> None:
        """Send what is due, and wait for more; a database that is down is waited for."""
        with FileLock(self.config.folder / LOCK):
            while not self.stopping.is_set():
                try:
                    sent = deliver_due()
                except DatabaseError as error:
                    _log.warning("webhooks wait for the database: %s", error)
                    connections.close_all()
                    sent = 0
                if not sent:
                    self.stopping.wait(TICK)
            connections.close_all()
