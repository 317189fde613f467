"""The real server as a process of its own, and people who are signed in to it."""

import asyncio
import os
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import aiohttp
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from mores.studio.config import StudioConfig
from mores.studio.models import Account
from tests.runs.warm import Warm, apart

BACKEND = "django.contrib.auth.backends.ModelBackend"
TOKEN = "t" * 32
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running server."""

    url: str
    process: Warm
    log: Path

    def ended(self) -> bool:
        """True once it runs no more."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """End it and its workers as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(config: StudioConfig, **environment: str) -> Iterator[Served]:
    """A server of this studio, up and answering; killed in the end."""
    server = started(config, **environment)
    try:
        yield server
    except BaseException:
        sys.stdout.write(server.log.read_text()[-8000:])
        raise
    finally:
        if server.process.poll() is None:
            server.kill()


def started(config: StudioConfig, **environment: str) -> Served:
    """A server of this studio, up and answering."""
    port = _free_port()
    words = ["studio", "serve", "--folder", str(config.folder), "--port", str(port), "--database", config.database]
    log = config.folder / f"serve-{port}.log"
    process = Warm(words, config.folder, _environment() | environment, partial(apart, log))
    server = Served(url=f"http://127.0.0.1:{port}", process=process, log=log)
    _wait(server)
    return server


def _environment() -> dict[str, str]:
    """This process's, without what its tests alone may do."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: Served) -> None:
    while server.process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(server.log.read_text())


def session_of(account: Account) -> str:
    """The cookie of a session in which somebody is signed in."""
    store = SessionStore()
    store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(account.pk), BACKEND
    store[HASH_SESSION_KEY] = account.get_session_auth_hash()
    store.save()
    return str(store.session_key)


def cookies_of(account: Account) -> dict[str, str]:
    """Cookies with which somebody is signed in and may post."""
    return {"sessionid": session_of(account), "csrftoken": TOKEN}


def together(ask: Callable[[aiohttp.ClientSession, T], Awaitable[None]], over: Iterable[T]) -> None:
    """Do all of it at the same time, over one client without cookies of its own."""

    async def everything() -> None:
        connector = aiohttp.TCPConnector(limit=0)
        headers = {"X-CSRFToken": TOKEN, "Accept": "application/json"}
        jar = aiohttp.DummyCookieJar()
        async with aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=jar) as client:
            await asyncio.gather(*(ask(client, each) for each in over))

    with ThreadPoolExecutor(1) as thread:  # a browser of the same module has a loop in this one
        thread.submit(asyncio.run, everything()).result()
