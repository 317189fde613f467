"""Clocks are turned by an hour, and no lease grows or shrinks by it: all times are of the database, in UTC."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, connections

from mores.studio.models import Assignment, AuditEvent, Response
from mores.studio.work import transactions
from mores.studio.work.leases import reclaim
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, stored

BERLIN = "Europe/Berlin"
# Half an hour before the clocks there go from 3:00 back to 2:00, and before they go from 2:00 on to 3:00.
BACK, ON = datetime(2025, 10, 26, 0, 30, tzinfo=UTC), datetime(2025, 3, 30, 0, 30, tzinfo=UTC)
pytestmark = BOTH


@pytest.fixture
def in_berlin(studio: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process and the database's server both live by the clock of Berlin."""
    monkeypatch.setenv("TZ", BERLIN)
    time.tzset()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER DATABASE {connection.settings_dict['NAME']} SET timezone TO '{BERLIN}'")
        connections.close_all()  # who connects anew is in that zone
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("before", [BACK, ON])
def test_a_lease_is_as_long_as_ever_when_clocks_change(
    in_berlin: None, monkeypatch: pytest.MonkeyPatch, before: datetime
) -> None:
    def at(minutes: int) -> None:
        monkeypatch.setattr(transactions, "read_time", lambda _now: before + timedelta(minutes=minutes))

    project = made.project(lease_minutes=60)
    made.questions(project, 2)
    one, other = made.annotators(project, 2)
    at(0)
    held, kept = claimed(one), claimed(other)
    assert held.lease_until == before + timedelta(minutes=60)
    assert Assignment.objects.get(pk=held.assignment).lease_until == held.lease_until
    at(45)  # the clock was turned a quarter of an hour ago
    assert reclaim(project.pk) == 0
    answer = stored(other, kept, active_ms=9_000_000)
    assert answer.counted
    assert Response.objects.get().active_ms == 45 * 60_000  # no longer than it was held, by no clock on the wall
    assert claimed(one) == held
    at(61)
    assert reclaim(project.pk) == 1
    assert Assignment.objects.get(pk=held.assignment).status == "expired"


def test_times_are_stored_and_told_in_utc(in_berlin: None) -> None:
    project = made.project(lease_minutes=60)
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    now = datetime.now(UTC)
    assert abs(held.lease_until - timedelta(minutes=60) - now) < timedelta(minutes=5)
    assert abs(Assignment.objects.get(pk=held.assignment).claimed_at - now) < timedelta(minutes=5)
    stored(person, held)
    told = AuditEvent.objects.filter(what="submit").get().at
    assert told.endswith("+00:00")
    assert abs(datetime.fromisoformat(told) - now) < timedelta(minutes=5)
