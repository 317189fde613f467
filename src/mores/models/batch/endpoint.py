"""An endpoint whose calls go into a batch, and the client that asks it through journal and budget.

Its own questions are sent at once, so that bodies are as the endpoint takes them. A call is named by the key that its
request has in the journal; where labels are scored by a call for each, by the key of the request with the label put
behind. So no answer can get in to other words than were asked.
"""

from msgspec.structs import replace

from mores.core.card import Sampling
from mores.core.errors import BudgetReached, InputError
from mores.core.seeds import Seed
from mores.models.batch.formats import layout_of
from mores.models.batch.queue import BatchQueue, EndpointProfile
from mores.models.budget import estimate_tokens
from mores.models.client import ModelClient, with_usage
from mores.models.credentials import Access, Credentials, credentials_of
from mores.models.journal import request_key
from mores.models.label_scoring import WAYS, with_label
from mores.models.marks import ThinkTags
from mores.models.openai import ChatEndpoint
from mores.models.provider import home_of, provider_of
from mores.models.request import BatchedCall, CallFailed, Reply, ReplyPending, Request, Usage

UNASKED = "nobody answered at its address, so it was not asked what it takes: calls are as vLLM takes them"


class BatchEndpoint(ChatEndpoint):
    """An endpoint that is asked through a batch queue; what it was found to take before, it is not asked again."""

    def __init__(
        self,
        spec: str,
        *,
        batches: BatchQueue,
        access: Access,
        timeout: float,
        seed: Seed | None,
        think_tags: ThinkTags | None = None,
    ) -> None:
        self.layout = layout_of(spec, access.base_url, batches.layout)
        before, sent = batches.learnt.get(spec), Credentials()
        self._no_key: InputError | None = None
        try:
            sent = credentials_of(spec, home_of(provider_of(spec)), access)
        except InputError as error:
            if before is None:
                raise
            self._no_key = error  # it is wanted only if there is something left to ask
        super().__init__(spec, access=access, timeout=timeout, seed=seed, credentials=sent, think_tags=think_tags)
        self.batch = self
        self._batches = batches
        self._known, self._probed_now = before is not None, False
        self._refused: dict[str, bytes] = {}
        self._asked_by = self.capabilities if before is None else before.capabilities
        if before is not None:
            self._recall(before)

    @property
    def learnt(self) -> EndpointProfile | None:
        """Profile of what it was found to take; None while it was not asked."""
        if not (self._known or self._probed_now):
            return None
        way = self._scorer.way
        return EndpointProfile(
            capabilities=self.capabilities, schemas=self._schemas.made, way=way.says if way else None
        )

    def _recall(self, before: EndpointProfile) -> None:
        self.capabilities, self._schemas.made = before.capabilities, before.schemas
        self._scorer.way = next((way for way in WAYS if way.says == before.way), None)

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:
        """Return once the endpoint was probed, in this session or an earlier one.

        Where a model of vLLM's is to be run from files alone, nobody may be there to ask.

        Raises:
            MoresError: it cannot be asked at all.
            CallFailed: it could not be asked just now.
        """
        if self._known:
            return
        try:
            await super().prepare(sampling, schema=schema)
        except CallFailed as failure:
            if self.layout != "vllm" or failure.cause != "no connection":
                raise
            self.overhead.clear()
            self._recall(EndpointProfile(capabilities=self.capabilities.noted(UNASKED), schemas=True, way=WAYS[0].says))
            self._known = True
        self._probed_now = True

    async def reply(self, request: Request) -> Reply:
        """The reply that a batch brought.

        Raises:
            CallFailed: the request came back as one that cannot be served.
            ReplyPending: it is not answered; the error has the calls for a batch.
        """
        try:
            return await super().reply(request)
        except ReplyPending:
            parts = (self._name(with_label(request, label)) for label in request.labels)
            self._batches.kept.update(part for part in parts if self._batches.answers.is_answer(part))
            raise

    async def _post(self, request: Request, body: bytes, largest: int) -> tuple[bytes, float]:
        if request.tag.role == "probe":
            if self._no_key is not None:
                raise self._no_key
            return await super()._post(request, body, largest)
        name = self._name(request)
        call = BatchedCall(name, body)
        try:
            answer = self._batches.answers.completion(name)
        except CallFailed as failure:
            self._batches.received.add(name)
            if failure.passing:
                raise ReplyPending(f"{self.spec}: to be asked again", (call,), (failure,)) from failure
            # In another form than the one that was refused it goes into a further wave.
            if self._refused.setdefault(name, body) != body or self.capabilities != self._asked_by:
                raise ReplyPending(f"{self.spec}: to be asked otherwise", (call,)) from failure
            raise CallFailed(failure.cause, self._redaction.words(failure.detail)) from failure
        if answer is None:
            waits = name in self._batches.waiting
            self._batches.awaited.update((name,) if waits else ())
            raise ReplyPending(f"{self.spec}: not answered yet", () if waits else (call,))
        self._batches.received.add(name)
        return answer, 0.0

    def _name(self, request: Request) -> str:
        return request_key(self, request).hex()

    async def _ask_again(self) -> None:
        """Nothing: what a batch refused says nothing of how the endpoint stands now."""


class BatchClient(ModelClient, kw_only=True):
    """One model, asked through a journal and a batch queue.

    Its budget is that of the whole run, as each wave is a session of its own; what does not fit is left out of a wave.
    """

    batches: BatchQueue

    def count(self, used: Usage) -> None:
        """Count what a call took that a batch brought, in this session or an earlier one."""
        self.budget.charge(used, self.rate)
        self.tally.count(used)

    async def _attempt(self, request: Request) -> Reply:
        """The reply that a batch brought.

        Raises:
            CallFailed: it brought a refusal of the request.
            ReplyPending: it brought none so far.
        """
        self._go_on()
        guess = replace(await self._prepared(request, estimate_tokens(request)), batch=True)
        try:
            reply = with_usage(await self.model.reply(request), guess)
        except ReplyPending as later:
            for failure in later.failures:
                self.tally.failed_attempts += 1
                self.journal.log_failure(request.tag, 0, failure.cause, failure.detail, passing=True)
            try:
                self.budget.reserve(guess, self.rate, self.model.spec)
            except BudgetReached:
                self.batches.left_out += bool(later.calls)
            else:
                self.batches.add(self.model.spec, later.calls)
            raise
        reply = replace(reply, usage=replace(reply.usage, batch=True))
        self.tally.asked += 1
        self.count(reply.usage)
        return reply
