"""What withdrawal removes, and what stands nowhere: names in the trail, links that let people in, logs of sign-ins."""

import http.client
import logging
import sys
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from axes.models import AccessAttempt, AccessLog
from django.db import connection
from django.test import Client

from mores.studio.accounts.links import join, make_token
from mores.studio.config import StudioConfig
from mores.studio.logs import Discreet, discreet
from mores.studio.models import Account, AuditEvent, Participant, Payment, Role
from mores.studio.recruiting.submissions import end
from mores.studio.work.audit import STUDIO, broken_at
from mores.studio.work.exclusion import exclude
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in, stored
from tests.studio.prolific import Came, study
from tests.studio.served import serving

PASSWORD = "a long enough one"
NAME = "Dayo Adeyemi-Quist"


def _all_that_is_stored() -> str:
    """Every cell of every table."""
    with connection.cursor() as cursor:
        cells: list[str] = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            cells += [str(cell) for row in cursor.fetchall() for cell in row]
    return "\n".join(cells)


def _came(client: Client, token: str, name: str = NAME) -> Account:
    """Somebody who comes by a link, mistypes their password, signs in, and answers."""
    client.post(f"/enter/{token}", {"name": name, "password": PASSWORD})
    client.post("/sign-out")
    where = f"/sign-in?next=/enter/{token}"
    for typed in (name, name.upper(), name.lower()):
        client.post(where, {"username": typed, "password": "wrong", "next": f"/enter/{token}"})
    client.post(where, {"username": name, "password": PASSWORD, "next": f"/enter/{token}"})
    account = Account.objects.get(name=name)
    client.post("/p/feasts/screening", {"nationality": "JP", "residence": "JP", "consent": "on"})
    stored(Participant.objects.get(account=account), claimed(Participant.objects.get(account=account)))
    return account


@BOTH
def test_no_link_that_lets_people_in_and_no_name_outlives_its_time_in_the_database(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 2)
    token = make_token(project, Role.ANNOTATOR, uses=5, hours=1)
    client = Client()
    account = _came(client, token)
    there = _all_that_is_stored()
    assert token not in there
    assert there.count(NAME) == 1  # that of the account
    assert NAME.lower() not in there.lower().replace(NAME.lower(), "", 1)
    assert AccessAttempt.objects.exists()
    Participant.objects.update(credit=f"{NAME} of the public page")
    client.post("/p/feasts/withdraw")
    left = _all_that_is_stored()
    assert NAME.lower() not in left.lower()
    assert account.looks_small not in left
    assert account.looks_capital not in left
    assert not AccessAttempt.objects.exists()
    assert not AccessLog.objects.exists()
    assert [broken_at(chain) for chain in (STUDIO, project.pk)] == [None, None]


@BOTH
def test_no_name_that_somebody_chose_is_in_the_way_of_a_withdrawal(studio: object) -> None:
    project = made.project()
    (person,) = made.annotators(project, 1)
    token = make_token(project, Role.ANNOTATOR, uses=9, hours=1)
    for name in (f"withdrawn-{person.account_id}", f"withdrawn:{person.account_id}", f"withdrawn：{person.account_id}"):
        Client().post(f"/enter/{token}", {"name": name, "password": PASSWORD})
    assert Account.objects.filter(name__startswith="withdrawn").count() == 1
    answer = client_of(person.account).post("/p/feasts/withdraw")
    assert answer.status_code == 302
    person.account.refresh_from_db()
    assert (person.account.name, person.account.is_active) == (f"withdrawn:{person.account_id}", False)


@BOTH
def test_events_name_nobody_whatever_happens(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 3)
    study(project)
    people = made.annotators(project, 2, name="Zanele Khumalo")
    came = Came(person="prolific-person-77")
    came.screened()
    stored(people[0], claimed(people[0]))
    owner = owner_in(project, "Wilhelmina Vries")
    head = client_of(Account.objects.make("Xiomara Quispe", is_owner=True))
    head.post(f"/accounts/{people[0].account_id}/reset")
    head.post(f"/accounts/{people[1].account_id}/switch")
    for person in people:
        reason = {"reason": f"Again: {person.account.name.upper()}, who clicks.", "exclude": "1"}
        assert owner.post(f"/p/feasts/annotators/{person.pk}", reason).status_code == 422
        assert owner.post(f"/p/feasts/annotators/{person.pk}", {"reason": "Clicks.", "exclude": "1"}).status_code == 302
    sent = Participant.objects.get(source="prolific")
    line = {"participant": sent.pk, "status": "owed", "minutes": 1, "amount": 1, "currency": "USD"}
    assert owner.post("/p/feasts/payments", line | {"reason": "prolific-person-77"}).status_code == 422
    assert owner.post("/p/feasts/payments", line | {"reason": "a bonus"}).status_code == 302
    end(sent.pk)
    exclude(sent.pk, {"reason": "rule"}, who=None)
    told = str(list(AuditEvent.objects.values_list("about", "what")))
    for name in ("Zanele", "Wilhelmina", "Xiomara", "prolific-person-77", "a bonus"):
        assert name.lower() not in told.lower()
    assert "a bonus" in str(list(Payment.objects.values_list("reason", flat=True)))
    assert [broken_at(chain) for chain in (STUDIO, project.pk)] == [None, None]


def test_who_stays_in_another_project_keeps_a_name_by_which_they_sign_in(studio: object) -> None:
    project, other = made.project(), made.project("songs")
    (person,) = made.annotators(project, 1, name="Ada")
    join(other, person.account, Role.ANNOTATOR)
    client_of(person.account).post("/p/feasts/withdraw")
    assert Account.objects.get_by_natural_key("ADA-0") == person.account


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Forbidden (CSRF cookie not set.): /enter/5uGx-2_a", "Forbidden (CSRF cookie not set.): /enter/…"),
        ("Gone: /reset/1b/c0ffee-12", "Gone: /reset/1b/…"),
        ("GET '/enter/5uGx'>", "GET '/enter/…'>"),
        ("https://studio.example/enter/5uGx does not match", "https://studio.example/enter/… does not match"),
        ("/sign-in?next=/enter/5uGx&x=1", "/sign-in?next=/enter/…&x=1"),
        ("/sign-in?next=%2Fenter%2F5uGx", "/sign-in?next=%2Fenter%2F…"),
        ("Error handling request /enter%2F5uGx", "Error handling request /enter%2F…"),
        ("next=%2Freset%2F1b%2Fc0ffee-12&y", "next=%2Freset%2F1b%2F…&y"),
        ("/p/feasts/prolific?PROLIFIC_PID=abc&SESSION_ID=def", "/p/feasts/prolific?PROLIFIC_PID=…&SESSION_ID=…"),
        ("/p/feasts/prolific?prolific_token=e.y.J", "/p/feasts/prolific?prolific_token=…"),
        ("Not Found: /p/feasts/enter", "Not Found: /p/feasts/enter"),
    ],
)
def test_lines_of_the_log_let_nobody_in(line: str, shown: str) -> None:
    assert discreet(line) == shown


def test_neither_do_tracebacks() -> None:
    try:
        raise ValueError("no page /enter/5uGx-2_a")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "Internal: %s", ("/enter/5uGx-2_a",), sys.exc_info())
    line = Discreet("%(message)s").format(record)
    assert "5uGx" not in line
    assert "ValueError" in line


def _asked(url: str, method: str, path: str, body: str = "", **headers: str) -> int:
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)) as link:
        link.request(method, path, body, headers)
        answer = link.getresponse()
        answer.read()
        return answer.status


def test_a_server_writes_no_such_link_and_no_name_into_its_log(studio: StudioConfig) -> None:
    project = made.project()
    token = make_token(project, Role.ANNOTATOR, uses=5, hours=1)
    Account.objects.make(NAME, PASSWORD)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with serving(studio) as server:
        assert _asked(server.url, "POST", f"/enter/{token}", "name=x", **form) == 403
        assert _asked(server.url, "PUT", f"/enter/{token}") == 403
        assert _asked(server.url, "GET", f"/enter/{token}x") == 410
        assert _asked(server.url, "GET", f"/reset/1/{token}") == 410
        assert _asked(server.url, "GET", f"/enter/{token}/more") == 404
        assert _asked(server.url, "GET", f"/enter/{token}?x={'y' * 5000}") == 414
        cookies = {"Cookie": "csrftoken=" + "t" * 32, "X-CSRFToken": "t" * 32} | form
        for _ in range(2):
            said = f"username={NAME.replace(' ', '+')}&password=wrong&next=/enter/{token}"
            _asked(server.url, "POST", f"/sign-in?next=/enter/{token}", said, **cookies)
        log = server.log.read_text()
    assert "Forbidden" in log
    assert "login failure by somebody at 127.0.0.1" in log
    assert token not in log
    assert "Dayo" not in log
