"""Parts that processes ask who may be lost: shipped replies are not asked again, and shared limits are kept."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import pytest
from msgspec.structs import replace

from mores.core.errors import RunError
from mores.runs.client_pool import TypedNow
from mores.runs.launchers import parts_of
from mores.runs.merge import merged_study
from mores.runs.options import MergeOptions
from mores.runs.part_worker import Channel, Coordinator, Outcome, PartTask, ask_part
from mores.runs.selection import Shard
from mores.runs.shipments import PartFolders, Shipment
from mores.runs.spec import LEASED, ExecutionSpec, Spec
from tests.conftest import write_cultural
from tests.endpoint import Endpoint
from tests.runs.conduct import HASTY, hold, left, manifest


class Lost(Exception):
    """The end of a worker."""


@pytest.fixture(autouse=True)
def _node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk of this test's own for what workers write."""
    (tmp_path / "node").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "node"))


def task_of(spec: Spec, of: int, **conditions: object) -> PartTask:
    """The first of some parts."""
    typed = TypedNow(addresses=frozenset(filter(None, (spec.base_url,))))
    chosen = ExecutionSpec(**{**HASTY, "limits": LEASED, **conditions})  # type: ignore[arg-type]
    return PartTask(
        shard=Shard(1, of), spec=spec, conditions=chosen, typed=typed, session="s", begun_in=".", ship_every=0.05
    )


def channel_to(coordinator: Coordinator, before: Callable[[str], None] = lambda name: None) -> Channel:
    """A way to a coordinator in this process, from several threads."""
    lock = Lock()

    def call(name: str, *given: Any) -> Any:
        before(name)
        with lock:
            return getattr(coordinator, name)(*given)

    async def turn(*given: Any) -> float:
        seconds: float = call("turn", *given)
        return seconds

    return Channel(call, turn)


def collect(coordinator: Coordinator, folders: PartFolders) -> None:
    for number, shipment in coordinator.collect()[1]:
        folders.put(number, shipment)


def ask_all(task: PartTask, home: Path, cells: int = 1) -> list[Outcome]:
    """Ask all parts one after another, and put what they ship into their folders."""
    coordinator, outcomes = Coordinator(task.conditions), []
    with closing(PartFolders(home, task.shard.of, cells)) as folders:
        for number in range(1, task.shard.of + 1):
            own = replace(task, shard=Shard(number, task.shard.of))
            outcomes.append(ask_part(own, folders.shipped(number), channel_to(coordinator)))
            collect(coordinator, folders)
            assert folders.is_done(number) == (outcomes[-1] == Outcome())
    return outcomes


@pytest.fixture
def asked(tmp_path: Path, endpoint: Endpoint) -> Spec:
    """160 statements, of an endpoint."""
    (tmp_path / "data").mkdir()
    write_cultural(tmp_path / "data", 40)
    data = str(tmp_path / "data")
    return Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=data, base_url=endpoint.url)


def test_parts_that_were_shipped_make_what_one_run_leaves(tmp_path: Path) -> None:
    spec = Spec(benchmarks=("ladder/know", "ladder/explain"), limit=9, samples=2)
    assert hold(tmp_path / "one", spec)
    assert ask_all(task_of(spec, 3), tmp_path / "all", cells=2) == [Outcome()] * 3
    assert parts_of(tmp_path / "all") == 3
    merged_study(MergeOptions(runs=[tmp_path / "all"], out=tmp_path / "whole"))
    cells = [path.parent.relative_to(tmp_path / "one") for path in (tmp_path / "one").glob("*/estimates.json")]
    assert len(cells) == 2
    for cell in cells:
        assert left(tmp_path / "whole" / cell) == left(tmp_path / "one" / cell)
    votes = [next((tmp_path / run).glob("*/votes.jsonl")).read_bytes() for run in ("one", "whole")]
    assert votes[0] == votes[1]
    assert not list((tmp_path / "node").rglob("*.sqlite"))


def test_what_was_shipped_of_a_lost_part_is_not_asked_again(tmp_path: Path, asked: Spec, endpoint: Endpoint) -> None:
    assert hold(tmp_path / "one", asked)
    endpoint.reset()
    endpoint.set(latency_ms=20)
    task = task_of(asked, 2, concurrency=2)
    first = Coordinator(task.conditions)

    def breaks(name: str) -> None:
        if name == "ship" and len(rows_of(first)) > 20:
            raise Lost

    with pytest.raises(Lost):
        ask_part(task, (), channel_to(first, breaks))
    shutil.rmtree(tmp_path / "node" / f"mores-{os.getuid()}-s")
    shipped = len(rows_of(first))
    assert 20 < shipped < 80
    with closing(PartFolders(tmp_path / "all", 2, 1)) as folders:
        collect(first, folders)
    asked_before = endpoint.counts().requests
    assert ask_all(task, tmp_path / "all") == [Outcome()] * 2
    probes = 2
    assert endpoint.counts().requests - asked_before == 160 - shipped + probes
    merged_study(MergeOptions(runs=[tmp_path / "all"], out=tmp_path / "whole"))
    assert left(tmp_path / "whole") == left(tmp_path / "one")


def rows_of(coordinator: Coordinator) -> list[object]:
    """All rows that were shipped, and not collected yet."""
    shipments: list[tuple[int, Shipment]] = coordinator._shipments
    return [row for _, shipment in shipments for row in shipment.rows]


def test_parts_side_by_side_never_spend_more_than_the_whole_may(
    tmp_path: Path, asked: Spec, endpoint: Endpoint
) -> None:
    task = task_of(asked, 4, max_calls=100)
    coordinator, ended = Coordinator(task.conditions), dict[int, Outcome]()
    channel = channel_to(coordinator)

    def ask(number: int) -> None:
        ended[number] = ask_part(replace(task, shard=Shard(number, 4)), (), channel)

    threads = [Thread(target=ask, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert 80 < endpoint.counts().requests <= 100
    assert "The budget of the whole run is used up." in {each.why for each in ended.values()}
    with closing(PartFolders(tmp_path / "all", 4, 1)) as folders:
        collect(coordinator, folders)
    with pytest.raises(RunError, match=r"of 160 done, with \d\d replies: part \d/4 is not finished"):
        merged_study(MergeOptions(runs=[tmp_path / "all"], out=tmp_path / "whole"))
    assert manifest(tmp_path / "all" / "part-1-of-4")["conditions"]["limits"] == LEASED


def test_a_part_that_is_told_to_stop_ships_what_it_has(asked: Spec, endpoint: Endpoint) -> None:
    endpoint.set(latency_ms=20)
    task = task_of(asked, 2, concurrency=2)
    coordinator = Coordinator(task.conditions)

    def stops(name: str) -> None:
        if name == "ship":
            coordinator.stop()

    assert ask_part(task, (), channel_to(coordinator, stops)) == Outcome()
    assert 0 < len(rows_of(coordinator)) < 80


def test_a_worker_of_another_version_asks_nothing(asked: Spec, endpoint: Endpoint) -> None:
    task = replace(task_of(asked, 2), version="0")
    outcome = ask_part(task, (), channel_to(Coordinator(task.conditions)))
    assert outcome.of_caller
    assert "install the same on all" in outcome.why
    assert endpoint.counts().requests == 0


def test_what_is_wrong_with_the_input_is_said_of_the_caller(asked: Spec) -> None:
    task = task_of(replace(asked, data="/nowhere"), 2)
    assert ask_part(task, (), channel_to(Coordinator(task.conditions))).of_caller
