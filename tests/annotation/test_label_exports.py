"""Labels as other tools export them: who said what of which row, and what does not count, whatever the layout."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from mores.benchmarks.label_columns import LabelColumns
from mores.benchmarks.label_rows import LabelRow, points_of, read_label_rows, read_labels
from mores.core.codes import row_code
from mores.core.errors import InputError

ONE, TWO = row_code("one"), row_code("two")
Entry = Mapping[str, object]


def table(*rows: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def lines(*entries: Entry) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def label_studio(who: object, value: Entry, code: str = ONE, **more: object) -> dict[str, object]:
    result = [{"from_name": "label", "to_name": "words", "type": "x", "value": value}]
    annotation = {"id": 9, "completed_by": who, "was_cancelled": False, "result": result, **more}
    return {"id": 7000, "data": {"id": 7000, "code": code, "words": "w"}, "annotations": [annotation]}


def prodigy(answer: str, **more: object) -> dict[str, object]:
    return {"text": "w", "meta": {"code": ONE}, "_task_hash": 1, "_input_hash": 2, "_annotator_id": "Ana",
            "answer": answer, **more}  # fmt: skip


QUALTRICS = table(
    ("ResponseId", "Status", "Finished", "PROLIFIC_PID", f"Q{ONE}_1", "Q2", "age"),
    ("Response ID", "Response Type", "Finished", "PROLIFIC_PID", "How much?", f"Row {TWO}: how much?", "Age"),
    ('{"ImportId":"_recordId"}', '{"ImportId":"status"}', "{}", "{}", "{}", "{}", "{}"),
    ("R_1", "IP Address", "True", "Ana", "0.9", "0.5", "44"),
    ("R_2", "Survey Preview", "True", "Bo", "0.1", "", "1"),
    ("R_3", "0", "False", "Cy", "0.2", "0.3", "2"),
)
ANA = [(ONE, "Ana", "yes")]
TOLD: dict[str, tuple[str, str, list[tuple[str, str, str]], dict[str, int]]] = {
    "Label Studio, choices": (
        "a.json", json.dumps([label_studio({"id": 3, "email": "Ana"}, {"choices": ["yes"]})]), ANA, {}),
    "Label Studio, number": (
        "a.json", json.dumps([label_studio(2, {"number": 0.9})]), [(ONE, "2", "0.9")], {}),
    "Label Studio, how sure somebody is": (
        "a.json", json.dumps([label_studio("Ana", {"choices": ["yes"]}, result=[
            {"from_name": "verdict", "value": {"choices": ["yes"]}},
            {"from_name": "confidence", "value": {"rating": 4}}])]), ANA, {}),
    "Label Studio, skipped": (
        "a.json", json.dumps([label_studio(1, {"rating": 1}), label_studio(2, {"rating": 0}, TWO, was_cancelled=True)]),
        [(ONE, "1", "1")], {"skipped": 1}),
    "Label Studio, older": (
        "a.json", json.dumps([{"id": 1, "data": {"code": ONE}, "completions": [{"completed_by": "Ana", "result": [
            {"from_name": "x", "value": {"choices": ["yes"]}}, {"type": "relation"},
            {"from_name": "note", "value": {"text": ["hm"]}}]}]}]), ANA, {}),
    "Label Studio, JSON_MIN": (
        "a.json", json.dumps([{"id": 7000, "code": ONE, "label": [{"number": 0.9}], "annotator": 1, "annotation_id": 1},
                              {"id": 7001, "code": TWO, "annotator": 1, "annotation_id": 2}]),
        [(ONE, "1", "0.9")], {"skipped": 1}),
    "Label Studio, CSV": (
        "a.csv", table(("annotation_id", "annotator", "code", "id", "label"),
                       ("1", "Ana", ONE, "7", '{"choices":["yes"]}')),
        ANA, {}),
    "Label Studio, TSV": ("a.tsv", f"annotator\tcode\tid\tlabel\nAna\t{ONE}\t7000\tyes\n", ANA, {}),
    "doccano": (
        "Ana.jsonl", lines({"id": 500, "text": "w", "label": ["yes"], "Comments": [], "code": ONE},
                           {"id": 501, "text": "v", "label": [], "Comments": [], "code": TWO}), ANA, {}),
    "doccano, meta": ("Ana.jsonl", lines({"id": 5, "text": "w", "label": ["yes"], "meta": {"code": ONE}}), ANA, {}),
    "MTurk": (
        "a.csv", table(("WorkerId", "AssignmentStatus", "Input.code", "Answer.label", "Answer.note"),
                       ("Ana", "Approved", ONE, "yes", "hm"), ("Bo", "Rejected", ONE, "no", "")), ANA, {"rejected": 1}),
    "MTurk, buttons": (
        "a.csv", table(("WorkerId", "AssignmentStatus", "Input.id", "Answer.q.no", "Answer.q.yes"),
                       ("Ana", "Submitted", ONE, "false", "true")), ANA, {}),
    "MTurk, task answers": (
        "a.csv", table(("WorkerId", "AssignmentStatus", "Reject", "Input.id", "Answer.taskAnswers"),
                       ("Ana", "Submitted", "", ONE, '[{"q":{"no":false,"yes":true}}]'),
                       ("Bo", "Submitted", "too fast", ONE, "[{}]")), ANA, {"rejected": 1}),
    "MTurk, a classifier": (
        "a.csv", table(("WorkerId", "Input.id", "Answer.taskAnswers"), ("Ana", ONE, '[{"q":{"label":"yes"}}]')),
        ANA, {}),
    "Potato": (
        "a.jsonl", lines({"id": ONE, "displayed_text": "w", "label_annotations": {"score": {"yes": "true"}},
                          "span_annotations": [], "user_id": "Ana"}), ANA, {}),
    "Potato, a table": (
        "a.tsv", (f"user\tinstance_id\tdisplayed_text\tscore:::yes\tscore:::no\twhy:::text_box\n"
                 f"Ana\t{ONE}\tw\t1\t\thm\nAna\t{TWO}\tv\t\t\t\n"), ANA, {}),
    "Potato, boxes": (
        "a.jsonl", lines({"id": ONE, "label_annotations": {"score": {"text_box": "0.4"}, "why": {"text_box": "hm"}},
                          "user_id": "Ana"}), [(ONE, "Ana", "0.4")], {}),
    "Potato, a folder a person": (
        "Ana/annotated_instances.jsonl", lines({"id": ONE, "label_annotations": {"s": {"yes": "true"}}}), ANA, {}),
    "Potato, states": (
        "x/user_state.json", json.dumps({"user_id": "Ana", "instance_id_to_label_to_value": {
            ONE: [[{"schema": "s", "name": "yes"}, "true"]], TWO: {"s": {"no": True}}}}),
        [*ANA, (TWO, "Ana", "no")], {}),
    "Argilla": (
        "a.json", json.dumps([{"id": "u1", "fields": {"words": "w"}, "metadata": {"code": ONE}, "status": "completed",
                               "responses": {"score": [{"value": "yes", "user_id": "Ana"}]}}]), ANA, {}),
    "Argilla, statuses": (
        "a.json", json.dumps([{"id": "u1", "external_id": ONE, "fields": {}, "responses": [
            {"user_id": "Ana", "status": "submitted", "values": {"q": {"value": "yes"}}},
            {"user_id": "Bo", "status": "discarded", "values": {"q": {"value": "no"}}},
            {"user_id": "Cy", "status": "draft", "values": {}}]}]), ANA, {"discarded": 1, "draft": 1}),
    "Argilla, flat": (
        "a.json", json.dumps([{"id": "u1", "code": ONE, "q.responses": ["yes", "no"],
                               "q.responses.users": ["Ana", "Bo"],
                               "q.responses.status": ["submitted", "discarded"]}]), ANA, {"discarded": 1}),
    "Prodigy, choice": ("a.jsonl", lines(prodigy("accept", accept=["yes"]), prodigy("ignore")), ANA, {"ignored": 1}),
    "Prodigy, yes or no": ("a.jsonl", lines(prodigy("accept", label="yes"), prodigy("reject", label="yes")), ANA,
                           {"rejected": 1}),
    "Qualtrics": ("a.csv", QUALTRICS, [(ONE, "Ana", "0.9"), (TWO, "Ana", "0.5")],
                  {"of previews": 1, "of unfinished surveys": 2}),
    "Qualtrics, TSV": ("a.tsv", QUALTRICS.replace("\t", " ").replace(",", "\t"),
                       [(ONE, "Ana", "0.9"), (TWO, "Ana", "0.5")], {"of previews": 1, "of unfinished surveys": 2}),
    "a sheet with names in capitals, and cells that are only coloured": (
        "a.csv", f" Code ,Annotator,LABEL\n{ONE},Ana,yes,, \n", ANA, {}),
    "lines under another name": (
        "a.JSON", lines({"code": ONE, "annotator": "Ana", "label": "yes"}, {"code": TWO, "annotator": "", "label": ""}),
        ANA, {}),
    "a list within an object, with NaN": (
        "a.json", f'{{"rows": [{{"code": "{ONE}", "annotator": "Ana", "label": "yes", "score": NaN}}]}}', ANA, {}),
    "columns as pandas writes them": (
        "a.json", json.dumps({"code": {"0": ONE}, "annotator": {"0": "Ana"}, "label": {"0": "yes"}}), ANA, {}),
    "a sheet that was guarded": (
        "a.csv", table(("id", "code", "annotator", "label"), (ONE, ONE, "'=Ana", "yes")), [(ONE, "=Ana", "yes")], {}),
}  # fmt: skip


def code_of(row: LabelRow) -> str:
    """The one of its names that is a code."""
    return next(code for code in row.codes if code in {ONE, TWO})


@pytest.mark.parametrize("name", TOLD)
def test_an_export_says_who_said_what_of_which_row(name: str, tmp_path: Path) -> None:
    file, text, rows, left_out = TOLD[name]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    found = read_labels(path)
    assert [(code_of(row), row.annotator, row.label) for row in found.rows] == rows
    assert found.left_out == left_out


BAD: dict[str, tuple[str, str, str]] = {
    "two questions": (
        "a.json", json.dumps([{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [
            {"from_name": name, "value": {"choices": ["a"]}} for name in ("one", "two")]}]}]),
        "a.json:1: its controls are ['one', 'two']; expected one called 'label', or one in all."),
    "another shape": ("a.json", '[{"data": {}, "annotations": [7]}]', "a.json:1: not what label studio exports"),
    "task answers that are none": (
        "a.csv", "WorkerId,Answer.taskAnswers\nAna,[\n", "a.csv:2: not what mturk exports"),
    "a survey without codes": ("a.csv", "ResponseId,Q1\nR,How?\n", "no question of the survey has a code"),
    "all rejected": (
        "a.csv", f"WorkerId,AssignmentStatus,Input.id,Answer.label\nAna,Rejected,{ONE},yes\n",
        "no row has a label (1 rejected left out)"),
    "nobody": ("a.csv", f"code,label\n{ONE},yes\n", "columns are ['code', 'label']. Name them, such as --columns"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_an_export_that_cannot_be_read_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    file, text, says = BAD[name]
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError) as refused:
        read_label_rows(tmp_path / file)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_cells_that_excel_leaves_out_at_the_end_of_a_row_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"code,words,annotator,label,note\r\n{ONE},w,Ana,yes\r\n{TWO},v,Ana,no,hm\r\n")
    assert [(row.id, row.label) for row in read_label_rows(path)] == [(ONE, "yes"), (TWO, "no")]
    path.write_text(f"code,words,annotator,label,note\n{ONE},half a\nword,Ana,yes,\n")
    with pytest.raises(InputError, match=r"a\.csv:2: not as many cells as the header has"):
        read_label_rows(path)


@pytest.mark.parametrize("between", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_sheet_is_read_however_a_spreadsheet_saved_it(
    between: str, encoding: str, ending: str, tmp_path: Path
) -> None:
    rows = [("code", "annotator", "label", "note"), (ONE, "Zoë", '"0,25"' if between == "," else "0,25", "")]
    text = ending.join([*map(between.join, rows), between * 3, ""])
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    (tmp_path / "a.csv").write_bytes(mark + text.encode(encoding))
    (row,) = read_label_rows(tmp_path / "a.csv")
    assert (row.codes, row.annotator, points_of(row)) == ((ONE,), "Zoë", 0.25)


NAMED = "id=Input.id,annotator=WorkerId,label=Answer.x,keep=Status:Approved|done"


def _csv(rows: Sequence[Entry]) -> str:
    return table(list(map(str, rows[0])), *([str(cell) for cell in row.values()] for row in rows))


@pytest.mark.parametrize(
    ("file", "written"), [("a.csv", _csv), ("a.json", json.dumps), ("a.jsonl", lambda rows: lines(*rows))]
)
def test_any_table_is_read_by_the_names_of_its_columns(
    file: str, written: Callable[[Sequence[Entry]], str], tmp_path: Path
) -> None:
    rows = [
        {"Input.id": ONE, "id": "7", "WorkerId": "Ana", "Answer.x": "yes", "Status": "approved"},
        {"Input.id": TWO, "id": "8", "WorkerId": "Ana", "Answer.x": "no", "Status": "Returned"},
        {"Input.id": TWO, "id": "9", "WorkerId": "Bo", "Answer.x": "no", "Status": "Done"},
    ]
    (tmp_path / file).write_text(written(rows))
    found = read_labels(tmp_path / file, LabelColumns.read(NAMED))
    assert [(row.codes, row.annotator, row.label) for row in found.rows] == [
        ((ONE,), "Ana", "yes"), ((TWO,), "Bo", "no"),
    ]  # fmt: skip
    assert found.left_out == {"with Status 'Returned'": 1}
    with pytest.raises(InputError, match=r"a\..*:\d: no column \['there'\], which --columns names; columns are \["):
        read_labels(tmp_path / file, LabelColumns.read("label=there"))


def test_fields_within_fields_are_named_with_points_and_a_file_may_be_one_persons(tmp_path: Path) -> None:
    path = tmp_path / "Ana.json"
    path.write_text(json.dumps([{"about": {"code": ONE}, "said": {"what": ["yes"]}}]))
    (row,) = read_labels(path, LabelColumns.read("code=about.code,label=said.what")).rows
    assert (row.codes, row.annotator, row.label) == ((ONE,), "Ana", "yes")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("labl=x", "--columns labl=x: a row of labels says no 'labl'. Did you mean 'label'?"),
        ("label", "--columns label: expected each once, such as label=Answer.label."),
        ("label=a,label=b", "--columns label=b: expected each once"),
        ("keep=Approved", "--columns keep=Approved: expected a column and its value, such as keep=Status:Done."),
    ],
)
def test_columns_that_are_named_wrongly_are_refused(typed: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        LabelColumns.read(typed)
    assert says in str(refused.value)
