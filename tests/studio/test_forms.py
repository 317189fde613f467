"""Forms: what people are asked is declared in a file, and comes out as figures and tables, with no code."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from django.utils.translation import override

from mores.core.errors import InputError
from mores.studio.flows.agreement import agreements
from mores.studio.flows.exporting import export_files
from mores.studio.flows.fields import Posted, order_of, shuffled
from mores.studio.flows.flow import flow_named
from mores.studio.flows.form.form_file import read_form
from mores.studio.flows.form.project_forms import form_text, set_form
from mores.studio.flows.form.views import EXAMPLES, TITLES
from mores.studio.flows.importing import import_file
from mores.studio.models import Project, WorkItem
from mores.studio.work.records import read_items
from tests.studio import made
from tests.studio.answering import answer_all
from tests.studio.conftest import BOTH
from tests.studio.doing import client_of, owner_in
from tests.studio.planting import FORM

ROWS = [
    {"id": f"t{n}", "place": "Japan", "text": f"Text {n}.", "one": f"Bow {n}", "two": f"Wave {n}",
     "marked": "He waits. She nods. 茶を飲む。"}
    for n in range(3)
]  # fmt: skip


def asked(tmp_path: Path, form: str = FORM, quota: int = 2, rows: Sequence[Mapping[str, str]] = ROWS) -> Project:
    """A project with a form, and a few items."""
    project = made.project("asked", flow="form", quota=quota)
    set_form(project, form)
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    assert import_file(project, file).new == len(rows)
    return project


def first_posts(_key: str, _cells: Mapping[str, object]) -> Posted:
    """Choices of one person."""
    return {"clear-who": ["2"], "better": ["one"], "order": ["one:1", "two:2"], "odd": ["0-9", "10-19"]}


def second_posts(key: str, _cells: Mapping[str, object]) -> Posted:
    """Choices of another."""
    order = ["one:2", "two:1"] if key == "t0" else ["one:1", "two:2"]
    return {"clear-who": ["3"], "better": ["tie"], "order": order, "odd": ["0-9"], "note": ["=odd"]}


@BOTH
def test_a_question_of_each_type_is_answered_measured_and_exported(studio: object, tmp_path: Path) -> None:
    project = asked(tmp_path)
    for person, chooses in zip(made.annotators(project, 2), (first_posts, second_posts), strict=True):
        assert sorted(answer_all(person, chooses)) == ["t0", "t1", "t2"]
    assert set(WorkItem.objects.values_list("state", flat=True)) == {"complete"}
    flow, items = flow_named("form"), read_items(project)
    by_question = {each.question: each for each in agreements(flow, project, items, {})}
    assert {name: each.ordered for name, each in by_question.items()} == {
        "How clear is it? Who": True, "Which is better?": False,
    }  # fmt: skip
    assert flow.figures is not None
    with override("en"):
        told = {(str(each.name), each.about): each.measured for each in flow.figures(project, items)}
    # Of 18 characters that the first marked and 9 that the second did, 9 are the same: 2 * 9 / 27.
    assert told["Overlap of what two people mark (F1)", "What is odd here?"].value == pytest.approx(2 / 3)
    # One item of three in the opposite order.
    assert told["Rank correlation of two people (Spearman)", "Put them in order."].value == pytest.approx(1 / 3)
    assert told["Kendall's W", "Put them in order."].value == pytest.approx(2 / 3)
    files = export_files(project, "answers")
    rows = list(csv.DictReader(io.StringIO(files["answers.csv"].decode())))
    one = [row for row in rows if row["id"] == "t0"]
    first = min(row["person"] for row in one)
    mine = [(row["question"], row["aspect"], row["answer"], row["rank"]) for row in one if row["person"] == first]
    assert mine == [
        ("clear", "Who", "2", ""), ("better", "", "one", ""), ("order", "", "one", "1"), ("order", "", "two", "2"),
        ("odd", "", "He waits.", ""), ("odd", "", "She nods.", ""), ("note", "", "", ""),
    ]  # fmt: skip
    assert [(row["start"], row["end"]) for row in one if row["question"] == "odd"][:2] == [("0", "9"), ("10", "19")]
    assert {row["answer"] for row in rows if row["question"] == "note"} == {"", "'=odd"}  # no formula for a sheet
    assert files["form.toml"].decode() == FORM


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ask = 3 3", "form.toml: not TOML"),
        ("", "form.toml: ask: 0; expected 1 to 40 tables [[ask]]."),
        ("[sho]\na = 1", "form.toml: unknown key 'sho'; expected [[show]] and [[ask]]."),
        ("[[show]]\ncolumn = 'a'\nlanguage = 'Arabic'", "form.toml: show 1: language 'Arabic' is no BCP 47 tag"),
        (
            "[[show]]\ncolumn = 'a'\nnext_to = {column = 'b', next_to = {column = 'c'}}",
            "form.toml: show 1: next_to: a third column; expected two that stand next to each other.",
        ),
        ("[[ask]]\ntype = 'likret'", "form.toml: ask 1: type: got 'likret'; expected choice, likert,"),
        ("[[ask]]\ntype = 'text'\nname = 'n'", "form.toml: ask 1: words: "),
        ("[[ask]]\ntype = 'text'\nname = 'n'\nwords = 'W'\nlimt = 3", "form.toml: ask 1: unknown field ['limt']"),
        ("[[ask]]\ntype = 'text'\nname = 'Key!'\nwords = 'W'", "form.toml: ask 1: name: got 'Key!'; expected"),
        ("[[ask]]\ntype = 'likert'\nname = 'n'\nwords = 'W'\npoints = 'five'", "form.toml: ask 1: points: "),
        ("[[ask]]\ntype = 'likert'\nname = 'n'\nwords = 'W'\npoints = 50", "ask 1: points: got 50; expected 2 to 11."),
        (
            "[[ask]]\ntype = 'ranking'\nname = 'n'\nwords = 'W'\ncolumns = ['a']",
            "columns: got ['a']; expected 2",
        ),
        ("[[ask]]\ntype = 'text'\nname = 'n'\nwords = 'W'\n" * 2, "form.toml: ask: 'n' stands twice"),
    ],
)
def test_what_is_wrong_with_a_form_is_one_line_with_file_key_and_what_was_expected(text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        read_form(text, where="form.toml")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_every_example_is_a_form() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.toml")} == set(TITLES)
    for name in TITLES:
        assert read_form((EXAMPLES / f"{name}.toml").read_text(), where=name).ask


@pytest.mark.parametrize(
    ("change", "told"),
    [({"two": ""}, "one or two is empty"), ({"marked": "so " * 3000}, ""), ({"marked": ""}, "0 parts to mark")],
)
def test_a_row_that_the_form_cannot_ask_about_is_refused_with_its_place(
    studio: object, tmp_path: Path, change: dict[str, str], told: str
) -> None:
    project = made.project("asked", flow="form")
    set_form(project, FORM)
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(ROWS[0] | change))
    if not told:
        assert import_file(project, file).new == 1  # one sentence, however long
        return
    with pytest.raises(InputError, match=told):
        import_file(project, file)
    assert not WorkItem.objects.exists()


def test_an_order_gives_each_thing_a_place_of_its_own(studio: object, tmp_path: Path) -> None:
    project = asked(tmp_path)
    flow = flow_named("form")
    sheet = flow.sheet(read_items(project)[0].payload, project)
    good = dict(first_posts("", {}))
    for order in ([], ["one:1"], ["one:1", "two:1"], ["one:1", "two:3"], ["one:1", "else:2"], ["one:x", "two:1"]):
        assert set(flow.answer(sheet, good | {"order": order})) == {"order"}, order  # type: ignore[arg-type]


def test_a_form_changes_until_somebody_has_answered_and_never_leaves_an_item_unasked(
    studio: object, tmp_path: Path
) -> None:
    project = asked(tmp_path)
    other = "[[ask]]\ntype = 'spans'\nname = 'n'\nwords = 'W'\ncolumn = 'other'\n"
    with pytest.raises(InputError, match="item t0: no column 'other'"):
        set_form(project, other)
    set_form(project, FORM.replace("Which is better?", "Which is nicer?"))
    answer_all(made.annotators(project, 1)[0], first_posts)
    with pytest.raises(InputError, match="3 answers to the form before are stored"):
        set_form(project, FORM)
    assert "nicer" in form_text(Project.objects.get(pk=project.pk))


def test_an_owner_gives_a_project_its_form_on_a_page_and_settings_keep_it(studio: object) -> None:
    project = made.project("asked", flow="form")
    owner = owner_in(project)
    assert "likert" in owner.get("/p/asked/form?example=likert").content.decode()
    wrong = owner.post("/p/asked/form", {"text": "[[ask]]\ntype = 'x'"})
    assert (wrong.status_code, "form.toml: ask 1: type" in wrong.content.decode()) == (422, True)
    assert owner.post("/p/asked/form", {"text": FORM.replace("\n", "\r\n")}).status_code == 302
    columns = re.findall(r"<code>(\w+)</code>", owner.get("/p/asked/import").text)
    assert columns[:5] == ["id", "text", "one", "two", "marked"]
    sent = {
        "name": "Asked", "quota": "3", "lease_minutes": "60", "check_every": "10", "checks_judged": "0",
        "checks_right": "0", "training_right": "0", "quick_seconds": "0", "quick_run": "0", "same_run": "0",
        "language": "en", "settings": '{"who": "anybody"}', "questions": "[]",
    }  # fmt: skip
    for rows in ("quotas", "groups"):
        sent |= {f"{rows}-TOTAL_FORMS": "0", f"{rows}-INITIAL_FORMS": "0"}
    assert owner.post("/p/asked/setup", sent).status_code == 302
    assert Project.objects.get().settings == {"who": "anybody", "form": FORM}
    assert owner.post("/p/asked/setup", sent | {"settings": '{"form": ""}'}).status_code == 422


def test_points_and_parts_of_a_text_keep_their_order_where_a_project_mixes_options(
    studio: object, tmp_path: Path
) -> None:
    project = asked(tmp_path)
    form = flow_named("form").sheet(read_items(project)[0].payload, project)
    kept = [{**order_of(shuffled(form, str(seed))), "better": []} for seed in range(9)]
    assert kept == [{**order_of(form), "better": []}] * 9


def test_an_answer_is_read_again_with_its_questions_and_what_was_put_in_order_by_its_words(
    studio: object, tmp_path: Path
) -> None:
    project = asked(tmp_path)
    (person,) = made.annotators(project, 1)
    answer_all(person, second_posts)
    item = WorkItem.objects.get(key="t0")
    for page in (client_of(person.account).get("/p/asked/answers"), owner_in(project).get(f"/p/asked/items/{item.pk}")):
        words = page.content.decode()
        asked_of_it = '<span class="hint" lang="en">Put them in order.</span><br><strong>1. Wave 0<br>2. Bow 0</strong>'
        assert asked_of_it in words
        assert "<strong>Neither is better</strong>" in words


def test_what_was_chosen_stands_there_again_where_something_is_wrong(studio: object, tmp_path: Path) -> None:
    project = asked(tmp_path)
    client = client_of(made.annotators(project, 1)[0].account)
    page = client.get("/p/asked/work", follow=True)
    posted = {"clear-who": "2", "better": "one", "order": ["one:2", ""], "odd": ["0-9"], "key": "k"}
    again = client.post(page.redirect_chain[-1][0], posted)
    words = again.content.decode()
    assert again.status_code == 422
    assert '<option value="one:2" selected>' in words
    assert 'value="0-9" checked' in words
    assert "Give each of them a place." in words
