"""An encoder in memory that weighs labels: text pairs (response, norm) → padded batches → log-probabilities of classes.

Pairs of like length go through the model together, so that little is spent on padding. On a CPU each thread takes
batches of its own, as threads that share each product wait for each other at its end (a quarter slower on two quiet
cores, several times where one is busy), and the last layer is carried out for the token that the head reads.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from mores.models.first_token import read_first_token
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.label_tokens import LabelPrompt
from mores.models.load_weights import DIGITS, batched, load_weights
from mores.models.local_scoring import LabelLoglikelihoods
from mores.models.request import CallFailed, TextPair
from mores.models.verifier_facts import VerifierFacts

CLASSIFIER_TOKENS = {"cpu": 1_024, "cuda": 65_536}
"""Tokens of a batch, padding included: on a CPU more do not go faster, and what is padded costs."""
EncodedRow = dict[str, list[int]]
_ON_CPU = Lock()
"""Held by who has all threads of the CPU: how many there are is said for the whole process."""


class PairClassifier:
    """An encoder with a class for each label, and its tokeniser."""

    def __init__(self, folder: Path, spec: str, trained: VerifierFacts) -> None:
        """Load them.

        Raises:
            InputError: a library is missing, or the files cannot be used.
        """
        self._weights = load_weights(folder, spec, "encoder")
        self._labels, self._most = trained.labels, trained.max_tokens
        self.device = self._weights.device
        if self.device == "cpu":
            read_first_token(self._weights.torch, self._weights.model)

    def weigh(self, questions: Sequence[LabelPrompt]) -> list[LabelLoglikelihoods | CallFailed]:
        """What each question comes to, in their order: its labels' log-probabilities, or why there are none."""
        found: dict[int, LabelLoglikelihoods | CallFailed] = {}
        pairs: dict[int, TextPair] = {}
        for number, question in enumerate(questions):
            try:
                pairs[number] = self._pair(question)
            except CallFailed as failure:
                found[number] = failure
        rows: dict[int, EncodedRow] = {}
        for number, row in zip(pairs, self._rows(list(pairs.values())), strict=True):
            length = len(row["input_ids"])
            if length > self._most:
                found[number] = CallFailed("too long", f"{length} tokens; the verifier takes {self._most}")
            else:
                rows[number] = row
        lengths, room = {number: len(row["input_ids"]) for number, row in rows.items()}, CLASSIFIER_TOKENS[self.device]
        batches = list(batched(lengths, lambda numbers: lengths[numbers[-1]] * len(numbers) <= room))
        batches.reverse()  # the longest first, so that all threads end at about one time
        for batch, weighed in zip(
            batches, self._all([[rows[each] for each in batch] for batch in batches]), strict=True
        ):
            found |= zip(batch, weighed, strict=True)
        return [found[number] for number in range(len(questions))]

    def _all(self, batches: Sequence[Sequence[EncodedRow]]) -> list[list[LabelLoglikelihoods | CallFailed]]:
        """What each batch comes to: one after the other on an accelerator, on a CPU one for each thread at a time."""

        def weighed(batch: Sequence[EncodedRow]) -> list[LabelLoglikelihoods | CallFailed]:
            return self._weights.halved(self._passed, batch)

        if self.device != "cpu":
            return list(map(weighed, batches))
        torch = self._weights.torch
        with _ON_CPU:
            threads = torch.get_num_threads()
            if min(threads, len(batches)) < 2:
                return list(map(weighed, batches))
            try:
                with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
                    return list(pool.map(weighed, batches))
            finally:
                torch.set_num_threads(threads)

    def _pair(self, question: LabelPrompt) -> TextPair:
        """The pair of a question; the labels asked for are the classes, in their order."""
        if question.pair is None:
            raise CallFailed(NO_LOGPROBS, "this verifier reads a response beside a norm, and was asked something else")
        if tuple(label.casefold() for label in question.labels) != self._labels:
            asked, known = ", ".join(question.labels), ", ".join(self._labels)
            raise CallFailed(NO_LOGPROBS, f"the labels {asked} are asked for; the verifier knows {known}")
        return question.pair

    def _rows(self, pairs: Sequence[TextPair]) -> list[EncodedRow]:
        """The tokens of each pair, all read at once."""
        if not pairs:
            return []
        responses, norms = map(list, zip(*pairs, strict=True))
        found = self._weights.tokenizer(responses, norms, verbose=False)
        return [{name: column[number] for name, column in found.items()} for number in range(len(pairs))]

    def _passed(self, rows: Sequence[EncodedRow]) -> list[LabelLoglikelihoods]:
        """One forward pass."""
        torch, tokenizer, model, device = self._weights
        longest, padding = max(len(row["input_ids"]) for row in rows), {"input_ids": tokenizer.pad_token_id or 0}
        whole = {
            name: torch.tensor([[*row[name], *[padding.get(name, 0)] * (longest - len(row[name]))] for row in rows])
            for name in rows[0]
        }
        with torch.inference_mode():
            logits = model(**{name: each.to(device) for name, each in whole.items()}).logits
            sums = logits.double().log_softmax(-1).tolist()
        return [
            LabelLoglikelihoods(tuple(round(value, DIGITS) for value in each), len(row["input_ids"]), 0, merged=False)
            for each, row in zip(sums, rows, strict=True)
        ]
