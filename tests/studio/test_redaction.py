"""An answer is redacted on request: its words go for good, and the database lets nothing else of it be changed."""

import json

import pytest
from django.db import DatabaseError, connection, transaction

from mores.studio.config import DATABASE_FILE, StudioConfig
from mores.studio.flows.closing import close_all
from mores.studio.flows.exporting import export_files
from mores.studio.models import (
    AnswerRedaction,
    Assignment,
    AuditEvent,
    Draft,
    Participant,
    Project,
    Response,
    WorkItem,
)
from mores.studio.work.audit import broken_at
from mores.studio.work.exclusion import exclude, readmit
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.redaction import redact
from mores.studio.work.submit import AnswerSubmission, Refusal, submit
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in

SECRET = "My aunt Ngozi answers at +34 600 123 456."


def _labelled(quota: int = 1, people: int = 1) -> tuple[Project, list[Participant]]:
    """A project in which each person labelled one item, with a note of which another version was sent."""
    project = made.project("judging", flow="label", quota=quota)
    payload = {"task": "Is it so?", "place": "", "words": "She waits.", "options": ["yes", "no"]}
    add_items(project, [NewItem(key="one", payload=payload)], who=None)
    found = made.annotators(project, people)
    for person in found:
        held = claimed(person)
        for version in range(2):
            _said(person, held.assignment, f"v{version} of {person.pk}")
    return project, found


def _said(person: Participant, assignment: int, key: str) -> object:
    answer: dict[str, object] = {"label": "yes", "note": SECRET}
    return submit(AnswerSubmission(assignment=assignment, participant=person.pk, answer=answer, key=key))


@BOTH
def test_an_owner_takes_the_words_out_of_every_version(studio: object) -> None:
    project, (person, _other) = _labelled(quota=3, people=2)
    owner = owner_in(project)
    Draft.objects.create(project=project, account=person.account, name="assignment-1", body={"note": [SECRET]})
    asked = {"item": "one", "person": f"p{person.pk}"}
    assert SECRET in owner.get("/p/judging/redact", asked).content.decode()
    assert f"redact?item=one&amp;person=p{person.pk}" in owner.get("/p/judging/personal").content.decode()
    assert owner.post("/p/judging/redact", asked).status_code == 302
    assert [each.answer for each in Response.objects.filter(assignment__participant=person)] == [{}, {}]
    assert SECRET in str(list(Response.objects.exclude(assignment__participant=person).values_list("answer")))
    assert not Draft.objects.exists()
    page = owner.get("/p/judging/redact", asked).content.decode()
    assert "is redacted" in page
    assert SECRET not in page
    event = AuditEvent.objects.get(what="redact")
    assert event.about == {"item": "one", "participant": person.pk, "versions": 2}
    assert broken_at(project.pk) is None
    assert owner.post("/p/judging/redact", asked).status_code == 302
    assert AuditEvent.objects.filter(what="redact").count() == 1


def test_the_words_do_not_stay_in_the_file_either(studio: StudioConfig) -> None:
    _, (person,) = _labelled()
    assert SECRET.encode() in _bytes(studio)
    redact(Assignment.objects.get().pk, who=person.account_id)
    assert SECRET.encode() not in _bytes(studio)


def _bytes(studio: StudioConfig) -> bytes:
    """What SQLite has in its file, its log written back."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return b"".join(path.read_bytes() for path in studio.folder.glob(f"{DATABASE_FILE}*"))


@BOTH
def test_exports_show_it_as_redacted(studio: object) -> None:
    project, (person, other) = _labelled(quota=3, people=2)
    redact(Assignment.objects.get(participant=person).pk, who=person.account_id)
    (item,) = [json.loads(line) for line in export_files(project, "answers")["items.jsonl"].decode().splitlines()]
    gone, there = item["answers"]
    assert (gone["redacted"], gone["answer"], gone["counted"]) == (True, {}, False)
    assert "redacted" not in there
    files = export_files(project, "labels")
    assert f"p{person.pk}" not in files["labels.csv"].decode()
    assert f"p{other.pk}" in files["labels.csv"].decode()
    assert json.loads(files["datasheet.json"])["redacted"] == 1


@BOTH
def test_an_open_item_is_put_to_somebody_else_and_a_closed_one_keeps_what_was_found(studio: object) -> None:
    project, (person,) = _labelled()
    item = WorkItem.objects.get()
    assert (item.state, item.done) == ("open", 1)  # a crash before its outcome
    redact(Assignment.objects.get().pk, who=person.account_id)
    item.refresh_from_db()
    assert (item.claims, item.done) == (0, 0)
    (other,) = made.annotators(project, 1, name="other")
    _said(other, claimed(other).assignment, "k")
    close_all(project)
    item.refresh_from_db()
    found = item.outcome
    redact(Assignment.objects.get(participant=other).pk, who=person.account_id)
    item.refresh_from_db()
    assert (item.state, item.done, item.outcome) == ("complete", 1, found)


@BOTH
def test_no_answer_is_taken_in_its_place_and_it_never_counts_again(studio: object) -> None:
    project, (person,) = _labelled(quota=2)
    held = Assignment.objects.get()
    exclude(person.pk, {"reason": "r"}, who=None)
    redact(held.pk, who=person.account_id)
    readmit(person.pk, "r", who=person.account_id)
    held.refresh_from_db()
    assert held.status == "extra"
    assert _said(person, held.pk, "new") is Refusal.REDACTED
    posted = {"label": "yes", "note": "x", "key": "newer"}
    assert client_of(person.account).post(f"/p/judging/work/{held.pk}", posted).status_code == 410
    assert Response.objects.count() == 2
    assert WorkItem.objects.get().done == 0
    assert AuditEvent.objects.filter(chain=project.pk, what="redact").exists()


@BOTH
@pytest.mark.parametrize(
    "change", [{"answer": {"label": "no"}}, {"answer": {}, "version": 7}, {"active_ms": 1}, {"idem_key": "k"}]
)
def test_nothing_else_of_a_response_is_changed_whatever_is_stored(studio: object, change: dict[str, object]) -> None:
    _, (person,) = _labelled()
    AnswerRedaction.objects.create(assignment=Assignment.objects.get(), by=person.account)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Response.objects.update(**change)


@BOTH
def test_no_words_are_emptied_where_no_redaction_is_stored(studio: object) -> None:
    _labelled()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Response.objects.update(answer={})
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Response.objects.all()._raw_delete("default")


@BOTH
def test_a_redaction_is_never_taken_back(studio: object) -> None:
    _, (person,) = _labelled()
    redact(Assignment.objects.get().pk, who=person.account_id)
    for act in (
        lambda: AnswerRedaction.objects.update(by=person.account),
        lambda: AnswerRedaction.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            act()


@BOTH
def test_only_answers_of_the_project_are_redacted(studio: object) -> None:
    project, (person,) = _labelled()
    owner = owner_in(made.project("other"), "other owner")
    asked = {"item": "one", "person": f"p{person.pk}"}
    assert owner.post("/p/judging/redact", asked).status_code == 404
    assert owner.post("/p/other/redact", asked).status_code == 422
    assert owner_in(project).post("/p/judging/redact", asked | {"item": "two"}).status_code == 422
    assert not AnswerRedaction.objects.exists()
