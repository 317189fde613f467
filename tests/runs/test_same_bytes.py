"""The same seed and the same replies leave the same bytes, however the run was carried out."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import BudgetReached
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study
from tests.endpoint import Endpoint
from tests.runs.conduct import HASTY, hold, left, manifest, transcripts, verdicts, whole

HARD = ("culturalbench/hard",)


def simulated(cultural: Path, *, samples: int | None = None, seed: int = 0) -> Spec:
    return Spec(benchmarks=HARD, models=("simulated/novice",), data=str(cultural), samples=samples, seed=seed)


def asked(cultural: Path, endpoint: Endpoint) -> Spec:
    return Spec(benchmarks=HARD, models=("vllm/test",), data=str(cultural), base_url=endpoint.url)


@pytest.mark.parametrize("samples", [None, 3])
def test_concurrency_changes_no_byte_of_a_simulated_run(tmp_path: Path, cultural: Path, samples: int | None) -> None:
    spec = simulated(cultural, samples=samples)
    for concurrency in (1, 7, 64):
        assert hold(tmp_path / str(concurrency), spec, concurrency=concurrency)
    assert left(tmp_path / "1") == left(tmp_path / "7") == left(tmp_path / "64")
    assert len(transcripts(tmp_path / "1")) == 96 * (samples or 1)


def test_concurrency_changes_no_byte_of_an_asked_run(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    endpoint.set(latency_ms=1)
    for concurrency in (1, 7, 64):
        assert hold(tmp_path / str(concurrency), asked(cultural, endpoint), concurrency=concurrency)
    assert left(tmp_path / "1") == left(tmp_path / "7") == left(tmp_path / "64")


def test_faults_that_pass_change_no_byte(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    assert hold(tmp_path / "calm", asked(cultural, endpoint))
    endpoint.set(faults={"500": 0.1, "drop": 0.1, "half": 0.05, "empty": 0.05}, fault_tries=3)
    assert hold(tmp_path / "rough", asked(cultural, endpoint), attempts=5)
    assert endpoint.counts().faults.keys() == {"500", "drop", "half", "empty"}
    assert left(tmp_path / "calm") == left(tmp_path / "rough")
    assert sum(manifest(tmp_path / "rough")["failed_attempts"].values()) > 5


@pytest.mark.parametrize("first", [1, 30, 95])
def test_a_run_that_was_cut_short_and_resumed_leaves_the_same_bytes(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, first: int
) -> None:
    spec = asked(cultural, endpoint)
    assert hold(tmp_path / "at-once", spec)
    endpoint.reset()
    with pytest.raises(BudgetReached):
        hold(tmp_path / "resumed", spec, max_calls=first)
    assert hold(tmp_path / "resumed", spec)
    assert left(tmp_path / "at-once") == left(tmp_path / "resumed")
    assert set(endpoint.answered().values()) <= {1, 2}  # two: the probe of each sitting
    assert list(endpoint.answered().values()).count(2) <= 1


def test_a_finished_run_is_not_touched_again(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    spec = asked(cultural, endpoint)
    assert hold(tmp_path / "run", spec)
    before, times = left(tmp_path / "run"), (tmp_path / "run" / "manifest.json").stat().st_mtime_ns
    endpoint.reset()
    assert hold(tmp_path / "run", spec)
    assert endpoint.counts().requests == 0
    assert left(tmp_path / "run") == before
    assert (tmp_path / "run" / "manifest.json").stat().st_mtime_ns == times


def test_what_was_written_is_written_again_from_the_journal(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    spec, run = asked(cultural, endpoint), tmp_path / "run"
    assert hold(run, spec)
    before = left(run)
    for name in before:
        (run / name).unlink()
    endpoint.reset()
    assert hold(run, spec)
    assert left(run) == before
    assert endpoint.counts().requests == 0


def test_another_seed_leaves_other_bytes(tmp_path: Path, cultural: Path) -> None:
    for seed in (0, 1):
        assert hold(tmp_path / str(seed), simulated(cultural, seed=seed))
    assert left(tmp_path / "0")["transcripts.jsonl"] != left(tmp_path / "1")["transcripts.jsonl"]


def test_each_sample_is_asked_and_counted_within_its_item(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    assert hold(tmp_path, replace(asked(cultural, endpoint), samples=3, temperature=0.7))
    assert endpoint.counts().requests == 3 * 96 + 1
    assert {(t["item"], t["sample"]) for t in transcripts(tmp_path)} == {
        (f"hard-{n}", sample) for n in range(96) for sample in range(3)
    }
    assert len(verdicts(tmp_path)) == 2 * 3 * 96
    assert whole(tmp_path, "accuracy")["asked"] == 24
    assert whole(tmp_path, "item_accuracy")["asked"] == 96


def test_nothing_of_the_clock_is_in_what_must_not_change(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    endpoint.set(latency_ms=3)
    assert hold(tmp_path, asked(cultural, endpoint))
    for data in left(tmp_path).values():
        assert b"seconds" not in data
        assert str(tmp_path).encode() not in data
        assert endpoint.url.encode() not in data
    assert HASTY.keys() <= manifest(tmp_path)["conditions"].keys()


def test_concurrency_changes_no_byte_over_the_real_data(tmp_path: Path, data: Path) -> None:
    spec = Spec(benchmarks=HARD, models=("simulated/uneven",), data=str(data), limit=60)
    for concurrency in (1, 64):
        assert hold(tmp_path / str(concurrency), spec, concurrency=concurrency)
    assert left(tmp_path / "1") == left(tmp_path / "64")
    assert whole(tmp_path / "1", "accuracy")["asked"] == 60


def test_one_slow_item_holds_up_none_for_ever(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plays that end early wait in memory for the slow one, and no more of them begin than that memory holds."""
    monkeypatch.setattr("mores.runs.executor.AHEAD", 10)
    assert hold(tmp_path / "calm", asked(cultural, endpoint))
    endpoint.set(faults={"stall": 0.1}, fault_tries=1, stall_seconds=0.3, latency_ms=1)
    assert hold(tmp_path / "slow", asked(cultural, endpoint), concurrency=3, seconds=20)
    assert endpoint.counts().faults["stall"] > 3
    assert left(tmp_path / "calm") == left(tmp_path / "slow")


def test_a_run_that_is_to_stop_does_though_plays_wait_for_the_place_of_one_that_is_given_up(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.runs.executor.AHEAD", 5)
    endpoint.set(faults={"500": 1.0}, persistent=True, only="feast 0?")
    conditions = ExecutionSpec(attempts=10_000, first_wait=0.05)
    study = Study(spec=asked(cultural, endpoint), conditions=conditions, folder=tmp_path / "run")

    async def stopped() -> bool:
        running = asyncio.create_task(run_study(study))
        answered = -1
        while endpoint.counts().answered != answered or answered < 3:
            answered = endpoint.counts().answered
            await asyncio.sleep(0.1)
        study.stop_signal.stop()
        async with asyncio.timeout(10):
            return await running

    assert asyncio.run(stopped()) is False
    assert endpoint.counts().answered == 3  # two plays, and the probe
