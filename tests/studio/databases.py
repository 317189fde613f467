"""Both databases for tests: SQLite on disk, and a PostgreSQL server of our own where its programs are installed.

Each has one migrated template; a test gets a copy of it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from mores.studio.config import DATABASE_FILE, KEY_FILE, StudioConfig

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def programs() -> Path | None:
    """Folder of PostgreSQL's programs, None where it is not installed."""
    found = shutil.which("initdb")
    return Path(found).parent if found else next(iter(reversed(PROGRAMS)), None)


@contextmanager
def server(*, fsync: bool = False) -> Iterator[str]:
    """Address of a running PostgreSQL server without its database's name; reached through a socket in a folder."""
    bin_ = programs()
    if bin_ is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # A socket's path is short, and the server refuses to run as root.
    memory = not fsync and os.access("/dev/shm", os.W_OK)
    folder = Path(tempfile.mkdtemp(prefix="mores-pg-", dir="/dev/shm" if memory else "/tmp"))
    data, unprivileged = folder / "data", _unprivileged(folder)
    try:
        _call(*unprivileged, bin_ / "initdb", "-D", data, "-U", "mores", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c max_connections=200 -c fsync={'on' if fsync else 'off'}"
        _call(*unprivileged, bin_ / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        yield f"postgresql://mores@/{{name}}?host={folder}"
    finally:
        stop = (*unprivileged, bin_ / "pg_ctl", "-D", data, "-m", "immediate", "stop")
        subprocess.run([str(part) for part in stop], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database_of_our_own() -> Iterator[str]:
    """Address of an empty database on a PostgreSQL server that waits for the disk, as one in earnest does."""
    with server(fsync=True) as address:
        with psycopg.connect(address.format(name="postgres"), autocommit=True) as link:
            link.execute("CREATE DATABASE studio")
        yield address.format(name="studio")


def _unprivileged(folder: Path) -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ()
    shutil.chown(folder, "nobody")
    return ("runuser", "-u", "nobody", "--")


def _call(*command: object) -> None:
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr or done.stdout


def migrated(config: StudioConfig) -> None:
    """Bring a database up to date, in a process of its own."""
    program = (
        "import sys; from pathlib import Path; from mores.studio.config import StudioConfig;"
        "from mores.studio.setup import open_studio;"
        "open_studio(StudioConfig(folder=Path(sys.argv[1]), database=sys.argv[2]))"
    )
    _call(sys.executable, "-c", program, config.folder, config.database)


def copied(template: StudioConfig, folder: Path) -> StudioConfig:
    """A studio on a copy of a template's database, with the secret key of this process, so that sessions are shared."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / KEY_FILE).write_text(settings.SECRET_KEY)
    if not template.database:
        shutil.copy(template.folder / DATABASE_FILE, folder / DATABASE_FILE)
        return StudioConfig(folder=folder)
    name = f"t_{os.urandom(6).hex()}"
    _administer(template.database, f"CREATE DATABASE {name} TEMPLATE template_studio STRATEGY file_copy")
    return StudioConfig(folder=folder, database=template.database.replace("/template_studio", f"/{name}"))


@contextmanager
def emptied(template: StudioConfig | None, folder: Path) -> Iterator[StudioConfig]:
    """A studio on an empty database: of a template's server, or SQLite's without one."""
    folder.mkdir(parents=True)
    (folder / KEY_FILE).write_text(settings.SECRET_KEY)
    if template is None:
        yield StudioConfig(folder=folder)
        return
    name = f"t_{os.urandom(6).hex()}"
    _administer(template.database, f"CREATE DATABASE {name}")
    config = StudioConfig(folder=folder, database=template.database.replace("/template_studio", f"/{name}"))
    yield config
    dropped(config)


def dropped(config: StudioConfig) -> None:
    """Take a copy away again, whoever is still connected; a file goes with its folder."""
    if config.database:
        name = config.database.partition("?")[0].rpartition("/")[2]
        _administer(config.database, f"DROP DATABASE {name} WITH (FORCE)")


def _administer(database: str, words: str) -> None:
    address, _, options = database.partition("?")
    with psycopg.connect(f"{address.rpartition('/')[0]}/postgres?{options}", autocommit=True) as link:
        link.execute(words.encode())
