"""CultureForest: its released layout, what is asked of it, and how answers are read."""

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks import catalogue
from mores.benchmarks.shapes.labels import LabelReading, read_json_label
from mores.core.card import READINGS
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.request import Request
from mores.runs.selection import select
from tests.benchmarks.plays import TINY, Script, perform, setting_of, tiny

Row = dict[str, Any]
EASY, MEDIUM, HARD = (f"cultureforest/{name}" for name in ("easy", "medium", "hard"))
INFORMED, KNOWLEDGE = (f"cultureforest/{name}" for name in ("informed", "knowledge"))
TRUTH, LETTERS = ("true", "false"), ("a", "b", "c", "d")


def norm_row(norm_id: str, country: str = "Japan", acceptability: str = "Sometimes", **changes: Any) -> Row:
    return {
        "norm_id": norm_id,
        "norm": f"Norm {norm_id} of many people.",
        "Country/Region": country,
        "Category": "Etiquette",
        "norm_negative": f"Against norm {norm_id}.",
        "acceptability": acceptability,
        **changes,
    }


def question_row(uuid: str, norms: Sequence[str] = ("1", "2", "3"), letter: str = "B") -> Row:
    return {
        "uuid": uuid,
        "Norm_Bundle": {
            "Norms": {f"Norm_{n}": {"norm_id": i, "norm": f"Norm {i} as asked."} for n, i in enumerate(norms, 1)}
        },
        "Easy": {"Question_MCQ": f"Scene {uuid}. A. x B. y C. z D. w", "Answer_Key_Shuffle": letter},
        "Medium": {f"Question_Judge{n}": f"Scene {uuid}, course {n}." for n in range(1, 5)},
        "Open": {"Question_Open": f"Scene {uuid}: what to do?"},
        "Open_End": f"Scene {uuid}.",
    }


def lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def forest(
    home: Path, places: dict[str, Sequence[Row]], norms: Iterable[Row] | None = None, *, category: str = "Etiquette"
) -> Path:
    """A folder in the released layout."""
    for place, rows in places.items():
        (home / place).mkdir(parents=True)
        (home / place / f"{category}.json").write_text(lines(rows), encoding="utf-8")
    known = [norm_row(str(n), acceptability="No" if n == 1 else "Sometimes") for n in range(1, 4)]
    whole = {row["norm_id"]: row for row in (known if norms is None else norms)}
    (home / "norms_both_acc.json").write_text(json.dumps(whole), encoding="utf-8")
    return home


def one(home: Path, **changes: Any) -> Path:
    """A forest with one question, some fields of it changed."""
    return forest(home, {"Japan": [{**question_row("q"), **changes}]})


def items_of(name: str, data: Path | None, **changes: Any) -> Sequence[Any]:
    benchmark = catalogue.load(name)
    return benchmark.items(setting_of(benchmark, data, **changes))


def complaint(data: Path | None, name: str = EASY, **changes: Any) -> str:
    with pytest.raises(InputError) as refused:
        items_of(name, data, **changes)
    line = str(refused.value)
    assert "\n" not in line
    return line


def test_a_question_is_one_easy_item_four_medium_ones_and_each_of_its_norms_two() -> None:
    easy, medium, norms = (tiny(name)[2] for name in (EASY, MEDIUM, KNOWLEDGE))
    assert (len(easy), len(medium), len(norms)) == (9, 36, 36)
    first = medium[:4]
    uuid = first[0].about.unit
    assert [item.about.item for item in first] == [f"{uuid}-medium-{n}" for n in range(1, 5)]
    assert [item.gold for item in first] == ["false", "false", "false", "true"]
    assert {item.about.item for item in easy} == {f"{item.about.unit}-easy" for item in medium}


def test_all_forms_of_a_question_are_one_unit_so_that_a_limit_draws_the_same_questions() -> None:
    drawn = []
    for name in (EASY, MEDIUM, HARD):
        benchmark, _, items = tiny(name)
        kept = select(items, places=(), limit=4, seed=Seed("x").child(benchmark.card.draw))
        drawn.append({item.about.unit for item in kept})
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(drawn[0]) == 4


def test_what_is_drawn_and_known_together_is_the_bundle_of_norms() -> None:
    for name in (EASY, MEDIUM, INFORMED):
        _, _, items = tiny(name)
        assert {item.about.cluster for item in items} == {item.key().unit for item in items}
        assert {item.about.cluster for item in items if item.about.place == "JP"} == {"101+102+103", "104+105+106"}
    _, _, norms = tiny(KNOWLEDGE)
    assert all(item.key().unit == item.about.unit == item.about.cluster for item in norms)
    assert "190" not in {item.about.unit for item in norms}


def test_a_norm_is_asked_once_however_many_questions_rest_on_it() -> None:
    _, _, norms = tiny(KNOWLEDGE)
    ids = [item.about.item for item in norms]
    assert ids[:2] == ["107-true", "107-false"]
    assert len(ids) == len(set(ids))
    assert {item.about.groups["strictness"] for item in norms} == {"no", "sometimes"}


def test_places_and_domains_are_found_by_the_names_that_the_data_use(tmp_path: Path) -> None:
    home = forest(tmp_path, {"United_States": [question_row("q")]}, category="Dates of Significance")
    (item,) = items_of(EASY, home)
    assert (item.about.place, item.place_name, item.about.groups) == ("US", "United States", {"domain": "dates"})


def test_a_topic_counts_where_the_bundle_names_one(tmp_path: Path) -> None:
    bundle = {**question_row("q")["Norm_Bundle"], "Topic": "Visiting"}
    (item,) = items_of(EASY, one(tmp_path, Norm_Bundle=bundle))
    assert item.about.groups["topic"] == "Visiting"


@pytest.mark.parametrize("beside", [True, False])
def test_the_folder_of_countries_and_the_one_above_it_say_the_same(beside: bool, tmp_path: Path) -> None:
    home = forest(tmp_path / "CultureForest", {"Japan": [question_row("q")]})
    if beside:
        (home / "norms_both_acc.json").rename(tmp_path / "norms_both_acc.json")
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "evaluation" / "norms_both_acc.json").write_text("{}", encoding="utf-8")
    assert [item.about for item in items_of(EASY, home)] == [item.about for item in items_of(EASY, tmp_path)]


def test_norms_may_stand_in_a_list_and_lines_may_be_blank(tmp_path: Path) -> None:
    home = one(tmp_path)
    whole = json.loads((home / "norms_both_acc.json").read_text(encoding="utf-8"))
    (home / "norms_both_acc.json").write_text(json.dumps(list(whole.values())), encoding="utf-8")
    path = home / "Japan" / "Etiquette.json"
    path.write_text(f"\n{path.read_text(encoding='utf-8')}\n", encoding="utf-8")
    (item,) = items_of(EASY, home)
    assert item.line == 2


def test_the_sources_change_with_any_file_and_with_no_copy(tmp_path: Path) -> None:
    benchmark = catalogue.load(EASY)
    shutil.copytree(TINY / "cultureforest", tmp_path / "cultureforest")
    before = benchmark.sources(setting_of(benchmark, TINY / "cultureforest"))
    assert len(before) == 2
    assert benchmark.sources(setting_of(benchmark, tmp_path / "cultureforest")) == before
    path = tmp_path / "cultureforest" / "Japan" / "Greetings.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Elif", "Elsa"), encoding="utf-8")
    after = benchmark.sources(setting_of(benchmark, tmp_path / "cultureforest"))
    assert sum(before[name] != after[name] for name in before) == 1


def without(row: Row, path: str) -> Row:
    """The row without the field at a path."""
    head, _, rest = path.partition(".")
    return {k: without(v, rest) if k == head else v for k, v in row.items() if rest or k != head}


FIELDS = [
    "uuid", "Norm_Bundle", "Norm_Bundle.Norms", "Norm_Bundle.Norms.Norm_3", "Norm_Bundle.Norms.Norm_1.norm_id",
    "Norm_Bundle.Norms.Norm_2.norm", "Easy", "Easy.Question_MCQ", "Easy.Answer_Key_Shuffle", "Medium.Question_Judge1",
    "Medium.Question_Judge4", "Open.Question_Open", "Open_End",
]  # fmt: skip


@pytest.mark.parametrize("path", FIELDS)
def test_a_field_that_is_missing_is_named_with_its_file_and_line(path: str, tmp_path: Path) -> None:
    home = forest(tmp_path, {"Japan": [question_row("p"), without(question_row("q"), path)]})
    line = complaint(home)
    assert line.startswith(f"{home / 'Japan' / 'Etiquette.json'}:2: no field '{path}'; fields there are [")
    assert "expected text at" in line


CHANGES: list[tuple[Row, str]] = [
    ({"uuid": " "}, ":1: uuid is empty; expected text"),
    ({"uuid": 7}, ":1: uuid is 7; expected text"),
    ({"Open_End": ["x"]}, ":1: Open_End is ['x']; expected text"),
    ({"Easy": "A"}, ":1: no field 'Easy.Answer_Key_Shuffle'; expected text at Easy.Answer_Key_Shuffle"),
    ({"Easy": {"Question_MCQ": "?", "Answer_Key_Shuffle": "E"}}, ":1: Easy.Answer_Key_Shuffle is 'E'; expected one of"),
    ({"Easy": {"Question_MCQ": "?", "Answer_Key_Shuffle": "AB"}}, "Answer_Key_Shuffle is 'AB'"),
    ({"Norm_Bundle": question_row("q", ("1", "2", "1"))["Norm_Bundle"]}, "norms 1+2+1; expected three different"),
]


@pytest.mark.parametrize(("changes", "says"), CHANGES)
def test_a_field_that_cannot_be_is_refused_where_it_stands(changes: Row, says: str, tmp_path: Path) -> None:
    line = complaint(one(tmp_path, **changes))
    assert line.startswith(str(tmp_path / "Japan" / "Etiquette.json"))
    assert says in line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1]\n", "expected an object"),
        ("{'a': 1}\n", "Expected a question a line"),
        ("[\n{}\n]\n", ":1: not JSON"),
    ],
)
def test_a_line_that_is_no_question_is_refused(text: str, says: str, tmp_path: Path) -> None:
    home = one(tmp_path)
    (home / "Japan" / "Etiquette.json").write_text(text, encoding="utf-8")
    assert says in complaint(home)


def test_a_norm_that_is_not_in_the_file_of_norms_is_refused_by_file_and_norm(tmp_path: Path) -> None:
    home = forest(tmp_path, {"Japan": [question_row("q", ("1", "2", "9"))]})
    line = complaint(home)
    assert line.startswith(f"{home / 'norms_both_acc.json'}: norm '9' is not there, so its strictness is unknown")
    assert f"{home / 'Japan' / 'Etiquette.json'}:1" in line


@pytest.mark.parametrize("acceptability", ["Yes", "yes", "no", "Maybe", "", None])
def test_a_norm_of_another_strictness_is_refused_and_never_weighed_like_its_neighbour(
    acceptability: str | None, tmp_path: Path
) -> None:
    norms = [norm_row("1", acceptability="No"), norm_row("2", acceptability=acceptability), norm_row("3")]  # type: ignore[arg-type]
    line = complaint(forest(tmp_path, {"Japan": [question_row("q")]}, norms))
    assert line.startswith(f"{tmp_path / 'norms_both_acc.json'}: norm '2': ")
    assert "acceptability is" in line


def test_a_norm_that_may_always_be_broken_matters_only_where_a_question_rests_on_it(tmp_path: Path) -> None:
    norms = [norm_row(str(n)) for n in (1, 2, 3)] + [norm_row("4", acceptability="Yes")]
    assert len(items_of(KNOWLEDGE, forest(tmp_path, {"Japan": [question_row("q")]}, norms))) == 6


def test_the_same_question_or_the_same_norms_in_two_places_are_refused(tmp_path: Path) -> None:
    line = complaint(forest(tmp_path / "a", {"Germany": [question_row("q")], "Japan": [question_row("q")]}))
    assert "uuid 'q' stands twice, first in" in line
    assert "Germany" in line
    line = complaint(forest(tmp_path / "b", {"Germany": [question_row("p")], "Japan": [question_row("q")]}))
    assert "norms 1+2+3 are of JP here and of DE elsewhere" in line


def test_norms_that_are_no_norms_are_refused(tmp_path: Path) -> None:
    home = one(tmp_path)
    for text, says in (("[7]", "expected an object of norms"), ("7", "expected an object of norms"), ("{", "not JSON"),
                       (json.dumps([norm_row("1")] * 2), "norm_id '1' stands twice")):  # fmt: skip
        (home / "norms_both_acc.json").write_text(text, encoding="utf-8")
        assert says in complaint(home)


@pytest.mark.parametrize(
    ("place", "category", "says"),
    [("Japn", "Etiquette", "Did you mean 'Japan'"), ("Japan", "Etiquete", "No category is called 'Etiquete'")],
)
def test_an_unknown_country_or_category_is_answered_with_the_nearest(
    place: str, category: str, says: str, tmp_path: Path
) -> None:
    assert says in complaint(forest(tmp_path, {place: [question_row("q")]}, category=category))


def test_a_folder_without_questions_norms_or_data_says_what_was_expected(tmp_path: Path) -> None:
    assert "a folder for each country" in complaint(tmp_path)
    assert "--data" in complaint(None)
    home = one(tmp_path / "here")
    assert "expected the folder of" in complaint(home / "norms_both_acc.json")
    (home / "norms_both_acc.json").unlink()
    assert f"no norms_both_acc.json in {home} or beside it" in complaint(home)
    one(tmp_path / "there")
    assert "questions in ['here', 'there']; expected one folder" in complaint(tmp_path)
    (tmp_path / "there" / "Japan" / "Etiquette.json").write_text("\n", encoding="utf-8")
    assert "no questions" in complaint(tmp_path / "there")


def test_options_that_stand_in_the_text_are_not_shuffled_and_it_says_so() -> None:
    data = TINY / "cultureforest"
    assert complaint(data, EASY, shuffle=True).startswith("--shuffle: the options of cultureforest/easy stand in the ")
    assert "informed" in complaint(data, INFORMED, shuffle=True, settings={"level": "easy"})
    assert [i.render() for i in items_of(MEDIUM, data, shuffle=True)] == [i.render() for i in items_of(MEDIUM, data)]


def test_who_is_informed_is_asked_the_same_and_told_three_norms() -> None:
    data = TINY / "cultureforest"
    for level, plain in (("easy", EASY), ("medium", MEDIUM)):
        told, untold = items_of(INFORMED, data, settings={"level": level}), items_of(plain, data)
        assert [item.about for item in told] == [item.about for item in untold]
        assert [item.gold for item in told] == [item.gold for item in untold]
        for one_told, other in zip(told, untold, strict=True):
            question, *norms = one_told.words
            assert question == other.words[0]
            assert len(norms) == 3
            assert all(f"- {norm}\n" in one_told.render() for norm in norms)
            assert not any(norm in other.render() for norm in norms)


def test_the_level_of_the_informed_is_told_where_the_card_speaks_of_another() -> None:
    benchmark = catalogue.load(INFORMED)
    assert benchmark.remarks(setting_of(benchmark, None)) == (
        "Asked at the medium level, with the norms in the prompt.",
    )
    _, remark = benchmark.remarks(setting_of(benchmark, None, settings={"level": "easy"}))
    assert "a quarter" in remark


JSON = [
    ('{"Answer": "True"}', "true"), ('{"Answer": "false"}', "false"), ('{"Answer": true}', "true"),
    ('{"Answer": FALSE}', None), ('{"Answer": false, "Why": "rude"}', "false"),
    ('```json\n{"Answer": "TRUE"}\n```', "true"),
    ('I think so.\n{"Answer":"True"}\nBecause {it} is.', "true"), (r'{\"Answer\": \"True\"}', "true"),
    ('{"answer": "True"}', None), ('{"Answer": "True, mostly"}', None), ('{"Answer": ["True"]}', None),
    ('{"Answer": "True"', None), ('"Answer": "True"}', None), ("True", None), ("", None), ("{}", None), ("}{", None),
    ('{ok} {"Answer": "True"}', None), ('{"Answer": {"Answer": "True"}}', None), ('{"Answer": "\ud800"}', None),
    ('{"Answer": ' + "[" * 100_000 + "}", None), ('{"Answer": 1}', None), ('{"Answer": null}', None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "label"), JSON)
def test_an_answer_is_what_stands_under_its_key_in_the_first_object(text: str, label: str | None) -> None:
    assert read_json_label(text, TRUTH, "strict") == LabelReading(label, None if label else "format_error")


@pytest.mark.parametrize(
    ("text", "label"),
    [('{"Answer": "C"}', "c"), ('So: {"Answer":"D"}.', "d"), ('{"Answer": "c"}', None), ('{"Answer": "C."}', None),
     ('{"Answer": " C"}', None), ('{"Answer": "E"}', None), (r'{\"Answer\": \"C\"}', None), ("C", None)],
)  # fmt: skip
def test_a_letter_must_be_the_capital_alone(text: str, label: str | None) -> None:
    assert read_json_label(text, LETTERS, "strict").label == label


@pytest.mark.parametrize(
    ("text", "labels", "label"),
    [
        ("The answer is true.", TRUTH, "true"),
        ('{"answer": "False"}', TRUTH, "false"),
        ('{"Answer": "B) wait"}', LETTERS, "b"),
        ("Answer: C", LETTERS, "c"),
        ("A or B", LETTERS, None),
    ],
)
def test_lenient_takes_a_label_that_stands_alone_where_the_form_was_not_kept(
    text: str, labels: tuple[str, ...], label: str | None
) -> None:
    assert read_json_label(text, labels, "strict").label is None
    assert read_json_label(text, labels, "lenient").label == label


def test_the_object_goes_before_what_else_is_said() -> None:
    text = 'Some say False. {"Answer": "True"}'
    assert (
        read_json_label(text, TRUTH, "strict") == read_json_label(text, TRUTH, "lenient") == LabelReading("true", None)
    )


def test_a_refusal_is_told_from_a_format_error() -> None:
    for reading in READINGS:
        assert read_json_label("I'm sorry, I can't say.", TRUTH, reading) == LabelReading(None, "refusal")
        assert read_json_label('{"Answer": "I cannot answer"}', LETTERS, reading) == LabelReading(None, "refusal")


pieces = st.sampled_from(
    ["{", "}", '"Answer"', ":", '"True"', '"b"', "true", "B", "False", "\\", '"', "[", "I'm sorry", " ", "\ud800", "真"]
)
replies = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=9).map("".join))


@given(replies, st.sampled_from([TRUTH, LETTERS]))
def test_a_reply_has_a_label_or_a_fault_and_a_strict_label_is_the_lenient_one(
    text: str, labels: tuple[str, ...]
) -> None:
    strict, lenient = (read_json_label(text, labels, reading) for reading in READINGS)
    for found in (strict, lenient):
        assert (found.label in labels) != (found.fault in ("format_error", "refusal"))
    assert strict.label in (None, lenient.label)


@given(st.sampled_from(TRUTH), st.text(alphabet=st.characters(exclude_characters="{}")))
def test_what_is_said_around_the_object_does_not_matter(label: str, noise: str) -> None:
    assert read_json_label(f'{noise}{{"Answer": "{label}"}}{noise}', TRUTH, "strict").label == label


def test_every_way_to_say_a_label_is_read_as_that_label() -> None:
    informed = catalogue.load(INFORMED).closed  # type: ignore[attr-defined]
    for closed in (*(catalogue.load(name) for name in (EASY, MEDIUM, KNOWLEDGE)), informed):
        for form in closed.forms:
            assert all(
                read_json_label(way, form.labels, "strict").label == label for label, way in form.label_texts.items()
            )


def test_the_published_protocol_reaches_the_subject() -> None:
    benchmark, setting, items = tiny(MEDIUM)
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return '{"Answer": "False"}'

    perform(benchmark, setting, items[:4], Script(say))
    assert len(asked) == 12
    assert {request.sampling for request in asked} == {setting.protocol.sampling}
    sampling = setting.protocol.sampling
    assert (sampling.temperature, sampling.top_p, sampling.max_tokens) == (0.7, 0.95, 65_536)
    assert all(len(request.messages) == 1 and request.messages[0].role == "user" for request in asked)
