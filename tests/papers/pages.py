"""The blocks of a page that are run, in their order, and what they print.

A block whose fence says `sh run` or `python run` is carried out, all of a page in one folder and one process; a `text`
block is what the last of them printed. Other blocks are for readers alone.
"""

import re
import shlex
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from tests.annotation.people import simulate
from tests.golden.play import typed

PAGES = Path(__file__).parents[2] / "docs" / "papers"
BLOCK = re.compile(r"^```(sh run|python run|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def written(page: str, folder: Path, data: Path) -> str:
    """A page with its `text` blocks made anew; what it leaves behind lies in the folder, `DATA` is the real data.

    Raises:
        RuntimeError: a command ended in an error; its words.
    """
    import pandas as pd  # noqa: PLC0415 - most tests do without

    (folder / "DATA").symlink_to(data.resolve(), target_is_directory=True)
    names: dict[str, Any] = {}
    printed = ""

    def block(found: re.Match[str]) -> str:
        nonlocal printed
        kind, words = found.groups()
        if kind == "text":
            lines = (line.rstrip() for line in printed.strip("\n").splitlines())
            return "\n".join(("```text", *lines, "```"))
        printed = _typed(words, folder) if kind == "sh run" else _carried_out(words, folder, names)
        return found[0]

    # What a page sets for its own tables is undone behind it.
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        return BLOCK.sub(block, page)


def _typed(words: str, folder: Path) -> str:
    return "".join(_line(line, folder) for line in words.replace("\\\n", " ").splitlines())


def _line(line: str, folder: Path) -> str:
    """What a line prints; nothing where it is kept in a file."""
    command, _, file = line.partition(" > ")
    match shlex.split(command):
        case ["mores", *rest]:
            done = typed(shlex.join(rest), folder)
            if done.code:
                raise RuntimeError(f"{line}: exit {done.code}: {done.err}")
            printed = done.out
        case ["mkdir", "-p", made]:
            (folder / made).mkdir(parents=True, exist_ok=True)
            printed = ""
        case ["python", "-m", "tests.annotation.people", *rest]:
            with chdir(folder):
                simulate(*rest)
            printed = ""
        case _:
            raise RuntimeError(f"{line}: expected mores, mkdir -p or tests.annotation.people.")
    if file:
        (folder / file.strip()).write_text(printed, encoding="utf-8")
        return ""
    return printed


def _carried_out(words: str, folder: Path, names: dict[str, Any]) -> str:
    out = StringIO()
    with chdir(folder), redirect_stdout(out):
        exec(compile(words, "page", "exec"), names)
    return out.getvalue()
