"""Inspect's models as callers: each role is a model of the evaluation, and none stands in for another.

What fails after Inspect's own retries, in a way that may pass, leaves a verdict open; all else ends the sample.
"""

import json
from time import perf_counter
from weakref import WeakKeyDictionary

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
    get_model,
)
from inspect_ai.util import JSONSchema

from mores.core.card import THINKING_ROOM
from mores.core.transcript import Message
from mores.hosted import SUBJECT, HostError
from mores.models.extra_body import is_starved
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.providers.through_inspect import read_output
from mores.models.request import CallFailed, Reply, Request

KINDS: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_rooms: WeakKeyDictionary[Model, int] = WeakKeyDictionary()
"""Tokens that each model gets for thinking beside its answer: known once it was seen to want them."""


def callers(roles: tuple[str, ...]) -> dict[str, "InspectCaller"]:
    """A caller for each role: the subject is the model under test, any other the model role of its name.

    Raises:
        PrerequisiteError: a role has no model; Inspect's line names it.
    """
    # Without `required` the model under test would be judge of itself.
    return {
        role: InspectCaller(get_model() if role == SUBJECT else get_model(role=role, required=True)) for role in roles
    }


class InspectCaller:
    """A caller of one model of Inspect."""

    def __init__(self, model: Model) -> None:
        self.model = model

    async def ask(self, request: Request) -> Reply:
        """The reply to a request.

        Raises:
            CallFailed: none came, in a way that may pass or that the request itself is to blame for.
            HostError: any other error of Inspect, with it as the cause.
        """
        if request.labels:
            raise CallFailed(NO_LOGPROBS, "Inspect asks for no probabilities of labels")
        room = _rooms.get(self.model, THINKING_ROOM if _thinks(self.model.config) else 0)
        reply = await self._call(request, room)
        if is_starved(reply) and not room and request.sampling.max_tokens:
            _rooms[self.model] = THINKING_ROOM
            reply = await self._call(request, THINKING_ROOM)
        return reply

    async def _call(self, request: Request, room: int) -> Reply:
        started = perf_counter()
        try:
            found = await self.model.generate(list(map(_message, request.messages)), config=_config(request, room))
        except Exception as error:
            # Inspect's retries end in an error of their own, which says only what it came of.
            cause = error.__cause__ if type(error).__name__ == "RetryError" and error.__cause__ else error
            if isinstance(cause, Exception) and self.model.api.should_retry(cause):
                raise CallFailed(f"inspect: {type(cause).__name__}", str(cause)[:400]) from error
            raise HostError(f"{self.model}: {type(cause).__name__}: {str(cause)[:400]}") from error
        return read_output(found, perf_counter() - started, None, lambda _: None)


def _thinks(config: GenerateConfig) -> bool:
    return bool(config.reasoning_tokens) or config.reasoning_effort not in {None, "none"}


def _message(message: Message) -> ChatMessage:
    return KINDS[message.role](content=message.content)


def _config(request: Request, room: int) -> GenerateConfig:
    """Settings of one call: those of the request, and no others, so that the rest is as the user of Inspect chose."""
    sampling, schema = request.sampling, request.schema
    answer = None if schema is None else JSONSchema.model_validate(json.loads(schema))
    return GenerateConfig(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        max_tokens=None if sampling.max_tokens is None else sampling.max_tokens + room,
        response_schema=None if answer is None else ResponseSchema(name="judgement", json_schema=answer),
    )
