"""A replay out of finished runs: the town is made again from the run's seed and data, the day is what it stored.

results with days in town ─▶ the same episode of each ─▶ Replay. A town that is no longer what it was when the run was
played is refused, as people would stand where they never were.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from mores.analysis.results import JUDGES, Result, Results
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.replay.days import PlayedDay, Replay
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.benchmarks.shapes.days.verifier import YES_NO
from mores.core.errors import InputError, UnknownName
from mores.core.transcript import ActionEvent, FailureEvent, SubtaskCheckEvent, Transcript
from mores.core.verdict import Vote
from mores.judges.judge import JudgeOutcome, JudgeResult, Unjudged
from mores.judges.jury import deliberate
from mores.judges.rubric_answers import Opinion
from mores.worlds.town.stage import DayConfig

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
    judgements = {f"{vote.judge}/{vote.draw}": _judgement(vote, str(check.subtask)) for vote in votes}
    outcome = deliberate(judgements, YES_NO, weights=weights).ruling.outcome
    if isinstance(outcome, Unjudged):
        failed = (each.cause for each in judgements.values() if isinstance(each, Unjudged))
        # How a judge failed says more than that nobody voted; a tie is a cause of its own.
        cause = outcome.cause if outcome.cause == "tie" else next(failed, outcome.cause)
        return replace(check, done=None, reason="", cause=cause)
    return replace(check, done=outcome.choice == "yes", reason=outcome.reason, cause="")


def _judgement(vote: Vote, task: str) -> JudgeOutcome:
    answer = vote.said[task]
    if not answer.given:
        return Unjudged(cause=answer.cause, events=())
    return JudgeResult(opinions=(Opinion(reason=answer.reason, points=answer.points, choice=answer.label),), events=())


PlayKey = tuple[str, int]
"""An episode by its item and its sample."""
SettingOf = Callable[[Result], Setting]
"""What a result was played with."""


def replay_of(results: Results, setting: SettingOf, *, episode: str | None = None) -> Replay:
    """The days of one episode, of all models of a run.

    Args:
        results: One finished run.
        setting: What a result was played with.
        episode: An item such as `day-17`, or `day-17/1` for its second sample; by default the first one whose day did
            not break off before a step.

    Raises:
        InputError: the run has no days in town, the episode is not of all of its models, or the town is another one.
    """
    evaluations = _town_evaluations(results)
    play = _chosen(episode, [_listed(each) for each in evaluations], str(results.runs[0]))
    played = [_played(each, _transcript(each, play), setting(each)) for each in evaluations]
    return Replay(stage=played[0][0], days=tuple(day for _, day in played))


def _town_evaluations(results: Results) -> list[Result]:
    """The evaluations that hold days in town, all of one benchmark."""
    found = [evaluation for evaluation in results.evaluations if _days_of(evaluation) is not None]
    if not found:
        raise InputError(f"{results.runs[0]}: no days in town; expected a run of liveculture/town.")
    return [evaluation for evaluation in found if evaluation.benchmark == found[0].benchmark]


def _days_of(evaluation: Result) -> DayBenchmark | None:
    """The benchmark of an evaluation, where it is one of days in town."""
    found = catalogue.load(evaluation.benchmark) if evaluation.card is not None else None
    return found if isinstance(found, DayBenchmark) else None


def _listed(evaluation: Result) -> dict[PlayKey, bool]:
    """The episodes of an evaluation in the order of its file; False where nobody lived even a step."""
    return {(each.item, each.sample): _begun(each) for each in evaluation.transcripts()}


def _begun(transcript: Transcript) -> bool:
    return any(isinstance(event, ActionEvent) for event in transcript.events)


def _transcript(evaluation: Result, play: PlayKey) -> Transcript:
    return next(each for each in evaluation.transcripts() if (each.item, each.sample) == play)


def _chosen(episode: str | None, listed: Sequence[Mapping[PlayKey, bool]], run: str) -> PlayKey:
    """The episode that was asked for, or the first that all evaluations hold."""
    common = [play for play in listed[0] if all(play in plays for plays in listed)]
    if not common:
        raise InputError(f"{run}: no episode that all of its models played.")
    if episode is not None:
        return _named(episode, common)
    return next((play for play in common if all(plays[play] for plays in listed)), common[0])


def _named(episode: str, common: Sequence[PlayKey]) -> PlayKey:
    item, _, sample = episode.partition("/")
    wanted = (item, int(sample) if sample.isdecimal() else 0)
    if wanted not in common or (sample and not sample.isdecimal()):
        raise UnknownName(
            "episode", episode, (name for name, _ in common), todo="An episode is an item, such as day-17."
        )
    return wanted


def _played(evaluation: Result, transcript: Transcript, setting: Setting) -> tuple[DayConfig, PlayedDay]:
    """One day of an evaluation with the stage that it was lived on, made again.

    Raises:
        InputError: what the town was made from changed since, or the day broke off before anything was done.
    """
    benchmark, play = _days_of(evaluation), (transcript.item, transcript.sample)
    # What was asked of judges is left out: their words stand in the log and in the verdicts.
    events = tuple(each for each in transcript.events if not str(getattr(each, "role", "")).startswith(JUDGES))
    if benchmark is None or not _begun(transcript):
        cause = next((event.cause for event in events if isinstance(event, FailureEvent)), "no step was lived")
        raise InputError(
            f"{evaluation.run}: {transcript.item} of {evaluation.label} broke off before its first deed ({cause}); "
            "choose another one with --episode."
        )
    _refuse_changed(evaluation, benchmark.sources(setting))
    item = next(each for each in benchmark.items(setting) if each.about.item == transcript.item)
    rejudged = evaluation.provenance.judged is not None
    votes = votes_on_tasks(evaluation.stored.votes() if rejudged else (), play)
    return benchmark.stage(item, setting), PlayedDay(
        label=evaluation.label,
        benchmark=evaluation.benchmark,
        simulated=evaluation.simulated,
        item=transcript.item,
        sample=transcript.sample,
        events=events,
        verdicts=tuple(evaluation.stored.verdicts_of({play})),
        norms=benchmark.norms(item, setting),
        roles=evaluation.provenance.roles,
        rejudged=rejudged,
        again=rechecked(
            (event for event in events if isinstance(event, SubtaskCheckEvent)), votes, setting.protocol.judge_weights
        ),
    )


def _refuse_changed(evaluation: Result, sources: Mapping[str, str]) -> None:
    before = evaluation.provenance.data
    changed = sorted(name for name, sha in sources.items() if before.get(name, sha) != sha)
    if changed:
        raise InputError(
            f"{evaluation.run}: {' and '.join(changed)} changed since it was played; expected the data and the mores "
            "of the run, or run it again."
        )
