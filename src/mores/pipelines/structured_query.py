"""One question to a model that is to be answered with a JSON object of a known shape.

words ─▶ reply ─▶ the object, read strictly, then repaired and flagged, else its fault quoted and asked again ─▶ a value

What judges say is read more strictly (`judges.parse`), since a score rests on it; what a writer writes is checked by
others afterwards, so that a missing bracket need not cost a call.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

import json_repair
import msgspec
from msgspec.structs import replace

from mores.core.card import Sampling
from mores.core.prompt import Prompt
from mores.core.transcript import Message
from mores.models.cast import LoggingCaller
from mores.models.marks import split_thinking
from mores.models.request import AnswerKey, CallFailed, Reply, Request, Tag

T = TypeVar("T")
AGAIN = 2
"""Number of times that a reply which cannot be used is asked for once more."""
REFUSED, UNUSABLE = "refusal", "no usable reply"
SHAPES_KEPT = 256
LONGEST = 300
"""Characters of a fault that are quoted to a model."""
_FENCE = re.compile(r"\A\s*```[a-zA-Z]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_DECLINES = re.compile(
    r"\A\W*(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:no|')t|i can’t|i am unable|i(?:'|’)m unable|i won(?:'|’)t)",
    re.IGNORECASE,
)


class StructuredQuery(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Request for one JSON object: the prompt and its values, the shape of the answer, and what else must hold of it.

    `check` gives what is wrong with an answer of the right shape, in words for the model; empty where nothing is.
    """

    prompt: Prompt
    values: dict[str, str]
    shape: type[T]
    tag: Tag
    key: AnswerKey | None = None
    check: Callable[[T], str] = lambda _: ""


class ParsedAnswer(msgspec.Struct, Generic[T], frozen=True):
    """An answer that can be used, whether its JSON was repaired, and how often it was asked for."""

    value: T
    repaired: bool
    asked: int


class JsonRepairNote(msgspec.Struct, frozen=True):
    """Note that the JSON of a reply was repaired: the role whose reply it was."""

    role: str


class NoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """No answer: why, in words that are counted, and what came; `transient` where the call may come through later."""

    reason: str
    detail: str = ""
    transient: bool = False


class AnswerError(Exception):
    """Fault of a reply, in words that can be quoted to the model."""


async def ask(voice: LoggingCaller, question: StructuredQuery[T], sampling: Sampling) -> ParsedAnswer[T] | NoAnswer:
    """The answer to a question; a reply that cannot be used is quoted its fault and asked for again, twice at most.

    A refusal is never asked again, repaired or taken for an answer.
    """
    messages = [Message(role="user", content=question.prompt.render(**question.values))]
    schema, fault = _schema(question.shape), ""  # type: ignore[arg-type] # mypy takes no class for hashable
    for turn in range(1 + AGAIN):
        tag = replace(question.tag, step=question.tag.step + turn)
        request = Request(messages=tuple(messages), sampling=sampling, tag=tag, key=question.key, schema=schema)
        try:
            reply = await voice.ask(request)
        except CallFailed as failure:
            return NoAnswer(reason=failure.cause, detail=failure.detail, transient=failure.passing)
        try:
            value, repaired = read_object(reply, question.shape)
            wrong = question.check(value)
            if not wrong:
                if repaired:
                    voice.note(JsonRepairNote(question.tag.role))
                return ParsedAnswer(value, repaired, turn + 1)
            raise AnswerError(wrong)
        except AnswerError as error:
            if reply.refusal or declines(reply.text):
                return NoAnswer(reason=REFUSED, detail=reply.text[:LONGEST])
            fault = str(error)[:LONGEST]
        messages += [
            # Some providers refuse a message without words.
            Message(role="assistant", content=reply.text or "(no words)"),
            Message(role="user", content=f"This cannot be used: {fault} Reply again with the JSON object alone."),
        ]
    return NoAnswer(reason=UNUSABLE, detail=fault)


def declines(text: str) -> bool:
    """True where a reply begins as those do that decline.

    >>> declines("I'm sorry, but I can't help with that."), declines('{"note": "I am sorry"}')
    (True, False)
    """
    return bool(_DECLINES.match(split_thinking(text)[0]))


def read_object(reply: Reply, shape: type[T]) -> tuple[T, bool]:
    """The object of a reply in its shape, and whether its JSON was repaired.

    A thought before it, code fences and other words round it are left out. JSON that is not quite right is repaired,
    unless the reply was cut short. Words of a fixed list are taken in any case.

    Raises:
        AnswerError: there is none, or not of this shape; the words say what was expected.
    """
    text = split_thinking(reply.text)[0].strip()
    fenced = _FENCE.match(text)
    inner = fenced[1] if fenced else text
    begin = inner.find("{")
    if begin < 0:
        raise AnswerError("there is no JSON object in it.")
    # What is cut short would be repaired into an object that lacks its end, and nobody would see it.
    if reply.finish == "length":
        raise AnswerError("it was cut short; write less.")
    found, repaired = _object(inner[begin:])
    try:
        return msgspec.convert(_folded(found, shape), shape, strict=True), repaired
    except (msgspec.ValidationError, RecursionError) as error:
        raise AnswerError(f"{error}.") from error


def _object(text: str) -> tuple[dict[str, Any], bool]:
    """The object with which some words begin, and whether it had to be repaired."""
    try:
        found, repaired = _decoder.raw_decode(text)[0], False
    except ValueError:
        found, repaired = _repaired(text), True
    if not isinstance(found, dict) or not found:
        raise AnswerError("it is not one JSON object.")
    return found, repaired


def _repaired(text: str) -> object:
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError) as error:
        raise AnswerError("it is not one JSON object.") from error


def _repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise AnswerError("a field stands twice in it.")
    return fields


def _no_number(name: str) -> NoReturn:
    raise AnswerError(f"{name} is no number that can be used.")


_decoder = json.JSONDecoder(object_pairs_hook=_repeated_keys, parse_constant=_no_number)


def _folded(found: dict[str, Any], shape: type[Any]) -> dict[str, Any]:
    """The object with words of fixed lists as the shape spells them, in the objects within it too."""
    spelt = dict(found)
    for field in _spelling(shape):  # type: ignore[arg-type] # mypy takes no class for hashable
        value = found.get(field.name)
        if field.known and isinstance(value, str):
            spelt[field.name] = field.known.get(value.strip().casefold(), value)
        elif isinstance(value, dict):
            spelt[field.name] = _folded(value, field.shape)
    return spelt


class _Spelt(NamedTuple):
    """A field of a shape: its name in JSON, its type, and the words of its fixed list by how they read in any case."""

    name: str
    shape: type[Any]
    known: dict[str, str]


@lru_cache(maxsize=SHAPES_KEPT)
def _spelling(shape: type[Any]) -> tuple[_Spelt, ...]:
    """The fields of a shape; none where it is no object of named fields."""
    if not (isinstance(shape, type) and issubclass(shape, msgspec.Struct)):
        return ()
    return tuple(
        _Spelt(
            field.encode_name,
            field.type,
            {str(word).casefold(): word for word in getattr(field.type, "__args__", ()) if isinstance(word, str)},
        )
        for field in msgspec.structs.fields(shape)
    )


@lru_cache(maxsize=SHAPES_KEPT)
def _schema(shape: type[Any]) -> str:
    """The JSON schema of a shape, all of whose fields are to be given.

    A field that may be left out when a reply is read is asked for all the same: servers that hold a model to a schema
    would let it skip what the prompt wants, and some take no schema with fields that are optional.
    """
    _, known = msgspec.json.schema_components([shape], ref_template="#/$defs/{name}")
    parts = {name: _whole(part) for name, part in known.items()}
    own = parts.pop(shape.__name__)
    return msgspec.json.encode({**own, **({"$defs": parts} if parts else {})}).decode()


def _whole(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a schema: no field beside its own, none left out, and nothing but constraints."""
    found = {name: value for name, value in part.items() if name not in {"title", "description", "default"}}
    if "properties" in found:
        fields = {name: _whole(field) for name, field in found["properties"].items()}
        found |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    if "items" in found:
        found["items"] = _whole(found["items"])
    if "enum" in found:
        found["type"] = "integer" if isinstance(found["enum"][0], int) else "string"
    return found
