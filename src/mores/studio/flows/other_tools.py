"""Exports of any flow in the formats of other tools: tasks of Label Studio, records of Argilla, and plain tables.

Each is made of what people were shown and asked, by the flow's form of an item. Facts on the formats: Label Studio's
documents on its task format and tags; Argilla's reference of records, settings and questions (2.x).
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from uuid import NAMESPACE_URL, uuid5

from django.utils.translation import gettext_lazy

from mores.core.codec import encode, encode_lines
from mores.core.table import plain_cell
from mores.core.table import sheet as written_sheet
from mores.studio.flows.fields import ChoiceField, Field, ItemForm, RankField
from mores.studio.flows.flow import ExportFormat, Flow, flow_named
from mores.studio.models import Project
from mores.studio.work.records import Answer, ItemRecord

Json = dict[str, object]
WORDS, MARK = "words", "marked"
"""Name of the field with what is read, and the one label of a part that was marked."""


def forms_of(project: Project, items: Sequence[ItemRecord]) -> list[tuple[ItemRecord, ItemForm]]:
    """The items that are data, each with what people are shown and asked."""
    flow = flow_named(project.flow)
    work = sorted((item for item in items if item.kind == "work"), key=lambda item: item.key)
    return [(item, flow.sheet(item.payload, project)) for item in work]


def words_of(form: ItemForm) -> str:
    """Words that are read of an item, as one text."""
    return "\n\n".join(each.words for each in form.passages)


def is_scale(field: Field) -> bool:
    """True of a question whose options are points from 1 up."""
    if not isinstance(field, ChoiceField) or field.several:
        return False
    return [option.value for option in field.options] == [str(at) for at in range(1, len(field.options) + 1)]


def _listed(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)] if value else []


def _spans(value: object) -> list[tuple[int, int]]:
    return [(int(start), int(end)) for start, _, end in (each.partition("-") for each in _listed(value))]


def label_studio(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """`tasks.json`, to import, and `labelling.xml`, the labelling interface that it is read by."""
    found = forms_of(project, items)
    tasks = [_task(number, item, form) for number, (item, form) in enumerate(found, start=1)]
    fields = {field.name: field for _, form in found for field in form.fields}
    interface = "".join(f"  {line}\n" for field in fields.values() for line in _tags(field))
    config = f'<View>\n  <Text name="{WORDS}" value="${WORDS}"/>\n{interface}</View>\n'
    return {"tasks.json": encode(tasks) + b"\n", "labelling.xml": config.encode()}


def _task(number: int, item: ItemRecord, form: ItemForm) -> Json:
    data: Json = {"id": item.key, "region": item.region, WORDS: words_of(form)}
    for field in form.fields:
        if isinstance(field, RankField):
            data[field.name] = [{"id": each.value, "title": each.label} for each in field.options]
        elif isinstance(field, ChoiceField) and field.marks:
            data[field.name] = field.marks
        elif isinstance(field, ChoiceField) and not is_scale(field):
            # Label Studio shows `html` in place of the value: the words of people are no markup there.
            data[field.name] = [{"value": each.value, "html": escape(each.label)} for each in field.options]
    annotations = [_annotation(form, answer) for answer in item.counted]
    return {"id": number, "data": data, "annotations": annotations, "predictions": []}


def _annotation(form: ItemForm, answer: Answer) -> Json:
    results = [result for field in form.fields for result in _results(field, answer.answer.get(field.name))]
    seconds = None if answer.active_ms is None else answer.active_ms / 1000
    person = int(answer.person.removeprefix("p"))
    return {"completed_by": person, "created_at": answer.at, "lead_time": seconds, "was_cancelled": False,
            "ground_truth": False, "result": results}  # fmt: skip


def _results(field: Field, value: object) -> Iterator[Json]:
    at: Json = {"from_name": field.name, "to_name": WORDS}
    if not value:
        return
    if isinstance(field, RankField):
        yield at | {"to_name": f"{field.name}_list", "type": "ranker", "value": {"ranker": _listed(value)}}
    elif isinstance(field, ChoiceField) and field.marks:
        for start, end in _spans(value):
            # Offsets of Label Studio are those of its browser, which counts characters beyond the first plane twice.
            first, last = (len(field.marks[:place].encode("utf-16-le")) // 2 for place in (start, end))
            part: Json = {"start": first, "end": last, "text": field.marks[start:end], "labels": [MARK]}
            yield at | {"to_name": f"{field.name}_text", "id": f"{field.name}-{start}", "type": "labels", "value": part}
    elif isinstance(field, ChoiceField) and is_scale(field):
        yield at | {"type": "rating", "value": {"rating": int(str(value))}}
    elif isinstance(field, ChoiceField):
        yield at | {"type": "choices", "value": {"choices": _listed(value)}}
    else:
        yield at | {"type": "textarea", "value": {"text": [str(value)]}}


def _tags(field: Field) -> list[str]:
    name = escape(field.name)
    head = f'<Header value="{escape(field.legend)}"/>'
    if isinstance(field, RankField):
        listed = f'<List name="{name}_list" value="${name}"/>'
        return [head, listed, f'<Ranker name="{name}" toName="{name}_list"/>']
    if isinstance(field, ChoiceField) and field.marks:
        text = f'<Text name="{name}_text" value="${name}"/>'
        return [head, f'<Labels name="{name}" toName="{name}_text"><Label value="{MARK}"/></Labels>', text]
    if isinstance(field, ChoiceField) and is_scale(field):
        return [head, f'<Rating name="{name}" toName="{WORDS}" maxRating="{len(field.options)}"/>']
    if isinstance(field, ChoiceField):
        kind = "multiple" if field.several else "single"
        return [head, f'<Choices name="{name}" toName="{WORDS}" choice="{kind}" value="${name}"/>']
    return [head, f'<TextArea name="{name}" toName="{WORDS}"/>']


def argilla(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """`records.json`, for `dataset.records.from_json`, and `settings.json`, for `rg.Settings.from_json`.

    People have ids made of the project and their numbers, which say nothing of who they are.
    """
    found = forms_of(project, items)
    records = [_record(project, item, form) for item, form in found]
    asked: dict[str, list[Field]] = {}
    for _, form in found:
        for field in form.fields:
            asked.setdefault(field.name, []).append(field)
    names = dict.fromkeys(name for record in records for name in _fields_of(record))
    fields = [
        {"name": name, "title": name, "required": name == WORDS, "settings": {"type": "text", "use_markdown": False}}
        for name in names
    ]
    questions = [_question(name, fields_) for name, fields_ in asked.items()]
    settings = {"guidelines": None, "allow_extra_metadata": True, "fields": fields, "questions": questions}
    return {"records.json": encode(records) + b"\n", "settings.json": encode(settings) + b"\n"}


def _fields_of(record: Mapping[str, object]) -> Mapping[str, object]:
    fields = record["fields"]
    return fields if isinstance(fields, dict) else {}


def _record(project: Project, item: ItemRecord, form: ItemForm) -> Json:
    # Questions of Argilla have the same options for every record, so that words of options are fields to read.
    fields: Json = {WORDS: words_of(form) or item.key}
    for field in form.fields:
        if isinstance(field, ChoiceField) and field.marks:
            fields[f"{field.name}_text"] = field.marks
        elif isinstance(field, ChoiceField | RankField) and not is_scale(field):
            fields[f"{field.name}_options"] = "\n".join(f"{each.value}: {each.label}" for each in field.options)
    responses: dict[str, list[Json]] = {}
    for answer in item.counted:
        user = str(uuid5(NAMESPACE_URL, f"{project.slug}/{answer.person}"))
        for field in form.fields:
            if value := answer.answer.get(field.name):
                responses.setdefault(field.name, []).append({"value": _response(field, value), "user_id": user})
    return {"id": item.key, "fields": fields, "metadata": {"region": item.region}, "suggestions": {},
            "responses": responses, "vectors": {}}  # fmt: skip


def _response(field: Field, value: object) -> object:
    if isinstance(field, ChoiceField) and field.marks:
        return [{"start": start, "end": end, "label": MARK} for start, end in _spans(value)]
    return int(str(value)) if is_scale(field) else value


def _question(name: str, fields: Sequence[Field]) -> Json:
    field = fields[0]
    values = dict.fromkeys(
        option.value for each in fields if isinstance(each, ChoiceField | RankField) for option in each.options
    )
    options: list[Json] = [{"value": value, "text": value, "description": None} for value in values]
    settings: Json
    if isinstance(field, RankField):
        settings = {"type": "ranking", "options": options}
    elif isinstance(field, ChoiceField) and field.marks:
        marked: list[Json] = [{"value": MARK, "text": MARK, "description": None}]
        settings = {"type": "span", "field": f"{name}_text", "allow_overlapping": False, "options": marked}
    elif is_scale(field):
        settings = {"type": "rating", "options": [{"value": int(value)} for value in values]}
    elif isinstance(field, ChoiceField):
        settings = {"type": "multi_label_selection" if field.several else "label_selection", "options": options}
    else:
        settings = {"type": "text", "use_markdown": False}
    required = bool(getattr(field, "required", True))
    return {"name": name, "title": field.legend, "description": None, "required": required, "settings": settings}


def plain_tables(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """A row an answer, a column a question, as CSV that no spreadsheet takes for formulas, and as JSON Lines."""
    found = forms_of(project, items)
    names = list(dict.fromkeys(field.name for _, form in found for field in form.fields))
    rows = [
        {"id": item.key, "region": item.region, "words": words_of(form), "person": answer.person, "at": answer.at,
         "seconds": None if answer.active_ms is None else answer.active_ms / 1000,
         **{name: answer.answer.get(name, "") for name in names}}
        for item, form in found for answer in item.counted
    ]  # fmt: skip
    columns = ("id", "region", "words", "person", "at", "seconds", *names)
    cells = ([plain_cell(_cell(row[column])) for column in columns] for row in rows)
    return {
        "answers.csv": written_sheet(columns, cells, encoding="utf-8"),
        "answers.jsonl": encode_lines(rows),
    }


def _cell(value: object) -> str:
    return " | ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


FOR_OTHER_TOOLS = {
    "table": ExportFormat(title=gettext_lazy("A plain table, a row an answer"), write=plain_tables),
    "label-studio": ExportFormat(title="Label Studio", write=label_studio),
    "argilla": ExportFormat(title="Argilla", write=argilla),
}


def exports_of(flow: Flow) -> dict[str, ExportFormat]:
    """The ways to export a project of a flow: its own, the first of which is the default, then those of other tools."""
    return {**flow.exports, **FOR_OTHER_TOOLS}
