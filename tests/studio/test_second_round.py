"""What most of a country did not know is asked of a finer group there, as a question of its own."""

import json

from django.test import Client

from mores.studio.accounts.links import join
from mores.studio.flows.closing import close_item
from mores.studio.flows.exporting import export_files
from mores.studio.models import Account, ItemState, Participant, Project, Role, WorkItem
from mores.studio.work.leases import Lease, claim
from mores.studio.work.submit import AnswerSubmission, submit
from tests.studio import made
from tests.studio.conftest import BOTH


def answer_all(project: Project, people: list[Participant], chosen: list[str]) -> None:
    for person in people:
        held = claim(person.pk, project.pk)
        assert isinstance(held, Lease)
        sending = AnswerSubmission(
            assignment=held.assignment, participant=person.pk, answer={"options": chosen}, key=f"k{held.assignment}"
        )
        stored = submit(sending)
        completed = getattr(stored, "completed", None)
        if completed is not None:
            close_item(completed)


def owner_of(project: Project) -> Client:
    account = Account.objects.make(f"{project.slug}-owner")
    join(project, account, Role.OWNER)
    client = Client()
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return client


@BOTH
def test_a_group_is_asked_what_its_country_did_not_know_and_its_answers_are_exported(studio: object) -> None:
    project = made.project(quota=3)
    project.groups.create(code="ainu", name="Ainu", country="JP")
    made.questions(project, 1)
    answer_all(project, made.annotators(project, 3), ["dont_know"])
    assert WorkItem.objects.get().state == ItemState.DROPPED
    owner = owner_of(project)
    assert b"1 question that most did not know" in owner.get("/p/feasts/second-round").content
    for _twice in range(2):
        owner.post("/p/feasts/second-round", {"to": "JP ainu"})
    again = WorkItem.objects.exclude(key="q0").get()
    assert (again.key, again.region, again.state) == ("q0~ainu", "ainu", ItemState.OPEN)
    group = made.annotators(project, 3, name="of-the-group")
    Participant.objects.filter(pk__in=[person.pk for person in group]).update(group="ainu")
    answer_all(project, group, ["b"])
    rows = [
        json.loads(line) for line in export_files(project, "culturalbench")["culturalbench-easy.jsonl"].splitlines()
    ]
    assert [(row["question_idx"], row["country"], row["group"]) for row in rows] == [("q0~ainu", "Japan", "Ainu")]


@BOTH
def test_nobody_of_the_country_at_large_is_asked_in_the_second_round(studio: object) -> None:
    project = made.project(quota=1)
    project.groups.create(code="ainu", name="Ainu", country="JP")
    made.questions(project, 1)
    answer_all(project, made.annotators(project, 1), ["dont_know"])
    owner_of(project).post("/p/feasts/second-round", {"to": "JP ainu"})
    (other,) = made.annotators(project, 1, name="other")
    assert not isinstance(claim(other.pk, project.pk), Lease)


def test_a_group_of_another_country_is_refused(studio: object) -> None:
    project = made.project(quota=1)
    project.groups.create(code="basque", name="Basque", country="ES")
    made.questions(project, 1)
    answer_all(project, made.annotators(project, 1), ["dont_know"])
    said = owner_of(project).post("/p/feasts/second-round", {"to": "JP basque"}, follow=True)
    assert b"Choose a group." in said.content
    assert WorkItem.objects.count() == 1
