"""`mores` in a process of its own that need not import everything first, which takes it thrice as long as its work.

One process of this session has imported all verbs and read the bundled pack; each command is a copy of it, with
arguments, folder, environment and output of its own. It can be sent signals and be killed as any other.
"""

import os
import pkgutil
import runpy
import signal
import sys
from collections.abc import Callable
from contextlib import chdir
from multiprocessing import forkserver, get_context
from pathlib import Path
from shutil import rmtree
from subprocess import TimeoutExpired
from tempfile import mkdtemp
from weakref import finalize

import mores.benchmarks
import mores.cli

SAID = ("out", "err")
_copies = get_context("forkserver")
_verbs = [f"mores.cli.{module.name}" for module in pkgutil.iter_modules(mores.cli.__path__)]
_of_studio = (
    "django.db.models", "django.core.management", "django.core.handlers.wsgi", "django.contrib.auth.hashers",
    "django.views.generic", "django.test", "gunicorn.app.base", "gunicorn.workers.gthread", "gunicorn.glogging",
    "argon2", "whitenoise.middleware", "django.db.migrations.executor", "django.db.migrations.autodetector",
    "django.db.backends.sqlite3.base", "django.db.backends.postgresql.base", "django.views.i18n",
    "django.contrib.auth.password_validation",
)  # fmt: skip
_families = [module.name for module in pkgutil.walk_packages(mores.benchmarks.__path__, "mores.benchmarks.")]
_late = ("pydantic.type_adapter", "pydantic.types", "typer._adapters", "sklearn.feature_extraction.text")
_copies.set_forkserver_preload([*_verbs, *_families, *_late, "tests.runs.preloaded", *_of_studio])
_ROOT = Path(__file__).parents[2]


class Warm:
    """A command under way, or ended."""

    def __init__(
        self, words: list[str], cwd: Path, environment: dict[str, str], before: Callable[[], None] | None = None
    ) -> None:
        self.words = ["mores", *words]
        self._printed: list[str] = []
        self._said = Path(mkdtemp(prefix="mores-said-"))
        finalize(self, rmtree, self._said, ignore_errors=True)
        for name in SAID:
            (self._said / name).touch()
        _make_ready()
        self._process = _copies.Process(target=_run, args=(self.words, cwd, environment, self._said, before))
        self._process.start()

    @property
    def returncode(self) -> int | None:
        """As a shell has it: None while it runs, the signal's number below nought where one ended it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it still runs."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """As kill -9 does."""
        self.send_signal(signal.SIGKILL)

    @property
    def pid(self) -> int:
        """Its number, also of its group where it is apart."""
        return self._process.pid or 0

    def wait(self, timeout: float | None = None) -> int | None:
        """Its return code, once it has ended; None where it has not after so many seconds."""
        self._process.join(timeout)
        return self.returncode

    def printed_so_far(self) -> str:
        """What stands in its output by now, while it runs."""
        return (self._said / SAID[0]).read_text(encoding="utf-8")

    def told_so_far(self) -> str:
        """What stands in its errors by now, while it runs."""
        return (self._said / SAID[1]).read_text(encoding="utf-8")

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it printed, to its output and to its errors, once it has ended.

        Raises:
            TimeoutExpired: it has not after so many seconds.
        """
        self._process.join(timeout)
        if self.returncode is None:
            raise TimeoutExpired(self.words, timeout or 0.0)
        if not self._printed:
            self._printed = [(self._said / name).read_text(encoding="utf-8") for name in SAID]
        return self._printed[0], self._printed[1]


def apart(log: Path) -> None:
    """Called before a command: it leads a group of its own and says everything into one file."""
    os.setsid()
    to = os.open(log, os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(to, 1)
    os.dup2(to, 2)


def _make_ready() -> None:
    """Start the process that is copied, unless it runs; it finds modules of tests by its environment alone.

    It stands in the project's root, since libraries keep the folder in which they were imported.
    """
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *filter(None, [before])])
    try:
        with chdir(_ROOT):
            forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _run(
    words: list[str], cwd: Path, environment: dict[str, str], said: Path, before: Callable[[], None] | None
) -> None:
    for number, name in enumerate(SAID, start=1):
        to = os.open(said / name, os.O_WRONLY)
        os.dup2(to, number)
        os.close(to)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    if before is not None:
        before()
    runpy.run_module("mores", run_name="__main__", alter_sys=True)
