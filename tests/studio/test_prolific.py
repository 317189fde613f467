"""People from Prolific: who is let in, how they end, and that what they gave up is free at once."""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from mores.studio.models import Assignment, Participant, Payment, Project, WorkItem
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import owner_in
from tests.studio.prolific import FAR, SECRET, Came, event, ids, key, link, study, table, token


@pytest.fixture
def feasts(studio: object) -> Project:
    """A project with four questions, each for one person."""
    project = made.project(quota=1)
    made.questions(project, 4)
    return project


def _answer(client: Client, page: str) -> str:
    place = re.search(r'action="(/p/feasts/work/\d+)"', page)
    key = re.search(r'name="key" value="(\w+)"', page)
    assert place is not None
    assert key is not None
    return client.post(place[1], {"options": "a", "key": key[1]}, follow=True).content.decode()


@BOTH
def test_somebody_does_what_was_agreed_and_gets_the_code_and_the_pay(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 4)
    study(project, answers=2)
    came = Came()
    page = came.screened()
    for _ in range(2):
        page = _answer(came.client, page)
    assert "cc=DONE" in page
    assert "DONE" in came.client.get("/p/feasts/work").content.decode()
    line = Payment.objects.get()
    assert (line.submission, line.status, str(line.amount), line.reason) == ("submission-1", "owed", "3.50", "done")
    assert Participant.objects.get().state == "finished"
    assert WorkItem.objects.filter(claims=1).count() == 2


def test_the_same_link_leads_to_the_same_place(feasts: Project) -> None:
    study(feasts)
    first = Came()
    first.screened()
    elsewhere = Came()
    page = elsewhere.open()
    assert page.redirect_chain[-1][0] == f"/p/feasts/work/{Assignment.objects.get().pk}"  # type: ignore[attr-defined]
    assert Participant.objects.count() == 1


def test_one_person_takes_part_once(feasts: Project) -> None:
    study(feasts)
    Came().screened()
    again = Client().get("/p/feasts/prolific", ids(submission="submission-2"))
    assert again.status_code == 409
    assert Participant.objects.count() == 1


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({}, 400),
        ({**ids(), "PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, 400),
        (ids(of="another-study"), 404),
        ({"prolific_token": "x" * 9000}, 401),
    ],
)
def test_a_link_that_says_nothing_of_ours_lets_nobody_in(feasts: Project, told: dict[str, str], status: int) -> None:
    study(feasts)
    assert Client().get("/p/feasts/prolific", told).status_code == status
    assert not Participant.objects.exists()


def _parts(told: dict[str, object]) -> list[str]:
    """Head, body and signature of a signed link."""
    return token(told).split(".")


def _of_another() -> str:
    head, _, signature = _parts(link())
    return f"{head}.{_parts(link(prolific=ids('person-2')))[1]}.{signature}"


FORGED: dict[str, Callable[[], str]] = {
    "over": lambda: token(link(exp=1)),
    "without an end": lambda: token({name: value for name, value in link().items() if name != "exp"}),
    "of a later time": lambda: token(link(nbf=FAR)),
    "signed in the future": lambda: token(link(iat=FAR)),
    "for somebody else": lambda: token(link(aud="https://elsewhere.example")),
    "of no algorithm": lambda: token(link(), alg="none"),
    "of another algorithm": lambda: token(link(), alg="HS256"),
    "by another key": lambda: token(link(), kid="k2"),
    "without a signature": lambda: ".".join([*_parts(link())[:2], ""]),
    "with its signature turned round": lambda: ".".join([*_parts(link())[:2], _parts(link())[2][::-1]]),
    "with another person's body": _of_another,
    "deep": lambda: f"{urlsafe_b64encode(b'[' * 3_000).decode()}.e30.e30",
    "no token": lambda: "not a token",
}


@pytest.mark.parametrize("which", FORGED)
def test_a_forged_link_lets_nobody_in(feasts: Project, which: str) -> None:
    study(feasts, signed=True)
    assert Client().get("/p/feasts/prolific", {"prolific_token": FORGED[which]()}).status_code == 401
    assert not Participant.objects.exists()


def test_a_signed_link_lets_in_and_an_unsigned_one_does_not(feasts: Project) -> None:
    study(feasts, signed=True)
    assert Client().get("/p/feasts/prolific", ids()).status_code == 401
    answer = Client().get("/p/feasts/prolific", {"prolific_token": token(link())})
    assert answer["Location"] == "/p/feasts/work"
    assert Participant.objects.get().ext_id == "person-1"


def test_whoever_is_of_another_place_gets_the_code_for_it(feasts: Project) -> None:
    study(feasts)
    assert "cc=OUT" in Came().screened("DE")
    assert [(line.reason, str(line.amount)) for line in Payment.objects.all()] == [("screened out", "0.50")]


def test_whoever_does_not_consent_gets_a_code_and_leaves_nothing(feasts: Project) -> None:
    study(feasts)
    came = Came()
    came.open()
    told = {"decline": "yes", "nationality": "JP", "age_band": "18-29"}
    assert "cc=NO" in came.client.post("/p/feasts/screening", told, follow=True).content.decode()
    person = Participant.objects.get()
    assert (person.state, person.nationality, person.age_band, person.consent_at) == ("declined", "", "", None)


def test_whoever_comes_late_is_thanked_and_paid(feasts: Project) -> None:
    study(feasts)
    feasts.region_quotas.create(region="JP", items=4, people=1)
    Came().screened()
    late = Came(person="person-2", submission="submission-2")
    assert "cc=LATE" in late.screened()
    assert [(line.reason, str(line.amount)) for line in Payment.objects.all()] == [("late", "0.50")]
    event("RETURNED")
    assert 'id="answer"' in Came(person="person-3", submission="submission-3").screened()


def test_whoever_comes_to_a_closed_project_is_paid_too(feasts: Project) -> None:
    study(feasts)
    Project.objects.update(state="closed")
    assert b"cc=LATE" in Came().open().content  # type: ignore[attr-defined]


@BOTH
@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT"])
def test_what_was_given_up_is_free_at_once_however_often_it_is_told(studio: object, status: str) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    study(project)
    Came().screened()
    assert WorkItem.objects.get().claims == 1
    assert [event(status) for _ in range(3)] == [200, 200, 200]
    assert WorkItem.objects.get().claims == 0
    assert 'id="answer"' in Came(person="person-2", submission="submission-2").screened()
    assert event(status, number="event-2") == 200
    assert WorkItem.objects.get().claims == 1


def test_an_answer_after_the_time_ran_out_is_kept_and_its_writer_paid(feasts: Project) -> None:
    study(feasts)
    came = Came()
    page = came.screened()
    event("TIMED-OUT")
    page = _answer(came.client, page)
    assert "cc=LATE" in page
    assert WorkItem.objects.filter(done=1).count() == 1
    assert Payment.objects.get().reason == "late"


def test_a_return_that_is_told_before_the_person_comes_counts(feasts: Project) -> None:
    study(feasts)
    assert event("RETURNED") == 200
    page = Came().open()
    assert "returned your submission" in page.content.decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("status", "secret", "code"), [("RETURNED", "a wrong one", 401), ("LOST", None, 422)])
def test_a_forged_or_strange_event_changes_nothing(feasts: Project, status: str, secret: str | None, code: int) -> None:
    study(feasts)
    Came().screened()
    assert (event(status, secret=secret) if secret else event(status)) == code
    assert Assignment.objects.get().status == "claimed"


def test_a_table_of_submissions_does_the_same_and_all_of_it_or_nothing(feasts: Project, tmp_path: Path) -> None:
    study(feasts)
    Came().screened()
    Came(person="person-2", submission="submission-2").screened()
    owner = owner_in(feasts)
    wrong = [("submission-1", "person-1", "RETURNED"), ("submission-2", "person-1", "APPROVED")]
    assert _upload(owner, table(tmp_path, *wrong)) == 422
    assert Assignment.objects.filter(status="claimed").count() == 2
    right = [("submission-1", "person-1", "Returned"), ("submission-2", "person-2", "APPROVED")]
    for _ in range(2):
        assert _upload(owner, table(tmp_path, *right, ("submission-9", "person-9", "ACTIVE"))) == 302
    assert Assignment.objects.filter(status="claimed").count() == 1
    assert Payment.objects.get().status == "approved"


def test_an_owner_says_so_by_hand(feasts: Project) -> None:
    study(feasts)
    Came().screened()
    person = Participant.objects.get()
    answer = owner_in(feasts).post(f"/p/feasts/members/people/{person.pk}/end", {"status": "RETURNED"})
    assert answer.status_code == 302
    assert Assignment.objects.get().status == "discarded"


def test_the_page_of_studies_makes_one_with_codes_that_differ(feasts: Project) -> None:
    owner = owner_in(feasts)
    told = {
        "study_id": "study-9", "answers": 5, "reward": "2", "screen_out_reward": "0.2", "currency": "GBP",
        "code_done": "A", "code_screened_out": "B", "code_declined": "C", "code_late": "C",
    }  # fmt: skip
    assert owner.post("/p/feasts/studies", told).status_code == 422
    assert owner.post("/p/feasts/studies", told | {"keys": '{"keys": []}', "code_late": "D"}).status_code == 422
    assert owner.post("/p/feasts/studies", told | {"code_late": "D"}).status_code == 302
    assert "/p/feasts/prolific?PROLIFIC_PID={{%PROLIFIC_PID%}}" in owner.get("/p/feasts/studies").content.decode()


def test_keys_of_a_study_are_renewed_and_its_secret_stays(feasts: Project) -> None:
    made_ = study(feasts)
    owner = owner_in(feasts)
    address = f"/p/feasts/studies/{made_.pk}"
    assert SECRET not in owner.get(address).content.decode()
    told = {
        "study_id": "study-1", "answers": 2, "reward": "3.50", "screen_out_reward": "0.50", "currency": "USD",
        "code_done": "DONE", "code_screened_out": "OUT", "code_declined": "NO", "code_late": "LATE",
        "keys": json.dumps({"keys": [key()]}),
    }  # fmt: skip
    assert owner.post(address, told).status_code == 302
    assert Client().get("/p/feasts/prolific", ids()).status_code == 401
    assert Client().get("/p/feasts/prolific", {"prolific_token": token(link())}).status_code == 302
    assert event("RETURNED") == 200
    assert owner.post(address, told | {"reward": "-1"}).status_code == 422


def _upload(owner: Client, path: Path) -> int:
    with path.open("rb") as file:
        return owner.post("/p/feasts/studies/submissions", {"file": file}).status_code
