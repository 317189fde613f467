"""A causal language model in memory that weighs labels: requests → token rows → padded batches → log-probabilities.

Rows are padded at their end, so that in a causal model no padding is seen by any token that is weighed, whatever the
model makes of masks. A label is weighed by all its tokens, with no correction for its length.
"""

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from mores.models.checkpoint import ADAPTER, library
from mores.models.label_tokens import LabelPrompt, LabelTokenizer, TokenizedLabels, TokenRow
from mores.models.load_weights import DIGITS, batched, load_weights
from mores.models.request import CallFailed

BATCH_TOKENS = 16_384
BATCH_LOGITS = 1 << 27
"""Largest number of logits kept of one batch: half a gigabyte in single precision."""


class LabelLoglikelihoods(NamedTuple):
    """The labels' log-probabilities, the tokens before and in them, and whether a seam between the two merged."""

    sums: tuple[float, ...]
    before: int
    within: int
    merged: bool


class LocalLabelScorer:
    """A model and its tokeniser, on the accelerator where there is one."""

    def __init__(self, folder: Path, spec: str) -> None:
        """Load them.

        Raises:
            InputError: a library is missing, or the files cannot be used.
        """
        self._weights = load_weights(folder, spec, "causal")
        self._torch, tokenizer, self._model, self.device = self._weights
        config = self._model.config.get_text_config()
        self._cutter = LabelTokenizer(tokenizer, getattr(config, "max_position_embeddings", None))
        self._vocabulary = int(config.vocab_size)
        inner = self._model.get_base_model() if hasattr(self._model, "get_base_model") else self._model
        self._keeps = "logits_to_keep" in signature(inner.forward).parameters

    def weigh(self, questions: Sequence[LabelPrompt]) -> list[LabelLoglikelihoods | CallFailed]:
        """What each question comes to, in their order: its labels' log-probabilities, or why there are none."""
        found: dict[int, LabelLoglikelihoods | CallFailed] = {}
        cuts: dict[int, TokenizedLabels] = {}
        for number, question in enumerate(questions):
            try:
                cuts[number] = self._cutter.cut(question)
            except CallFailed as failure:
                found[number] = failure
        longest = {number: max(map(len, cut.rows)) for number, cut in cuts.items()}
        for batch in batched(longest, lambda numbers: self._fits([cuts[each] for each in numbers])):
            found |= zip(batch, self._weights.halved(self._passed, [cuts[number] for number in batch]), strict=True)
        return [found[number] for number in range(len(questions))]

    def _fits(self, cuts: Sequence[TokenizedLabels]) -> bool:
        rows = [row for cut in cuts for row in cut.inputs]
        places = len(set().union(*(cut.places for cut in cuts)))
        tokens = len(rows) * max(map(len, rows))
        return tokens <= BATCH_TOKENS and len(rows) * places * self._vocabulary <= BATCH_LOGITS

    def _passed(self, cuts: Sequence[TokenizedLabels]) -> list[LabelLoglikelihoods]:
        """One forward pass."""
        inputs = [(cut, row) for cut in cuts for row in cut.inputs]
        places = sorted(set().union(*(cut.places for cut in cuts)))
        logits = self._logits([row for _, row in inputs], places)
        column = {place: number for number, place in enumerate(places)}
        found = []
        for cut in cuts:
            mine = [(number, row) for number, (owner, row) in enumerate(inputs) if owner is cut]
            of = [next(n for n, row in mine if row[: len(label) - 1] == label[:-1]) for label in cut.rows]
            sums = [self._sum(logits, label, n, cut.start, column) for label, n in zip(cut.rows, of, strict=True)]
            within = sum(len(row) - cut.start for row in cut.rows)
            found.append(LabelLoglikelihoods(tuple(sums), cut.start, within, cut.merged))
        return found

    def _logits(self, rows: Sequence[TokenRow], places: Sequence[int]) -> Any:
        """Logits of each row after each of the places, of shape (rows, places, vocabulary)."""
        torch, longest = self._torch, max(map(len, rows))
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
        kept = torch.tensor(places, device=self.device)
        options = {"logits_to_keep": kept} if self._keeps else {}
        with torch.inference_mode():
            whole = self._model(
                input_ids=ids.to(self.device), attention_mask=mask.to(self.device), use_cache=False, **options
            ).logits
        return whole if self._keeps else whole[:, kept]

    def _sum(self, logits: Any, label: TokenRow, number: int, start: int, column: dict[int, int]) -> float:
        columns = [column[place] for place in range(start - 1, len(label) - 1)]
        with self._torch.inference_mode():
            logprobs = logits[number, columns].float().log_softmax(-1)
            picked = logprobs[range(len(columns)), list(label[start:])]
        return round(float(picked.double().sum()), DIGITS)


def check_libraries(folder: Path, spec: str) -> None:
    """Return where all that loading a folder takes is installed.

    Raises:
        InputError: something is not.
    """
    for name in ("torch", "transformers", *(("peft",) if (folder / ADAPTER).is_file() else ())):
        library(name, spec)
