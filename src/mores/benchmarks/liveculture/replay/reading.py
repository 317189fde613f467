"""A replay out of finished runs: the town is made again from the run's seed and data, the day is what it stored.

results with days in town ─▶ the same episode of each ─▶ Replay. A town that is no longer what it was when the run was
played is refused, as people would stand where they never were.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from mores.analysis.results import JUDGES, Result, Results
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.liveculture.replay.days import PlayedDay, Replay
from mores.benchmarks.liveculture.replay.rechecked import rechecked, votes_on_tasks
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.core.errors import InputError, UnknownName
from mores.core.transcript import ActionEvent, FailureEvent, SubtaskCheckEvent, Transcript
from mores.worlds.town.stage import DayConfig

PlayKey = tuple[str, int]
"""An episode by its item and its sample."""
SettingOf = Callable[[Result], Setting]
"""What a result was played with."""
_OF_TOWNS = ("residents", "cultures", "offscreen")
"""Settings that decide who lives in a town, and who is where."""


def replay_of(results: Results, setting: SettingOf, *, episode: str | None = None) -> Replay:
    """The days of one episode: of all models of a run, and of those of a second one where there are two.

    Args:
        results: One finished run, or two on the same seed.
        setting: What a result was played with.
        episode: An item such as `day-17`, or `day-17/1` for its second sample; by default the first one whose day did
            not break off before a step.

    Raises:
        InputError: a run has no days in town, the episode is not in all of them, or the town is another one.
    """
    evaluations = _town_evaluations(results)
    play = _chosen(episode, [_listed(each) for each in evaluations], [str(run) for run in results.runs])
    lived = [_played(each, _transcript(each, play), setting(each)) for each in evaluations]
    stages = [stage for stage, _ in lived]
    for evaluation, stage in zip(evaluations[1:], stages[1:], strict=True):
        _refuse_other_town((evaluations[0], stages[0]), (evaluation, stage))
    return Replay(stage=stages[0], days=tuple(day for _, day in lived))


def _refuse_other_town(first: tuple[Result, DayConfig], other: tuple[Result, DayConfig]) -> None:
    """Days that cannot be put side by side: other people, another way of moving them, other hours, or other tasks."""
    (evaluation, stage), (beside, found) = first, other
    if found.population.fingerprint != stage.population.fingerprint:
        what = "another town than that of {}"
    elif found.off_screen != stage.off_screen:
        what = "people off the screen are moved another way than in {}"
    elif not np.array_equal(found.whereabouts, stage.whereabouts):
        what = "people are at other places through the day than in {}"
    elif found.plan != stage.plan:
        what = "the target has other tasks than in {}"
    else:
        return
    differs = "; ".join(_differing(evaluation, beside)) or "the manifests do not tell in what"
    raise InputError(f"{beside.run}: {what.format(evaluation.run)} ({differs}); expected runs that are equal in this.")


def _differing(one: Result, other: Result) -> Iterator[str]:
    """What two runs were given otherwise that decides who is where, each in words."""
    for name in _OF_TOWNS:
        values = [evaluation.provenance.protocol.settings.get(name, "not set") for evaluation in (one, other)]
        if len(set(values)) > 1:
            yield f"{name} {' and '.join(values)}"
    if one.provenance.seed != other.provenance.seed:
        yield f"seed {one.provenance.seed} and {other.provenance.seed}"
    hashes = one.provenance.data, other.provenance.data
    names = [name for name in dict.fromkeys((*hashes[0], *hashes[1])) if hashes[0].get(name) != hashes[1].get(name)]
    if names:
        yield f"other data: {', '.join(names)}"


def _town_evaluations(results: Results) -> tuple[Result, ...]:
    """The evaluations that hold days in town, all of one benchmark; of two runs, the first two are one of each."""
    found = [evaluation for evaluation in results.evaluations if _days_of(evaluation) is not None]
    for run in results.runs:
        if not any(evaluation.run == run for evaluation in found):
            raise InputError(f"{run}: no days in town; expected a run of liveculture/town.")
    same = [evaluation for evaluation in found if evaluation.benchmark == found[0].benchmark]
    first = same[0]
    for run in results.runs:
        if not any(evaluation.run == run for evaluation in same):
            raise InputError(f"{run}: no days of {first.benchmark}; expected a run of the same benchmark.")
    others = [evaluation for evaluation in same if evaluation.run != first.run]
    second = next((each for each in others if each.model == first.model), others[0] if others else first)
    return tuple(dict.fromkeys((first, second, *same)))


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


def _chosen(episode: str | None, listed: Sequence[Mapping[PlayKey, bool]], runs: Sequence[str]) -> PlayKey:
    """The episode that was asked for, or the first that all evaluations hold."""
    common = [play for play in listed[0] if all(play in plays for plays in listed)]
    if not common:
        raise InputError(f"{' and '.join(runs)}: no episode in common; expected runs with the same seed and targets.")
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
