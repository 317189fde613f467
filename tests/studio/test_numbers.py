"""Numbers larger than a database has: no page is there, and no form takes them."""

import pytest
from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.models import Account, Payment, Project, Role
from mores.studio.work.ledger import LONGEST_REASON, LedgerEntry, correct, enter
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in
from tests.studio.test_access import TABLE
from tests.studio.test_feeding import NEW, NO_ROWS, SETTINGS

LARGE = "9" * 20
NUMBERED = [route for route, _ in TABLE if "<int:number>" in route]
LINE = {"status": "owed", "minutes": "1", "amount": "1", "currency": "USD", "reason": "again"}


def _everybody(project: Project) -> Client:
    account = Account.objects.make("everybody", is_owner=True)
    for role in Role:
        join(project, account, role)
    return client_of(account)


@BOTH
def test_no_address_has_a_page_under_a_number_of_twenty_digits(studio: object) -> None:
    client = _everybody(made.project())
    for route in NUMBERED:
        address = f"/{route}".replace("<slug:slug>", "feasts")
        for number in (LARGE, "9223372036854775808", "9" * 4000):
            for ask in (client.get, client.post):
                assert ask(address.replace("<int:number>", number)).status_code == 404, route
        # The largest that there is has none either, and is asked for.
        assert client.post(address.replace("<int:number>", "9223372036854775807")).status_code in {404, 302, 405}, route


@BOTH
@pytest.mark.parametrize("address", [f"/reset/{'z' * length}/token" for length in (12, 13, 14, 200)])
def test_no_link_sets_a_password_for_such_an_account(studio: object, address: str) -> None:
    assert Client().get(address).status_code == 410


@BOTH
def test_no_form_takes_such_a_number(studio: object) -> None:
    project = made.project()
    client = _everybody(project)
    for number in (LARGE, "9223372036854775808", "-1", "1e400"):
        assert client.post("/p/feasts/payments", LINE | {"participant": number}).status_code == 422
        for name in ("quota", "lease_minutes"):
            assert client.post("/new", NEW | {"flow": "check", name: number}).status_code in {200, 422}, name
        for name in ("lease_minutes", "check_every", "checks_judged"):
            told = NEW | SETTINGS | NO_ROWS | {name: number}
            assert client.post("/p/feasts/setup", told).status_code == 422, (name, number)
        assert (
            client.post("/p/feasts/invite", {"role": "annotator", "uses": number, "hours": number}).status_code == 200
        )
        assert client.get("/p/feasts/redact", {"item": "q", "person": number}).status_code == 200
    for page in ("audit", "members", "annotators"):
        assert client.get(f"/p/feasts/{page}?page={LARGE}").status_code == 200


def test_nothing_is_held_longer_than_a_date_can_say(studio: object) -> None:
    client = owner_in(made.project())
    told = NEW | SETTINGS | NO_ROWS | {"lease_minutes": "9000000000"}
    assert client.post("/p/feasts/setup", told).status_code == 422


@BOTH
def test_the_hundredth_correction_of_one_person_is_taken(studio: object) -> None:
    (person,) = made.annotators(made.project(), 1)
    for number in range(1, 100):
        enter(person, LedgerEntry(submission="", reason=f"by hand {number}: {'x' * LONGEST_REASON}", status="owed"))
    correct(person, LedgerEntry(submission="", reason="y" * LONGEST_REASON, status="owed"), who=person.account_id)
    last = Payment.objects.latest("pk")
    assert last.reason == f"by hand 100: {'y' * LONGEST_REASON}"
