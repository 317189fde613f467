"""Reviews: sheets of builds go to people and their labels come back as `mores build review` reads them."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.db import DatabaseError

from mores.core.errors import InputError
from mores.pipelines.questions.prompts import LETTERS, MATRIX
from mores.pipelines.review_sheets import KEY, SHEET
from mores.runs.folder import FORMAT
from mores.studio.config import StudioConfig
from mores.studio.flows.fields import Posted
from mores.studio.flows.flow import flow_named
from mores.studio.flows.importing import import_file
from mores.studio.models import ItemKey, ItemVersion, Project, WorkItem
from tests.studio import made
from tests.studio.answering import answer_all, of_studio, typed
from tests.studio.conftest import BOTH

PLACES = ("JP", "NG", "PE")


def review_folder(folder: Path, questions: int = 2) -> Path:
    """A sheet of pairs and its key, as a build of questions writes them."""
    folder.mkdir(parents=True)
    pairs = [
        {"id": f"{number}{letter}{norm}", "question": f"question {number}", "option": letter, "norm": norm}
        for number in range(questions) for letter in LETTERS for norm in (1, 2, 3)
    ]  # fmt: skip
    rows = [
        f"{pair['id']},{PLACES[int(str(pair['id'])[:-2]) % 3]},A visit,Norm {pair['norm']},Deed {pair['option']},,"
        for pair in pairs
    ]
    (folder / SHEET).write_text("\n".join(["id,place,background,norm,option,annotator,label", *rows]) + "\n")
    (folder / KEY).write_text(json.dumps(pairs))
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "spec": {"pipeline": "questions"}}))
    return folder


def _as_the_matrix_has_it(key: str, _payload: Mapping[str, object]) -> Posted:
    option, norm = key[-2], int(key[-1])
    return {"label": [MATRIX[option][norm - 1]]}  # type: ignore[index]


def _anybody(slug: str, flow: str, quota: int = 3) -> Project:
    project = made.project(slug, flow=flow, quota=quota)
    project.settings = {"who": "anybody"}
    project.save()
    return project


@BOTH
def test_a_review_goes_from_a_sheet_to_the_command_that_reads_its_labels(studio: StudioConfig, tmp_path: Path) -> None:
    project = _anybody("review", "review")
    folder = review_folder(tmp_path / "built")
    assert import_file(project, folder).new == 24
    for person in made.annotators(project, 3):
        assert len(answer_all(person, _as_the_matrix_has_it)) == 24
    out = tmp_path / "out"
    of_studio(studio, "export", "--project", "review", "--out", out)
    done = typed("build", "review", folder, "--labels", out / "labels.csv", "--json")
    found = json.loads(done.stdout)
    assert (found["hard"][0], found["soft"][0], found["unanimous"], found["people"]) == (1, 1, 1, 3)
    own = json.loads((out / "review.json").read_text())
    assert own == found
    assert set(WorkItem.objects.values_list("state", flat=True)) == {"complete"}


def test_what_a_pair_should_be_is_sealed_and_not_among_its_words(studio: object, tmp_path: Path) -> None:
    project = _anybody("review", "review")
    import_file(project, review_folder(tmp_path / "built"))
    shown = json.dumps(list(ItemVersion.objects.values_list("payload", flat=True)))
    assert "question 0" not in shown
    assert ItemKey.objects.get(item__key="0A1").facts == {"cluster": "question 0", "option": "A", "norm": 1}


@BOTH
def test_what_is_sealed_is_never_changed(studio: object, tmp_path: Path) -> None:
    import_file(_anybody("review", "review"), review_folder(tmp_path / "built"))
    with pytest.raises(DatabaseError, match="append-only"):
        ItemKey.objects.update(facts={})


def test_a_part_has_whole_questions_and_every_place_in_it(studio: object, tmp_path: Path) -> None:
    folder = review_folder(tmp_path / "built", questions=9)
    parts = []
    for size in (3, 6):
        project = made.project(f"part-{size}", flow="review")
        assert import_file(project, folder, sample=size).new == 12 * size
        assert {each.region for each in project.items.all()} == set(PLACES)
        parts.append(set(project.items.values_list("key", flat=True)))
    assert parts[0] < parts[1]


def test_the_key_of_another_build_is_refused(studio: object, tmp_path: Path) -> None:
    folder, other = review_folder(tmp_path / "built"), review_folder(tmp_path / "other", questions=1)
    with pytest.raises(InputError, match="the key has no '1A1'"):
        import_file(_anybody("review", "review"), folder, key=other / KEY)
    assert not WorkItem.objects.exists()


def test_only_a_project_that_says_so_asks_whether_a_norm_does_not_speak_of_it(studio: object) -> None:
    project = made.project(flow="review")
    payload = {"background": "A visit", "norm": "N", "option": "O"}

    def asked() -> list[str]:
        (field,) = flow_named("review").sheet(payload, project).fields
        return [option.value for option in field.options]  # type: ignore[union-attr]

    assert asked() == ["satisfy", "violate"]
    project.settings = {"labels": "three"}
    assert asked() == ["satisfy", "violate", "neutral"]


def scenario_folder(folder: Path, count: int = 9) -> Path:
    """A sheet of scenarios with their questions, and its key, as a build of subgroups or dialogues writes them."""
    folder.mkdir(parents=True)
    aspects = ("cultural clarity", "stance fidelity")
    points = [
        {"id": f"{number}{aspect[0]}", "scenario": f"scenario {number}", "aspect": aspect, "expected": "yes"}
        for number in range(count) for aspect in aspects
    ]  # fmt: skip
    rows = [f"{each['id']},Japan,Scene {each['scenario'][-1]},Is it so?,," for each in points]
    (folder / SHEET).write_text("\n".join(["id,place,scenario,question,annotator,label", *rows]) + "\n")
    (folder / KEY).write_text(json.dumps(points))
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "spec": {"pipeline": "subgroups"}}))
    return folder


@BOTH
def test_scenarios_of_a_sheet_are_asked_what_stands_in_their_rows(studio: StudioConfig, tmp_path: Path) -> None:
    project, folder = made.project(flow="scenarios", quota=2), scenario_folder(tmp_path / "built")
    import_file(project, folder)
    for person in made.annotators(project, 2):
        answer_all(person, lambda key, _: {"label": ["no" if key == "3s" else "yes"]})
    of_studio(studio, "export", "--project", "feasts", "--out", tmp_path / "out")
    done = typed("build", "review", folder, "--labels", tmp_path / "out" / "labels.csv", "--json")
    clarity, stance = json.loads(done.stdout)["aspects"]
    assert (clarity["sound"][0], clarity["decided"]) == (1, 9)
    assert stance["sound"][0] == pytest.approx(8 / 9)
    assert stance["failed"] == ["scenario 3"]


def test_scenarios_without_a_question_are_asked_what_the_project_defines(studio: StudioConfig, tmp_path: Path) -> None:
    project = made.project(flow="scenarios", quota=1)
    file = tmp_path / "scenes.csv"
    file.write_text("id,place,scenario\ns1,Japan,Two people meet.\n")
    with pytest.raises(InputError, match="or questions of the project"):
        import_file(project, file)
    project.questions = [
        {"aspect": "cultural clarity", "words": "Is it clear?"},
        {"aspect": "conflict", "words": "Can the goal cause the conflict?"},
    ]
    project.save()
    import_file(project, file)
    (person,) = made.annotators(project, 1)
    answer_all(person, lambda _key, _words: {"about-cultural-clarity": ["yes"], "about-conflict": ["no"]})
    of_studio(studio, "export", "--project", "feasts", "--out", tmp_path / "out")
    lines = (tmp_path / "out" / "aspects.csv").read_text().splitlines()
    who = f"p{person.pk}"
    assert lines[1:] == [f"s1,cultural clarity,{who},yes", f"s1,conflict,{who},no"]
