"""A copy of a studio's database while it goes on working."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from django.db import connection

from mores.core.errors import InputError, StorageError
from mores.core.files import own_file, refuse_taken


def backup(out: Path) -> None:
    """Copy the SQLite database to a new file: all of it as it stands at one instant, or no file at all.

    Raises:
        InputError: the file is there already, or the studio is on PostgreSQL, which has its own.
        StorageError: the copy cannot be written.
    """
    if connection.vendor != "sqlite":
        raise InputError("backup: this studio is on PostgreSQL; use pg_dump, which copies while it runs.")
    refuse_taken(out)
    own_file(out)
    connection.ensure_connection()
    try:
        with closing(sqlite3.connect(out)) as copy:
            connection.connection.backup(copy)
    except sqlite3.Error as error:
        with suppress(OSError):  # half a copy is worse than none
            out.unlink()
        raise StorageError(f"--out {out}: the copy cannot be written ({error}); make room or name another.") from error
