"""What a crash left between an answer and its outcome is settled as a studio starts, and whenever leases run out."""

import pytest

from mores.studio.config import StudioConfig
from mores.studio.flows import closing
from mores.studio.models import Project, WorkItem
from mores.studio.work import leases
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, stored
from tests.studio.served import serving


def _crashed() -> Project:
    """Two projects, of which one feeds the other, and an item with all its answers and no outcome."""
    project, onward = made.project(quota=1), made.project("onward")
    Project.objects.filter(pk=project.pk).update(feeds=onward)
    made.questions(project, 2)
    (person,) = made.annotators(project, 1)
    stored(person, claimed(person))
    assert set(WorkItem.objects.values_list("state", flat=True)) == {"open"}
    return project


def _states() -> list[tuple[str, int, str]]:
    return sorted(WorkItem.objects.values_list("project__slug", "done", "state"))


SETTLED = [("feasts", 0, "open"), ("feasts", 1, "complete"), ("onward", 0, "open")]


@BOTH
def test_a_studio_settles_it_as_it_starts(studio: StudioConfig) -> None:
    _crashed()
    with serving(studio):
        assert _states() == SETTLED


@BOTH
@pytest.mark.parametrize("sending", [False, True])
def test_whoever_asks_for_work_or_answers_has_it_settled(studio: object, sending: bool) -> None:
    project = _crashed()
    (other,) = made.annotators(project, 1, name="other")
    client = client_of(other.account)
    held = claimed(other)
    for clock in (closing._next, leases._next):
        clock.clear()
    if sending:
        client.post(f"/p/feasts/work/{held.assignment}", {"options": "", "key": "k"})
        assert _states() != SETTLED  # nothing was sent that could be stored
        client.post(f"/p/feasts/work/{held.assignment}", {"options": "a", "key": "k"})
        assert [state for _, _, state in _states()] == ["complete", "complete", "open", "open"]
    else:
        client.get("/p/feasts/work")
        assert _states() == SETTLED


def test_it_is_looked_for_no_more_often_than_leases_are(studio: object) -> None:
    project = _crashed()
    closing._next.clear()
    closing.close_at_times(project.pk)
    WorkItem.objects.filter(state="complete").update(state="open")
    closing.close_at_times(project.pk)
    assert ("feasts", 1, "open") in _states()
