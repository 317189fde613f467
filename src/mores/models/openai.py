"""A model behind a chat endpoint, OpenAI's or in a provider's own form: one POST a call, one probe before the first.

The probe learns what the endpoint takes (`max_completion_tokens`, no temperature, thinking), the first call with a
schema whether it takes that, the first with labels how it weighs them, and any call what its refusal tells of. What was
altered is kept for the manifest.
"""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from mores.core.card import THINKING_ROOM, EndpointOptions, Sampling
from mores.core.codec import encode
from mores.core.errors import InputError, MoresError, NotServed, Unreachable
from mores.core.seeds import Seed
from mores.core.terminal_safety import describe_error
from mores.models.address import url_of
from mores.models.capabilities import NO_SCHEMA, Capabilities, SchemaTrial
from mores.models.completion import MARKED, CompletionTokens, filtered, read_reply, read_tokens
from mores.models.credentials import Access, Credentials, credentials_of
from mores.models.error_messages import (
    OVERFLOW,
    UNREAD,
    ContextLengthRefusal,
    TokenLimitRefusal,
    complains_of_schema,
    read_length,
    speaks_of_output,
)
from mores.models.extra_body import AT_TIMES, IDLE, broke_off_thinking, extra_fields, is_idle, is_starved
from mores.models.http import LARGEST_PROBE, LARGEST_REPLY, HttpClient
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.label_scoring import REFUSALS, Scorer, ScoringMethod
from mores.models.marks import ThinkTags
from mores.models.model import ModelDefaults
from mores.models.outcomes import FILTERED, NO_CREDIT, NO_KEY, speaks_of_key
from mores.models.provider import CHAT_COMPLETIONS, ProviderFormat, home_of, provider_of
from mores.models.redaction import Redaction
from mores.models.request import CallFailed, Reply, Request, Usage, first_question
from mores.models.request_body import Call, Writer, as_chat, knows_no_chat
from mores.models.retries import EndpointHealth, reason_of, status_in
from mores.models.single_flight import SingleFlight, is_valid
from mores.models.usage_checks import FEW, UNSPELLED, PromptCounts, implausible_usage, spells

UNFIT = frozenset({"http 400", "http 413", "http 422"})
"""Causes of an endpoint's refusal of a call as it is."""
LESSONS = 24
"""Number of times that one call is put again, each time changed as its refusal asks."""
REMARKS = 64
"""Kinds of remarks on answers that are kept; a server may say what it likes."""
LEAST_ANSWER = 16
"""Tokens of an answer that a prompt must leave room for, where the answer may be longer."""


class _Answer(NamedTuple):
    """An answer: what was sent for it, its body, and the seconds that it took."""

    sent: bytes
    body: bytes
    seconds: float


class ChatEndpoint(ModelDefaults):
    """A model behind an endpoint; calls are chat completions, laid out anew where a provider has a form of its own."""

    by_item = False

    def __init__(
        self,
        spec: str,
        *,
        access: Access,
        timeout: float = 300.0,
        seed: Seed | None = None,
        credentials: Credentials | None = None,
        think_tags: ThinkTags | None = None,
    ) -> None:
        self.spec, self.provider = spec, provider_of(spec)
        self.overhead: list[Usage] = []
        self.base_url = self.provider.address(access.base_url)
        self.identity = self.provider.identity(access.base_url)
        self.capabilities = Capabilities()
        self.doubts: Counter[str] = Counter()  # calls whose counts of tokens were not believed, by why
        self.remarks: Counter[str] = Counter()  # answers that were odd and are kept, by what is odd
        self._tags = think_tags
        self._prompts = PromptCounts()
        self._answers_as, self._changed = "", False
        self._writer = Writer(spec, seed)
        sent = credentials_of(spec, home_of(self.provider), access) if credentials is None else credentials
        self._has_key = bool(sent.secrets)
        self._redaction = Redaction(*sent.secrets)
        form = self.provider.form
        key = {form.key_header: f"{form.key_prefix}{sent.key}"} if sent.key else {}
        headers = {**form.headers, **key, **sent.headers}
        client = partial(HttpClient, self.base_url, self._redaction, timeout=timeout, headers=headers)
        self._http, self._text_http = client(path=form.path), client(path="completions")
        self._probed = defaultdict[tuple[EndpointOptions, bool], SingleFlight[None]](lambda: SingleFlight(is_valid))
        self._question = first_question(Sampling())
        self._health = EndpointHealth(spec, self.provider.key_variable, self._ask_again)
        self._scorer = Scorer(self._draw, self._note, self.overhead)
        self._schemas = SchemaTrial(self._call, self._refuse_schemas, self._note, self.overhead)

    @property
    def thinks(self) -> bool:
        """True where the probe saw that it does."""
        return self.capabilities.thinks

    @property
    def altered(self) -> tuple[str, ...]:
        """In words, what departs from the requests."""
        return self.capabilities.altered

    @property
    def neutral(self) -> dict[str, float]:
        """The settings that turn off the server's own sampling, without those that it refused."""
        return {name: value for name, value in self._writer.neutral.items() if name not in self.capabilities.leave_out}

    def about(self, benchmark: str) -> Mapping[str, object]:  # noqa: ARG002 - the same on any
        """Settings that were altered, those sent against the server's own sampling, and what was odd."""
        remarks, doubts = dict(self.remarks), dict(self.doubts)
        return {"altered": self.altered, "remarks": remarks, "neutral": self.neutral, "usage_doubted": doubts}

    def most_output(self, limit: int, sampling: Sampling) -> int:
        """Tokens that a reply may take where its answer is limited so: thinking too, within what the endpoint draws."""
        return self.capabilities.limit(self.capabilities.with_room(limit, sampling))

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:
        """Return once the endpoint was probed, which happens once for each way that it is told to think.

        Where answers are to have a schema, it is tried here: who waits for that holds no slot yet.

        Raises:
            InputError: the key was refused, the model is unknown or every call is refused.
            Unreachable: the certificate there is not trusted.
            CallFailed: the probe failed in a way that may pass; it is made again when next asked for.
        """
        await self._probed[sampling.told, sampling.as_text].outcome(partial(self._probe, sampling))
        if schema and self.capabilities.schemas and not sampling.as_text:
            await self._schemas.over(sampling)

    async def reply(self, request: Request) -> Reply:
        """The endpoint's reply.

        Raises:
            CallFailed: no usable reply came.
            NotServed: the endpoint refuses every call by now.
        """
        plain = not request.labels and (request.schema is None or request.sampling.as_text)
        try:
            reply = await (self._call(request) if plain else self._reply(request))
        except CallFailed as failure:
            await self._health.check(failure)
            raise
        self._health.record_success()
        return reply

    async def _reply(self, request: Request) -> Reply:
        if request.labels:
            if self.capabilities.thinks:
                raise CallFailed(NO_LOGPROBS, "the model thinks before it answers, so a label is not what comes next")
            return await self._scorer.score(request)
        if request.schema is not None and self.capabilities.schemas:
            await self._schemas.over(request.sampling)
        with_schema = request.schema is not None and self.capabilities.schemas
        try:
            return await self._call(request)
        except CallFailed as failure:
            if not with_schema or failure.cause not in REFUSALS:
                raise
            return await self._without_schema(request, failure.detail)

    async def close(self) -> None:
        """Close the connection pool."""
        await self._http.close()
        await self._text_http.close()

    async def _without_schema(self, request: Request, detail: str) -> Reply:
        """The reply to a refused call, asked again without its schema.

        Many calls may be under way when the first is refused, so each is asked again for itself. That it was the
        schema is remembered where the endpoint said so and the call went through without it.
        """
        self.overhead.append(Usage())
        reply = await self._call(structs.replace(request, schema=None))
        if complains_of_schema(detail) and self.capabilities.schemas:
            self._refuse_schemas()
        return reply

    def _refuse_schemas(self) -> None:
        self.capabilities = structs.replace(self.capabilities, schemas=False).noted(NO_SCHEMA)

    def _note(self, says: str) -> None:
        """Keep, once, what is altered."""
        self.capabilities = self.capabilities.noted(says)

    def _note_model(self, name: str) -> None:
        """Keep, once, that another model answers than at first; what is asked for does not show it."""
        self._answers_as = self._answers_as or name
        if name and name != self._answers_as and not self._changed:
            self._changed = True
            self._note(f"the endpoint answered as {self._answers_as} at first and as {name} later")

    async def _probe(self, sampling: Sampling) -> None:
        self._question = asked = first_question(sampling)
        try:
            reply = await self._call(asked, LARGEST_PROBE)
        except CallFailed as failure:
            self.overhead.append(Usage())
            raise self._hopeless(failure) or failure from failure
        self.overhead.append(reply.usage)
        self._note_thinking(reply, sampling)

    async def _ask_again(self) -> None:
        """Put the probe's question once more.

        Raises:
            CallFailed: it is not answered.
        """
        self.overhead.append(Usage())
        await self._call(self._question, LARGEST_PROBE)

    def _hopeless(self, failure: CallFailed) -> MoresError | None:
        """Error for people of a refused probe; None where it may pass."""
        if failure.cause == "certificate":
            todo = "name the file of its certificate authority in SSL_CERT_FILE"
            return Unreachable(f"{self.spec}: the certificate at {self.base_url} is not trusted ({failure}); {todo}.")
        status = status_in(failure)
        if status in NO_KEY or (not failure.passing and speaks_of_key(failure.detail)):
            variable = self.provider.key_variable
            wants = "refused the key" if self._has_key else "asks for a key, and none was sent"
            return InputError(f"{self.spec}: the endpoint {wants} ({failure}); set {variable}.")
        if failure.passing:
            return None
        if status in NO_CREDIT:
            return NotServed(f"{self.spec}: {reason_of(failure, '')} ({failure}).")
        if knows_no_chat(failure.detail) and not self._question.sampling.as_text:
            todo = "serve it with a chat template, or ask it as a base model: --completions"
            return InputError(f"{self.spec}: the endpoint refuses every call ({failure}); {todo}.")
        if status == 404:
            return InputError(f"{self.spec}: no such model or address at {self.base_url} ({failure}){self._nearby()}.")
        extra = extra_fields(self.spec, self._question.sampling)
        if extra:
            asked = f"with {', '.join(extra)}, which --thinking or --extra-body sent"
            return InputError(f"{self.spec}: the endpoint refuses every call {asked} ({failure}).")
        todo = "; try a smaller --answer-tokens" if "tokens" in failure.detail else ""
        return InputError(f"{self.spec}: the endpoint refuses every call ({failure}){todo}.")

    def _nearby(self) -> str:
        """A question after the address that may be meant; empty where its path is not bare."""
        return "" if urlsplit(self.base_url).path.strip("/") else f"; did you mean {url_of(self.base_url, 'v1')}"

    def _note_thinking(self, reply: Reply, sampling: Sampling) -> None:
        """Learn whether a model thinks: whether answers' limits leave room for it where nobody told it to.

        One that is told to think, and shows none, gets no room: it would fill that with its answer.
        """
        shown = bool(reply.reasoning) or reply.usage.reasoning > 0
        thinks = shown or self.capabilities.limit_name != "max_tokens"
        if shown and sampling.told.thinking == "off":
            self._note("told not to think, and it thinks all the same")
        starved = is_starved(reply) and not sampling.as_text
        if (thinks or starved) and not sampling.thinking_room:
            note = f"{THINKING_ROOM} tokens of room for thinking beside the answer's own limit"
            self.capabilities = structs.replace(self.capabilities, thinks=True).noted(note)
        if not thinks and is_idle(reply, sampling, self.spec):
            idle = self.capabilities.idle | {sampling.told}
            self.capabilities = structs.replace(self.capabilities, idle=idle).noted(IDLE)

    def _remark(self, says: str) -> None:
        """Count what is odd in an answer that is kept; that marks were taken off is told as altered too."""
        if says == MARKED:
            self._note(MARKED)
        says = self._redaction.words(says)
        if says in self.remarks or len(self.remarks) < REMARKS:
            self.remarks[says] += 1

    async def _call(self, request: Request, largest: int | None = None) -> Reply:
        reply = await self._called(request, largest)
        sampling = request.sampling
        if sampling.told in self.capabilities.idle and sampling.max_tokens and broke_off_thinking(reply):
            return await self._with_room(request, reply, sampling.max_tokens)
        return reply

    async def _with_room(self, request: Request, broken_off: Reply, limit: int) -> Reply:
        """The reply to a call asked again with room for thinking, which the model has shown after all."""
        self.overhead.append(broken_off.usage)
        self._note(AT_TIMES)
        most = self.capabilities.limit(limit + request.sampling.thinking_room)
        return await self._called(request, most=most)

    async def _called(self, request: Request, largest: int | None = None, *, most: int | None = None) -> Reply:
        try:
            answer = await self._exchange(request, largest=largest, most=most)
        except CallFailed as failure:
            if failure.cause != FILTERED:
                raise
            # Some endpoints say by an error what others say by the end of an answer: both are refusals of the model.
            return filtered()
        reply = self._redaction.reply(read_reply(answer.body, answer.seconds, self._tags, self._remark))
        self._note_model(reply.model)
        if reply.logprobs is not None and not spells(reply.logprobs, reply.text):
            self._note(UNSPELLED)
            reply = structs.replace(reply, logprobs=None)
        usage = self._doubted(reply.usage, answer, request)
        return structs.replace(reply, usage=usage) if usage else reply

    async def _draw(self, request: Request, way: ScoringMethod) -> tuple[CompletionTokens, float]:
        """The tokens that one call brings by a way to have labels weighed."""
        answer = await self._exchange(request, way)
        drawn = read_tokens(answer.body)
        drawn = drawn._replace(model=self._redaction.words(drawn.model))
        self._note_model(drawn.model)
        usage = self._doubted(drawn.usage, answer, request)
        return (drawn._replace(usage=usage) if usage else drawn), answer.seconds

    async def _exchange(
        self, request: Request, way: ScoringMethod | None = None, *, largest: int | None = None, most: int | None = None
    ) -> "_Answer":
        """The body of an answer; a call is put again with what its refusals tell of."""
        for _ in range(LESSONS):
            call = self._writer.write(self.capabilities, request, way, most)
            try:
                return _Answer(call.body, *await self._post(request, call.body, largest or LARGEST_REPLY))
            except CallFailed as failure:
                found = _of_length(failure, call.limit)
                if found is not None:
                    most = found.instead
                    self.capabilities = self.capabilities.narrowed(found)
                elif not self._learns(failure, call, request):
                    raise
                self.overhead.append(Usage())
        raise CallFailed("refused", f"the endpoint refused {LESSONS} forms of one call")

    def _post(self, request: Request, body: bytes, largest: int) -> Awaitable[tuple[bytes, float]]:
        """The body of an answer, and the seconds that it took."""
        if request.sampling.as_text:
            return self._post_text(body, largest)
        form = self.provider.form
        return self._http.post(body, largest) if form is CHAT_COMPLETIONS else self._post_in_form(form, body, largest)

    async def _post_in_form(self, form: ProviderFormat, body: bytes, largest: int) -> tuple[bytes, float]:
        """The same in a provider's own form."""
        sent = body if form.write is None else encode(form.write(msgspec.json.decode(body)))
        answer, seconds = await self._http.post(sent, largest)
        return in_form(form, answer), seconds

    async def _post_text(self, body: bytes, largest: int) -> tuple[bytes, float]:
        """The same of a text that is gone on with, as if it were a chat's."""
        answer, seconds = await self._text_http.post(body, largest)
        return as_chat(answer), seconds

    def _learns(self, failure: CallFailed, call: Call, request: Request) -> bool:
        """Leave out, name or shape otherwise what a refusal complains of, if it complains of anything that was sent.

        That is the shape of the messages, a keyword of the schema, or a setting. Templates are carried out late, so
        that some servers call what they raise an error of their own.
        """
        learnt = None
        if failure.cause in UNFIT or failure.cause == "http 500":
            learnt = self.capabilities.reshaped(failure.detail, request.messages, call.shape)
        if learnt is None and failure.cause in UNFIT:
            plainer = self.capabilities.without_keywords(failure.detail) if call.by_schema else None
            learnt = plainer or self.capabilities.without(failure.detail, call.names)
        if learnt is None:
            return False
        self.capabilities = learnt
        return True

    def _doubted(self, usage: Usage, answer: "_Answer", request: Request) -> Usage | None:
        """Estimate in place of an endpoint's impossible counts of tokens, which is reported; else None."""
        why, calls = implausible_usage(usage, sent=len(answer.sent), received=len(answer.body)), 1
        if not why:
            calls = self._prompts.cut(usage, request.messages, len(answer.sent))
            if not calls:
                return None
        self.doubts[why or FEW] += calls
        return Usage(estimated=True)


def in_form(form: ProviderFormat, answer: bytes) -> bytes:
    """An answer in a provider's own form as the body of a chat completion.

    Raises:
        CallFailed: it is not what the form reads.
    """
    if form.read is None:
        return answer
    try:
        return encode(form.read(msgspec.json.decode(answer)))
    except (msgspec.DecodeError, LookupError, TypeError, AttributeError) as error:
        raise CallFailed(UNREAD, f"the answer has not the provider's form ({describe_error(error)})") from error


def _of_length(failure: CallFailed, limit: int | None) -> TokenLimitRefusal | None:
    """The limit that a refusal calls too large; None where it is about something else.

    Raises:
        CallFailed: the prompt leaves no room for an answer, or the answer was not what the server could read.
    """
    if failure.cause == "http 500" and speaks_of_output(failure.detail):
        raise CallFailed(UNREAD, failure.detail) from failure
    found = read_length(failure.detail, limit) if failure.cause in UNFIT else None
    short = (
        isinstance(found, TokenLimitRefusal)
        and found.instead is not None
        and found.instead < min(limit or 0, LEAST_ANSWER)
    )
    if isinstance(found, ContextLengthRefusal) or short:
        raise CallFailed(OVERFLOW, failure.detail) from failure
    return found
