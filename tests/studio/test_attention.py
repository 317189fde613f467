"""Who misses too many attention checks is excluded by the project's rule: kept, paid, not counted, and reversible."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client

from mores.stats.intervals import wilson
from mores.studio.accounts.links import join
from mores.studio.flows.check_items import exclude_by_rule, quality_of
from mores.studio.flows.importing import import_file
from mores.studio.flows.labels import write_labels
from mores.studio.models import Account, Assignment, AuditEvent, Participant, Project, Response, Role, WorkItem
from mores.studio.recruiting.submissions import end
from mores.studio.work.exclusion import exclude, readmit
from mores.studio.work.leases import NoWork, claim
from mores.studio.work.ledger import minutes_of
from mores.studio.work.records import read_items
from mores.studio.work.submit import AnswerSubmission, Submitted, submit
from tests.studio import made
from tests.studio.answering import answer_all
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in
from tests.studio.prolific import study
from tests.studio.test_owners_pages import FORMS, SETTINGS
from tests.studio.test_training import TRAINING, work_list

CHECKS = [f"c{n},awareness,Say no,yes | no,attention,no," for n in range(4)]


def checked(folder: Path, *, work: int = 6, every: int = 2, judged: int = 2, right: int = 1, quota: int = 1) -> Project:
    """A project of labels with a check after each `every` answers and a rule."""
    project = made.project(flow="label", quota=quota)
    rule = {"check_every": every, "checks_judged": judged, "checks_right": right}
    Project.objects.filter(pk=project.pk).update(**rule)
    import_file(project, work_list(folder, work, TRAINING, *CHECKS))
    project.refresh_from_db()
    return project


def answers(person: Participant, label: str) -> list[str]:
    """The labels of work that somebody gives on their pages until there is no more; what they were given."""
    client, given = client_of(person.account), []
    while b'id="no-work"' not in (page := client.get("/p/feasts/work", follow=True)).content:
        path = page.redirect_chain[-1][0]
        held = Assignment.objects.select_related("item").get(pk=int(path.rsplit("/", 1)[1]))
        client.post(path, {"label": label, "key": f"k{held.pk}", "active_ms": "1000"})
        given.append(held.item.key)
    return given


def slots(project: Project) -> dict[str, tuple[int, int, str]]:
    """Claims, answers and state of the items that are data."""
    found = WorkItem.objects.filter(project=project, kind="work").values_list("key", "claims", "done", "state")
    return {key: (claims, done, state) for key, claims, done, state in found}


def no(_key: str, _words: Mapping[str, object]) -> Mapping[str, list[str]]:
    """What is right."""
    return {"label": ["no"]}


def test_how_often_a_check_comes_is_set(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path, every=3)
    given = answer_all(made.annotators(project, 1)[0], no)
    assert [number for number, key in enumerate(given) if key[0] == "c"] == [4, 8]


@BOTH
def test_who_misses_checks_is_excluded_and_their_slots_are_free(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path)
    one, other = made.annotators(project, 2)
    assert len(answers(one, "yes")) == 1 + 4 + 2  # training, then two checks of two answers each
    one.refresh_from_db()
    assert one.excluded
    assert claim(one.pk, project.pk) is NoWork.NOT_ADMITTED
    assert set(slots(project).values()) == {(0, 0, "open")}
    # What they gave is kept, and is no label.
    assert Response.objects.count() == 7
    assert len(write_labels(project, read_items(project))["labels.csv"].splitlines()) == 1
    event = AuditEvent.objects.get(what="exclude")
    assert event.who is None
    assert event.about == {"participant": one.pk, "reason": "attention checks", "right": 0, "of": 2, "needed": 1}
    # Others answer all of it, and the item that was complete is complete again.
    answers(other, "no")
    assert set(slots(project).values()) == {(1, 1, "complete")}
    assert len(write_labels(project, read_items(project))["labels.csv"].splitlines()) == 1 + 6


@BOTH
def test_who_is_let_back_in_counts_where_a_slot_is_free_and_stays_in(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path, work=4)
    one, other = made.annotators(project, 2)
    answers(one, "yes")
    for _ in ("training", "an item that one had answered"):
        _sent_next(other)
    owner = owner_in(project)
    assert owner.post(f"/p/feasts/annotators/{one.pk}", {"readmit": "1"}).status_code == 422  # without a reason
    told = {"readmit": "1", "reason": "The checks were unclear."}
    assert owner.post(f"/p/feasts/annotators/{one.pk}", told).status_code == 302
    one.refresh_from_db()
    assert not one.excluded
    event = AuditEvent.objects.get(what="readmit")
    assert event.who is not None
    assert event.about["reason"] == "The checks were unclear."
    work = Assignment.objects.filter(participant=one, item__kind="work")
    assert sorted(work.values_list("status", flat=True)) == ["done", "done", "done", "extra"]
    taken = WorkItem.objects.get(assignments__participant=other, kind="work")
    assert work.get(status="extra").item == taken
    assert set(slots(project).values()) == {(1, 1, "complete")}
    assert not exclude_by_rule(one.pk)  # a person's word stands


def _sent(person: Participant, assignment: int) -> bool:
    sending = AnswerSubmission(
        assignment=assignment, participant=person.pk, answer={"label": "no"}, key=f"s{assignment}"
    )
    return isinstance(submit(sending), Submitted)


def _sent_next(person: Participant) -> bool:
    return _sent(person, claimed(person).assignment)


def test_nobody_is_excluded_without_a_rule_or_before_enough_checks(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path, judged=0, right=0)
    (one,) = made.annotators(project, 1)
    answers(one, "yes")
    Project.objects.filter(pk=project.pk).update(checks_judged=5, checks_right=5)
    assert not exclude_by_rule(one.pk)
    Project.objects.filter(pk=project.pk).update(checks_judged=2, checks_right=2)
    assert exclude_by_rule(one.pk)


@BOTH
def test_an_answer_that_comes_after_the_exclusion_is_kept_and_takes_no_slot(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path)
    (one,) = made.annotators(project, 1)
    _sent_next(one)
    held = claimed(one)
    assert exclude(one.pk, {"reason": "a machine"}, who=None)
    assert not exclude(one.pk, {"reason": "again"}, who=None)
    assert _sent(one, held.assignment)
    assert Assignment.objects.get(pk=held.assignment).status == "excluded"
    assert set(slots(project).values()) == {(0, 0, "open")}
    assert readmit(one.pk, "no machine", who=one.account_id)
    assert not readmit(one.pk, "again", who=one.account_id)
    assert Assignment.objects.get(pk=held.assignment).status == "done"


def test_who_is_excluded_is_paid(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path)
    (one,) = made.annotators(project, 1)
    of = study(project)
    Participant.objects.filter(pk=one.pk).update(study=of, session_ext_id="s1")
    answers(one, "yes")
    ending = end(one.pk)
    assert ending is not None
    assert ending.code == of.code_done
    one.refresh_from_db()
    assert one.excluded
    assert one.payments.get().amount == Decimal(str(of.reward))
    assert minutes_of(one) >= 0


def test_rates_have_n_and_interval_and_time_is_a_median_of_what_is_data(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path, judged=0, right=0)
    (one,) = made.annotators(project, 1)
    answer_all(one, no)
    found = quality_of(one.pk)
    assert (found.training.right, found.training.n, found.attention.right, found.attention.n) == (0, 1, 3, 3)
    assert found.attention.interval == wilson(3, 3)
    assert (found.answers, found.timed, found.seconds) == (6, 0, None)


def test_the_page_tells_owner_and_reviewer_and_nobody_else(studio: object, tmp_path: Path) -> None:
    project = checked(tmp_path)
    (one,) = made.annotators(project, 1)
    answers(one, "yes")
    reviewer = Account.objects.make("reviewer")
    join(project, reviewer, Role.REVIEWER)
    page = client_of(reviewer).get("/p/feasts/annotators").content.decode()
    assert f"p{one.pk}" in page
    assert '<bdi dir="ltr">0 / 2</bdi>' in page
    assert "0 of 2 attention checks right, at least 1 needed" in page
    assert "(n = 4)" in page
    assert one.account.name not in page
    assert client_of(one.account).get("/p/feasts/annotators").status_code == 403
    assert Client().get("/p/feasts/annotators").status_code == 302


@pytest.mark.parametrize("wrong", [{"checks_right": "3", "checks_judged": "2"}, {"check_every": "0"}])
def test_a_rule_that_cannot_be_is_refused(studio: object, wrong: dict[str, str]) -> None:
    project = made.project()
    assert owner_in(project).post("/p/feasts/setup", FORMS | SETTINGS | wrong).status_code == 422
    project.refresh_from_db()
    assert (project.check_every, project.checks_judged) == (10, 0)
