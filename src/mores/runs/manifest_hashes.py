"""Hashes of a run's files in its manifest, so that what was changed after it was written is said and not trusted.

It is no signature: who changes a file can change its hash too. Runs of a mores that made no hashes are read as they
are.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mores.core.codec import build, digest
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.models.held import JournalDigest, what_changed

FILES, HELD, SEAL = "files", "journal", "seal"
"""Where a manifest has the SHA-256 of the files beside it, what the journal held, and a hash of itself."""
JOURNAL = "journal.sqlite"
UNSEALED = 1
"""The format of manifests that may have no hash of themselves; of a later one it was taken away."""
_MANIFEST = "manifest.json"


def seal_of(manifest: Mapping[str, Any]) -> str:
    """Hash of a manifest, its seal left out."""
    return digest({name: value for name, value in manifest.items() if name != SEAL}, length=16)


def is_sealed(manifest: Mapping[str, Any]) -> bool:
    """True where it can be told whether a run was changed."""
    return SEAL in manifest or manifest.get("format") != UNSEALED


def changed(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of files that are there and are not as the run left them, the manifest's own among them.

    Of the journal it is said what in it was changed; a manifest that was changed says nothing of it.
    """
    if not is_sealed(manifest):
        return ()
    own = _journal(folder, manifest) if manifest.get(SEAL) == seal_of(manifest) else (_MANIFEST,)
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
    """What was changed, in words."""
    was, it = ("was", "it") if len(found) == 1 else ("were", "them")
    return f"{', '.join(found)} {was} changed after the run wrote {it}"


def _journal(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    path = folder / JOURNAL
    if HELD not in manifest or not path.exists():
        return ()
    what = what_changed(path, build(JournalDigest, manifest[HELD], where=f"{folder}/{_MANIFEST}: {HELD}"))
    return (f"{JOURNAL} ({what})",) if what else ()


def _is_other(path: Path, sha: object) -> bool:
    try:
        return path.is_file() and sha256_of(path) != sha
    except OSError:  # a name that no file can have, or a file that cannot be read
        return True
