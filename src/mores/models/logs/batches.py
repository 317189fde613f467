"""Results of batches, a row a request: OpenAI's and vLLM's, Anthropic's, and Gemini's.

They repeat no words that were asked, so the name that the request was given has to be the item's, or `ITEM#SAMPLE`.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from mores.models.batch.results import Outcome
from mores.models.completion import read_reply
from mores.models.logs.row import Logged, item_and_sample
from mores.models.request import CallFailed

Row = Mapping[str, object]


def rows_by(read: Callable[[Row, str], Outcome]) -> Callable[[Row, str], Iterator[Logged]]:
    """A reader of rows that gives a draw for each choice of what came of a request."""

    def draws(row: Row, where: str) -> Iterator[Logged]:
        came = read(row, where)
        item, first = item_and_sample(came.name)
        if came.completion is None:
            yield Logged(where=where, item=item, sample=first, failed=str(came.failure))
            return
        choices = came.completion.get("choices")
        for number, one in enumerate(choices if isinstance(choices, list) and choices else [None]):
            body = {**came.completion, "choices": [] if one is None else [one]}
            try:
                reply = replace(read_reply(msgspec.json.encode(body), 0.0), seconds=0.0)
            except CallFailed as failure:
                yield Logged(where=where, item=item, sample=first + number, failed=str(failure))
            else:
                yield Logged(where=where, item=item, sample=first + number, reply=reply)

    return draws
