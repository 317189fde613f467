"""Entry of the shell: errors are one line, and what is printed passes the filter of control characters."""

import atexit
import gc
import os
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from errno import ENAMETOOLONG, ENOSPC, EPIPE
from pathlib import Path
from time import time
from typing import TextIO

from mores import __version__
from mores.cli.app import carry_out
from mores.core.code_errors import OWN, cause_of, kept_failures, missing_import, please_report
from mores.core.errors import InputError, MoresError
from mores.core.installed import changed_since
from mores.core.terminal_safety import SafeStream, describe_error, print_error

# A run's arithmetic is small: idle threads of the linear algebra cost more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Threads of PyTorch that wait for one another sleep: on a machine that has other work too they would spend three times
# the time of a core.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


STARTED = time()
"""When this process began, nearly: files of mores that are newer are not those that it runs."""
NAMED = 5
"""Parts that failed of which each is named."""


def main() -> None:
    """Run the command line; errors are one line, exit 2 for the caller's input and 1 for ours."""
    atexit.register(gc.freeze)  # what ends with the process need not be looked through for cycles
    with redirect_stdout(SafeStream(_stream(sys.stdout))), redirect_stderr(SafeStream(_stream(sys.stderr))):
        try:
            status: str | int | None = _exit()
            sys.stdout.flush()
        except SystemExit as end:
            status = end.code
        except OSError as error:
            status = _unprinted(error)
        sys.exit(status)


def _exit() -> int:
    """Exit code of the command; what stopped it has been printed."""
    try:
        _readable(sys.argv)
        with kept_failures() as failed:
            try:
                return carry_out() or int(bool(failed))
            finally:
                _tell_failed(list(failed))
    except MoresError as error:
        print_error(str(error))
        return 2 if isinstance(error, InputError) else 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the outermost place: what is printed passes the filter
        if isinstance(error, OSError) and error.errno in {ENOSPC, EPIPE}:  # files and endpoints say it by themselves
            return _unprinted(error)
        if isinstance(error, OSError) and error.errno == ENAMETOOLONG:
            print_error(
                f"{str(error.filename)[:60]}…: no file can have so long a name; expected the name of a file or folder."
            )
            return 2
        if sys.flags.dev_mode:
            traceback.print_exc()
        print_error(_describe_failure(error))
        return 1


def _describe_failure(error: Exception) -> str:
    """Line on a failure in the code of mores or of a package, and on what to do."""
    missing = missing_import(error)
    # A run imports as it goes, so an update under it leaves it with modules of two versions.
    if missing and changed_since(STARTED):
        return f"mores was changed on disk while it ran ({error}); what was answered is kept: mores resume goes on."
    cause = cause_of(error)
    what = describe_error(error) if cause == OWN or not missing else f"no {missing} in mores {__version__}"
    return f"{cause}: {what} ({_where(error)}). {please_report(cause)}"


def _tell_failed(sentences: list[str]) -> None:
    """Say which parts of what was to be made could not be."""
    for sentence in sentences[:NAMED]:
        print_error(sentence)
    if len(sentences) > NAMED:
        print_error(f"{len(sentences) - NAMED:,} more parts could not be made.")


def _where(error: BaseException) -> str:
    """The place in the code that raised an error; `python -X dev -m mores` prints the whole way to it."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    return f"{frame.f_globals.get('__name__', '?')}, line {line}"


def _unprinted(error: OSError) -> int:
    """The status where what is printed cannot be written; where whoever reads it has enough, nothing is said."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left of it is not tried again as the process ends
    if error.errno != EPIPE:
        print_error(
            f"what is printed cannot be written where it is sent ({error.strerror}); make room, or send it elsewhere."
        )
    return 1


def _stream(given: TextIO | None) -> TextIO:
    """Stream to print to; one to nowhere where the command was started without it."""
    return given or Path(os.devnull).open("w", encoding="utf-8")


def _readable(words: list[str]) -> None:
    """Refuse what was typed in no UTF-8: a manifest could not say it again."""
    for word in words:
        if not word.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in word):
            raise InputError(f"'{word}' is not UTF-8; expected names of files and models in UTF-8.")
