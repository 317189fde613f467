"""Fetching a data set: its files are brought, checked, put into its folder, and written down in `FETCHED.json`.

`DataSource` ─▶ downloads ─▶ checksums ─▶ files, and `FETCHED.json` last of all
"""

import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import msgspec

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.files import appearing, refuse_taken, sha256_of, storing
from mores.core.table import SourceRow, scan_table
from mores.data.download import Download, commit_of, not_here, of_github, of_hub
from mores.data.fetched import FETCHED, FetchedData, FetchedFile, FetchedRepository, data_home, read_fetched
from mores.data.sources import COMMIT, DataSource, Repository, source_named


def fetch(name: str, out: Path | None = None, *, revision: str = "", offline: bool = False) -> tuple[FetchedData, Path]:
    """A data set and its folder; one that is there already, whole and of that revision, is not asked for again.

    `revision` is another than the known one of the repository, the first where there are several; its files have then
    no checksum that is expected of them.

    Raises:
        UnknownName: no data set is called so.
        InputError: it is not given to us, a checksum is another, or something else is in its folder.
        Unreachable: nobody answers.
        StorageError: the disk is full or cannot be written.
    """
    name, source = source_named(name)
    folder = out or data_home() / name
    first, *others = source.repositories
    wanted = [_at(first, revision, offline=offline), *others]
    there = read_fetched(folder)
    if there is not None:
        _refuse_other(there, wanted, folder)
        if not there.missing(folder):
            return there, folder
        both = zip(source.repositories, there.repositories, strict=True)
        wanted = [
            each if was.revision == each.revision else _at(each, was.revision, offline=offline) for each, was in both
        ]
    with tempfile.TemporaryDirectory(prefix="mores-fetch-") as scratch:
        brought = [
            _brought(name, each, Path(scratch) / str(number), folder, offline=offline)
            for number, each in enumerate(wanted)
        ]
        found = FetchedData(
            name=name,
            licence=source.licence,
            terms=source.terms,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            repositories=tuple(_as_fetched(each, files) for each, files in brought),
        )
        _put(found, [download for _, files in brought for download in files], folder)
    return found, folder


def _at(repository: Repository, revision: str, *, offline: bool) -> Repository:
    """A repository at another revision, of which no checksums and rows are known; as it is without one.

    Raises:
        InputError: it has no such revision, or nobody may be asked what is meant.
    """
    if not revision:
        return repository
    if repository.kind == "form":
        raise InputError(f"--revision {revision}: {repository.page} has no revisions.")
    if not COMMIT.fullmatch(revision):
        if repository.kind == "github":
            raise InputError(f"--revision {revision}: expected a commit of {repository.page}, 40 hex digits.")
        if offline:
            raise not_here(repository)
        revision = commit_of(repository, revision)
    entries = (msgspec.structs.replace(entry, sha256="", bytes=0, rows=0) for entry in repository.files)
    return msgspec.structs.replace(repository, revision=revision, files=tuple(entries))


def _refuse_other(there: FetchedData, wanted: Sequence[Repository], folder: Path) -> None:
    """Refuse a folder that holds another revision, or files that were changed since they came."""
    changed = there.changed(folder)
    if changed:
        raise InputError(f"{folder / changed[0]}: it was changed since it was fetched; name another folder with --out.")
    if len(there.repositories) != len(wanted):
        raise InputError(f"{folder}: it holds {there.name} of other repositories; name another folder with --out.")
    for was, now in zip(there.repositories, wanted, strict=True):
        if was.repo != now.repo or now.revision not in {"", was.revision}:
            asked = f"{now.repo}@{now.revision}"
            raise InputError(f"{folder}: it holds {was.name}; asked was {asked}. Name another folder with --out.")


def _brought(
    name: str, repository: Repository, scratch: Path, folder: Path, *, offline: bool
) -> tuple[Repository, tuple[Download, ...]]:
    """A repository at the revision that it was at, and its files, each with the checksum that was expected of it."""
    if repository.kind == "form":
        return repository, _by_hand(name, repository, folder)
    if offline and (repository.kind == "github" or not repository.revision):
        raise not_here(repository)
    revision = repository.revision or commit_of(repository, "main")
    if repository.kind == "hub":
        files = of_hub(repository, revision, offline=offline)
    else:
        files = of_github(repository, revision, scratch)
    for file in files:
        _check(file, f"{repository.repo}@{revision}")
    return msgspec.structs.replace(repository, revision=revision), files


def _by_hand(name: str, repository: Repository, folder: Path) -> tuple[Download, ...]:
    """Files that a person has put into the folder.

    Raises:
        InputError: one is not there yet; the line says what to do.
    """
    found = list[Download]()
    for entry in repository.files:
        paths = sorted(folder.glob(entry.name)) if folder.is_dir() else []
        if not paths:
            raise InputError(
                f"{name} is given to people alone: at {repository.page} {repository.todo}, put {entry.name} into "
                f"{folder}, then again: mores data fetch {name}."
            )
        found.extend(Download(entry, path.name, path) for path in paths)
    return tuple(found)


def _check(file: Download, at: str) -> None:
    """Refuse a file that is not the expected one, or whose name leads out of a folder."""
    parts = PurePosixPath(file.entry.place_of(file.name)).parts
    if ".." in parts or parts[0] == "/":
        raise InputError(f"{at}: it has a file {file.name}; expected names within a folder.")
    came, size = sha256_of(file.path), file.path.stat().st_size
    if file.entry.sha256 not in {"", came}:
        raise InputError(
            f"{at}: {file.name} has the SHA-256 {came} ({size:,} bytes), expected {file.entry.sha256} "
            f"({file.entry.bytes:,} bytes); it was changed there or on its way. Nothing was kept."
        )


def _as_fetched(repository: Repository, files: Sequence[Download]) -> FetchedRepository:
    return FetchedRepository(
        repo=repository.repo,
        revision=repository.revision,
        page=repository.page,
        files=tuple(
            FetchedFile(
                path=file.entry.place_of(file.name),
                name=file.name,
                sha256=sha256_of(file.path),
                bytes=file.path.stat().st_size,
                rows=_rows(file),
                checked=bool(file.entry.sha256),
            )
            for file in files
        ),
    )


def _rows(file: Download) -> int | None:
    """Rows of a table of which rows are expected; None of any other."""
    if not file.entry.rows:
        return None
    # Under the name it has here: the cache of the hub keeps files under others.
    return sum(isinstance(row, SourceRow) for row in scan_table(file.path))


def odd_rows(source: DataSource, found: FetchedData) -> tuple[str, ...]:
    """Lines for people on tables that have not as many rows as is known of them."""
    expected = {entry.name: entry.rows for each in source.repositories for entry in each.files}
    return tuple(
        f"{file.path} has {file.rows:,} rows, where {expected[file.name]:,} were expected"
        for file in found.files
        if file.rows is not None and expected.get(file.name) and file.rows != expected[file.name]
    )


def _put(found: FetchedData, files: Sequence[Download], folder: Path) -> None:
    """Copy files into the folder, over nothing that is there, and write down what they are."""
    places = {file: folder / file.entry.place_of(file.name) for file in files}
    left = {
        file: place
        for file, place in places.items()
        if file.path != place and not (place.is_file() and sha256_of(place) == sha256_of(file.path))
    }
    for place in left.values():
        refuse_taken(place)
    for file, place in left.items():
        with storing(place.parent):
            place.parent.mkdir(parents=True, exist_ok=True)
        with file.path.open("rb") as came, appearing(place, new=True) as copy:
            shutil.copyfileobj(came, copy)
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with appearing(folder / FETCHED) as record:
        record.write(msgspec.json.format(encode(found), indent=2) + b"\n")
