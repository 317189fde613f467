"""One writer, one spec, one format; what a disk does wrong is one line."""

import json
import resource
import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import InputError, StorageError
from mores.core.files import write_own
from mores.runs.folder import choose_folder, locked
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.runs.conduct import Typed, begin, hold, left, manifest, mores, until


def little_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096))


def easy(cultural: Path) -> Spec:
    return Spec(benchmarks=("culturalbench/easy",), data=str(cultural))


def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    endpoint.set(latency_ms=150)
    words = ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", cultural,
             "--concurrency", 4, "--out", tmp_path / "run"]  # fmt: skip
    first = begin(*words, cwd=tmp_path)
    until(lambda: endpoint.counts().requests > 5)
    endpoint.set(latency_ms=800)  # the first goes on for as long as the second takes to start
    second = mores(*words, cwd=tmp_path)
    endpoint.set(latency_ms=0)
    assert second.returncode == 2
    assert "another process is writing to this run; wait for it, or use another --out" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    _, errors = first.communicate(timeout=30)
    assert first.returncode == 0, errors


def test_a_lock_ends_with_its_block(tmp_path: Path) -> None:
    with locked(tmp_path / "run"), pytest.raises(InputError, match="another process"), locked(tmp_path / "run"):
        pass
    with locked(tmp_path / "run"):
        pass


def test_a_folder_of_another_spec_is_refused_and_left_as_it_was(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    run, words = tmp_path / "run", ["run", "culturalbench/easy", "--data", cultural, "--out", tmp_path / "run"]
    assert typed(*words).returncode == 0
    before = left(run)
    refused = typed(*words, "--seed", 3)
    assert refused.returncode == 2
    assert f"--out {run}: it holds a run of another spec; choose another folder, or resume it: mores resume" in (
        refused.stderr
    )
    assert left(run) == before
    assert typed(*words).returncode == 0
    assert left(run) == before


def test_a_folder_with_anything_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("my notes")
    with pytest.raises(InputError, match="it exists and is not a run"):
        choose_folder(tmp_path, "abc", tmp_path)
    with pytest.raises(InputError, match="it exists and is not a run"):
        choose_folder(tmp_path / "mine.txt", "abc", tmp_path)


def test_without_out_each_run_has_a_folder_of_its_own(tmp_path: Path) -> None:
    first = choose_folder(None, "abc", tmp_path)
    first.mkdir()
    second = choose_folder(None, "abc", tmp_path)
    assert (first.name, second.name) == ("abc-1", "abc-2")


@pytest.mark.parametrize("found", [99, None, "1"])
def test_a_run_of_another_format_is_refused(tmp_path: Path, cultural: Path, found: object, typed: Typed) -> None:
    run = tmp_path / "run"
    assert hold(run, easy(cultural))
    (run / "manifest.json").write_text(json.dumps({**manifest(run), "format": found}))
    for words in (["resume", run], ["run", "culturalbench/easy", "--data", cultural, "--out", run]):
        refused = typed(*words)
        assert refused.returncode == 2
        assert "this mores reads format 3. Use the mores that made it." in refused.stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", "null"])
def test_a_manifest_that_is_none_is_one_clear_line(tmp_path: Path, text: str, typed: Typed) -> None:
    (tmp_path / "manifest.json").write_text(text)
    refused = typed("resume", tmp_path)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert str(tmp_path / "manifest.json") in refused.stderr


def test_a_folder_that_is_no_run_cannot_be_resumed(tmp_path: Path, typed: Typed) -> None:
    refused = typed("resume", tmp_path / "none")
    assert refused.returncode == 2
    assert "none: no run; expected a folder with manifest.json." in refused.stderr


@pytest.mark.parametrize("out", ["notes.txt/run", "/proc/none/run", "/dev/null/run"])
def test_a_place_that_cannot_be_written_is_one_clear_line(
    tmp_path: Path, cultural: Path, out: str, typed: Typed
) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    refused = typed("run", "culturalbench/easy", "--data", cultural, "--out", out)
    assert refused.returncode in {1, 2}
    assert "cannot be written" in refused.stderr or "is not a folder" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_a_disk_that_fills_up_is_one_clear_line_and_the_run_can_be_resumed(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    spec = replace(easy(cultural), benchmarks=("culturalbench/hard",), models=("vllm/test",), base_url=endpoint.url)
    words = ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", cultural,
             "--concurrency", 2, "--out", tmp_path / "run"]  # fmt: skip
    full = mores(*words, cwd=tmp_path, before=little_room)
    assert full.returncode == 1
    assert "Traceback" not in full.stderr
    assert "cannot be written" in full.stderr
    done = mores(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert hold(tmp_path / "calm", spec)
    assert left(tmp_path / "run") == left(tmp_path / "calm")


def test_a_journal_that_was_damaged_is_one_clear_line(tmp_path: Path, cultural: Path) -> None:
    run = tmp_path / "run"
    words = ["run", "culturalbench/hard", "--data", cultural, "--out", run]
    assert mores(*words, "--max-calls", 60, cwd=tmp_path).returncode == 1
    whole = (run / "journal.sqlite").read_bytes()
    (run / "journal.sqlite").write_bytes(whole[:8192] + b"Z" * (len(whole) - 12288) + whole[-4096:])
    damaged = mores(*words, cwd=tmp_path)
    assert damaged.returncode in {1, 2}
    assert "journal.sqlite" in damaged.stderr
    assert len(damaged.stderr.splitlines()) == 1


def test_more_connections_than_open_files_are_allowed_is_no_crash(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    endpoint.set(latency_ms=50)
    words = ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", cultural]
    done = mores(*words, "--concurrency", 200, "--out", "run", cwd=tmp_path, before=few_files)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def test_a_file_is_put_in_place_whole_or_not_at_all(tmp_path: Path) -> None:
    write_own(tmp_path / "a.json", b"old")
    with pytest.raises(StorageError, match=r"cannot be written \("):
        write_own(tmp_path / "none" / "a.json", b"new")
    assert (tmp_path / "a.json").read_bytes() == b"old"
    write_own(tmp_path / "a.json", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
