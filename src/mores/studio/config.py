"""Settings of a studio at its start: its folder, its database, its address; and the secret key kept in the folder."""

import secrets
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import ProgrammingError

from mores.core.errors import InputError
from mores.core.files import own_folder, write_own

SQLITE, POSTGRESQL = "sqlite", "postgresql"
SIMULATED = "simulated/typical"
KEY_FILE, DATABASE_FILE = "secret-key", "studio.sqlite"


class StudioConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One studio.

    Attributes:
        folder: Where its secret key and, with SQLite, its database lie.
        database: Address of a PostgreSQL database (`postgresql://user@host/name`); empty for SQLite in the folder.
        port: Port to listen on.
        url: Address that people type, such as https://studio.example.org behind a proxy; empty for this machine alone.
        proxies: Addresses or networks of proxies before it, whose `X-Forwarded-For` is believed; this machine's are.
        models: Who helps writers, by role: `helper` drafts and revises, `verifier` answers.
        addresses: Where a role's model is reached, None where its preset says so.
        private_hooks: Whether webhooks may lead into the network of the server.
        max_cost: Dollars that help may cost while the studio runs; None for no limit.
    """

    folder: Path
    database: str = ""
    port: int = 8765
    url: str = ""
    proxies: tuple[str, ...] = ()
    models: Mapping[str, str] = msgspec.field(default_factory=lambda: {"helper": SIMULATED, "verifier": SIMULATED})
    addresses: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    max_cost: float | None = None
    private_hooks: bool = False

    @property
    def vendor(self) -> str:
        """`sqlite` or `postgresql`."""
        return POSTGRESQL if self.database else SQLITE

    @property
    def origin(self) -> str:
        """Scheme and host that links begin with."""
        return self.url.rstrip("/") or f"http://127.0.0.1:{self.port}"

    @property
    def hosts(self) -> list[str]:
        """Names that a request may call this studio by."""
        return [urlsplit(self.url).hostname or ""] if self.url else ["127.0.0.1", "localhost", "[::1]"]

    @property
    def https(self) -> bool:
        """True where people reach it by https, which cookies are then bound to."""
        return self.url.startswith("https://")

    def trusted_proxies(self) -> list[IPv4Network | IPv6Network]:
        """Networks of the proxies.

        Raises:
            InputError: one is no address and no network.
        """
        try:
            return [ip_network(each, strict=False) for each in self.proxies]
        except ValueError as error:
            raise InputError(f"--proxy: {error}; expected an address, or a network such as 10.0.0.0/8.") from error

    def databases(self) -> dict[str, dict[str, object]]:
        """Django's two ways to one database: `default` writes, `snapshot` reads all of an export at one instant."""
        if not self.database:
            file = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(self.folder / DATABASE_FILE)}
            # Full synchronisation: what was acknowledged is on the disk also when the power goes.
            pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=30000;"
            pragmas += "PRAGMA secure_delete=FAST;"  # what was deleted does not stay in the file, unseen
            options = {"init_command": pragmas, "timeout": 30}
            return {
                "default": file | {"OPTIONS": options | {"transaction_mode": "IMMEDIATE"}, "CONN_MAX_AGE": None},
                # An export only reads: begun like a writer it would keep all others waiting.
                "snapshot": file | {"OPTIONS": options | {"transaction_mode": "DEFERRED"}},
            }
        server = _server(self.database)
        # REPEATABLE READ, by the number that psycopg has for it.
        repeatable = {"OPTIONS": server["OPTIONS"] | {"isolation_level": 3}}  # type: ignore[operator]
        return {"default": server | {"CONN_MAX_AGE": None}, "snapshot": server | repeatable}

    def secret_key(self) -> str:
        """The key that sessions and links are signed with, made once and for the owner's eyes alone.

        Raises:
            StorageError: the folder cannot be written.
        """
        path = self.folder / KEY_FILE
        own_folder(self.folder)
        if not path.is_file():
            write_own(path, secrets.token_urlsafe(48).encode())
        return path.read_text()


def _server(url: str) -> dict[str, object]:
    if not url.startswith(("postgresql://", "postgres://")):
        raise InputError(
            f"--database {url}: expected postgresql://USER@HOST/NAME, or nothing for SQLite in the studio's folder."
        )
    try:
        known = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except ProgrammingError as error:
        raise InputError(f"--database {url}: {error}; expected postgresql://USER@HOST/NAME.") from error
    named = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    found = {django: known.pop(theirs, "") for django, theirs in named.items()}
    # A statement that comes again is planned once a connection, so a pooler before it has to pool sessions.
    options = {"server_side_binding": True, "prepare_threshold": 5, **known}
    return {"ENGINE": "django.db.backends.postgresql", **found, "OPTIONS": options}
