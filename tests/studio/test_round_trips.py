"""What an answer costs: how often the database is asked, and when its disk is waited for."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from mores.studio.config import POSTGRESQL
from mores.studio.models import Assignment, AuditEvent
from mores.studio.work.audit import record
from mores.studio.work.transactions import one_flush, sql, writing
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, stored

KEY = re.compile(r'name="key" value="(\w+)"')
MOST = 24
"""How often it is asked, for an answer and the next item; BEGIN and COMMIT are not among them."""
ONLY_POSTGRESQL = pytest.mark.parametrize("studio", [POSTGRESQL], indirect=True)


@contextmanager
def _asked() -> Iterator[list[str]]:
    """What the database is asked."""
    words: list[str] = []

    def note(execute: Callable[..., object], sql: str, *rest: object) -> object:
        words.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield words


@BOTH
def test_an_answer_and_the_next_item_ask_the_database_a_few_times(studio: object) -> None:
    project = made.project()
    made.questions(project, 40)
    (person,) = made.annotators(project, 1)
    client = client_of(person.account)
    place = client.get("/p/feasts/work").headers["Location"]
    page = client.get(place).text
    for _ in range(3):
        found = KEY.search(page)
        assert found is not None
        with _asked() as words:
            answer = client.post(place, {"options": "a", "key": found[1]}, headers={"X-Part": "main"})
        assert len(words) <= MOST, (len(words), words)
        page, place = answer.text, answer.headers["Content-Location"]
    assert Assignment.objects.filter(status="done").count() == 3


@BOTH
def test_each_person_begins_what_nobody_has_in_an_order_of_their_own(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 30)
    orders = []
    for person in made.annotators(project, 2):
        given = []
        for _ in range(15):
            held = claimed(person)
            given.append(Assignment.objects.get(pk=held.assignment).item_id)
            stored(person, held)
        orders.append(given)
    assert all(sorted(given) != given for given in orders)
    assert len({*orders[0], *orders[1]}) == 30


@ONLY_POSTGRESQL
def test_what_was_committed_is_on_the_disk_before_anybody_is_told(studio: object) -> None:
    with one_flush():
        with writing() as now:
            record(0, "note", {}, who=None, at=now)
        ((written,),) = sql("SELECT pg_current_wal_insert_lsn()::text")
    ((flushed,),) = sql("SELECT pg_current_wal_flush_lsn() >= %s::pg_lsn", written)
    assert flushed
    assert AuditEvent.objects.count() == 1
