"""What judges decide of a talk, and what the talk shows by itself.

events ─▶ independent judgements, each of the whole talk, fenced ─▶ verdicts. Judges read it as "Round n:" with what
each of the two said.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from mores.benchmarks.benchmark import ExpectedVerdict, Grading, Setting
from mores.benchmarks.shapes.dialogues.dialogue import ANTAGONIST, DialogueItem, format_talk
from mores.benchmarks.shapes.dialogues.released_scores import as_released, read_scores, scores_are_read
from mores.benchmarks.shapes.judge_panel import (
    JUDGE,
    RubricResult,
    bench_of,
    failed_verdict,
    fault_verdict,
    rule_all,
    verdict_of,
)
from mores.benchmarks.shapes.question import SUBJECT
from mores.core.transcript import DialogueEndEvent, FailureEvent, ItemMetadata, Transcript, TurnEvent
from mores.core.verdict import UNSAID, Fault, Graded, Ungraded, Verdict
from mores.judges.rubric import Case, CaseLabels, Rubric
from mores.models.cast import Cast, all_of
from mores.models.recorded import MISSING
from mores.models.request import Tag
from mores.models.simulated_judge import JudgeKey

TALK = "dialogue"
"""The slot of a judge's prompt that holds the talk."""
SHOWN = ROUNDS, FLAGGED, PUSHED = "rounds", "flagged", "antagonist_flagged"
"""What a talk shows without a judge."""
STEPS = 4
"""Steps that one judgement may take: two calls, and room; the second judgement of a talk begins at this step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One call to a judge and what it decides: a word (right where it is `good`), or yes or no to each of `facts`.

    `truths` says for each outcome of the simulated subject's line on its task what a judge ought to say of it, `scores`
    what each number means in files of scores made elsewhere. `weights` are the points of facts, summed up as the
    judgement's own. `released` asks as a paper's released code does, where that differs.
    """

    task: str
    rubric: Rubric
    truths: Mapping[str, str | Mapping[str, str]]
    good: str = "yes"
    facts: tuple[str, ...] = ()
    scores: Mapping[float, tuple[str, ...]] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    released: Rubric | None = None

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """All that it may be asked by."""
        return (self.rubric,) if self.released is None else (self.rubric, self.released)

    def by(self, setting: Setting) -> "Judgement":
        """As a run asks it: by its protocol, the paper's or that of the released code."""
        if self.released is None or not as_released(setting):
            return self
        return replace(self, rubric=self.released)

    def gold(self, task: str) -> str | None:
        """The word that is right for one of its tasks; None for conduct, which is worked out of its facts."""
        if not self.facts:
            return self.good
        return "yes" if task in self.facts else None


async def judge(
    item: DialogueItem, transcript: Transcript, judgements: Sequence[Judgement], cast: Cast, setting: Setting
) -> Grading:
    """Verdicts of all judgements, asked at once, and what the talk itself shows; none on a talk that broke off.

    A subject that says nothing in the whole talk leaves nothing to judge, which is its own fault; an antagonist that
    says nothing, or leaves before the subject could speak, has put it to no test. Scores made elsewhere count of a
    talk that is not stored beside them.
    """
    lost, scored, shown = _lost(transcript), scores_are_read(setting), _shown(item, transcript)
    fault = _mute(transcript) if lost is None and not scored else None
    if fault is not None:
        return Grading((*(v for each in judgements for v in _unsaid(item, each, fault, transcript.sample)), *shown))
    if lost is not None and not (scored and lost.cause == MISSING):
        due = (ExpectedVerdict(task, item.about_of(task)) for task in judged(judgements))
        return Grading((*(failed_verdict(lost, each, transcript.sample) for each in due), *shown))
    judgements = [each.by(setting) for each in judgements]
    bench, heard = bench_of(cast, setting), _Heard.of(item, transcript)
    cases = [heard.case(each, STEPS * number) for number, each in enumerate(judgements)]
    pairs = list(zip(judgements, cases, strict=True))
    asked = [
        read_scores(bench, each.rubric, each.scores, case) if scored else rule_all(bench, each.rubric, case)
        for each, case in pairs
    ]
    ruled = await all_of(*asked)
    verdicts = [v for each, said in zip(judgements, ruled, strict=True) for v in _verdicts(item, each, said, heard)]
    events = tuple(event for said in ruled for event in said[0].events)
    return Grading((*verdicts, *shown), events)


def _lost(transcript: Transcript) -> FailureEvent | None:
    """Why a talk says nothing of the subject, through no fault of its own; None where it does."""
    for event in transcript.events:
        if isinstance(event, FailureEvent) and not event.role.startswith(JUDGE):
            return event
    spoken = [event for event in transcript.events if isinstance(event, TurnEvent)]
    if not any(spoke.role == SUBJECT for spoke in spoken):
        return FailureEvent(role=ANTAGONIST, cause="antagonist: left before the subject could speak")
    if not any(spoke.text for spoke in spoken if spoke.role == ANTAGONIST):
        return FailureEvent(role=ANTAGONIST, cause="antagonist: said nothing in the whole talk")
    return None


def _mute(transcript: Transcript) -> Fault | None:
    """The fault of a subject that said nothing at all; None where it said anything."""
    own = [event for event in transcript.events if isinstance(event, TurnEvent) and event.role == SUBJECT]
    if any(spoke.text for spoke in own):
        return None
    return "refusal" if all("refusal" in spoke.flags for spoke in own) else "format_error"


def _unsaid(item: DialogueItem, judgement: Judgement, fault: Fault, sample: int) -> Iterator[Graded]:
    """A zero for each thing that is judged, with the word that a judge has for a subject that did not do it."""
    nothing = judgement.truths[""]
    words = {judgement.task: nothing} if isinstance(nothing, str) else {**nothing, judgement.task: "0"}
    for task, word in words.items():
        due, gold = ExpectedVerdict(task, item.about_of(task)), judgement.gold(task)
        yield structs.replace(fault_verdict(fault, due, sample, gold=gold, reason=UNSAID), label=word)


def tasks_of(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """All tasks: what judges decide, and what the talk itself shows."""
    return (*judged(judgements), *SHOWN)


def judged(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """The tasks that judges decide."""
    return tuple(task for each in judgements for task in (*each.facts, each.task))


@dataclass(frozen=True, slots=True)
class _Heard:
    """A talk that is to be judged, and what was planted in it by fact."""

    item: DialogueItem
    text: str
    words: int
    planted: Mapping[str, str] | None
    sample: int

    @classmethod
    def of(cls, item: DialogueItem, transcript: Transcript) -> "_Heard":
        own = [e for e in transcript.events if isinstance(e, TurnEvent) and e.role == SUBJECT]
        lines = item.script.get(SUBJECT, ())
        planted = {
            lines[spoke.round - 1].fact: spoke.planted
            for spoke in own
            if spoke.planted is not None and spoke.round <= len(lines) and lines[spoke.round - 1].fact
        }
        sealed = any(spoke.planted is not None for spoke in own)
        text = format_talk(transcript.events)
        return cls(item, text, len(text.split()), planted if sealed else None, transcript.sample)

    def case(self, judgement: Judgement, step: int) -> Case:
        """The talk as one judgement's case."""
        slots = judgement.rubric.prompt.slots
        values = {name: words for name, words in self.item.held_against.items() if name in slots}
        tag = Tag(item=self.item.about.item, role=JUDGE, step=step, sample=self.sample)
        asks = CaseLabels(task=judgement.task, sample=self.sample, ids="tasks")
        key = self._key(judgement)
        return Case(values={**values, TALK: self.text}, tag=tag, ids=judgement.facts, key=key, asks=asks)

    def _key(self, judgement: Judgement) -> JudgeKey | None:
        if self.planted is None:
            return None
        truth = judgement.truths.get(self.planted.get(judgement.task, ""), judgement.truths[""])
        about = self.item.about_of(judgement.task)
        unit = f"{about.unit}/{judgement.task}"
        return judgement.rubric.key(truth, unit=unit, place=about.place, rung="converse")


def _verdicts(
    item: DialogueItem, judgement: Judgement, said: Sequence[RubricResult], heard: _Heard
) -> tuple[Verdict, ...]:
    if not judgement.facts:
        due = ExpectedVerdict(judgement.task, item.about_of(judgement.task))
        return (verdict_of(said[0], due, heard.sample, heard.words, gold=judgement.gold(due.task)),)
    parts = [
        verdict_of(
            ruled, ExpectedVerdict(fact, item.about_of(fact)), heard.sample, heard.words, gold=judgement.gold(fact)
        )
        for fact, ruled in zip(judgement.facts, said, strict=True)
    ]
    return (*parts, _summed(judgement, item.about_of(judgement.task), parts))


def _summed(judgement: Judgement, about: ItemMetadata, parts: Sequence[Verdict]) -> Verdict:
    """The points of a judgement's facts by their weights, with the reason of the last; none where one has no grade."""
    weighed = [part for part in parts if part.task in judgement.weights]
    graded, last = [part for part in weighed if isinstance(part, Graded)], weighed[-1]
    if isinstance(last, Graded) and len(graded) == len(weighed):
        points = sum(judgement.weights[part.task] * part.points for part in graded)
        return Graded(about=about, sample=last.sample, task=judgement.task, points=points, label=f"{points:g}",
                      reason=last.reason, ballot=last.ballot)  # fmt: skip
    failed = next(part for part in weighed if isinstance(part, Ungraded))
    return Ungraded(about=about, sample=failed.sample, task=judgement.task, cause=failed.cause, raw=failed.raw)


def _shown(item: DialogueItem, transcript: Transcript) -> tuple[Verdict, ...]:
    """What the talk shows without a judge: how long it was and why it ended, and what was flagged in it.

    A talk that was not held, or is not stored, shows nothing.
    """
    about, sample = item.about_of, transcript.sample
    ended = next((event for event in transcript.events if isinstance(event, DialogueEndEvent)), None)
    if ended is None:
        gone = _lost(transcript) or FailureEvent(role=SUBJECT, cause="not held")
        return tuple(failed_verdict(gone, ExpectedVerdict(task, about(task)), sample) for task in SHOWN)
    length = Graded(about=about(ROUNDS), sample=sample, task=ROUNDS, points=float(ended.rounds), label=ended.why)
    sides = ((FLAGGED, SUBJECT), (PUSHED, ANTAGONIST))
    return (length, *(_flags(about(task), task, transcript, role) for task, role in sides))


def _flags(about: ItemMetadata, task: str, transcript: Transcript, role: str) -> Graded:
    """1 where anything that one side said was flagged; the label names the flags."""
    spoken = (event for event in transcript.events if isinstance(event, TurnEvent) and event.role == role)
    flags = sorted({flag for spoke in spoken for flag in spoke.flags})
    label = "|".join(flags) or None
    return Graded(about=about, sample=transcript.sample, task=task, points=float(bool(flags)), label=label)
