"""Rules about pace and practice flag or exclude, and options that are mixed are counted by what they are."""

import re
from pathlib import Path

import pytest

from mores.studio.flows.check_items import exclude_by_runs, runs_of
from mores.studio.flows.exporting import export_files
from mores.studio.flows.fields import ChoiceField, ChoiceOption, ItemForm, order_of, shuffled
from mores.studio.flows.importing import import_file
from mores.studio.models import AuditEvent, Participant, Project, Response, WorkItem
from mores.studio.work.exclusion import readmit
from mores.studio.work.records import read_items
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in
from tests.studio.test_training import work_list

SHOWN = re.compile(r'type="checkbox" name="options" value="(\w+)"')


def _project(**rule: object) -> tuple[Project, Participant]:
    project = made.project(quota=1)
    Project.objects.filter(pk=project.pk).update(**rule)
    made.questions(project, 8)
    return project, made.annotators(project, 1)[0]


def _answer(person: Participant, choices: str, *, active_ms: int = 5_000) -> int:
    """Answer as many items as there are choices, at their places as they stand, a to d; how many were given."""
    client = client_of(person.account)
    for number, choice in enumerate(choices):
        page = client.get("/p/feasts/work", follow=True)
        if not page.redirect_chain or 'id="no-work"' in page.text:
            return number
        order = SHOWN.findall(page.text)
        posted = {"options": order["abcd".index(choice)], "key": f"{person.pk} {number}", "active_ms": str(active_ms)}
        mixed = {"mixed": "1"} if 'name="mixed"' in page.text else {}
        client.post(page.redirect_chain[-1][0], posted | mixed)
    return len(choices)


def test_runs_are_told_and_flagged_and_nobody_is_excluded_unless_the_project_says_so(studio: object) -> None:
    project, person = _project(quick_seconds=2, quick_run=3, same_run=4)
    # The time on task is never more than what passed here, so all are quick; none stands beside its like.
    assert _answer(person, "abcdab", active_ms=400) == 6
    runs = runs_of(person.pk)
    assert (runs.quick, runs.same) == (6, 1)
    page = owner_in(project).get("/p/feasts/annotators").text
    assert page.count(">flagged<") == 1
    assert not exclude_by_runs(person.pk)


@BOTH
@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"quick_seconds": 2, "quick_run": 3}, {"reason": "quick", "run": 3, "seconds": 2}),
        ({"same_run": 3}, {"reason": "same", "run": 3}),
    ],
)
def test_a_run_that_is_too_long_excludes_at_once_and_frees_its_slots(
    studio: object, rule: dict[str, int], why: dict[str, object]
) -> None:
    project, person = _project(run_excludes=True, shuffles=True, **rule)
    assert _answer(person, "aaaaaa", active_ms=400) == 3
    assert AuditEvent.objects.get(what="exclude").about == {"participant": person.pk, **why}
    assert set(WorkItem.objects.values_list("claims", "state")) == {(0, "open")}
    page = owner_in(project).get("/p/feasts/annotators").text
    assert "3 answers in a row" in page
    assert "Nobody is excluded by a rule" not in page
    readmit(person.pk, "It was easy.", who=person.account_id)
    assert not exclude_by_runs(person.pk)


def test_who_has_less_training_right_than_is_asked_for_goes_no_further(studio: object, tmp_path: Path) -> None:
    project = made.project(flow="label", quota=1)
    Project.objects.filter(pk=project.pk).update(training_right=2)
    training = [f"t{n},awareness,Learn {n},yes | no,training,yes," for n in range(3)]
    import_file(project, work_list(tmp_path, 4, *training))
    poor, good = made.annotators(project, 2)
    for person, labels in ((poor, ("yes", "no", "no")), (good, ("yes", "no", "yes"))):
        client = client_of(person.account)
        for number, label in enumerate(labels):
            place = client.get("/p/feasts/work").headers["Location"]
            client.post(place, {"label": label, "key": f"{person.pk} {number}"})
        person.refresh_from_db()
    assert (poor.excluded, good.excluded) == (True, False)
    assert AuditEvent.objects.get(what="exclude").about["reason"] == "training"
    assert "1 of 3 training items right, at least 2 needed" in owner_in(project).get("/p/feasts/annotators").text


@BOTH
def test_options_in_another_order_for_each_person_are_counted_by_what_they_are(studio: object) -> None:
    project = made.project(quota=4)
    Project.objects.filter(pk=project.pk).update(shuffles=True)
    made.questions(project, 1)
    orders = set()
    for person in made.annotators(project, 4):
        client = client_of(person.account)
        page = client.get("/p/feasts/work", follow=True)
        order = SHOWN.findall(page.text)
        assert order[4:] == ["dont_know", "unanswerable"]
        assert SHOWN.findall(client.get(page.redirect_chain[-1][0]).text) == order  # the same each time
        posted = {"options": ["c", "b"], "key": f"k{person.pk}", "mixed": "1"}
        client.post(page.redirect_chain[-1][0], posted)
        response = Response.objects.get(assignment__participant=person)
        assert response.order == {"options": order}
        assert response.answer == {"options": ["b", "c"]}
        orders.add(tuple(order))
    assert len(orders) > 1
    item = read_items(project)[0]
    assert item.outcome is not None
    assert item.outcome["votes"] == {"a": 0, "b": 4, "c": 4, "d": 0}
    assert b'"order":{"options":[' in export_files(project, "answers")["items.jsonl"]


def test_scales_and_the_studios_own_options_are_not_mixed() -> None:
    options = tuple(ChoiceOption(value=str(n), label=str(n)) for n in range(9))
    scale = ItemForm(passages=(), fields=(ChoiceField(name="points", legend="", options=options, scale=True),))
    assert order_of(shuffled(scale, "seed")) == order_of(scale)
    free = ItemForm(passages=(), fields=(ChoiceField(name="points", legend="", options=options),))
    assert order_of(shuffled(free, "seed")) != order_of(free)
    assert sorted(order_of(shuffled(free, "seed"))["points"]) == sorted(order_of(free)["points"])
