"""Files of a model, on this machine or on the Hugging Face hub: their hash, and their weights brought into memory.

Weights are safetensors alone: other formats can run code when they are read.
"""

import hashlib
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple, TypeVar

from mores.core.codec import parse_json, read_text
from mores.core.errors import InputError
from mores.core.extras import how_to_install
from mores.core.files import sha256_of
from mores.models.request import CallFailed
from mores.models.verifier_facts import OWN_FILES, STANDS, TRAINED, VerifierKind

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
    """Folder of a model of the hub on this machine, by what brings it there if it does not lie there yet.

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
    settings = parse_json(read_text(config), where=str(config))
    name = settings.get("base_model_name_or_path") if isinstance(settings, dict) else None
    if not isinstance(name, str) or not name:
        raise InputError(f"{config}: no base_model_name_or_path; expected the model that the adapter was trained on.")
    return find_checkpoint(name, spec)


def identity_of(folders: tuple[Path, ...]) -> str:
    """Sixteen hex digits of the names and bytes of all files that make a model; a large file is read once.

    What mores writes beside the weights of a verifier that it trained is none of them.
    """
    whole = hashlib.sha256()
    for folder in folders:
        excluded = OWN_FILES if (folder / TRAINED).is_file() else frozenset()
        files = {path for pattern in KEPT for path in folder.glob(pattern) if path.name not in excluded}
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
        if _SHA.fullmatch(cached := known.read_text()):
            return cached
    found = sha256_of(real)
    with suppress(OSError):  # a machine without a place for caches reads it again
        cache.mkdir(parents=True, exist_ok=True)
        # Whole or not at all, as several runs may look at one file at the same time.
        with NamedTemporaryFile("w", dir=cache, delete=False) as file:
            file.write(found)
        Path(file.name).replace(known)
    return found


def first_line(error: BaseException) -> str:
    """The kind of an error and the first line of what it says."""
    line = str(error).strip().partition("\n")[0].strip()
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


DIGITS = 5
"""Digits of a log-probability that are kept: in single precision the others vary with what else is in the batch."""
_HEADS = {"causal": "AutoModelForCausalLM", "encoder": "AutoModelForSequenceClassification"}
_EXPECTED = {"causal": "a causal language model", "encoder": f"an encoder with a head of {len(STANDS)} classes"}

BatchRow = TypeVar("BatchRow")
LoadedT = TypeVar("LoadedT")


class LoadedModel(NamedTuple):
    """A model that is ready to be asked, its tokeniser, where it lies, and the library that runs it."""

    torch: Any
    tokenizer: Any
    model: Any
    device: str

    def halved(
        self, passed: Callable[[Sequence[BatchRow]], Sequence[LoadedT]], batch: Sequence[BatchRow]
    ) -> list[LoadedT | CallFailed]:
        """Results of a pass over a batch; where the accelerator's memory is too small for it, over its halves."""
        try:
            return list(passed(batch))
        except self.torch.OutOfMemoryError as error:
            if len(batch) == 1:
                return [CallFailed("out of memory", first_line(error))]
        self.torch.cuda.empty_cache()
        half = len(batch) // 2
        return [*self.halved(passed, batch[:half]), *self.halved(passed, batch[half:])]


def batched(sizes: Mapping[int, int], fits: Callable[[Sequence[int]], bool]) -> Iterator[list[int]]:
    """Numbers of what goes through a model together: those of like size, as many as fit."""
    batch: list[int] = []
    for number in sorted(sizes, key=sizes.__getitem__):
        if batch and not fits((*batch, number)):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def load_weights(folder: Path, spec: str, kind: VerifierKind) -> LoadedModel:
    """The model of a folder with the head of its kind; an adapter is laid on its base.

    Raises:
        InputError: a library is missing, or the files cannot be used.
    """
    torch = library("torch", spec)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        with quiet():
            tokenizer, model = _loaded(folder, spec, kind, torch.bfloat16 if device == "cuda" else torch.float32)
    except InputError:
        raise
    except Exception as error:  # whatever a damaged file makes the libraries raise
        raise InputError(
            f"{spec}: {folder} cannot be loaded ({first_line(error)}); expected {_EXPECTED[kind]} "
            "and its tokeniser as transformers stores them."
        ) from error
    return LoadedModel(torch, tokenizer, model.to(device).eval(), device)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep off the screen what libraries warn their developers of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _loaded(folder: Path, spec: str, kind: VerifierKind, dtype: Any) -> tuple[Any, Any]:
    transformers = library("transformers", spec)
    transformers.utils.logging.disable_progress_bar()  # it would write over a run's own
    base = base_of(folder, spec)
    head = {"num_labels": len(STANDS)} if kind == "encoder" else {}
    model, info = getattr(transformers, _HEADS[kind]).from_pretrained(
        base or folder, dtype=dtype, use_safetensors=True, local_files_only=True, output_loading_info=True, **head
    )
    if base is not None:
        model = library("peft", spec).PeftModel.from_pretrained(model, folder, local_files_only=True)
    elif kind == "encoder" and info["missing_keys"]:
        raise InputError(
            f"{spec}: {folder} has no weights for {', '.join(sorted(info['missing_keys']))}; "
            f"expected {_EXPECTED[kind]} that was trained: mores judge verifier train."
        )
    words = folder if base is None or (folder / "tokenizer_config.json").is_file() else base
    return transformers.AutoTokenizer.from_pretrained(words, local_files_only=True), model
