"""What people said of norms comes into a copy of a pack, and nothing else of the pack changes."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from mores.cli.app import app
from mores.core.canary import CANARY_LINE
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.norms.items import KnowItem, Statement
from mores.norms.pack import FILE, NormSurvey, load_pack, read_survey
from mores.pipelines.ladder.ballots import ballots_of, project_files, surveys_of

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


def test_ballots_ask_for_a_norm_its_opposite_and_each_thing_said_of_its_boundary() -> None:
    pack = load_pack()
    entry = pack.norms[0]
    options = (Statement(text="The old.", true=True), Statement(text="The young.", true=False))
    ends = KnowItem(question="Who is free of it?", options=options, boundary=entry.norm.sources[0].url)
    scene = replace(entry.judge[0], label="no", boundary=entry.norm.sources[0].url)
    pack = replace(pack, norms=(replace(entry, know=(*entry.know[:2], ends), judge=(*entry.judge[:2], scene)),))
    ballots = {each.id.replace(entry.norm.id, ""): each for each in ballots_of(pack, entry.norm.place)}
    assert {name: each.right for name, each in ballots.items()} == {
        " statement": True, " negation": False, "know-~3 a": True, "know-~3 b": False, "judge-~3": False,
    }  # fmt: skip
    assert (ballots["know-~3 b"].asked, ballots["know-~3 b"].claim) == ("Who is free of it?", "The young.")
    items = project_files(pack, entry.norm.place)["items.csv"].decode()
    assert "true" not in items
    assert len(items.splitlines()) == 1 + len(ballots)


def test_a_place_without_norms_and_answers_of_something_else_are_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="VA: pack mores has no norms of Vatican City"):
        ballots_of(load_pack(), "VA")
    (tmp_path / "a.csv").write_text("id,question,answer,person\nx statement,holds,Maybe,1\n")
    with pytest.raises(InputError, match=r"a.csv:2: answer is 'Maybe'; expected Yes, it is so"):
        surveys_of(tmp_path / "a.csv")


def test_answers_to_ballots_come_into_a_copy_of_the_pack(tmp_path: Path) -> None:
    rows = [f'"{NORM} statement",holds,"{word}",{n}' for n, word in enumerate(("Yes, it is so", "I don't know"))]
    (tmp_path / "answers.csv").write_text("\n".join(["id,question,answer,person", *rows, ""]))
    build("pack", "--agreement", tmp_path / "answers.csv", "--out", tmp_path / "mine")
    (mine,) = (each.norm for each in load_pack(tmp_path / "mine").norms if each.norm.id == NORM)
    assert mine.agreement == 0.5


def test_a_release_is_a_pack_with_its_errata_datasheet_and_checksums(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["build", "release", str(tmp_path / "out"), "--json"])
    told = json.loads(done.stdout)
    out, bundled = tmp_path / "out", load_pack()
    assert load_pack(out / "pack").fingerprint == bundled.fingerprint == told["fingerprint"]
    assert len((out / "errata.jsonl").read_text().splitlines()) == len(bundled.errata)
    lines = [line.split("  ") for line in (out / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert sums.keys() | {"SHA256SUMS"} == files == set(told["files"])
    assert all(sha256_of(out / name) == digest for name, digest in sums.items())
    sheet = (out / "DATASHEET.md").read_text()
    assert f"| norms | {len(bundled.norms):,} |" in sheet
    assert "](" not in sheet
    assert all(CANARY_LINE in path.read_text() for path in (out / "pack").glob("??.toml"))
    assert "CC-BY-4.0" in (out / "CITATION.cff").read_text()
    again = CliRunner().invoke(app, ["build", "release", str(out)])
    assert "it exists already and is not overwritten" in str(again.exception)
