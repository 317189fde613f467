"""A reply that was changed in the journal is not built on; older journals have no checksums and are read."""

import re
import sqlite3
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.models.journal import request_key
from mores.models.journal_reader import EarlierJournal, read_entries
from tests.models.clients import Script, ask_all, at_door, request, said, texts

CHANGES = (
    "UPDATE replies SET reply = replace(reply, 'True', 'Fals')",
    "UPDATE replies SET request = replace(request, 'What', 'Whom')",
    "UPDATE replies SET item = 'other'",
    "UPDATE replies SET sample = 1",
    "UPDATE replies SET seal = x'0000000000000000'",
    "UPDATE replies SET seal = NULL",
    "ALTER TABLE replies DROP COLUMN seal",
    "UPDATE replies SET reply = 7",
    "UPDATE replies SET reply = reply || ' '",
)


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("statement", CHANGES)
def test_nothing_is_built_on_a_reply_that_was_changed(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "journal.sqlite"
    asked = request("What is done?", item="i-7")
    at_door(tmp_path, Script(said("True")), ask_all(asked))
    change(path, statement)
    model = Script(said("another"))
    (found,) = at_door(tmp_path, model, ask_all(asked))
    assert isinstance(found, InputError)
    assert re.search(r"journal\.sqlite: the reply to (i-7|other) \(subject, .* was changed after it", str(found))
    assert not model.asked
    earlier = EarlierJournal(path)
    with pytest.raises(InputError, match="was changed after it was written"):
        earlier.find(request_key(model, asked))
    earlier.close()
    with pytest.raises(InputError, match="was changed after it was written"):
        list(read_entries(path))


def test_a_journal_of_before_there_were_checksums_is_read_and_continued_with_them(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    at_door(tmp_path, Script(said("True")), ask_all(request(item="old")))
    change(path, "ALTER TABLE replies DROP COLUMN seal", "PRAGMA user_version = 2")
    earlier = EarlierJournal(path)
    assert earlier.find(request_key(Script(), request(item="old")))
    earlier.close()
    assert texts(at_door(tmp_path, Script(said("x")), ask_all(request(item="old"), request("So?", item="new")))) == [
        "True", "x",
    ]  # fmt: skip
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT item, seal IS NULL FROM replies ORDER BY item").fetchall() == [
        ("new", 0), ("old", 0),
    ]  # fmt: skip
    connection.close()
    change(path, "UPDATE replies SET seal = NULL WHERE item = 'old'")
    with pytest.raises(InputError, match=r"the reply to old .* was changed after it was written"):
        list(read_entries(path))
