"""Killed, cut short or out of space: what was answered is kept, and what was not is said."""

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from mores.core.errors import StorageError
from mores.models import journal
from mores.models.journal import request_key
from mores.models.journal_reader import read_entries
from mores.models.request import CallFailed, Reply
from tests.models.clients import Script, ask_all, at_door, request, said, texts

ROOT = Path(__file__).parents[2]
PRELUDE = """
import asyncio, os, resource, signal, sys
from pathlib import Path
from mores.core.errors import MoresError
from tests.models.clients import Script, ask_all, at_door, request, said, slowly
folder = Path(sys.argv[1])
"""


def child(folder: Path, body: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", PRELUDE + body, str(folder)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30, check=False)


def test_a_reply_that_was_returned_outlives_a_kill(tmp_path: Path) -> None:
    killed = child(
        tmp_path,
        """
async def use(door):
    await asyncio.gather(*(door.ask(request(f"Question {n}", item=f"i-{n}")) for n in range(20)))
    os.kill(os.getpid(), signal.SIGKILL)
at_door(folder, Script(said("kept")), use)
""",
    )
    assert killed.returncode == -signal.SIGKILL
    asked = [request(f"Question {n}", item=f"i-{n}") for n in range(20)]
    model = Script(said("asked again"))
    assert texts(at_door(tmp_path, model, ask_all(*asked))) == ["kept"] * 20
    assert model.asked.total() == 0


def test_nothing_is_built_on_a_reply_before_it_is_written_down(tmp_path: Path) -> None:
    """Each reply is printed the moment it comes, in a process that is killed at some moment."""
    killed = child(
        tmp_path,
        """
from mores.models import journal
journal.MOVE_EVERY, journal.MOVE_NOW = 1 << 16, 1 << 17  # the log is moved and begun anew meanwhile
async def one(door, n):
    await door.ask(request(f"Question {n}", item=f"i-{n:03}"))
    os.write(1, f"i-{n:03}\\n".encode())
    if n == 60:
        os.kill(os.getpid(), signal.SIGKILL)
async def use(door):
    await asyncio.gather(*(one(door, n) for n in range(200)))
at_door(folder, Script(slowly(0.001)), use, window=4)
""",
    )
    assert killed.returncode == -signal.SIGKILL
    built_on = set(killed.stdout.split())
    assert len(built_on) > 50
    assert built_on <= {entry.tag.item for entry in read_entries(tmp_path / "journal.sqlite")}


def test_a_full_disk_is_one_clear_line_and_what_was_written_stays(tmp_path: Path) -> None:
    full = child(
        tmp_path,
        """
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
async def use(door):
    for n in range(400):
        await door.ask(request(f"Question {n}", item=f"i-{n:03}"))
        os.write(1, b".")
try:
    at_door(folder, Script(said("word " * 1000)), use)
except MoresError as error:
    print(type(error).__name__, error)
""",
    )
    assert "StorageError" in full.stdout, full.stderr[-2000:]
    assert "journal.sqlite: cannot be written (" in full.stdout
    answered = full.stdout.count(".", 0, full.stdout.index("StorageError"))
    assert 0 < answered < 400
    asked = [request(f"Question {n}", item=f"i-{n:03}") for n in range(answered)]
    model = Script(said())
    assert len(set(texts(at_door(tmp_path, model, ask_all(*asked))))) == 1
    assert model.asked.total() == 0


def test_a_full_disk_stops_simulated_minds_too_though_none_waits_for_its_reply_to_be_written(tmp_path: Path) -> None:
    full = child(
        tmp_path,
        """
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
mind = Script(said("word " * 1000))
mind.simulated = True
async def use(door):
    for n in range(4000):
        await door.ask(request(f"Question {n}", item=f"i-{n:03}"))
        os.write(1, b".")
try:
    at_door(folder, mind, use)
except MoresError as error:
    print(type(error).__name__, error)
""",
    )
    assert "StorageError" in full.stdout, full.stderr[-2000:]
    assert full.stdout.count(".", 0, full.stdout.index("StorageError")) < 4000


def test_a_journal_with_a_torn_last_page_keeps_what_was_committed(tmp_path: Path) -> None:
    at_door(tmp_path, Script(said("kept")), ask_all(*(request(f"Q {n}", item=f"i-{n}") for n in range(10))))
    log = tmp_path / "journal.sqlite-wal"
    log.write_bytes(b"\x37\x7f\x06\x82 torn write" + bytes(500))
    model = Script(said("asked again"))
    assert texts(at_door(tmp_path, model, ask_all(request("Q 3", item="i-3")))) == ["kept"]


def test_a_program_that_looks_into_a_journal_while_it_is_written_takes_nothing_of_it(tmp_path: Path) -> None:
    """Whoever closes a journal last moves its log into the file; a runner that lost its locks would count as gone."""
    killed = child(
        tmp_path,
        """
import subprocess
look = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT count(*) FROM replies'); c.close()"
async def use(door):
    for n in range(3):
        await door.ask(request(f"Question {n}", item=f"i-{n}"))
        subprocess.run([sys.executable, "-c", look, str(folder / "journal.sqlite")], check=True)
    os.kill(os.getpid(), signal.SIGKILL)
at_door(folder, Script(said("kept")), use)
""",
    )
    assert killed.returncode == -signal.SIGKILL
    assert [entry.tag.item for entry in read_entries(tmp_path / "journal.sqlite")] == ["i-0", "i-1", "i-2"]


async def put_down(kept: journal.Journal, number: int) -> None:
    asked = request(f"Question {number}", item=f"i-{number}")
    await kept.write(request_key(Script(), asked), asked, said(), at_once=True)


def test_a_journal_whose_log_is_cut_anywhere_has_what_was_committed_before_and_goes_on(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()

    async def fill(path: Path, *numbers: int) -> None:
        kept = journal.Journal(path)
        for number in numbers:
            await put_down(kept, number)
        if path.parent != whole:
            kept.close()
            return
        for name in ("journal.sqlite", "journal.sqlite-wal"):  # as a machine leaves it that goes down
            (tmp_path / name).write_bytes((whole / name).read_bytes())
        kept.close()

    asyncio.run(fill(whole / "journal.sqlite", *range(12)))
    log, dice, found = (tmp_path / "journal.sqlite-wal").read_bytes(), random.Random(1), set[int]()
    for number, end in enumerate([0, 31, len(log) - 1, len(log), *(dice.randrange(len(log)) for _ in range(20))]):
        folder = tmp_path / f"cut-{number}"
        folder.mkdir()
        (folder / "journal.sqlite").write_bytes((tmp_path / "journal.sqlite").read_bytes())
        (folder / "journal.sqlite-wal").write_bytes(log[:end] + dice.randbytes(number % 3 * 100))
        before = len(list(read_entries(folder / "journal.sqlite"))) if end > 9_000 else 0  # else no table is there yet
        asyncio.run(fill(folder / "journal.sqlite", 50))
        items = [entry.tag.item for entry in read_entries(folder / "journal.sqlite")]
        assert sorted(items) == sorted([*(f"i-{n}" for n in range(before)), "i-50"])
        found.add(before)
    assert len(found) > 6
    assert max(found) == 12


@pytest.mark.filterwarnings("error")
def test_whoever_waits_for_a_commit_that_fails_is_told_and_so_is_the_run_where_nobody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, connect = tmp_path / "journal.sqlite", sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(connect, timeout=0.01))

    async def go() -> None:
        kept = journal.Journal(path)
        other = connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        told = await asyncio.gather(*(put_down(kept, number) for number in range(5)), return_exceptions=True)
        assert {str(each) for each in told} == {
            f"{path}: cannot be written (database is locked); end what else writes to it."
        }
        kept.log_failure(request().tag, 0, "http 500", "", passing=True)
        await asyncio.sleep(0.05)
        other.execute("ROLLBACK")
        with pytest.raises(StorageError, match="database is locked"):
            await kept.flush()
        await put_down(kept, 3)
        other.close()
        kept.close()

    asyncio.run(go())
    assert [entry.tag.item for entry in read_entries(path)] == ["i-3"]


@pytest.mark.parametrize("words", ["half a sign: \ud800", "x" * 2_000])
def test_a_reply_that_no_row_can_hold_is_that_calls_failure_alone(
    tmp_path: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "LONGEST_ROW", 1_000)
    asked = [request(f"Question {n}", item=f"i-{n}") for n in range(3)]
    model = Script(said("kept"), said(words), said("kept too"))
    found = at_door(tmp_path, model, ask_all(*asked))
    assert [type(each) for each in found] == [Reply, CallFailed, Reply]
    assert [entry.reply.text for entry in read_entries(tmp_path / "journal.sqlite")] == ["kept", "kept too"]


def longest_log(folder: Path, replies: int) -> int:
    """The most bytes that the log ever has while so many replies are written, eight at a time."""

    async def go() -> int:
        kept, path, longest = journal.Journal(folder / "journal.sqlite"), folder / "journal.sqlite-wal", 0
        numbers = iter(range(replies))

        async def writer() -> None:
            nonlocal longest
            for number in numbers:
                asked = request(f"Question {number}", item=f"i-{number}")
                await kept.write(request_key(Script(), asked), asked, said())
                longest = max(longest, path.stat().st_size)

        await asyncio.gather(*(writer() for _ in range(8)))
        kept.close()
        return longest

    return asyncio.run(go())


def test_the_log_does_not_grow_with_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MOVE_EVERY", 1 << 19)
    monkeypatch.setattr(journal, "MOVE_NOW", 1 << 20)
    assert longest_log(tmp_path, 1_500) < 2 << 20  # 11 MB otherwise
    assert len(list(read_entries(tmp_path / "journal.sqlite"))) == 1_500


@pytest.mark.soak
def test_the_log_of_a_million_replies_is_at_most_64_megabytes(tmp_path: Path) -> None:
    assert longest_log(tmp_path, 1_000_000) <= 64 << 20
