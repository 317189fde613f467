"""Signing in and out, and what becomes of words when a session ends before they are sent."""

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from mores.studio.accounts.links import make_token, owner_token
from mores.studio.models import Account, Assignment, Invite, Membership, Response, Role
from tests.studio import made
from tests.studio.doing import claimed

PASSWORD = "a long enough one"


def test_an_answer_sent_after_the_session_ended_comes_back_after_signing_in(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    person.account.set_password(PASSWORD)
    person.account.save()
    held = claimed(person)
    client = Client()
    client.force_login(person.account, backend="django.contrib.auth.backends.ModelBackend")
    place = f"/p/feasts/work/{held.assignment}"
    Session.objects.all().delete()
    asked = client.post(place, {"options": ["b", "c"], "key": "k"})
    assert asked["Location"] == f"/sign-in?next={place}"
    told = {"username": person.account.name, "password": PASSWORD, "next": place}
    page = client.post("/sign-in", told, follow=True)
    assert page.redirect_chain[-1][0] == place
    text = page.content.decode()
    assert text.count(" checked") == 2
    assert not Response.objects.exists()
    assert "checked" not in client.get(place).content.decode()


def test_ten_wrong_passwords_shut_the_door_for_a_while(studio: object) -> None:
    Account.objects.make("somebody", PASSWORD)
    client = Client()
    for _ in range(10):
        client.post("/sign-in", {"username": "somebody", "password": "wrong"})
    assert client.post("/sign-in", {"username": "somebody", "password": PASSWORD}).status_code == 429


def test_a_link_lets_in_as_many_as_it_says_and_no_more(studio: object) -> None:
    project = made.project()
    token = make_token(project, Role.ANNOTATOR, uses=2, hours=1)
    entered = [
        Client().post(f"/enter/{token}", {"name": f"person {n}", "password": PASSWORD}).status_code for n in range(3)
    ]
    assert entered == [302, 302, 410]
    assert Membership.objects.filter(project=project).count() == 2


def test_a_link_that_ran_out_lets_nobody_in(studio: object) -> None:
    project = made.project()
    token = make_token(project, Role.ANNOTATOR, hours=1)
    Invite.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert Client().get(f"/enter/{token}").status_code == 410


def test_a_new_owner_link_ends_the_one_before(studio: object) -> None:
    old, new = owner_token(), owner_token()
    assert Client().get(f"/enter/{old}").status_code == 410
    assert Client().get(f"/enter/{new}").status_code == 200


@pytest.mark.parametrize("name", ["owner", "OWNER", " owner "])
def test_two_accounts_never_have_the_same_name(studio: object, name: str) -> None:
    Account.objects.make("owner", PASSWORD)
    token = owner_token()
    page = Client().post(f"/enter/{token}", {"name": name, "password": PASSWORD})
    assert "choose another" in page.content.decode()
    assert Account.objects.count() == 1


def test_other_sites_can_send_nothing_in_ones_name(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    client = Client(enforce_csrf_checks=True)
    client.force_login(person.account, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(f"/p/feasts/work/{held.assignment}", {"options": "a"}).status_code == 403
    assert client.post(f"/p/feasts/work/{held.assignment}/skip").status_code == 403
    assert Assignment.objects.get().status == "claimed"


def test_nobody_reaches_anothers_work(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    place = f"/p/feasts/work/{claimed(one).assignment}"
    client = Client()
    client.force_login(other.account, backend="django.contrib.auth.backends.ModelBackend")
    for act in (client.get(place), client.post(place, {"options": "a"}), client.post(f"{place}/skip")):
        assert act.status_code == 404
