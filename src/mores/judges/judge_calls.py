"""What is noted of each call to a judge: the case it was asked about, and what it said of each thing in it.

Whoever asks notes it with the cast; a run writes votes from the notes, and a work list for people takes its words
from the same cases.
"""

from collections.abc import Iterator, Mapping

from msgspec import UNSET, Struct

from mores.core.verdict import JudgeAnswer, JudgedUnit, Vote
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import Opinion

OpinionOrFault = Opinion | str
"""What was said of one thing, or the cause for which nothing was."""


class JudgeCall(Struct, frozen=True, kw_only=True):
    """One call to one judge; `outcomes` by the case's ids, or by "" where one thing was judged.

    `logprobs` are those of the tokens drawn, `shares` the probability of each label where labels were weighed.
    `mended` is a reply whose JSON had a slip that was put right.
    """

    rubric: Rubric
    case: Case
    outcomes: Mapping[str, OpinionOrFault]
    logprobs: tuple[tuple[str, float], ...] | None = None
    shares: dict[str, float] | None = None
    mended: bool = False

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
        for task, said in asks.by_task(outcomes).items():
            yield Vote(
                item=tag.item,
                sample=asks.sample,
                task=task,
                step=asks.step,
                judge=tag.role,
                draw=tag.sample,
                prompt=self.rubric.prompt.sha,
                options=self.rubric.answer.options,
                said=said,
                tokens=None if self.logprobs is None else len(self.logprobs),
                logprob=None if self.logprobs is None else sum(value for _, value in self.logprobs),
                shares=self.shares,
                mended=True if self.mended else UNSET,
            )


def _judge_answer(outcome: OpinionOrFault) -> JudgeAnswer:
    if isinstance(outcome, str):
        return JudgeAnswer(cause=outcome)
    return JudgeAnswer(label=outcome.choice, points=outcome.points, reason=outcome.reason)
