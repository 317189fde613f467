"""A run's folder: one writer at a time, files that appear whole, nothing overwritten that was not ours.

Its manifest has hashes of the files, so that a change after the run is said and not trusted. They are no signature: who
changes a file can change its hash too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mores.core.codec import canonical, digest, parse_json, read_text
from mores.core.errors import InputError
from mores.core.files import own_file, own_folder, sha256_of, storing, this_process, write_own

FORMAT = 3
MANIFEST = "manifest.json"
FILES, SEAL = "files", "seal"
"""Keys of a manifest: the SHA-256 of the files beside it, and a hash of itself."""
JOURNAL = "journal.sqlite"
LOCK = ".lock"
RUNS = Path("runs")
"""Folder of runs that are given none of their own."""


class InUse(InputError):
    """Another process writes to a folder: `holder`, as `process 7 on HOST`, without words where it is not known yet."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another process is writing to this run; wait for it, or use another --out.")
        self.holder = read_text(folder / LOCK)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder as its only writer; its lock says who does.

    Raises:
        InUse: another process writes to it.
    """
    own_folder(folder)
    own_file(folder / LOCK)
    lock = FileLock(folder / LOCK, mode=0o600)
    with storing(folder):
        try:
            lock.acquire(blocking=False)
        except Timeout as error:  # which is an OSError too
            raise InUse(folder) from error
    try:
        with storing(folder):
            (folder / LOCK).write_text(this_process(), encoding="utf-8")
        yield
    finally:
        lock.release()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run.

    Raises:
        InputError: the folder is no run, or one of another version.
    """
    path = folder / MANIFEST
    if not folder.is_dir() or not path.is_file():
        raise InputError(f"{folder}: no run; expected a folder with {MANIFEST}.")
    manifest = parse_json(read_text(path), where=str(path))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else "none"
        raise InputError(
            f"{path}: a run of format {found}; this mores reads format {FORMAT}. Use the mores that made it."
        )
    return manifest


def read_run(folder: Path) -> dict[str, Any]:
    """The manifest of a run that lies as it was left, for whatever is built on it.

    Raises:
        InputError: the folder is no run, or one that was changed after it was written; the line says where.
    """
    manifest = read_manifest(folder)
    refuse_changed(folder, manifest)
    return manifest


def read_part(folder: Path, name: str) -> Any:
    """One part of a run's manifest.

    Raises:
        InputError: the folder is no run, or its manifest has no such part.
    """
    manifest = read_manifest(folder)
    if name not in manifest:
        raise InputError(f"{folder / MANIFEST}: no '{name}' in it; expected the manifest of a run as mores wrote it.")
    return manifest[name]


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Store a manifest, readable by people."""
    import json  # noqa: PLC0415 - the one file that is laid out for people

    # By way of JSON, so that the seal is of the values that a reader will find.
    plain = parse_json(canonical({"format": FORMAT, **manifest}), where="manifest")
    plain[SEAL] = seal_of(plain)
    write_own(folder / MANIFEST, (json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode())


def reopen(folder: Path) -> None:
    """Take the journal's hash out of the manifest of a run that goes on, as its journal grows from now on."""
    manifest = read_manifest(folder) if (folder / MANIFEST).is_file() else {}
    files = manifest.get(FILES, {})
    if JOURNAL in files:
        write_manifest(folder, {**manifest, FILES: {name: sha for name, sha in files.items() if name != JOURNAL}})


def choose_folder(given: str | Path | None, spec_hash: str, root: Path) -> Path:
    """The folder of a run: the given one, if it is new or holds the same spec, else a fresh numbered one.

    Raises:
        InputError: the given folder holds something else.
    """
    if given is None:
        return next(each for number in count(1) if not (each := root / f"{spec_hash}-{number}").exists())
    out = Path(given)
    # Hidden files do not count: the lock of a run that never began is one.
    if not out.exists() or (out.is_dir() and not any(not p.name.startswith(".") for p in out.iterdir())):
        return out
    if not (out / MANIFEST).is_file():
        raise InputError(f"--out {out}: it exists and is not a run; expected a new folder, or a run of the same spec.")
    if read_manifest(out).get("spec_hash") != spec_hash:
        raise InputError(
            f"--out {out}: it holds a run of another spec; choose another folder, or resume it: mores resume {out}."
        )
    return out


def plain_names(names: Sequence[str]) -> list[str]:
    """A name of a file or folder for each name: plain letters, and a hash where two would be called the same."""
    plain = [re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.") for name in names]
    # Not every disk tells names apart by their case.
    folded = Counter(name.casefold() for name in plain)
    return [
        short if folded[short.casefold()] == 1 else f"{short}-{digest(name, length=8)}"
        for short, name in zip(plain, names, strict=True)
    ]


def seal_of(manifest: Mapping[str, Any]) -> str:
    """Hash of a manifest, its seal left out."""
    return digest({name: value for name, value in manifest.items() if name != SEAL}, length=16)


def changed(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of files that are there and are not as the run left them, the manifest's own among them."""
    own = () if manifest.get(SEAL) == seal_of(manifest) else (MANIFEST,)
    files = manifest.get(FILES)
    known = files.items() if isinstance(files, dict) else ()
    return (*own, *(name for name, sha in known if _is_other(folder / Path(str(name)).name, sha)))


def refuse_changed(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Nothing, if the files of a run are as it left them.

    Raises:
        InputError: one was changed; the line says which.
    """
    found = changed(folder, manifest)
    if found:
        raise InputError(
            f"{folder}: {describe_changed(found)}; the run cannot be used. Restore the original files. Files other "
            f"than the manifest and the journal may also be deleted, and are then rebuilt: mores resume {folder}."
        )


def describe_changed(found: tuple[str, ...]) -> str:
    """Files that were changed, in words."""
    was, it = ("was", "it") if len(found) == 1 else ("were", "them")
    return f"{', '.join(found)} {was} changed after the run wrote {it}"


def _is_other(path: Path, sha: object) -> bool:
    log = path.with_name(f"{path.name}-wal")
    try:
        if not path.is_file():
            return False
        # SQLite leaves a change in its log where whoever made it was killed; a finished journal has none.
        return sha256_of(path) != sha or (path.name == JOURNAL and log.is_file() and log.stat().st_size > 0)
    except OSError:  # a name that no file can have, or a file that cannot be read
        return True
