"""Hashes of a run's files in its manifest, so that what was changed after it was written is said and not trusted.

They are no signature: who changes a file can change its hash too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.files import sha256_of

FILES, SEAL = "files", "seal"
"""Keys of a manifest: the SHA-256 of the files beside it, and a hash of itself."""
JOURNAL = "journal.sqlite"
_MANIFEST = "manifest.json"


def seal_of(manifest: Mapping[str, Any]) -> str:
    """Hash of a manifest, its seal left out."""
    return digest({name: value for name, value in manifest.items() if name != SEAL}, length=16)


def changed(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of files that are there and are not as the run left them, the manifest's own among them."""
    own = () if manifest.get(SEAL) == seal_of(manifest) else (_MANIFEST,)
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
