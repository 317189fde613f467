"""Every OpenAI-compatible chat endpoint: presets of address and key, one POST a call, one probe before the first.

The probe learns what the endpoint takes (`max_completion_tokens`, no temperature, thinking), the first call with a
schema whether it takes that, the first with labels how it weighs them. What was altered is kept for the manifest. A
key goes into the header and nowhere else.
"""

import asyncio
import os
from collections import Counter
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from time import perf_counter, time
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from yarl import URL

from mores.core.card import Sampling
from mores.core.errors import InputError, Unreachable
from mores.core.transcript import Message
from mores.models.bodies import LARGE_AT_ONCE, LARGEST_PROBE, LARGEST_REPLY, PACKED_AS, read_body, read_refusal
from mores.models.completion import Drawn, complains_of_schema, complaint, implausible, read_reply, read_tokens
from mores.models.deadlines import Deadlines
from mores.models.labels import NO_LOGPROBS
from mores.models.limits import Slots
from mores.models.request import CallFailed, Reply, Request, Tag, Usage
from mores.models.scoring import REFUSALS, Scorer, Way
from mores.models.written import written

THINKING_ROOM = 16_384
HEADS_KEPT = 1_024
NO_SCHEMA = "no JSON schema, since the endpoint does not take it: judges answer by the form in words"
SETTINGS = ("max_tokens", "temperature", "top_p", "top_k", "min_p", "logprobs")
"""What an endpoint may not take, and is then not sent."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})


@dataclass(frozen=True, slots=True)
class Preset:
    """Where an endpoint lives and which variable holds its key; None where it needs none."""

    base_url: str
    key_variable: str | None


PRESETS: dict[str, Preset] = {
    "openai": Preset("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": Preset("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "together": Preset("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "groq": Preset("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "deepseek": Preset("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "mistral": Preset("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "google": Preset("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "anthropic": Preset("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "vllm": Preset("http://localhost:8000/v1", None),
    "sglang": Preset("http://localhost:30000/v1", None),
    "ollama": Preset("http://localhost:11434/v1", None),
    "llamacpp": Preset("http://localhost:8080/v1", None),
}


@dataclass(frozen=True, slots=True)
class Manners:
    """What an endpoint takes, learnt by and by; `altered` says in words what departs from the request."""

    limit_name: str = "max_tokens"
    leave_out: frozenset[str] = frozenset()
    thinks: bool = False
    schemas: bool = True
    altered: tuple[str, ...] = field(default=())


class _Head(NamedTuple):
    """What decides the words round the messages."""

    sampling: Sampling
    schema: str | None
    way: Way | None


class ChatEndpoint:
    """A model behind an OpenAI-compatible endpoint."""

    sealed = False
    by_item = False
    simulated = False

    def __init__(self, spec: str, *, base_url: str | None, window: int, timeout: float = 300.0) -> None:
        self.spec = spec
        self.overhead: list[Usage] = []
        self.provider, _, self.model = spec.partition("/")
        preset = PRESETS[self.provider]
        self.base_url = (base_url or preset.base_url).rstrip("/")
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(f"--base-url {self.base_url}: no address; expected one such as http://localhost:8000/v1.")
        if parts.username or parts.password or parts.query:
            raise InputError(f"--base-url for {spec}: it carries a secret; put the key into the environment instead.")
        self.identity = f"{parts.scheme}://{parts.hostname}{parts.path}"
        self.manners = Manners()
        self.doubts: Counter[str] = Counter()  # calls whose counts of tokens were not believed, by why
        self._headers = _headers(self.spec, preset, base_url)
        self._key = self._headers.get("Authorization", "").removeprefix("Bearer ").encode()
        self._url = URL(f"{self.base_url}/chat/completions", encoded=True)
        self._window, self._timeout = window, timeout
        self._deadlines = Deadlines(timeout)
        self._large = Slots(LARGE_AT_ONCE)
        self._session: aiohttp.ClientSession | None = None
        self._probed: asyncio.Task[None] | None = None
        self._heads: dict[_Head, bytes] = {}
        self._scorer = Scorer(self._draw, self._note, self.overhead)

    @property
    def room(self) -> int:
        """Tokens that thinking may take beside the answer."""
        return THINKING_ROOM if self.manners.thinks else 0

    async def prepare(self, sampling: Sampling) -> None:
        """Return once the endpoint was probed, which happens once.

        Raises:
            InputError: the key was refused or the model is unknown.
            Unreachable: nobody answers at the address.
        """
        if self._probed is None:
            self._probed = asyncio.ensure_future(self._probe(sampling))
        if not self._probed.done() or self._probed.exception() is not None:
            await asyncio.shield(self._probed)

    async def reply(self, request: Request) -> Reply:
        """The endpoint's reply.

        Raises:
            CallFailed: no usable reply came.
        """
        if request.labels:
            if self.manners.thinks:
                raise CallFailed(NO_LOGPROBS, "the model thinks before it answers, so a label is not what comes next")
            return await self._scorer.score(request)
        with_schema = request.schema is not None and self.manners.schemas
        cuts = request.sampling.cuts.keys() - self.manners.leave_out
        try:
            return await self._call(request)
        except CallFailed as failure:
            if cuts and self._leaves_out(tuple(cuts), failure):
                return await self.reply(request)
            if not with_schema or failure.cause not in REFUSALS:
                raise
            return await self._without_schema(request, failure.detail)

    async def close(self) -> None:
        """Close the connection pool."""
        if self._session is not None:
            await self._session.close()

    async def _without_schema(self, request: Request, detail: str) -> Reply:
        """The reply to a refused call, asked again without its schema.

        Many calls may be under way when the first is refused, so each is asked again for itself. That it was the
        schema is remembered where the endpoint said so and the call went through without it.
        """
        self.overhead.append(Usage())
        reply = await self._call(replace(request, schema=None))
        if complains_of_schema(detail) and self.manners.schemas:
            self.manners = replace(self.manners, schemas=False)
            self._note(NO_SCHEMA)
        return reply

    def _leaves_out(self, cuts: tuple[str, ...], failure: CallFailed) -> bool:
        """True where a refusal complains of a setting that was sent and is left out from now on.

        The probe may have been made for a role that does not draw its words so; many calls may be refused at once.
        """
        learnt = self._adapt(failure, cuts) or complaint(failure.detail, cuts) in self.manners.leave_out
        if learnt:
            self.overhead.append(Usage())
        return learnt

    def _note(self, says: str) -> None:
        """Keep, once, what is altered."""
        if says not in self.manners.altered:
            self.manners = replace(self.manners, altered=(*self.manners.altered, says))

    async def _probe(self, sampling: Sampling) -> None:
        asked = Request(
            messages=(Message(role="user", content="Answer with the one word: ready"),),
            sampling=sampling,
            tag=Tag(item="probe", role="probe"),
        )
        for attempt in range(8):
            try:
                reply = await self._call(asked, LARGEST_PROBE)
            except CallFailed as failure:
                self.overhead.append(Usage())
                if not self._adapt(failure):
                    await self._give_up_or_wait(failure, attempt)
            else:
                self.overhead.append(reply.usage)
                self._note_thinking(reply)
                return

    async def _give_up_or_wait(self, failure: CallFailed, attempt: int) -> None:
        if failure.cause in {"http 401", "http 403"}:
            variable = PRESETS[self.provider].key_variable
            raise InputError(f"{self.spec}: the endpoint refused the key ({failure}); set {variable or 'its key'}.")
        if failure.cause == "http 404":
            raise InputError(f"{self.spec}: no such model or address at {self.base_url} ({failure}).")
        if failure.cause == "no connection" and attempt >= 2:
            raise Unreachable(f"{self.spec}: nobody answers at {self.base_url} ({failure.detail}).")
        if not failure.passing:
            raise InputError(f"{self.spec}: the endpoint refuses every call ({failure}).")
        await asyncio.sleep(min(failure.wait or 0.2 * 2**attempt, 10.0))

    def _adapt(self, failure: CallFailed, names: tuple[str, ...] = SETTINGS) -> bool:
        """Change what is sent by what a 400 complains of; False where nothing can be learnt from it."""
        if failure.cause not in {"http 400", "http 422"}:
            return False
        name = complaint(failure.detail, names)
        manners = self.manners
        if name is None or name in manners.leave_out:
            return False
        if name == "max_tokens" and manners.limit_name == "max_tokens":
            learnt = replace(manners, limit_name="max_completion_tokens")
            note = "max_completion_tokens instead of max_tokens"
        else:
            learnt = replace(manners, leave_out=manners.leave_out | {name})
            note = f"{name} left out, since the endpoint does not take it"
        self.manners = replace(learnt, altered=(*learnt.altered, note))
        self._heads.clear()
        return True

    def _note_thinking(self, reply: Reply) -> None:
        thinks = bool(reply.reasoning) or reply.usage.reasoning > 0 or self.manners.limit_name != "max_tokens"
        starved = not reply.text and reply.finish == "length"
        if thinks or starved:
            note = f"{THINKING_ROOM} tokens of room for thinking beside the answer's own limit"
            self.manners = replace(self.manners, thinks=True, altered=(*self.manners.altered, note))
            self._heads.clear()

    async def _call(self, request: Request, limit: int | None = None) -> Reply:
        data = self._body(request)
        body, seconds = await self._post(data, limit)
        reply = read_reply(body, seconds)
        return replace(reply, usage=usage) if (usage := self._doubted(reply.usage, data, body)) else reply

    async def _draw(self, request: Request, way: Way) -> tuple[Drawn, float]:
        """The tokens that one call brings by a way to have labels weighed."""
        data = self._body(request, way)
        body, seconds = await self._post(data)
        drawn = read_tokens(body)
        return (drawn._replace(usage=usage) if (usage := self._doubted(drawn.usage, data, body)) else drawn), seconds

    def _doubted(self, usage: Usage, data: bytes, body: bytes) -> Usage | None:
        """What stands for an endpoint's counts of tokens that cannot be: an estimate, and that is told; else None."""
        why = implausible(usage, sent=len(data), received=len(body))
        if not why:
            return None
        self.doubts[why] += 1
        return Usage(estimated=True)

    async def _post(self, data: bytes, limit: int | None = None) -> tuple[bytes, float]:
        """The body of an answer of status 200, of so many bytes at most, and the seconds that it took."""
        started = perf_counter()
        call = self._deadlines.begin()
        try:
            # headers stand here and not with the session, which would tell the key to a proxy too
            async with self._open().post(
                self._url, data=data, headers=self._headers, allow_redirects=False
            ) as response:  # fmt: skip
                if response.status != 200:
                    raise self._refused(response, await read_refusal(response))
                body = await read_body(response, limit or LARGEST_REPLY, self._large)
        except asyncio.CancelledError:
            if self._deadlines.broke_off(call):
                raise CallFailed("time-out", f"no answer in {self._timeout:g} s", passing=True) from None
            raise
        except aiohttp.ClientConnectorError as error:
            raise CallFailed("no connection", str(error), passing=True) from error
        except (aiohttp.ClientError, OSError) as error:
            raise CallFailed("broken connection", type(error).__name__, passing=True) from error
        finally:
            self._deadlines.end(call)
        return body.replace(self._key, b"***") if self._key else body, perf_counter() - started

    def _refused(self, response: aiohttp.ClientResponse, body: bytes) -> CallFailed:
        wait = seconds_of(response.headers.get("Retry-After", ""))
        elsewhere = response.headers.get("Location", "") if response.status // 100 == 3 else ""
        said = f"it points to {elsewhere}; name that address" if elsewhere else body.decode("utf-8", "replace")
        detail = self._without_key(said)[:400]
        return CallFailed(f"http {response.status}", detail, passing=response.status in PASSING, wait=wait)

    def _without_key(self, words: str) -> str:
        """An endpoint's words, in case it says the key back."""
        return words.replace(self._key.decode(), "***") if self._key else words

    def _body(self, request: Request, way: Way | None = None) -> bytes:
        key = _Head(request.sampling, request.schema if self.manners.schemas else None, way)
        head = self._heads.get(key)
        if head is None:
            if len(self._heads) >= HEADS_KEPT:  # a schema may be a case's own, and cases are many
                self._heads.clear()
            head = self._heads[key] = self._head(key)
        return b"".join((head, written(request.messages), b"}"))

    def _head(self, key: _Head) -> bytes:
        """What stands before the messages: built once for each way to sample, schema and way to weigh labels."""
        sampling, limit = key.sampling, key.sampling.max_tokens
        if limit is not None and self.manners.thinks:
            limit += THINKING_ROOM
        settings: dict[str, object] = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            **sampling.cuts,
            self.manners.limit_name: limit if key.way is None else key.way.tokens,
            "logprobs": sampling.logprobs or None,
            "response_format": None if key.schema is None else _response_format(key.schema),
            **dict(() if key.way is None else key.way.settings),
        }
        kept = {k: v for k, v in settings.items() if v is not None and k not in self.manners.leave_out}
        return msgspec.json.encode({"model": self.model, **kept})[:-1] + b',"messages":'

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=max(self._window, 1), ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                proxy=_proxy(self._url),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session


def seconds_of(retry_after: str) -> float | None:
    """The wait that a Retry-After asks for, in seconds or by a date; None where it says neither.

    >>> seconds_of("1.5"), seconds_of("soon")
    (1.5, None)
    """
    try:
        if retry_after[:1].isdigit() and "," not in retry_after:
            return max(0.0, float(retry_after))
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, OverflowError, TypeError, IndexError):  # what dates with a strange day or zone bring
        return None


def _response_format(schema: str) -> dict[str, object]:
    named = {"name": "reply", "strict": True, "schema": msgspec.Raw(schema.encode())}
    return {"type": "json_schema", "json_schema": named}


def _proxy(url: URL) -> str | None:
    """The proxy that the environment names for an address, looked up once: at each call it costs more than the call."""
    return None if proxy_bypass(url.host or "") else getproxies().get(url.scheme)


def _headers(spec: str, preset: Preset, base_url: str | None) -> dict[str, str]:
    variable = preset.key_variable or "MORES_API_KEY"
    key = os.environ.get(variable, "").strip()
    if not key and preset.key_variable and base_url is None:
        raise InputError(f"{spec}: no key; set {preset.key_variable} in the environment.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError(f"{variable}: it holds a line break, a space or another sign that no key has; set it anew.")
    headers = {"Content-Type": "application/json", "Accept-Encoding": PACKED_AS}
    return {**headers, "Authorization": f"Bearer {key}"} if key else headers
