"""Exports of the tools that people label with, each read as rows of labels: who, which row, what, and what is left out.

Label Studio (JSON, JSON_MIN, CSV, TSV), doccano (JSON Lines, a file a person), MTurk (the table of results), Potato
(annotated_instances as JSON Lines or a table, user_state.json), Argilla (records as JSON), Prodigy (JSON Lines),
Qualtrics (CSV or TSV, with three header rows), and any table of our own columns. Which it is shows in what the rows
hold. All of them keep the columns of a work list; what a tool made a number of its own of, such as `id`, is looked at
last.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from mores.benchmarks.data_tables import DataRow, read_table, text_of
from mores.benchmarks.label_columns import COLUMNS, LabelColumns
from mores.core.codec import reading
from mores.core.codes import CODE
from mores.core.errors import InputError
from mores.core.table import LINES, OddRow, scan_table

LabelEntry = dict[str, Any]
NEEDED = ("annotator", "label")
_ASIDE = re.compile(r"note|comment|feedback|remark|reason|why|confiden|certain", re.IGNORECASE)
"""Questions beside the label."""
_VALUES = ("choices", "number", "rating", "labels", "label", "text", "value")
"""Under what tools wrap a label."""
_QUOTED = re.compile(r"\[\s*'([^']*)'\s*\]")
_SCHEME = ":::"
"""What stands between a scheme and its label in a column of Potato's tables."""
_BOXES = re.compile(r"text_?box|number|slider|value|free_response|(scale|likert)_?\d+", re.IGNORECASE)
"""How Potato names a field whose value is the label; any other name is the label itself."""


class LeftOut(NamedTuple):
    """A row that does not count, and why, in a word."""

    why: str


class RowAnswers(NamedTuple):
    """Answers of somebody about one row, as a tool exports it: `cells` are of the row, `label` is as it came."""

    cells: Mapping[str, object]
    annotator: object
    label: object


AnswersOrLeftOut = RowAnswers | LeftOut


def exported_rows(path: Path, columns: LabelColumns) -> Iterator[DataRow | LeftOut]:
    """The rows of a file as labels: each has an annotator and a label, which may be empty.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    rows = _of_entries(path, columns) if path.suffix.lower() in {".json", *LINES} else _of_table(path, columns)
    for row in rows:
        yield row if isinstance(row, LeftOut) else _checked(row)


def _checked(row: DataRow) -> DataRow:
    row = row._replace(cells={_own_name(name): cell for name, cell in row.cells.items()})
    missing = [name for name in NEEDED if name not in row.cells]
    if missing:
        raise InputError(
            f"{row.where}: no column {missing}; columns are {sorted(row.cells)}. Name them, such as --columns "
            "id=Input.id,annotator=WorkerId,label=Answer.label."
        )
    return DataRow(row.where, row.line, {**row.cells, "label": plain_label(row.cells["label"])})


def _own_name(name: str) -> str:
    """The name of a column; ours are known in capitals and with blanks around them too."""
    plain = name.strip().casefold()
    return plain if plain in COLUMNS else name


def plain_label(value: object) -> str:
    """A label out of what a tool wraps it in.

    >>> plain_label('[{"number": 0.9}]'), plain_label(["yes"]), plain_label({"choices": ["no"]}), plain_label("['no']")
    ('0.9', 'yes', 'no', 'no')
    """
    if isinstance(value, str) and value[:1] in {"[", "{"}:
        quoted = _QUOTED.fullmatch(value)
        try:
            value = quoted[1] if quoted else json.loads(value)
        except (ValueError, RecursionError):
            return value
    while isinstance(value, list | dict):
        inner = list(value) if isinstance(value, list) else [value[name] for name in _VALUES if name in value]
        if not value:
            return ""
        if len(inner) != 1:
            break
        value = inner[0]
    return text_of(value)


# JSON


def _of_entries(path: Path, columns: LabelColumns) -> Iterator[DataRow | LeftOut]:
    none = True
    for number, entry in _entries(path):
        none = False
        where = f"{path}:{number}"
        if columns:
            yield _as_named(DataRow(where, number, flat(entry)), columns)
            continue
        for answer in _read(entry, path, where):
            yield answer if isinstance(answer, LeftOut) else DataRow(where, number, _cells(answer))
    if none:
        raise InputError(f"{path}: no rows; expected people's labels.")


def _entries(path: Path) -> Iterator[tuple[int, LabelEntry]]:
    """The objects of a file, each with its number."""
    for row in scan_table(path):
        if isinstance(row, OddRow):
            raise InputError(f"{row.where}: {row.why}.")
        yield row.line, row.cells


def _read(entry: LabelEntry, path: Path, where: str) -> Iterator[AnswersOrLeftOut]:
    """Answers in an entry of any tool.

    Raises:
        InputError: it is not as that tool writes it.
    """
    tool = next((read for fits, read in _TOOLS if fits(entry)), _plain)
    with reading(where, f"what {tool.__name__.strip('_').replace('_', ' ')} exports"):
        yield from tool(entry, path, where)


def _cells(answers: RowAnswers) -> dict[str, str]:
    """The cells of a row; one without an annotator has no such cell."""
    cells = {name: text_of(value) for name, value in answers.cells.items()}
    known = {} if answers.annotator is None else {"annotator": text_of(answers.annotator)}
    return {**cells, **known, "label": plain_label(answers.label)}


def flat(entry: Mapping[str, object], within: str = "") -> dict[str, str]:
    """The fields of an entry, those of fields under both names with a point between.

    >>> flat({"a": {"b": 1}, "c": ["x"]})
    {'a.b': '1', 'c': '["x"]'}
    """
    found: dict[str, str] = {}
    for name, value in entry.items():
        spot = f"{within}{name}"
        found |= flat(value, f"{spot}.") if isinstance(value, dict) else {spot: text_of(value)}
    return found


def _one_of(given: Mapping[str, Any], where: str, what: str) -> Any:
    """The answer called `label`, or the only question that is not a note."""
    asked = [name for name in given if not _ASIDE.search(name)] or list(given)
    if "label" not in given and len(asked) != 1:
        raise InputError(f"{where}: {what} are {sorted(given)}; expected one called 'label', or one in all.")
    return given["label"] if "label" in given else given[asked[0]]


def _plain(entry: LabelEntry, path: Path, where: str) -> Iterator[AnswersOrLeftOut]:
    """A row of our own columns; of doccano, which exports lists of labels, the file is the person."""
    meta = entry.get("meta")
    cells = {**(meta if isinstance(meta, dict) else {}), **entry}
    doccano = "annotator" not in entry and isinstance(entry.get("label"), list)
    if "label" in entry:
        yield RowAnswers(cells=cells, annotator=path.stem if doccano else entry.get("annotator"), label=entry["label"])
    elif "annotation_id" in entry:  # Label Studio's JSON_MIN
        yield LeftOut("skipped")
    else:
        raise InputError(f"{where}: no column ['label']; columns are {sorted(entry)}.")


def _label_studio(entry: LabelEntry, _path: Path, where: str) -> Iterator[AnswersOrLeftOut]:
    for annotation in entry.get("annotations") or entry.get("completions") or ():
        who = annotation.get("completed_by")
        named = {part["from_name"]: part["value"] for part in annotation.get("result") or () if "from_name" in part}
        if annotation.get("was_cancelled"):
            yield LeftOut("skipped")
        elif named:
            who = who.get("email") or who.get("id") if isinstance(who, dict) else who
            yield RowAnswers(cells=entry["data"], annotator=who, label=_one_of(named, where, "its controls"))


def _argilla(entry: LabelEntry, _path: Path, where: str) -> Iterator[AnswersOrLeftOut]:
    plain = {name.rpartition(".")[2]: value for name, value in entry.items() if not isinstance(value, list | dict)}
    given = {"code": entry["external_id"]} if entry.get("external_id") else {}
    cells = {**given, **plain, **(entry.get("fields") or {}), **(entry.get("metadata") or {})}
    for who, status, response in _argilla_responses(entry):
        # Flat tables may have no status, which reads None: what they have counts as submitted.
        if status not in {"submitted", "None"}:
            yield LeftOut(status)
        elif response:
            yield RowAnswers(cells=cells, annotator=who, label=_one_of(response, where, "its questions"))


def _argilla_responses(entry: LabelEntry) -> Iterator[tuple[object, str, dict[str, object]]]:
    """Respondent, whether it was submitted, and answer, in any of the three layouts that there were."""
    responses = entry.get("responses")
    if isinstance(responses, list):  # before version 2: a response a person
        for each in responses:
            values = each.get("values") or {}
            given = {name: value["value"] for name, value in values.items()}
            yield each.get("user_id"), str(each.get("status", "submitted")), given
        return
    by_person: dict[object, tuple[str, dict[str, object]]] = {}
    for name, who, status, value in chain(_argilla_by_question(responses or {}), _argilla_flat(entry)):
        by_person.setdefault(who, (status, {}))[1][name] = value
    for who, (status, given) in by_person.items():
        yield who, status, given


def _argilla_by_question(responses: Mapping[str, Any]) -> Iterator[tuple[str, object, str, object]]:
    for name, given in responses.items():
        for each in given or ():
            yield name, each.get("user_id"), str(each.get("status")), each.get("value")


def _argilla_flat(entry: LabelEntry) -> Iterator[tuple[str, object, str, object]]:
    for name, given in entry.items():
        question, _, what = name.rpartition(".")
        if what == "responses" and question:
            people = entry.get(f"{name}.users") or [None] * len(given or ())
            statuses = entry.get(f"{name}.status") or [None] * len(given or ())
            for value, who, status in zip(given or (), people, statuses, strict=True):
                yield question, who, str(status), value


def _potato(entry: LabelEntry, path: Path, where: str) -> Iterator[AnswersOrLeftOut]:
    # Potato keeps what each person answered in a folder of that person's name.
    who = next((entry[name] for name in ("user_id", "user", "annotator") if entry.get(name)), path.parent.name)
    given = {scheme: _potato_label(labels) for scheme, labels in entry["label_annotations"].items()}
    if given:
        yield RowAnswers(cells=entry, annotator=who, label=_one_of(given, where, "its schemes"))


def _potato_state(entry: LabelEntry, path: Path, where: str) -> Iterator[AnswersOrLeftOut]:
    who = entry.get("user_id") or path.parent.name
    for code, labels in entry["instance_id_to_label_to_value"].items():
        pairs = labels.items() if isinstance(labels, dict) else _schemes(labels).items()
        given = {scheme: _potato_label(values) for scheme, values in pairs}
        if given:
            yield RowAnswers(cells={"id": code}, annotator=who, label=_one_of(given, where, "its schemes"))


def _schemes(labels: Sequence[tuple[Mapping[str, str], object]]) -> dict[str, dict[str, object]]:
    """The labels of each scheme, out of pairs of where a label belongs and its value."""
    found: dict[str, dict[str, object]] = {}
    for spot, value in labels:
        found.setdefault(spot["schema"], {})[spot["name"]] = value
    return found


def _potato_label(labels: Mapping[str, object]) -> object:
    """The name of what was ticked, or what was typed into the only field."""
    chosen = [value if _BOXES.fullmatch(name) else name for name, value in labels.items() if value not in {"", None}]
    return chosen[0] if len(chosen) == 1 else chosen


def _prodigy(entry: LabelEntry, _path: Path, _where: str) -> Iterator[AnswersOrLeftOut]:
    who = entry.get("_annotator_id") or entry.get("_session_id") or entry.get("annotator")
    cells = {**(entry.get("meta") or {}), **entry}
    if entry["answer"] == "accept":
        # Prodigy has what was chosen of several options under `accept`, a label to confirm under `label`.
        yield RowAnswers(cells=cells, annotator=who, label=entry.get("accept", entry.get("label")))
    else:
        yield LeftOut({"ignore": "ignored", "reject": "rejected"}.get(entry["answer"], str(entry["answer"])))


_TOOLS: tuple[tuple[Callable[[LabelEntry], bool], Callable[[LabelEntry, Path, str], Iterator[AnswersOrLeftOut]]],
    ...] = (
    (lambda entry: isinstance(entry.get("data"), dict) and bool({"annotations", "completions"} & set(entry)),
     _label_studio),
    (lambda entry: "responses" in entry or any(name.endswith(".responses") for name in entry), _argilla),
    (lambda entry: "label_annotations" in entry, _potato),
    (lambda entry: "instance_id_to_label_to_value" in entry, _potato_state),
    (lambda entry: "answer" in entry and bool({"_task_hash", "_input_hash", "accept"} & set(entry)), _prodigy),
)  # fmt: skip


# tables


def _of_table(path: Path, columns: LabelColumns) -> Iterator[DataRow | LeftOut]:
    rows = read_table(path, (), enough="label")
    first = next(rows)  # there is one, or the table is refused
    if columns:
        yield from (_as_named(row, columns) for row in chain([first], rows))
    elif "ResponseId" in first.cells:
        yield from _qualtrics(first, rows)
    elif "WorkerId" in first.cells and any(name.startswith("Answer.") for name in first.cells):
        yield from (_mturk(row) for row in chain([first], rows))
    elif any(_SCHEME in name for name in first.cells) and {"user", "instance_id"} <= first.cells.keys():
        yield from (_potato_row(row) for row in chain([first], rows))
    else:
        yield from chain([first], rows)


def _potato_row(row: DataRow) -> DataRow:
    """Row of one person's ticks of an instance: a column for each label of each scheme."""
    ticked: dict[str, dict[str, object]] = {}
    for name, cell in row.cells.items():
        scheme, separate, label = name.partition(_SCHEME)
        if separate and cell.strip():
            ticked.setdefault(scheme, {})[label] = cell
    given = {scheme: _potato_label(labels) for scheme, labels in ticked.items()}
    label = plain_label(_one_of(given, row.where, "its schemes")) if given else ""
    known = {"id": row.cells["instance_id"], "annotator": row.cells["user"], "label": label}
    return row._replace(cells={**row.cells, **known})


def _as_named(row: DataRow, columns: LabelColumns) -> DataRow | LeftOut:
    """A row under the names of our own; without a column of people, the file is one person's."""
    missing = columns.missing(row.cells)
    if missing:
        raise InputError(f"{row.where}: no column {missing}, which --columns names; columns are {sorted(row.cells)}.")
    why = columns.left_out(row.cells)
    person = {} if "annotator" in row.cells else {"annotator": Path(row.where.rpartition(":")[0]).stem}
    return LeftOut(why) if why else DataRow(row.where, row.line, person | columns.of(row.cells))


def _mturk(row: DataRow) -> DataRow | LeftOut:
    """An assignment: what was shown is in Input., what was answered in Answer.; one that was turned down is none."""
    if row.cells.get("AssignmentStatus", "").casefold() == "rejected" or row.cells.get("Reject", "").strip():
        return LeftOut("rejected")
    shown = _below("Input.", row.cells)
    answers = _below("Answer.", row.cells)
    with reading(row.where, "what mturk exports"):
        label = _mturk_label(answers, row.where)
    return DataRow(row.where, row.line, {**shown, "annotator": row.cells["WorkerId"], "label": plain_label(label)})


def _below(begin: str, cells: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(begin): cell for name, cell in cells.items() if name.startswith(begin)}


def _mturk_label(answers: Mapping[str, str], where: str) -> object:
    """The one answer, whichever of the forms that a page can give it in."""
    given: dict[str, Any] = dict(answers)
    # Pages made of MTurk's crowd elements send all answers as one JSON.
    if "taskAnswers" in given:
        given |= json.loads(given.pop("taskAnswers"))[0]
    ticked: dict[str, Any] = {}
    for name, value in given.items():  # of a button there is label.yes, true, and label.no, false
        question, _, option = name.partition(".")
        if option and str(value).casefold() in {"true", "false"}:
            ticked.setdefault(question, {})[option] = str(value).casefold() == "true"
        else:
            ticked[name] = value
    label = _one_of(ticked, where, "its answers")
    if isinstance(label, dict) and all(isinstance(value, bool) for value in label.values()):
        return [option for option, value in label.items() if value]
    return label


_QUALTRICS_PEOPLE = ("annotator", "PROLIFIC_PID", "workerId", "WorkerId", "assignmentId", "ExternalReference")
# Qualtrics writes a status as a word or as its code: 1 is a preview, 2 a test, 8 spam.
_PREVIEWS = {"1", "survey preview", "survey test", "spam", "8", "2"}


def _qualtrics(words: DataRow, rows: Iterator[DataRow]) -> Iterator[DataRow | LeftOut]:
    """A survey in which a question is a row of the work list: its name, or its words, hold the code.

    Below the header stand the words of the questions and their numbers within the survey.
    """
    asked = {name: code for name, text in words.cells.items() if (code := _code_in(name) or _code_in(text))}
    if not asked:
        raise InputError(
            f"{words.where}: no question of the survey has a code of a work list, in its name or its words; "
            f"columns are {sorted(words.cells)}."
        )
    for row in rows:
        if row.cells["ResponseId"].startswith('{"ImportId"'):
            continue
        why = _qualtrics_left_out(row.cells)
        who = next((row.cells[name] for name in (*_QUALTRICS_PEOPLE, "ResponseId") if row.cells.get(name)), "")
        for name, code in asked.items():
            label = row.cells[name]
            if why and label.strip():
                yield LeftOut(why)
            elif label.strip():
                yield DataRow(row.where, row.line, {"code": code, "annotator": who, "label": label})


def _qualtrics_left_out(cells: Mapping[str, str]) -> str:
    if cells.get("Status", "").casefold() in _PREVIEWS:
        return "of previews"
    return "of unfinished surveys" if cells.get("Finished", "").casefold() in {"false", "0"} else ""


def _code_in(words: str) -> str:
    """The code in a question's name, which may have a Q before it and the number of a part behind it."""
    name = re.sub(r"^Q_?(?=\w{12}(_\d+)?$)|_\d+$", "", words.strip())
    found = set(CODE.findall(name))
    return found.pop() if len(found) == 1 else ""
