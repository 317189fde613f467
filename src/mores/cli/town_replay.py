"""`mores town replay`: a day in town as a page to look at."""

import sys
from pathlib import Path

from mores.analysis.results import Result
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.replay import Replay, replay_of, write_replay
from mores.cli.args_list import ReplayArgs
from mores.core.errors import InputError
from mores.runs.folder import MANIFEST
from mores.runs.loading import read_unchanged
from mores.runs.spec import read_study


def replay(typed: ReplayArgs) -> None:
    """Write a day as a page and print where it lies, by default in the run's folder.

    Raises:
        InputError: a folder is no finished run with days in town, the episode is unknown, or the file is a folder.
    """
    out = typed.out
    if out is not None and out.is_dir():
        raise InputError(f"--out {out}: it is a folder; expected the page's file name, such as {out / 'replay.html'}.")
    found = read_replay(typed.run, episode=typed.episode)
    page = out if out is not None else typed.run / _page_of(found)
    write_replay(found, page, private=out is None)
    sys.stdout.write(f"{page}\n")


def read_replay(run: Path, *, episode: str | None = None) -> Replay:
    """The days of one episode: of all models of a run.

    Raises:
        InputError: a folder is no finished run with days in town, or the episode is unknown.
    """
    return replay_of(read_unchanged([run]), _setting, episode=episode)


def _setting(evaluation: Result) -> Setting:
    """What an evaluation was played with."""
    spec, _ = read_study(evaluation.folder / MANIFEST)
    return Setting(
        data=Path(spec.data) if spec.data else None,
        protocol=evaluation.provenance.protocol,
        seed=spec.root_seed,
        roles=evaluation.provenance.roles,
    )


def _page_of(found: Replay) -> str:
    """The page's name: that of the episode, and its sample where it is not the first."""
    first = found.days[0]
    sample = f"-{first.sample}" if first.sample else ""
    return f"replay-{first.item}{sample}.html"
