"""Data that cannot be used: one clear line that names the file and, where there is one, the row."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.core.errors import InputError
from tests.benchmarks.plays import setting_of
from tests.benchmarks.test_released_layouts import CULBANK, EASY, NCLB, NORMAD, Row, statements, write


def complaint(name: str, data: Path | None) -> str:
    benchmark = catalogue.load(name)
    with pytest.raises(InputError) as refused:
        benchmark.items(setting_of(benchmark, data))
    line = str(refused.value)
    assert "\n" not in line
    return line


NEEDS_DATA = [name for name in catalogue.names() if catalogue.card(name).files]
TABLES = [name for name in NEEDS_DATA if not name.startswith(("cultureforest/", "blend/", "care/"))]
"""Their data is one file; CultureForest's and BLEnD's and CARE's are folders, with tests of their own."""


@pytest.mark.parametrize("name", NEEDS_DATA)
def test_without_data_it_says_what_to_give_and_where_to_look(name: str) -> None:
    line = complaint(name, None)
    assert "--data" in line
    assert catalogue.card(name).files[0] in line
    assert f"mores show {name}" in line


@pytest.mark.parametrize("name", NEEDS_DATA)
def test_a_folder_without_the_file_says_which_names_it_looked_for(name: str, tmp_path: Path) -> None:
    line = complaint(name, tmp_path)
    assert str(tmp_path) in line
    assert all(file in line for file in catalogue.card(name).files)


@pytest.mark.parametrize("name", NEEDS_DATA)
def test_a_folder_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    assert str(tmp_path / "nowhere") in complaint(name, tmp_path / "nowhere")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("text", ["", "\n", "a,b,c\n"])
def test_an_empty_file_is_said_to_have_no_rows(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    assert complaint(name, path).startswith(f"{path}: no rows")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_something_else_is_refused_at_its_first_row(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("colour,size\nred,9\n", encoding="utf-8")
    line = complaint(name, path)
    assert line.startswith(f"{path}:2: no column")
    assert "colour" in line


@pytest.mark.parametrize("name", TABLES)
def test_a_file_that_is_not_utf_8_is_refused_by_name(name: str, tmp_path: Path) -> None:
    for suffix in (".csv", ".jsonl", ".json"):
        path = tmp_path / f"mine{suffix}"
        path.write_bytes("country,日本国\nFrance,\n".encode("shift-jis") if suffix == ".csv" else b"caf\xe9,\xff\n")
        assert complaint(name, path).startswith(f"{path}: not UTF-8")


VALID: dict[str, Sequence[Row]] = {
    "culturalbench/easy": [EASY],
    "culturalbench/hard": statements(1, "TFFF"),
    "cure/normad_thin": [NORMAD],
    "cure/casa_thin": [{"country": "Japan", "user_query": "A hat?", "agreement": "yes"}],
    "cure/culturebank_thin": [CULBANK],
    "cure/specnorm_thin": [NCLB],
}


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_json_that_is_none_is_refused_where_it_breaks(name: str, suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"mine{suffix}", VALID[name])
    with path.open("a", encoding="utf-8") as file:
        file.write("{'country': 1}\n")
    where = f":{1 + len(VALID[name])}" if suffix == ".jsonl" else ""
    assert complaint(name, path).startswith(f"{path}{where}: not JSON")


@pytest.mark.parametrize("text", ["[1, 2]\n", "7\n", '"yes"\n', "null\n"])
def test_json_rows_that_are_no_objects_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(text, encoding="utf-8")
    assert complaint("cure/normad_thin", path).startswith(f"{path}:1: expected an object")


def changed(row: Row, **changes: object) -> Row:
    return {**row, **changes}


Make = Callable[[], Sequence[Row]]
CASES: list[tuple[str, Make, int, str]] = [
    ("culturalbench/easy", lambda: [EASY, changed(EASY, question_idx=4, country="Japn")], 3, "Did you mean 'Japan'"),
    ("culturalbench/easy", lambda: [changed(EASY, country="Grmany")], 2, "'Germany'"),
    ("culturalbench/easy", lambda: [changed(EASY, answer="E")], 2, "answer is 'E'; expected one of"),
    ("culturalbench/easy", lambda: [changed(EASY, answer="")], 2, "answer is ''"),
    ("culturalbench/easy", lambda: [changed(EASY, prompt_question=" ")], 2, "prompt_question is empty"),
    ("culturalbench/easy", lambda: [EASY, EASY], 0, "id 'easy-3' stands twice, in lines 2 and 3"),
    ("culturalbench/hard", lambda: statements(3, "FTF"), 2, "has 3 rows, 1 of them TRUE"),
    ("culturalbench/hard", lambda: statements(3, "FTFFF"), 2, "has 5 rows"),
    ("culturalbench/hard", lambda: [*statements(2, "TFFF"), *statements(3, "FFFF", start=4)], 6, "0 of them TRUE"),
    ("culturalbench/hard", lambda: [changed(statements(3, "FTFF")[0], answer="maybe")], 2, "answer is 'maybe'"),
    ("culturalbench/hard", lambda: [*statements(2, "TFFF"), *statements(3, "TFFF")], 0,
     "'hard-0' stands twice, in lines 2 and 6"),
    ("culturalbench/hard",
     lambda: [*statements(2, "TFFF"), *statements(3, "TFFF", start=4), *statements(2, "TFFF", start=8)], 10,
     "question_idx '2' stands twice"),
    ("culturalbench/hard", lambda: statements(2, "TFFF", country="Atlantis"), 2, "No place is called 'Atlantis'"),
    ("culturalbench/hard", lambda: [*statements(2, "TFFF")[:3], changed(statements(2, "TFFF")[3], prompt_option="")],
     5, "prompt_option is empty"),
    ("culturalbench/hard",
     lambda: [*statements(2, "TFFF")[:3], changed(statements(2, "TFFF")[3], country="Mexico")], 5,
     "country is 'Mexico'"),
    ("cure/normad_thin", lambda: [changed(NORMAD, **{"Gold Label": "perhaps"})], 3, "Gold Label is 'perhaps'"),
    ("cure/normad_thin", lambda: [changed(NORMAD, **{"": ""})], 3, "no id"),
    ("cure/normad_thin", lambda: [NORMAD, NORMAD], 0, "id 'normad-41' stands twice, in lines 3 and 5"),
    ("cure/casa_thin", lambda: [{"country": "Japan", "user_query": "q", "agreement": "both"}], 2,
     "agreement is 'both'"),
    ("cure/casa_thin", lambda: [{"country": "Japan", "user_query": "q", "agreement": "yes"}] * 2, 0,
     "id 'casa-casa-0-yes' stands twice, in lines 2 and 3"),
    ("cure/culturebank_thin", lambda: [changed(CULBANK, normative="7")], 2, "yes, no or a share from 0 to 1"),
    ("cure/culturebank_thin", lambda: [changed(CULBANK, normative="often")], 2, "expected yes, no or a share"),
    ("cure/culturebank_thin", lambda: [changed(CULBANK, normative="nan")], 2, "yes, no or a share from 0 to 1"),
    ("cure/culturebank_thin", lambda: [{"cultural group": "Italian", "normative": "yes"}], 2, "nothing describes"),
    ("cure/specnorm_thin", lambda: [changed(NCLB, label="neutral")], 2, "label is 'neutral'"),
    ("cure/specnorm_thin", lambda: [changed(NCLB, statement="")], 2, "statement is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rows", "line", "says"), CASES)
def test_a_row_that_cannot_be_is_refused_where_it_stands(
    name: str, rows: Make, line: int, says: str, tmp_path: Path
) -> None:
    """Line 0: no one line is at fault, and the message names those that are."""
    path = write(tmp_path / "mine.csv", rows())
    said = complaint(name, path)
    assert said.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert says in said


@pytest.mark.parametrize("row", ["3,too few\n", "3,Which hat?,a,b,c,d,B,Canada,one too many\n"])
def test_a_ragged_row_is_refused_where_it_stands(row: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    header = (
        "question_idx,prompt_question,prompt_option_a,prompt_option_b,prompt_option_c,prompt_option_d,answer,country"
    )
    path.write_text(f"{header}\n1,Which hat?,a,b,c,d,B,Canada\n{row}", encoding="utf-8")
    assert complaint("culturalbench/easy", path).startswith(f"{path}:3: not as many cells as the header has (8)")


def test_a_quote_that_never_ends_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('country,user_query,agreement\nJapan,"a hat,yes\n', encoding="utf-8")
    assert complaint("cure/casa_thin", path).startswith(f"{path}: not CSV")


@pytest.mark.parametrize(
    ("asked", "near"), [("culturalbench/hrad", "culturalbench/hard"), ("cure/normad", "cure/norm")]
)
def test_an_unknown_benchmark_is_answered_with_the_nearest_names(asked: str, near: str) -> None:
    with pytest.raises(InputError, match=near):
        catalogue.load(asked)
