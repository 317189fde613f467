"""A judge's reply read: the JSON object that was asked for and nothing beside it, or a fault to quote.

It is read strictly first; slips that cannot change the verdict are then mended (`mending`), and that is counted.

Prose round the object is refused, since a judge that quotes its subject may quote a verdict too. The standard
library reads the JSON here, as `core.codec` would let a repeated field pass and take the last one.
"""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from msgspec import Struct

from mores.core.codec import encode
from mores.judges.mending import mend
from mores.judges.rubric_answers import LONGEST_REASON, AnswerFormat, Ids, Opinion, Score, value_field

_CODE = re.compile(r"\A```(?:json|JSON)?[ \t]*\r?\n(.*)\n```\Z", re.DOTALL)
READING = "opinions.v3"
"""The name of this way to read; a change that reads any reply otherwise takes the next, as certificates rest on it."""
_LONGEST = 80  # characters of a reply that a fault quotes


class ReplyFault(Struct, frozen=True, kw_only=True):
    """What is wrong with a reply: a short name for counts, and a sentence that can be quoted to the judge."""

    cause: str
    says: str


class _Faulty(Exception):
    """Carries a fault out of the reading; never leaves this file."""

    def __init__(self, cause: str, says: str) -> None:
        super().__init__(says)
        self.fault = ReplyFault(cause=cause, says=says)


class ReadReply(NamedTuple):
    """The opinions of a reply or its fault; `mended` where slips that cannot change a verdict were put right first."""

    found: tuple[Opinion, ...] | ReplyFault
    mended: bool = False


def read_reply(text: str, answer: AnswerFormat, ids: Ids = ()) -> ReadReply:
    """The opinions of a reply, as it is or with its harmless slips mended; the fault of the reply itself where neither.

    A reply that is sound is read once.
    """
    found = read_opinions(text, answer, ids)
    if not isinstance(found, ReplyFault):
        return ReadReply(found)
    changed = mend(text, answer)
    again = found if changed == text else read_opinions(changed, answer, ids)
    return ReadReply(found) if isinstance(again, ReplyFault) else ReadReply(again, mended=True)


def read_opinions(text: str, answer: AnswerFormat, ids: Ids = ()) -> tuple[Opinion, ...] | ReplyFault:
    """The opinions of a reply in the order of the ids (one with an empty id where there are none), or its fault.

    One pair of Markdown code fences round the object is allowed; it is the one leniency. Never raises.

    Args:
        text: The judge's reply.
        answer: What the rubric asks for.
        ids: What each object of a list must be about, each once.
    """
    try:
        whole = _parse(text)
        if not ids:
            return (_opinion(whole, answer, "", "the object"),)
        return _opinions(whole, answer, ids)
    except _Faulty as faulty:
        return faulty.fault
    except RecursionError:
        return ReplyFault(cause="not JSON", says="it is nested too deeply to be read.")


def write_opinions(opinions: Iterable[Opinion], answer: AnswerFormat, ids: Ids = ()) -> str:
    """The reply that says these opinions: the inverse of `read_opinions`."""
    objects = [_plain(opinion, answer, named=bool(ids)) for opinion in opinions]
    return encode({"answers": objects} if ids else objects[0]).decode()


def _plain(opinion: Opinion, answer: AnswerFormat, *, named: bool) -> dict[str, object]:
    value = opinion.choice if answer.options else opinion.points
    fields: dict[str, object] = {"reason": opinion.reason, value_field(answer): value}
    return {"id": opinion.id, **fields} if named else fields


def _parse(text: str) -> object:
    stripped = text.strip()
    if not stripped:
        raise _Faulty("empty reply", "the reply has no words.")
    fenced = _CODE.match(stripped)
    inside = fenced[1] if fenced else stripped
    try:
        value: object = _decoder.decode(inside)
    except ValueError as error:
        raise _Faulty("not JSON", f"it is not one JSON object and nothing else ({error}).") from error
    return value


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Faulty("wrong fields", f"a field stands twice among {_quote([name for name, _ in pairs])}.")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise _Faulty("not finite", f"{name} is not a number that can be used.")


_decoder = json.JSONDecoder(object_pairs_hook=_no_twins, parse_constant=_no_constant)


def _opinions(whole: object, answer: AnswerFormat, ids: Ids) -> tuple[Opinion, ...]:
    rows = _fields(whole, ("answers",), "the object")["answers"]
    if not isinstance(rows, list):
        raise _Faulty("wrong fields", f'"answers" is {_quote(rows)}; expected a list.')
    found: dict[str, Opinion] = {}
    known = frozenset(ids)
    for number, row in enumerate(rows, start=1):
        spot = f"answer {number}"
        name = _named(row, answer, known, spot)
        if name in found:
            raise _Faulty("repeated ids", f"the id {_quote(name)} has two answers; expected one.")
        found[name] = _opinion({k: v for k, v in row.items() if k != "id"}, answer, name, spot)
    missing = [name for name in ids if name not in found]
    if missing:
        raise _Faulty("missing ids", f"there is no answer for {_quote(missing)}.")
    return tuple(found[name] for name in ids)


def _named(row: object, answer: AnswerFormat, ids: frozenset[str], spot: str) -> str:
    name = _fields(row, ("id", "reason", value_field(answer)), spot)["id"]
    if not isinstance(name, str) or name not in ids:
        raise _Faulty("extra ids", f"{spot} has the id {_quote(name)}, which was not asked about.")
    return name


def _opinion(row: object, answer: AnswerFormat, name: str, spot: str) -> Opinion:
    field = value_field(answer)
    fields = _fields(row, ("reason", field), spot)
    reason = fields["reason"]
    if not isinstance(reason, str) or _broken(reason):
        raise _Faulty("no reason", f'{spot} has {_quote(reason)} as its "reason"; expected a text.')
    if len(reason) > LONGEST_REASON:
        raise _Faulty("long reason", f'{spot} has a "reason" of {len(reason):,} characters; give one or two sentences.')
    if not answer.options:
        return Opinion(id=name, reason=reason, points=_points(fields[field], spot))
    choice = fields[field]
    if not isinstance(choice, str) or choice not in answer.options:
        expected = ", ".join(answer.options)
        raise _Faulty("off the list", f'{spot} has {_quote(choice)} as its "choice"; expected one of {expected}.')
    points = float(choice == answer.affirmative) if isinstance(answer, Score) else None
    return Opinion(id=name, reason=reason, choice=choice, points=points)


def _points(value: object, spot: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Faulty("no number", f'{spot} has {_quote(value)} as its "score"; expected a number from 0 to 1.')
    if not 0 <= value <= 1:
        raise _Faulty("off scale", f'{spot} has {_quote(value)} as its "score"; expected 0 to 1.')
    return float(value)


def _fields(row: object, expected: tuple[str, ...], spot: str) -> dict[str, object]:
    if not isinstance(row, dict):
        raise _Faulty(
            "wrong fields", f"{spot} is {_quote(row)}; expected an object with the fields {_quote(expected)}."
        )
    if row.keys() != set(expected):
        raise _Faulty("wrong fields", f"{spot} has the fields {_quote(list(row))}; expected {_quote(expected)}.")
    return row


def _broken(text: str) -> bool:
    """True for half a surrogate pair, which JSON can spell and no file can hold."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def _quote(value: object) -> str:
    """The beginning of a value as it would stand in JSON, on one line and in plain letters where it is odd."""
    words = json.dumps(value, default=str, allow_nan=True)
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
