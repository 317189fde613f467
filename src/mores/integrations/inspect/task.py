"""The task, solver, scorer and metrics that all benchmarks share as tasks of Inspect.

Options ─▶ Task ─▶ transcript in the sample's store ─▶ Score with verdicts ─▶ figures over all verdicts

The options stand in the log as JSON, so that a log says what was asked, and `inspect score` judges it again.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from inspect_ai import Epochs, Task
from inspect_ai._util.error import PrerequisiteError  # what Inspect prints as a line; it offers it nowhere else
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from mores.benchmarks.catalogue import is_folder_path
from mores.core.canary import CANARY_LINE
from mores.core.errors import InputError, RunError
from mores.core.estimate import Estimate
from mores.core.transcript import FailureEvent, Item, Transcript
from mores.core.verdict import Graded, Verdict
from mores.exports.samples import turns_of
from mores.hosted import JUDGE, SUBJECT, Hosted, HostError, hosted, to_text, transcript_of, verdicts_of
from mores.hosted.log_check import SCORER, TRANSCRIPT, VERDICTS
from mores.integrations.inspect.callers import callers
from mores.runs.protocol import departures
from mores.tables.missing_texts import to_plain

JUDGES, SPEC = "mores:judges", "spec"
"""Keys of a sample's store (which models judged in the course of it) and of a score's metadata (its options)."""


def benchmark_task(name: str, options: Mapping[str, Any]) -> Task:
    """One benchmark as a task, with the options of `mores.hosted`.

    Raises:
        PrerequisiteError: an option cannot be used, or data are missing; Inspect prints it as a line.
    """
    # Whatever is left out is the card's, and so is no option of the log either.
    given = {key: each for key, each in options.items() if each is not None}
    # Whole paths, as a log is judged again from other folders than it was made in.
    given |= {"data": str(Path(given["data"]).resolve())} if "data" in given else {}
    name = str(Path(name).resolve()) if is_folder_path(name) else name
    spec = json.dumps({"name": name, **given}, sort_keys=True)
    try:
        bench = opened(spec)
    except InputError as error:
        raise PrerequisiteError(str(error)) from error
    card, protocol = bench.evaluation.benchmark.card, bench.evaluation.setting.protocol
    return Task(
        dataset=MemoryDataset([_sample(bench, *each) for each in bench.items.items()], name=name),
        solver=play(spec),
        scorer=mores(spec),
        epochs=Epochs(protocol.samples),
        version=int(card.version.partition("-")[0]),
        headline_metric=HeadlineMetric(scorer=SCORER, metric=card.headline),
        description=card.measures,
        metadata={
            "benchmark": card.name, "version": card.version, "headline": card.headline, "licence": card.licence,
            "source": card.source, "not_measured": card.not_measured, "protocol": protocol.source,
            "departures": to_plain(departures(card, protocol)), "roles": list(bench.roles), "canary": CANARY_LINE,
        },
    )  # fmt: skip


@lru_cache(maxsize=64)
def opened(spec: str) -> Hosted:
    """The benchmark that a line of options names, made once.

    Raises:
        InputError: an option cannot be used, or data are missing.
    """
    options = json.loads(spec)
    return hosted(options.pop("name"), **options)


def _sample(bench: Hosted, name: str, item: Item) -> Sample:
    render = getattr(item, "render", None)
    about = item.about
    words = {"place": about.place, "unit": about.unit, "cluster": about.cluster, **about.groups}
    benchmark = bench.evaluation.benchmark
    tasks = benchmark.scoring(bench.evaluation.setting).tasks[:1]
    gold = dict.fromkeys(due.gold for due in benchmark.due(item) if due.gold and due.task in tasks)
    return Sample(
        id=name,
        input=name if render is None else render(),
        target=list(gold) if len(gold) > 1 else next(iter(gold), ""),
        metadata={key: value for key, value in words.items() if value is not None},
    )


@solver
def play(benchmark: str) -> Solver:
    """Solver that has an item played, and keeps its transcript in the store of the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - the play asks by itself
        bench = opened(benchmark)
        asked = callers(bench.roles)
        try:
            transcript = await bench.play(str(state.sample_id), state.epoch - 1, asked)
        except HostError as error:
            raise error.__cause__ or error from None
        state.store.set(TRANSCRIPT, to_text(transcript))
        state.store.set(JUDGES, {role: str(each.model) for role, each in asked.items() if role.startswith(JUDGE)})
        _show(state, transcript)
        return state

    return solve


def _show(state: TaskState, transcript: Transcript) -> None:
    """Put a transcript where Inspect's readers look: among the messages, and the subject's last words as output."""
    turns = turns_of(transcript)
    state.messages = [_message(turn.role, turn.text) for turn in turns]
    spoken = [turn.text for turn in turns if turn.role == SUBJECT]
    failed = next((each.cause for each in transcript.events if isinstance(each, FailureEvent)), "no reply")
    if spoken:
        state.output = ModelOutput.from_content(str(state.model), spoken[-1])
    else:
        state.output = ModelOutput(model=str(state.model), error=failed)


def _message(role: str, text: str) -> ChatMessage:
    if role == SUBJECT:
        return ChatMessageAssistant(content=text)
    if role == "system":
        return ChatMessageSystem(content=text)
    return ChatMessageUser(content=text if role == "user" else f"{role}: {text}")


def _estimates(scores: Sequence[SampleScore]) -> tuple[Hosted | None, tuple[Estimate, ...]]:
    """The benchmark of some scores, and all figures of their verdicts.

    Raises:
        RunError: every item was asked, and nothing was graded.
    """
    about = [each.score.metadata for each in scores if each.score.metadata]
    if not about:
        return None, ()
    bench = opened(about[0][SPEC])
    verdicts = verdicts_of(line for each in about for line in each[VERDICTS])
    found = bench.figures(verdicts)
    # Inspect shows figures while a task runs, too: of the first few samples that may well be.
    if len(about) >= bench.evaluation.plays and not any(each.graded for each in found):
        causes = sorted({each.cause for each in verdicts if not isinstance(each, Graded)})
        raise RunError(f"{bench.evaluation.name}: nothing was graded ({', '.join(causes)}); there is no figure.")
    return bench, found


@metric(name="figures", scores="unreduced")
def figures() -> Metric:
    """Metric that gives every figure over all, and of the headline its interval, its bounds and its counts.

    Where Inspect's own --limit, which takes the first samples and cuts units and places, left items out, `items` of
    `items_planned` were asked.
    """

    def compute(scores: list[SampleScore]) -> Mapping[str, float]:
        bench, found = _estimates(scores)
        if bench is None:
            return {}
        items, planned = len({each.sample_id for each in scores}), len(bench.items)
        left = {"items": items, "items_planned": planned} if items < planned else {}
        return {**bench.named(found).whole, **left}

    return compute


@metric(name="groups", scores="unreduced")
def groups() -> Metric:
    """Metric that gives the headline of each place and other group, as `place=JP`."""

    def compute(scores: list[SampleScore]) -> Mapping[str, float]:
        bench, found = _estimates(scores)
        return {} if bench is None else bench.named(found).groups

    return compute


def _mores(benchmark: str) -> Scorer:
    """Scorer that has the stored transcript of a sample judged; its metadata has the verdicts."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the item knows its key
        bench = opened(benchmark)
        transcript = transcript_of(state.store.get(TRANSCRIPT))
        judges = callers(tuple(role for role in bench.roles if role.startswith(JUDGE)))
        # A day asks its judge in its course; another judge than that one judges all of it anew.
        same = state.store.get(JUDGES) == {role: str(each.model) for role, each in judges.items()}
        try:
            grading = await bench.judge(transcript, {**callers((SUBJECT,)), **judges} if same else judges)
        except HostError as error:
            raise error.__cause__ or error from None
        return _score(bench, benchmark, grading.verdicts)

    return score


# A log has a scorer's name without its package, and `inspect score` looks for just that: so it must have none.
_mores.__module__ = ""
mores = scorer(metrics=[figures(), groups()], name=SCORER)(_mores)


def _score(bench: Hosted, spec: str, verdicts: Sequence[Verdict]) -> Score:
    """The verdicts of a play as a score: the points that the headline rests on, NaN where one was not given."""
    card = bench.evaluation.benchmark.card
    tasks = bench.evaluation.benchmark.scoring(bench.evaluation.setting).tasks[:1]
    own = [each for each in verdicts if each.task in tasks] or list(verdicts)
    graded = [each for each in own if isinstance(each, Graded)]
    whole = bool(graded) and len(graded) == len(own)
    words = [each.reason for each in graded] if whole else [each.cause for each in own if not isinstance(each, Graded)]
    return Score(
        # In a mapping, as a bare NaN would be left out before figures are made, and with it what was asked.
        value={card.headline: fmean(each.points for each in graded) if whole else float("nan")},
        answer=", ".join(each.label for each in graded if each.label) or None,
        explanation="\n".join(filter(None, words)) or None,
        reason=None if whole else "grader_failed",
        metadata={SPEC: spec, VERDICTS: [to_text(each) for each in verdicts]},
    )
