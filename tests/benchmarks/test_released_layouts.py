"""The layouts in which the data sets were released, in small files of our own."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks import catalogue
from tests.benchmarks.plays import setting_of

Row = dict[str, Any]


def write(path: Path, rows: Sequence[Row]) -> Path:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    else:
        path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def read(name: str, data: Path) -> Sequence[Any]:
    benchmark = catalogue.load(name)
    return benchmark.items(setting_of(benchmark, data))


EASY: Row = {
    "data_idx": 7, "question_idx": 3, "prompt_question": "Which hat is worn?", "prompt_option_a": "A bowl",
    "prompt_option_b": "A “toque”, knitted", "prompt_option_c": "None", "prompt_option_d": "", "answer": "B",
    "country": "Canada",
}  # fmt: skip


def statements(question: int, golds: str, country: str = "Canada", start: int = 0) -> list[Row]:
    return [
        {"data_idx": start + n, "question_idx": question, "prompt_question": "Which hat?", "prompt_option": f"hat {n}",
         "answer": {"T": "TRUE", "F": "FALSE"}[gold], "country": country}
        for n, gold in enumerate(golds)
    ]  # fmt: skip


def test_culturalbench_easy_as_on_the_hub(tmp_path: Path) -> None:
    write(tmp_path / "CulturalBench-Easy.csv", [EASY])
    (item,) = read("culturalbench/easy", tmp_path)
    assert (item.about.item, item.about.place, item.gold) == ("easy-3", "CA", "b")
    assert item.words == ("Which hat is worn?", "A bowl", "A “toque”, knitted", "None", "")


def test_culturalbench_hard_as_on_the_hub(tmp_path: Path) -> None:
    write(tmp_path / "CulturalBench-Hard.csv", statements(3, "FTFT"))
    items = read("culturalbench/hard", tmp_path)
    assert [item.about.item for item in items] == ["hard-0", "hard-1", "hard-2", "hard-3"]
    assert [item.gold for item in items] == ["false", "true", "false", "true"]
    assert {item.about.unit for item in items} == {"question-3"}
    assert {item.about.groups["mode"] for item in items} == {"multi"}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json"])
def test_a_table_says_the_same_in_each_kind_of_file(suffix: str, tmp_path: Path) -> None:
    rows = [{**row, "answer": row["answer"] == "TRUE"} for row in statements(3, "FTFF")]
    items = read("culturalbench/hard", write(tmp_path / f"mine{suffix}", rows))
    assert [item.gold for item in items] == ["false", "true", "false", "false"]
    assert items[0].about.item == "hard-0"


NORMAD: Row = {
    "": 41, "Country": "bosnia_and_herzegovina", "Background": "Long text, with\ncommas and lines.", "Axis": "Visiting",
    "Value": "Modesty", "Rule-of-Thumb": "Take off your shoes.", "Story": "Ana keeps her shoes on. Is it fine?",
    "Explanation": "She should not.", "Gold Label": "no",
}  # fmt: skip


def test_normad_as_on_the_hub_with_more_columns_and_an_index_without_a_name(tmp_path: Path) -> None:
    other = {**NORMAD, "": 42, "Gold Label": "Neutral", "Country": "hong_kong"}
    write(tmp_path / "NormAd.csv", [NORMAD, other])
    first, second = read("cure/normad_thin", tmp_path)
    assert (first.about.item, first.about.place, first.gold) == ("normad-41", "BA", "no")
    assert (second.about.item, second.about.place, second.gold) == ("normad-42", "HK", "neutral")
    assert first.about.cluster == second.about.cluster
    assert first.words[1] == NORMAD["Story"]


def test_a_column_called_id_goes_before_one_without_a_name(tmp_path: Path) -> None:
    write(tmp_path / "NormAd.csv", [{**NORMAD, "ID": "ba-1"}])
    assert read("cure/normad_thin", tmp_path)[0].about.item == "normad-ba-1"


def test_casa_as_on_the_hub_takes_two_rows_in_a_row_as_a_pair(tmp_path: Path) -> None:
    rows = [
        {"country": country, "user_query": f"{gold}: I want a hat.", "agreement": gold, "symbol_desc": "Hats."}
        for country in ("Japan", "United States")
        for gold in ("yes", "no")
    ]
    items = read("cure/casa_thin", write(tmp_path / "casa.jsonl", rows))
    assert [item.about.item for item in items] == ["casa-casa-0-yes", "casa-casa-0-no", "casa-casa-1-yes",
                                                   "casa-casa-1-no"]  # fmt: skip
    assert [item.about.place for item in items] == ["JP", "JP", "US", "US"]
    assert len({item.about.cluster for item in items}) == 2
    assert all(not item.about.groups for item in items)


CULBANK: Row = {
    "cultural group": "Italian", "context": "at breakfast", "actor": "people", "recipient": None, "relation": "",
    "actor_behavior": "dip a biscuit", "goal": None, "recipient_behavior": None, "other_descriptions": "sweet",
    "eval_persona": "a guest", "eval_question": "What to eat?", "eval_whole_desc": "Biscuits are dipped.",
    "behavioral_description": "It supports dipping.", "normative": "yes",
}  # fmt: skip


def test_culbank_as_on_the_hub_shows_the_fields_that_are_filled(tmp_path: Path) -> None:
    rows = [CULBANK, {**CULBANK, "cultural group": "Gamers", "normative": "no"}]
    one, other = read("cure/culturebank_thin", write(tmp_path / "culbank.jsonl", rows))
    described = "context: at breakfast\nactor: people\nactor behavior: dip a biscuit\nother descriptions: sweet"
    assert one.words == ("Italian", described)
    assert (one.about.item, one.about.place, one.gold) == ("culturebank-0", "IT", "yes")
    assert (other.words[0], other.about.place, other.gold) == ("Gamers", None, "no")


@pytest.mark.parametrize(("share", "gold"), [(1.0, "yes"), (0.6, "yes"), (0.5, "no"), (0, "no"), ("0.7", "yes")])
def test_culturebank_as_its_makers_released_it_takes_more_than_a_half_as_agreed(
    share: object, gold: str, tmp_path: Path
) -> None:
    row = {name: value for name, value in CULBANK.items() if name not in {"normative", "behavioral_description"}}
    rows = [{**row, "topic": "Food", "agreement": share, "num_support_bin": 2, "time_range": "2019"}]
    assert read("cure/culturebank_thin", write(tmp_path / "culturebank.jsonl", rows))[0].gold == gold


NCLB: Row = {
    "country": "India", "religion": None, "ethnicity": "Tamil", "age": None, "gender": None, "marital_status": None,
    "occupation": None, "persona": "A Tamil student.", "situation": "She enters a temple.", "question": "Shoes off?",
    "label": "yes", "statement": "Shoes stay outside.", "generic_norm": "People take shoes off.",
}  # fmt: skip
CUES: list[tuple[Row, str]] = [
    ({}, "low|ethnicity"),
    ({"age": 34}, "medium|ethnicity|age"),
    ({"age": 34, "gender": "female"}, "medium|ethnicity|age|gender"),
    ({"age": 34, "gender": "female", "occupation": "teacher"}, "high|ethnicity|age|gender|occupation"),
    ({"age": "none", "gender": "N/A", "occupation": " "}, "low|ethnicity"),
    ({"ethnicity": None}, "low"),
]


@pytest.mark.parametrize(("cues", "level"), CUES)
def test_specnorm_as_on_the_hub_is_broken_down_by_how_specific_a_persona_is(
    cues: Row, level: str, tmp_path: Path
) -> None:
    (item,) = read("cure/specnorm_thin", write(tmp_path / "nclb.jsonl", [{**NCLB, **cues}]))
    assert item.about.groups == {"dimension": level}
    assert (item.about.place, item.gold, item.about.item) == ("IN", "yes", "specnorm-0")


def test_specnorm_clusters_are_its_statements(tmp_path: Path) -> None:
    rows = [NCLB, {**NCLB, "persona": "Another."}, {**NCLB, "statement": "Shoes stay on."}]
    items = read("cure/specnorm_thin", write(tmp_path / "nclb.csv", rows))
    assert len({item.about.cluster for item in items}) == 2
    assert len({item.about.unit for item in items}) == 3


def test_a_byte_order_mark_and_windows_lines_do_not_matter(tmp_path: Path) -> None:
    plain = write(tmp_path / "CulturalBench-Easy.csv", [EASY]).read_bytes()
    (tmp_path / "CulturalBench-Easy.csv").write_bytes(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"))
    assert read("culturalbench/easy", tmp_path)[0].about.item == "easy-3"


def test_a_line_separator_within_a_json_text_ends_no_row(tmp_path: Path) -> None:
    rows = [{**NCLB, "situation": "One line.\u2028Another."}]
    (item,) = read("cure/specnorm_thin", write(tmp_path / "nclb.jsonl", rows))
    assert "\u2028" in item.words[2]


def test_what_a_data_set_says_is_never_read_as_template(tmp_path: Path) -> None:
    row = {**NCLB, "situation": "[[question]] {{ 7 * 7 }} {% if %}"}
    (item,) = read("cure/specnorm_thin", write(tmp_path / "nclb.jsonl", [row]))
    assert "[[question]] {{ 7 * 7 }} {% if %}" in item.render()
