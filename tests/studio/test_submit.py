"""Answers: taken once, changed by a new version, counted within the quota, never lost when they come late."""

from mores.studio.models import Assignment, AuditEvent, ItemState, Participant, Response, WorkItem
from mores.studio.work.leases import Lease, NoWork, claim, reclaim
from mores.studio.work.submit import AnswerSubmission, Refusal, Submitted, submit
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, let_pass, refused, stored

pytestmark = BOTH


def _status(assignment: int) -> str:
    return Assignment.objects.get(pk=assignment).status


def test_the_same_sending_twice_is_one_answer_and_the_same_success(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    first, second = (stored(person, held, key="once").response for _ in range(2))
    assert first == second
    assert Response.objects.count() == 1


def test_a_changed_answer_is_a_new_version_and_the_old_one_stays(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    stored(person, held, "a", key="first")
    stored(person, held, "b", key="second")
    assert list(Response.objects.order_by("version").values_list("version", "answer__options")) == [
        (1, ["a"]),
        (2, ["b"]),
    ]
    assert WorkItem.objects.get().done == 1


def test_an_answer_cannot_change_once_the_outcome_is_found(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    assert stored(person, held).completed == WorkItem.objects.get().pk
    WorkItem.objects.update(state=ItemState.COMPLETE)
    assert refused(person, held, "other") is Refusal.ITEM_COMPLETE


def test_nobody_answers_what_another_holds(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    assert refused(other, claimed(one), "key") is Refusal.NOT_YOURS


def test_a_key_of_another_item_is_refused(studio: object) -> None:
    project = made.project()
    made.questions(project, 2)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person), key="key")
    assert refused(person, claimed(person), "key") is Refusal.KEY_USED


def test_work_that_ran_out_goes_to_another_and_back_to_nobody_twice(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    held = claimed(one)
    assert claim(other.pk, project.pk) is NoWork.NOTHING_LEFT
    let_pass(held, hours=2)
    assert claimed(other).assignment != held.assignment
    assert _status(held.assignment) == "expired"
    assert WorkItem.objects.get().claims == 1


def test_a_late_answer_counts_while_a_slot_is_free(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    let_pass(held, hours=2)
    assert reclaim(project.pk) == 1
    assert WorkItem.objects.get().claims == 0
    assert stored(person, held).counted
    assert WorkItem.objects.values_list("claims", "done").get() == (1, 1)


def test_a_late_answer_past_the_quota_is_kept_and_not_counted(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    held = claimed(one)
    let_pass(held, hours=2)
    stored(other, claimed(other))
    assert not stored(one, held).counted
    assert _status(held.assignment) == "extra"
    assert WorkItem.objects.values_list("claims", "done").get() == (1, 1)
    assert Response.objects.count() == 2


def test_somebody_takes_up_again_what_ran_out_on_them(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    let_pass(held, hours=2)
    reclaim(project.pk)
    assert claimed(person).assignment == held.assignment
    assert WorkItem.objects.get().claims == 1


def test_time_on_task_is_never_more_than_what_passed(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    let_pass(held, seconds=30)
    stored(person, held, active_ms=10**9)
    active = Response.objects.get().active_ms
    assert active is not None
    assert 30_000 <= active < 600_000


def test_a_clock_that_went_back_makes_no_time_negative_and_loses_no_work(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    let_pass(held, hours=-1)  # as it looks once the server's clock is set back by an hour
    assert reclaim(project.pk) == 0
    assert stored(person, held, active_ms=5_000).counted
    assert Response.objects.get().active_ms == 0


def test_each_answer_stands_in_the_audit_trail(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person))
    event = AuditEvent.objects.filter(chain=project.pk).order_by("-number")[0]
    assert (event.what, event.who, event.about["item"]) == ("submit", person.account, "q0")


def _onward(person: Participant, held: Lease) -> Submitted:
    answer: dict[str, object] = {"options": ["a"]}
    sending = AnswerSubmission(
        assignment=held.assignment, participant=person.pk, answer=answer, key=f"onward {held.assignment}"
    )
    found = submit(sending, onward=person.project_id)
    assert isinstance(found, Submitted), found
    return found


def test_whoever_answers_holds_the_next_item_at_once(studio: object) -> None:
    project = made.project()
    made.questions(project, 2)
    (person,) = made.annotators(project, 1)
    following = _onward(person, claimed(person)).following
    assert isinstance(following, Lease)
    assert claim(person.pk, project.pk) == following
    # That nothing is left is said only once nobody else's work in between can come back.
    assert _onward(person, following).following is None


def test_whoever_has_given_all_that_was_wanted_is_given_nothing_more(studio: object) -> None:
    project = made.project()
    made.questions(project, 3)
    (person,) = made.annotators(project, 1)
    Participant.objects.update(answers_wanted=2)
    following = _onward(person, claimed(person)).following
    assert isinstance(following, Lease)
    assert _onward(person, following).following is NoWork.ENOUGH
    assert Assignment.objects.filter(status="claimed").count() == 0


def test_a_late_answer_leaves_the_work_that_its_sender_holds_by_now(studio: object) -> None:
    project = made.project()
    made.questions(project, 2)
    (person,) = made.annotators(project, 1)
    late = claimed(person)
    let_pass(late, hours=2)
    reclaim(project.pk)
    Assignment.objects.filter(pk=late.assignment).update(status="skipped")
    now = claimed(person)
    Assignment.objects.filter(pk=late.assignment).update(status="expired")
    assert _onward(person, late).following is None
    assert claim(person.pk, project.pk) == now
