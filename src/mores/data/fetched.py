"""Data sets that were fetched: where they lie, what is known of them, and whether they are as they came.

A folder of a data set has a `FETCHED.json` beside its files, which says of each where it is from and its checksum.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from mores.core.codec import build, parse_json, read_text
from mores.core.errors import InputError, MissingData
from mores.core.files import sha256_of
from mores.data.sources import data_sources

FETCHED = "FETCHED.json"


class FetchedFile(Struct, frozen=True, kw_only=True):
    """One file: its path in the folder, its name where it is from, and what came; rows are None where none count.

    One that is `checked` had the checksum that was expected of it.
    """

    path: str
    name: str
    sha256: str
    bytes: int
    rows: int | None = None
    checked: bool = False


class FetchedRepository(Struct, frozen=True, kw_only=True):
    """Files of one repository, and the revision that they are of; a page that has no revisions has none."""

    repo: str
    revision: str
    page: str
    files: tuple[FetchedFile, ...]

    @property
    def name(self) -> str:
        """Repository and revision, such as `kellycyy/CulturalBench@2d5acf9f…`."""
        return f"{self.repo}@{self.revision}" if self.revision else self.repo


class FetchedData(Struct, frozen=True, kw_only=True):
    """A data set as it was fetched, and when."""

    name: str
    licence: str
    terms: str
    when: str
    repositories: tuple[FetchedRepository, ...]

    @property
    def files(self) -> Iterator[FetchedFile]:
        """Files of all its repositories."""
        return (file for repository in self.repositories for file in repository.files)

    def changed(self, folder: Path) -> tuple[str, ...]:
        """Files of a folder that are there, and are not as they came."""
        there = (file for file in self.files if (folder / file.path).is_file())
        return tuple(file.path for file in there if sha256_of(folder / file.path) != file.sha256)

    def missing(self, folder: Path) -> tuple[str, ...]:
        """Files that are not in a folder any more."""
        return tuple(file.path for file in self.files if not (folder / file.path).is_file())


def data_home() -> Path:
    """The folder that data sets are fetched into: `mores` where this user's programs keep data."""
    given = os.environ.get("XDG_DATA_HOME", "")
    return (Path(given) if given.startswith("/") else Path.home() / ".local" / "share") / "mores"


def read_fetched(folder: Path) -> FetchedData | None:
    """The data set of a folder; None where none was fetched into it.

    Raises:
        InputError: its `FETCHED.json` is damaged.
    """
    path = folder / FETCHED
    if not path.is_file():
        return None
    return build(FetchedData, parse_json(read_text(path), where=str(path)), where=str(path))


def data_path(given: Path | None) -> Path | None:
    """Path that `--data` means: one that is there, else the folder of a data set of that name.

    Raises:
        MissingData: there is no such path, and the data set of that name is not fetched.
    """
    if given is None or given.exists() or (name := str(given)) not in data_sources():
        return given
    folder = data_home() / name
    if read_fetched(folder) is None:
        raise MissingData(
            f"--data {name}: it is not fetched, and no file or folder is called so; mores data fetch {name}."
        )
    return folder


class Origin(NamedTuple):
    """Repositories with revisions that data are from, and files that were changed since they came."""

    repositories: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def origin_of(data: Path) -> Origin:
    """Origin of the data of a run; an empty one where they were not fetched.

    Repositories are named only if no file of theirs was changed. A `FETCHED.json` that cannot be read says nothing.
    """
    folder, only = (data.parent, data.name) if data.is_file() else (data, "")
    try:
        found = read_fetched(folder)
    except InputError:  # it may be of another program
        found = None
    if found is None:
        return Origin()
    changed = tuple(name for name in found.changed(folder) if only in {"", name})
    same = [
        each.name
        for each in found.repositories
        if (names := {file.path for file in each.files}) and (not only or only in names) and not names & set(changed)
    ]
    return Origin(tuple(same), changed)
