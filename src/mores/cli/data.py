"""`mores data fetch`: a data set of others brought from where it is published."""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.core.terminal_safety import print_error
from mores.data.fetch import fetch, odd_rows
from mores.data.sources import source_named
from mores.runs.options import argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchArgs:
    """Fetch a data set at its pinned revision and check it; --data NAME then means it."""

    name: str = argument("A data set, or a benchmark that asks of it; mores list datasets.", MISSING)
    out: Path | None = option("Folder to put it into; default: mores/NAME in $XDG_DATA_HOME.")
    revision: str | None = option("Another revision of its repository than the known one.")
    offline: bool = option("Ask nobody: take what is on this machine.", "--offline", default=False)
    json: bool = AS_JSON


def fetch_data(typed: FetchArgs) -> None:
    """Fetch a data set, and print its terms, and each file with its checksum.

    Raises:
        InputError: there is no such data set, it is not given to us, or it is not what was expected.
        Unreachable: nobody answers.
    """
    _, source = source_named(typed.name)
    found, folder = fetch(typed.name, typed.out, revision=typed.revision or "", offline=typed.offline)
    for odd in odd_rows(source, found):
        print_error(f"{odd}.")
    if typed.json:
        screen.print_json({"folder": str(folder), "fetched": found})
        return
    screen.line(f"{source.title}: licence {found.licence}. {found.terms}")
    for repository in found.repositories:
        screen.line(repository.name)
        shown = repository.files[:SHOWN]
        for file in shown:
            known = "as expected" if file.checked else "not known before"
            # A line each, however long: a checksum is there to be copied.
            sys.stdout.write(f"  {file.path}: {file.bytes:,} bytes, SHA-256 {file.sha256}, {known}\n")
        if len(repository.files) > SHOWN:
            screen.line(f"  and {len(repository.files) - SHOWN:,} more files")
    screen.line(f"{folder}: use it with --data {folder if typed.out else found.name}.")


SHOWN = 8
"""Files of a repository that are named."""
