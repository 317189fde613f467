"""`mores` at a terminal, and what that is sent."""

import io
import os
import pty
import select
import sys
from functools import partial
from pathlib import Path

from tests.runs.conduct import begin


def on_a_terminal(*words: object, cwd: Path, columns: int = 100) -> tuple[int | None, str]:
    """Exit and everything that a terminal of so many columns was sent."""
    ours, theirs = pty.openpty()
    process = begin(
        *words, cwd=cwd, before=partial(_attach, os.ttyname(theirs)), TERM="xterm-256color", COLUMNS=str(columns)
    )
    sent, ended = b"", False
    while not ended:
        ended = process.poll() is not None
        while select.select([ours], [], [], 0.0 if ended else 0.02)[0]:
            sent += os.read(ours, 65_536)
    os.close(ours)
    os.close(theirs)
    process.communicate()
    return process.returncode, sent.decode()


def _attach(name: str) -> None:
    """Called before a command: it reads from a terminal and writes to it, line by line."""
    terminal = os.open(name, os.O_RDWR | os.O_NOCTTY)
    for number in range(3):
        os.dup2(terminal, number)
    os.close(terminal)
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(line_buffering=True)
