"""What follows a paper's released code: which protocol a run goes by, and scores of talks that were given elsewhere.

Scores are read as a judge's words: the last number in them, kept within the scale.

recorded words ─▶ a number ─▶ the words of our own judges for it. What has no number, and an error message, is no grade.
"""

import re
from collections.abc import Mapping

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.judge_panel import JUDGE, JudgePanel, RubricResult
from mores.core.transcript import FailureEvent, ReplyEvent, RequestEvent, TranscriptEvent
from mores.judges.judge import Unjudged
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import Opinion
from mores.models.request import CallFailed, Request

OPTION, PROTOCOL, RELEASED = "scores", "protocol", "released"
UNSCORED = "judge: no score of it"
LOWEST, HIGHEST = -1.0, 2.0
_NUMBER = re.compile(r"(?<!\w)[-\N{MINUS SIGN}]?\d+(?:\.\d+)?")


def scores_are_read(setting: Setting) -> bool:
    """Whether a run reads scores that were given elsewhere, instead of asking a judge."""
    return setting.protocol.settings.get(OPTION) == RELEASED


def as_released(setting: Setting) -> bool:
    """Whether a run goes by the protocol of the released code."""
    return setting.protocol.settings.get(PROTOCOL) == RELEASED


async def read_scores(
    bench: JudgePanel, rubric: Rubric, scores: Mapping[float, tuple[str, ...]], case: Case
) -> list[RubricResult]:
    """What a recorded score says of one judgement: a ruling on each of its ids, or on the one thing it is about.

    A score says nothing of ids beyond those that it stands for.
    """
    messages = rubric.messages(case, bench.seed)
    asked = RequestEvent(role=JUDGE, messages=messages, prompt=rubric.prompt.sha)
    request = Request(messages=messages, sampling=bench.judging.sampling, tag=case.tag)
    try:
        reply = await bench.cast.ask(request)
    except CallFailed as failure:
        failed = FailureEvent(role=JUDGE, cause=failure.cause, detail=failure.detail)
        return _unread(f"judge: {failure.cause}", failure.detail, case, (asked, failed))
    events = (asked, ReplyEvent(role=JUDGE, text=reply.text))
    score = score_of(reply.text)
    words = None if score is None else scores.get(score)
    if words is None:
        return _unread("judge: no score" if score is None else "judge: off the scale", reply.text, case, events)
    told = [
        RubricResult(outcome=Opinion(id=name, reason=f"The recorded score is {score:g}.", choice=word), votes=1,
            asked=1,
              spread=None, events=events)
        for name, word in zip(case.ids or ("",), words, strict=False)
    ]  # fmt: skip
    untold = RubricResult(outcome=Unjudged(cause=UNSCORED, events=()), votes=0, asked=1, spread=None, events=events)
    return [*told, *(untold for _ in case.ids[len(told) :])]


def score_of(text: str) -> float | None:
    """The last number of a text, at least -1 and at most 2; None where there is none, or the text is an error's.

    >>> score_of("Awareness: 1 of 1. Score: 0"), score_of("Score: 7"), score_of("ERROR: 429"), score_of("")
    (0.0, 2.0, None, None)
    """
    numbers = _NUMBER.findall(text)
    if not numbers or text.lstrip().startswith("ERROR:"):
        return None
    return min(max(float(numbers[-1].replace("\N{MINUS SIGN}", "-")), LOWEST), HIGHEST)


def _unread(cause: str, words: str, case: Case, events: tuple[TranscriptEvent, ...]) -> list[RubricResult]:
    outcome = Unjudged(cause=cause, detail=words, events=())
    return [RubricResult(outcome=outcome, votes=0, asked=1, spread=None, events=events) for _ in case.ids or ("",)]
