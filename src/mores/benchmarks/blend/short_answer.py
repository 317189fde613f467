"""Short answers held against what people answered: by words, and by a judge beside where a run names one.

answer ─▶ the most frequent of people's answers that stands in it ─▶ verdicts: whether there is one, whether it is all
that was said, how many people gave it, and whether it was said in the script of the language that was asked in. A
question that people could not answer has a verdict of its own and is no part of the accuracy.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

import numpy as np
from msgspec import Struct

from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, Setting
from mores.benchmarks.blend.matching import AcceptedAnswer, match_answer, rules_of, says_unknown
from mores.benchmarks.scoring import MetricDefinition, Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.judge_panel import (
    JUDGE,
    bench_of,
    judging_of,
    rule,
    usable_reply,
    verdict_of,
)
from mores.benchmarks.shapes.question import (
    SUBJECT,
    OpenQuestion,
    answer_placeholder,
    effort_of,
    of_subject,
    with_cut,
)
from mores.benchmarks.shapes.scoring import (
    SCRIPT_LABELS,
    Points,
    VerdictMetric,
    VerdictSource,
    fault_metric,
    other_script,
    right_of,
)
from mores.core.arrays import Floats
from mores.core.estimate import MetricRows, Missing
from mores.core.languages import ENGLISH, is_in_script_of, language_of
from mores.core.prompt import Prompt
from mores.core.transcript import ReplyEvent, Transcript
from mores.core.verdict import Graded, Verdict
from mores.judges.rubric import Case, CaseLabels, Rubric
from mores.judges.rubric_answers import ChoiceAnswer
from mores.models.cast import Cast
from mores.models.request import AnswerKey, Tag

MATCH, WHOLE, VOTES, TOP = "match", "whole", "votes", "votes_of_top"
LANGUAGE, UNKNOWN, THINKING = "language", "unknown", "thinking_language"
JUDGED, AGREES = "judged", "judge_agrees"
RIGHT = "right"
"""The outcome of a simulated answer that people gave."""
CORRECT, WRONG = "correct", "wrong"


class ShortAnswerItem(OpenQuestion, frozen=True, kw_only=True):
    """A question with what people answered to it, each answer with its votes.

    `language` is the tag of the language that it is asked in, and `read_in` are the languages that an answer is read
    in. `annotators` is how many people were asked, `answered` whether they could answer it. `others` are wrong answers
    for simulated subjects, and `question` is what a judge is told of it. `knowledge` names what is known as one in all
    languages, by default the unit.
    """

    language: str
    read_in: tuple[str, ...]
    question: str
    accepted: tuple[AcceptedAnswer, ...]
    annotators: int
    answered: bool
    others: tuple[str, ...] = ()
    knowledge: str = ""

    def key(self) -> AnswerKey:
        """Answer key for simulated and baseline models: people's answer, or one to another question."""
        own = language_of(self.language).subtag
        best = max(self.accepted, key=lambda answer: answer.votes, default=None) if self.answered else None
        unknown = (*rules_of(own).unknown, *rules_of(ENGLISH).unknown)[0]
        right = unknown if best is None else best.first(own) or unknown
        wrong = {
            f"other-{number}": text
            for number, text in enumerate(self.others, start=1)
            if match_answer(text, self.accepted, self.read_in) is None
        }
        return AnswerKey(
            unit=self.knowledge or self.about.unit, truth=RIGHT, ways={**wrong, RIGHT: right}, place=self.about.place,
            control=self.control, language=self.language,
        )  # fmt: skip

    @property
    def top(self) -> int:
        """Votes for the most frequent answer."""
        return max((answer.votes for answer in self.accepted), default=0)

    @property
    def has_script(self) -> bool:
        """True where the script of an answer tells its language from most others."""
        return is_in_script_of("a", self.language) is not None


class PeoplesAgreement(Struct, frozen=True, kw_only=True):
    """Share of a question's people who are right by the others' answers, each left out in turn.

    `accuracy` is the share of votes whose answer somebody else gave too, `share` the mean share of the others who did.
    """

    accuracy: float
    share: float


def leave_one_out(item: ShortAnswerItem) -> PeoplesAgreement | None:
    """People's own figures on a question by leaving out each vote; None where nobody else was asked.

    Who gave which answers is not published, so a vote stands for a person: a person with two answers has two.
    """
    votes = [answer.votes for answer in item.accepted]
    if not votes or item.annotators < 2:
        return None
    total, others = sum(votes), item.annotators - 1
    return PeoplesAgreement(
        accuracy=sum(count for count in votes if count > 1) / total,
        share=sum(count * (count - 1) / others for count in votes) / total,
    )


class ShortAnswerBenchmark(BaseShape[ShortAnswerItem], frozen=True, kw_only=True, dict=True):
    """A benchmark of short answers, with the prompts of all its languages and what a judge beside is asked.

    `voted` is whether the data say how many people gave each answer.
    """

    asking: tuple[Prompt, ...]
    grading: Prompt
    voted: bool = True

    @cached_property
    def _rubric(self) -> Rubric:
        return Rubric(prompt=self.grading, answer=ChoiceAnswer(options=(CORRECT, WRONG), affirmative=CORRECT))

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Prompts of subject and judge, and the words that all rubrics share."""
        return (*self.asking, *self._rubric.prompts)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Tasks of an answered question, and of one that people could not answer."""
        return (*self._of_answered, LANGUAGE, UNKNOWN)

    @property
    def _of_answered(self) -> tuple[str, ...]:
        return (MATCH, WHOLE, VOTES, TOP) if self.voted else (MATCH, WHOLE)

    @property
    def varying_tasks(self) -> tuple[str, ...]:
        """A judge's word, where a run names one, whether it agrees, and the script of thinking, where there is any."""
        return JUDGED, AGREES, THINKING

    def due(self, item: ShortAnswerItem) -> tuple[ExpectedVerdict, ...]:
        """Those of an answered question or of another, and the script where it tells something."""
        own = self._of_answered if item.answered else (UNKNOWN,)
        tasks = (*own, *((LANGUAGE,) if item.has_script else ()))
        return tuple(ExpectedVerdict(task, item.about) for task in tasks)

    def outline(self, item: ShortAnswerItem, setting: Setting) -> dict[str, CallEstimate]:
        """One call to the subject, and where a judge is beside, those to it, again for the form's sake."""
        asked, judging = of_subject(setting.protocol), judging_of(setting)
        calls = {SUBJECT: effort_of(item.render(), asked)}
        if JUDGE in setting.protocol.roles:
            words = self.grading.body + self._rubric.form() + item.question + answer_placeholder(asked)
            calls[JUDGE] = effort_of(words, judging.sampling, 2 * judging.runs)
        return calls

    async def judge(self, item: ShortAnswerItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """The answer by its words, and by a judge where one is named; nobody is asked about an unusable answer."""
        reply, sample = usable_reply(transcript, self.due(item)), transcript.sample
        if isinstance(reply, Grading):
            return reply
        read = tuple(_verdicts(item, reply, sample, self.due(item)))
        judged = Grading(())
        if item.answered and JUDGE in setting.protocol.roles:
            judged = await self._by_judge(item, reply, transcript, cast, setting)
        return with_cut(Grading((*read, *_with_agreement(read, judged)), judged.events), transcript)

    async def _by_judge(
        self, item: ShortAnswerItem, reply: ReplyEvent, transcript: Transcript, cast: Cast, setting: Setting
    ) -> Grading:
        bench, due = bench_of(cast, setting), ExpectedVerdict(JUDGED, item.about)
        answers = "; ".join(dict.fromkeys(text for each in item.accepted for texts in each.texts.values()
                                          for text in texts))  # fmt: skip
        about = item.about
        key = None
        if reply.planted is not None:
            meant = CORRECT if reply.planted == RIGHT else WRONG
            key = self._rubric.key(meant, unit=about.unit, place=about.place)
        case = Case(
            values={"question": item.question, "answers": answers, "answer": reply.text},
            tag=Tag(item=about.item, role=JUDGE, sample=transcript.sample),
            key=key,
            asks=CaseLabels(task=JUDGED, sample=transcript.sample),
        )
        ruled = await rule(bench, self._rubric, case)
        verdict = verdict_of(ruled, due, transcript.sample, len(reply.text.split()), gold=CORRECT)
        return Grading((verdict,), ruled.events)

    def scoring(self, setting: Setting) -> Scoring[VerdictSource]:
        """The metrics of the card, with people's own where the data are at hand."""
        measures = {**MEASURES, **self.measures, **_people(partial(self._agreements, setting)), **self.brought(setting)}
        return Scoring(self.card, measures, VerdictSource, self.also)

    def _agreements(self, setting: Setting) -> Mapping[str, PeoplesAgreement]:
        """People's own figures by unit; none without data."""
        if setting.data is None:
            return {}
        return _agreements_of(self, setting)


def _agreements_of(benchmark: ShortAnswerBenchmark, setting: Setting) -> Mapping[str, PeoplesAgreement]:
    found = ((item.about.unit, leave_one_out(item)) for item in benchmark.read(setting) if item.answered)
    return {unit: agreement for unit, agreement in found if agreement is not None}


def _verdicts(
    item: ShortAnswerItem, reply: ReplyEvent, sample: int, owed: tuple[ExpectedVerdict, ...]
) -> Iterator[Graded]:
    """Verdicts on the words of an answer, one for each that is owed, and on the script that was thought in."""
    text = reply.text
    found = match_answer(text, item.accepted, item.read_in) if item.answered else None
    votes = 0 if found is None else item.accepted[found.index].votes
    points = {
        MATCH: float(found is not None),
        WHOLE: float(found is not None and found.whole),
        VOTES: min(1.0, votes / item.annotators),
        TOP: votes / item.top if votes else 0.0,
        UNKNOWN: float(says_unknown(text, item.language)) if not item.answered else 0.0,
    }
    for due in owed:
        if due.task == LANGUAGE:
            yield _script(item, text, LANGUAGE, sample)
        else:
            why = _source_of(item, found.index) if found is not None and due.task == MATCH else ""
            yield Graded(about=due.about, sample=sample, task=due.task, points=points[due.task], reason=why)

    if item.has_script and reply.reasoning.strip():
        yield _script(item, reply.reasoning, THINKING, sample)


def _script(item: ShortAnswerItem, text: str, task: str, sample: int) -> Graded:
    """The script of a text: that of the language asked in, another, or none."""
    found = is_in_script_of(text, item.language)
    label = SCRIPT_LABELS[found]
    return Graded(about=item.about, sample=sample, task=task, points=float(found is True), label=label)


def _source_of(item: ShortAnswerItem, index: int) -> str:
    """The answer of people's that was found, and how many gave it."""
    found = item.accepted[index]
    text = found.first(language_of(item.language).subtag)
    return f"{found.votes} of {item.annotators} people: {text}" if item.annotators > 1 else f"people: {text}"


def _with_agreement(read: tuple[Graded, ...], judged: Grading) -> Iterator[Verdict]:
    """A judge's verdict, and beside it whether it says what the words say."""
    matched = next((verdict.points for verdict in read if verdict.task == MATCH), None)
    for verdict in judged.verdicts:
        yield verdict
        if isinstance(verdict, Graded) and matched is not None:
            same = float(verdict.points == matched)
            yield Graded(about=verdict.about, sample=verdict.sample, task=AGREES, points=same)


def _where_any(task: str, why: str, points: Points | None = None) -> MetricDefinition[VerdictSource]:
    """A metric of a task on which there need be no verdicts; `why` is the code of the reason for none."""
    plain = VerdictMetric(task=task, points=points)

    def rows(source: VerdictSource) -> MetricRows | Missing | None:
        if not len(source.table.frame(task).item):
            return Missing(code=why, n=source.units.size)
        return plain.rows(source)

    return MetricDefinition(rows, tasks=(task,), compared=False)


MEASURES: dict[str, MetricDefinition[VerdictSource]] = {
    "accuracy": VerdictMetric(task=MATCH).measure,
    "accuracy_whole": VerdictMetric(task=WHOLE).measure,
    "votes": VerdictMetric(task=VOTES).measure,
    "votes_of_top": VerdictMetric(task=TOP, derived=True).measure,
    "other_script": VerdictMetric(task=LANGUAGE, points=other_script).measure,
    "says_unknown": VerdictMetric(task=UNKNOWN).measure,
    "thinking_other_script": _where_any(THINKING, "no_thinking", other_script),
    "judged": _where_any(JUDGED, "no_judge"),
    "judge_agrees": _where_any(AGREES, "no_judge"),
    "format_error": fault_metric(MATCH, "format_error"),
    "refusal": fault_metric(MATCH, "refusal"),
}
"""Metrics of short answers by their names on a card."""
PEOPLE, PEOPLE_VOTES, LESS_PEOPLE = "people", "people_votes", "less_people"


def _accuracy_by_unit(source: VerdictSource) -> Floats:
    """The share of a unit's samples that are right; NaN where none is graded."""
    frame = source.table.frame(MATCH)
    points = right_of(source.units, frame, frame.points)
    graded = np.isfinite(points)
    sums = np.where(graded, points, 0.0).sum(axis=1)
    return np.where(graded.any(axis=1), sums / np.maximum(graded.sum(axis=1), 1), np.nan)


def _people(
    agreements: Callable[[], Mapping[str, PeoplesAgreement]],
) -> dict[str, MetricDefinition[VerdictSource]]:
    """People's own figures on the questions that a run asked, and a model's accuracy less theirs."""

    def rows(source: VerdictSource, of: Callable[[PeoplesAgreement], float], less: bool) -> MetricRows | None:
        names = source.keys.unit.take(source.units.first).texts()
        found = agreements()
        kept = np.flatnonzero([name in found for name in names])
        if not kept.size:
            return None
        own = np.array([of(found[names[at]]) for at in kept.tolist()])
        keys = source.keys.take(source.units.first[kept], np.zeros(len(kept), dtype=np.int64))
        mean = _accuracy_by_unit(source)[kept]
        if less:
            return MetricRows.within(-1.0, 1.0, keys=keys, value=mean - own)
        # On the same questions: those that the model was graded on.
        return MetricRows.within(0.0, 1.0, keys=keys, value=np.where(np.isnan(mean), np.nan, own))

    def metric(of: Callable[[PeoplesAgreement], float], less: bool = False) -> MetricDefinition[VerdictSource]:
        return MetricDefinition(lambda source: rows(source, of, less), compared=False)

    return {
        PEOPLE: metric(lambda found: found.accuracy),
        PEOPLE_VOTES: metric(lambda found: found.share),
        LESS_PEOPLE: metric(lambda found: found.accuracy, less=True),
    }
