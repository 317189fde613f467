"""A release of scenarios: the same bytes however it came about, run as its benchmark, with sheet and datasheet."""

import asyncio
import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import mores
from mores.benchmarks.socialcc.scenarios import read_scenarios
from mores.core.seeds import Seed
from mores.pipelines.dialogues.pipeline import TABLE, dialogues_pipeline
from mores.pipelines.pipeline import DATASHEET, DROPPED, BuildResult, build
from mores.pipelines.review_sheets import KEY, SHEET, review_checklist
from mores.runs.spec import ExecutionSpec
from tests.endpoint import Endpoint
from tests.pipelines.scenarios import EVENTS, GOALS, NOBODY, PAIR, ROLES, SCENE, SOUND, folder, norm, options
from tests.runs.conduct import begin, kill_after, until, whole
from tests.runs.conduct import mores as typed


def released(tmp_path: Path, conditions: ExecutionSpec | None = None, name: str = "out", **roles: str) -> BuildResult:
    pipeline = dialogues_pipeline(replace(options(tmp_path / "norms"), roles={**ROLES, **roles}))
    addresses = dict.fromkeys(pipeline.roles.values())
    return asyncio.run(
        build(pipeline, tmp_path / name, conditions or ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses)
    )


def sheet(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / DATASHEET).read_text())
    return found


def test_refusals_stand_in_the_datasheet_by_place_and_region(tmp_path: Path) -> None:
    released(tmp_path, writer="simulated/typical:NG.refusal=1")
    found = sheet(tmp_path / "out")["refusals"]
    assert {each["where"]: (each["refused"], each["units"]) for each in found["by_place"]} == {
        "NG": (1, 1),
        "PE": (0, 1),
    }
    assert sorted(each["refused"] for each in found["by_region"]) == [0, 1]


def test_a_release_runs_as_its_benchmark_with_simulated_models(tmp_path: Path) -> None:
    assert released(tmp_path).finished
    mores.run("socialcc/dialogue", data=tmp_path / "out" / "data", judge="simulated/judge", out=tmp_path / "run")
    assert whole(tmp_path / "run", "behaviour")["asked"] == 2
    scenarios = list(read_scenarios(tmp_path / "out" / "data"))
    assert {each.value_place for each in scenarios} == {"NG", "PE"}
    assert {each.custom_place for each in scenarios} == {"JP"}
    assert scenarios[0].attributes == {"age": "25 to 29", "gender": "male", "occupation": "study"}
    assert {each.cells["WVSN"] for each in scenarios} == {"1", "2"}


def test_the_datasheet_counts_places_attributes_and_words_and_calls_nothing_checked(tmp_path: Path) -> None:
    released(tmp_path)
    found = sheet(tmp_path / "out")
    assert (found["scenarios"], found["simulated"], found["checked_by_people"]) == (2, True, False)
    assert found["by_places"] == {"JP NG": 1, "JP PE": 1}
    assert found["by_custom_place"] == {"JP": 2}
    assert found["by_attribute"] == {"age": {"25 to 29": 2}, "gender": {"male": 2}, "occupation": {"study": 2}}
    assert set(found["words"]) == {"scenario", "event", "goal"}
    assert (found["held_at_once"], found["repaired"]) == (2, {})


def test_the_sheet_asks_people_what_the_checker_was_asked_and_tells_no_answer(tmp_path: Path) -> None:
    released(tmp_path)
    rows = list(csv.DictReader((tmp_path / "out" / SHEET).read_text(encoding="utf-8-sig").splitlines()))
    key = {each["id"]: each for each in json.loads((tmp_path / "out" / KEY).read_text())}
    assert [row["id"] for row in rows] == sorted(key)
    assert Counter(each["aspect"] for each in key.values()) == dict.fromkeys(
        ["conflict, custom", "gives away, custom", "reachable, custom", "conflict, value", "gives away, value",
         "reachable, value", "real", "demeaning"], 2
    )  # fmt: skip
    assert all(row["annotator"] == row["label"] == "" and row["question"].endswith("?") for row in rows)


def test_peoples_labels_say_of_which_scenarios_a_goal_causes_no_conflict(tmp_path: Path) -> None:
    released(tmp_path)
    key = json.loads((tmp_path / "out" / KEY).read_text())
    labels = tmp_path / "labels.csv"
    bad = key[0]["scenario"]
    said = {each["id"]: "no" if (each["aspect"], each["scenario"]) == ("conflict, value", bad) else each["expected"]
            for each in key}  # fmt: skip
    rows = [f"{name},{person},{label}" for name, label in said.items() for person in ("ana", "bo")]
    labels.write_text("id,annotator,label\n" + "\n".join(rows) + "\n", "utf-8")
    found = {each.aspect: each for each in review_checklist(tmp_path / "out", [labels]).aspects}
    assert (found["conflict, value"].sound.value, found["conflict, value"].failed) == (0.5, (bad,))
    assert found["conflict, custom"].sound.value == found["gives away, value"].sound.value == 1.0


def files(folder: Path) -> dict[str, bytes]:
    """What a release consists of."""
    return {name: (folder / name).read_bytes() for name in (TABLE, SHEET, KEY, DROPPED, DATASHEET)}


def test_a_build_cut_anywhere_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    released(tmp_path)
    for calls in (1, 3, 7):
        name = f"cut-{calls}"
        with pytest.raises(Exception, match="calls"):
            released(tmp_path, ExecutionSpec(max_calls=calls), name)
        released(tmp_path, name=name)
        assert files(tmp_path / name) == files(tmp_path / "out")


def test_the_same_norms_in_another_order_make_the_same_release(tmp_path: Path) -> None:
    norms = (PAIR.custom, norm("d", "JP", "dates"))
    for name, order in (("one", norms), ("other", norms[::-1])):
        (tmp_path / name).mkdir()
        folder(tmp_path / name / "norms", *order)
        released(tmp_path / name)
    assert files(tmp_path / "one" / "out") == files(tmp_path / "other" / "out")


SERVED = {
    "Invent an everyday situation": SCENE, "Name the two points": EVENTS, "Write what each of the two wants": GOALS,
    "cause a conflict with it": SOUND, "does it name or clearly mean": NOBODY,
}  # fmt: skip


def test_kill_9_and_the_same_command_again_give_the_same_bytes_and_pay_for_nothing_twice(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    homes = ("JP", "PL", "EG", "CL")
    norms = folder(tmp_path / "norms", *(norm(f"{home}{n}", home) for home in homes for n in range(3)))
    endpoint.answers({words: json.dumps(said) for words, said in SERVED.items()})

    def words(out: str) -> list[object]:
        return ["build", "dialogues", norms, norms / "values.csv", "--out", tmp_path / out, "--role", "writer=vllm/one",
                "--role", "checker=vllm/other", "--base-url", endpoint.url, "--concurrency", 4]  # fmt: skip

    assert typed(*words("calm"), cwd=tmp_path).returncode == 0
    calls = endpoint.counts().answered
    endpoint.reset()
    endpoint.set(latency_ms=8)
    for answers in (5, 40, 80):
        kill_after(begin(*words("killed"), cwd=tmp_path), endpoint, answers)
    until(lambda: endpoint.counts().in_flight == 0)
    assert typed(*words("killed"), cwd=tmp_path).returncode == 0
    assert files(tmp_path / "killed") == files(tmp_path / "calm")
    assert endpoint.counts().answered <= calls + 3 * (4 + 4)  # in flight at each kill, and the probes of two models
    assert json.loads((tmp_path / "calm" / DATASHEET).read_text())["scenarios"] == 1


def test_a_situation_that_another_scenario_or_a_public_benchmark_has_is_dropped(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    norms, public = folder(tmp_path / "norms", norm("a", "JP"), norm("b", "JP")), tmp_path / "public.csv"
    public.write_text(f"Data_ID,Scenario\n1,{SCENE['scene'].upper()!r}\n".replace("'", '"'), "utf-8")
    endpoint.answers({words: json.dumps(said) for words, said in SERVED.items()})
    for out, against, left, whys in (
        ("own", [], 1, ["the situation of another scenario"] * 3),
        ("public", ["--against", public], 0, ["in a public benchmark"] * 4),
    ):
        done = typed("build", "dialogues", norms, norms / "values.csv", "--out", tmp_path / out, "--role",
                     "writer=vllm/one", "--role", "checker=vllm/other", "--base-url", endpoint.url, "--json", *against,
                     cwd=tmp_path)  # fmt: skip
        assert json.loads(done.stdout)["scenarios"] == left, done.stderr
        lost = [json.loads(line) for line in (tmp_path / out / DROPPED).read_text().splitlines()]
        assert [each["reason"] for each in lost] == whys
