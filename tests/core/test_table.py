"""Tables are read as people save them, and a row that cannot be read is given as such."""

import json
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.core.table import OddRow, SourceRow, read_words, scan_table

ROWS = [{"item": "a", "reply": "Käse, Brot"}, {"item": "b", "reply": "ja; nein"}]
CSV = 'item,reply\na,"Käse, Brot"\nb,ja; nein\n'


def cells(path: Path) -> list[dict[str, object]]:
    return [row.cells for row in scan_table(path) if isinstance(row, SourceRow)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_says_the_same(delimiter: str, tmp_path: Path) -> None:
    quoted = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in ([*ROWS[0]], *(r.values() for r in ROWS)))
    (tmp_path / "t.csv").write_text(quoted, "utf-8")
    assert cells(tmp_path / "t.csv") == ROWS


def test_a_delimiter_inside_quotes_parts_no_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('"item, or id";reply\na;b\n', "utf-8")
    assert cells(tmp_path / "t.csv") == [{"item, or id": "a", "reply": "b"}]


def test_the_line_by_which_excel_names_its_delimiter_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sep=;\r\nitem;reply, in words\r\na;b\r\n", "utf-8", newline="")
    (row,) = scan_table(tmp_path / "t.csv")
    assert isinstance(row, SourceRow)
    assert (row.cells, row.line) == ({"item": "a", "reply, in words": "b"}, 3)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_each_encoding_that_a_spreadsheet_writes_says_the_same(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CSV.encode(encoding))
    assert cells(tmp_path / "t.csv") == ROWS


@pytest.mark.parametrize(
    "data",
    ["item,日本語の表\n".encode("shift-jis"), "item,Привет\n".encode("cp1251"), "a,é\nb,".encode() + b"\xff\n",
     b"a,\x81\n", b"\xff\xfea"],
)  # fmt: skip
def test_another_script_or_a_damaged_text_is_refused_and_not_guessed(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(InputError, match="not UTF-"):
        read_words(tmp_path / "t.csv")


def test_json_in_each_of_its_shapes_says_the_same(tmp_path: Path) -> None:
    columns = {name: {str(n): row[name] for n, row in enumerate(ROWS)} for name in ROWS[0]}
    for whole in (ROWS, {"results": ROWS}, columns):
        (tmp_path / "t.json").write_text(json.dumps(whole), "utf-8")
        assert cells(tmp_path / "t.json") == ROWS


def test_numbers_that_python_writes_and_json_does_not_know_are_read(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"a": NaN, "b": -Infinity}\n{"a": NaN, "b": "\\ud800"}\n', "utf-8")
    first, second = scan_table(tmp_path / "t.jsonl")
    assert isinstance(first, SourceRow)
    assert first.cells["b"] == float("-inf")
    assert isinstance(second, OddRow)


def test_parquet_says_the_same(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "t.parquet")
    assert cells(tmp_path / "t.parquet") == ROWS
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="not Parquet"):
        list(scan_table(tmp_path / "x.parquet"))


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("t.csv", "a,b\n1,2\n3\n4,5\n", "not as many cells as the header has (2)"),
        ("t.csv", 'a,b\n1,2\n"3"x,3\n4,5\n', "not CSV"),
        ("t.jsonl", '{"a": 1}\n{"a": \n{"a": 4}\n', "not JSON"),
        ("t.jsonl", '{"a": 1}\n[3]\n{"a": 4}\n', "expected an object with a row's fields; got [3]"),
        ("t.json", '[{"a": 1}, 3, {"a": 4}]', "expected an object with a row's fields; got 3"),
    ],
)
def test_an_odd_row_is_told_and_the_rows_around_it_are_read(name: str, text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    first, odd, last = scan_table(tmp_path / name)
    assert isinstance(first, SourceRow)
    assert isinstance(odd, OddRow)
    assert isinstance(last, SourceRow)
    assert [str(next(iter(row.cells.values()))) for row in (first, last)] == ["1", "4"]
    assert why in odd.why
