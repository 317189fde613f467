"""Some items alone: named by their ids, by a norm, or by a file of either."""

import json
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.runs.selection import read_item_names
from mores.runs.spec import Spec
from tests.runs.conduct import Typed, hold, left, manifest, verdicts

ODD = [{"item": "a-1", "flags": ["odd"]}, {"item": "c", "flags": []}, {"item": "b-2", "flags": ["key"]}]
NORMS = ("AU-etiquette-shout", "AU-naming-first-name-lecturer")


def items(folder: Path) -> set[str]:
    return {verdict.about.item for verdict in verdicts(folder)}


def test_only_the_named_items_are_asked(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    words = ("culturalbench/easy", "--data", cultural, "-m", "simulated/typical")
    assert typed("run", *words, "--items", "easy-1,easy-3", "--items", "easy-2", "--out", "run").returncode == 0
    assert items(tmp_path / "run") == {"easy-1", "easy-2", "easy-3"}
    found = manifest(tmp_path / "run")
    assert found["spec"]["items"] == ["easy-1", "easy-3", "easy-2"]
    (departure,) = [each for each in found["departures"] if each["setting"] == "units drawn"]
    assert (departure["published"], departure["used"]) == ("all", "those of easy-1, easy-3, easy-2")


def test_a_statement_brings_its_whole_question(tmp_path: Path, cultural: Path) -> None:
    assert hold(tmp_path / "whole", Spec(benchmarks=("culturalbench/hard",), data=str(cultural)))
    one = next(verdict.about for verdict in verdicts(tmp_path / "whole"))
    assert hold(tmp_path / "run", Spec(benchmarks=("culturalbench/hard",), data=str(cultural), items=(one.item,)))
    assert len(items(tmp_path / "run")) == 4
    assert {verdict.about.unit for verdict in verdicts(tmp_path / "run")} == {one.unit}


def test_a_norm_brings_all_its_items_on_each_rung(tmp_path: Path) -> None:
    benchmarks = ("ladder/know", "ladder/judge", "ladder/explain", "ladder/apply", "ladder/converse")
    assert hold(tmp_path, Spec(benchmarks=benchmarks, items=NORMS[:1]))
    for rung in ("know", "judge", "explain", "apply", "converse"):
        found = {v.about.unit.partition("~")[0] for v in verdicts(tmp_path / f"simulated-typical--ladder-{rung}")}
        assert NORMS[0] in found, rung
        assert rung == "apply" or found == {NORMS[0]}


def test_benchmarks_in_which_nothing_is_named_are_left_out_and_said(tmp_path: Path, typed: Typed) -> None:
    words = ("ladder/know", "ladder/explain", "-m", "simulated/typical", "--items", f"explain-{NORMS[0]}")
    done = typed("run", *words, "--out", "run")
    assert done.returncode == 0
    assert "ladder/know was left out: --items names nothing of it" in done.stderr
    assert items(tmp_path / "run") == {f"explain-{NORMS[0]}"}


def test_an_unknown_id_is_one_line_with_near_ones(typed: Typed, cultural: Path) -> None:
    done = typed("run", "culturalbench/easy", "--data", cultural, "--items", "easy-1,esy-3", "--out", "run")
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert "--items: No item or norm of these benchmarks is called 'esy-3'. Did you mean 'easy-3'" in line
    assert line.endswith("List them: mores show BENCHMARK --items.")


def test_a_limit_draws_from_what_is_named(tmp_path: Path, cultural: Path) -> None:
    named = ("easy-0", "easy-1", "easy-2", "easy-3")
    assert hold(tmp_path, Spec(benchmarks=("culturalbench/easy",), data=str(cultural), items=named, limit=2))
    assert len(items(tmp_path)) == 2
    assert items(tmp_path) <= set(named)


def test_parts_of_what_is_named_make_the_whole(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    words = ("culturalbench/easy", "--data", cultural, "-m", "simulated/typical", "--items", "easy-1,easy-2,easy-3")
    assert typed("run", *words, "--out", "whole").returncode == 0
    for number in (1, 2):
        assert typed("run", *words, "--shard", f"{number}/2", "--out", f"part-{number}").returncode == 0
    assert typed("merge", "part-1", "part-2", "--out", "merged").returncode == 0
    assert left(tmp_path / "merged") == left(tmp_path / "whole")


def test_a_run_goes_on_without_the_file_that_named_its_items(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    (tmp_path / "odd.txt").write_text("easy-1\neasy-2\neasy-3\n")
    words = ("culturalbench/easy", "--data", cultural, "-m", "simulated/typical", "--max-calls", 1)
    assert typed("run", *words, "--items", "odd.txt", "--out", "run").returncode == 1
    (tmp_path / "odd.txt").unlink()
    assert typed("resume", "run").returncode == 0
    assert items(tmp_path / "run") == {"easy-1", "easy-2", "easy-3"}


def test_a_study_names_items_or_a_file_beside_it(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "odd.csv").write_text("item\neasy-1\n")
    study = tmp_path / "there" / "STUDY.toml"
    for said in ('["easy-1"]', '"odd.csv"', '["odd.csv"]'):
        study.write_text(f'benchmarks = ["culturalbench/easy"]\ndata = "{cultural}"\nitems = {said}\n')
        out = f"run-{len(said)}"
        assert typed("run", "there/STUDY.toml", "--out", out).returncode == 0
        assert items(tmp_path / out) == {"easy-1"}


def test_what_mores_items_found_odd_is_asked_again(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    words = ("culturalbench/easy", "--data", cultural, "-m", "simulated/typical")
    assert typed("run", *words, "--out", "run").returncode == 0
    found = json.loads(typed("items", "run", "--json").stdout)
    rows = found["item_statistics"]
    rows[3]["flags"] = ["key may be wrong"]
    (tmp_path / "odd.json").write_text(json.dumps(found))
    odd = read_item_names([str(tmp_path / "odd.json")])
    assert rows[3]["item"] in odd
    assert len(odd) == len([row for row in rows if row["flags"]])
    assert typed("run", *words, "--items", "odd.json", "--out", "again").returncode == 0
    assert items(tmp_path / "again") == set(odd)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ids.txt", "a-1\n\n# a note\n b-2 \n"),
        ("ids", "a-1\r\nb-2\r\n"),
        ("t.csv", "place,item,note\nJP,a-1,x\nKR,b-2,\n"),
        ("t.csv", '\ufeff"item";"note"\na-1;x\nb-2;y\n'),
        ("t.tsv", "note\titem\nx\ta-1\ny\tb-2\n"),
        ("t.csv", "item,words\na-1,'one\n\ntwo'\nb-2,x\n".replace("'", '"')),
        ("t.csv", 'words|item\n"a, b"|a-1\nx|b-2\n'),
        ("t.csv", "item,flags\na-1,odd\nc-3,\nb-2,key\n"),
        ("t.json", '["a-1", "b-2"]'),
        ("t.json", '[{"item": "a-1"}, {"item": "b-2"}]'),
        ("t.jsonl", '{"item": "a-1"}\n{"item": "b-2", "reply": "x"}\n'),
        ("t.json", json.dumps({"item_statistics": ODD})),
    ],
)
def test_a_file_of_items_is_read_in_any_common_form(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_item_names([name], tmp_path) == ("a-1", "b-2")


def test_a_table_of_items_is_read_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item;note\na-1;ü\nb-2;\n", encoding="utf-16")
    assert read_item_names(["t.csv"], tmp_path) == ("a-1", "b-2")
    (tmp_path / "t.csv").write_text("note,item\nx,a-1\ny\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"t.csv: not as many cells as the header has \(2\) \(row 2\)"):
        read_item_names(["t.csv"], tmp_path)


@pytest.mark.parametrize("text", ["", "\n# only a note\n", "item\n", "[]", '{"benchmarks": {}}', '{"other": 1}'])
def test_a_file_that_names_nothing_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "none.csv").write_text(text)
    with pytest.raises(InputError, match=r"none\.csv: no item in it; expected an id a line, or a table with a column"):
        read_item_names(["none.csv"], tmp_path)


def test_a_list_of_many_is_no_name_of_a_file() -> None:
    names = tuple(f"easy-{number}" for number in range(2_000))
    assert read_item_names([",".join(names)]) == names


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read"):
        read_item_names(["gone.csv"], tmp_path)
    with pytest.raises(InputError, match="--items is empty"):
        read_item_names([","])
