"""Blind reading: the sheet tells no place and no key, and what its readers get right stands beside chance."""

import csv
import io
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mores.cli.app import app
from mores.core.errors import InputError
from mores.norms.pack import Pack, load_pack
from mores.pipelines.gates.ladder.blind import MaskedItem, masked_sheet, read_blind, write_sheet

from .planted_pack import TINY, clean_pack


@pytest.fixture(scope="module")
def pack() -> Pack:
    return clean_pack()


def put(folder: Path, rows: list[tuple[str, str, str]]) -> Path:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("item", "answer", "reader"), *rows])
    (folder / "blind.csv").write_text(out.getvalue(), encoding="utf-8")
    return folder


def key(item: MaskedItem) -> str:
    return "|".join(sorted(item.key))


def test_the_sheet_shows_no_place_no_key_and_no_item_name(pack: Pack, tmp_path: Path) -> None:
    assert write_sheet(pack, tmp_path / "sheet.csv") == (6 * 10 * 6, 0)
    with (tmp_path / "sheet.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    whole = (tmp_path / "sheet.csv").read_text(encoding="utf-8")
    assert not any(name in whole for name in ("Japan", "Brazil", "JP-", "Anajp"))
    assert {row["rung"] for row in rows} == {"know", "judge", "explain", "converse"}
    assert all(not row["answer"] and not row["reader"] and row["text"] for row in rows)
    assert [row["item"] for row in rows] == sorted(row["item"] for row in rows)
    with pytest.raises(InputError, match=r"sheet\.csv"):
        write_sheet(pack, tmp_path / "sheet.csv")


def test_who_knows_all_is_right_and_who_says_one_label_is_at_chance(pack: Pack, tmp_path: Path) -> None:
    items = masked_sheet(pack)
    rows = [(item.code, key(item), "knows") for item in items]
    same = {"know": "a", "judge": "no", "explain": "no", "converse": "yes"}
    found = read_blind(pack, put(tmp_path, rows))
    assert found is not None
    assert [rung.right for rung in found.rungs] == [1, 1, 1, 1]
    dull = read_blind(pack, put(tmp_path, [(item.code, same[item.rung], "dull") for item in items]))
    assert dull is not None
    for rung in dull.rungs[1:]:
        assert rung.right == pytest.approx(rung.chance)
    know = dull.rungs[0]
    # One letter of four, of which it is right in a quarter: (1/4·1 + 3/4·0 + 1/4·1 + 3/4·2/3) / 2 = 1/2.
    assert know.interval.low is not None
    assert know.interval.high is not None
    assert know.interval.low < know.chance < know.interval.high


def test_what_all_of_two_readers_solve_is_listed_and_what_one_solves_is_not(pack: Pack, tmp_path: Path) -> None:
    one, other, third = [item for item in masked_sheet(pack) if item.rung == "judge"][:3]
    wrong = "no" if key(other) == "yes" else "yes"
    rows = [(one.name, key(one), "A"), (one.code, key(one), "B"), (other.code, key(other), "A"),
            (other.code, wrong, "B"), (third.code, key(third), "A"), (third.code, "", "B")]  # fmt: skip
    found = read_blind(pack, put(tmp_path, rows))
    assert found is not None
    [judge] = found.rungs
    assert (judge.solved, judge.answers, judge.items, judge.readers) == ((one.name,), 5, 3, 2)
    assert judge.right == pytest.approx(4 / 5)


def test_answers_to_words_that_have_changed_are_counted_and_left_out(pack: Pack, tmp_path: Path) -> None:
    item = masked_sheet(pack)[0]
    found = read_blind(pack, put(tmp_path, [("0123456789ab", "yes", "A"), (item.code, key(item), "A")]))
    assert found is not None
    assert (found.outdated, sum(rung.answers for rung in found.rungs)) == (1, 1)


@pytest.mark.parametrize(
    ("rung", "answer", "says"),
    [
        ("judge", "perhaps", "expected yes, no or neutral"),
        ("explain", "neutral", "expected yes or no"),
        ("know", "a|e", "expected letters up to d, or none"),
    ],
)
def test_an_answer_that_is_none_is_refused_in_one_line(
    pack: Pack, tmp_path: Path, rung: str, answer: str, says: str
) -> None:
    item = next(item for item in masked_sheet(pack) if item.rung == rung)
    with pytest.raises(InputError, match=rf"blind\.csv:2: answer is .*{says.replace('|', '.')}"):
        read_blind(pack, put(tmp_path, [(item.code, answer, "A")]))
    with pytest.raises(InputError, match="twice"):
        read_blind(pack, put(tmp_path, [(item.code, key(item), "A"), (item.name, key(item), "A")]))


def test_the_check_says_that_nobody_has_read_a_pack_and_a_sheet_needs_masks(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "tiny")
    run = CliRunner().invoke(app, ["build", "check", str(tmp_path / "tiny")])
    assert "Nobody has read the items without knowing the place" in run.output
    assert load_pack(TINY).norms
    refused = CliRunner().invoke(app, ["build", "blind", str(tmp_path / "tiny"), "--out", str(tmp_path / "s.csv")])
    assert isinstance(refused.exception, InputError)
    assert "[norm.masked]" in str(refused.exception)
