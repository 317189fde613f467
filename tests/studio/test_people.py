"""Accounts, links, screening, seats and roles: who gets in, how far, and who decides it."""

import re

import pytest
from django.test import Client

from mores.studio.accounts.links import make_token
from mores.studio.accounts.screening import ScreeningFacts, screen, speaks_for
from mores.studio.models import Account, Assignment, AuditEvent, Guideline, Invite, Membership, Participant, Role
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in

PASSWORD, OTHER = "a long enough one", "another long enough one"
JP = {"nationality": "JP", "residence": "JP", "consent": "on"}


def _studio_owner() -> Client:
    return client_of(Account.objects.make("head", is_owner=True))


def _signs_in(name: str, password: str) -> bool:
    return Client().post("/sign-in", {"username": name, "password": password}).status_code == 302


def test_a_reset_link_sets_a_new_password_once(studio: object) -> None:
    person = Account.objects.make("somebody", PASSWORD)
    page = _studio_owner().post(f"/accounts/{person.pk}/reset").content.decode()
    found = re.search(r"/reset/[\w/-]+", page[page.index('id="link"') - 200 :])
    assert found is not None
    assert Client().post(found[0], {"password": "short"}).status_code == 200
    assert Client().post(found[0], {"password": OTHER}).status_code == 302
    assert _signs_in("somebody", OTHER)
    assert not _signs_in("somebody", PASSWORD)
    assert Client().get(found[0]).status_code == 410
    assert Client().get(found[0][:-1] + "x").status_code == 410


def test_whoever_knows_the_old_password_sets_another_and_other_sessions_end(studio: object) -> None:
    person = Account.objects.make("somebody", PASSWORD)
    here, elsewhere = client_of(person), client_of(person)
    assert here.post("/password", {"old": "wrong", "password": OTHER}).status_code == 200
    assert here.post("/password", {"old": PASSWORD, "password": OTHER}).status_code == 302
    assert here.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 302
    assert _signs_in("somebody", OTHER)


def test_a_shut_account_gets_nowhere_until_it_is_opened(studio: object) -> None:
    person = Account.objects.make("somebody", PASSWORD)
    here, owner = client_of(person), _studio_owner()
    owner.post(f"/accounts/{person.pk}/switch")
    assert not _signs_in("somebody", PASSWORD)
    assert here.get("/").status_code == 302
    owner.post(f"/accounts/{person.pk}/switch")
    assert _signs_in("somebody", PASSWORD)
    own = Account.objects.get(name="head")
    assert owner.post(f"/accounts/{own.pk}/switch").status_code == 409


def test_nobody_takes_the_name_of_somebody_who_comes_from_elsewhere(studio: object) -> None:
    token = make_token(made.project(), Role.ANNOTATOR, hours=1)
    Client().post(f"/enter/{token}", {"name": "prolific:person-1", "password": PASSWORD})
    assert not Account.objects.exists()


def test_a_link_that_was_ended_lets_nobody_in(studio: object) -> None:
    project = made.project()
    token = make_token(project, Role.ANNOTATOR, uses=5, hours=1)
    owner_in(project).post(f"/p/feasts/members/links/{Invite.objects.get().pk}/end")
    assert Client().get(f"/enter/{token}").status_code == 410


@pytest.mark.parametrize(("place", "state"), [("JP", "active"), ("KR", "screened_out")])
def test_a_link_for_a_region_is_for_its_people(studio: object, place: str, state: str) -> None:
    project = made.project()
    token = make_token(project, Role.ANNOTATOR, region="JP", hours=1)
    client = Client()
    client.post(f"/enter/{token}", {"name": "somebody", "password": PASSWORD})
    client.post("/p/feasts/screening", {"nationality": place, "residence": place, "consent": "on"})
    assert Participant.objects.get().state == state


@pytest.mark.parametrize(
    ("facts", "groups", "expected"),
    [
        (ScreeningFacts(nationality="IN", residence_before_18="IN"), {}, ("IN", "")),
        (ScreeningFacts(nationality="IN", residence_before_18="GB"), {}, ("", "")),
        (ScreeningFacts(nationality="GB", residence_before_18="GB", group="GB-SCT"), {}, ("GB", "GB-SCT")),
        (ScreeningFacts(nationality="IN", residence_before_18="IN", group="GB-SCT"), {}, ("IN", "")),
        (ScreeningFacts(nationality="IN", residence_before_18="IN", group="tamil"), {"tamil": "IN"}, ("IN", "tamil")),
        (ScreeningFacts(nationality="LK", residence_before_18="LK", group="tamil"), {"tamil": "IN"}, ("LK", "")),
        (ScreeningFacts(nationality="IN", residence_before_18="IN", group="IN-X"), {"tamil": "IN"}, ("IN", "")),
    ],
)
def test_people_speak_for_where_they_are_from_and_grew_up(
    facts: ScreeningFacts, groups: dict[str, str], expected: tuple[str, str]
) -> None:
    assert speaks_for(facts, groups) == expected


def test_groups_of_a_project_are_asked_for_by_its_form(studio: object) -> None:
    project = made.project()
    project.groups.create(code="tamil", name="Tamil", country="IN")
    token = make_token(project, Role.ANNOTATOR, hours=1)
    client = Client()
    client.post(f"/enter/{token}", {"name": "somebody", "password": PASSWORD})
    assert "Tamil" in client.get("/p/feasts/screening").content.decode()
    client.post("/p/feasts/screening", {"nationality": "IN", "residence": "IN", "group": "tamil", "consent": "on"})
    assert Participant.objects.get().group == "tamil"


def test_consent_is_to_the_words_that_were_read(studio: object) -> None:
    project = made.project()
    Guideline.objects.create(project=project, kind="consent", version=1, text="The first words.")
    token = make_token(project, Role.ANNOTATOR, hours=1)
    client = Client()
    client.post(f"/enter/{token}", {"name": "somebody", "password": PASSWORD})
    assert "The first words." in client.get("/p/feasts/screening").content.decode()
    Guideline.objects.create(project=project, kind="consent", version=2, text="The second words.")
    page = client.post("/p/feasts/screening", JP | {"read": "1"}).content.decode()
    assert "The second words." in page
    assert "read them again" in page
    assert Participant.objects.get().state == "new"
    client.post("/p/feasts/screening", JP | {"read": "2"})
    assert Participant.objects.get().consent_version == 2


def test_what_people_need_not_tell_is_not_asked_of_them_twice(studio: object) -> None:
    (person,) = made.annotators(made.project(), 1)
    screen(person, ScreeningFacts(nationality="JP", residence_before_18="JP", age_band="18-29"))
    assert Participant.objects.get().age_band == ""


@BOTH
def test_no_more_people_of_a_place_are_seated_than_are_wanted(studio: object) -> None:
    project = made.project()
    project.region_quotas.create(region="JP", items=10, people=2)
    project.region_quotas.create(region="KR", items=10)
    made.annotators(project, 3)
    made.annotators(project, 3, region="KR", name="korean")
    states = Participant.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["active", "active", "late", "active", "active", "active"]


def test_who_is_given_nothing_is_told_when_to_look_again(studio: object) -> None:
    project = made.project(quota=1, lease_minutes=30)
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    claimed(one)
    assert "free in 30 minutes" in client_of(other.account).get("/p/feasts/work").content.decode()
    Assignment.objects.update(status="done")
    assert "Others are at work" not in client_of(other.account).get("/p/feasts/work").content.decode()


def test_a_role_that_is_taken_away_frees_what_was_held(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    claimed(person)
    owner = owner_in(project)
    member = Membership.objects.get(account=person.account)
    assert owner.post(f"/p/feasts/members/{member.pk}/leave").status_code == 302
    assert Assignment.objects.get().status == "expired"
    assert client_of(person.account).get("/p/feasts/work").status_code == 404
    last = Membership.objects.get(role="owner")
    assert owner.post(f"/p/feasts/members/{last.pk}/leave").status_code == 409
    assert AuditEvent.objects.filter(what="leave").count() == 1
