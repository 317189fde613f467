"""Looking back: owners at items and imports, people at their own answers, and everybody told what became of what."""

import re
from pathlib import Path

import pytest
from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.accounts.screening import ScreeningFacts, screen
from mores.studio.flows.exporting import export_files
from mores.studio.flows.importing import import_file
from mores.studio.flows.write.views import store
from mores.studio.models import (
    Account,
    Assignment,
    AuditEvent,
    ItemProblem,
    ItemVersion,
    Participant,
    Project,
    Response,
    Role,
    WorkItem,
)
from mores.studio.work.leases import NoWork, claim
from mores.studio.work.records import read_items
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in, stored

QUESTION: dict[str, object] = {
    "question": "What is said?", "a": "Thanks", "b": "Nothing", "c": "A prayer", "d": "A toast", "holds": ["a"],
    "common": "4", "knows": "5", "situation": "",
}  # fmt: skip
KEY = re.compile(r'name="key" value="(\w+)"')


def _work(count: int = 3, quota: int = 2) -> tuple[Project, Participant, Client]:
    """A project, somebody who answers in it, and their browser."""
    project = made.project(quota=quota)
    made.questions(project, count)
    (person,) = made.annotators(project, 1)
    return project, person, client_of(person.account)


def _answered(client: Client, choice: str = "a") -> str:
    """The address of the next item, once it is answered."""
    page = client.get("/p/feasts/work", follow=True)
    place, found = page.redirect_chain[-1][0], KEY.search(page.text)
    assert found is not None
    assert client.post(place, {"options": choice, "key": found[1]}).status_code == 302
    return place


@BOTH
def test_somebody_goes_back_to_an_answer_that_is_marked_and_changes_it_knowingly(studio: object) -> None:
    _project, _person, client = _work()
    place = _answered(client)
    assert place in client.get("/p/feasts/answers").text
    page = client.get(place).text
    assert 'value="a" checked' in page
    assert "Change my answer" in page
    # From a page that was opened before the answer nothing is changed unseen.
    again = client.post(place, {"options": "b", "key": "stale"})
    assert again.status_code == 200
    assert Response.objects.count() == 1
    changed = client.post(place, {"options": "b", "key": "again", "changes": "1"}, follow=True)
    assert "the one before is kept" in changed.text
    assert list(Response.objects.order_by("version").values_list("version", "answer")) == [
        (1, {"options": ["a"]}),
        (2, {"options": ["b"]}),
    ]


def test_the_same_sending_twice_is_still_one_answer(studio: object) -> None:
    _project, _person, client = _work()
    place = client.get("/p/feasts/work").headers["Location"]
    for _ in range(2):
        assert client.post(place, {"options": "a", "key": "once"}).status_code == 302
    assert Response.objects.count() == 1


def test_an_answer_whose_item_is_closed_is_shown_and_stays(studio: object) -> None:
    _project, _person, client = _work(quota=1)
    place = _answered(client)
    page = client.get(place).text
    assert 'value="a" checked' in page
    assert "<fieldset disabled>" in page
    assert "Change my answer" not in page
    assert client.post(place, {"options": "b", "key": "again", "changes": "1"}).status_code == 410
    assert Response.objects.count() == 1


def test_checks_and_practice_are_not_among_ones_answers_and_cannot_be_changed(studio: object) -> None:
    project, _person, client = _work(count=1)
    place = _answered(client)
    WorkItem.objects.filter(project=project).update(kind="attention")
    assert place not in client.get("/p/feasts/answers").text
    assert client.post(place, {"options": "b", "key": "again", "changes": "1"}).status_code == 410


@BOTH
def test_an_import_is_taken_back_and_the_right_file_has_the_same_ids(studio: object, tmp_path: Path) -> None:
    project = made.project(quota=1)
    owner = owner_in(project)
    import_file(project, made.question_file(tmp_path, 3, "Japan"))
    one, other = made.annotators(project, 2)
    stored(one, claimed(one))
    held = claimed(other)
    undo = re.findall(r"/p/feasts/imports/\d+/undo", owner.get("/p/feasts/items").text)
    assert "3 items are retired" in owner.post(undo[0], follow=True).text
    assert set(WorkItem.objects.values_list("state", flat=True)) == {"retired"}
    assert Assignment.objects.get(pk=held.assignment).status == "expired"
    assert claim(other.pk, project.pk) is NoWork.NOTHING_LEFT
    assert read_items(project) == ()
    assert export_files(project, "culturalbench")["retired.jsonl"].count(b"\n") == 3
    assert import_file(project, made.question_file(tmp_path, 3, "Kenya")).new == 3
    assert {item.key: item.region for item in read_items(project)} == {"0": "KE", "1": "KE", "2": "KE"}
    # What was retired cannot come back under an id that is taken.
    retired = WorkItem.objects.filter(state="retired").first()
    assert retired is not None
    assert (
        "retire that one first" in owner.post(f"/p/feasts/items/{retired.pk}/retire", {"back": "1"}, follow=True).text
    )


@BOTH
def test_an_item_is_retired_with_a_reason_and_comes_back_where_it_stood(studio: object) -> None:
    project, person, _client = _work(count=1)
    owner, held = owner_in(project), claimed(person)
    item = WorkItem.objects.get()
    here = f"/p/feasts/items/{item.pk}/retire"
    assert "nothing was retired" in owner.post(here, {}, follow=True).text
    owner.post(here, {"reason": "It is of no place."})
    assert AuditEvent.objects.get(what="retire").about["reason"] == "It is of no place."
    late = stored(person, held)
    assert not late.counted
    owner.post(here, {"back": "1"})
    item.refresh_from_db()
    assert (item.state, item.retired_from) == ("open", "")


def test_items_are_found_by_words_of_any_script_state_and_problems(studio: object) -> None:
    project, person, client = _work()
    owner = owner_in(project)
    place = client.get("/p/feasts/work").headers["Location"]
    assert "nothing was sent" in client.post(f"{place}/problem", {"words": " "}, follow=True).text
    client.post(f"{place}/problem", {"words": "السؤال غير واضح"})
    key = Assignment.objects.get(participant=person).item.key
    assert re.findall(r"<bdi>(q\d)</bdi></a>", owner.get("/p/feasts/items?problems=on").text) == [key]
    assert re.findall(r"<bdi>(q\d)</bdi></a>", owner.get("/p/feasts/items?words=FEAST 2").text) == ["q2"]
    assert owner.get("/p/feasts/items?state=dropped").text.count("</bdi></a>") == 0
    stored_problem = ItemProblem.objects.get()
    page = owner.get(f"/p/feasts/items/{stored_problem.item_id}").text
    assert "السؤال غير واضح" in page
    assert person.account.name not in page
    owner.post(f"/p/feasts/items/{stored_problem.pk}/settle")
    stored_problem.refresh_from_db()
    assert stored_problem.handled_at is not None


def test_an_item_that_its_flow_cannot_show_takes_no_page_with_it(studio: object) -> None:
    project = made.project(flow="label")
    made.questions(project, 1)  # of another flow
    owner = owner_in(project)
    assert owner.get("/p/feasts/items").status_code == 200
    page = owner.get(f"/p/feasts/items/{WorkItem.objects.get().pk}")
    assert "cannot show these words" in page.text


TABLES = ("account", "project", "workitem", "response", "auditevent")


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_read_by_owners_of_the_studio_and_changed_by_nobody(studio: object, table: str) -> None:
    project, person, _client = _work()
    stored(person, claimed(person))
    keeper = Account.objects.make("keeper", is_owner=True)
    join(project, person.account, Role.OWNER)
    here = f"/admin/{table}/"
    client = client_of(keeper)
    page = client.get(here, headers={"Accept-Language": "ar"})
    assert page.status_code == 200
    assert 'lang="en" dir="ltr"' in page.text  # as its tables and columns are named
    first = re.search(rf'href="({here}\d+)', page.text)
    assert first is not None
    shown = client.get(first[1])
    assert shown.status_code == 200
    assert "argon2" not in shown.text
    assert "md5$" not in shown.text
    assert 'name="_save"' not in shown.text
    for way in (here, first[1]):
        assert client.post(way, {"action": "delete_selected", "_selected_action": "1"}).status_code == 405
        assert client_of(person.account).get(way).status_code == 403
        assert Client().get(way).headers["Location"].startswith("/sign-in")


def _written() -> tuple[Participant, Client, Client, WorkItem]:
    """A writer, their browser, a curator's, and a question that waits in a project that feeds another."""
    project = made.project("writing", flow="write")
    project.feeds = made.project()
    project.save()
    writer = Account.objects.make("writer")
    join(project, writer, Role.WRITER)
    person = Participant.objects.get(account=writer)
    screen(person, ScreeningFacts(nationality="JP", residence_before_18="JP"))
    person.refresh_from_db()
    assert store(project, person, QUESTION, "0" * 32, help_="none") is None
    return person, client_of(writer), owner_in(project, "curator"), WorkItem.objects.get()


def test_a_question_is_sent_back_with_a_reason_changed_and_accepted_in_the_curators_words(studio: object) -> None:
    _person, writer, curator, item = _written()
    decision = {"item": str(item.pk), "verdict": "send_back"}
    assert curator.post("/p/writing/curate", decision).status_code == 422  # without a reason
    curator.post("/p/writing/curate", {**decision, "note": "Say at which meal."})
    item.refresh_from_db()
    assert item.state == "returned"
    assert "No question waits for you" in curator.get("/p/writing/curate").text
    page = writer.get("/p/writing/written").text
    assert "Say at which meal." in page
    form = {**{name: value for name, value in QUESTION.items() if value}, "question": "What is said at lunch?"}
    assert "Say at which meal." in writer.get(f"/p/writing/written/{item.pk}").text
    assert writer.post(f"/p/writing/written/{item.pk}", form).status_code == 302
    assert writer.get(f"/p/writing/written/{item.pk}").status_code == 404  # it waits again
    page = curator.get("/p/writing/curate").text
    assert "What is said at lunch?" in page
    accepted = {"item": str(item.pk), "verdict": "accept", "edited-question": "What do most say at lunch?"}
    assert curator.post("/p/writing/curate", {**accepted, "edited-a": ""}).status_code == 422
    assert curator.post("/p/writing/curate", accepted).status_code == 302
    assert ItemVersion.objects.get(item__project__slug="feasts").payload["question"] == "What do most say at lunch?"
    by = list(ItemVersion.objects.filter(item=item).order_by("version").values_list("by__name", flat=True))
    assert by == ["writer", "writer", "curator"]
    assert "0 of 5 people have answered it" in writer.get("/p/writing/written").text


def test_a_curator_passes_by_a_question_and_sees_it_again_after_the_last(studio: object) -> None:
    person, _writer, curator, item = _written()
    project = Project.objects.get(slug="writing")
    assert store(project, person, QUESTION | {"question": "Another?"}, "1" * 32, help_="none") is None
    second = WorkItem.objects.get(key="1" * 32)
    assert "Another?" in curator.get(f"/p/writing/curate?after={item.pk}").text
    assert "What is said?" in curator.get(f"/p/writing/curate?after={second.pk}").text


def test_nobody_rewrites_the_question_of_another(studio: object) -> None:
    _person, _client, curator, item = _written()
    curator.post("/p/writing/curate", {"item": str(item.pk), "verdict": "send_back", "note": "Shorter."})
    other = Account.objects.make("other")
    join(Project.objects.get(slug="writing"), other, Role.WRITER)
    assert client_of(other).get(f"/p/writing/written/{item.pk}").status_code == 404
