"""What was changed in a run after it was written is said by every verb that reads it, and never built on."""

import json
import sqlite3
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from shutil import copytree

import pytest

from mores.runs.folder import read_manifest
from mores.runs.spec import Spec
from tests.runs.conduct import Typed, hold

Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("sound") / "run"
    assert hold(run, Spec(benchmarks=("ladder/judge",), limit=8))
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


CHANGES = {
    "estimates.json": edited("estimates.json", '"value":', '"value":1'),
    "transcripts.jsonl": edited("transcripts.jsonl", '"event":"answered"', '"event":"answered" '),
    "verdicts.jsonl": edited("verdicts.jsonl", '"points":', '"points": '),
    "manifest.json": edited("manifest.json", '"simulated": true', '"simulated": false'),
}


def test_a_manifest_has_the_hashes_that_anybody_can_check(sound: Path) -> None:
    files = read_manifest(sound)["files"]
    assert files.keys() >= {"estimates.json", "transcripts.jsonl", "verdicts.jsonl"}
    assert files == {name: sha256((sound / name).read_bytes()).hexdigest() for name in files}


@pytest.mark.parametrize("name", CHANGES)
def test_a_report_of_a_changed_run_says_so(run: Path, typed: Typed, name: str) -> None:
    CHANGES[name](run)
    line = f"{run}: {name} was changed after the run wrote it"
    done = typed("report", run)
    assert done.returncode == 0
    assert f"mores: {line}, so figures" in done.stderr
    assert f"<strong>Changed:</strong> {line}" in (run / "report.html").read_text()


@pytest.mark.parametrize("name", CHANGES)
def test_nothing_is_built_on_a_changed_run(run: Path, sound: Path, typed: Typed, name: str) -> None:
    CHANGES[name](run)
    words = [["resume", run], ["compare", run, sound], ["compare", sound, run, "--json"],
             ["items", sound, run], ["plan", "ladder/judge", "--from", run], ["town", "replay", run]]  # fmt: skip
    for done in [typed(*each) for each in words]:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"mores: {run}: {name} was changed after the run wrote it, so nothing")
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


def test_a_changed_reply_stops_a_resume_and_a_reuse_with_one_line_that_names_it(run: Path, typed: Typed) -> None:
    connection = sqlite3.connect(run / "journal.sqlite")
    with connection:
        connection.execute("UPDATE replies SET reply = replace(reply, '\"finish\"', '\"finish\" ')")
    connection.close()
    (run / "verdicts.jsonl").unlink()
    for words in (["resume", run], ["run", "ladder/judge", "--limit", 8, "--reuse", run, "--out", "new"]):
        done = typed(*words)
        assert done.returncode == 2, done.stderr
        assert f"{run}/journal.sqlite: the reply to " in done.stderr
        assert "was changed after it was written, and nothing is built on it" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_run_of_before_there_were_hashes_is_read_and_said_to_have_none(run: Path, sound: Path, typed: Typed) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["files"], manifest["seal"]
    (run / "manifest.json").write_text(json.dumps(manifest))
    for words in (["report", run], ["resume", run], ["compare", run, sound]):
        assert typed(*words).returncode == 0
    assert "has no hashes of its files" in (run / "report.html").read_text()


def test_a_run_of_several_cells_whose_list_was_changed_is_refused_by_every_verb(tmp_path: Path, typed: Typed) -> None:
    assert hold(tmp_path / "run", Spec(benchmarks=("ladder/know", "ladder/judge"), limit=2))
    edited("manifest.json", "simulated-typical--ladder-judge", "simulated-typical--ladder-know")(tmp_path / "run")
    words = (["report", "run"], ["compare", "run", "run"], ["items", "run"], ["resume", "run"],
             ["agreement", "sample", "run", "--n", "2", "--out", "drawn"])  # fmt: skip
    for done in [typed(*each) for each in words]:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("mores: run: manifest.json was changed after the run wrote it")
