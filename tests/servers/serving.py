"""Starts real servers for tests, each over the one small model that is made for them, and stops them."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("gguf", "xllamacpp")


def made(folder: Path) -> Path:
    """The small model; the test is skipped where there are no wheels to make or to serve it with."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        pytest.skip(f"no wheel of {', '.join(missing)} for this machine")
    path = folder / "babbler.gguf"
    _run("tests.servers.babbler", str(path))
    return path


@dataclass(slots=True)
class Served:
    """A server at a port of its own, which it keeps over restarts."""

    model: Path
    context: int
    key: str
    port: int
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        """Return once it listens."""
        words = [str(self.model), str(self.port), str(self.context), *([self.key] if self.key else [])]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.llama", *words], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip
        assert self.process.stdout is not None
        assert str(self.port) in self.process.stdout.readline(), "the server did not start"

    def kill(self) -> None:
        """As kill -9 does."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


@contextmanager
def served(model: Path, *, context: int = 4096, key: str = "") -> Iterator[Served]:
    """A server for as long as the block lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Served(model, context, key, free.getsockname()[1])
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _run(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], cwd=ROOT, check=True, env=_environment())


def _environment() -> dict[str, str]:
    """This one, with one thread for sums: more are slower on a busy machine."""
    return {**os.environ, "OMP_NUM_THREADS": "1"}
