"""The files of a model on this machine or on the Hugging Face hub, and a hash that tells one model from another.

Weights are safetensors alone: other formats can run code when they are read.
"""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from mores.core.codec import parse_json, read_text
from mores.core.errors import InputError
from mores.core.extras import how_to_install
from mores.core.files import sha256_of
from mores.models.verifier_facts import BESIDE, TRAINED

KEPT = ("*.json", "*.jinja", "*.model", "*.txt", "*.safetensors")
"""Files that make a model; the first four are small."""
ADAPTER = "adapter_config.json"
_SHA = re.compile(r"[0-9a-f]{64}")


def library(name: str, spec: str) -> Any:
    """A library of the extra `verifier`.

    Raises:
        InputError: it is not installed.
    """
    if find_spec(name) is None:
        raise InputError(f"{spec}: {name} is not installed; {how_to_install('verifier')} brings it.")
    return import_module(name)


def find_checkpoint(name: str, spec: str) -> Path:
    """The folder of a model: the one that is named, or the hub's, fetched where it is not on this machine yet.

    `NAME@REVISION` names one revision of a model on the hub. The hub's own settings hold (HF_ENDPOINT,
    HF_HUB_OFFLINE, HF_HOME).

    Raises:
        InputError: there is no such folder and no such model, or the folder holds none.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        folder = _fetched(name, spec)
    if not any((folder / config).is_file() for config in ("config.json", ADAPTER)):
        raise InputError(f"{spec}: {folder} holds no model; expected config.json or {ADAPTER} in it.")
    if not any(folder.glob("*.safetensors")):
        raise InputError(f"{spec}: {folder} has no weights; expected *.safetensors (other formats can run code).")
    return folder


def _fetched(name: str, spec: str) -> Path:
    known, _, revision = name.partition("@")
    kept = {"revision": revision or None, "allow_patterns": list(KEPT)}
    return fetch(name, spec, lambda: library("huggingface_hub", spec).snapshot_download(known, **kept))


def fetch(name: str, spec: str, bring: Callable[[], str]) -> Path:
    """Where a model of the hub lies on this machine, by what brings it there if it does not yet.

    Raises:
        InputError: the name is a folder's, or nothing came.
    """
    expected = "expected a model's folder, or its name on the Hugging Face hub."
    if name.startswith((".", "/", "~")):
        raise InputError(f"{spec}: no such folder; {expected}")
    try:
        return Path(bring())
    except (OSError, ValueError) as error:
        why = f"not fetched from the Hugging Face hub ({first_line(error)})"
        raise InputError(f"{spec}: no such folder, and {why}; {expected}") from error


def base_of(folder: Path, spec: str) -> Path | None:
    """The folder of the model that an adapter was trained on; None where the folder is no adapter's.

    Raises:
        InputError: the adapter names none, or it is not to be found.
    """
    config = folder / ADAPTER
    if not config.is_file():
        return None
    said = parse_json(read_text(config), where=str(config))
    name = said.get("base_model_name_or_path") if isinstance(said, dict) else None
    if not isinstance(name, str) or not name:
        raise InputError(f"{config}: no base_model_name_or_path; expected the model that the adapter was trained on.")
    return find_checkpoint(name, spec)


def identity_of(folders: tuple[Path, ...]) -> str:
    """Sixteen hex digits of the names and bytes of all files that make a model; a large file is read once.

    What mores writes beside the weights of a verifier that it trained is none of them.
    """
    whole = hashlib.sha256()
    for folder in folders:
        beside = BESIDE if (folder / TRAINED).is_file() else frozenset()
        files = {path for pattern in KEPT for path in folder.glob(pattern) if path.name not in beside}
        for path in sorted(files):
            whole.update(f"{path.name}\n{sha_of(path)}\n".encode())
        whole.update(b"\n")
    return whole.hexdigest()[:16]


def sha_of(path: Path) -> str:
    """SHA-256 of a file. The hub's cache names large files by it; of others it is kept beside this user's caches."""
    real = path.resolve()
    if path.is_symlink() and _SHA.fullmatch(real.name):
        return real.name
    if path.suffix != ".safetensors":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    state = real.stat()
    home = os.environ.get("XDG_CACHE_HOME")
    cache = (Path(home) if home else Path("~/.cache").expanduser()) / "mores" / "sha256"
    known = cache / hashlib.sha256(f"{real}\n{state.st_size}\n{state.st_mtime_ns}".encode()).hexdigest()
    with suppress(OSError, UnicodeDecodeError):
        if _SHA.fullmatch(said := known.read_text()):
            return said
    found = sha256_of(real)
    with suppress(OSError):  # a machine without a place for caches reads it again
        cache.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=cache, delete=False) as file:
            file.write(found)
        Path(file.name).replace(known)
    return found


def first_line(error: BaseException) -> str:
    """The kind of an error and the first line of what it says."""
    said = str(error).strip().partition("\n")[0].strip()
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
