"""Who is given what: quotas hold, nobody gets an item twice or their own, and free slots are found."""

from mores.studio.models import Assignment, Project, ProjectState, WorkItem
from mores.studio.work.leases import Lease, NoWork, claim
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, stored

pytestmark = BOTH


def test_somebody_who_holds_an_item_is_given_it_again(studio: object) -> None:
    project = made.project()
    made.questions(project, 3)
    (person,) = made.annotators(project, 1)
    assert claimed(person).assignment == claimed(person).assignment


def test_work_goes_on_until_every_slot_is_filled_and_no_further(studio: object) -> None:
    project = made.project(quota=2)
    made.questions(project, 3)
    for person in made.annotators(project, 3):
        while isinstance(found := claim(person.pk, person.project_id), Lease):
            stored(person, found)
    assert set(WorkItem.objects.values_list("claims", "done", "quota")) == {(2, 2, 2)}
    assert Assignment.objects.count() == 6


def test_items_that_others_began_come_first(studio: object) -> None:
    project = made.project()
    made.questions(project, 20)
    first, second = made.annotators(project, 2)
    held = claimed(first)
    assert Assignment.objects.get(pk=claimed(second).assignment).item_id == (
        Assignment.objects.get(pk=held.assignment).item_id
    )


def test_nobody_is_given_what_they_wrote(studio: object) -> None:
    project = made.project()
    (person,) = made.annotators(project, 1)
    made.questions(project, 2, author=person.account)
    assert claim(person.pk, person.project_id) is NoWork.NOTHING_LEFT


def test_people_answer_for_their_own_place_alone(studio: object) -> None:
    project = made.project()
    made.questions(project, 1, region="JP")
    (elsewhere,) = made.annotators(project, 1, region="NG")
    assert claim(elsewhere.pk, elsewhere.project_id) is NoWork.NOT_ADMITTED


def test_a_paused_project_hands_out_nothing(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    (person,) = made.annotators(project, 1)
    Project.objects.update(state=ProjectState.PAUSED)
    assert claim(person.pk, person.project_id) is NoWork.CLOSED
