"""Making a studio: its tables, on the first start and after an update."""

import shutil
from pathlib import Path

from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from mores.core.errors import InputError, StorageError
from mores.core.files import own_file
from mores.studio.config import DATABASE_FILE, SQLITE, StudioConfig
from mores.studio.settings import configure

LEAST = 1 << 16
"""Bytes without which SQLite cannot even begin to read: its shared memory, and a page to write."""


def open_studio(config: StudioConfig) -> None:
    """Set Django up and bring the tables up to date; the first of all things a process does with a studio.

    Raises:
        InputError: the database server does not let us in, or the folder is a file.
        StorageError: the folder cannot be written.
    """
    try:
        configure(config)
        if config.vendor == SQLITE:
            own_file(config.folder / DATABASE_FILE)
    except StorageError as error:
        raise _not_written(config.folder, error.__cause__ or error) from error
    try:
        executor = MigrationExecutor(connection)
        # Where there are no tables to make or to change, `migrate` would still make all models once more.
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        if config.vendor == SQLITE:
            raise _not_written(config.folder, error) from error
        raise InputError(f"--database: {' '.join(str(error).split())}") from error


def _not_written(folder: Path, error: BaseException) -> StorageError:
    """Error of the disk, with the flag that names the folder; SQLite calls a full one an error of input and output."""
    full = folder.is_dir() and shutil.disk_usage(folder).free < LEAST
    why = "the disk is full" if full else getattr(error, "strerror", None) or str(error)
    return StorageError(
        f"--folder {folder}: cannot be written ({why}); nothing is lost. Make room there, or let it be written."
    )
