"""A studio for each test, on either database."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connections

from mores.studio import settings as constants
from mores.studio.config import POSTGRESQL, SQLITE, StudioConfig
from tests.studio.databases import copied, dropped, migrated, server

# Models can be imported only once Django is set up; which database it uses changes from test to test.
_HOME = tempfile.TemporaryDirectory(prefix="mores-studio-")
constants.LOGGING = {"version": 1, "disable_existing_loggers": False}  # other rooms' tests see no handler of ours
constants.configure(StudioConfig(folder=Path(_HOME.name)))
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
settings.ALLOWED_HOSTS = ["*"]
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright leaves a loop in the thread; nothing here is asynchronous

from playwright.sync_api import Browser  # noqa: E402

from tests.studio.browser import browsing  # noqa: E402 - it imports models

BOTH = pytest.mark.parametrize("studio", [SQLITE, POSTGRESQL], indirect=True)


@pytest.fixture(scope="session")
def template_sqlite(tmp_path_factory: pytest.TempPathFactory) -> StudioConfig:
    """A migrated SQLite database to copy."""
    config = StudioConfig(folder=tmp_path_factory.mktemp("template"))
    migrated(config)
    return config


@pytest.fixture(scope="session")
def template_postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioConfig]:
    """A migrated PostgreSQL database to copy."""
    with server() as address:
        with psycopg.connect(address.format(name="postgres"), autocommit=True) as link:
            link.execute("CREATE DATABASE template_studio")
        config = StudioConfig(
            folder=tmp_path_factory.mktemp("template-pg"), database=address.format(name="template_studio")
        )
        migrated(config)
        yield config


@pytest.fixture
def studio(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StudioConfig]:
    """An empty studio that this process is connected to: on SQLite, or on what the test names."""
    vendor = getattr(request, "param", SQLITE)
    template: StudioConfig = request.getfixturevalue(f"template_{vendor}")
    config = copied(template, tmp_path / "studio")
    _connect(config)
    yield config
    connections.close_all()
    dropped(config)


def _hasty(config: StudioConfig) -> dict[str, dict[str, object]]:
    """The databases as a test writes to them: SQLite need not wait for the disk; servers under test do."""
    databases = config.databases()
    for each in databases.values():
        options: dict[str, object] = each["OPTIONS"]  # type: ignore[assignment]
        if "init_command" in options:
            each["OPTIONS"] = options | {"init_command": str(options["init_command"]).replace("FULL", "OFF")}
    return databases


def _connect(config: StudioConfig) -> None:
    connections.close_all()
    connections.settings.update(connections.configure_settings(_hasty(config)))
    for alias in config.databases():
        with suppress(AttributeError):  # of a thread that has not connected yet
            del connections[alias]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; of one module, as its loop would be in the way of others' tests."""
    with browsing() as found:
        yield found
