"""A studio of an older version, with people and answers in it, comes through its update with all of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, connections
from django.test import Client

from mores.studio.config import POSTGRESQL, SQLITE, StudioConfig
from mores.studio.models import Account, Assignment, Response
from mores.studio.work.audit import broken_at
from mores.studio.work.redaction import redact
from tests.studio.conftest import _connect
from tests.studio.databases import emptied

PASSWORD = "a long enough one"
BEFORE = "0004"
AT = "2026-11-01 10:00:00+00:00"
OLD = (
    "Olu Owner",
    "Olu Оwner",
    "ada",
    "withdrawn-4",
    "withdrawn-99",
    "prolific:PID",
    "prolific:pid",
    "Olu\u200b Owner",
)


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StudioConfig]:
    """A studio at the version before, on either database."""
    template = request.getfixturevalue("template_postgresql") if request.param == POSTGRESQL else None
    with emptied(template, tmp_path / "old") as config:
        _connect(config)
        call_command("migrate", "studio", BEFORE, verbosity=0)
        call_command("migrate", "axes", verbosity=0)
        call_command("migrate", "sessions", verbosity=0)
        yield config
        connections.close_all()


def _insert(table: str, **row: Any) -> None:
    names, marks = ", ".join(f'"{name}"' for name in row), ", ".join(["%s"] * len(row))
    with connection.cursor() as cursor:
        cursor.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', list(row.values()))


def _filled() -> None:
    """People of whom some look alike, one who withdrew, a log of sign-ins, and an answer."""
    for number, name in enumerate(OLD, start=1):
        _insert(
            "studio_account", id=number, name=name, password="!gone" if number == 4 else f"md5$salt${number}",
            is_owner=number == 1, is_active=number != 4, made_at=AT,
        )  # fmt: skip
    log = {"user_agent": "x", "ip_address": "192.0.2.1", "http_accept": "x", "attempt_time": AT, "session_hash": ""}
    _insert("axes_accesslog", username="Olu Owner", path_info="/enter/5uGx", **log)
    _insert(
        "studio_project", id=1, slug="feasts", name="Feasts", flow="check", language="en", licence="", state="open",
        quota=1, lease_minutes=60, check_every=10, checks_judged=0, checks_right=0, settings="{}", questions="[]",
        made_at=AT,
    )  # fmt: skip
    _insert(
        "studio_participant", id=1, project_id=1, account_id=3, state="active", region="JP", group="", source="studio",
        ext_id="3", session_ext_id="", asked_region="", nationality="JP", residence_before_18="JP", age_band="",
        gender="", student="", excluded=False, joined_at=AT,
    )  # fmt: skip
    _insert(
        "studio_item", id=1, project_id=1, key="q", kind="work", version=1, region="JP", state="open", quota=1,
        claims=1, done=1, shuffle=1, made_at=AT,
    )  # fmt: skip
    _insert(
        "studio_itemversion", id=1, item_id=1, version=1, payload='{"question": "?", "options": ["a","b","c","d"]}',
        sha256="", help="", made_at=AT,
    )  # fmt: skip
    _insert(
        "studio_assignment", id=1, project_id=1, item_id=1, shown_id=1, participant_id=1, account_id=3, status="done",
        lease_until=AT, claimed_at=AT,
    )  # fmt: skip
    _insert("studio_response", id=1, assignment_id=1, version=1, answer='{"options": ["a"]}', idem_key="k", at=AT)


def test_nobody_is_lost_and_no_two_are_taken_for_one(old: StudioConfig) -> None:
    _filled()
    call_command("migrate", verbosity=0)
    names = dict(Account.objects.order_by("pk").values_list("pk", "name"))
    assert list(names.values()) == [*OLD[:3], "withdrawn:4", *OLD[4:]]
    for looks in ("looks_small", "looks_capital"):
        assert len(set(Account.objects.values_list(looks, flat=True))) == len(OLD)
    # Who was first has the name in all its spellings, each other one by its very letters.
    assert Account.objects.get_by_natural_key("olu owner").pk == 1
    assert [Account.objects.get_by_natural_key(name).pk for name in OLD[4:]] == [5, 6, 7, 8]
    for account in Account.objects.all():
        account.save()
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM axes_accesslog")
        assert cursor.fetchone() == (0,)


def test_answers_are_there_and_are_kept_as_before(old: StudioConfig) -> None:
    _filled()
    call_command("migrate", verbosity=0)
    assert Response.objects.get().answer == {"options": ["a"]}
    with pytest.raises(DatabaseError, match="append-only"):
        Response.objects.update(version=2)
    assert redact(Assignment.objects.get().pk, who=1)
    assert Response.objects.get().answer == {}
    assert broken_at(1) is None
    assert Client().get("/sign-in").status_code == 200
