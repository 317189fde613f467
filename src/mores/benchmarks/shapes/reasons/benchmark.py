"""A label with its reasons: the label is read out of the answer, or judged, and the reasons are graded by a rubric.

answer ─▶ label (extracted, or chosen by a judge) and points of one rubric ─▶ two verdicts. Both are independent calls.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, SectionReference, Setting
from mores.benchmarks.data_tables import hash_table
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.judge_panel import (
    JUDGE,
    JudgePanel,
    bench_of,
    failed_verdict,
    fault_verdict,
    judging_of,
    label_verdict,
    rule,
    unusable,
    verdict_of,
    why_unusable,
)
from mores.benchmarks.shapes.labels import LabelReading as ReadLabel
from mores.benchmarks.shapes.labels import extract_label, read_in_words
from mores.benchmarks.shapes.question import (
    SUBJECT,
    OpenQuestion,
    answer_of,
    answer_placeholder,
    effort_of,
    of_subject,
    with_cut,
)
from mores.benchmarks.shapes.reasons import REASONS
from mores.benchmarks.shapes.reasons.metrics import (
    GOOD_FROM,
    NO_SIDE,
    SIMILARITY,
    ReasonSource,
    encoder_hash,
    encoder_name,
    labels_file,
    measures_of,
    read_people,
    similarity_verdict,
)
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.transcript import FailureEvent, Transcript
from mores.core.verdict import LABEL, Graded
from mores.core.verdict_table import VerdictTable
from mores.judges.rubric import FORM, Case, CaseLabels, Rubric
from mores.judges.rubric_answers import ChoiceAnswer, Score
from mores.models.cast import Cast, all_of
from mores.models.request import AnswerKey, Tag
from mores.models.simulated_judge import JudgeKey

ANSWER = "answer"
"""The slot of a rubric that holds the subject's words."""
FENCED = (ANSWER, "request")
"""Slots of rubrics that hold somebody else's words: the subject's, and what a person in the data asks for."""
NO = "no"
"""Label of an answer that takes no side, where a judge decides labels, as in CURE's released code."""
NEITHER = "neither"
"""Word that a judge's reason begins with, if an answer takes no side: a remark, and no label of its own."""
RUNG = "explain"
"""What simulated minds need for it."""
GOOD, POOR = 0.9, 0.2
"""Levels that are planted in simulated explanations."""
# Apart, as a reply that cannot be read is asked for again on the next step.
_LABEL_STEP, _REASON_STEP = 0, 10


class ExplainedItem(OpenQuestion, frozen=True, kw_only=True):
    """A question to be answered with a label and its reasons.

    `held_against` fills the slots of the rubrics (all but the answer). `ways` are two explanations of each label for
    simulated subjects, a good one and a poor one, and `reference` is what good reasons give. Where an item is not in
    English, `spellings` has the label of each word that an answer may give for it.
    """

    gold: str
    held_against: Mapping[str, str]
    ways: Mapping[str, tuple[str, str]]
    reference: str = ""
    spellings: Mapping[str, str] = {}

    def key(self) -> AnswerKey:
        """Answer key for simulated and baseline models: each label with a good and with a poor explanation."""
        ways = {
            planted(label, level): text
            for label, texts in self.ways.items()
            for level, text in zip((GOOD, POOR), texts, strict=True)
        }
        return AnswerKey(
            unit=self.about.unit,
            truth=planted(self.gold, GOOD),
            ways=ways,
            place=self.about.place,
            rung=RUNG,
            control=self.control,
            courteous=tuple(planted(label, POOR) for label in self.ways),
        )


def planted(label: str, level: float) -> str:
    """Name of an outcome: the label that is meant, and how good its explanation is meant to be."""
    return f"{label}/{level:g}"


def read_planted(outcome: str) -> tuple[str, float]:
    """Label and level of an outcome; a slip takes no side and explains nothing."""
    label, slash, level = outcome.partition("/")
    return (label, float(level)) if slash else (NO, 0.0)


class ExplainedBenchmark(BaseShape[ExplainedItem], frozen=True, kw_only=True, dict=True):
    """A benchmark of explained labels, with its prompts and rubrics.

    `grading` is the rubric of the reasons and `dimension` what it grades; `parts` are words that fill slots of what is
    asked, or prompts in other languages. Where there is a `choosing` prompt a judge decides the label; else it is
    extracted from the answer. The option `scale` of the card makes the rubric continuous or binary. Prompts of judges
    without a slot for our form, as the released ones are, ask for yes or no in one word.
    """

    prompt: Prompt
    grading: Prompt
    dimension: str
    labels: tuple[str, ...]
    choosing: Prompt | None = None
    parts: tuple[Prompt, ...] = ()
    sections: tuple[SectionReference, ...] = (REASONS,)

    @cached_property
    def _rubrics(self) -> dict[str, Rubric]:
        binary = {"binary": _rubric(self.grading, Score(scale="binary"))}
        if FORM not in self.grading.slots:
            return binary
        return {"continuous": _rubric(self.grading, Score(scale="continuous")), **binary}

    @cached_property
    def _chooser(self) -> Rubric | None:
        """The rubric by which a judge decides the label."""
        return None if self.choosing is None else _rubric(self.choosing, ChoiceAnswer(options=self.labels))

    def rubric(self, setting: Setting) -> Rubric:
        """The rubric of the reasons, on the scale that the run chose.

        Raises:
            InputError: the scale is continuous, and the words put to the judge ask for yes or no.
        """
        found = self._rubrics.get(setting.protocol.settings.get("scale", "continuous"))
        if found is None:
            raise InputError(
                f"{self.card.name}: {self.grading.key} is put in words without our form ({self.grading.where}), which "
                "ask for yes or no; add --set scale=binary."
            )
        return found

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Prompts of subject and judges, and the words that all rubrics share."""
        rubrics = (*([self._chooser] if self._chooser else []), *self._rubrics.values())
        shared = {p.sha: p for rubric in rubrics for p in rubric.prompts}
        return (self.prompt, *self.parts, *shared.values())

    @property
    def tasks(self) -> tuple[str, ...]:
        """The label, and what the rubric grades."""
        return (LABEL, self.dimension)

    @property
    def varying_tasks(self) -> tuple[str, ...]:
        """Remarks that an answer takes no side, and its similarity to its reference, where a run has an encoder."""
        return (SIMILARITY,) if self.choosing is None else (NO_SIDE, SIMILARITY)

    def due(self, item: ExplainedItem) -> tuple[ExpectedVerdict, ...]:
        """The label with its gold, and the reasons."""
        return ExpectedVerdict(LABEL, item.about, item.gold), ExpectedVerdict(self.dimension, item.about)

    def sources(self, setting: Setting) -> dict[str, str]:
        """Sources of the items, each with a hash, and people's labels and an encoder where the run names them."""
        people = labels_file(setting)
        labels = {} if people is None else hash_table(people)
        return {**super().sources(setting), **labels, **encoder_hash(setting)}

    def outline(self, item: ExplainedItem, setting: Setting) -> dict[str, CallEstimate]:
        """One call to the subject; one or two to each judge, as often as it is asked, and again for the form's sake."""
        asked, judging = of_subject(setting.protocol), judging_of(setting)
        rubrics = [self.rubric(setting), *([self._chooser] if self._chooser else [])]
        held = "".join(item.held_against.values()) + answer_placeholder(asked)
        efforts = [effort_of(r.prompt.body + r.form() + held, judging.sampling, 2 * judging.runs) for r in rubrics]
        # The label and the reasons are asked about at once.
        judge = CallEstimate(*(sum(part) for part in zip(*efforts, strict=True)))._replace(waves=1)
        return {SUBJECT: effort_of(item.render(), asked), JUDGE: judge}

    def items(self, setting: Setting) -> Sequence[ExplainedItem]:
        """All items, in the order of the data.

        Raises:
            InputError: the data is missing or malformed, two items have one id, people's labels cannot be read, or
                the judge's words do not ask for what the run's scale has.
        """
        items = super().items(setting)
        self.rubric(setting)  # for its errors alone, before anything is asked
        people = labels_file(setting)
        if people is not None:
            # Read for its errors alone: a file that does not fit is refused before anything is asked.
            read_people(people, self.dimension, {item.about.item for item in items})
        return items

    async def judge(self, item: ExplainedItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """The label and the reasons, and how near the answer comes to its reference where the run has an encoder."""
        grading = with_cut(await self._judge(item, transcript, cast, setting), transcript)
        name = encoder_name(setting)
        if not name:
            return grading
        reply, sample = answer_of(transcript), transcript.sample
        near = await similarity_verdict(reply, item.reference, item.about, sample, name)
        return Grading((*grading.verdicts, near), grading.events)

    async def _judge(self, item: ExplainedItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """The label and the reasons, by independent calls; nobody is asked about an answer that cannot be used.

        Where labels are extracted, a short answer that declines cannot be used. Where a judge decides, declining may
        be the right thing to do, so only the endpoint's own word makes a refusal.
        """
        reply, sample = answer_of(transcript), transcript.sample
        label, reasons = self.due(item)
        if isinstance(reply, FailureEvent):
            return Grading(
                (failed_verdict(reply, label, sample, gold=item.gold), failed_verdict(reply, reasons, sample))
            )
        fault = unusable(reply)
        read = ReadLabel(None, fault) if fault or self._chooser else self._extracted(item, reply.text)
        if fault or read.fault == "refusal":
            why, says = fault or "refusal", why_unusable(reply) if fault else ""
            first = fault_verdict(why, label, sample, gold=item.gold, reason=says)
            return Grading((first, fault_verdict(why, reasons, sample, reason=says)))
        answer = _Answer(item, reply.text, reply.planted, sample)
        bench, rubric = bench_of(cast, setting), self.rubric(setting)
        if self._chooser is None:
            graded = await _grade(rubric, answer, reasons, bench)
            extracted = label_verdict(read, label, sample, gold=item.gold, why="no label in the answer")
            return Grading((extracted, *graded.verdicts), graded.events)
        chosen, graded = await all_of(
            _choose(self._chooser, answer, label, bench), _grade(rubric, answer, reasons, bench)
        )
        return Grading((*chosen.verdicts, *graded.verdicts), (*chosen.events, *graded.events))

    def _extracted(self, item: ExplainedItem, text: str) -> ReadLabel:
        """The label in an answer, by the words that its language has for labels."""
        return read_in_words(text, item.spellings or {label: label for label in self.labels}, extract_label)

    def failing_cases(self, setting: Setting) -> list[Case]:
        """For checks of a judge: each item's right label with its poor explanation, as a case of the rubric.

        Raises:
            InputError: the data cannot be read.
        """
        rubric = self.rubric(setting)
        answers = (
            _Answer(item, item.ways[item.gold][1], planted(item.gold, POOR), sample=0) for item in self.items(setting)
        )
        return [answer.case(rubric, self.dimension, _REASON_STEP) for answer in answers]

    def scoring(self, setting: Setting) -> Scoring[ReasonSource]:
        """The metrics of the card, with people's points where the run names a file of them."""
        measures = measures_of([metric.name for metric in self.card.metrics], self.dimension)
        source = partial(self._source, labels_file(setting))
        return Scoring(self.card, {**measures, **self.measures, **self.brought(setting)}, source, self.also)

    def _source(self, labels: Path | None, table: VerdictTable) -> ReasonSource:
        items = {about.item for about in table.item_metadata} if labels is not None else set()
        people = None if labels is None else read_people(labels, self.dimension, items)
        return ReasonSource(table, label=LABEL, reasons=self.dimension, people=people)


def _rubric(prompt: Prompt, answer: Score | ChoiceAnswer) -> Rubric:
    """A rubric in whose words somebody else's are fenced."""
    fenced = tuple(slot for slot in FENCED if slot in prompt.slots)
    return Rubric(prompt=prompt, answer=answer, fenced=fenced, one_word=FORM not in prompt.slots)


async def _grade(rubric: Rubric, answer: "_Answer", due: ExpectedVerdict, bench: JudgePanel) -> Grading:
    """Verdicts of the judges on the reasons."""
    ruled = await rule(bench, rubric, answer.case(rubric, due.task, _REASON_STEP))
    return Grading((verdict_of(ruled, due, answer.sample, answer.length),), ruled.events)


async def _choose(chooser: Rubric, answer: "_Answer", due: ExpectedVerdict, bench: JudgePanel) -> Grading:
    """The label that the judges find in the answer, and their remark on whether it takes no side, if asked for one."""
    ruled = await rule(bench, chooser, answer.case(chooser, due.task, _LABEL_STEP))
    verdict = verdict_of(ruled, due, answer.sample, answer.length, gold=answer.item.gold)
    if chooser.one_word or not isinstance(verdict, Graded):
        return Grading((verdict,), ruled.events)
    remarked = verdict.label == NO and verdict.reason.lstrip("\"'* ").casefold().startswith(NEITHER)
    aside = Graded(about=due.about, sample=answer.sample, task=NO_SIDE, points=float(remarked))
    return Grading((verdict, aside), ruled.events)


class _Answer(NamedTuple):
    """An answer to be judged, and what was planted in it, if anything was."""

    item: ExplainedItem
    text: str
    planted: str | None
    sample: int

    @property
    def length(self) -> int:
        """Its words."""
        return len(self.text.split())

    def case(self, rubric: Rubric, task: str, step: int) -> Case:
        """The answer as a rubric's case; a simulated judge is told what was planted, if it was."""
        about = self.item.about
        values = {name: self.item.held_against[name] for name in rubric.prompt.slots if name in self.item.held_against}
        return Case(
            values={**values, ANSWER: self.text},
            tag=Tag(item=about.item, role=JUDGE, step=step, sample=self.sample),
            key=self._key(rubric, step),
            asks=CaseLabels(task=task, sample=self.sample),
        )

    def _key(self, rubric: Rubric, step: int) -> JudgeKey | None:
        if self.planted is None:
            return None
        label, level = read_planted(self.planted)
        meant: float | str | bool = level
        if isinstance(rubric.answer, ChoiceAnswer):
            meant = label
        elif rubric.answer.options:
            meant = level >= GOOD_FROM
        about = self.item.about
        return rubric.key(meant, unit=f"{about.unit}/{step}", place=about.place, rung=RUNG)
