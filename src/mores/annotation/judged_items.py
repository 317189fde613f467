"""Answers of judges on each thing of a result, what the thing counts towards, and the questions in words for people.

votes ─▶ things with the words of each judge ─▶ what they said together, as the run's verdict does: the majority of
words, the mean of points, of probabilities the likeliest, each judge by its weight.

stored plays ─▶ judged again by judges who never answer ─▶ the cases they were asked ─▶ questions, the same words
without what any judge said.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec import Struct

from mores.benchmarks import catalogue
from mores.core.card import Metric
from mores.core.codec import digest, reading
from mores.core.errors import InputError, UnknownName
from mores.core.languages import ENGLISH
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, JudgeAnswer, JudgedUnit, Ungraded, Vote, decode_verdicts, decode_votes
from mores.judges.fence import form_words
from mores.judges.judge import JudgeCall
from mores.judges.jury import heaviest
from mores.judges.rubric import FORM, Case, Rubric
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.runs.evaluation import VERDICTS, VOTES, Evaluation
from mores.runs.folder import MANIFEST, read_manifest, read_run
from mores.runs.manifest import check_unchanged
from mores.runs.spec import spec_in
from mores.runs.stored_plays import StoredPlays, stored_evaluations
from mores.runs.study import Study

FROM_VERDICTS = "judge"
"""Author of a verdict for which there are no votes: it is worked out of others, or read from a file."""


class JudgedEvaluation(Struct, frozen=True, kw_only=True):
    """One model on one benchmark, finished: where it lies, who judged, and what its manifest says."""

    run: Path
    folder: Path
    model: str
    benchmark: str
    judges: Mapping[str, str]
    simulated: bool
    manifest: Mapping[str, Any]

    @property
    def name(self) -> tuple[str, str]:
        """Model and benchmark."""
        return self.model, self.benchmark

    def weight(self, judge: str) -> float:
        """Weight of a judge's word."""
        return float(self.manifest.get("spec", {}).get("judge_weights", {}).get(judge, 1.0))

    def plays(self, wanted: Collection[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """A hash of what was said and done in some plays, by item and sample; judges' words are no part of it."""
        with closing(StoredPlays(self.folder)) as stored:
            return {play: digest(stored[play]) for play in wanted}


class JudgedItem(Struct, frozen=True, kw_only=True):
    """One thing that was judged: in which result, what it counts towards, and all that each judge said of it, by draw.

    `options` are the words that judges chose from, none where they gave points; `prompt` is the hash of their words.
    `words` counts the subject's words that were judged, where the verdict says so. `ruled` is the label of the run's
    own verdict on just this thing, where there is one. `language` is the one that it was asked in.
    """

    evaluation: JudgedEvaluation
    thing: JudgedUnit
    place: str
    cluster: str
    options: tuple[str, ...]
    prompt: str
    votes: Mapping[str, tuple[Vote, ...]]
    words: int | None = None
    ruled: str | None = None
    language: str = ENGLISH

    def answers(self, judge: str | None = None) -> tuple[JudgeAnswer, ...]:
        """Every word of one judge on it, or of all, in the order of the draws."""
        chosen = self.votes.items() if judge is None else ((judge, self.votes.get(judge, ())),)
        return tuple(vote.said[self.thing.norm] for _, votes in chosen for vote in votes)

    @property
    def label(self) -> str | None:
        """The word of all judges together, as the run's verdict has it; None where none was given, or two tie."""
        # The run's own verdict goes first, as a benchmark may make it of votes in another way than here.
        if self.ruled in self.options:
            return self.ruled
        shares = [(vote.shares, weight) for vote, weight in self._weighed() if vote.shares is not None]
        if shares:
            return max(self.options, key=lambda option: fsum(weight * share[option] for share, weight in shares))
        counts: dict[str, float] = {}
        for judged, weight in self._valid_answers():
            if judged.given and judged.label is not None:
                counts[judged.label] = counts.get(judged.label, 0.0) + weight
        return heaviest(counts)

    @property
    def points(self) -> float | None:
        """The mean of all judges' points; None where none were given."""
        given = [(judged.points, weight) for judged, weight in self._valid_answers() if judged.points is not None]
        return fmean([points for points, _ in given], [weight for _, weight in given]) if given else None

    def _weighed(self) -> Iterator[tuple[Vote, float]]:
        """All votes that count, with what they count."""
        for judge, votes in self.votes.items():
            weight = self.evaluation.weight(judge)
            yield from ((vote, weight) for vote in votes if weight > 0)

    def _valid_answers(self) -> Iterator[tuple[JudgeAnswer, float]]:
        """The words of these votes."""
        return ((vote.said[self.thing.norm], weight) for vote, weight in self._weighed())


def judged_evaluations(runs: Sequence[Path]) -> tuple[JudgedEvaluation, ...]:
    """The finished evaluations of some runs in which somebody judges, in their order.

    Raises:
        InputError: a folder is no finished run, or nobody judges in any of them.
    """
    judged = tuple(evaluation for run in runs for evaluation in _evaluations(run) if evaluation.judges)
    if not judged:
        text = ", ".join(str(run) for run in runs)
        raise InputError(f"{text}: nobody judges in it; expected a run of a benchmark with a judge.")
    return judged


def _evaluations(run: Path) -> Iterator[JudgedEvaluation]:
    """All of a run; one that was cut short may name none yet."""
    stored = stored_evaluations(run)
    if not stored and read_manifest(run).get("state") != "finished":
        raise _unfinished(run, run)
    for (model, benchmark), folder in stored.items():
        manifest = read_run(folder)
        if manifest.get("state") != "finished" or not (folder / VERDICTS).is_file():
            raise _unfinished(folder, run)
        with reading(f"{folder}/{MANIFEST}", "the manifest of a run"):
            judges = {role: spec for role, spec in sorted(manifest["roles"].items()) if role.startswith("judge")}
            simulated = bool(manifest["simulated"])
        yield JudgedEvaluation(run=run, folder=folder, model=model, benchmark=benchmark, judges=judges,
            simulated=simulated,
                         manifest=manifest)  # fmt: skip


def _unfinished(folder: Path, run: Path) -> InputError:
    return InputError(f"{folder}: not finished; expected a finished run. Continue with: mores resume {run}.")


def judged_things(evaluation: JudgedEvaluation) -> Iterator[JudgedItem]:
    """Everything that was judged in a result: by votes, and by verdicts of tasks that have none, with a judge's part.

    Raises:
        InputError: the run is older than votes, or a file of it is damaged.
    """
    verdicts = _Verdicts.of(evaluation)
    voted: dict[JudgedUnit, dict[str, list[Vote]]] = {}
    path = evaluation.folder / VOTES
    if not path.is_file():
        raise InputError(
            f"{evaluation.folder}: no {VOTES}, as an older mores left it; mores resume {evaluation.run} writes it "
            f"from the journal, or judge it again: mores judge {evaluation.run} --judge SPEC."
        )
    with path.open("rb") as lines:
        for vote in decode_votes(lines, where=str(path)):
            for thing, _ in vote.things():
                voted.setdefault(thing, {}).setdefault(vote.judge, []).append(vote)
    for thing, votes in voted.items():
        about, first = verdicts.about(thing), next(iter(votes.values()))[0]
        yield JudgedItem(
            evaluation=evaluation,
            thing=thing,
            place=about.place or "",
            language=about.groups.get("language", ENGLISH),
            cluster=about.cluster,
            options=first.options,
            prompt=first.prompt,
            votes={judge: tuple(each) for judge, each in votes.items()},
            words=verdicts.words.get((thing.item, thing.sample, thing.task)),
            # A verdict is on no step of a day, so a thing that is on one has no verdict of its own.
            ruled=None if thing.step is not None else verdicts.labels.get(thing),
        )
    yield from verdicts.derived(voted)


def of_tasks(things: Sequence[JudgedItem], tasks: Sequence[str]) -> list[JudgedItem]:
    """The things of some tasks, of all where none is named.

    Raises:
        InputError: nobody judged one of the tasks.
    """
    known = sorted({each.thing.task for each in things})
    for task in sorted(tasks):
        if task not in known:
            raise InputError(f"--task {task}: nobody judged it; tasks are {', '.join(known)}.")
    return [each for each in things if not tasks or each.thing.task in tasks]


class _Verdicts(Struct, frozen=True):
    """Verdicts of an evaluation that stand beside its votes."""

    evaluation: JudgedEvaluation
    metadata: dict[tuple[str, str], ItemMetadata] = {}
    words: dict[tuple[str, int, str], int] = {}
    labels: dict[JudgedUnit, str] = {}
    others: dict[str, list[Graded | Ungraded]] = {}

    @classmethod
    def of(cls, evaluation: JudgedEvaluation) -> "_Verdicts":
        path, found = evaluation.folder / VERDICTS, cls(evaluation)
        with path.open("rb") as lines:
            for verdict in decode_verdicts(lines, where=str(path)):
                item = verdict.about.item
                found.metadata.setdefault((item, verdict.task), verdict.about)
                # For votes of a task without verdicts of its own, what is known of the item from any task.
                found.metadata.setdefault((item, ""), verdict.about)
                found.others.setdefault(verdict.task, []).append(verdict)
                if isinstance(verdict, Graded) and verdict.ballot is not None:
                    found.words.setdefault((item, verdict.sample, verdict.task), verdict.ballot.words)
                    if verdict.label is not None:
                        found.labels.setdefault(_thing(verdict), verdict.label)
        return found

    def about(self, thing: JudgedUnit) -> ItemMetadata:
        about = self.metadata.get((thing.item, thing.task)) or self.metadata.get((thing.item, ""))
        if about is None:
            raise InputError(f"{self.evaluation.folder}: votes on {thing.item} without a verdict; was a file changed?")
        return about

    def derived(self, voted: Mapping[JudgedUnit, Mapping[str, Sequence[Vote]]]) -> Iterator[JudgedItem]:
        """Things judged by a verdict alone: worked out of other judgements, or read from a file of scores."""
        options_of = {t.task: v.options for t, votes in voted.items() for (v, *_) in votes.values()}
        for task, verdicts in self.others.items():
            with_part = [v for v in verdicts if isinstance(v, Graded) and v.ballot is not None]
            if task in options_of or not with_part:
                continue
            seen = {v.label for v in with_part if v.label is not None}
            # Nobody was given a choice here, so the options are read off what came and what judges of other tasks chose
            # from.
            options = _options(self.evaluation.benchmark, task, seen, tuple(options_of.values()))
            for verdict in verdicts:
                if isinstance(verdict, Ungraded) or verdict.ballot is not None:  # else no judge had a part in it
                    yield self._judged(verdict, options)

    def _judged(self, verdict: Graded | Ungraded, options: tuple[str, ...]) -> JudgedItem:
        about, thing = verdict.about, _thing(verdict)
        if isinstance(verdict, Graded):
            judged = JudgeAnswer(label=verdict.label, points=verdict.points, reason=verdict.reason)
        else:
            judged = JudgeAnswer(cause=verdict.cause)
        vote = Vote(item=about.item, sample=verdict.sample, task=verdict.task, judge=FROM_VERDICTS, draw=0, prompt="",
                    options=options, said={thing.norm: judged})  # fmt: skip
        words = self.words.get((about.item, verdict.sample, verdict.task))
        return JudgedItem(
            evaluation=self.evaluation, thing=thing, place=about.place or "", cluster=about.cluster, options=options,
                      prompt="", votes={FROM_VERDICTS: (vote,)}, words=words,
                      language=about.groups.get("language", ENGLISH))  # fmt: skip


def _thing(verdict: Graded | Ungraded) -> JudgedUnit:
    """Norm of a verdict that is on no step of a day."""
    about = verdict.about
    return JudgedUnit(about.item, verdict.sample, verdict.task, None, about.part if about.part != verdict.task else "")


def _options(benchmark: str, task: str, seen: set[str], asked: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """All words of a task that nobody was asked about: what was not seen in a run may yet be right.

    Whole numbers are those of the metric's range; a word that is the only one seen has its like in what judges were
    asked about.
    """
    if seen and all(label.isdecimal() for label in seen):
        metric = next((m for m in _metrics(benchmark) if m.name == task), None)
        scale = range(round(metric.low), round(metric.high) + 1) if metric else ()
        return tuple(str(number) for number in sorted({*scale, *map(int, seen)}))
    if len(seen) == 1:
        return next((options for options in asked if seen < set(options)), tuple(seen))
    return tuple(sorted(seen))


def _metrics(benchmark: str) -> tuple[Metric, ...]:
    try:
        return catalogue.card(benchmark).metrics
    except UnknownName:
        return ()


POINTS_FORM = "Write a number from 0 to 1."


class LabelQuestion(Struct, frozen=True, kw_only=True):
    """One thing to judge in words for people; `options` is empty where points from 0 to 1 are asked for.

    `truth` is what was planted in a simulated subject's words, sealed from everybody but simulated people.
    """

    thing: JudgedUnit
    words: str
    options: tuple[str, ...]
    truth: str | None = None


def questions_of(run: Path, folder: Path, items: Collection[str] | None = None) -> tuple[LabelQuestion, ...]:
    """Everything that judges were asked about one evaluation of a run, in the order of its plays, each thing once.

    With `items` only about these.

    Raises:
        InputError: the run is not finished, its data is gone or has changed, or nobody judges in it.
    """
    found: dict[JudgedUnit, LabelQuestion] = {}
    for call in judge_calls_of(run, folder, items):
        for question in _questions(call):
            found.setdefault(question.thing, question)
    return tuple(found.values())


def judge_calls_of(run: Path, folder: Path, items: Collection[str] | None = None) -> tuple[JudgeCall, ...]:
    """The cases that judges were asked about one evaluation of a run, in the order of its plays, without an outcome.

    With `items` only about these.

    Raises:
        InputError: the run is not finished, its data is gone or has changed, or nobody judges in it.
    """
    evaluation = _evaluation(run, folder)
    if not evaluation.judged:
        raise InputError(f"{folder}: nobody judges in {evaluation.name}; expected a run of a benchmark with a judge.")
    with closing(StoredPlays(folder)) as plays:
        return asyncio.run(_judge_calls(evaluation, plays, items))


def _evaluation(run: Path, folder: Path) -> Evaluation:
    study = Study(spec=spec_in(run), folder=run)
    evaluation = next((each for each in study.evaluations() if each.folder.resolve() == folder.resolve()), None)
    if evaluation is None:
        raise InputError(f"{folder}: no evaluation of the run {run}; expected one of its folders.")
    check_unchanged(evaluation)
    return evaluation


class _Mute:
    """A judge that is asked and never answers."""

    async def ask(self, request: Request) -> Reply:
        raise CallFailed("not asked", request.tag.role)


async def _judge_calls(
    evaluation: Evaluation, plays: StoredPlays, wanted: Collection[str] | None
) -> tuple[JudgeCall, ...]:
    # Judged again by judges who never answer: what they are asked is noted, and no call is made.
    doors = {role: _Mute() for role in evaluation.roles if role.startswith("judge")}
    notes: list[object] = []
    cast = Cast(doors, noting=notes.append)
    for item in evaluation.items:
        if wanted is None or item.about.item in wanted:
            for sample in range(evaluation.setting.protocol.samples):
                await evaluation.benchmark.judge(item, plays[item.about.item, sample], cast, evaluation.setting)
    return tuple(note for note in notes if isinstance(note, JudgeCall))


def _questions(call: JudgeCall) -> Iterator[LabelQuestion]:
    truths = dict(zip(call.case.ids or ("",), call.case.key.truths, strict=True)) if call.case.key else {}
    for name, thing in call.things():
        yield LabelQuestion(
            thing=thing,
            words=_words(call.rubric, call.case, name),
            options=call.rubric.answer.options,
            truth=truths.get(name),
        )


def _words(rubric: Rubric, case: Case, name: str) -> str:
    """The judge's own words with the plain values, of a list only what bears on one id."""
    plain = {slot: _only(text, case.ids, name) for slot, text in case.values.items()}
    values = {slot: f"[{slot}]\n{text}\n[end]" if slot in rubric.fenced else text for slot, text in plain.items()}
    options = rubric.answer.options
    form = f"Choose one of these words: {', '.join(options)}." if options else POINTS_FORM
    about = f" of this alone: {name}" if name else ""
    return rubric.prompt.render(**values, **{FORM: form_words("people").render(about=about, form=form)}).strip()


def _only(text: str, ids: tuple[str, ...], name: str) -> str:
    """A text without the lines that are about other ids."""
    if not name or "\n" not in text:
        return text
    others = tuple(f"{each}: " for each in ids if each != name)
    return "\n".join(line for line in text.split("\n") if not line.startswith(others))
