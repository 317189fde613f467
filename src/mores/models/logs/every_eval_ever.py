"""Every Eval Ever's `*_samples.jsonl`: a row an answer, and one more for each further figure of it."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import msgspec

from mores.models.logs.documents import read_document
from mores.models.logs.logged_reply import Logged, LogMessage, item_and_sample, points_of, reply_of, shaped

NAME = "Every Eval Ever's samples"


class _Input(msgspec.Struct):
    raw: str
    formatted: str | None = None
    choices: list[str] | None = None


class _Output(msgspec.Struct):
    raw: str | list[str]
    reasoning_trace: str | list[str] | None = None


class _Message(LogMessage):
    reasoning_trace: str | list[str] | None = None


class _Evaluation(msgspec.Struct):
    score: object = None


class _Row(msgspec.Struct):
    sample_id: str | int
    input: _Input
    model_id: str = ""
    output: _Output | None = None
    messages: list[_Message] | None = None
    error: str | None = None
    evaluation: _Evaluation | None = None
    metadata: dict[str, object] = {}


def read_row(row: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies of one row: all that were drawn, or the last of a talk.

    Raises:
        InputError: the row lacks what is read of it.
    """
    sample = shaped(row, _Row, where=where, what="a row of Every Eval Ever's samples")
    item, first = item_and_sample(str(sample.sample_id))
    asked = tuple(words for words in (sample.input.formatted, sample.input.raw) if words)
    document = read_document({"raw": sample.input.raw, "choices": sample.input.choices}, sample.metadata)
    answers = [] if sample.error else list(_answers(sample))
    if not answers:
        failed = sample.error or "no output"
        yield Logged(where=where, item=item, sample=first, asked=asked, document=document, failed=failed)
    for draw, (text, thought) in enumerate(answers):
        reply = reply_of(text, finish=str(sample.metadata.get("finish", "")), reasoning=thought, model=sample.model_id)
        yield Logged(
            where=where,
            item=item,
            sample=first + draw,
            asked=asked,
            document=document,
            reply=reply,
            score=points_of(sample.evaluation.score) if sample.evaluation and len(answers) == 1 else None,
        )


def _answers(row: _Row) -> Iterator[tuple[str, str]]:
    """Words and thinking of each answer."""
    if row.output is not None:
        answers, traces = _list(row.output.raw), _list(row.output.reasoning_trace)
        yield from zip_longest(answers, traces[: len(answers)], fillvalue="")
        return
    replies = [message for message in row.messages or [] if message.role == "assistant"]
    for message in replies[-1:]:
        yield message.text, "\n".join(_list(message.reasoning_trace))


def _list(words: str | list[str] | None) -> list[str]:
    """One text as a list, as it stood in schemas before 0.3."""
    return [words] if isinstance(words, str) else words or []
