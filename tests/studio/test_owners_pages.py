"""Pages of those who run a project: settings, progress, the ledger, the audit trail, and files that are too much."""

import io
import json
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from mores.studio.models import Account, AuditEvent, Payment, Project, WorkItem
from mores.studio.web.middleware import LARGEST
from mores.studio.work.ledger import LedgerEntry, enter, rows
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in, stored
from tests.studio.prolific import study

FORMS = {
    f"{name}-{count}": number
    for name in ("quotas", "groups")
    for count, number in (("TOTAL_FORMS", "2"), ("INITIAL_FORMS", "0"))
}
SETTINGS = {
    "name": "Feasts",
    "quota": "3",
    "lease_minutes": "20",
    "check_every": "10",
    "checks_judged": "0",
    "checks_right": "0",
    "training_right": "0",
    "quick_seconds": "0",
    "quick_run": "0",
    "same_run": "0",
    "language": "ja",
    "licence": "CC-BY-4.0",
    "questions": "[]",
    "settings": "{}",
}


@BOTH
def test_settings_quotas_and_groups_are_set_together_or_not_at_all(studio: object) -> None:
    project = made.project()
    owner = owner_in(project)
    rows_ = {
        "quotas-0-region": "JP", "quotas-0-items": "30", "quotas-0-people": "5",
        "groups-0-code": "ainu", "groups-0-name": "Ainu", "groups-0-country": "JP",
    }  # fmt: skip
    wrong = FORMS | SETTINGS | rows_ | {"quotas-0-items": "many"}
    assert owner.post("/p/feasts/setup", wrong).status_code == 422
    assert owner.post("/p/feasts/setup", FORMS | SETTINGS | rows_ | {"settings": "[1]"}).status_code == 422
    assert Project.objects.get().quota == 5
    assert owner.post("/p/feasts/setup", FORMS | SETTINGS | rows_).status_code == 302
    project.refresh_from_db()
    assert (project.quota, project.language, project.licence) == (3, "ja", "CC-BY-4.0")
    assert list(project.region_quotas.values_list("region", "items", "people")) == [("JP", 30, 5)]
    assert list(project.groups.values_list("code", "country")) == [("ainu", "JP")]


def test_progress_is_told_by_place_and_along_the_way(studio: object) -> None:
    project, before = made.project(quota=1), made.project("drafts")
    Project.objects.filter(pk=before.pk).update(feeds=project)
    made.questions(project, 2)
    made.questions(before, 3)
    project.region_quotas.create(region="JP", items=9, people=4)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person))
    account = Account.objects.make("owner")
    for each in (project, before):
        each.memberships.create(account=account, role="owner")
    page = " ".join(client_of(account).get("/p/feasts/progress").content.decode().split())
    assert page.index(">Drafts<") < page.index('dir="auto">Feasts</span> <span')
    assert [told for told in ("1 / 2", "1 / 4", "0 / 9") if f">{told}</bdi>" not in page] == []


def test_a_project_that_one_is_no_owner_of_is_not_told_of_in_the_funnel(studio: object) -> None:
    project, before = made.project(), made.project("secret drafts")
    Project.objects.filter(pk=before.pk).update(feeds=project)
    assert "Secret" not in owner_in(project).get("/p/feasts/progress").content.decode()


@BOTH
def test_a_line_is_entered_once_and_corrected_by_another(studio: object) -> None:
    project = made.project()
    (person,) = made.annotators(project, 1)
    line = LedgerEntry(submission="s1", reason="done", status="owed", amount=Decimal(3))
    assert [enter(person, line) for _ in range(3)] == [True, False, False]
    owner = owner_in(project)
    told = {
        "participant": person.pk, "submission": "s1", "status": "owed", "minutes": "0", "amount": "-1.25",
        "currency": "USD", "reason": "=1+1 too much",
    }  # fmt: skip
    for _ in range(2):
        assert owner.post("/p/feasts/payments", told).status_code == 302
    assert owner.post("/p/feasts/payments", told | {"participant": 999}).status_code == 422
    assert [str(row["amount"]) for row in rows(project)] == ["3.00", "-1.25", "-1.25"]
    table = owner.get("/p/feasts/payments.csv").content.decode().splitlines()
    assert table[0] == "participant,source,external_id,submission,status,minutes,amount,currency,reason,at"
    assert len(table) == 4
    assert "0.50" in owner.get("/p/feasts/payments").content.decode()


@BOTH
def test_no_line_of_the_ledger_is_ever_changed(studio: object) -> None:
    (person,) = made.annotators(made.project(), 1)
    enter(person, LedgerEntry(submission="s1", reason="done", status="owed"))
    with pytest.raises(Exception, match="append-only"):
        Payment.objects.update(status="paid")


def test_the_trail_shows_what_happened_and_finds_what_was_changed(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person))
    owner = owner_in(project)
    page = owner.get("/p/feasts/audit?check=yes").content.decode()
    assert "Every event is as it was written." in page
    assert AuditEvent.objects.filter(chain=project.pk).order_by("-number")[0].sha256 in page
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER studio_event_no_update")
        cursor.execute("UPDATE studio_event SET what = 'nothing' WHERE number = 2")
    assert "Event 2 is not as it was written." in owner.get("/p/feasts/audit?check=yes").content.decode()


def test_secrets_of_a_study_are_on_no_page(studio: object) -> None:
    project = made.project()
    study(project)
    assert "the secret of the hook" not in owner_in(project).get("/p/feasts/studies").content.decode()


def _import(client: Client, name: str, content: bytes) -> int:
    return client.post("/p/feasts/import", {"file": SimpleUploadedFile(name, content)}).status_code


def _row(**other: object) -> bytes:
    options = {f"prompt_option_{letter}": f"custom {letter}" for letter in "abcd"}
    row = {"question_idx": "1", "prompt_question": "What is done?", "country": "Japan"} | options | other
    return json.dumps(row).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.jsonl", b"[" * 10_000 + b"]" * 10_000),
        ("deep.json", b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
        ("options.jsonl", _row(prompt_question=[f"option {n}" for n in range(100_000)])),
        ("long.jsonl", _row(prompt_question="x" * 1_000_000)),
        ("long-key.jsonl", _row(question_idx="x" * 1_000)),
        ("long-option.jsonl", _row(prompt_option_a="x" * 150_000)),
        ("not-text.csv", bytes(range(256)) * 100),
        ("rows.jsonl", b"\n".join(_row(question_idx=str(n)) for n in range(20_001))),
    ],
)
@BOTH
def test_a_file_that_is_too_much_is_refused_whole(studio: object, name: str, content: bytes) -> None:
    owner = owner_in(made.project())
    assert _import(owner, name, content) == 422
    assert not WorkItem.objects.exists()


def test_fifty_megabytes_are_turned_away_before_they_are_read(studio: object) -> None:
    owner = owner_in(made.project())
    body = io.BytesIO(b"x")
    answer = owner.generic(
        "POST",
        "/p/feasts/import",
        body.read(),
        content_type="multipart/form-data; boundary=b",
        CONTENT_LENGTH="52428800",
    )
    assert answer.status_code == 413


def test_the_largest_file_that_is_taken_needs_bounded_memory(studio: object) -> None:
    owner = owner_in(made.project())
    line = _row(prompt_question="x" * 10_000) + b"\n"
    content = line * (LARGEST // len(line))
    tracemalloc.start()
    try:
        assert _import(owner, "twice.jsonl", content) == 422
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 12 * LARGEST


def test_the_home_page_leads_everywhere(studio: object, tmp_path: Path) -> None:
    project = made.project()
    page = owner_in(project).get("/p/feasts/").content.decode()
    for name in ("members", "studies", "payments", "setup", "progress", "audit", "import", "invite"):
        assert f'href="/p/feasts/{name}"' in page
