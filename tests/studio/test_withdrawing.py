"""Whoever withdraws takes along what they told of themselves; what they answered stays, under a number."""

from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.models import Account, Assignment, AssignmentStatus, Participant, Response, Role, WorkItem
from mores.studio.work.leases import Lease, claim
from mores.studio.work.submit import AnswerSubmission, submit
from tests.studio import made
from tests.studio.conftest import BOTH


def client_of(account: Account) -> Client:
    client = Client()
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return client


@BOTH
def test_facts_and_name_go_answers_stay_and_the_slot_is_free(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 2)
    (person,) = made.annotators(project, 1)
    first = claim(person.pk, project.pk)
    assert isinstance(first, Lease)
    submit(AnswerSubmission(assignment=first.assignment, participant=person.pk, answer={"options": ["a"]}, key="k"))
    assert isinstance(claim(person.pk, project.pk), Lease)
    Participant.objects.filter(pk=person.pk).update(gender="female", age_band="25-34")
    client = client_of(person.account)
    assert b"Withdraw from this project" in client.get("/p/feasts/").content
    client.post("/p/feasts/withdraw")
    person.refresh_from_db()
    account = Account.objects.get(pk=person.account_id)
    assert (person.state, person.nationality, person.gender, person.age_band) == ("withdrawn", "", "", "")
    assert (account.name, account.is_active, account.has_usable_password()) == (f"withdrawn:{account.pk}", False, False)
    assert Response.objects.count() == 1
    assert not Assignment.objects.filter(status=AssignmentStatus.CLAIMED).exists()
    assert sorted(WorkItem.objects.values_list("claims", flat=True)) == [0, 1]
    assert client.get("/p/feasts/").status_code == 302


def test_who_is_in_another_project_keeps_name_and_password(studio: object) -> None:
    project, other = made.project(), made.project("songs")
    (person,) = made.annotators(project, 1)
    join(other, person.account, Role.ANNOTATOR)
    client = client_of(person.account)
    client.post("/p/feasts/withdraw")
    assert client.get("/p/songs/").status_code == 200
    assert client.get("/p/feasts/").status_code == 404
    assert Account.objects.get(pk=person.account_id).name == person.account.name


def test_who_only_asks_for_the_head_of_the_page_stays(studio: object) -> None:
    project = made.project()
    (person,) = made.annotators(project, 1)
    before = person.state
    assert client_of(person.account).head("/p/feasts/withdraw").status_code == 200
    person.refresh_from_db()
    assert (person.state, person.account.is_active) == (before, True)
