"""Disks that are full or may only be read: each command says so in one line, and loses and leaves nothing."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import OperationalError, connections

from mores.studio.config import DATABASE_FILE, StudioConfig
from mores.studio.models import Response, WorkItem
from mores.studio.work.leases import Lease
from mores.studio.work.submit import AnswerSubmission, submit
from tests.runs.conduct import mores
from tests.studio import made
from tests.studio.doing import claimed

SMALL = 6 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes, which only root can make."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or _mount("-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", place):
        pytest.skip("a small disk can be made by root alone, where mounting is allowed")
    yield place
    connections.close_all()
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def _mount(*words: object) -> int:
    return subprocess.run(["mount", *map(str, words)], check=False, capture_output=True).returncode


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test that needs a database of many items leaves it for the others."""
    return tmp_path_factory.mktemp("many") / DATABASE_FILE


@pytest.fixture
def filled(studio: StudioConfig, kept: Path) -> StudioConfig:
    """A studio with thousands of items."""
    stored = studio.folder / DATABASE_FILE
    if not kept.is_file():
        made.questions(made.project(), 1_500)
        connections.close_all()
        shutil.copy(stored, kept)
    connections.close_all()
    shutil.copy(kept, stored)
    return studio


def _moved(studio: StudioConfig, disk: Path) -> Path:
    """Its folder on that disk."""
    folder = disk / "studio"
    shutil.copytree(studio.folder, folder)
    return folder


def _fill(disk: Path) -> None:
    try:
        with (disk / "fill").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
    except OSError:
        assert shutil.disk_usage(disk).free == 0


def _said(verb: str, folder: Path, *words: object) -> str:
    """The one line that a command ends with where it cannot do its work."""
    done = mores("studio", verb, "--folder", folder, *words, cwd=Path.cwd(), seconds=120)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


TO = {"export": ("--project", "feasts", "--out"), "backup": ("--out",)}
KIND = {"export": ("--kind", "answers")}


def _items(folder: Path) -> int:
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as stored:
        assert stored.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(stored.execute("SELECT COUNT(*) FROM studio_item").fetchone()[0])


def test_a_studio_on_a_full_disk_says_so_and_is_whole_once_there_is_room(
    filled: StudioConfig, disk: Path, tmp_path: Path
) -> None:
    folder = _moved(filled, disk)
    _fill(disk)
    for verb, words in TO.items():
        told = _said(verb, folder, *words, tmp_path / "out")
        assert f"--folder {folder}: cannot be written (the disk is full)" in told
        assert not (tmp_path / "out").exists()
    assert "the disk is full" in _said("serve", folder, "--port", "18765")
    (disk / "fill").unlink()
    assert _items(folder) == 1_500


def test_a_studio_on_a_disk_that_may_only_be_read_says_so(filled: StudioConfig, disk: Path, tmp_path: Path) -> None:
    folder = _moved(filled, disk)
    assert _mount("-o", "remount,ro", disk) == 0
    assert "Read-only file system" in _said("serve", folder, "--port", "18765")
    assert "Read-only file system" in _said("serve", disk / "another", "--port", "18765")
    for verb, words in TO.items():
        assert "Read-only file system" in _said(verb, folder, *words, tmp_path / "out")
        assert not (tmp_path / "out").exists()
    assert _mount("-o", "remount,rw", disk) == 0
    assert _items(folder) == 1_500


@pytest.mark.parametrize("verb", TO)
def test_what_does_not_fit_on_its_disk_leaves_nothing_behind(filled: StudioConfig, disk: Path, verb: str) -> None:
    _fill(disk)
    with (disk / "fill").open("r+b") as file:
        file.truncate(SMALL - (40 << 10))
    told = _said(verb, filled.folder, *KIND.get(verb, ()), *TO[verb], disk / "out")
    assert str(disk / "out") in told
    assert "cannot be written" in told
    assert not (disk / "out").exists()
    assert WorkItem.objects.count() == 1_500


def test_an_answer_that_finds_the_disk_full_is_refused_and_those_before_it_stay(
    filled: StudioConfig, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _moved(filled, disk)
    monkeypatch.setitem(connections["default"].settings_dict, "NAME", str(folder / DATABASE_FILE))
    people = made.annotators(WorkItem.objects.first().project, 1)  # type: ignore[union-attr]
    held = claimed(people[0])
    _answered(held, people[0].pk, "before")
    _fill(disk)
    stored = 1 + _answered_until_full(held, people[0].pk)
    assert Response.objects.count() == stored
    (disk / "fill").unlink()
    _answered(held, people[0].pk, "after")
    assert Response.objects.count() == stored + 1
    connections.close_all()
    assert _items(folder) == 1_500


def _answered_until_full(held: Lease, person: int) -> int:
    for number in range(2_000):
        try:
            _answered(held, person, f"change {number}")
        except OperationalError:
            return number
    raise AssertionError("the disk took them all")


def _answered(held: Lease, person: int, key: str) -> None:
    submit(AnswerSubmission(assignment=held.assignment, participant=person, answer={"options": ["a"]}, key=key))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_a_folder_that_may_only_be_read_says_so(studio: StudioConfig, tmp_path: Path) -> None:
    connections.close_all()
    (studio.folder / DATABASE_FILE).chmod(0o400)
    studio.folder.chmod(0o500)
    try:
        assert "cannot be written (Permission denied)" in _said("serve", studio.folder, "--port", "18765")
        assert "cannot be written" in _said("backup", studio.folder, "--out", tmp_path / "out")
    finally:
        studio.folder.chmod(0o700)
