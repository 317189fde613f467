"""A judge's reply read: the JSON object that was asked for and nothing beside it, or a fault to quote.

It is read strictly first; slips that cannot change the verdict are then corrected, and that is counted:

reply ─▶ marks, fence and a closing phrase taken off ─▶ the reason's own characters, commas and quotes put right

What decides, the verdict and what it is about, must be there to the letter: only the reason is text, so only in it are
raw new lines and bad escapes corrected. Prose round the object is refused, since a judge that quotes its subject may
quote a verdict too; after a closed fence alone a few words that take leave, and nothing else, are let pass. The
standard library reads the JSON here, as `core.codec` would let a repeated field pass and take the last one.
"""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from msgspec import Struct

from mores.core.codec import encode
from mores.judges.rubric_answers import LONGEST_REASON, AnswerFormat, ChoiceAnswer, Ids, Opinion, Score, value_field

FEW_WORDS = 12
"""Words after the fence that are no more than a phrase."""
_STRING = r'"(?:[^"\\]|\\.)*"'
_ENDS = ("<|im_end|>", "<|eot_id|>", "<|eot|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<|eom_id|>",
         "<|return|>", "</s>", "<eos>", "<end_of_turn>", "[EOS]")  # fmt: skip
_BEGINS = ("<s>", "<|im_start|>assistant", "<|start_header_id|>assistant<|end_header_id|>", "<|assistant|>")
"""Marks of a template where a turn ends and where it begins."""
_FENCED = re.compile(
    r"\A(?P<fence>```|~~~)[ \t]*(?:json)?\s(?P<inside>.*?)(?P=fence)(?P<after>.*)\Z", re.DOTALL | re.IGNORECASE
)
_SLIP = re.compile(
    rf'(?P<reason>"reason"\s*:\s*)"(?P<text>(?:[^"\\]|\\.)*)"'
    r'|(?P<score>"score"\s*:\s*)"\s*(?P<number>0(?:\.[0-9]+)?|1(?:\.0+)?|\.[0-9]+)\s*"'
    rf"|(?P<other>{_STRING})|,(?P<closing>\s*[}}\]])",
    re.DOTALL,
)
_ESCAPE = re.compile(r'\\(?:(?P<good>u[0-9a-fA-F]{4}|["\\/bfnrt])|(?P<bad>.))|(?P<raw>[\x00-\x1f])', re.DOTALL)
_FAREWELL = frozenset({
    "a", "additional", "any", "anything", "assistance", "clarification", "details", "else", "feel", "for", "free",
    "further", "happy", "have", "help", "helpful", "helps", "hesitate", "hope", "i", "if", "know", "let", "like",
    "me", "more", "my", "need", "other", "please", "question", "questions", "thank", "thanks", "the", "there",
    "this", "to", "want", "will", "would", "you", "your",
})  # fmt: skip
"""Words that judge nothing: they thank or offer help. Any other word, in any language, may judge."""
_BETWEEN = re.compile(r"[\s.,!?*_]+")


def mend(text: str, answer: AnswerFormat) -> str:
    r"""A reply without its slips; one that has others is left as it is, for whoever reads it to refuse.

    >>> from mores.judges.rubric_answers import Score
    >>> mend('{"reason": "It doesn\\\'t say.", "score": "0.8",}<|im_end|>', Score())
    '{"reason": "It doesn\'t say.", "score": 0.8}'
    >>> mend('My grade is 0.2: {"reason": "So.", "score": 1}', Score())
    'My grade is 0.2: {"reason": "So.", "score": 1}'
    """
    inside = _inside(text, answer)
    return text if inside is None else _SLIP.sub(_corrected, inside)


def _inside(text: str, answer: AnswerFormat) -> str | None:
    """Text within marks and a fence; None where words outside it may be a verdict too."""
    inside = _unmarked(text)
    fenced = _FENCED.match(inside)
    if fenced is None:
        return inside
    return fenced["inside"].strip() if _is_farewell(fenced["after"], answer) else None


def _unmarked(text: str) -> str:
    """The words of a turn without its template's marks."""
    inside = text.strip()
    for mark in _BEGINS:
        inside = inside.removeprefix(mark).lstrip()
    while (mark := next(filter(inside.endswith, _ENDS), "")) != "":
        inside = inside.removesuffix(mark).rstrip()
    return inside


def _is_farewell(after: str, answer: AnswerFormat) -> bool:
    words = list(filter(None, _BETWEEN.split(after.casefold())))
    options = {option.casefold() for option in answer.options}
    # An option may be one of these words, and judges then.
    return len(words) <= FEW_WORDS and (_FAREWELL - options).issuperset(words)


def _corrected(slip: re.Match[str]) -> str:
    if slip["reason"] is not None:
        return f'{slip["reason"]}"{_ESCAPE.sub(_spelt, slip["text"])}"'
    if slip["score"] is not None:
        number = slip["number"]
        return f"{slip['score']}{number if number[0] != '.' else f'0{number}'}"
    return slip["other"] if slip["other"] is not None else slip["closing"]


def _spelt(escape: re.Match[str]) -> str:
    """A character of a reason as JSON spells it; of a bad escape the character alone."""
    if escape["good"] is not None:
        return escape[0]
    letter = escape["bad"] if escape["bad"] is not None else escape["raw"]
    return f"\\u{ord(letter):04x}" if letter < " " else letter


_CODE = re.compile(r"\A```(?:json|JSON)?[ \t]*\r?\n(.*)\n```\Z", re.DOTALL)
READING = "opinions.v3"
"""The name of this way to read; a change that reads any reply otherwise takes the next, as certificates rest on it."""
_LONGEST = 80  # characters of a reply that a fault quotes


class ReplyFault(Struct, frozen=True, kw_only=True):
    """Fault of a reply: a short name for counts, and a sentence that can be quoted to the judge."""

    cause: str
    says: str


class _FaultFound(Exception):
    """Carries a fault out of the reading; never leaves this file."""

    def __init__(self, cause: str, says: str) -> None:
        super().__init__(says)
        self.fault = ReplyFault(cause=cause, says=says)


class ReadReply(NamedTuple):
    """The opinions of a reply or its fault; `corrected` where harmless slips were put right first."""

    found: tuple[Opinion, ...] | ReplyFault
    corrected: bool = False


def read_reply(text: str, answer: AnswerFormat, ids: Ids = ()) -> ReadReply:
    """The opinions of a reply, as it is or with its harmless slips mended; the fault of the reply itself where neither.

    A reply that is sound is read once.
    """
    found = read_opinions(text, answer, ids)
    if not isinstance(found, ReplyFault):
        return ReadReply(found)
    changed = mend(text, answer)
    again = found if changed == text else read_opinions(changed, answer, ids)
    return ReadReply(found) if isinstance(again, ReplyFault) else ReadReply(again, corrected=True)


def read_word(text: str, answer: AnswerFormat) -> ReadReply:
    """The opinion of a reply that is to be one of the options and nothing else: the one that stands alone in it.

    A reply in which none does, or more than one, has no opinion.

    >>> from mores.judges.rubric_answers import Score
    >>> read_word("**NO**", Score(scale="binary")).found[0].points
    0.0
    """
    stripped = _unmarked(text)
    if not stripped:
        return ReadReply(ReplyFault(cause="empty reply", says="the reply has no words."))
    words = "|".join(map(re.escape, answer.options))
    if isinstance(answer, ChoiceAnswer) and answer.after:
        return _read_after(stripped, words, answer)
    found = {match.casefold() for match in re.findall(rf"(?<![\w'’-])(?:{words})(?![\w'’-])", stripped, re.IGNORECASE)}
    if len(found) != 1:
        expected = ", ".join(answer.options)
        return ReadReply(ReplyFault(cause="no one word", says=f"{_quote(stripped)} is not one of {expected}."))
    choice = found.pop()
    points = float(choice == answer.affirmative) if isinstance(answer, Score) else None
    return ReadReply((Opinion(reason="", choice=choice, points=points),))


def _read_after(text: str, words: str, answer: ChoiceAnswer) -> ReadReply:
    """The last option behind the word that comes before it, or the option that is the whole reply."""
    behind = rf"{re.escape(answer.after)}[\s\W]{{0,12}}({words})(?![\w.]?\d)"
    found = re.findall(behind, text, re.IGNORECASE) or ([text] if text in answer.options else [])
    if not found:
        return ReadReply(
            ReplyFault(cause="no option", says=f"no one of {', '.join(answer.options)} stands behind {answer.after!r}.")
        )
    return ReadReply((Opinion(reason="", choice=found[-1].casefold()),))


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
    except _FaultFound as error:
        return error.fault
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
        raise _FaultFound("empty reply", "the reply has no words.")
    fenced = _CODE.match(stripped)
    inside = fenced[1] if fenced else stripped
    try:
        value: object = _decoder.decode(inside)
    except ValueError as error:
        raise _FaultFound("not JSON", f"it is not one JSON object and nothing else ({error}).") from error
    return value


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _FaultFound("wrong fields", f"a field stands twice among {_quote([name for name, _ in pairs])}.")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise _FaultFound("not finite", f"{name} is not a number that can be used.")


_decoder = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)


def _opinions(whole: object, answer: AnswerFormat, ids: Ids) -> tuple[Opinion, ...]:
    rows = _fields(whole, ("answers",), "the object")["answers"]
    if not isinstance(rows, list):
        raise _FaultFound("wrong fields", f'"answers" is {_quote(rows)}; expected a list.')
    found: dict[str, Opinion] = {}
    known = frozenset(ids)
    for number, row in enumerate(rows, start=1):
        spot = f"answer {number}"
        name = _named(row, answer, known, spot)
        if name in found:
            raise _FaultFound("repeated ids", f"the id {_quote(name)} has two answers; expected one.")
        found[name] = _opinion({k: v for k, v in row.items() if k != "id"}, answer, name, spot)
    missing = [name for name in ids if name not in found]
    if missing:
        raise _FaultFound("missing ids", f"there is no answer for {_quote(missing)}.")
    return tuple(found[name] for name in ids)


def _named(row: object, answer: AnswerFormat, ids: frozenset[str], spot: str) -> str:
    name = _fields(row, ("id", "reason", value_field(answer)), spot)["id"]
    if not isinstance(name, str) or name not in ids:
        raise _FaultFound("extra ids", f"{spot} has the id {_quote(name)}, which was not asked about.")
    return name


def _opinion(row: object, answer: AnswerFormat, name: str, spot: str) -> Opinion:
    field = value_field(answer)
    fields = _fields(row, ("reason", field), spot)
    reason = fields["reason"]
    if not isinstance(reason, str) or _broken(reason):
        raise _FaultFound("no reason", f'{spot} has {_quote(reason)} as its "reason"; expected a text.')
    if len(reason) > LONGEST_REASON:
        raise _FaultFound(
            "long reason", f'{spot} has a "reason" of {len(reason):,} characters; give one or two sentences.'
        )
    if not answer.options:
        return Opinion(id=name, reason=reason, points=_points(fields[field], spot))
    choice = fields[field]
    if not isinstance(choice, str) or choice not in answer.options:
        expected = ", ".join(answer.options)
        raise _FaultFound("off the list", f'{spot} has {_quote(choice)} as its "choice"; expected one of {expected}.')
    points = float(choice == answer.affirmative) if isinstance(answer, Score) else None
    return Opinion(id=name, reason=reason, choice=choice, points=points)


def _points(value: object, spot: str) -> float:
    # A bool is an int to Python, and no score.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _FaultFound("no number", f'{spot} has {_quote(value)} as its "score"; expected a number from 0 to 1.')
    if not 0 <= value <= 1:
        raise _FaultFound("off scale", f'{spot} has {_quote(value)} as its "score"; expected 0 to 1.')
    return float(value)


def _fields(row: object, expected: tuple[str, ...], spot: str) -> dict[str, object]:
    if not isinstance(row, dict):
        raise _FaultFound(
            "wrong fields", f"{spot} is {_quote(row)}; expected an object with the fields {_quote(expected)}."
        )
    if row.keys() != set(expected):
        raise _FaultFound("wrong fields", f"{spot} has the fields {_quote(list(row))}; expected {_quote(expected)}.")
    return row


def _broken(text: str) -> bool:
    """True for half a surrogate pair, which JSON can spell and no file can hold."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def _quote(value: object) -> str:
    """The beginning of a value as it would stand in JSON, on one line and in plain letters where it is odd."""
    words = json.dumps(value, default=str, allow_nan=True)
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
