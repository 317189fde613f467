"""A judge on this machine that gives probabilities of labels and no words: `verifier/FOLDER_OR_HUB_ID`.

labelled requests → what gathers within a tick → one batch in a thread beside → a reply each. The model is a causal
language model as transformers stores them, or a LoRA adapter on one, such as CultureForest's verifier; or an encoder of
pairs that mores trained. Log-probabilities are divided by the temperature that was fitted to it.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import NamedTuple

from mores.core.card import Sampling
from mores.models.checkpoint import DIGITS, base_of, find_checkpoint, first_line, identity_of
from mores.models.label_logprobs import Cost, LabelLogprobs, scored
from mores.models.local_scoring import (
    LabelLoglikelihoods,
    LabelPrompt,
    LocalLabelScorer,
    PairClassifier,
    check_libraries,
)
from mores.models.model import LocalModel
from mores.models.request import CallFailed, Reply, Request, Usage
from mores.models.verifier_facts import read_trained

TICK = 0.002
"""Seconds that the first of a batch waits for others."""
MOST = 128
"""Requests that are answered together, so that replies are written down now and then."""
CUDA_NOTE = "on the accelerator, in bfloat16"
MERGED_NOTE = "a label merges with the letters before it; for such questions these are weighed with every label"


class _Waiting(NamedTuple):
    request: Request
    reply: "asyncio.Future[Reply]"


class VerifierModel(LocalModel):
    """A model that weighs labels; `altered` says what a reader of its figures must know.

    `trained` holds the facts of one that mores trained, None for any other.
    """

    by_item = False

    def __init__(self, spec: str) -> None:
        """Find the files; nothing is loaded before the first request.

        Raises:
            InputError: there is no such model, or a library is missing.
        """
        super().__init__(spec)
        self._folder = find_checkpoint(spec.removeprefix("verifier/"), spec)
        check_libraries(self._folder, spec)
        base = base_of(self._folder, spec)
        self.trained = trained = read_trained(self._folder)
        self._temperature = 1.0 if trained is None or trained.temperature is None else trained.temperature
        files = identity_of((self._folder,) if base is None else (self._folder, base))
        self.identity = f"verifier.v1 {files}"
        if trained is not None:
            self.identity += f" {trained.kind} to {trained.max_tokens} tokens at {self._temperature!r}"
        self.altered: tuple[str, ...] = ()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="verifier")
        self._loading: asyncio.Future[LocalLabelScorer | PairClassifier] | None = None
        self._waiting: list[_Waiting] = []
        self._busy = False

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:  # noqa: ARG002 - nothing is drawn
        """Return once the model is in memory.

        Raises:
            InputError: it cannot be loaded.
        """
        if self._loading is None:
            loop = asyncio.get_running_loop()
            self._loading = loop.run_in_executor(self._worker, self._load)
        if not self._loading.done() or self._loading.exception() is not None:
            # Shielded: whoever waits may be cancelled, and the model is loaded for all.
            await asyncio.shield(self._loading)

    def about(self, benchmark: str) -> Mapping[str, object]:  # noqa: ARG002 - the same on any
        """Settings that were altered, and its training where mores did it."""
        return {"altered": self.altered, **({} if self.trained is None else {"trained": self.trained})}

    def _load(self) -> LocalLabelScorer | PairClassifier:
        trained = self.trained
        if trained is not None and trained.kind == "encoder":
            return PairClassifier(self._folder, self.spec, trained)
        return LocalLabelScorer(self._folder, self.spec)

    async def reply(self, request: Request) -> Reply:
        """The labels' log-probabilities.

        Raises:
            CallFailed: words are asked for, or the labels cannot be weighed.
        """
        if not request.labels:
            raise CallFailed("no words", "a verifier gives probabilities of labels, no text")
        await self.prepare(request.sampling)
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[Reply] = loop.create_future()
        self._waiting.append(_Waiting(request, mine))
        if not self._busy:
            self._busy = True
            loop.call_later(TICK, self._start)
        return await mine

    async def close(self) -> None:
        """Leave the model to the collector once what is under way has ended."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._loading = None

    def _start(self) -> None:
        """Put what has gathered to the model."""
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        if self._loading is None:
            _answer_all(batch, "the verifier was closed")
            return
        weigher = self._loading.result()
        if weigher.device == "cuda":
            self._note(CUDA_NOTE)
        requests = [waiting.request for waiting in batch]
        questions = [LabelPrompt(each.messages, each.labels, each.pair) for each in requests]
        started = perf_counter()
        scoring = asyncio.get_running_loop().run_in_executor(self._worker, weigher.weigh, questions)
        scoring.add_done_callback(partial(self._tell, batch, started))

    def _tell(
        self, batch: list[_Waiting], started: float, scoring: "asyncio.Future[list[LabelLoglikelihoods | CallFailed]]"
    ) -> None:
        """Answer those of a batch, and begin the next with who came meanwhile."""
        # The next batch first, so that the model does not wait while answers are given out.
        self._busy = bool(self._waiting)
        if self._busy:
            self._start()
        error = None if scoring.cancelled() else scoring.exception()
        if scoring.cancelled() or error is not None:
            _answer_all(batch, "it was closed" if error is None else first_line(error))
            return
        # A batch takes its time as a whole, which its requests share.
        share = (perf_counter() - started) / len(batch)
        for waiting, found in zip(batch, scoring.result(), strict=True):
            _answer(waiting, found if isinstance(found, CallFailed) else self._replied(waiting.request, found, share))

    def _replied(self, request: Request, found: LabelLoglikelihoods, seconds: float) -> Reply | CallFailed:
        if found.merged:
            self._note(MERGED_NOTE)
        cost = Cost(Usage(input=found.before, output=found.within), self.spec, seconds)
        sums = tuple(round(each / self._temperature, DIGITS) for each in found.sums)
        try:
            return scored(request.labels, LabelLogprobs(sums, "exact"), cost)
        except CallFailed as failure:
            return failure

    def _note(self, says: str) -> None:
        if says not in self.altered:
            self.altered = (*self.altered, says)


def _answer_all(batch: list[_Waiting], why: str) -> None:
    for waiting in batch:
        _answer(waiting, CallFailed("verifier failed", why))


def _answer(waiting: _Waiting, answer: Reply | CallFailed) -> None:
    if waiting.reply.done():  # whoever asked was cancelled
        return
    if isinstance(answer, CallFailed):
        waiting.reply.set_exception(answer)
    else:
        waiting.reply.set_result(answer)
