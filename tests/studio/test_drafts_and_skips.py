"""What is typed is kept and never overwritten unseen; an item that is passed by is free for others."""

from mores.studio.models import WorkItem
from mores.studio.work.drafts import drop_draft, read_draft, save_draft
from mores.studio.work.leases import NoWork, claim, skip, undo_skip
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed

pytestmark = BOTH


def test_a_draft_grows_by_one_revision_a_save(studio: object) -> None:
    project = made.project()
    (person,) = made.annotators(project, 1)
    first = save_draft(project.pk, person.account_id, "note", rev=0, body={"text": "a"})
    second = save_draft(project.pk, person.account_id, "note", rev=first.rev, body={"text": "ab"})
    assert (first.rev, second.rev) == (1, 2)
    assert read_draft(project.pk, person.account_id, "note") == second


def test_a_save_over_a_newer_draft_gets_the_newer_one_back(studio: object) -> None:
    project = made.project()
    (person,) = made.annotators(project, 1)
    save_draft(project.pk, person.account_id, "note", rev=0, body={"text": "one tab"})
    stale = save_draft(project.pk, person.account_id, "note", rev=0, body={"text": "the other"})
    assert not stale.ours
    assert (stale.rev, stale.body) == (1, {"text": "one tab"})


def test_drafts_of_two_people_know_nothing_of_each_other(studio: object) -> None:
    project = made.project()
    one, other = made.annotators(project, 2)
    save_draft(project.pk, one.account_id, "note", rev=0, body={"text": "mine"})
    assert read_draft(project.pk, other.account_id, "note") is None
    drop_draft(project.pk, other.account_id, "note")
    assert read_draft(project.pk, one.account_id, "note") is not None


def test_a_skipped_item_is_free_for_others_and_does_not_come_back(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    assert skip(claimed(one).assignment, one.account_id)
    assert claim(one.pk, project.pk) is NoWork.NOTHING_LEFT
    claimed(other)


def test_nobody_skips_for_another(studio: object) -> None:
    project = made.project()
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    assert not skip(claimed(one).assignment, other.account_id)
    assert WorkItem.objects.get().claims == 1


def test_a_skip_is_undone_while_the_slot_is_free(studio: object) -> None:
    project = made.project(quota=1)
    made.questions(project, 1)
    one, other = made.annotators(project, 2)
    held = claimed(one)
    skip(held.assignment, one.account_id)
    assert undo_skip(held.assignment, one.account_id)
    assert claimed(one).assignment == held.assignment
    skip(held.assignment, one.account_id)
    claimed(other)
    assert not undo_skip(held.assignment, one.account_id)
    assert WorkItem.objects.get().claims == 1


def test_a_skip_is_not_undone_while_another_item_is_open(studio: object) -> None:
    project = made.project()
    made.questions(project, 2)
    (person,) = made.annotators(project, 1)
    held = claimed(person)
    skip(held.assignment, person.account_id)
    claimed(person)
    assert not undo_skip(held.assignment, person.account_id)
