"""Weights and tokeniser of a verifier from its folder into memory, on the accelerator where there is one."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mores.core.errors import InputError
from mores.models.checkpoint import base_of, first_line, library
from mores.models.request import CallFailed
from mores.models.verifier_facts import STANDS, VerifierKind

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
        """What a pass finds of a batch; where the accelerator's memory is too small for it, of its halves."""
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
