"""Making a studio: its tables, on the first start and after an update."""

from django.core.management import call_command
from django.db import OperationalError

from mores.core.errors import InputError, StorageError
from mores.core.files import own_file
from mores.studio.config import DATABASE_FILE, SQLITE, StudioConfig
from mores.studio.settings import configure


def open_studio(config: StudioConfig) -> None:
    """Set Django up and bring the tables up to date; the first of all things a process does with a studio.

    Raises:
        InputError: the database server does not let us in.
        StorageError: the folder cannot be written.
    """
    configure(config)
    if config.vendor == SQLITE:
        own_file(config.folder / DATABASE_FILE)
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        if config.vendor == SQLITE:
            raise StorageError(
                f"{config.folder}: the database cannot be written ({error}); choose another folder."
            ) from error
        raise InputError(f"--database: {' '.join(str(error).split())}") from error
