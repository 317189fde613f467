"""What the verifier that counts says of tasks, where a day was judged again: rulings out of its stored votes.

votes of a run ─▶ those on the tasks of one day ─▶ one word for each task and step, as the jury rules it.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from mores.benchmarks.shapes.days.verifier import YES_NO
from mores.core.transcript import SubtaskCheckEvent
from mores.core.verdict import Vote
from mores.judges.judge import JudgeOutcome, JudgeResult, Unjudged
from mores.judges.jury import deliberate
from mores.judges.rubric_answers import Opinion

GOAL = "goal"
StepKey = tuple[int, int]
"""A step and a task."""


def votes_on_tasks(votes: Iterable[Vote], play: tuple[str, int]) -> dict[StepKey, tuple[Vote, ...]]:
    """Of the votes of an evaluation those on the tasks of one day; none where an older mores stored none."""
    found: dict[StepKey, tuple[Vote, ...]] = {}
    for vote in votes:
        if (vote.item, vote.sample, vote.task) == (*play, GOAL) and vote.step is not None:
            for task in filter(str.isdecimal, vote.said):
                found[vote.step, int(task)] = (*found.get((vote.step, int(task)), ()), vote)
    return found


def rechecked(
    checks: Iterable[SubtaskCheckEvent], votes: Mapping[StepKey, tuple[Vote, ...]], weights: Mapping[str, float]
) -> tuple[SubtaskCheckEvent, ...]:
    """The words of a day with those that were said instead, of tasks and steps that have votes alone.

    Args:
        checks: The words of the day.
        votes: What judges said by step and task.
        weights: What a judge's word counts by its role; 1 where it is not named.
    """
    return tuple(
        _ruled(check, votes[check.step, check.subtask], weights)
        for check in checks
        if (check.step, check.subtask) in votes
    )


def _ruled(check: SubtaskCheckEvent, votes: Iterable[Vote], weights: Mapping[str, float]) -> SubtaskCheckEvent:
    said = {f"{vote.judge}/{vote.draw}": _judgement(vote, str(check.subtask)) for vote in votes}
    outcome = deliberate(said, YES_NO, weights=weights).ruling.outcome
    if isinstance(outcome, Unjudged):
        failed = (each.cause for each in said.values() if isinstance(each, Unjudged))
        cause = outcome.cause if outcome.cause == "tie" else next(failed, outcome.cause)
        return replace(check, done=None, reason="", cause=cause)
    return replace(check, done=outcome.choice == "yes", reason=outcome.reason, cause="")


def _judgement(vote: Vote, task: str) -> JudgeOutcome:
    said = vote.said[task]
    if not said.given:
        return Unjudged(cause=said.cause, events=())
    return JudgeResult(opinions=(Opinion(reason=said.reason, points=said.points, choice=said.label),), events=())
