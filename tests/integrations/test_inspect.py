"""Benchmarks as tasks of Inspect: figures of a run, models by role, judging again, and what is refused."""

import ast
import asyncio
import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mores.benchmarks import catalogue
from mores.core.card import THINKING_ROOM
from mores.core.transcript import RequestEvent
from mores.hosted import transcript_of
from mores.hosted.log_check import check_log
from mores.models.logs.inspect_log import Room, unpack
from mores.models.recorded_files import read_recording
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.conftest import ROOT
from tests.hosted.scripted import installed
from tests.runs.conduct import estimates, hold, surroundings

pytestmark = pytest.mark.skipif(find_spec("inspect_ai") is None, reason="Inspect is not installed: mores[inspect]")
SHAPES = ("culturalbench/hard", "cure/casa_thick", "ladder/converse", "ladder/live")
SAMPLES = {"culturalbench/hard": 2, "cure/casa_thick": 2}
REGISTRY = ROOT / "src" / "mores" / "integrations" / "inspect" / "_registry.py"


class Case(NamedTuple):
    """What came of an evaluation: the header and samples of each log, and who was asked with what limit."""

    heads: list[Any]
    samples: list[list[Any]]
    asked: list[tuple[str, int | None]]

    @property
    def error(self) -> str:
        """What the one log says went wrong; empty where nothing did."""
        (head,) = self.heads
        return "" if head["status"] == "success" else str(head["error"]["message"])


def read(path: str) -> tuple[Any, list[Any]]:
    data = Path(path).read_bytes()
    with zipfile.ZipFile(path) as log:
        entries = sorted(log.infolist(), key=lambda entry: entry.filename)
    files = {entry.filename: unpack(data, entry, Room.of_file(data, path), path) for entry in entries}
    samples = [json.loads(text) for name, text in files.items() if name.startswith("samples/")]
    return json.loads(files["header.json"]), samples


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `tests.integrations.inspected` found in a process of its own."""
    folder = tmp_path_factory.mktemp("inspect")
    command = [sys.executable, "-m", "tests.integrations.inspected", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=surroundings(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads((folder / "cases.json").read_bytes())
    return found


@pytest.fixture(scope="module")
def cases(told: dict[str, Any]) -> dict[str, Case]:
    """All evaluations."""
    logs = {name: [read(path) for path in each["logs"]] for name, each in told.items() if name != "options"}
    return {
        name: Case([head for head, _ in own], [samples for _, samples in own], told[name]["asked"])
        for name, own in logs.items()
    }


def figures(head: Any) -> dict[str, float]:
    assert head["status"] == "success", head["error"]
    return {name: each["value"] for name, each in head["results"]["scores"][0]["metrics"].items()}


def figures_of_run(name: str, folder: Path) -> Mapping[str, float]:
    """Figures of a run with the same replies, by the names that they have in Inspect."""
    card = catalogue.card(name)
    roles = {role: f"scripted/{role}" for role in card.protocol.roles if role != "subject"}
    data, samples = str(TINY / name.partition("/")[0]), SAMPLES.get(name)
    spec = Spec(benchmarks=(name,), models=("scripted/subject",), roles=roles, samples=samples, data=data)
    with installed():
        assert hold(folder, spec, attempts=1)
    found: dict[str, float] = {}
    for each in estimates(folder):
        group, headline = each["group"], each["metric"] == card.headline
        if each["value"] is not None and (headline or not group):
            found[", ".join(f"{kind}={member}" for kind, member in group.items()) or each["metric"]] = each["value"]
        if headline and not group:
            more = {name: each[name] for name in ("worst", "best", "asked", "graded")}
            found |= {**more, "lower": each["low"], "upper": each["high"]}
    return {name: value for name, value in found.items() if value is not None}


@pytest.mark.parametrize("name", SHAPES)
def test_equal_replies_give_equal_figures_in_inspect_and_in_a_run(
    name: str, cases: dict[str, Case], tmp_path: Path
) -> None:
    head = cases["shapes"].heads[SHAPES.index(name)]
    assert figures(head) == figures_of_run(name, tmp_path / "run")


def test_every_benchmark_is_a_task_that_readers_of_the_file_find() -> None:
    tree = ast.parse(REGISTRY.read_text(encoding="utf-8"))
    written = {
        each.name: (each.body[-1].value.args[0], ast.get_docstring(each))  # type: ignore[attr-defined]
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and any(getattr(d, "id", "") == "task" for d in each.decorator_list)
    }
    whole, _ = written.pop("benchmark")
    assert whole.id == "name"
    assert {name: (asked.value, says) for name, (asked, says) in written.items()} == {
        name.replace("/", "_"): (name, f"{catalogue.card(name).title}.")
        for name in catalogue.names()
        if catalogue.folder_of(name) is None  # another test may have met folders
    }
    (point,) = entry_points(group="inspect_ai", name="mores")
    assert point.value == "mores.integrations.inspect._registry"


def test_the_log_says_what_was_asked_and_its_headline(cases: dict[str, Case]) -> None:
    for name, head in zip(SHAPES, cases["shapes"].heads, strict=True):
        card, about = catalogue.card(name), head["eval"]["metadata"]
        assert head["results"]["headline"]["metric"] == head["eval"]["headline_metric"]["metric"] == card.headline
        assert (about["benchmark"], about["version"], about["licence"]) == (name, card.version, card.licence)
        assert json.loads(head["plan"]["steps"][0]["params"]["benchmark"])["name"] == name
        assert ("samples" in {each["setting"] for each in about["departures"]}) == (name in SAMPLES)


def test_readers_find_the_scene_of_a_talk_its_turns_and_why_it_was_graded_so(cases: dict[str, Case]) -> None:
    for sample in cases["shapes"].samples[SHAPES.index("ladder/converse")]:
        roles = [message["role"] for message in sample["messages"]]
        assert sample["messages"][1]["content"] == sample["input"]
        assert roles[:3] == ["system", "system", "user"]
        assert sample["metadata"]["place"] in {"JP", "DE"}
        found = sample["scores"]["mores"]
        points = float(found["value"]["accuracy"])
        assert found.get("reason") == ("grader_failed" if math.isnan(points) else None)
        assert found["explanation"]


def test_nobody_judges_in_place_of_a_judge_that_was_left_out(cases: dict[str, Case]) -> None:
    assert "Model role 'judge' is required" in cases["without a judge"].error
    assert cases["without a judge"].asked == []


def test_a_task_in_which_nobody_answers_is_an_error_and_has_no_figure(cases: dict[str, Case]) -> None:
    assert "ZeroDivisionError" in cases["broken"].error
    assert len(cases["broken"].asked) == 1
    assert "ladder/know: nothing was graded (inspect: OverflowError)" in cases["away"].error
    assert all(each["scores"]["mores"]["reason"] == "grader_failed" for each in cases["away"].samples[0])


def test_who_thinks_gets_room_for_it_once_it_was_seen_to(cases: dict[str, Case]) -> None:
    limits = [limit or 0 for _, limit in cases["thinking"].asked]
    own = min(limits)
    assert set(limits) == {own, own + THINKING_ROOM}
    assert limits.count(own) == 1
    assert not cases["thinking"].error


@pytest.mark.parametrize("name", ["cure/casa_thick", "ladder/live"])
def test_a_log_is_judged_again_and_not_played(name: str, cases: dict[str, Case]) -> None:
    before = cases["shapes"].heads[SHAPES.index(name)]
    same, other = cases[f"{name} by judge"], cases[f"{name} by judge-contrary"]
    assert figures(same.heads[0]) == figures(before)
    assert figures(other.heads[0]) != figures(before)
    assert {who for who, _ in other.asked} == {"judge-contrary"}
    for once, again in zip(*(sorted(each[0], key=str) for each in (same.samples, other.samples)), strict=True):
        transcripts = [transcript_of(each["store"]["mores:transcript"]) for each in (once, again)]
        assert transcripts[0] == transcripts[1]
        assert any(isinstance(event, RequestEvent) for event in transcripts[0].events) or name == "ladder/live"


def test_a_limit_of_inspects_own_that_cuts_units_shows_in_the_figures(cases: dict[str, Case]) -> None:
    found = figures(cases["cut"].heads[0])
    assert (found["items"], found["items_planned"]) == (5, 12)
    assert "items" not in figures(cases["shapes"].heads[0])


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_a_log_of_ours_and_mores_agree_on_its_replies(number: int, told: dict[str, Any]) -> None:
    found = asyncio.run(check_log(Path(told["shapes"]["logs"][number])))
    assert found.agrees
    assert found.benchmark == SHAPES[number]
    assert found.figures > 10
    assert found.judged == (number > 0)
    assert (found.scored > 0) != found.judged


@pytest.mark.parametrize(("case", "failed"), [("shapes", False), ("away", True)])
def test_a_log_of_inspects_is_read_as_recorded_replies_of_which_those_that_failed_are_none(
    case: str, failed: bool, told: dict[str, Any]
) -> None:
    log = read_recording(Path(told[case]["logs"][0])).log
    assert log is not None
    assert not any(row.left_out for row in log.rows)
    assert {(row.reply is None, bool(row.failed), row.score is None) for row in log.rows} == {(failed,) * 3}


def test_a_figure_and_a_grade_that_were_changed_in_a_log_are_found(told: dict[str, Any], tmp_path: Path) -> None:
    head, samples = read(told["shapes"]["logs"][0])
    head["results"]["scores"][0]["metrics"]["f1_micro"]["value"] += 0.25
    graded = next(each for each in samples if not math.isnan(float(each["scores"]["mores"]["value"]["accuracy"])))
    points = graded["scores"]["mores"]["value"]["accuracy"]
    graded["scores"]["mores"]["value"]["accuracy"] = 1 - points
    (tmp_path / "log.json").write_text(json.dumps({**head, "samples": samples}), encoding="utf-8")
    found = asyncio.run(check_log(tmp_path / "log.json"))
    assert [each.name for each in found.different] == ["f1_micro"]
    assert [(each.item, each.log, each.mores) for each in found.grades] == [(graded["id"], 1 - points, points)]


def test_options_of_a_task_are_those_of_a_run_and_others_are_refused(told: dict[str, Any]) -> None:
    whole, limited, refused = told["options"]
    assert (whole, limited) == (12, 4)
    assert refused.startswith("hosted: No option of what is asked is called 'limits'. Did you mean 'limit'?")
