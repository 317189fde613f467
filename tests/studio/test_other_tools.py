"""Answers go on to other tools in the formats that these read."""

import csv
import io
import json
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree as ET

from mores.studio.flows.exporting import export_files
from mores.studio.flows.flow import flows
from mores.studio.flows.other_tools import FOR_OTHER_TOOLS
from mores.studio.models import Project
from tests.studio import made
from tests.studio.answering import answer_all
from tests.studio.planting import FORM, differing, items
from tests.studio.test_forms import ROWS, asked, first_posts, second_posts


def _answered(tmp_path: Path) -> Project:
    project = asked(tmp_path, FORM)
    for person, chooses in zip(made.annotators(project, 2), (first_posts, second_posts), strict=True):
        answer_all(person, chooses)
    return project


def test_label_studio_gets_tasks_with_results_and_an_interface_that_names_them(studio: object, tmp_path: Path) -> None:
    files = export_files(_answered(tmp_path), "label-studio")
    tasks = json.loads(files["tasks.json"])
    assert [task["data"]["id"] for task in tasks] == ["t0", "t1", "t2"]
    first = tasks[0]["annotations"][0]
    results = {(each["type"], json.dumps(each["value"])) for each in first["result"]}
    assert results == {
        ("rating", '{"rating": 2}'), ("choices", '{"choices": ["one"]}'), ("ranker", '{"ranker": ["one", "two"]}'),
        ("labels", '{"start": 0, "end": 9, "text": "He waits.", "labels": ["marked"]}'),
        ("labels", '{"start": 10, "end": 19, "text": "She nods.", "labels": ["marked"]}'),
    }  # fmt: skip
    interface = ET.fromstring(files["labelling.xml"])
    names = {each.get("name") for each in interface.iter() if each.get("name")}
    assert {each["from_name"] for each in first["result"]} | {each["to_name"] for each in first["result"]} <= names
    for tag in interface.iter():
        if value := tag.get("value", "").removeprefix("$"):
            assert tag.tag in {"Header", "Label"} or value in tasks[0]["data"], value


def test_argilla_gets_records_whose_responses_its_questions_allow(studio: object, tmp_path: Path) -> None:
    files = export_files(_answered(tmp_path), "argilla")
    records, settings = json.loads(files["records.json"]), json.loads(files["settings.json"])
    questions = {each["name"]: each["settings"] for each in settings["questions"]}
    assert {name: each["type"] for name, each in questions.items()} == {
        "clear-who": "rating", "better": "label_selection", "order": "ranking", "odd": "span", "note": "text",
    }  # fmt: skip
    fields = {each["name"] for each in settings["fields"]}
    assert all(set(record["fields"]) <= fields for record in records)
    said = {name: [each["value"] for each in given] for name, given in records[0]["responses"].items()}
    assert said["clear-who"] == [2, 3]
    assert said["order"] == [["one", "two"], ["two", "one"]]
    assert said["odd"][1] == [{"start": 0, "end": 9, "label": "marked"}]
    assert questions["odd"]["field"] in fields
    assert {UUID(each["user_id"]).version for given in records[0]["responses"].values() for each in given} == {5}


def test_a_plain_table_has_a_row_an_answer_and_a_column_a_question(studio: object, tmp_path: Path) -> None:
    files = export_files(_answered(tmp_path), "table")
    rows = list(csv.DictReader(io.StringIO(files["answers.csv"].decode())))
    assert len(rows) == 6
    assert (rows[0]["id"], rows[0]["clear-who"], rows[0]["order"], rows[1]["note"]) == ("t0", "2", "one | two", "'=odd")


def test_every_flow_has_these_exports(studio: object) -> None:
    for name in flows():
        project = made.project(name, flow=name, quota=2)
        project.settings = {"form": FORM} if name == "form" else {}
        project.save()
        items(project, str)
        differing(project, str)
        for export in FOR_OTHER_TOOLS:
            assert len(export_files(project, export)) == 5, (name, export)  # two of its own, and three of any export


def test_offsets_for_label_studio_are_those_of_a_browser(studio: object, tmp_path: Path) -> None:
    rows = [row | {"marked": "🙂 waits. She nods."} for row in ROWS]
    project = asked(tmp_path, quota=1, rows=rows)
    answer_all(made.annotators(project, 1)[0], lambda key, cells: dict(first_posts(key, cells)) | {"odd": ["9-18"]})
    task = json.loads(export_files(project, "label-studio")["tasks.json"])[0]
    (marked,) = [each["value"] for each in task["annotations"][0]["result"] if each["type"] == "labels"]
    assert (marked["start"], marked["end"], marked["text"]) == (10, 19, "She nods.")
