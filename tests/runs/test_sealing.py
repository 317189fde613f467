"""What was changed in a run after it was written is said by every verb that reads it, and never built on."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from shutil import copytree

import pytest

from mores.runs.folder import changed, read_manifest
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.runs.conduct import Typed, as_left, begin, hold, kill_after

Change = Callable[[Path], None]
EDIT = "UPDATE replies SET reply = replace(reply, '\"finish\"', '\"finish\" ') WHERE rowid = 2"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("sound") / "run"
    assert hold(run, Spec(benchmarks=("ladder/judge",), limit=4))
    return run


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("judged") / "run"
    assert hold(run, Spec(benchmarks=("ladder/explain",), limit=4))
    return run


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    return copytree(sound, tmp_path / "run")


def edited(name: str, old: str, new: str) -> Change:
    def change(run: Path) -> None:
        text = (run / name).read_text()
        assert old in text
        (run / name).write_text(text.replace(old, new, 1))

    return change


def in_journal(run: Path, *statements: str) -> None:
    with closing(sqlite3.connect(run / "journal.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def unsealed(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["seal"]
    (run / "manifest.json").write_text(json.dumps(manifest))


CHANGES = {
    "journal.sqlite": lambda run: in_journal(run, EDIT),
    "estimates.json": edited("estimates.json", '"value":', '"value":1'),
    "transcripts.jsonl": edited("transcripts.jsonl", '"event":"answered"', '"event":"answered" '),
    "verdicts.jsonl": edited("verdicts.jsonl", '"points":', '"points": '),
    "manifest.json": edited("manifest.json", '"simulated": true', '"simulated": false'),
}


def test_a_manifest_has_the_hashes_that_anybody_can_check(sound: Path) -> None:
    files = read_manifest(sound)["files"]
    assert files.keys() >= {"estimates.json", "transcripts.jsonl", "verdicts.jsonl", "journal.sqlite"}
    assert files == {name: sha256((sound / name).read_bytes()).hexdigest() for name in files}


@pytest.mark.parametrize("name", CHANGES)
def test_a_report_of_a_changed_run_says_so(run: Path, typed: Typed, name: str) -> None:
    CHANGES[name](run)
    line = f"{run}: {name} was changed after the run wrote it"
    done = typed("report", run)
    assert done.returncode == 0
    assert f"mores: {line}. Figures" in done.stderr
    assert f"<strong>Changed:</strong> {line}" in (run / "report.html").read_text()


@pytest.mark.parametrize("name", CHANGES)
def test_nothing_is_built_on_a_changed_run(run: Path, sound: Path, typed: Typed, name: str) -> None:
    CHANGES[name](run)
    words = [["resume", run], ["compare", run, sound], ["compare", sound, run, "--json"],
             ["items", sound, run], ["plan", "ladder/judge", "--from", run], ["town", "replay", run]]  # fmt: skip
    for done in [typed(*each) for each in words]:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"mores: {run}: {name} was changed after the run wrote it; the run")
        assert len(done.stderr.splitlines()) == 1


def test_a_sound_run_is_taken_as_it_is(run: Path, sound: Path, typed: Typed) -> None:
    for words in (["report", run], ["resume", run], ["compare", run, sound]):
        done = typed(*words)
        assert done.returncode == 0, done.stderr
        assert "changed after" not in done.stdout + done.stderr


def test_a_changed_file_that_is_taken_away_is_written_anew_from_the_journal(run: Path, typed: Typed) -> None:
    before = (run / "estimates.json").read_bytes()
    CHANGES["estimates.json"](run)
    (run / "estimates.json").unlink()
    assert typed("resume", run).returncode == 0
    assert (run / "estimates.json").read_bytes() == before


def test_a_changed_run_is_not_reused(run: Path, typed: Typed) -> None:
    in_journal(run, EDIT)
    done = typed("run", "ladder/judge", "--limit", 4, "--reuse", run, "--out", "new")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mores: {run}: journal.sqlite was changed after the run wrote it")


def test_a_finished_run_that_goes_on_and_is_killed_is_no_changed_one(
    tmp_path: Path, endpoint: Endpoint, typed: Typed
) -> None:
    endpoint.set(latency_ms=20)
    words = ["run", "ladder/judge", "--model", "vllm/m", "--base-url", endpoint.url, "--limit", 12,
             "--concurrency", 2, "--out", "run"]  # fmt: skip
    assert typed(*words).returncode == 0
    run = tmp_path / "run"
    in_journal(run, "DELETE FROM replies WHERE rowid > 2")
    (run / "estimates.json").unlink()
    as_left(run)
    kill_after(begin("resume", "run", cwd=tmp_path), endpoint, endpoint.counts().answered + 5)
    assert not changed(run, read_manifest(run))
    assert typed("resume", "run").returncode == 0
    assert not changed(run, read_manifest(run))


def test_a_run_of_several_evaluations_whose_list_was_changed_is_refused_by_every_verb(
    tmp_path: Path, typed: Typed
) -> None:
    assert hold(tmp_path / "run", Spec(benchmarks=("ladder/know", "ladder/judge"), limit=2))
    edited("manifest.json", "simulated-typical--ladder-judge", "simulated-typical--ladder-know")(tmp_path / "run")
    words = (["report", "run"], ["compare", "run", "run"], ["items", "run"], ["resume", "run"],
             ["judge", "sample", "run", "--n", "2", "--out", "drawn"])  # fmt: skip
    for done in [typed(*each) for each in words]:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("mores: run: manifest.json was changed after the run wrote it")


def test_every_verb_that_reads_a_run_tells_of_a_changed_reply(judged: Path, tmp_path: Path, typed: Typed) -> None:
    run = copytree(judged, tmp_path / "run")
    in_journal(run, "UPDATE replies SET reply = replace(reply, '\"finish\"', '\"finish\" ') WHERE rowid = 5")
    line = rf"mores: {run}: journal\.sqlite was changed after the run wrote it"
    done = typed("report", run)
    assert done.returncode == 0
    assert re.match(rf"{line}. Figures", done.stderr)
    assert "<strong>Changed:</strong>" in (run / "report.html").read_text()
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"id": "x", "annotator": "a", "label": "1"}\n')
    words: Sequence[Sequence[object]] = (
        ["resume", run], ["compare", judged, run], ["items", judged, run], ["judge", run, "--judge", "simulated/judge"],
        ["judge", "agreement", run, "--labels", labels],
        ["judge", "sample", run, "--n", 2, "--out", "drawn"],
        ["judge", "correct", run, "--labels", labels], ["plan", "ladder/explain", "--from", run],
    )  # fmt: skip
    for done in [typed(*each) for each in words]:
        assert (done.returncode, done.stdout) == (2, ""), done.args
        assert re.match(rf"{line}; the run", done.stderr), done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_change_that_lies_in_the_journals_log_alone_is_told(run: Path) -> None:
    """Who edits and is killed leaves the file as it was."""
    program = f"""if True:
        import os, sqlite3
        connection = sqlite3.connect({str(run / "journal.sqlite")!r})
        connection.execute({EDIT!r})
        connection.commit()
        os._exit(0)
    """
    subprocess.run([sys.executable, "-c", program], check=True)
    assert (run / "journal.sqlite-wal").stat().st_size
    assert len(changed(run, read_manifest(run))) == 1


def test_a_journal_that_is_gone_is_no_change(run: Path, typed: Typed) -> None:
    (run / "journal.sqlite").unlink()
    for words in (["report", run], ["resume", run]):
        done = typed(*words)
        assert done.returncode == 0, done.stderr
        assert "changed after" not in done.stdout + done.stderr


def test_a_manifest_without_its_seal_is_a_changed_one(run: Path, sound: Path, typed: Typed) -> None:
    unsealed(run)
    for words in (["resume", run], ["compare", run, sound]):
        done = typed(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"mores: {run}: manifest.json was changed after the run wrote it; the run")


def test_a_run_that_is_judged_again_and_one_that_goes_on_are_no_changed_ones(
    judged: Path, tmp_path: Path, typed: Typed
) -> None:
    run = copytree(judged, tmp_path / "run")
    done = typed("judge", run, "--judge", "simulated/novice", "--out", "again")
    assert done.returncode == 0, done.stderr
    (run / "estimates.json").unlink()
    for words in (["resume", run], ["report", run], ["report", "again"], ["resume", "again"]):
        done = typed(*words)
        assert done.returncode == 0, done.stderr
        assert "changed after" not in done.stderr


def test_a_run_that_was_killed_and_resumed_is_no_changed_one(tmp_path: Path, endpoint: Endpoint, typed: Typed) -> None:
    endpoint.set(latency_ms=20)
    words = ["run", "ladder/judge", "--model", "vllm/m", "--base-url", endpoint.url, "--limit", 12,
             "--concurrency", 2, "--out", "run"]  # fmt: skip
    kill_after(begin(*words, cwd=tmp_path), endpoint, 5)
    assert typed("resume", "run").returncode == 0
    assert not changed(tmp_path / "run", read_manifest(tmp_path / "run"))
