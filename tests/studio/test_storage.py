"""Disks that are full, exports and copies that are made while people go on working, and items that come in."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client

from benchmarks.load.crowd import Tally, crowd
from benchmarks.load.studio import SLUG, check, fill
from mores.core.errors import InputError, StorageError
from mores.studio.config import StudioConfig
from mores.studio.flows.importing import import_file
from mores.studio.import_export import backup
from mores.studio.models import AuditEvent, Project, Response, WorkItem
from mores.studio.work.records import read_items
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed
from tests.studio.served import serving


@contextmanager
def _crowded(studio: StudioConfig, people: int = 12) -> Iterator[Tally]:
    """A real server on which people work while something else is done."""
    sessions, tally = fill(items=400, people=people), Tally()
    over = threading.Event()
    with serving(studio) as server, ThreadPoolExecutor(1) as thread:
        work = crowd(server.url, SLUG, sessions, tally, pause=0.0, over=over.is_set)
        running = thread.submit(asyncio.run, work)
        while not tally.acknowledged and not running.done():
            pass
        try:
            yield tally
        finally:
            over.set()
            running.result()


@BOTH
def test_an_export_shows_one_instant_while_people_go_on(studio: StudioConfig) -> None:
    with _crowded(studio) as tally:
        project = Project.objects.get()
        known = 0
        for _ in range(6):
            before = len(tally.acknowledged)
            records = read_items(project)
            answers = sum(len(record.answers) for record in records)
            assert before <= answers
            assert known <= answers
            assert all(len(record.counted) <= record.quota for record in records)
            assert all(len(record.counted) == record.quota for record in records if record.outcome is not None)
            known = answers
    assert check(tally.acknowledged).sound


def test_a_copy_made_while_people_go_on_is_whole(studio: StudioConfig, tmp_path: Path) -> None:
    out = tmp_path / "copy.sqlite"
    with _crowded(studio) as tally:
        before = set(tally.acknowledged)
        backup(out)
    with closing(sqlite3.connect(out)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = {key for (key,) in copy.execute("SELECT idem_key FROM studio_response")}
    assert before <= kept <= set(Response.objects.values_list("idem_key", flat=True))
    assert out.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="exists already"):
        backup(out)


def test_a_full_disk_is_told_and_nothing_is_stored_by_halves(studio: StudioConfig) -> None:
    project = made.project()
    made.questions(project, 3)
    (person,) = made.annotators(project, 1)
    place = f"/p/feasts/work/{claimed(person).assignment}"
    client = Client()
    client.force_login(person.account, backend="django.contrib.auth.backends.ModelBackend")
    cursor = connection.cursor()
    cursor.execute("PRAGMA max_page_count = 1")  # as many as there are, and no more
    statuses = [
        client.post(place, {"options": "a", "key": f"change {n}", "changes": Response.objects.count()}).status_code
        for n in range(60)
    ]
    assert statuses[-1] == 503
    assert Response.objects.count() == AuditEvent.objects.filter(what="submit").count() == statuses.count(302)
    cursor.execute("PRAGMA max_page_count = 1000000")
    again = {"options": "a", "key": "change 59", "changes": Response.objects.count()}
    assert client.post(place, again).status_code == 302


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((InputError, StorageError), match="file"):
        StudioConfig(folder=tmp_path / "file" / "studio").secret_key()


@BOTH
def test_a_file_given_twice_adds_nothing_and_other_words_are_refused(studio: StudioConfig, tmp_path: Path) -> None:
    project = made.project()
    file = made.question_file(tmp_path, 4)
    assert (import_file(project, file).new, import_file(project, file).known) == (4, 4)
    file.write_text(file.read_text().replace("Song 2", "Hymn 2"))
    with pytest.raises(InputError, match="'2' is in the project with other words"):
        import_file(project, file)
    assert WorkItem.objects.count() == 4


@pytest.mark.parametrize(
    ("was", "becomes", "told"),
    [
        ("Song 1", "", "questions.csv:3: prompt_option_a is empty"),
        ("Dance 1", "Song 1", "questions.csv:3: two options say the same"),
        ("Meal 0,Silence 0,Japan", "Meal 0,Silence 0,Nowhere", "questions.csv:2: No place is called 'Nowhere'"),
        ("\n1,", "\n0,", "the key '0' stands twice"),
        ("country", "land", "no column"),
        ("Song 1", "Song\x001", "NUL"),
    ],
)
def test_a_file_with_one_bad_row_is_refused_as_a_whole(
    studio: StudioConfig, tmp_path: Path, was: str, becomes: str, told: str
) -> None:
    project = made.project()
    file = made.question_file(tmp_path, 3)
    file.write_text(file.read_text().replace(was, becomes))
    with pytest.raises(InputError, match=told):
        import_file(project, file)
    assert not WorkItem.objects.exists()
