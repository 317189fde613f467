"""Whoever a platform sent is known where their link led, and nowhere else: a platform's id is no secret."""

import pytest
from django.test import Client

from mores.studio.accounts.links import make_token
from mores.studio.models import Account, Membership, Participant, Project, ProlificStudy, Role
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in
from tests.studio.prolific import Came, ids, link, study, token

PASSWORD = "a long enough one"
ANSWERS = {"nationality": "JP", "residence": "JP", "consent": "on"}


def _second(project: Project, **facts: object) -> ProlificStudy:
    codes = {f"code_{name}": name for name in ("done", "screened_out", "declined", "late")}
    return ProlificStudy.objects.create(
        project=project, study_id="study-2", reward="1", screen_out_reward="0", **codes, **facts
    )


def _victim() -> Client:
    """Somebody who came to a signed study, told about themselves, and holds an item."""
    client = Client()
    client.get("/p/feasts/prolific", {"prolific_token": token(link())})
    client.post("/p/feasts/screening", ANSWERS)
    client.get("/p/feasts/work")
    return client


@pytest.fixture
def signed(studio: object) -> Project:
    """A project with a signed study, and another one with an unsigned study."""
    project = made.project(quota=1)
    made.questions(project, 2)
    study(project, signed=True)
    _second(made.project("open", quota=1))
    return project


def _by_the_unsigned_one() -> Client:
    attacker = Client()
    entered = attacker.get("/p/open/prolific", ids(submission="any-thing", of="study-2"))
    assert entered.status_code == 302
    return attacker


@BOTH
def test_nobody_enters_a_signed_study_through_an_unsigned_one(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 2)
    study(project, signed=True)
    _second(made.project("open", quota=1))
    victim, attacker = _victim(), _by_the_unsigned_one()
    person = Participant.objects.get(project=project)
    (held,) = person.assignments.all()
    for page in ("", "work", f"work/{held.pk}", "withdraw", "screening", "guidelines"):
        answer = attacker.get(f"/p/feasts/{page}")
        assert answer.status_code == 401, page
        assert b"DONE" not in answer.content
    attacker.post(f"/p/feasts/work/{held.pk}", {"options": "a", "key": "k"})
    attacker.post(f"/p/feasts/work/{held.pk}/skip")
    attacker.post(f"/p/feasts/work/{held.pk}/draft", '{"rev": 0, "body": {}}', content_type="application/json")
    attacker.post("/p/feasts/withdraw")
    person.refresh_from_db()
    held.refresh_from_db()
    assert (person.state, held.status, held.responses.count()) == ("active", "claimed", 0)
    assert "Feasts" not in attacker.get("/").content.decode()
    assert 'id="answer"' in victim.get(f"/p/feasts/work/{held.pk}").content.decode()


def test_no_project_is_told_of_to_whom_a_platform_sent_elsewhere(signed: Project) -> None:
    _victim()
    attacker = _by_the_unsigned_one()
    assert attacker.get("/p/feasts/work").status_code == attacker.get("/p/no-such/work").status_code == 401


def test_in_one_project_with_a_signed_study_nobody_comes_by_an_unsigned_one(signed: Project) -> None:
    _second_in_it = ProlificStudy.objects.get(study_id="study-2")
    ProlificStudy.objects.filter(pk=_second_in_it.pk).update(project=signed)
    assert Client().get("/p/feasts/prolific", ids(of="study-2")).status_code == 401
    assert not Participant.objects.exists()


def test_the_page_of_studies_says_so(signed: Project) -> None:
    told = {
        "study_id": "study-9", "answers": 5, "reward": "2", "screen_out_reward": "0.2", "currency": "GBP",
        "code_done": "A", "code_screened_out": "B", "code_declined": "C", "code_late": "D",
    }  # fmt: skip
    page = owner_in(signed).post("/p/feasts/studies", told)
    assert page.status_code == 422
    assert "signed links" in page.content.decode()


def test_somebody_in_two_studies_is_known_in_both_whose_links_they_followed(signed: Project) -> None:
    client = _victim()
    assert client.get("/p/open/work").status_code == 401
    client.get("/p/open/prolific", ids(submission="submission-2", of="study-2"))
    assert client.get("/p/open/screening").status_code == 200
    assert client.get("/p/feasts/work").status_code == 302


def test_a_session_from_before_is_bound_to_nothing(signed: Project) -> None:
    _victim()
    assert client_of(Account.objects.get(name="prolific:person-1")).get("/p/feasts/work").status_code == 401


def test_whoever_a_platform_sent_joins_nothing_under_its_id(signed: Project) -> None:
    client = _victim()
    invite = make_token(made.project("third"), Role.ANNOTATOR, hours=1)
    assert "Choose a name" in client.get(f"/enter/{invite}").content.decode()
    client.post(f"/enter/{invite}")
    assert not Membership.objects.filter(project__slug="third").exists()
    client.post(f"/enter/{invite}", {"name": "Own", "password": PASSWORD})
    assert Membership.objects.get(project__slug="third").account.name == "Own"
    assert client.get("/p/feasts/work").status_code == 404


def test_nobody_sets_a_password_for_a_platforms_id(signed: Project) -> None:
    _victim()
    owner = client_of(Account.objects.make("head", is_owner=True))
    account = Account.objects.get(name="prolific:person-1")
    assert owner.post(f"/accounts/{account.pk}/reset").status_code == 404


@BOTH
def test_who_withdrew_is_told_so_by_their_link(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    study(project)
    came = Came()
    came.screened()
    came.client.post("/p/feasts/withdraw")
    again = Client().get("/p/feasts/prolific", ids())
    assert again.status_code == 410
    assert "withdrew" in again.content.decode()
    assert (Participant.objects.count(), Account.objects.count(), Membership.objects.count()) == (1, 1, 0)


def test_a_role_that_was_taken_away_is_not_given_back_by_the_link(studio: object) -> None:
    project = made.project(quota=1)
    study(project)
    came = Came()
    came.open()
    Membership.objects.all().delete()
    assert Client().get("/p/feasts/prolific", ids(), follow=True).status_code == 401
    assert not Membership.objects.exists()
