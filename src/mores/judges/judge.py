"""One judge asked by one rubric: an unreadable reply is asked for once more, with its fault quoted.

case → words → reply → opinions, or the cause for which there are none. A judge that failed has given no grade. Each
call is recorded: the case it was asked about, and its answer on each thing in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import NamedTuple

from msgspec import UNSET, Struct, structs

from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.core.transcript import FailureEvent, Message, ReplyEvent, TranscriptEvent
from mores.core.verdict import JudgeAnswer, JudgedUnit, Vote
from mores.judges.fence import form_words
from mores.judges.parse import ReadReply, ReplyFault, read_reply, read_word
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import Opinion
from mores.models.cast import CallRecord, LoggingCaller, all_of, call_role
from mores.models.request import Request

OpinionOrFault = Opinion | str
"""Opinion on one thing, or the cause for which there is none."""


class JudgeCall(Struct, frozen=True, kw_only=True):
    """One call to one judge; `outcomes` by the case's ids, or by "" where one thing was judged.

    `logprobs` are those of the tokens drawn, `shares` the probability of each label where labels were weighed.
    `corrected` is a reply whose JSON had a slip that was put right.
    """

    rubric: Rubric
    case: Case
    outcomes: Mapping[str, OpinionOrFault]
    logprobs: tuple[tuple[str, float], ...] | None = None
    shares: dict[str, float] | None = None
    corrected: bool = False

    def things(self) -> Iterator[tuple[str, JudgedUnit]]:
        """Each thing of the case with its id in the rubric."""
        if self.case.asks is not None:
            for name in self.outcomes:
                yield name, self.case.asks.thing(self.case.tag.item, name)

    def votes(self) -> Iterator[Vote]:
        """The call as votes, one for each task that it speaks of; none where the case has no name among labels."""
        asks, tag = self.case.asks, self.case.tag
        if asks is None:
            return
        outcomes = {name: _judge_answer(outcome) for name, outcome in self.outcomes.items()}
        for task, opined in asks.by_task(outcomes).items():
            yield Vote(
                item=tag.item,
                sample=asks.sample,
                task=task,
                step=asks.step,
                judge=tag.role,
                draw=tag.sample,
                prompt=self.rubric.prompt.sha,
                options=self.rubric.answer.options,
                said=opined,
                tokens=None if self.logprobs is None else len(self.logprobs),
                logprob=None if self.logprobs is None else sum(value for _, value in self.logprobs),
                shares=self.shares,
                mended=True if self.corrected else UNSET,
            )


def _judge_answer(outcome: OpinionOrFault) -> JudgeAnswer:
    if isinstance(outcome, str):
        return JudgeAnswer(cause=outcome)
    return JudgeAnswer(label=outcome.choice, points=outcome.points, reason=outcome.reason)


NO_WORDS = "(no words)"
"""Stands for an empty reply in the conversation, as many endpoints take no empty message."""


class JudgeResult(Struct, frozen=True, kw_only=True):
    """A judge's opinions in the order of the case's ids, and all that was asked and answered."""

    opinions: tuple[Opinion, ...]
    events: tuple[TranscriptEvent, ...]

    @property
    def opinion(self) -> Opinion:
        """The first opinion: the only one, where one thing was judged."""
        return self.opinions[0]


class Unjudged(Struct, frozen=True, kw_only=True):
    """No opinion: the cause by a short name, the fault in a sentence, and the judge's last words if there were any."""

    cause: str
    detail: str = ""
    raw: str = ""
    events: tuple[TranscriptEvent, ...]


JudgeOutcome = JudgeResult | Unjudged


async def ask_judge(rubric: Rubric, case: Case, *, cast: LoggingCaller, sampling: Sampling, seed: Seed) -> JudgeOutcome:
    """The judgement of one case by the judge that the case's tag names.

    A reply that cannot be read, a refusal and an empty reply are asked for once more, at the next step, in the
    same conversation and with the fault quoted. Which failures of the call are tried again, the door decides.

    Args:
        rubric: What is asked.
        case: What is judged.
        cast: Has the judge's door, under the role of the case's tag.
        sampling: How the judge draws its words.
        seed: Names the fences; equal seeds ask equal words.

    Raises:
        InputError: the values or ids do not fit the rubric, or a simulated judge is asked of a real subject.
    """
    asked = rubric.messages(case, seed)
    first = await _opine(rubric, case, asked, cast, sampling)
    if first.turn.reply is None or not isinstance(first.found, ReplyFault):
        cast.note(_judge_call(rubric, case, first))
        return _judgement(first, ())
    again = form_words("again").render(fault=first.found.says, form=rubric.form(case.ids))
    asked = (
        *asked,
        Message(role="assistant", content=first.turn.reply.text.strip() or NO_WORDS),
        Message(role="user", content=again),
    )
    later = structs.replace(case, tag=structs.replace(case.tag, step=case.tag.step + 1))
    second = await _opine(rubric, later, asked, cast, sampling)
    cast.note(_judge_call(rubric, case, second))
    return _judgement(second, first.events)


class JudgeSession(Struct, frozen=True, kw_only=True):
    """A judge with all it needs to be asked many cases at once: the seed names its fences."""

    cast: LoggingCaller
    sampling: Sampling
    seed: Seed

    async def judge(self, rubric: Rubric, cases: Iterable[Case]) -> list[JudgeOutcome]:
        """The judgements of the cases in their order, all asked at once; the door holds back what is too much.

        Raises:
            InputError: as for `ask_judge`.
        """
        asked = (ask_judge(rubric, case, cast=self.cast, sampling=self.sampling, seed=self.seed) for case in cases)
        return list(await all_of(*asked))


def _judge_call(rubric: Rubric, case: Case, opined: "_Opined") -> JudgeCall:
    names, found, reply = case.ids or ("",), opined.found, opined.turn.reply
    each: Iterable[OpinionOrFault] = repeat(found.cause, len(names)) if isinstance(found, ReplyFault) else found
    outcomes = dict(zip(names, each, strict=True))
    logprobs = None if reply is None else reply.logprobs
    return JudgeCall(rubric=rubric, case=case, outcomes=outcomes, logprobs=logprobs, corrected=opined.corrected)


class _Opined(NamedTuple):
    """Result of one call: opinions or a fault, and the call itself."""

    found: tuple[Opinion, ...] | ReplyFault
    turn: CallRecord
    corrected: bool = False

    @property
    def events(self) -> tuple[TranscriptEvent, ...]:
        """Events of the request and its answer."""
        return self.turn.asked, self.turn.result


async def _opine(
    rubric: Rubric, case: Case, messages: tuple[Message, ...], cast: LoggingCaller, sampling: Sampling
) -> _Opined:
    schema = None if rubric.one_word else rubric.schema(case.ids)
    request = Request(messages=messages, sampling=sampling, tag=case.tag, schema=schema, key=case.key)
    turn = await call_role(cast, request, rubric.prompt.sha)
    if isinstance(turn.result, FailureEvent):
        return _Opined(ReplyFault(cause=turn.result.cause, says=turn.result.detail), turn)
    read = _read(rubric, case, turn.result)
    return _Opined(read.found, turn, read.corrected)


def _read(rubric: Rubric, case: Case, reply: ReplyEvent) -> ReadReply:
    if reply.refusal:
        return ReadReply(
            ReplyFault(
                cause="refusal", says="you declined to judge; a judgement of the data is asked for, no consent to it."
            )
        )
    read = read_word(reply.text, rubric.answer) if rubric.one_word else read_reply(reply.text, rubric.answer, case.ids)
    # A reply that is whole in spite of its limit counts.
    if isinstance(read.found, ReplyFault) and reply.finish == "length":
        return ReadReply(ReplyFault(cause="cut short", says="it was cut off before its end; give a shorter reason."))
    return read


def _judgement(opined: _Opined, before: tuple[TranscriptEvent, ...]) -> JudgeOutcome:
    events, reply = (*before, *opined.events), opined.turn.reply
    if isinstance(opined.found, ReplyFault):
        raw = "" if reply is None else reply.text
        return Unjudged(cause=opined.found.cause, detail=opined.found.says, raw=raw, events=events)
    return JudgeResult(opinions=opined.found, events=events)
