"""Runs whose calls go into files of batches: the same bytes as live ones, whatever becomes of the answers."""

import json
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mores.api import notebook as api
from mores.core.errors import RunPending
from mores.core.files import write_own
from mores.runs import batch_files
from tests.endpoint import Endpoint
from tests.runs.batches import JUDGED, KNOW, Row, answers, asked, expired, requests, waves, write
from tests.runs.conduct import Typed, estimates, everything, manifest, mores

PLANTED = {"Satisfy": -0.5, "Neutral": -2.0, "Violate": -4.0}
"""Log-probabilities of a verifier's labels."""
SAME = ("transcripts.jsonl", "verdicts.jsonl", "votes.jsonl", "estimates.json")


def finish(typed: Typed, endpoint: Endpoint, run: Path, park: Path) -> int:
    """Answer wave after wave until the run is finished; how many there were."""
    for wave in range(1, 60):
        files = waves(park, wave)
        if not files:
            return wave - 1
        done = typed("collect", run, write(park.with_name(f"answers-{wave}.jsonl"), reversed(answers(endpoint, files))))
        assert done.returncode == 0, done.stderr
    raise AssertionError("it never finished")


def found(run: Path) -> dict[str, bytes]:
    """The files of a run, in all its folders, that must not depend on how it was carried out."""
    return {str(path.relative_to(run)): data for path, data in everything(run) if path.name in SAME}


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("vllm/test", ()),
        ("openai/test", ("--batch-format", "openai")),
        ("google/test", ("--batch-format", "gemini")),
    ],
)
def test_a_batch_over_two_waves_leaves_the_same_bytes_as_a_live_run(
    tmp_path: Path, typed: Typed, endpoint: Endpoint, model: str, more: tuple[str, ...]
) -> None:
    assert typed(*asked(endpoint, "--out", "live", of=JUDGED, model=model)).returncode == 0
    assert typed(*asked(endpoint, "--out", "run", "--batch", "park", *more, of=JUDGED, model=model)).returncode == 0
    assert finish(typed, endpoint, tmp_path / "run", tmp_path / "park") == 2
    assert found(tmp_path / "run") == found(tmp_path / "live")
    assert len(found(tmp_path / "run")) == 7


def test_a_batch_of_anthropic_leaves_the_same_bytes_as_a_live_run(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    model, more = "anthropic/test", ("--batch", "park", "--batch-format", "anthropic")
    assert typed(*asked(endpoint, "--out", "live", model=model)).returncode == 0
    assert typed(*asked(endpoint, "--out", "run", *more, model=model)).returncode == 0
    assert [path.suffix for path in waves(tmp_path / "park", 1)] == [".json"]
    assert finish(typed, endpoint, tmp_path / "run", tmp_path / "park") == 1
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_a_study_of_several_models_parks_a_file_for_each_and_leaves_the_same_bytes(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    study = asked(endpoint, "--model", "vllm/other", of=JUDGED)
    assert typed(*study, "--out", "live").returncode == 0
    assert typed(*study, "--out", "run", "--batch", "park").returncode == 0
    assert [path.name for path in waves(tmp_path / "park", 1)] == [
        "wave-1-vllm-other-1.jsonl", "wave-1-vllm-test-1.jsonl",
    ]  # fmt: skip
    assert finish(typed, endpoint, tmp_path / "run", tmp_path / "park") == 2
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_models_whose_names_differ_in_signs_alone_have_files_of_their_own(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    typed(*asked(endpoint, "--model", "vllm/a_b", "--out", "run", "--batch", "park", model="vllm/a-b"))
    assert [len(list(requests(file))) for file in waves(tmp_path / "park", 1)] == [48, 48]


@pytest.mark.parametrize("scoring", ["prompt", "continue"])
def test_log_probabilities_of_labels_come_by_batch_as_they_come_live(
    tmp_path: Path, typed: Typed, endpoint: Endpoint, scoring: str
) -> None:
    endpoint.set(scoring=scoring, labels=PLANTED)
    words = asked(endpoint, "--set", "verdicts=logprobs", of=("ladder/apply",))
    assert typed(*words, "--out", "live").returncode == 0
    assert typed(*words, "--out", "run", "--batch", "park").returncode == 0
    assert finish(typed, endpoint, tmp_path / "run", tmp_path / "park") == 2
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_a_reply_of_several_calls_is_whole_only_once_all_are_answered(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    endpoint.set(scoring="prompt", labels=PLANTED)
    words = asked(endpoint, "--set", "verdicts=logprobs", of=("ladder/apply",))
    typed(*words, "--out", "live")
    typed(*words, "--out", "run", "--batch", "park")
    typed("collect", "run", write(tmp_path / "a.jsonl", answers(endpoint, waves(tmp_path / "park", 1))))
    rows = answers(endpoint, waves(tmp_path / "park", 2))
    for number, row in enumerate(rows):
        done = typed("collect", "run", write(tmp_path / f"{number}.jsonl", [row]))
        assert "1 answers: 1 taken." in done.stderr
    assert not waves(tmp_path / "park", 3)
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_a_talk_goes_on_turn_by_turn_and_ends_as_a_live_one(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    talk = asked(endpoint, "--role", "antagonist=vllm/test", "--limit", 1, of=("ladder/converse",))
    assert typed(*talk, "--out", "live").returncode == 0
    begun = typed(*talk, "--out", "run", "--batch", "park")
    assert "one for each turn of a dialogue" in begun.stderr
    assert finish(typed, endpoint, tmp_path / "run", tmp_path / "park") > 4
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_what_is_parked_has_the_same_bytes_at_any_concurrency(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    for number in (1, 64):
        typed(*asked(endpoint, "--out", f"run{number}", "--batch", f"park{number}", "--concurrency", number))
    one, many = (everything(tmp_path / f"park{number}") for number in (1, 64))
    assert [data for _, data in one] == [data for _, data in many]


def test_two_runs_have_no_folder_for_waves_in_common(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    typed(*asked(endpoint, "--out", "run", "--batch", "park"))
    before = list(everything(tmp_path / "park"))
    done = typed(*asked(endpoint, "--out", "other", "--batch", "park", "--seed", 5))
    assert (done.returncode, "expected a new folder" in done.stderr) == (2, True)
    assert list(everything(tmp_path / "park")) == before


def test_bodies_are_what_the_endpoint_was_found_to_take(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    endpoint.set(reject=["max_tokens"])
    typed(*asked(endpoint, "--out", "run", "--batch", "park"))
    (file,) = waves(tmp_path / "park", 1)
    assert all("max_completion_tokens" in row["body"] and "max_tokens" not in row["body"] for row in requests(file))
    assert endpoint.counts().answered == 1


def test_a_model_of_vllm_that_nobody_serves_is_parked_without_a_probe(tmp_path: Path, typed: Typed) -> None:
    done = typed("run", *KNOW, "--model", "vllm/test", "--base-url", "http://127.0.0.1:9/v1", "--limit", 2,
                 "--out", "run", "--batch", "park")  # fmt: skip
    assert done.returncode == 0
    assert len(waves(tmp_path / "park", 1)) == 1
    assert "it was not asked what it takes" in str(manifest(tmp_path / "run")["models"]["vllm/test"]["altered"])


def begun(typed: Typed, endpoint: Endpoint, folder: Path) -> list[Row]:
    """The rows of results for the first wave of a run that is parked."""
    assert typed(*asked(endpoint, "--out", "live")).returncode == 0
    done = typed(*asked(endpoint, "--out", "run", "--batch", "park"))
    assert done.returncode == 0, done.stderr
    return answers(endpoint, waves(folder / "park", 1))


def test_errors_and_expiries_are_counted_and_asked_again_in_the_next_wave(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    rows = begun(typed, endpoint, tmp_path)
    busy = {**rows[1], "response": {"status_code": 503, "body": {"error": {"message": "busy"}}}}
    first, errors = write(tmp_path / "a.jsonl", rows[2:]), write(tmp_path / "b.jsonl", [expired(rows[0]), busy])
    done = typed("collect", "run", errors, first)
    assert f"{len(rows)} answers: {len(rows) - 2} taken, 2 failed (batch_expired 1, http 503 1)." in done.stderr
    (again,) = waves(tmp_path / "park", 2)
    assert {row["custom_id"] for row in requests(again)} == {rows[0]["custom_id"], rows[1]["custom_id"]}
    assert manifest(tmp_path / "run")["failed_attempts"] == {"batch_expired": 1, "http 503": 1}
    assert typed("collect", "run", write(tmp_path / "c.jsonl", answers(endpoint, [again])), errors).returncode == 0
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_what_has_no_answer_yet_is_waited_for_and_asked_again_only_if_it_is_asked_for(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    rows = begun(typed, endpoint, tmp_path)
    done = typed("collect", "run", write(tmp_path / "a.jsonl", rows[3:]), "--json")
    (file,) = json.loads(done.stdout)["files"]
    assert (file["file"], file["waiting"]) == (str(tmp_path / "park" / "wave-1-vllm-test-1.jsonl"), 3)
    assert not waves(tmp_path / "park", 2)
    typed("collect", "run", "--again")
    (again,) = waves(tmp_path / "park", 2)
    assert {row["custom_id"] for row in requests(again)} == {row["custom_id"] for row in rows[:3]}


def test_a_request_that_cannot_be_served_is_ungraded_with_its_cause(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    rows = begun(typed, endpoint, tmp_path)
    no = {**rows[0], "response": {"status_code": 400, "body": {"error": {"message": "flagged"}}}}
    assert typed("collect", "run", write(tmp_path / "a.jsonl", [no, *rows[1:]])).returncode == 0
    assert manifest(tmp_path / "run")["ungraded"].keys() == {"http 400"}


def test_a_setting_that_a_batch_refuses_is_left_out_of_the_next_wave(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    rows = begun(typed, endpoint, tmp_path)
    says = "Unsupported parameter: 'temperature' is not supported with this model."
    refused = [{**row, "response": {"status_code": 400, "body": {"error": {"message": says}}}} for row in rows]
    first = write(tmp_path / "a.jsonl", refused)
    typed("collect", "run", first)
    (again,) = waves(tmp_path / "park", 2)
    assert not any("temperature" in row["body"] for row in requests(again))
    assert typed("collect", "run", write(tmp_path / "b.jsonl", answers(endpoint, [again])), first).returncode == 0
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_unknown_names_duplicates_and_cut_lines_are_counted_and_change_nothing(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    rows = begun(typed, endpoint, tmp_path)
    other = {**rows[0], "custom_id": "0" * 32}
    strange = {**rows[0], "custom_id": "no key of ours"}
    file = write(tmp_path / "a.jsonl", [*rows, rows[0], other, strange])
    file.write_text(file.read_text() + json.dumps(rows[1])[:40])
    done = typed("collect", "run", file)
    assert done.returncode == 0
    assert "2 of other requests than those that are waited for, 1 given twice." in done.stderr
    assert f"a.jsonl:{len(rows) + 4}: not JSON" in done.stderr
    assert "The file is cut short there." in done.stderr
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_the_same_file_taken_twice_changes_nothing(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    typed(*asked(endpoint, "--out", "run", "--batch", "park", of=JUDGED))
    file = write(tmp_path / "a.jsonl", answers(endpoint, waves(tmp_path / "park", 1)))
    typed("collect", "run", file)
    before = {path: data for path, data in everything(tmp_path) if path.suffix in {".jsonl", ".json"}}
    done = typed("collect", "run", file)
    assert f"{len(file.read_text().splitlines())} taken before." in done.stderr
    after = {path: data for path, data in everything(tmp_path) if path.suffix in {".jsonl", ".json"}}
    assert {path for path in after if after[path] != before.get(path)} <= {
        path for path in after if path.name == "manifest.json"
    }
    assert not waves(tmp_path / "park", 3)


def killed_at(count: int) -> Callable[[], None]:
    """Kill the process as it writes the so-manieth file of a wave or of what it waits for."""

    return partial(_kill_at, count)


def _kill_at(count: int) -> None:
    left = [count]

    def instead(path: Path, data: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        write_own(path, data)

    batch_files.write_own = instead  # type: ignore[attr-defined]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_killed_while_it_lays_out_a_wave_a_run_loses_nothing(
    tmp_path: Path, typed: Typed, endpoint: Endpoint, count: int
) -> None:
    typed(*asked(endpoint, "--out", "live", of=JUDGED))
    words = asked(endpoint, "--out", "run", "--batch", "park", of=JUDGED)
    assert mores(*words, cwd=tmp_path, before=killed_at(count)).returncode == -signal.SIGKILL
    assert typed("resume", "run").returncode == 0
    file = write(tmp_path / "a.jsonl", answers(endpoint, waves(tmp_path / "park", 1)))
    assert mores("collect", "run", file, cwd=tmp_path, before=killed_at(count)).returncode == -signal.SIGKILL
    assert typed("collect", "run", file).returncode == 0
    assert finish(typed, endpoint, tmp_path / "run", tmp_path / "park") == 2
    assert found(tmp_path / "run") == found(tmp_path / "live")


def test_a_run_that_waits_says_so_and_makes_no_call_unless_it_is_told_to(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    words = asked(endpoint, "--out", "runs/run", "--batch", "park", of=JUDGED)
    typed(*asked(endpoint, "--out", "live", of=JUDGED))
    typed(*words)
    endpoint.reset()
    assert "waiting" in typed("list", "runs").stdout
    for again in (typed("resume", "runs/run"), typed(*words)):
        assert again.returncode == 1
        assert "Waiting for 52 answers" in again.stderr
        assert "mores collect runs/run" in again.stderr
    assert "Waiting for 52 answers" in typed("report", "runs/run").stderr
    assert endpoint.counts().requests == 0
    assert typed("resume", "runs/run", "--live").returncode == 0
    assert found(tmp_path / "runs/run") == found(tmp_path / "live")
    assert "waiting" not in typed("list", "runs").stdout
    assert "nothing of it waits for a batch" in typed("collect", "runs/run", "x.jsonl").stderr


def test_a_budget_is_of_all_waves_and_leaves_out_what_does_not_fit(
    tmp_path: Path, typed: Typed, endpoint: Endpoint
) -> None:
    done = typed(*asked(endpoint, "--out", "run", "--batch", "park", "--max-calls", 6))  # the probe is one of them
    assert "no room for 43 more requests" in done.stderr
    (file,) = waves(tmp_path / "park", 1)
    rows = answers(endpoint, [file])
    assert len(rows) == 5
    typed("collect", "run", write(tmp_path / "a.jsonl", rows))
    last = waves(tmp_path / "park", 2)  # the probe was of the first sitting
    done = typed("collect", "run", write(tmp_path / "b.jsonl", answers(endpoint, last)))
    assert (done.returncode, "no room for any of 42 requests" in done.stderr) == (1, True)
    typed("collect", "run", "--max-calls", 100)
    assert sum(1 for _ in requests(*waves(tmp_path / "park", 3))) == 42


def test_tokens_of_all_waves_are_counted_as_a_batch_s(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    typed(*asked(endpoint, "--out", "run", "--batch", "park", of=("ladder/explain",)))
    finish(typed, endpoint, tmp_path / "run", tmp_path / "park")
    told = manifest(tmp_path / "run")["models"]["vllm/test"]["sitting"]
    assert told["input_tokens"] == told["batch_input_tokens"] > 0
    assert told["output_tokens"] == told["batch_output_tokens"] > 0
    assert estimates(tmp_path / "run")


def test_python_is_told_of_what_waits_and_takes_answers(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunPending, match="Waiting for 4 answers"):
        api.run(
            "ladder/explain", model="vllm/test", judge="vllm/test", base_url=endpoint.url, limit=4, out="run",
            batch="park",
        )  # fmt: skip
    first = write(tmp_path / "a.jsonl", answers(endpoint, waves(tmp_path / "park", 1)))
    with pytest.raises(RunPending, match="round 2"):
        api.collect("run", first)
    assert not api.collect("run", [write(tmp_path / "b.jsonl", answers(endpoint, waves(tmp_path / "park", 2)))]).partial


def test_a_jury_and_its_runs_are_asked_in_one_wave(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    typed(*asked(endpoint, "--judge", "vllm/other", "--judge-samples", 3, "--judge-temperature", 1, "--out", "run",
                 "--batch", "park", of=("ladder/explain",)))  # fmt: skip
    typed("collect", "run", write(tmp_path / "a.jsonl", answers(endpoint, waves(tmp_path / "park", 1))))
    assert [len(list(requests(file))) for file in waves(tmp_path / "park", 2)] == [12, 12]


def test_a_run_is_judged_again_by_a_batch(tmp_path: Path, typed: Typed, endpoint: Endpoint) -> None:
    typed(*asked(endpoint, "--out", "run", of=("ladder/explain",)))
    again = ("judge", "run", "--judge", "vllm/other", "--base-url", endpoint.url)
    assert typed(*again, "--out", "live").returncode == 0
    assert typed(*again, "--out", "parked", "--batch", "park").returncode == 0
    assert finish(typed, endpoint, tmp_path / "parked", tmp_path / "park") == 1
    assert found(tmp_path / "parked") == found(tmp_path / "live")
