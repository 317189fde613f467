"""What an endpoint takes, learnt by and by from what it refuses, and the settings that are sent to it accordingly.

A refusal changes what is sent from then on, never what was asked for: a request and its key in the journal stay as they
are, and `altered` says in words what departs from them.
"""

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mores.core.card import THINKING_ROOM, EndpointOptions, Sampling
from mores.core.transcript import Message
from mores.models.error_messages import TokenLimitRefusal, complaint, keywords_refused, shapes_refused
from mores.models.shapes import SAYS, shaped

LEAST_ROOM = 64
"""Tokens that are asked for at least, where a prompt is guessed to leave fewer."""
BYTES_A_TOKEN = 3
"""A guess at a prompt's tokens that is rather too many; what it leaves is then surely there."""


class Capabilities(Struct, frozen=True):
    """What an endpoint takes.

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
        """How words are drawn, as it is sent: what is not set is neutral where that can be said."""
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
