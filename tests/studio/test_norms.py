"""Norms: people answer a norm's questions before they see it, say whether it holds, and the pack learns of it."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import Client

from mores.norms.pack import BUNDLED, FILE, load_pack
from mores.pipelines.ladder.ballots import HOLDS, ballots_of, project_files, surveys_of
from mores.studio.accounts.links import join
from mores.studio.design import make_from
from mores.studio.flows.closing import close_item
from mores.studio.flows.exporting import export_files
from mores.studio.flows.fields import PostedForm
from mores.studio.flows.importing import import_file
from mores.studio.flows.norms.answers import answer, sheet
from mores.studio.models import Account, ItemState, ItemVersion, Participant, Project, Role, WorkItem
from mores.studio.work.submit import AnswerSubmission, Submitted, submit
from tests.studio import made
from tests.studio.answering import answer_all
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed

NORM = next(each.norm.id for each in load_pack().norms if each.norm.place == "JP")
SCENES = {"know": ["a", "d"], "judge": "yes", "explain": "no"}
AGREES = {"holds": "agree", "whom": "most", "strength": "sometimes", "why": "At home we always do."}
DISAGREES = {"holds": "disagree", "whom": "", "strength": "", "why": "Nobody my age does."}
UNSURE = {"holds": "dont_know", "whom": "", "strength": "", "why": ""}


def one_norm(into: Project, folder: Path) -> None:
    """One norm of the bundled pack, out of a table."""
    import_file(into, BUNDLED / "JP.toml")
    WorkItem.objects.filter(project=into).exclude(key=f"questions {NORM}").update(state=ItemState.DROPPED)


def answered(person: Participant, said: Mapping[str, object]) -> None:
    held = claimed(person)
    sending = AnswerSubmission(
        assignment=held.assignment, participant=person.pk, answer=dict(said), key=f"k{held.assignment}"
    )
    found = submit(sending)
    assert isinstance(found, Submitted)
    if found.completed is not None:
        close_item(found.completed)


def shown(project: Project, key: str) -> str:
    item = WorkItem.objects.get(project=project, key=key)
    return repr(sheet(ItemVersion.objects.get(item=item).payload, project))


@BOTH
def test_a_norm_is_shown_once_its_questions_have_all_their_answers(studio: object, tmp_path: Path) -> None:
    project = made.project("customs", flow="norms", quota=3)
    one_norm(project, tmp_path)
    people = made.annotators(project, 3)
    statement = next(each.norm.statement for each in load_pack().norms if each.norm.id == NORM)
    for person in people:
        assert statement not in shown(project, f"questions {NORM}")
        assert not WorkItem.objects.filter(project=project, key=f"norm {NORM}").exists()
        answered(person, SCENES)
    assert statement in shown(project, f"norm {NORM}")
    for person, said in zip(people, (AGREES, DISAGREES, UNSURE), strict=True):
        answered(person, said)
    files = export_files(project, "norms")
    assert json.loads(files[FILE]) == {
        "norm": NORM, "asked": 3, "agree": 1, "depends": 0, "disagree": 1, "dont_know": 1
    }  # fmt: skip
    row = json.loads(files["norms.jsonl"])
    assert (row["agreement"], row["for_most"], row["against_sometimes"], row["place"]) == (1 / 3, 1, 1, "JP")
    assert row["agreement_low"] == pytest.approx(0.0615, abs=1e-4)  # Wilson's interval of 1 in 3
    assert [json.loads(line)["why"] for line in files["opinions.jsonl"].splitlines()] == [
        "At home we always do.", "Nobody my age does.", ""
    ]  # fmt: skip
    rows = [json.loads(line) for line in files["people.jsonl"].splitlines()]
    assert [(row["rung"], row["answer"]) for row in rows[:3]] == [("know", "a|d"), ("judge", "yes"), ("explain", "no")]


def test_what_is_right_is_in_no_item(studio: object, tmp_path: Path) -> None:
    project = made.project("customs", flow="norms")
    import_file(project, BUNDLED / "JP.toml")
    stored = "".join(json.dumps(each) for each in ItemVersion.objects.values_list("payload", flat=True))
    for entry in load_pack().norms:
        if entry.norm.place == "JP":
            assert entry.norm.negation not in stored
            assert entry.judge[0].why not in stored
            assert entry.explain is not None
            assert entry.explain.reference not in stored
    assert '"true"' not in stored
    assert '"label"' not in stored


def test_who_agrees_says_for_whom_and_how_strongly_and_who_knows_says_why(studio: object, tmp_path: Path) -> None:
    project = made.project("customs", flow="norms")
    path = tmp_path / "norms.csv"
    path.write_text("id,place,statement\nJP-x,Japan,Many people bow.\n")
    import_file(project, path)
    words = sheet(ItemVersion.objects.get().payload, project)
    assert answer(words, {"holds": ["agree"]}).keys() == {"why", "whom", "strength"}  # type: ignore[union-attr]
    assert answer(words, {"holds": ["disagree"], "why": [""]}).keys() == {"why"}  # type: ignore[union-attr]
    read = answer(words, {"holds": ["dont_know"], "whom": ["all"]})
    assert isinstance(read, PostedForm)
    assert read.values == UNSURE


def test_the_owner_brings_in_the_bundled_norms_of_chosen_places_once(studio: object) -> None:
    project, owner, client = made.project("customs", flow="norms"), Account.objects.make("owner"), Client()
    join(project, owner, Role.OWNER)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    held = Counter(entry.norm.place for entry in load_pack().norms)
    assert f"Japan ({held['JP']})".encode() in client.get("/p/customs/norms").content
    assert client.post("/p/customs/norms", {}).status_code == 422
    for _ in range(2):
        client.post("/p/customs/norms", {"places": ["JP", "PE"]})
    assert sorted(set(WorkItem.objects.values_list("region", flat=True))) == ["JP", "PE"]
    assert WorkItem.objects.count() == held["JP"] + held["PE"]


@pytest.mark.parametrize("place", ["JP", "KE", "PE"])
def test_ballots_of_a_place_are_a_project_that_people_answer_and_a_pack_learns_from(
    studio: object, tmp_path: Path, place: str
) -> None:
    files, ballots = project_files(load_pack(), place), ballots_of(load_pack(), place)
    project = make_from(files["design.toml"].decode(), where="design.toml", owners=[])
    (tmp_path / "items.csv").write_bytes(files["items.csv"])
    assert import_file(project, tmp_path / "items.csv").new == len(ballots)
    assert {region for (region,) in WorkItem.objects.values_list("region")} == {place}
    for number, person in enumerate(made.annotators(project, 3, region=place)):
        word = list(HOLDS)[number]
        said = {"holds": [word], "whom": ["Nearly everybody"], "since": ["For some years"], "own_words": ["As we do."]}
        assert sorted(answer_all(person, lambda _key, _words, said=said: said)) == sorted(b.id for b in ballots)  # type: ignore[misc]
    (tmp_path / "answers.csv").write_bytes(export_files(project, "answers")["answers.csv"])
    found = surveys_of(tmp_path / "answers.csv")
    assert found.keys() == {entry.norm.id for entry in load_pack().norms if entry.norm.place == place}
    assert {(each.asked, each.agree, each.depends, each.disagree) for each in found.values()} == {(3, 1, 1, 1)}
