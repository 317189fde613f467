"""What is kept goes on to a project that can read it, in no ring; an item that cannot be shown takes no page along."""

import csv
import io
import json
import zipfile
from collections.abc import Sequence

import pytest
from django.db import connection
from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.flows.closing import close_all, decide
from mores.studio.flows.exporting import export_files
from mores.studio.flows.flow import flow_named, flows
from mores.studio.models import (
    Account,
    AuditEvent,
    ItemState,
    Participant,
    Project,
    Response,
    Role,
    WorkItem,
)
from mores.studio.work.audit import broken_at
from mores.studio.work.items import NewItem, add_items
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import all_at_once, claimed, client_of, stored

QUESTION = {"question": "Who pours the tea?", "options": ["The host", "The guest", "Nobody", "All"]}
LABELLED = {"task": "Is it so?", "place": "", "words": "She waits.", "options": ["yes", "no"]}
NEW = {"name": "New", "quota": "1", "lease_minutes": "60", "language": "en"}
NO_ROWS = {f"{part}-{what}_FORMS": "0" for part in ("quotas", "groups") for what in ("TOTAL", "INITIAL")}
SETTINGS = {
    "check_every": "10",
    "checks_judged": "0",
    "checks_right": "0",
    "training_right": "0",
    "quick_seconds": "0",
    "quick_run": "0",
    "same_run": "0",
    "questions": "[]",
    "settings": "{}",
    "flow-help": "all",
}


def _owner(*projects: Project, name: str = "owner") -> Client:
    account = Account.objects.make(name, is_owner=True)
    for project in projects:
        join(project, account, Role.OWNER)
    return client_of(account)


def _offered(page: bytes) -> list[str]:
    select = page.decode().partition('name="feeds"')[2].partition("</select>")[0]
    return [part.partition("<")[0].strip() for part in select.split("<option")[1:] for part in [part.partition(">")[2]]]


def _set(client: Client, project: Project, onward: Project | None) -> int:
    told = NEW | SETTINGS | NO_ROWS | {"name": project.name, "feeds": "" if onward is None else str(onward.pk)}
    return client.post(f"/p/{project.slug}/setup", told).status_code


def _event(what: str) -> list[dict[str, object]]:
    return list(AuditEvent.objects.filter(what=what).values_list("about", flat=True))


def test_only_flows_that_can_read_it_are_fed() -> None:
    fed = {name: sorted(flow.forwards_to) for name, flow in flows().items() if flow.forwards_to}
    assert fed["write"] == ["check"]
    assert {name for names in fed.values() for name in names} <= set(flows())


def test_forms_offer_projects_of_ones_own_whose_flow_can_read_it(studio: object) -> None:
    writing, checking, judging = (
        made.project("writing", flow="write"),
        made.project(),
        made.project("judging", flow="label"),
    )
    made.project("others")
    owner = _owner(writing, checking, judging)
    assert _offered(owner.get("/new").content) == ["---------", "Feasts"]
    assert _offered(owner.get("/p/writing/setup").content) == ["---------", "Feasts"]
    assert _offered(owner.get("/p/judging/setup").content) == ["---------"]


@BOTH
def test_no_project_feeds_one_that_cannot_read_it_or_one_of_others(studio: object) -> None:
    writing, judging = made.project("writing", flow="write"), made.project("judging", flow="label")
    others = made.project("others")
    owner = _owner(writing, judging)
    for onward in (judging, others):
        assert _set(owner, writing, onward) == 422
        owner.post("/new", NEW | {"flow": "write", "feeds": str(onward.pk)})
    assert not Project.objects.exclude(feeds=None).exists()
    assert not Project.objects.filter(name="New").exists()


@BOTH
def test_no_ring_is_closed_however_long_it_is(studio: object) -> None:
    one, two, three = (made.project(slug) for slug in ("one", "two", "three"))
    owner = _owner(one, two, three)
    assert _set(owner, one, one) == 422
    assert (_set(owner, one, two), _set(owner, two, three)) == (302, 302)
    assert _set(owner, three, one) == 422
    assert Project.objects.get(slug="three").feeds is None
    assert "Two" not in _offered(owner.get("/p/three/setup").content)


@BOTH
def test_two_owners_at_once_close_no_ring(studio: object) -> None:
    pairs = [tuple(made.project(f"{side}{number}") for side in ("left", "right")) for number in range(6)]
    owner = Account.objects.make("owner", is_owner=True)
    for project in Project.objects.all():
        join(project, owner, Role.OWNER)

    def feed(number: int) -> int:
        one, other = pairs[number // 2] if number % 2 else pairs[number // 2][::-1]
        return _set(client_of(owner), one, other)

    assert sorted(all_at_once(feed, 12)) == [302] * 6 + [422] * 6  # type: ignore[type-var]
    assert Project.objects.exclude(feeds=None).count() == 6


def test_another_owner_keeps_a_receiver_whose_name_they_are_not_told(studio: object) -> None:
    writing, secret = made.project("writing", flow="write"), made.project("secret")
    Project.objects.filter(pk=writing.pk).update(feeds=secret)
    owner = _owner(writing)
    assert b"Secret" not in owner.get("/p/writing/setup").content
    assert _set(owner, writing, secret) == 302
    assert Project.objects.get(slug="writing").feeds == secret


def _written(project: Project, **words: object) -> WorkItem:
    """A question that waits for a curator, of a writer."""
    payload = {**QUESTION, "writer": {"holds": ["a"]}, **words}
    add_items(project, [NewItem(key="q", payload=payload, region="JP")], who=None, state=ItemState.WAITING)
    return WorkItem.objects.get(project=project, key="q")


@BOTH
def test_of_an_older_studio_nothing_goes_where_it_cannot_be_read(studio: object) -> None:
    writing, judging = made.project("writing", flow="write"), made.project("judging", flow="label")
    Project.objects.filter(pk=writing.pk).update(feeds=judging)
    item = _written(writing)
    curator = Account.objects.make("curator")
    assert decide(item.pk, curator.pk, kind="curate", kept=True, forward=QUESTION)
    assert not WorkItem.objects.filter(project=judging).exists()
    assert _event("kept back") == [{"item": "q", "why": "flow of judging"}]
    assert b"did not go on" in _owner(writing).get("/p/writing/progress").content
    assert broken_at(writing.pk) is None


@BOTH
def test_a_ring_of_an_older_studio_goes_round_not_even_once(studio: object) -> None:
    one, two = made.project("one", quota=1), made.project("two", quota=1)
    Project.objects.filter(pk=one.pk).update(feeds=two)
    Project.objects.filter(pk=two.pk).update(feeds=one)
    made.questions(one, 1)
    (person,) = made.annotators(one, 1)
    stored(person, claimed(person))
    close_all(one)
    assert WorkItem.objects.get().state == "complete"
    assert _event("kept back") == [{"item": "q0", "why": "ring of two"}]


@BOTH
def test_a_question_that_the_receiver_cannot_show_is_kept_and_does_not_go_on(studio: object) -> None:
    writing, checking = made.project("writing", flow="write"), made.project("checking")
    Project.objects.filter(pk=writing.pk).update(feeds=checking)
    curator = Account.objects.make("curator")
    assert decide(_written(writing).pk, curator.pk, kind="curate", kept=True, forward={"question": "Alone"})
    assert WorkItem.objects.get().state == "complete"
    assert _event("kept back") == [{"item": "q", "why": "KeyError in checking"}]


@BOTH
def test_other_words_under_the_same_key_do_not_keep_an_answer_from_being_taken(studio: object) -> None:
    one, two = made.project("one", quota=1), made.project("two", quota=1)
    Project.objects.filter(pk=one.pk).update(feeds=two)
    made.questions(one, 1)
    add_items(two, [NewItem(key="one-q0", payload=QUESTION, region="JP")], who=None)
    (person,) = made.annotators(one, 1)
    client = client_of(person.account)
    held = claimed(person)
    assert client.post(f"/p/one/work/{held.assignment}", {"options": "a", "key": "k"}).status_code == 302
    assert WorkItem.objects.get(project=one).state == "complete"
    assert _event("kept back") == [{"item": "q0", "why": "other words in two"}]
    assert WorkItem.objects.filter(project=two).count() == 1


@BOTH
def test_long_keys_stay_apart_in_the_receiver(studio: object) -> None:
    writing, checking = made.project("writing", flow="write"), made.project("checking")
    Project.objects.filter(pk=writing.pk).update(feeds=checking)
    curator = Account.objects.make("curator")
    keys = [f"{'k' * 118}{n}" for n in (10, 11)]
    rows = [NewItem(key=key, payload={**QUESTION, "writer": {}}, region="JP") for key in keys]
    add_items(writing, rows, who=None, state=ItemState.WAITING)
    for item in WorkItem.objects.filter(project=writing):
        decide(item.pk, curator.pk, kind="curate", kept=True, forward=QUESTION)
    assert WorkItem.objects.filter(project=checking).count() == 2


def _judging(*, labelled: int = 1) -> Project:
    """A project of a flow that cannot read one of its items, as there are in studios from before."""
    judging = made.project("judging", flow="label", quota=1)
    rows = [NewItem(key="alien", payload=QUESTION)]
    rows += [NewItem(key=f"fine{n}", payload=LABELLED) for n in range(labelled)]
    add_items(judging, rows, who=None)
    return judging


@BOTH
def test_who_is_given_an_item_that_cannot_be_shown_goes_on_with_the_next(studio: object) -> None:
    judging = _judging()
    WorkItem.objects.filter(key="fine0").update(state=ItemState.WAITING)
    (person,) = made.annotators(judging, 1)
    client = client_of(person.account)
    page = client.get("/p/judging/work", follow=True)
    assert page.status_code == 200
    assert "cannot be shown" in page.content.decode()
    WorkItem.objects.filter(key="fine0").update(state=ItemState.OPEN)
    assert 'id="answer"' in client.get("/p/judging/work", follow=True).content.decode()
    assert WorkItem.objects.get(key="alien").claims == 0
    assert _event("not shown") == [{"item": "alien", "why": "KeyError"}]
    assert b"cannot be shown" in _owner(judging).get("/p/judging/progress").content


def test_an_answer_that_is_sent_to_such_an_item_breaks_nothing(studio: object) -> None:
    judging = _judging(labelled=0)
    (person,) = made.annotators(judging, 1)
    held = claimed(person)
    answer = client_of(person.account).post(f"/p/judging/work/{held.assignment}", {"label": "yes"})
    assert answer.status_code == 200
    assert "cannot be shown" in answer.content.decode()


@BOTH
def test_pages_and_exports_leave_such_an_item_out_and_say_so(studio: object) -> None:
    judging = _judging(labelled=3)
    people = made.annotators(judging, 1)
    for _ in range(4):
        held = claimed(people[0])
        stored(people[0], held, key=f"k{held.assignment}")
    owner = _owner(judging)
    for page in ("personal", "agreement", "disagreement"):
        shown = owner.get(f"/p/judging/{page}")
        assert shown.status_code == 200
        assert page == "disagreement" or "<bdi>alien</bdi>" in shown.content.decode(), page
    for name in flow_named("label").exports:
        answer = owner.get(f"/p/judging/export/{name}")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            (left,) = [json.loads(line) for line in archive.read("unreadable.jsonl").decode().splitlines()]
            told = json.loads(archive.read("datasheet.json"))
        assert (left["key"], len(left["answers"]), told["unreadable"]) == ("alien", 1, 1)
    alien = WorkItem.objects.get(key="alien")
    assert owner.get(f"/p/judging/disagreement/{alien.pk}").status_code == 409


@BOTH
def test_an_item_whose_answers_cannot_be_read_stays_open_and_takes_no_other_with_it(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 2)
    people = made.annotators(project, 2)
    stored(people[0], claimed(people[0]))
    broken = WorkItem.objects.get(done=1)
    stored(people[1], claimed(people[1]))
    # Of another shape than the flow reads: stored by a version of it that is no more.
    with connection.cursor() as cursor:
        of_table = " ON studio_response" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER studio_response_no_update{of_table}")
    Response.objects.filter(assignment__item=broken).update(answer=[])
    for _ in range(2):
        close_all(project)
    states = dict(WorkItem.objects.values_list("pk", "state"))
    assert states.pop(broken.pk) == "open"
    assert list(states.values()) == ["complete"]
    assert len(_event("no outcome")) == 1
    assert "unreadable.jsonl" in export_files(project, "culturalbench")


def test_a_curator_goes_past_what_has_no_writer(studio: object) -> None:
    writing = made.project("writing", flow="write")
    add_items(writing, [NewItem(key="alien", payload=LABELLED, region="JP")], who=None, state=ItemState.WAITING)
    owner = _owner(writing)
    assert owner.get("/p/writing/curate").status_code == 200
    _written(writing)
    assert str(QUESTION["question"]) in owner.get("/p/writing/curate").content.decode()
    assert "questions.csv" in export_files(writing, "questions")


def test_a_group_that_was_taken_out_of_the_settings_keeps_its_questions_in_the_export(studio: object) -> None:
    project = made.project(quota=1)
    project.groups.create(code="tamil", name="Tamil", country="IN")
    made.questions(project, 1, region="IN")
    (person,) = made.annotators(project, 1, region="IN")
    WorkItem.objects.update(region="tamil")
    Participant.objects.update(group="tamil")
    stored(person, claimed(person))
    project.groups.all().delete()
    files = export_files(project, "culturalbench")
    (row,) = _rows(files["culturalbench-easy.csv"])
    assert (row["country"], row["group"]) == ("", "tamil")


def _rows(table: bytes) -> Sequence[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode())))


@pytest.mark.parametrize("flow", flows())
def test_of_each_flow_the_pages_bear_an_item_of_another_kind(studio: object, flow: str) -> None:
    project = made.project("any", flow=flow, quota=1)
    payloads: tuple[dict[str, object], ...] = ({}, {"question": 1, "options": 2}, {"step": "norm", "shown": [1]})
    for number, payload in enumerate(payloads):
        add_items(project, [NewItem(key=f"alien{number}", payload=payload)], who=None, state=flow_named(flow).begins)
    owner = _owner(project)
    for page in ("", "personal", "agreement", "disagreement", "progress", "annotators"):
        assert owner.get(f"/p/any/{page}").status_code == 200, page
    for name in flow_named(flow).exports:
        assert owner.get(f"/p/any/export/{name}").status_code == 200, name
