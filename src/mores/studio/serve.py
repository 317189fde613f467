"""The server: gunicorn, in code.

SQLite has one writer, so one process with threads serves it best; PostgreSQL is served by two processes or more.
"""

import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import sleep

from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connections
from gunicorn.app.base import BaseApplication

from mores.core.errors import InputError
from mores.studio.accounts.links import owner_token
from mores.studio.config import SQLITE, StudioConfig
from mores.studio.connections.hooks import HookWorker
from mores.studio.flows.closing import close_everywhere
from mores.studio.help.worker import HelpWorker
from mores.studio.logs import DiscreetLogger
from mores.studio.models import Account
from mores.studio.wsgi import Application, application

THREADS = 16
DAY = 24 * 3600.0


def serve(config: StudioConfig, say: Callable[[str], None]) -> None:
    """Serve an opened studio until it is stopped; `say` is told the owner's one-time link while there is no owner.

    Raises:
        InputError: another program listens on the port; links that were given out stay as they are.
    """
    _refuse_taken(config)
    if not Account.objects.filter(is_owner=True).exists():
        say("Open this link once, within 24 hours, to make the owner's account:")
        say(f"{config.origin}/enter/{owner_token()}")
    close_everywhere()
    say(f"The studio is served at {config.origin}, from {config.folder}. Stop it with Ctrl-C.")
    connections.close_all()  # none is carried over into the workers
    _Server(config).run()


def _refuse_taken(config: StudioConfig) -> None:
    with socket.socket() as probe:
        # As the server binds: a port that its last run has just left is not taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_host(config), config.port))
        except OSError as error:
            raise InputError(
                f"--port {config.port}: it cannot be listened on ({error.strerror}); name another, or stop the program "
                "that has it."
            ) from error


def _host(config: StudioConfig) -> str:
    return "0.0.0.0" if config.url else "127.0.0.1"  # noqa: S104 - whoever names a public address wants to be reached


def tidy() -> None:
    """Forget what ran out: sessions. A database that is down is tidied another day."""
    try:
        SessionStore.clear_expired()
    except DatabaseError as error:
        logging.getLogger(__name__).warning("sessions that ran out are still kept: %s", error)
    finally:
        connections.close_all()


def _tidy_daily() -> None:
    while True:
        tidy()
        sleep(DAY)


class _Server(BaseApplication):  # type: ignore[misc]
    def __init__(self, config: StudioConfig) -> None:
        self.config = config
        super().__init__()

    def load_config(self) -> None:
        options = {
            "chdir": str(Path.cwd()),  # gunicorn's own default is where the process was when it was imported
            "bind": f"{_host(self.config)}:{self.config.port}",
            "workers": 1 if self.config.vendor == SQLITE else max(2, os.cpu_count() or 2),
            "worker_class": "gthread",
            "threads": THREADS,
            "timeout": 120,
            "graceful_timeout": 30,
            "loglevel": "warning",
            "logger_class": DiscreetLogger,
            "limit_request_line": 4094,
            "keepalive": 5,
            # One of the workers carries out what models are asked for; another follows where it dies.
            "post_worker_init": lambda _worker: self._begin(),
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def _begin(self) -> None:
        HelpWorker(self.config).start()
        HookWorker(self.config).start()
        Thread(target=_tidy_daily, name="tidy", daemon=True).start()

    def load(self) -> Application:
        return application()
