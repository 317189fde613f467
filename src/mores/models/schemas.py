"""Whether an endpoint takes JSON schemas: refuses them, passes them over in silence, or holds its answers to them.

Some servers answer 200 to a schema that they do not know, so the first call with one is preceded by one of our own:
what is asked for in plain words does not fit its schema, and who says just these words has passed it over.
"""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
from msgspec.structs import replace

from mores.core.card import Sampling
from mores.core.transcript import Message
from mores.models.error_messages import complains_of_schema
from mores.models.label_scoring import REFUSALS
from mores.models.request import CallFailed, Reply, Request, Tag, Usage
from mores.models.single_flight import SingleFlight

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
    said = reply.text.strip()
    if not said or reply.finish == "length":
        return bool(said) and not said.startswith("{")
    try:
        found = msgspec.json.decode(said.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return True
    return not isinstance(found, dict) or found.get("word") != WORD
