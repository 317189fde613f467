"""An open answer held against norms that it was not told of: each is kept to, left open or broken.

answer ─▶ for each norm the probability of satisfied, neutral and violated ─▶ a verdict a norm. The norms are judged
apart, so that no norm colours the verdict on another.
"""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, SectionReference, Setting
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.judge_panel import (
    JUDGE,
    JudgePanel,
    bench_of,
    failed_verdict,
    fault_verdict,
    judging_of,
    unusable,
    why_unusable,
)
from mores.benchmarks.shapes.norm_scores import MEASURES, NORM, NormSource
from mores.benchmarks.shapes.question import (
    SUBJECT,
    OpenQuestion,
    answer_of,
    answer_placeholder,
    effort_of,
    of_subject,
    with_cut,
)
from mores.core.prompt import Prompt
from mores.core.transcript import FailureEvent, ItemMetadata, ReplyEvent, Transcript
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.judges.judge import Unjudged
from mores.judges.rubric import CaseLabels
from mores.judges.verifier import (
    LABELS,
    AnswerNormPair,
    LabelProbabilities,
    NormPrompts,
    score_by_labels,
    score_by_votes,
)
from mores.models.cast import Cast, all_of
from mores.models.registry import gives_labels
from mores.models.request import PART_SEPARATOR, AnswerKey, Tag

SATISFIED, NEUTRAL, VIOLATED = LABELS


class HeldNorm(Struct, frozen=True, kw_only=True):
    """A norm that an answer is held against, what it counts towards, and how one keeps, leaves open or breaks it.

    `courteous` is which of these plain courtesy does, unset where nobody says.
    """

    about: ItemMetadata
    statement: str
    ways: Mapping[str, str]
    knowledge: str | None = None
    courteous: tuple[str, ...] | UnsetType = UNSET


class NormedItem(OpenQuestion, frozen=True, kw_only=True):
    """An open question with the norms that come up in it; `question` is what judges are told of it."""

    place_name: str
    question: str
    norms: tuple[HeldNorm, ...]

    def key(self) -> AnswerKey:
        """Answer key for simulated and baseline models alone: each norm is known or not on its own."""
        parts = tuple(
            AnswerKey(
                unit=norm.knowledge or norm.about.unit,
                truth=SATISFIED,
                ways=dict(norm.ways),
                place=norm.about.place,
                rung="apply",
                control=self.control,
                courteous=norm.courteous,
            )
            for norm in self.norms
        )
        whole = self.about
        return AnswerKey(unit=whole.unit, truth="", ways={}, place=whole.place, rung="apply", parts=parts)


def by_labels(setting: Setting) -> bool:
    """True where verdicts are probabilities of labels, False where they are counted from repeated words.

    By default a verifier, recorded or not, and a simulated judge give probabilities, any other judge repeated words.
    """
    chosen = setting.protocol.settings.get("verdicts", "auto")
    if chosen != "auto":
        return chosen == "logprobs"
    judges = [spec for role, spec in setting.roles.items() if role.startswith(JUDGE)]
    return all(map(gives_labels, judges))


class NormedBenchmark(BaseShape[NormedItem], frozen=True, kw_only=True):
    """A benchmark of open questions held against norms, with its prompts; `parts` are those in other languages."""

    prompt: Prompt
    norm_prompts: NormPrompts
    parts: tuple[Prompt, ...] = ()
    sections: tuple[SectionReference, ...] = ("mores.benchmarks.shapes.adherence.analysis:OPEN_ANSWERS_ANALYSIS",)

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Prompts of subject and judges."""
        return (self.prompt, *self.parts, *self.norm_prompts.all)

    @property
    def tasks(self) -> tuple[str, ...]:
        """One task: how the answer stands to a norm."""
        return (NORM,)

    def due(self, item: NormedItem) -> tuple[ExpectedVerdict, ...]:
        """One verdict a norm."""
        return tuple(ExpectedVerdict(NORM, norm.about) for norm in item.norms)

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """Method of the verdicts, and remarks of the family."""
        runs = judging_of(setting).runs
        how = (
            "Verdicts are probabilities of the three labels."
            if by_labels(setting)
            else f"Hard-label: each verdict is counted from {runs} in words; it does not compare with probabilities."
        )
        return (how, *self.tell(setting))

    def outline(self, item: NormedItem, setting: Setting) -> dict[str, CallEstimate]:
        """One call to the subject, and for each norm those to a judge, again for the form's sake."""
        asked, judging = of_subject(setting.protocol), judging_of(setting)
        words = "".join(p.body for p in self.norm_prompts.all) + item.question + answer_placeholder(asked)
        calls = len(item.norms) * (1 if by_labels(setting) else 2 * judging.runs)
        return {SUBJECT: effort_of(item.render(), asked), JUDGE: effort_of(words, judging.sampling, calls)}

    async def judge(self, item: NormedItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """Each norm by calls of its own; nobody is asked about an answer that cannot be used."""
        reply = answer_of(transcript)
        if isinstance(reply, FailureEvent):
            return Grading(tuple(failed_verdict(reply, due, transcript.sample) for due in self.due(item)))
        fault = unusable(reply)
        if fault is not None:
            why = why_unusable(reply)
            # No usable words leave every norm open, as scores count them too.
            silent = (fault_verdict(fault, due, transcript.sample, reason=why) for due in self.due(item))
            return with_cut(Grading(tuple(replace(verdict, label=NEUTRAL) for verdict in silent)), transcript)
        bench, soft = bench_of(cast, setting), by_labels(setting)
        pairs = [self._pair(item, number, reply, transcript.sample) for number in range(len(item.norms))]
        scored = await all_of(*(_scored(pair, bench, soft=soft) for pair in pairs))
        words = len(reply.text.split())
        verdicts = tuple(
            _verdict(found, norm, transcript.sample, words) for found, norm in zip(scored, item.norms, strict=True)
        )
        return with_cut(Grading(verdicts, tuple(event for found in scored for event in found.events)), transcript)

    def _pair(self, item: NormedItem, number: int, reply: ReplyEvent, sample: int) -> AnswerNormPair:
        """An answer beside one of its norms; each norm's calls have steps of their own."""
        norm = item.norms[number]
        return AnswerNormPair(
            place=item.place_name,
            question=item.question,
            norm=norm.statement,
            answer=reply.text,
            tag=Tag(item=item.about.item, role=JUDGE, step=2 * number, sample=sample),
            planted=_planted(reply.planted, number),
            unit=norm.about.unit,
            where=norm.about.place,
            prompts=self.norm_prompts,
            asks=CaseLabels(task=NORM, sample=sample, norm=norm.about.part),
        )

    def scoring(self, setting: Setting) -> Scoring[NormSource]:
        """The metrics of the card."""
        return Scoring(self.card, {**MEASURES, **self.measures, **self.brought(setting)}, NormSource, self.also)


def _planted(whole: str | None, number: int) -> str | None:
    """Planted state of one norm; a slip of the whole answer leaves every norm open."""
    if whole is None:
        return None
    parts = whole.split(PART_SEPARATOR)
    return parts[number] if number < len(parts) and parts[number] in LABELS else NEUTRAL


async def _scored(pair: AnswerNormPair, bench: JudgePanel, *, soft: bool) -> LabelProbabilities | Unjudged:
    if soft:
        return await score_by_labels(pair, jury=bench.jury, cast=bench.cast, seed=bench.seed)
    return await score_by_votes(
        pair, jury=bench.jury, cast=bench.cast, sampling=bench.judging.sampling, seed=bench.seed
    )


def _verdict(found: LabelProbabilities | Unjudged, norm: HeldNorm, sample: int, words: int) -> Verdict:
    if isinstance(found, Unjudged):
        return Ungraded(about=norm.about, sample=sample, task=NORM, cause=f"judge: {found.cause}", raw=found.raw)
    ballot = VoteSummary(votes=found.votes, asked=found.asked, words=words, label_probs=found.shares, hard=found.hard)
    likeliest = max(LABELS, key=lambda label: found.shares[label])
    return Graded(
        about=norm.about, sample=sample, task=NORM, points=found.shares[SATISFIED], label=likeliest,
        reason=found.reason, ballot=ballot,
    )  # fmt: skip
