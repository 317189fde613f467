"""lm-evaluation-harness's `samples_*.jsonl`: a row a document, and one more for each further filter.

Where continuations were weighed (`multiple_choice`), a request has the prompt and one of them, and a response its
log-likelihood beside whether it is the greediest. Source: `lm_eval/evaluator.py` and `lm_eval/api/task.py`, 0.4.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from mores.core.codec import UNREADABLE
from mores.models.logs.documents import NO_WORDS, Chosen, likeliest, read_document
from mores.models.logs.logged_reply import Logged, LogMessage, last_user_message, points_of, reply_of, shaped

NAME = "lm-evaluation-harness's samples"
METRICS = ("acc", "exact_match")
"""Grades of a row that does not say which it has, as older ones do."""


class _Row(msgspec.Struct):
    doc_id: int | str
    resps: list[object]
    arguments: object = None
    filtered_resps: object = None
    doc: object = None
    metrics: object = None


class _Put(NamedTuple):
    """One request: the prompt as it was sent, and the continuation that was weighed after it, if any."""

    prompt: str
    continuation: str


def read_row(row: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies to one document, a draw each; its row of another filter says the same again.

    Raises:
        InputError: the row lacks what is read of it.
    """
    sample = shaped(row, _Row, where=where, what="a row of lm-evaluation-harness's samples")
    puts = list(_puts(sample.arguments))
    logged = Logged(
        where=where,
        item=str(sample.doc_id),
        aliases=tuple(_aliases(sample.doc)),
        asked=tuple(_words(put.prompt) for put in puts[:1]),
        document=read_document(sample.doc),
    )
    replies = [text for resp in sample.resps for text in (resp if isinstance(resp, list) else [resp])]
    if any(put.continuation for put in puts) or not all(isinstance(text, str) for text in replies):
        weighed = _weighed(logged, puts, sample)
        yield msgspec.structs.replace(weighed, score=_score(row, sample.metrics))
        return
    for draw, text in enumerate(replies):
        # A grade is of all draws together.
        score = _score(row, sample.metrics) if len(replies) == 1 else None
        yield msgspec.structs.replace(logged, sample=draw, reply=reply_of(str(text)), score=score)


def _score(row: Mapping[str, object], metrics: object) -> float | None:
    """The first grade of a row that is a number, by the metrics that it names."""
    names = [str(name) for name in metrics] if isinstance(metrics, list) else []
    return next((found for name in (*names, *METRICS) if (found := points_of(row.get(name))) is not None), None)


def _weighed(logged: Logged, puts: list[_Put], sample: _Row) -> Logged:
    """The likeliest continuation; those after another prompt, which some tasks weigh for comparison, stay out."""
    own = [put for put in puts if put.prompt == puts[0].prompt]
    weights = max((_weights(sample.resps), _weights(sample.filtered_resps)), key=len)
    chosen = likeliest([put.continuation for put in own], weights[: len(own)]) if own else Chosen("", NO_WORDS)
    if chosen.why_not:
        return msgspec.structs.replace(logged, left_out=chosen.why_not)
    return msgspec.structs.replace(logged, reply=reply_of(chosen.words.strip()), weighed=True)


def _weights(resps: object) -> list[object]:
    """The log-likelihood in each response."""
    found = []
    for resp in resps if isinstance(resps, list) else []:
        value = resp
        while isinstance(value, list) and value and isinstance(value[0], list):  # a list of one for each repeat
            value = value[0]
        found += value[:1] if isinstance(value, list) else []
    return found


def _aliases(doc: object) -> Iterator[str]:
    """Names that the document itself may have for its item."""
    for column in ("item", "id"):
        if isinstance(doc, dict) and isinstance(doc.get(column), str):
            yield doc[column]


def _puts(arguments: object) -> Iterator[_Put]:
    """The requests of a row; none where they are not told. Older rows have lists for what newer ones name."""
    if isinstance(arguments, dict):
        rows = [value for name, value in arguments.items() if str(name).startswith("gen_args_")]
    else:
        rows = arguments if isinstance(arguments, list) else []
    for row in rows:
        prompt = row.get("arg_0") if isinstance(row, dict) else row[0] if isinstance(row, list) and row else row
        second = row.get("arg_1") if isinstance(row, dict) else row[1] if isinstance(row, list) and row[1:] else ""
        while isinstance(prompt, list) and prompt:  # messages stand in a list of their own
            prompt = prompt[0]
        if isinstance(prompt, str):
            yield _Put(prompt, second if isinstance(second, str) else "")


def _words(prompt: str) -> str:
    """Text that was asked: the prompt itself, or the user's last message where it is messages as JSON."""
    try:
        return last_user_message(msgspec.convert(json.loads(prompt), list[LogMessage]))
    except UNREADABLE:
        return prompt
