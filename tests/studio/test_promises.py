"""What the database itself refuses, whatever the code above it does; and a trail that shows where it was changed."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F

from mores.studio.models import Account, Assignment, AuditEvent, ItemVersion, Response, WorkItem
from mores.studio.work.audit import broken_at, record
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, stored

pytestmark = BOTH
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _refused(act: Callable[[], object], words: str) -> None:
    with pytest.raises((IntegrityError, DatabaseError), match=words), transaction.atomic():
        act()


def _copy(held: Assignment, **changed: object) -> Callable[[], object]:
    facts = {field.attname: getattr(held, field.attname) for field in Assignment._meta.fields if field.name != "id"}
    return lambda: Assignment.objects.create(**(facts | changed))


def test_the_database_refuses_what_must_never_be(studio: object) -> None:
    project = made.project()
    made.questions(project, 2)
    one, other = made.annotators(project, 2)
    held = Assignment.objects.get(pk=claimed(one).assignment)
    second = WorkItem.objects.exclude(pk=held.item_id).get()
    _refused(_copy(held), "assignment_on|participant_id")
    _refused(_copy(held, item_id=second.pk), "assignment_one_open|project_id, .*participant_id")
    _refused(
        _copy(held, participant_id=other.pk, account_id=other.account_id, author_id=other.account_id),
        "assignment_not_of_its_author",
    )
    _refused(lambda: WorkItem.objects.update(claims=F("quota") + 1), "item_claims_within_quota")
    _refused(lambda: WorkItem.objects.update(done=F("claims") + 1), "item_done_within_claims")
    stored(one, claimed(one), key="key")
    again = {"assignment": held, "version": 2, "answer": {}, "idem_key": "key", "at": NOW}
    _refused(lambda: Response.objects.create(**again), "idem_key")


@pytest.mark.parametrize("model", [ItemVersion, Response, AuditEvent])
def test_what_is_only_added_to_can_neither_be_changed_nor_deleted(
    studio: object, model: type[ItemVersion] | type[Response] | type[AuditEvent]
) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person))
    table = model._meta.db_table
    for words in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}"):
        _refused(lambda words=words: connection.cursor().execute(words), "append-only")  # type: ignore[misc]


def test_the_audit_trail_shows_where_it_was_changed(studio: object) -> None:
    account = Account.objects.make("somebody")
    for number in range(4):
        record(7, "note", {"number": number}, who=account.pk, at=NOW)
    assert broken_at(7) is None
    with connection.cursor() as cursor:
        guard = "ALTER TABLE studio_event DISABLE TRIGGER ALL" if connection.vendor == "postgresql" else (
            "DROP TRIGGER studio_event_no_update"
        )  # fmt: skip
        cursor.execute(guard)
    AuditEvent.objects.filter(chain=7, number=3).update(what="another")
    assert broken_at(7) == 3
