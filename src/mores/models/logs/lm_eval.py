"""lm-evaluation-harness's `samples_*.jsonl`: a row a document, and one more for each further filter."""

import json
from collections.abc import Iterator, Mapping

import msgspec

from mores.core.codec import UNREADABLE
from mores.models.logs.row import Logged, Turn, last_asked, reply_of, shaped

NAME = "lm-evaluation-harness's samples"
WEIGHED = "log-likelihoods of options, no words"


class _Row(msgspec.Struct):
    doc_id: int | str
    resps: list[object]
    arguments: object = None
    doc: object = None


def read_row(row: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies to one document, a draw each; its row of another filter says the same again.

    Raises:
        InputError: the row lacks what is read of it.
    """
    said = shaped(row, _Row, where=where, what="a row of lm-evaluation-harness's samples")
    item, aliases, asked = str(said.doc_id), tuple(_aliases(said.doc)), _asked(said.arguments)
    replies = [text for resp in said.resps for text in (resp if isinstance(resp, list) else [resp])]
    if not all(isinstance(text, str) for text in replies):
        yield Logged(where=where, item=item, aliases=aliases, left_out=WEIGHED)
        return
    for draw, text in enumerate(replies):
        reply = reply_of(str(text))
        yield Logged(where=where, item=item, aliases=aliases, sample=draw, asked=asked, reply=reply)


def _aliases(doc: object) -> Iterator[str]:
    """What the document itself may call its item."""
    for column in ("item", "id"):
        if isinstance(doc, dict) and isinstance(doc.get(column), str):
            yield doc[column]


def _asked(arguments: object) -> tuple[str, ...]:
    """The prompt of the first request: text, or messages as JSON; none where it is not told."""
    first: object = arguments
    for key in ("gen_args_0", "arg_0"):
        first = first.get(key) if isinstance(first, dict) else first
    while isinstance(first, list) and first:  # older rows are lists, and messages stand in one of their own
        first = first[0]
    if not isinstance(first, str):
        return ()
    try:
        return (last_asked(msgspec.convert(json.loads(first), list[Turn])),)
    except UNREADABLE:
        return (first,)
