"""How far people agree is told live, by sums by hand; where they differ somebody decides, and labels stay."""

import re
from collections.abc import Mapping, Sequence

import pytest
from django.template.loader import render_to_string
from django.test import Client

from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import Interval
from mores.studio.accounts.links import join
from mores.studio.flows.agreement import QuestionAgreement, agreements
from mores.studio.flows.flow import flow_named
from mores.studio.flows.labels import write_labels
from mores.studio.models import Account, AuditEvent, Decision, Participant, Project, Response, Role, WorkItem
from mores.studio.work.decisions import NoDecision, adjudicate
from mores.studio.work.items import NewItem, add_items, read_key_facts
from mores.studio.work.records import read_items
from tests.studio import made
from tests.studio.answering import answer_all
from tests.studio.conftest import BOTH


def labelled(votes: Sequence[Sequence[str]], options: Sequence[str] = ("yes", "no")) -> Project:
    """A project of labels in which each item has these labels, one a person."""
    project = made.project("judges", flow="label", quota=len(votes[0]))
    payload = {"task": "awareness", "place": "", "words": "Is it so?", "options": list(options)}
    add_items(project, [NewItem(key=f"i{n}", payload=payload) for n in range(len(votes))], who=None)
    for number, person in enumerate(made.annotators(project, len(votes[0]))):

        def chooses(key: str, _payload: Mapping[str, object], who: int = number) -> Mapping[str, Sequence[str]]:
            return {"label": [votes[int(key[1:])][who]], "note": ["<b>a word</b>"]}

        answer_all(person, chooses)
    return project


def _agreement(project: Project) -> QuestionAgreement:
    (found,) = agreements(flow_named(project.flow), project, read_items(project), read_key_facts(project))
    return found


def signed_in(project: Project, role: Role, name: str) -> Client:
    """Somebody with a role in a project."""
    account = Account.objects.make(name)
    join(project, account, role)
    client = Client()
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return client


@BOTH
def test_agreement_is_that_of_sums_by_hand(studio: object) -> None:
    # Of 10 items of two labels 8 agree; 10 yes and 10 no: by chance .5, so kappa is (.8 - .5) / .5.
    found = _agreement(labelled([["yes", "yes"]] * 4 + [["no", "no"]] * 4 + [["yes", "no"]] * 2))
    assert (found.units, found.people) == (10, 2)
    assert found.percent.value == pytest.approx(0.8)
    assert found.fleiss.value == pytest.approx(0.6)
    # Alpha: 1 - (n - 1) * disagreeing pairs / pairs of unlike labels = 1 - 19 * 4 / (2 * 10 * 10).
    assert found.alpha.value == pytest.approx(1 - 19 * 4 / 200)
    assert found.fleiss.interval.low is not None
    assert found.fleiss.interval.low < 0.6


def test_where_all_say_the_same_kappa_is_not_told_and_why(studio: object) -> None:
    found = _agreement(labelled([["yes", "yes"]] * 9))
    assert found.percent.value == 1
    assert found.fleiss.missing is not None
    assert found.fleiss.missing.code == "one_class_of_all"


def test_a_scale_is_ordinal(studio: object) -> None:
    scale = ("1", "2", "3")
    near = _agreement(labelled([["1", "2"], ["3", "3"], ["1", "1"], ["2", "3"]], scale))
    assert near.ordered
    assert near.alpha.value > near.fleiss.value


def test_options_of_which_several_may_hold_are_units_of_their_own(studio: object) -> None:
    project = made.project(quota=2)
    made.questions(project, 2)
    for person in made.annotators(project, 2):
        answer_all(person, lambda _key, _words: {"options": ["a", "c"]})
    found = _agreement(project)
    assert (found.units, found.percent.value) == (12, 1)


def test_the_page_tells_figures_or_why_there_are_none(studio: object) -> None:
    project = labelled([["yes", "yes"]] * 9)
    page = signed_in(project, Role.REVIEWER, "reviewer").get("/p/judges/agreement").content.decode()
    assert "100.0%" in page
    assert "Fleiss" in page


def test_the_page_of_differences_names_nobody_and_shows_their_words_as_words(studio: object) -> None:
    project = labelled([["yes", "no", "yes"], ["yes", "yes", "yes"]])
    page = signed_in(project, Role.REVIEWER, "reviewer").get("/p/judges/disagreement").content.decode()
    assert "<bdi>i0</bdi>" in page
    assert "<bdi>i1</bdi>" not in page  # "i1" alone may stand in a token against forgery
    assert "&lt;b&gt;a word&lt;/b&gt;" in page
    assert not any(person.account.name in page for person in Participant.objects.select_related("account"))


@BOTH
def test_a_decision_is_recorded_and_the_labels_stay_as_people_gave_them(studio: object) -> None:
    project = labelled([["yes", "no"]])
    before, item = list(Response.objects.values_list("answer", flat=True)), WorkItem.objects.get()
    client = signed_in(project, Role.REVIEWER, "reviewer")
    assert client.post(f"/p/judges/disagreement/{item.pk}", {"label": "no"}).status_code == 422  # and no reason
    told = {"label": "no", "why": "The words say so."}
    assert client.post(f"/p/judges/disagreement/{item.pk}", told).status_code == 302
    assert list(Response.objects.values_list("answer", flat=True)) == before
    decision = Decision.objects.get()
    assert (decision.verdict, decision.reason, decision.by.name) == (
        {"answer": {"label": "no"}}, "The words say so.", "reviewer",
    )  # fmt: skip
    last = AuditEvent.objects.filter(chain=project.pk).order_by("-number")[0]
    assert (last.what, last.about["item"]) == ("adjudicate", "i0")
    files = {
        name: content.decode().splitlines() for name, content in write_labels(project, read_items(project)).items()
    }
    assert len(files["labels.csv"]) == 3
    assert files["adjudicated.csv"][1:] == ["i0,adjudicated,no,The words say so."]


def test_nobody_decides_what_they_answered_or_what_nobody_differs_on_yet(studio: object) -> None:
    project = labelled([["yes", "no"]])
    item, person = WorkItem.objects.get(), Participant.objects.first()
    assert person is not None
    assert adjudicate(item.pk, person.account_id, answer={"label": "no"}, reason="x") is NoDecision.ANSWERED_IT
    add_items(project, [NewItem(key="new", payload={})], who=None)
    owner = Account.objects.make("owner")
    new = WorkItem.objects.get(key="new")
    assert adjudicate(new.pk, owner.pk, answer={"label": "no"}, reason="x") is NoDecision.NOT_ANSWERED_YET
    assert not Decision.objects.exists()


def test_the_newest_decision_holds_and_the_one_before_stays(studio: object) -> None:
    project = labelled([["yes", "no"]])
    item, owner = WorkItem.objects.get(), Account.objects.make("owner")
    for label in ("no", "yes"):
        assert adjudicate(item.pk, owner.pk, answer={"label": label}, reason="x") is None
    assert Decision.objects.count() == 2
    assert b",adjudicated,yes," in write_labels(project, read_items(project))["adjudicated.csv"]


def test_figures_are_rounded_and_not_cut(studio: object) -> None:
    assert studio
    ends = Interval(-0.126, 0.9996, "by hand")
    for share, figures in ((False, ["0.69", "-0.13 – 1.00"]), (True, ["68.9%", "-12.6% – 100.0%"])):
        told = {"measured": MeasuredFigure(0.689, ends), "share": share}
        # From left to right, so that a minus stands before its number on every page.
        assert re.findall(r'<bdi dir="ltr">(.*?)</bdi>', render_to_string("projects/measured.html", told)) == figures
