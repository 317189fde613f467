"""`mores town replay`: a day in town as a page to look at."""

import sys
from pathlib import Path

from mores.core.errors import InputError
from mores.reports.replay import Replay, read_replay, write_replay


def replay(run: Path, *, episode: str | None, against: Path | None, out: Path | None) -> None:
    """Write a day as a page and print where it lies, by default in the run's folder.

    Raises:
        InputError: a folder is no finished run with days in town, the episode is unknown, or the file is a folder.
    """
    if out is not None and out.is_dir():
        raise InputError(f"--out {out}: it is a folder; expected the page's file name, such as {out / 'replay.html'}.")
    found = read_replay(run, episode=episode, against=against)
    page = out if out is not None else run / _page_of(found)
    write_replay(found, page, private=out is None)
    sys.stdout.write(f"{page}\n")


def _page_of(found: Replay) -> str:
    """The page's name: that of the episode, and its sample where it is not the first."""
    first = found.days[0]
    sample = f"-{first.sample}" if first.sample else ""
    return f"replay-{first.item}{sample}.html"
