"""What people said of norms comes into a copy of a pack, and nothing else of the pack changes."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from mores.cli.app import app
from mores.core.errors import InputError
from mores.norms.pack import FILE, NormSurvey, load_pack, read_survey

NORM, OTHER = (entry.norm.id for entry in load_pack().norms[:2])


def said(path: Path, norm: str = NORM, *, asked: int = 5, agree: int = 4, disagree: int = 1) -> Path:
    line = f'{{"norm":"{norm}","asked":{asked},"agree":{agree},"depends":0,"disagree":{disagree},"dont_know":0}}\n'
    path.write_text(line)
    return path


def build(*told: object) -> object:
    return CliRunner().invoke(app, ["build", "pack", *map(str, told)])


def test_a_copy_of_the_pack_knows_who_agrees_and_is_else_the_same(tmp_path: Path) -> None:
    bundled = load_pack()
    build("pack", "--agreement", said(tmp_path / "a"), "--out", tmp_path / "mine")
    mine = load_pack(tmp_path / "mine")
    asked = {each.norm.id: each.norm.agreement for each in mine.norms if each.norm.agreement is not None}
    assert asked == {NORM: 0.8}
    assert tuple(replace(each, norm=replace(each.norm, agreement=None)) for each in mine.norms) == bundled.norms
    assert mine.bundles == bundled.bundles
    assert (mine.id, mine.version) == (bundled.id, f"{bundled.version}+people")
    assert mine.fingerprint != bundled.fingerprint
    assert load_pack() == bundled


def test_later_answers_stand_in_for_earlier_ones_and_others_stay(tmp_path: Path) -> None:
    build(
        "pack", "--agreement", said(tmp_path / "a"), "--agreement", said(tmp_path / "b", OTHER), "--out", tmp_path / "1"
    )
    build(tmp_path / "1", "--agreement", said(tmp_path / "c", agree=1, disagree=4), "--out", tmp_path / "2")
    found = read_survey(tmp_path / "2" / FILE)
    assert {norm: asked.agreement for norm, asked in found.items()} == {NORM: 0.2, OTHER: 0.8}
    assert load_pack(tmp_path / "2").version.count("+people") == 1


def test_nothing_is_written_for_norms_of_another_pack(tmp_path: Path) -> None:
    done = build("pack", "--agreement", said(tmp_path / "a", "JP-x"), "--out", tmp_path / "mine")
    assert "JP-x is no norm of pack mores" in str(getattr(done, "output", "")) + str(getattr(done, "exception", ""))
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(("asked", "agree"), [(0, 0), (5, 5), (3, 4)])
def test_answers_that_do_not_add_up_are_refused(tmp_path: Path, asked: int, agree: int) -> None:
    with pytest.raises(InputError, match=r"a:1: .*expected as many answers"):
        read_survey(said(tmp_path / "a", asked=asked, agree=agree))


def test_who_does_not_know_stays_among_the_asked() -> None:
    assert NormSurvey(norm="x", asked=5, agree=2, depends=0, disagree=0, dont_know=3).agreement == 0.4
