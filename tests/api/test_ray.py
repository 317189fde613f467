"""Parts that a Ray cluster asks make what one run leaves, through the end of a worker, of a node's disk, and Ctrl-C."""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from mores.core.errors import StorageError
from mores.models.journal_reader import count_replies
from tests.api.neighbours import python_of
from tests.conftest import write_cultural
from tests.endpoint import Endpoint, running
from tests.runs.conduct import left, manifest, mores, surroundings, until

pytestmark = pytest.mark.ray
OFTEN = "from mores.runs import on_ray; on_ray.SHIP_EVERY = 0.2; from mores.cli.main import main; main()"
HEAD = """
import sys, ray
from ray.util.client.server.server import serve
info = ray.init(num_cpus=2, include_dashboard=False, logging_level="error").address_info
server = serve("127.0.0.1", int(sys.argv[1]))
print(info["gcs_address"], flush=True)
sys.stdin.read()
"""
Process = subprocess.Popen[str]


class Cluster(NamedTuple):
    """One node with two cores: its Python, the addresses for drivers on it and elsewhere, and its temporary folder."""

    python: Path
    address: str
    port: int
    node: Path
    own_words: dict[str, str]

    def begin(self, *words: object, cwd: Path, **environment: str) -> Process:
        """`mores` with these words, under way."""
        around = surroundings(
            **{"RAY_ADDRESS": self.address, "TMPDIR": str(self.node), **self.own_words, **environment}
        )
        return subprocess.Popen(  # whoever begins it ends it
            [self.python, "-c", OFTEN, *map(str, words)],
            cwd=cwd, env=around, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def run(self, *words: object, cwd: Path, **environment: str) -> Process:
        """The same, once it has ended."""
        process = self.begin(*words, cwd=cwd, **environment)
        process.told = process.communicate(timeout=240)[1]  # type: ignore[attr-defined]
        return process

    def workers(self) -> list[int]:
        """Processes of this cluster that ask a part."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                ours = f"TMPDIR={self.node}".encode() in (path / "environ").read_bytes()
                if ours and (path / "cmdline").read_bytes().startswith(b"ray::_ask_on_worker"):
                    found.append(int(path.name))
            except OSError:
                continue
        return found


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    python, node = python_of("ray"), tmp_path_factory.mktemp("node")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # Sockets lie in the folder of its own, so that its name may not be long; and it asks for a token by default.
    with TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as own:
        own_words = {"RAY_TMPDIR": own, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}
        around = surroundings(RAY_USAGE_STATS_ENABLED="0", TMPDIR=str(node), **own_words)
        with subprocess.Popen(
            [python, "-c", HEAD, str(port)], env=around, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as head:  # fmt: skip
            assert head.stdin is not None
            assert head.stdout is not None
            address = head.stdout.readline().strip()
            try:
                yield Cluster(python, address, port, node, own_words)
            finally:
                head.stdin.close()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with running() as found:
        yield found


@pytest.fixture
def study(tmp_path: Path, endpoint: Endpoint) -> list[object]:
    """Words that ask 160 statements of an endpoint, some at a time."""
    endpoint.set(latency_ms=0)
    endpoint.reset()
    (tmp_path / "data").mkdir()
    write_cultural(tmp_path / "data", 40)
    words = ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", "data"]
    return [*words, "--concurrency", 4]


@pytest.fixture
def one(study: list[object], tmp_path: Path, endpoint: Endpoint) -> dict[str, bytes]:
    assert mores(*study, "--out", "one", cwd=tmp_path).returncode == 0
    endpoint.reset()
    return left(tmp_path / "one")


def shipped(folder: Path, number: int, of: int) -> int:
    """Replies of a part that have come home."""
    try:
        return count_replies(folder / f"part-{number}-of-{of}" / "journal.sqlite")
    except StorageError:  # it is being made this very moment
        return 0


def test_three_parts_leave_what_one_run_leaves_with_all_votes(cluster: Cluster, tmp_path: Path) -> None:
    words = ("run", "ladder/know", "ladder/explain", "--limit", 9, "--samples", 2)
    assert mores(*words, "--out", "one", cwd=tmp_path).returncode == 0
    done = cluster.run(*words, "--out", "whole", "--on", "ray", "--parts", 3, cwd=tmp_path)
    assert done.returncode == 0, done.told  # type: ignore[attr-defined]
    for cell in (path.parent.name for path in (tmp_path / "one").glob("*/estimates.json")):
        assert left(tmp_path / "whole" / cell) == left(tmp_path / "one" / cell)
    votes = [next((tmp_path / run).glob("*/votes.jsonl")).read_bytes() for run in ("one", "whole")]
    assert votes[0] == votes[1]
    assert len(manifest(next((tmp_path / "whole").glob("*explain")))["parts"]) == 3


@pytest.mark.parametrize("with_its_disk", [False, True])
def test_a_killed_worker_costs_no_more_than_what_it_had_not_shipped(
    cluster: Cluster,
    study: list[object],
    one: dict[str, bytes],
    tmp_path: Path,
    endpoint: Endpoint,
    *,
    with_its_disk: bool,
) -> None:
    endpoint.set(latency_ms=200)
    driver = cluster.begin(*study, "--out", "whole", "--on", "ray", "--parts", 2, cwd=tmp_path)
    parts = tmp_path / "whole-parts"
    until(lambda: min(shipped(parts, 1, 2), shipped(parts, 2, 2)) > 15 or driver.poll() is not None, 120)
    for worker in cluster.workers():
        os.kill(worker, signal.SIGKILL)
    if with_its_disk:
        for folder in cluster.node.glob("mores-*"):
            shutil.rmtree(folder)
    endpoint.set(latency_ms=0)
    _, told = driver.communicate(timeout=240)
    assert driver.returncode == 0, told
    assert left(tmp_path / "whole") == one
    assert 160 < endpoint.paid() <= 160 + 40  # eight in flight, and those of the last shipments


def test_a_budget_is_of_all_parts_and_another_run_goes_on(
    cluster: Cluster, study: list[object], one: dict[str, bytes], tmp_path: Path, endpoint: Endpoint
) -> None:
    words = (*study, "--out", "whole", "--on", "ray", "--parts", 4)
    stopped = cluster.run(*words, "--max-calls", 100, cwd=tmp_path)
    told = stopped.told  # type: ignore[attr-defined]
    assert stopped.returncode == 1
    assert 80 < endpoint.counts().requests <= 100
    assert re.search(r"Unfinished, \d+ of 160 done\. part \d/4: The budget of the whole run is used up", told)
    done = cluster.run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.told  # type: ignore[attr-defined]
    assert left(tmp_path / "whole") == one
    assert endpoint.paid() == 160


def test_a_pace_is_of_all_parts(cluster: Cluster, study: list[object], tmp_path: Path, endpoint: Endpoint) -> None:
    conditions = "[conditions]\nrequests_per_minute = 1200\n"
    head = f'benchmarks = ["culturalbench/hard"]\nmodels = ["vllm/test"]\ndata = "data"\n{conditions}'
    (tmp_path / "STUDY.toml").write_text(head)
    words = ("run", "STUDY.toml", "--base-url", endpoint.url, "--out", "whole", "--on", "ray", "--parts", 4)
    done = cluster.run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.told  # type: ignore[attr-defined]
    first, last = (endpoint._ask("arrivals", [number, number])[0][0] for number in (1, 160))
    assert last - first > (160 - 20) * 61 / 1200 - 1.0  # a second may be taken in one go, and one is of the way


def test_ctrl_c_leaves_parts_that_go_on(
    cluster: Cluster, study: list[object], one: dict[str, bytes], tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.set(latency_ms=200)
    words = (*study, "--out", "whole", "--on", "ray", "--parts", 3)
    driver = cluster.begin(*words, cwd=tmp_path)
    parts = tmp_path / "whole-parts"
    until(lambda: shipped(parts, 1, 3) > 8 or driver.poll() is not None, 120)
    os.killpg(driver.pid, signal.SIGINT)
    _, told = driver.communicate(timeout=60)
    assert driver.returncode == 130, told
    assert f"Its parts are in {parts.name}; go on with the same command and --out whole." in told
    kept = sum(shipped(parts, number, 3) for number in range(1, 4))
    endpoint.set(latency_ms=0)
    before = endpoint.paid()
    done = cluster.run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.told  # type: ignore[attr-defined]
    assert left(tmp_path / "whole") == one
    assert endpoint.paid() - before == 160 - kept
    assert before - kept <= 8  # no more than were in flight


def test_a_cluster_elsewhere_is_reached_by_its_address(
    cluster: Cluster, study: list[object], one: dict[str, bytes], tmp_path: Path
) -> None:
    place = f"ray://127.0.0.1:{cluster.port}"
    done = cluster.run(*study, "--out", "whole", "--on", place, "--parts", 2, cwd=tmp_path, RAY_ADDRESS="")
    assert done.returncode == 0, done.told  # type: ignore[attr-defined]
    assert left(tmp_path / "whole") == one


def test_what_cannot_be_asked_there_is_one_line(cluster: Cluster, study: list[object], tmp_path: Path) -> None:
    for words, says in (
        (("--on", "ray", "--parts", 80), "--parts 80: a benchmark has 40 units to ask"),
        (("--on", "ray://127.0.0.1:9"), "--on ray://127.0.0.1:9: no cluster answers"),
    ):
        done = cluster.run(*study, "--out", "whole", *words, cwd=tmp_path)
        told = done.told  # type: ignore[attr-defined]
        assert done.returncode == 2, told
        assert says in told.splitlines()[-1]
