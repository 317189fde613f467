"""Every build, killed at any moment or beside others, leaves the bytes of an unbroken one; no call is paid twice."""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mores.cli import progress
from mores.models.journal import Journal
from mores.pipelines import pipeline
from mores.runs.folder import JOURNAL
from tests.endpoint import Endpoint, running
from tests.pipelines.verbs import VERBS, released, said_in, words, write_data
from tests.runs.conduct import begin, kill_after, mores, until
from tests.servers.serving import made, served

SLOTS = 4
Simulated = Callable[[str], Path]
ROLES = ("--role", "writer=vllm/a", "--role", "checker=vllm/b")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data") / "base")


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Simulated:
    """The unbroken build of this name by simulated models; read only."""
    folder = tmp_path_factory.mktemp("simulated")

    def built(name: str) -> Path:
        if not (folder / name).is_dir():
            whole(name, data, folder / name)
        return folder / name

    return built


def whole(name: str, data: Path, out: Path, url: str = "", *more: object) -> dict[str, bytes]:
    """The files of a build that nothing broke."""
    done = mores(*words(name, data, out, url, *more), cwd=out.parent)
    assert done.returncode == 0, done.stderr
    return released(out)


def journalled(out: Path) -> int:
    with closing(sqlite3.connect(out / JOURNAL)) as connection:
        return int(connection.execute("SELECT count(*) FROM replies").fetchone()[0])


def _at_reply(number: int) -> None:
    """Have this process kill itself as it is to write one more reply than so many."""
    _signal_after(number, Journal, "write", signal.SIGKILL)


def _at_file(number: int) -> None:
    """The same of files of the release."""
    _signal_after(number, pipeline, "write_own", signal.SIGKILL)


def _stop_at_file() -> None:
    """Have this process stop itself, as from a terminal, as it is to write the first file of the release."""
    _signal_after(0, pipeline, "write_own", signal.SIGSTOP)


def _signal_after(number: int, owner: Any, name: str, sent: signal.Signals) -> None:
    called, left = getattr(owner, name), count(1)

    def signalled(*given: Any, **named: Any) -> Any:
        if next(left) == number + 1:
            os.kill(os.getpid(), sent)
        return called(*given, **named)

    setattr(owner, name, signalled)


def at_reply(number: int) -> Callable[[], None]:
    return partial(_at_reply, number)


def at_file(number: int) -> Callable[[], None]:
    return partial(_at_file, number)


def killed_and_resumed(
    name: str, data: Path, folder: Path, deaths: list[Callable[[], None]], unbroken: dict[str, bytes]
) -> None:
    """Die in each of these ways in turn, then go on to the end."""
    for death in deaths:
        died = mores(*words(name, data, folder / "killed"), cwd=folder, before=death)
        assert died.returncode == -signal.SIGKILL, died.stderr
    assert whole(name, data, folder / "killed") == unbroken
    assert not list((folder / "killed").glob(".*part"))
    assert not list((folder / "killed").glob(".runner-*"))
    assert {path.stat().st_mode & 0o777 for path in (folder / "killed").rglob("*") if path.is_dir()} <= {0o700}


@pytest.mark.parametrize("name", VERBS)
def test_killed_while_it_asks_and_while_it_writes_it_goes_on_to_the_same_bytes(
    tmp_path: Path, data: Path, name: str, simulated: Simulated
) -> None:
    killed_and_resumed(name, data, tmp_path, [at_reply(5), at_file(1)], released(simulated(name)))


@pytest.mark.parametrize("name", VERBS)
def test_a_dry_build_prices_every_role_at_no_less_than_is_asked_then_and_asks_nothing(
    tmp_path: Path, data: Path, name: str, simulated: Simulated
) -> None:
    done = mores(*words(name, data, tmp_path / "out", "", "--dry", "--json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    roles = {each["role"]: each for each in json.loads(done.stdout)["roles"]}
    assert set(VERBS[name].roles) <= set(roles)
    assert all(each["calls"] > 0 and each["input_tokens"] > 0 and each["cost"] == 0 for each in roles.values())
    assert not (tmp_path / "out").exists()
    files = released(simulated(name))
    asked = {role: each["calls"] for role, each in json.loads(files["manifest.json"])["asked"].items()}
    assert all(calls <= roles[role]["calls"] for role, calls in asked.items())


@pytest.mark.parametrize("name", VERBS)
def test_a_budget_stops_it_cleanly_and_the_same_command_goes_on(
    tmp_path: Path, data: Path, name: str, simulated: Simulated
) -> None:
    stopped = mores(*words(name, data, tmp_path / "out", "", "--max-calls", 4), cwd=tmp_path)
    assert stopped.returncode == 1
    assert "The budget of 4 calls is used up" in stopped.stderr
    assert "The same command goes on" in stopped.stderr
    assert whole(name, data, tmp_path / "out") == released(simulated(name))


@pytest.mark.soak
@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("name", VERBS)
def test_killed_again_and_again_it_goes_on_to_the_same_bytes(
    tmp_path: Path, data: Path, name: str, number: int, simulated: Simulated
) -> None:
    rng = random.Random(number)
    deaths = [*(at_reply(rng.randrange(8)) for _ in range(3)), at_file(0), at_file(rng.randrange(4))]
    killed_and_resumed(name, data, tmp_path, deaths, released(simulated(name)))


@pytest.fixture
def speaking(simulated: Simulated, endpoint: Endpoint) -> Callable[[str], Endpoint]:
    """The stand-in endpoint, which answers each prompt of a build as simulated models do."""

    def spoken(name: str) -> Endpoint:
        endpoint.answers(said_in(simulated(name)))
        return endpoint

    return spoken


@pytest.mark.parametrize("name", VERBS)
def test_over_an_endpoint_no_call_is_paid_twice_whoever_dies(
    tmp_path: Path, data: Path, name: str, speaking: Callable[[str], Endpoint]
) -> None:
    endpoint = speaking(name)
    more = ("--concurrency", SLOTS)
    unbroken = whole(name, data, tmp_path / "whole", endpoint.url, *more)
    calls = journalled(tmp_path / "whole")
    assert endpoint.paid() == calls
    endpoint.set(latency_ms=30)

    endpoint.reset()
    two = [begin(*words(name, data, tmp_path / "two", endpoint.url, *more), cwd=tmp_path) for _ in range(2)]
    ends = [process.communicate(60) for process in two]
    assert [process.returncode for process in two] == [0, 0], ends
    assert released(tmp_path / "two") == unbroken
    assert endpoint.paid() == journalled(tmp_path / "two") == calls

    endpoint.reset()
    first, other = (begin(*words(name, data, tmp_path / "one", endpoint.url, *more), cwd=tmp_path) for _ in range(2))
    kill_after(first, endpoint, calls // 2)
    _, errors = other.communicate(60)
    assert other.returncode == 0, errors
    assert released(tmp_path / "one") == unbroken
    assert 0 <= endpoint.paid() - calls <= SLOTS  # what was on its way to the one that was killed


def _is_stopped(process: int) -> bool:
    return (
        subprocess.run(["ps", "-o", "state=", "-p", f"{process}"], capture_output=True, check=True).stdout[:1] == b"T"
    )


def _tell_at_once() -> None:
    """Have this process say after a moment for which other runner it waits."""
    progress.STALLED = 0.2


def test_who_waits_for_a_runner_that_is_stopped_says_for_whom_and_goes_on_once_it_is_killed(
    tmp_path: Path, data: Path, speaking: Callable[[str], Endpoint]
) -> None:
    endpoint = speaking("norms")
    typed = words("norms", data, tmp_path / "out", endpoint.url, "--concurrency", SLOTS)
    unbroken = whole("norms", data, tmp_path / "whole", endpoint.url)
    endpoint.set(latency_ms=400)
    endpoint.reset()
    first = begin(*typed, cwd=tmp_path)
    until(lambda: endpoint.counts().answered >= SLOTS and endpoint.counts().in_flight == SLOTS)
    time.sleep(0.1)  # it has written down what it was answered, and waits for the next answers
    first.send_signal(signal.SIGSTOP)
    other = begin(*typed, cwd=tmp_path, before=_tell_at_once)
    try:
        until(lambda: "waiting since" in other.told_so_far())
    finally:
        first.kill()
    endpoint.set(latency_ms=10)
    _, said = other.communicate(60)
    assert other.returncode == 0, said
    assert said.count("waiting since") == 1
    assert f"process {first.pid} on " in said
    assert f"(kill -CONT {first.pid})" in said
    assert released(tmp_path / "out") == unbroken


@pytest.mark.parametrize("ending", [signal.SIGCONT, signal.SIGKILL])
def test_who_waits_for_a_runner_that_is_stopped_as_it_puts_the_release_in_place_says_so_too(
    tmp_path: Path, data: Path, simulated: Simulated, ending: signal.Signals
) -> None:
    typed = words("norms", data, tmp_path / "out")
    first = begin(*typed, cwd=tmp_path, before=_stop_at_file)
    until(lambda: _is_stopped(first.pid))
    other = begin(*typed, cwd=tmp_path, before=_tell_at_once)
    try:
        until(lambda: "waiting since" in other.told_so_far())
    finally:
        first.send_signal(ending)
    _, said = other.communicate(60)
    assert other.returncode == 0, said
    assert said.count("waiting since") == 1
    assert f"for another runner that writes to the same folder, process {first.pid} on " in said
    assert f"(kill -CONT {first.pid})" in said
    first.communicate(60)
    assert first.returncode == (0 if ending == signal.SIGCONT else -ending)
    assert released(tmp_path / "out") == released(simulated("norms"))


@pytest.mark.parametrize(("name", "share"), [("norms", 0.05), ("questions", 0.04)])
@pytest.mark.parametrize("stall_seconds", [1.0, 0.0])
def test_a_call_that_is_slow_or_never_answered_holds_no_runner_up_for_ever_and_is_paid_once(
    tmp_path: Path, data: Path, name: str, share: float, speaking: Callable[[str], Endpoint], stall_seconds: float
) -> None:
    endpoint, more = speaking(name), ("--concurrency", SLOTS, "--timeout", 2)
    unbroken = whole(name, data, tmp_path / "whole", endpoint.url, *more)
    endpoint.set(faults={"stall": share}, fault_tries=1, stall_seconds=stall_seconds)
    endpoint.reset()
    two = [begin(*words(name, data, tmp_path / "two", endpoint.url, *more), cwd=tmp_path) for _ in range(2)]
    ends = [process.communicate(60) for process in two]
    assert [process.returncode for process in two] == [0, 0], ends
    assert released(tmp_path / "two") == unbroken
    assert endpoint.counts().faults["stall"] > 1
    assert endpoint.paid() == journalled(tmp_path / "two")


@pytest.mark.parametrize("name", VERBS)
def test_the_datasheet_counts_by_role_the_replies_whose_json_was_mended(
    tmp_path: Path, data: Path, name: str, endpoint: Endpoint, simulated: Simulated
) -> None:
    unbroken, said = released(simulated(name)), said_in(simulated(name))
    endpoint.answers({prompt: text.removesuffix("}") + ",}" for prompt, text in said.items()})
    files = whole(name, data, tmp_path / "out", endpoint.url)
    repaired, asked = json.loads(files["datasheet.json"])["json_repaired"], json.loads(files["manifest.json"])["asked"]
    assert repaired == {role: each["calls"] for role, each in asked.items()}
    assert not any(json.loads(unbroken["datasheet.json"])["json_repaired"].values())


@pytest.mark.parametrize("name", ["questions", "subgroups", "dialogues", "ladder"])
def test_a_build_that_keeps_nothing_says_where_most_was_lost_and_why(
    tmp_path: Path, data: Path, name: str, endpoint: Endpoint
) -> None:
    done = mores(*words(name, data, tmp_path / "out", endpoint.url), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert re.search(r"Nothing was kept\. \d+ of \d+ ended at \w+, [^;]+; so did \S+: ", said)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["norms", "empty.csv"], "empty.csv: no rows; expected a header and a row."),
        (["norms", "used.csv", "--out", "."], "--out .: it holds something else; expected a new folder"),
        (["questions", "nowhere", *ROLES], "nowhere: no norm base is there; make one: mores build norms"),
        (["questions", "nowhere", *ROLES, "--limit", "-1"], "--limit -1: expected a positive number."),
        (
            ["subgroups", "used.csv", *ROLES, "--base-url", "writer=http://127.0.0.1:1/v1"],
            "vllm/a is reached at its own address in another role; expected one address for a model.",
        ),
    ],
)
def test_bad_input_is_one_line_that_says_what_was_expected(tmp_path: Path, typed: list[str], said: str) -> None:
    (tmp_path / "empty.csv").touch()
    (tmp_path / "used.csv").write_text(
        "id,place,statement,source\na,Japan,Shoes come off at the door.,A page\n", encoding="utf-8"
    )
    done = mores("build", *typed, *([] if "--out" in typed else ["--out", "out"]), cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_model_that_refuses_all_is_one_line_though_another_is_still_readied(tmp_path: Path, data: Path) -> None:
    with running(key="asked for") as refusing, running(latency_ms=2_000) as slow:
        reached = (f"--base-url={role}={slow.url}" for role in ("writer", "labeller"))
        done = mores(*words("subgroups", data, tmp_path / "out", refusing.url), f"--base-url=checker={refusing.url}",
                     *reached, cwd=tmp_path)  # fmt: skip
    assert done.returncode == 2
    assert "the endpoint asks for a key, and none was sent" in done.stderr
    assert done.stderr.count("\n") == 1


def test_data_for_builds_grow_with_the_statements(tmp_path: Path) -> None:
    many = write_data(tmp_path / "many", 60)
    assert len((many / "bundles.jsonl").read_text().splitlines()) == 60


@pytest.mark.soak
@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("name", VERBS)
def test_three_runners_of_which_some_are_killed_make_one_release(
    tmp_path: Path, data: Path, name: str, number: int, speaking: Callable[[str], Endpoint]
) -> None:
    endpoint, rng, more = speaking(name), random.Random(number), ("--concurrency", SLOTS)
    unbroken = whole(name, data, tmp_path / "whole", endpoint.url, *more)
    calls = journalled(tmp_path / "whole")
    endpoint.set(latency_ms=20)
    endpoint.reset()
    runners = [begin(*words(name, data, tmp_path / "out", endpoint.url, *more), cwd=tmp_path) for _ in range(3)]
    for process in runners[:2]:
        kill_after(process, endpoint, int(rng.random() * calls))
    runners[2].communicate(60)
    assert whole(name, data, tmp_path / "out", endpoint.url, *more) == unbroken
    until(lambda: endpoint.counts().in_flight == 0)
    assert 0 <= endpoint.paid() - calls <= 2 * SLOTS


@pytest.mark.soak
@pytest.mark.parametrize("name", VERBS)
def test_over_a_real_server_babble_is_dropped_with_reasons_and_the_build_ends(
    tmp_path: Path, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = write_data(tmp_path / "data", 3)
    with served(made(tmp_path_factory.mktemp("model"))) as server:
        typed = words(name, data, tmp_path / "out", server.url, "--concurrency", 1)
        died = mores(*typed, cwd=tmp_path, seconds=300, before=at_reply(1))
        assert died.returncode == -signal.SIGKILL, died.stderr
        done = mores(*typed, cwd=tmp_path, seconds=300)
    assert done.returncode == 0, done.stderr
    lost = [json.loads(line) for line in (tmp_path / "out" / "dropped.jsonl").read_text().splitlines()]
    assert all(each["reason"] and each["stage"] for each in lost)
