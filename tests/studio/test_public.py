"""What everybody may read of a project, thanks by a name that somebody chose, and the demonstration."""

import io
import zipfile

from django.test import Client

from mores.studio.accounts.views import withdraw
from mores.studio.models import Account, AuditEvent, Participant, Project, WorkItem
from mores.studio.work.audit import broken_at
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, stored

SCREENED = {"nationality": "NG", "residence": "NG", "group": "", "consent": "on", "read": ""}


def told(slug: str) -> str:
    """The public page as anybody reads it."""
    answer = Client().get(f"/about/{slug}")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@BOTH
def test_numbers_are_told_where_the_owner_opened_the_page_and_only_there(studio: object) -> None:
    project, onward = made.project(), made.project("secret second")
    Project.objects.filter(pk=project.pk).update(feeds=onward)
    made.questions(project, 2)
    people = made.annotators(project, 6)
    for person in people[:5]:
        stored(person, claimed(person))
    assert Client().get("/about/feasts").status_code == 404
    assert Client().get("/about/none").status_code == 404
    Project.objects.filter(pk=project.pk).update(public=True, licence="CC-BY-4.0")
    page = told("feasts")
    assert "5 answers; people who answered: 5." in page
    assert "Japan: <strong>5</strong>" in page
    assert "CC-BY-4.0" in page
    assert "Secret" not in page  # what it feeds is not open
    assert not any(person.account.name in page for person in people)


@BOTH
def test_a_name_is_thanked_as_its_person_chose_it_until_they_withdraw(studio: object) -> None:
    project = made.project()
    Project.objects.filter(pk=project.pk).update(public=True)
    made.questions(project, 2)
    first, second = made.annotators(project, 2)
    stored(first, claimed(first))
    client = client_of(first.account)
    assert client.post("/p/feasts/credit", {"credit": "  Bàbá \u202e<b>Ada</b>\n "}).status_code == 302
    assert client_of(second.account).post("/p/feasts/credit", {"credit": "Who answered nothing"}).status_code == 302
    page = told("feasts")
    assert "&lt;b&gt;Ada&lt;/b&gt;" in page
    assert "\u202e" not in page
    assert "Who answered nothing" not in page
    assert not any("Ada" in str(event.about) for event in AuditEvent.objects.all())
    assert withdraw(first.pk)
    assert "Ada" not in told("feasts")
    assert Participant.objects.get(pk=first.pk).credit == ""


def test_people_of_a_platform_are_not_asked_for_a_name(studio: object) -> None:
    project = made.project()
    Project.objects.filter(pk=project.pk).update(public=True)
    (person,) = made.annotators(project, 1)
    Participant.objects.filter(pk=person.pk).update(source="prolific")
    client = client_of(person.account)
    assert b'name="credit"' not in client.get("/p/feasts/").content
    assert client.post("/p/feasts/credit", {"credit": "Ada"}).status_code == 404


@BOTH
def test_a_demonstration_has_answers_of_simulated_people_and_waits_for_one_more(studio: object) -> None:
    owner = Account.objects.make("owner", is_owner=True)
    client = client_of(owner)
    assert client.get("/new/demonstration").status_code == 405
    assert client_of(Account.objects.make("nobody")).post("/new/demonstration").status_code == 403
    for slug in ("demonstration-with-simulated-people", "demonstration-with-simulated-people-2"):
        went = client.post("/new/demonstration")
        assert went["Location"] == f"/p/{slug}/"
        project = Project.objects.get(slug=slug)
        assert [*WorkItem.objects.filter(project=project).values_list("done", "quota")] == [(4, 5)] * 8
        assert broken_at(project.pk) is None
        assert client.get(f"/p/{slug}/agreement").status_code == 200
    client.post(f"/p/{slug}/screening", SCREENED)
    person = Participant.objects.get(project=project, account=owner)
    assert person.may_work
    for _ in range(8):
        held = claimed(person)
        stored(person, held, "a")
    export = client.get(f"/p/{slug}/export/culturalbench")
    names = zipfile.ZipFile(io.BytesIO(export.content)).namelist()
    assert "culturalbench-hard.jsonl" in names


def test_nobody_signs_in_as_a_simulated_person(studio: object) -> None:
    client_of(Account.objects.make("owner", is_owner=True)).post("/new/demonstration")
    simulated = Account.objects.filter(name__startswith="simulated:")
    assert simulated.count() == 4
    assert not any(each.is_active or each.has_usable_password() for each in simulated)
