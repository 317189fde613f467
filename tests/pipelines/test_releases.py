"""What every release says of itself: hashes, prompts, models, licences, refusals by place and by region."""

import asyncio
import csv
import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.models.cast import Cast
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped
from mores.pipelines.norms.pipeline import NormsOptions, norms_pipeline
from mores.pipelines.norms.topics import topics_pipeline
from mores.pipelines.pipeline import DATASHEET, DROPPED, PICTURE, Pipeline, Release, build
from mores.pipelines.structured_query import REFUSED
from mores.runs.spec import ExecutionSpec

ROLES = {"labeller": "simulated/typical"}


@dataclass(frozen=True, slots=True)
class Thing:
    id: str
    place: str


def of_things(things: Sequence[Thing], make: Callable[[Thing], KeptOrDropped[Thing]]) -> Pipeline[Thing, Thing]:
    """A pipeline that asks nobody."""

    async def made(thing: Thing, _: Cast) -> KeptOrDropped[Thing]:
        return make(thing)

    return Pipeline[Thing, Thing](
        name="things", stages=("make",), units=things, make=made, estimate=lambda _: {}, roles={}, prompts=(),
        release=lambda kept: Release(files={"things.txt": "".join(t.id for t in kept).encode()}, facts={}),
        made_from={"b.csv": "2", "a.csv": "1"}, licences={"a.csv": "MIT"},
    )  # fmt: skip


def carried_out(pipeline: Pipeline[Any, Any], folder: Path) -> tuple[Any, Any]:
    """The datasheet and the manifest of a build."""
    work: Coroutine[Any, Any, object] = build(
        pipeline, folder, ExecutionSpec(), seed=Seed("mores-0"), addresses=dict.fromkeys(pipeline.roles.values())
    )
    asyncio.run(work)
    return tuple(json.loads((folder / name).read_text()) for name in (DATASHEET, "manifest.json"))


def test_refusals_are_told_by_place_and_by_region_with_units_and_interval(tmp_path: Path) -> None:
    def make(thing: Thing) -> KeptOrDropped[Thing]:
        if thing.id == "j0":
            return Dropped(unit=thing.id, stage="make", reason=REFUSED, place=thing.place)
        return Kept(thing, refused=thing.id == "j1")

    things = [*(Thing(f"j{n}", "JP") for n in range(4)), Thing("k", "KR"), Thing("x", "")]
    found = carried_out(of_things(things, make), tmp_path / "out")[0]["refusals"]
    assert [(each["where"], each["units"], each["refused"], each["share"]) for each in found["by_place"]] == [
        ("JP", 4, 2, 0.5), ("KR", 1, 0, 0.0), ("no place", 1, 0, 0.0),
    ]  # fmt: skip
    assert {each["where"]: (each["units"], each["refused"]) for each in found["by_region"]} == {
        "East Asia": (5, 2), "no region": (1, 0),
    }  # fmt: skip
    assert found["by_place"][0]["low"] < 0.5 < found["by_place"][0]["high"]


def test_the_manifest_has_the_hash_of_each_file_and_the_licence_of_each_source(tmp_path: Path) -> None:
    out = tmp_path / "out"
    sheet, manifest = carried_out(of_things([Thing("a", "JP")], Kept), out)
    assert set(manifest["files"]) == {"things.txt", DROPPED, PICTURE, DATASHEET}
    for name, told in manifest["files"].items():
        assert sha256((out / name).read_bytes()).hexdigest() == told
    assert manifest["licences"] == sheet["licences"] == {"a.csv": "MIT", "b.csv": "not known"}


def test_the_manifest_says_what_each_role_was_asked_and_by_which_prompts(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("id,place,statement,source\na,Japan,Shoes come off.,A page\n", encoding="utf-8")
    carried_out(norms_pipeline(NormsOptions(sources=(str(mine), "pack"))), tmp_path / "norms")
    topics = topics_pipeline(source=tmp_path / "norms" / "norms.jsonl", roles=ROLES, limit=5)
    sheet, manifest = carried_out(topics, tmp_path / "out")
    assert manifest["asked"]["labeller"]["calls"] == 15  # three draws of five
    assert list(sheet["prompts"]) == ["topics.topic.v1"]
    assert "mine.csv: not known" in sheet["licences"]["norms.jsonl"]
    assert "CC-BY-4.0" in sheet["licences"]["norms.jsonl"]
    assert {each["where"] for each in sheet["refusals"]["by_place"]} == {unit.place for unit in topics.units}


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_no_cell_for_people_is_a_formula(sign: str) -> None:
    written = sheet_for_people(("id", "text"), [("a", f"{sign}1+1")]).decode("utf-8-sig")
    assert next(csv.DictReader(written.splitlines()))["text"] == f"'{sign}1+1"


def test_a_spreadsheet_knows_the_letters_of_a_sheet_for_people() -> None:
    written = sheet_for_people(("id", "text"), [("a", "ما هو الطعام؟")])
    assert written.startswith(b"\xef\xbb\xbf"), "the mark without which it takes them for Windows-1252"


def test_another_licence_is_no_other_build(tmp_path: Path) -> None:
    pipeline = of_things([Thing("a", "JP")], Kept)
    carried_out(pipeline, tmp_path / "out")
    sheet, _ = carried_out(replace(pipeline, licences={}), tmp_path / "out")
    assert set(sheet["licences"].values()) == {"not known"}


def test_an_error_of_ours_drops_its_unit_and_the_others_go_on(tmp_path: Path) -> None:
    def make(thing: Thing) -> KeptOrDropped[Thing]:
        if thing.id == "b":
            raise KeyError("no such thing")
        return Kept(thing)

    out = tmp_path / "out"
    carried_out(of_things([Thing("a", "JP"), Thing("b", "JP"), Thing("c", "JP")], make), out)
    assert (out / "things.txt").read_text() == "ac"
    assert json.loads((out / DROPPED).read_text())["detail"] == "KeyError: 'no such thing'"
