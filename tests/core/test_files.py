"""Files appear whole, over nothing of a user's, through no link, and those of a run for their owner alone."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mores.core.errors import InputError, StorageError
from mores.core.files import (
    AtomicFile,
    is_just,
    own_file,
    own_folder,
    refuse_foreign,
    sweep,
    write_new,
    write_own,
    write_page,
)

PAGE = '<head><meta name="generator" content="mores 0.1.0"></head>'


@pytest.fixture(params=[0o000, 0o022, 0o277], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_a_run_writes_is_its_owners_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    own_folder(tmp_path / "run")
    write_own(tmp_path / "run" / "manifest.json", b"{}")
    own_file(tmp_path / "run" / "journal.sqlite")
    write_page(tmp_path / "run" / "report.html", PAGE, private=True)
    assert mode(tmp_path / "run") == 0o700
    assert {mode(path) for path in (tmp_path / "run").iterdir()} == {0o600}


def test_what_a_user_named_is_made_as_the_umask_says(tmp_path: Path, umask: int) -> None:
    write_new(tmp_path / "labels.csv", b"item\n")
    write_page(tmp_path / "page.html", PAGE, private=False)
    assert {mode(path) for path in tmp_path.iterdir()} == {0o666 & ~umask}


def test_a_file_in_the_making_is_as_private_as_it_will_be(tmp_path: Path) -> None:
    part = AtomicFile(tmp_path / "transcripts.jsonl", private=True)
    assert [mode(path) for path in tmp_path.iterdir()] == [0o600]
    part.drop()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [
    write_new, lambda path, data: write_page(path, data.decode(), private=False),
], ids=["new", "page"])  # fmt: skip
@pytest.mark.parametrize("there", ["file", "link", "dangling", "folder", "script with our mark far down"])
def test_nothing_of_a_users_is_overwritten(tmp_path: Path, there: str, write: Callable[[Path, bytes], None]) -> None:
    notes, named = tmp_path / "notes.txt", tmp_path / "out"
    notes.write_text(PAGE)
    match there:
        case "file":
            named.write_text("my notes")
        case "link":
            named.symlink_to(notes)
        case "dangling":
            named.symlink_to(tmp_path / "none")
        case "folder":
            named.mkdir()
        case _:
            named.write_text(5000 * " " + PAGE)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(InputError, match="it exists"):
        write(named, b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert named.is_symlink() == (there in {"link", "dangling"})


def test_a_page_of_ours_is_written_anew(tmp_path: Path) -> None:
    for more in ("", "2"):
        write_page(tmp_path / "report.html", PAGE + more, private=False)
    assert (tmp_path / "report.html").read_text() == PAGE + "2"
    refuse_foreign(tmp_path / "report.html")


def test_a_file_that_came_while_ours_was_made_is_left(tmp_path: Path) -> None:
    part = AtomicFile(tmp_path / "out.csv", private=False)
    part.file.write(b"ours")
    (tmp_path / "out.csv").write_text("theirs")
    with pytest.raises(InputError, match="not overwritten"):
        part.put(new=True)
    part.drop()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "theirs")]


def test_a_disk_without_links_is_written_to_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    write_new(tmp_path / "a.csv", b"a")
    with pytest.raises(InputError, match="not overwritten"):
        write_new(tmp_path / "a.csv", b"b")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.csv", b"a")]


def test_a_link_in_place_of_a_runs_file_is_not_followed(tmp_path: Path) -> None:
    notes, run = tmp_path / "notes.txt", tmp_path / "run"
    notes.write_text("my notes")
    run.mkdir()
    for name in ("manifest.json", ".transcripts.jsonl.part", "journal.sqlite"):
        (run / name).symlink_to(notes)
    write_own(run / "manifest.json", b"{}")
    part = AtomicFile(run / "transcripts.jsonl", private=True)
    part.file.write(b"said")
    part.put()
    with pytest.raises(StorageError, match=r"journal\.sqlite: cannot be written \(it is a symbolic link\)"):
        own_file(run / "journal.sqlite")
    assert notes.read_text() == "my notes"
    assert not (run / "manifest.json").is_symlink()


def test_what_a_killed_run_left_of_its_files_is_swept_and_nothing_else(tmp_path: Path) -> None:
    kept = {"transcripts.jsonl", ".verdicts.jsonl.part", "mine.part", ".transcripts.jsonl.txt"}
    for name in (*kept, ".transcripts.jsonl.0011.part", ".transcripts.jsonl.part"):
        (tmp_path / name).touch()
    sweep(tmp_path / "transcripts.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == kept


@pytest.mark.parametrize("kind", ["file", "link", "within"])
def test_a_file_where_a_folder_is_wanted_is_the_callers_input(kind: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    if kind == "link":
        mine.symlink_to(tmp_path / "nowhere" / "at-all")
    else:
        mine.write_bytes(b"mine")
    with pytest.raises(InputError, match="is not a folder; name another"):
        own_folder(mine / "run" if kind == "within" else mine)
    with pytest.raises(InputError, match="is not a folder; name another"):
        write_new(mine / "page.html", b"ours")


def test_a_file_that_a_shell_allows_no_larger_is_no_full_disk(tmp_path: Path) -> None:
    write = f"write_own(Path({str(tmp_path / 'a')!r}), bytes(1 << 20))"
    words = f"from pathlib import Path; from mores.core.files import write_own; {write}"
    done = subprocess.run(["/bin/bash", "-c", f'ulimit -f 64; exec "$0" -c "{words}"', sys.executable],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "this shell allows no file as large); raise its limit: ulimit -f unlimited." in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_equal_file_is_known_and_a_link_to_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"words")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert [is_just(tmp_path / name, b"words") for name in ("a", "link", "none")] == [True, False, False]
    assert not is_just(tmp_path / "a", b"Words")
