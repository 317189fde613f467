"""A list of things judged in one reply: ids that are missing or unreadable are asked for once more, and no others.

list ─▶ reply ─▶ an opinion for each id that has one ─▶ what is left, in the same conversation ─▶ Ungraded, what is left
after that. An opinion that came is kept, whatever is wrong with the rest of its list.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from mores.benchmarks.shapes.judge_panel import JudgePanel, of_judge
from mores.core.transcript import Message
from mores.judges.fence import form_words
from mores.judges.judge import NO_WORDS, JudgeCall, JudgeOutcome, JudgeResult, OpinionOrFault, Unjudged
from mores.judges.jury import Jury, JuryRuling, deliberate
from mores.judges.parse import ReplyFault, read_opinions, read_reply
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import LONGEST_REASON, AnswerFormat, ChoiceAnswer, Ids, Opinion
from mores.models.cast import all_of
from mores.models.request import CallFailed, Reply, Request
from mores.models.simulated_judge import JudgeKey

_CODE = re.compile(r"\A```(?:json)?[ \t]*\r?\n(.*)\n```\Z", re.DOTALL | re.IGNORECASE)
_DECLINED = ReplyFault(
    cause="refusal", says="you declined to judge; a judgement of the data is asked for, no consent to it."
)
_CUT = ReplyFault(cause="cut short", says="it was cut off before its end; give shorter reasons.")


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Query on a list: the rubric, the case with all its ids, and the keys for simulated judges of some."""

    rubric: Rubric
    case: Case
    key: Callable[[Ids], JudgeKey | None]


class ListReading(NamedTuple):
    """Reading of a reply on a list: opinions by id, the fault for which there are no more, or if it was `corrected`."""

    found: dict[str, Opinion]
    fault: ReplyFault | None
    logprobs: tuple[tuple[str, float], ...] | None = None
    corrected: bool = False


OpinionsById = Mapping[str, Opinion | Unjudged]
"""What was said of each id, in the order of the ids."""


class ListRulings(NamedTuple):
    """Rulings of the judges together on each id, and the number that the first rests on, of those asked."""

    outcomes: OpinionsById
    votes: int = 0
    asked: int = 0


async def rule_list(bench: JudgePanel, listed: ListQuery) -> ListRulings:
    """Rulings of a run's judges on each id of a list: of several the majority; they are asked at once."""
    seats = bench.jury.seats(listed.case.tag)
    asked = [ask_list(bench, replace(listed, case=replace(listed.case, tag=judge))) for judge in seats.values()]
    # One judge needs no deliberation, and lists of hundreds of norms are judged at each step of a day.
    if len(asked) == 1:
        outcomes = await asked[0]
        return ListRulings(outcomes, int(isinstance(next(iter(outcomes.values())), Opinion)), 1)
    by_judge = dict(zip(seats, await all_of(*asked), strict=True))
    rulings = {name: _ruling(name, by_judge, listed.rubric.answer, bench.jury) for name in listed.case.ids}
    votes = next(iter(rulings.values())).votes
    return ListRulings({name: _named(ruling.outcome) for name, ruling in rulings.items()}, votes, len(seats))


def _ruling(name: str, by_judge: Mapping[str, OpinionsById], answer: AnswerFormat, jury: Jury) -> JuryRuling:
    judgements: dict[str, JudgeOutcome] = {}
    for judge, opinions in by_judge.items():
        one = opinions[name]
        judgements[judge] = one if isinstance(one, Unjudged) else JudgeResult(opinions=(one,), events=())
    ruling = deliberate(judgements, answer, (name,), weights=jury.weights).ruling
    if ruling.votes:
        return ruling
    first = next(one for one in judgements.values() if isinstance(one, Unjudged))
    return replace(ruling, outcome=first)


def _named(outcome: Opinion | Unjudged) -> Opinion | Unjudged:
    """A cause with whose it is, as it stands beside the subject's."""
    return outcome if isinstance(outcome, Opinion) else replace(outcome, cause=of_judge(outcome.cause))


async def ask_list(bench: JudgePanel, listed: ListQuery) -> OpinionsById:
    """Opinion on each id of the one judge that the case's tag names, or why there is none."""
    rubric, case = listed.rubric, listed.case
    messages = rubric.messages(case, bench.seed)
    first, words = await _turn(bench, listed, case, messages)
    if words is None:  # what was asked is noted with its key, as a list for people is made of calls that nobody answers
        case = replace(case, key=listed.key(case.ids))
        return _noted(bench, replace(listed, case=case), first)
    left = tuple(name for name in case.ids if name not in first.found) if first.fault is not None else ()
    if first.fault is None or not left:
        return _noted(bench, listed, first)
    again = form_words("again").render(fault=first.fault.says, form=rubric.form(left))
    reply = Message(role="assistant", content=words.strip() or NO_WORDS)
    later = replace(case, ids=left, tag=replace(case.tag, step=case.tag.step + 1))
    more, _ = await _turn(bench, listed, later, (*messages, reply, Message(role="user", content=again)))
    # Opinions of two replies have no probabilities together: those of the second are kept only where it gave them all.
    both = {**first.found, **more.found}
    found = {name: both[name] for name in case.ids if name in both}
    return _noted(bench, listed, more._replace(found=found, logprobs=None if first.found else more.logprobs))


def _noted(bench: JudgePanel, listed: ListQuery, read: ListReading) -> OpinionsById:
    """One judge's last word on each id, noted with the cast."""
    ids = listed.case.ids
    filled: OpinionsById = read.found
    outcomes: Mapping[str, OpinionOrFault] = read.found
    if len(read.found) < len(ids):
        cause, says = ("missing ids", "") if read.fault is None else (read.fault.cause, read.fault.says)
        lost = Unjudged(cause=of_judge(cause), detail=says, events=())
        filled = {name: read.found.get(name, lost) for name in ids}
        outcomes = {name: read.found.get(name, lost.cause) for name in ids}
    rubric, case, logprobs = listed.rubric, listed.case, read.logprobs
    bench.cast.note(JudgeCall(rubric=rubric, case=case, outcomes=outcomes, logprobs=logprobs, corrected=read.corrected))
    return filled


async def _turn(
    bench: JudgePanel, listed: ListQuery, case: Case, messages: tuple[Message, ...]
) -> tuple[ListReading, str | None]:
    """Result of one call, and its raw words, None where it failed."""
    schema = listed.rubric.schema(case.ids)
    key, sampling = listed.key(case.ids), bench.judging.sampling
    try:
        reply = await bench.cast.ask(
            Request(messages=messages, sampling=sampling, tag=case.tag, schema=schema, key=key)
        )
    except CallFailed as failure:
        return ListReading({}, ReplyFault(cause=failure.cause, says=failure.detail)), None
    found = read_some(reply, listed.rubric.answer, case.ids)
    return found._replace(logprobs=reply.logprobs) if reply.logprobs else found, reply.text


def read_some(reply: Reply, answer: AnswerFormat, ids: Ids) -> ListReading:
    """The opinions of a reply that can be read, each by itself, and the first fault of the rest. Never raises."""
    if reply.refusal:
        return ListReading({}, _DECLINED)
    swift = _swift(reply.text, answer, ids)
    if swift is not None:
        return ListReading(swift, None)
    read = read_reply(reply.text, answer, ids)
    whole = read.found
    if not isinstance(whole, ReplyFault):
        return ListReading({opinion.id: opinion for opinion in whole}, None, corrected=read.corrected)
    found: dict[str, Opinion] = {}
    for name, row in _rows(reply.text, ids).items():
        # Each row is a list of its own to the strict reader, so that a bad one costs no other.
        one = read_opinions(json.dumps({"answers": [row]}), answer, (name,))
        if not isinstance(one, ReplyFault):
            found[name] = one[0]
    return ListReading(found, _CUT if reply.finish == "length" else whole)


_FIELDS = ('"id"', '"reason"', '"choice"')
LONG = 32
"""Things on a list that is worth a reader of its own; to make one takes as long as to read a hundred short lists."""


def _swift(text: str, answer: AnswerFormat, ids: Ids) -> dict[str, Opinion] | None:
    """The opinions of a faultless list of choices, read by a faster way; None where the strict reading must decide.

    The decoder takes the last of a repeated field: as each row must have each field once, there is none where each
    name is spelled as often as there are rows, and never by its letters' numbers.
    """
    count = len(ids)
    if not isinstance(answer, ChoiceAnswer) or "\\u" in text or text.count('"answers"') != 1:
        return None
    if any(text.count(name) != count for name in _FIELDS) or '"points"' in text:
        return None
    try:
        rows = _rows_of(answer.options, ids if count >= LONG else ()).decode(text).answers
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    # No reason is too long in a text that is not, which saves the look at each.
    if len(text) > LONGEST_REASON and any(len(opinion.reason) > LONGEST_REASON for opinion in rows):
        return None
    by_id = {opinion.id: opinion for opinion in rows}
    found = {name: by_id[name] for name in ids if name in by_id}
    return found if len(found) == len(rows) == count else None


class _Rows(Protocol):
    answers: list[Opinion]


@lru_cache(maxsize=1024)
def _rows_of(options: tuple[str, ...], ids: Ids) -> "msgspec.json.Decoder[_Rows]":
    """Reads lists with these ids (any, where none are given) and options, each one string however often it is read.

    Days keep what was said of hundreds of norms at each step until they are over.
    """
    fields = [("id", Literal[ids] if ids else str), ("reason", str), ("choice", Literal[options])]
    row = msgspec.defstruct(
        "Row", fields, bases=(Opinion,), frozen=True, kw_only=True, gc=False, eq=False, forbid_unknown_fields=True
    )
    rows = msgspec.defstruct("Rows", [("answers", list[row])], forbid_unknown_fields=True)  # type: ignore[valid-type]
    return msgspec.json.Decoder(rows)


def _rows(text: str, ids: Ids) -> dict[str, object]:
    """The objects of a list that are about one of the ids, without those that stand twice."""
    stripped = text.strip()
    fenced = _CODE.match(stripped)
    try:
        whole = json.loads(fenced[1] if fenced else stripped)
    except (ValueError, RecursionError):
        return {}
    rows = whole.get("answers") if isinstance(whole, dict) else None
    named = [(row.get("id"), row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    names = [name for name, _ in named]
    return {name: row for name, row in named if isinstance(name, str) and name in ids and names.count(name) == 1}
