"""Items that open again: served to others, never over their quota, with what was found before in the trail."""

from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.flows.closing import close_item
from mores.studio.models import Account, Assignment, AuditEvent, Participant, Project, Role, WorkItem
from mores.studio.work.audit import broken_at
from mores.studio.work.decisions import ask_for_one_more
from mores.studio.work.exclusion import exclude
from mores.studio.work.leases import Lease, NoWork, claim
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import all_at_once, claimed, client_of, owner_in, stored

pytestmark = BOTH


def _answer(person: Participant, *chosen: str) -> None:
    """One item, and what follows from its last answer."""
    told = stored(person, claimed(person), *chosen)
    if told.completed is not None:
        close_item(told.completed)


def _answer_all(person: Participant) -> int:
    count = 0
    while isinstance(found := claim(person.pk, person.project_id), Lease):
        told = stored(person, found)
        if told.completed is not None:
            close_item(told.completed)
        count += 1
    return count


def _split() -> tuple[Project, list[Participant]]:
    """A question of which five people choose the same, but one."""
    project = made.project()
    made.questions(project, 1)
    people = made.annotators(project, 8)
    for number, person in enumerate(people[:5]):
        _answer(person, "a" if number else "b")
    return project, people


def test_an_owner_asks_one_more_person_and_the_old_outcome_stays_in_the_trail(studio: object) -> None:
    project, people = _split()
    item, owner = WorkItem.objects.get(), owner_in(project)
    before = item.outcome
    assert item.state == "complete"
    assert claim(people[5].pk, project.pk) is NoWork.NOTHING_LEFT
    path = f"/p/feasts/disagreement/{item.pk}/more"
    assert path in owner.get("/p/feasts/disagreement").content.decode()
    for _ in range(2):  # a double click asks one person
        assert owner.post(path).status_code == 302
    item.refresh_from_db()
    assert (item.state, item.outcome, item.quota, item.claims, item.done) == ("open", None, 6, 5, 5)
    assert path not in owner.get("/p/feasts/disagreement").content.decode()
    event = AuditEvent.objects.get(what="reopen")
    assert event.about == {"item": "q0", "state": "complete", "outcome": before, "why": "one more answer"}
    assert event.who is not None
    _answer(people[5], "b")
    assert claim(people[6].pk, project.pk) is NoWork.NOTHING_LEFT
    item.refresh_from_db()
    assert (item.state, item.claims, item.done) == ("dropped", 6, 6)  # four of six are fewer than four in five
    assert item.outcome != before
    assert broken_at(project.pk) is None


def test_only_an_owner_asks_and_only_for_what_had_its_answers(studio: object) -> None:
    project, _ = _split()
    reviewer = Account.objects.make("reviewer")
    join(project, reviewer, Role.REVIEWER)
    item = WorkItem.objects.get()
    path = f"/p/feasts/disagreement/{item.pk}/more"
    assert client_of(reviewer).post(path).status_code == 403
    assert path not in client_of(reviewer).get("/p/feasts/disagreement").content.decode()
    assert Client().post(path).status_code == 302
    made.project("other")
    assert owner_in(project).post(path.replace(str(item.pk), "99")).status_code == 404
    WorkItem.objects.update(done=0, claims=0, state="dropped")  # by a curator, before anybody answered
    assert not ask_for_one_more(item.pk, who=reviewer.pk)


def test_an_exclusion_keeps_what_was_found_and_the_next_person_is_served(studio: object) -> None:
    project, people = _split()
    before = WorkItem.objects.get().outcome
    assert exclude(people[0].pk, {"reason": "a machine"}, who=None)
    assert AuditEvent.objects.get(what="reopen").about["outcome"] == before
    assert claim(people[0].pk, project.pk) is NoWork.NOT_ADMITTED
    _answer(people[6], "a")
    item = WorkItem.objects.get()
    assert (item.state, item.quota, item.claims, item.done) == ("complete", 5, 5, 5)
    assert item.outcome is not None
    assert item.outcome["votes"]["a"] == 5
    assert [each.about["state"] for each in AuditEvent.objects.filter(what="settle")] == ["complete", "complete"]


def test_people_who_are_excluded_at_once_free_each_slot_once(studio: object) -> None:
    project = made.project(quota=6)
    made.questions(project, 8)
    people = made.annotators(project, 6)
    assert [_answer_all(person) for person in people] == [8] * 6
    # Each of them twice, by two who decide at the same moment.
    done = all_at_once(lambda n: exclude(people[n // 2].pk, {"reason": "a machine"}, who=None), 12)
    assert done.count(True) == 6
    assert set(WorkItem.objects.values_list("state", "claims", "done")) == {("open", 0, 0)}
    assert set(Assignment.objects.values_list("status", flat=True)) == {"excluded"}
    assert AuditEvent.objects.filter(what="reopen").count() == 8
    assert broken_at(project.pk) is None


def test_slots_that_come_free_while_others_answer_are_filled_and_no_more(studio: object) -> None:
    project = made.project(quota=3)
    made.questions(project, 8)
    people = made.annotators(project, 8)
    assert [_answer_all(person) for person in people[:3]] == [8] * 3

    def act(number: int) -> object:
        if number < 3:
            return exclude(people[number].pk, {"reason": "a machine"}, who=None)
        return _answer_all(people[number])

    assert all_at_once(act, 8)[:3] == [True] * 3
    for person in people[3:]:  # what came free after somebody had looked
        _answer_all(person)
    assert set(WorkItem.objects.values_list("state", "claims", "done")) == {("complete", 3, 3)}
    assert Assignment.objects.filter(status="done").count() == 24
    assert broken_at(project.pk) is None


def test_one_more_person_is_asked_once_however_many_ask_at_once(studio: object) -> None:
    project, people = _split()
    item, owner = WorkItem.objects.get(), people[7].account_id
    assert all_at_once(lambda _: ask_for_one_more(item.pk, who=owner), 8).count(True) == 1
    item.refresh_from_db()
    assert (item.quota, item.state) == (6, "open")
    assert AuditEvent.objects.filter(chain=project.pk, what="reopen").count() == 1
