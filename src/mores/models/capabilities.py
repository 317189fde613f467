"""Capabilities of an endpoint, learnt by and by from what it refuses, and the settings that are sent accordingly.

A refusal changes what is sent from then on, never what was asked for: a request and its key in the journal stay as they
are, and `altered` says in words what departs from them. Messages are put in the shape that a chat template takes. Some
servers answer 200 to a JSON schema that they do not know, so the first call with one is preceded by one of our own:
what is asked for in plain words does not fit its schema, and who says just these words has passed it over.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mores.core.card import THINKING_ROOM, EndpointOptions, Sampling
from mores.core.transcript import Message
from mores.models.error_messages import (
    ALTERNATING,
    NO_SYSTEM,
    USER_FIRST,
    TokenLimitRefusal,
    complains_of_schema,
    complaint,
    keywords_refused,
    shapes_refused,
)
from mores.models.label_scoring import REFUSALS
from mores.models.request import CallFailed, Reply, Request, Tag, Usage
from mores.models.single_flight import SingleFlight

OPENING = "(The conversation begins.)"
"""First turn of the user's where a template wants one before the model's."""
SAYS = {
    NO_SYSTEM: "system words put before the user's first words, since the endpoint takes no system role",
    ALTERNATING: "neighbouring turns of one role joined, since the endpoint wants roles that alternate",
    USER_FIRST: f"a first turn of the user's added, {OPENING}, since the endpoint wants one",
}
"""Alteration by each shape, in words."""


def shaped(messages: tuple[Message, ...], shape: frozenset[str]) -> tuple[Message, ...]:
    r"""The messages in a shape; all of their words stay, in their order.

    >>> rules, asked = Message(role="system", content="Be kind."), Message(role="user", content="Who pours?")
    >>> [message.content for message in shaped((rules, asked), frozenset({NO_SYSTEM}))]
    ['Be kind.\n\nWho pours?']
    """
    if NO_SYSTEM in shape:
        messages = tuple(_as_users(messages))
        messages = tuple(_joined(messages, {"user"} if ALTERNATING not in shape else set()))
    if USER_FIRST in shape:
        messages = tuple(_begun(messages))
    return tuple(_joined(messages, {"system", "user", "assistant"})) if ALTERNATING in shape else messages


def _as_users(messages: tuple[Message, ...]) -> Iterator[Message]:
    """With what the system says, said by the user."""
    for message in messages:
        yield Message(role="user", content=message.content) if message.role == "system" else message


def _begun(messages: tuple[Message, ...]) -> Iterator[Message]:
    """With a turn of the user's before the first of the model's."""
    begun = False
    for message in messages:
        if not begun and message.role == "assistant":
            yield Message(role="user", content=OPENING)
        begun = begun or message.role != "system"
        yield message


def _joined(messages: Iterable[Message], roles: set[str]) -> Iterator[Message]:
    """With neighbours of one of these roles as one turn, a blank line between."""
    last: Message | None = None
    for message in messages:
        if last is not None and last.role == message.role and message.role in roles:
            last = Message(role=last.role, content=f"{last.content}\n\n{message.content}")
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


LEAST_ROOM = 64
"""Tokens that are asked for at least, where a prompt is guessed to leave fewer."""
BYTES_A_TOKEN = 3
"""A guess at a prompt's tokens that is rather too many; what it leaves is then surely there."""


class Capabilities(Struct, frozen=True):
    """Features that an endpoint takes.

    `leave_out` are settings that it refuses, `idle` ways of telling it to think after which it showed no thinking.
    `most` is how much it draws for one answer, `window` how much prompt and answer may take together, each None where
    nothing was refused; `schema_lacks` are keywords of JSON schemas that it does not know, `shape` is what its template
    asks of messages, `notes` what is altered beside lengths.
    """

    limit_name: str = "max_tokens"
    leave_out: frozenset[str] = frozenset()
    thinks: bool = False
    idle: frozenset[EndpointOptions] = frozenset()
    schemas: bool = True
    schema_lacks: frozenset[str] = frozenset()
    most: int | None = None
    window: int | None = None
    shape: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def altered(self) -> tuple[str, ...]:
        """In words, what departs from the requests."""
        found = [*self.notes]
        if self.most is not None:
            found.append(f"limits lowered to {self.most:,} tokens, the most that the endpoint takes")
        if self.window is not None:
            found.append(
                f"limits lowered to what the prompt leaves of the endpoint's context of {self.window:,} tokens"
            )
        return tuple(found)

    def noted(self, says: str) -> "Capabilities":
        """With one more thing said of what is altered, once."""
        return self if says in self.notes else replace(self, notes=(*self.notes, says))

    def with_room(self, limit: int, sampling: Sampling) -> int:
        """The limit that would be sent, were there no other: with room for thinking where the model thinks.

        An answer's own limit is the same whatever a model is told: one that does not think gets no room to talk.
        """
        if sampling.told in self.idle:
            return limit
        return limit + (sampling.thinking_room or (THINKING_ROOM if self.thinks else 0))

    def limit(self, wished: int, prompt_bytes: int = 0) -> int:
        """The limit that is sent: no more than the endpoint draws, and than a prompt is guessed to leave."""
        if self.most is not None:
            wished = min(wished, self.most)
        if self.window is None:
            return wished
        return min(wished, max(self.window - prompt_bytes // BYTES_A_TOKEN, LEAST_ROOM))

    def narrowed(self, found: TokenLimitRefusal) -> "Capabilities":
        """With the bounds that a refused limit told of."""
        # Calls under way are refused in any order, so the lowest bound that was named stands.
        most = found.most if self.most is None or found.most is None else min(self.most, found.most)
        return replace(self, most=most or self.most, window=found.window or self.window)

    def without(self, detail: str, sent: tuple[str, ...]) -> "Capabilities | None":
        """With a setting under another name or left out, by what a refusal complains of; None where it is none."""
        name = complaint(detail, tuple(sorted(sent)))
        if name is None:
            return None
        if name == "max_tokens":
            changed = replace(self, limit_name="max_completion_tokens")
            return changed.noted("max_completion_tokens instead of max_tokens")
        left = replace(self, leave_out=self.leave_out | {name})
        return left.noted(f"{name} left out, since the endpoint does not take it")

    def without_keywords(self, detail: str) -> "Capabilities | None":
        """With plainer schemas, by the keywords that a refusal complains of; None where it complains of none."""
        lacks = keywords_refused(detail) - self.schema_lacks
        if not lacks:
            return None
        says = f"{', '.join(sorted(lacks))} left out of JSON schemas, since the endpoint does not know it"
        return replace(self, schema_lacks=self.schema_lacks | lacks).noted(says)

    def reshaped(self, detail: str, asked: tuple[Message, ...], sent: frozenset[str]) -> "Capabilities | None":
        """With messages in another shape, by what a refusal complains of; None where no other would change them.

        `asked` are the messages of the request and `sent` is the shape in which they were refused.
        """
        before = shaped(asked, sent)
        for name in shapes_refused(detail):
            if name not in sent and shaped(asked, sent | {name}) != before:
                return replace(self, shape=self.shape | sent | {name}).noted(SAYS[name])
        return None

    def settings(self, sampling: Sampling, neutral: Mapping[str, float]) -> dict[str, object]:
        """Settings of sampling, as they are sent: what is not set is neutral where that can be said."""
        wished: dict[str, object] = {
            "temperature": sampling.temperature,
            **neutral,
            **({} if sampling.top_p is None else {"top_p": sampling.top_p}),
            **sampling.cuts,
            "logprobs": sampling.logprobs or None,
        }
        return {name: value for name, value in wished.items() if value is not None and name not in self.leave_out}


def response_format(schema: str, lacks: frozenset[str]) -> dict[str, object]:
    """The setting that asks for a JSON schema, without keywords that the endpoint does not know."""
    kept = msgspec.json.encode(_less(msgspec.json.decode(schema), lacks)) if lacks else schema.encode()
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": msgspec.Raw(kept)}}


def _less(schema: object, lacks: frozenset[str]) -> object:
    if isinstance(schema, dict):
        return {name: _less(value, lacks) for name, value in schema.items() if name not in lacks}
    return schema


NO_SCHEMA = "no JSON schema, since the endpoint does not take it: judges answer by the form in words"
PASSED_OVER = "JSON schemas are passed over by the endpoint in silence: judges answer by the form in words"
WORD = "ready"
TRIAL_TOKENS = 160
_FIELDS = {
    "word": {"type": "string", "enum": [WORD]},
    "note": {"type": "string", "maxLength": 10},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
}
_SCHEMA = msgspec.json.encode(
    {"type": "object", "properties": _FIELDS, "required": list(_FIELDS), "additionalProperties": False}
).decode()
"""With all keywords that judges' schemas have."""


class SchemaTrial:
    """Asks one endpoint, once, for an answer by a schema.

    Args:
        call: Puts a call to the endpoint.
        refused: Is told that no schema is taken.
        note: Is told, in words, what is altered.
        overhead: Takes the usage of the trial.

    `made` says whether it brought an answer or a refusal.
    """

    def __init__(
        self,
        call: Callable[[Request], Awaitable[Reply]],
        refused: Callable[[], None],
        note: Callable[[str], None],
        overhead: list[Usage],
    ) -> None:
        self._call, self._refused, self._note, self._overhead = call, refused, note, overhead
        self._trial = SingleFlight[None]()
        self.made = False

    async def over(self, sampling: Sampling) -> None:
        """Return once it was made; one that failed in passing is made again before the next call with a schema."""
        if not self.made:
            await self._trial.outcome(partial(self._make, sampling))

    async def _make(self, sampling: Sampling) -> None:
        # noted in the work itself: whoever came between its end and its waiters' awakening would begin another
        self.made = await self._tried(sampling)

    async def _tried(self, sampling: Sampling) -> bool:
        """True where it brought an answer or a refusal."""
        asked = Request(
            messages=(Message(role="user", content=f"Answer with the one word: {WORD}"),),
            sampling=replace(sampling, max_tokens=TRIAL_TOKENS, logprobs=False),
            tag=Tag(item="probe", role="probe"),
            schema=_SCHEMA,
        )
        try:
            reply = await self._call(asked)
        except CallFailed as failure:
            self._overhead.append(Usage())
            if failure.cause in REFUSALS and complains_of_schema(failure.detail):
                self._refused()
            return failure.cause in REFUSALS
        self._overhead.append(reply.usage)
        if _passes_over(reply):
            self._note(PASSED_OVER)
        return True


def _passes_over(reply: Reply) -> bool:
    """True where a reply is none that the schema allows; one that was cut short is judged by how it begins."""
    text = reply.text.strip()
    if not text or reply.finish == "length":
        return bool(text) and not text.startswith("{")
    try:
        found = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return True
    return not isinstance(found, dict) or found.get("word") != WORD
