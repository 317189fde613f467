"""Asking the judges of a run from within a benchmark: who sits, how often each is asked, what a grade rests on."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import msgspec

from mores.benchmarks.benchmark import ExpectedVerdict, Grading, Setting
from mores.benchmarks.shapes.labels import LabelReading
from mores.benchmarks.shapes.question import answer_of, with_cut
from mores.core.card import Judging
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import FailureEvent, ReplyEvent, Transcript, TranscriptEvent
from mores.core.verdict import EMPTY, UNBEGUN, Fault, Graded, Ungraded, Verdict, VoteSummary
from mores.judges.judge import Unjudged
from mores.judges.jury import Jury, JuryResult, JuryRuling, ask_jury
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import Opinion
from mores.models.cast import Cast

JUDGE = "judge"
DECLINED = "the subject declined"


class JudgePanel(msgspec.Struct, frozen=True, kw_only=True):
    """The judges of a run: their doors, who sits and how often, how they draw, and what fences are named by."""

    cast: Cast
    jury: Jury
    judging: Judging
    seed: Seed

    @property
    def swift(self) -> bool:
        """True where all judges answer at once."""
        return self.cast.swift.issuperset(self.jury.roles)


def judging_of(setting: Setting) -> Judging:
    """Settings for asking judges.

    Raises:
        InputError: the protocol has no judges.
    """
    if setting.protocol.judging is None:
        raise InputError("This benchmark's card says nothing of how judges are asked; expected [protocol.judging].")
    return setting.protocol.judging


def bench_of(cast: Cast, setting: Setting) -> JudgePanel:
    """All judges of a cast, each asked as often as the protocol says.

    Raises:
        InputError: the protocol has no judges.
    """
    judging = judging_of(setting)
    roles = tuple(sorted(role for role in cast.clients if role.startswith(JUDGE)))
    jury = _jury(roles, judging.runs, tuple(setting.protocol.judge_weights.items()))
    return JudgePanel(cast=cast, jury=jury, judging=judging, seed=setting.seed)


@cache
def _jury(roles: tuple[str, ...], runs: int, weights: tuple[tuple[str, float], ...]) -> Jury:
    return Jury(roles=roles, runs=runs, weights=dict(weights))


class RubricResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the judges together on one thing: the opinion, or why there is none, and how many it rests on.

    `spread` is the variance of their points, None under two or where they chose words without points.
    """

    outcome: Opinion | Unjudged
    votes: int
    asked: int
    spread: float | None
    events: tuple[TranscriptEvent, ...]


async def rule(bench: JudgePanel, rubric: Rubric, case: Case) -> RubricResult:
    """The ruling of a run's judges on one thing: the mean of scores, the majority of words, by their weights."""
    return (await rule_all(bench, rubric, case))[0]


async def rule_all(bench: JudgePanel, rubric: Rubric, case: Case) -> tuple[RubricResult, ...]:
    """The rulings of a run's judges on each id of a case, in their order; one where one thing is judged.

    What was said stands in each of them.
    """
    result = await ask_jury(
        rubric, case, jury=bench.jury, cast=bench.cast, sampling=bench.judging.sampling, seed=bench.seed
    )
    return tuple(_ruled(ruling, result) for ruling in result.rulings)


def _ruled(ruling: JuryRuling, result: JuryResult) -> RubricResult:
    outcome = ruling.outcome
    if isinstance(outcome, Unjudged):
        cause, detail = outcome.cause, outcome.detail
        if not ruling.votes:
            # Without any vote the ruling has no cause of its own: what most judges failed for stands for it.
            cause, detail = Counter(result.failed).most_common(1)[0][0], _last_words(result.events)
        outcome = Unjudged(cause=of_judge(cause), detail=detail, events=())
    return RubricResult(
        outcome=outcome, votes=ruling.votes, asked=result.asked, spread=ruling.variance, events=result.events
    )


def of_judge(cause: str) -> str:
    """A cause with whose it is, as "empty reply" alone would read like the subject's."""
    return cause if cause.startswith("judge") else f"judge: {cause}"


def _last_words(events: tuple[TranscriptEvent, ...]) -> str:
    for event in reversed(events):
        if isinstance(event, ReplyEvent):
            return event.text
        if isinstance(event, FailureEvent):
            return event.detail
    return ""


def verdict_of(
    ruled: RubricResult, due: ExpectedVerdict, sample: int, words: int, *, gold: str | None = None
) -> Verdict:
    """A ruling on an answer of so many words as a verdict; a chosen word is right if it is the gold one."""
    outcome = ruled.outcome
    if isinstance(outcome, Unjudged):
        return Ungraded(
            about=due.about, sample=sample, task=due.task, cause=outcome.cause, raw=outcome.detail, gold=gold
        )
    points = float(outcome.choice == gold) if gold is not None else outcome.points
    if points is None:
        raise InputError(
            f"{due.about.item}: the choice '{outcome.choice}' has no points; expected a gold label beside it."
        )
    ballot = VoteSummary(votes=ruled.votes, asked=ruled.asked, words=words, spread=ruled.spread)
    return Graded(
        about=due.about, sample=sample, task=due.task, points=points, label=outcome.choice, gold=gold,
        reason=outcome.reason, ballot=ballot,
    )  # fmt: skip


def why_unusable(answer: ReplyEvent) -> str:
    """Reason that leaves nothing to judge of an answer, in words."""
    if answer.refusal:
        return DECLINED
    return UNBEGUN if answer.finish == "length" else EMPTY


def unusable(answer: ReplyEvent) -> Fault | None:
    """The fault of an answer that leaves nothing to judge: a refusal by the endpoint's own word, or no words."""
    if answer.refusal:
        return "refusal"
    return None if answer.text.strip() else "format_error"


def usable_reply(transcript: Transcript, due: Sequence[ExpectedVerdict]) -> ReplyEvent | Grading:
    """The answer of a play; where there is nothing to judge of it, the verdicts that are due, each with the reason."""
    reply, sample = answer_of(transcript), transcript.sample
    if isinstance(reply, FailureEvent):
        return Grading(tuple(failed_verdict(reply, each, sample) for each in due))
    fault = unusable(reply)
    if fault is None:
        return reply
    why = why_unusable(reply)
    return with_cut(Grading(tuple(fault_verdict(fault, each, sample, reason=why) for each in due)), transcript)


def label_verdict(read: LabelReading, due: ExpectedVerdict, sample: int, *, gold: str, why: str) -> Graded:
    """A label that was read out of an answer; `why` says what hides it, where none was read."""
    return Graded(
        about=due.about, sample=sample, task=due.task, points=float(read.label == gold), label=read.label, gold=gold,
        fault=read.fault, reason=why if read.fault else "",
    )  # fmt: skip


def fault_verdict(
    fault: Fault, due: ExpectedVerdict, sample: int, *, gold: str | None = None, reason: str = ""
) -> Graded:
    """A graded zero for an answer that cannot be used."""
    why = reason or (DECLINED if fault == "refusal" else EMPTY)
    return Graded(about=due.about, sample=sample, task=due.task, points=0.0, gold=gold, fault=fault, reason=why)


def failed_verdict(failed: FailureEvent, due: ExpectedVerdict, sample: int, *, gold: str | None = None) -> Ungraded:
    """No grade, as there was no answer to judge."""
    return Ungraded(
        about=due.about, sample=sample, task=due.task, cause=failed.cause, raw=failed.detail, gold=gold
    )  # fmt: skip
