"""The blocks of a page that are run, in their order, and what they print.

A line *Contents* leads to each numbered table and figure. A block whose fence says `sh run` or `python run` is
carried out, all of a page in one folder and one process; a `text` block is what the last of them printed, and a block
`file NAME` is laid there. Other blocks are for readers alone.
"""

import re
import shlex
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from docs.pages import ROOT, anchor
from tests.annotation.people import simulate
from tests.golden.data import write_forest
from tests.golden.play import typed

DOCS = ROOT / "docs"
PAGES = {path.stem: path for path in (*sorted(DOCS.glob("papers/[!i]*.md")), DOCS / "certify.md", DOCS / "language.md")}
"""The pages with blocks that are run: the papers, and how-tos."""
HEADING = re.compile(r"^## (.*:.*)$", re.MULTILINE)
NUMBERS = re.compile(r"(Table|Figure|[Aa]ppendix)s? ([^a-z]*(?:(?:to|and) [^a-z]+)*)")
CONTENTS = re.compile(r"^\*Contents\*.*$", re.MULTILINE)
BLOCK = re.compile(r"^```(sh run|python run|text|file \S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


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
        if kind.startswith("file "):
            laid = folder / kind.removeprefix("file ")
            laid.parent.mkdir(exist_ok=True)
            laid.write_text(words, encoding="utf-8")
        else:
            printed = _typed(words, folder) if kind == "sh run" else _carried_out(words, folder, names)
        return found[0]

    page = CONTENTS.sub(lambda _: contents(page), page)
    # What a page sets for its own tables is undone behind it.
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        return BLOCK.sub(block, page)


def contents(page: str) -> str:
    """A line with a link to each table, figure and appendix by its number."""
    kinds = (
        f"{kind} {' '.join(f'[{number}](#{to[number]})' for number in sorted(to, key=_by_number))}"
        for kind, to in numbered(page).items()
    )
    return f"*Contents*: {' · '.join(kinds)}"


def numbered(page: str) -> dict[str, dict[str, str]]:
    """Numbers of the tables, figures and appendices that have a heading, with its anchor.

    Raises:
        RuntimeError: two headings have one number.
    """
    found: dict[str, dict[str, str]] = {}
    for heading in HEADING.findall(page):
        for kind, numbers in NUMBERS.findall(heading.partition(":")[0]):
            of = found.setdefault(kind.capitalize(), {})
            for number in _listed(numbers):
                if number in of:
                    raise RuntimeError(f"{kind} {number}: two headings.")
                of[number] = anchor(heading)
    return {kind: found[kind] for kind in ("Table", "Figure", "Appendix") if kind in found}


def _by_number(number: str) -> tuple[int, str]:
    return int(number.rstrip("ABCDEFGH") or 0), number


def _listed(numbers: str) -> list[str]:
    """Numbers of a heading: one, several, or from one to another: `2 to 7`, `1, 2 and 4`, `6A to 11A`."""
    first, _, last = numbers.partition(" to ")
    if not last:
        return re.findall(r"\w+", numbers.replace("and", ""))
    letter = first.lstrip("0123456789")
    return [f"{n}{letter}" for n in range(int(first.removesuffix("A")), int(last.strip().removesuffix("A")) + 1)]


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
        case ["python", "-m", "tests.golden.data", made, *places]:
            (folder / made).mkdir(parents=True)
            write_forest(folder / made, places)
            printed = ""
        case _:
            raise RuntimeError(f"{line}: expected mores, mkdir -p, tests.annotation.people or tests.golden.data.")
    if file:
        (folder / file.strip()).write_text(printed, encoding="utf-8")
        return ""
    return printed


def _carried_out(words: str, folder: Path, names: dict[str, Any]) -> str:
    out = StringIO()
    with chdir(folder), redirect_stdout(out):
        exec(compile(words, "page", "exec"), names)
    return out.getvalue()
