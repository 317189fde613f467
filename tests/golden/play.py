"""`mores` typed in this process, line after line in one folder, and what is kept of what it prints."""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from mores.cli.main import main
from tests.annotation.people import simulate
from tests.golden.canonical import canonical
from tests.golden.data import write_data
from tests.golden.lines import BETWEEN, RESULTS, RUNS


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    line: str
    code: int
    out: str
    err: str


def typed(line: str, folder: Path, *, columns: int = 100) -> Done:
    """`mores` with the words of a line, typed in a folder at a terminal of so many columns."""
    out, err, code = StringIO(), StringIO(), 0
    before, width = sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = ["mores", *shlex.split(line)], str(columns)
    try:
        with chdir(folder), redirect_stdout(out), redirect_stderr(err):
            simulate(*sys.argv[2:]) if sys.argv[1] == "simulate" else main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = before
        _put_back("COLUMNS", width)
    return Done(line, code, out.getvalue(), err.getvalue())


def _put_back(name: str, value: str | None) -> None:
    if value is None:
        del os.environ[name]
    else:
        os.environ[name] = value


def play(folder: Path) -> dict[str, Done]:
    """Everything that is typed, in a new folder; what has no result of its own is named by its line.

    Raises:
        RuntimeError: a command ended in an error; its words.
    """
    folder.mkdir(parents=True)
    write_data(folder / "data")
    done = {}
    for name, line in [*RUNS.items(), *((line, line) for line in BETWEEN), *RESULTS.items()]:
        done[name] = typed(line, folder)
        if done[name].code:
            raise RuntimeError(f"mores {line}: exit {done[name].code}: {done[name].err}")
    return done


def found_in(done: Mapping[str, Done]) -> dict[str, Any]:
    """What is kept of it by name.

    A report tells its runs' figures again: where they are what the runs said, the run is named in their place.
    """
    said = [
        json.loads(line)
        for ended in done.values()
        if ended.line.startswith(("run ", "judge again "))
        for line in ended.out.splitlines()
    ]
    found = {}
    for name in (*RUNS, *RESULTS):
        objects = [json.loads(line) for line in done[name].out.splitlines()]
        for one in objects:
            if name.startswith("report"):
                one["runs"] = [_named(each, said) for each in one["runs"]]
        found[name] = canonical({"typed": done[name].line, "said": objects})
    return found


def _named(one: Mapping[str, Any], said: list[Any]) -> Any:
    return f"as said by {one['run']}/{one['model']}".replace(" ", "-") if one in said else one
