"""A benchmark of talks under pressure: its cards and prompts, its judgements, and the dial of pressure."""

from collections.abc import Mapping
from dataclasses import dataclass

from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, SectionReference, Setting
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.dialogues.dialogue import ANTAGONIST, DialogueItem, play
from mores.benchmarks.shapes.dialogues.judging import Judgement, judge, judged, tasks_of
from mores.benchmarks.shapes.dialogues.metrics import DialogueFigure
from mores.benchmarks.shapes.judge_panel import JUDGE, judging_of
from mores.benchmarks.shapes.pressure import levels_of
from mores.benchmarks.shapes.question import SUBJECT, limited, of_subject, with_cut
from mores.benchmarks.shapes.scoring import VerdictSource
from mores.benchmarks.shapes.verdict_metrics import VerdictMetric
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.transcript import Transcript
from mores.models.budget import DEFAULT_ANSWER_TOKENS
from mores.models.cast import Cast
from mores.models.recorded import stored_talks
from mores.worlds.dialogue import DialogueLimits

LIMIT, MOST_ROUNDS = 20, 200
"""Rounds of a talk, at most (SocialCC, Table 6A; enforced here, in the released code only asked for)."""
ROUND_LIMIT = "rounds"
"""The option that sets another limit."""


def rounds_of(setting: Setting) -> int:
    """Rounds of a talk at most, as a run chose.

    Raises:
        InputError: it is no number from 1 to 200.
    """
    told = setting.protocol.settings.get(ROUND_LIMIT, str(LIMIT))
    if not told.isdecimal() or not 1 <= int(told) <= MOST_ROUNDS:
        raise InputError(f"--set {ROUND_LIMIT}={told}: expected a number of rounds from 1 to {MOST_ROUNDS}.")
    return int(told)


def stored_of(setting: Setting) -> Mapping[str, int]:
    """The rounds of each talk that was held elsewhere, by item: those of which one recording has both sides."""
    subject = setting.roles.get(SUBJECT, "")
    return stored_talks(subject) if subject == setting.roles.get(ANTAGONIST) else {}


@dataclass(frozen=True, kw_only=True)
class DialogueBenchmark(BaseShape[DialogueItem]):
    """A benchmark of talks: both minds' prompts, what judges decide, the figures.

    The subject's prompts are those of all protocols; the reader chooses. `harmless` is what judges decide of talks in
    which nothing goes against a norm. What they decide has a metric of its name, of which `figures` say more where it
    is not the mean of their points.

    Raises:
        InputError: what they decide has no metric on the card, or a metric has neither a judgement nor a figure.
    """

    antagonists: tuple[Prompt, ...]
    subjects: tuple[Prompt, ...]
    judgements: tuple[Judgement, ...]
    figures: Mapping[str, VerdictMetric]
    harmless: tuple[Judgement, ...] = ()
    sections: tuple[SectionReference, ...] = ("mores.benchmarks.shapes.dialogues.analysis:DIALOGUES_ANALYSIS",)

    def __post_init__(self) -> None:
        listed, decided = {metric.name for metric in self.card.metrics}, judged(self.judgements)
        if lost := sorted({*decided} - listed):
            raise InputError(f"{self.card.name}: judges decide {lost}; expected metrics of these names on the card.")
        if lost := sorted(listed - {*decided, *self.figures}):
            raise InputError(f"{self.card.name}: the card has {lost}; expected a judgement or a figure of each name.")

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """What both minds and the judges are told."""
        asked = (*self.judgements, *self.harmless)
        judges = {p.sha: p for each in asked for rubric in each.rubrics for p in rubric.prompts}
        return (*self.antagonists, *self.subjects, *judges.values())

    @property
    def tasks(self) -> tuple[str, ...]:
        """What judges decide, and what a talk shows by itself."""
        return tasks_of(self.judgements)

    def due(self, item: DialogueItem) -> tuple[ExpectedVerdict, ...]:
        """One verdict a task, each where it counts."""
        golds = {task: each.gold(task) for each in self._decided(item) for task in (*each.facts, each.task)}
        return tuple(
            ExpectedVerdict(task, item.about_of(task), golds.get(task)) for task in tasks_of(self._decided(item))
        )

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """How hard the antagonist pushes or that talks were held elsewhere, and what the family has to say."""
        talks = stored_of(setting)
        if talks:
            limit = rounds_of(setting)
            long = sum(rounds > limit for rounds in talks.values())
            told = f"Talks held elsewhere are judged as they stand; {long} of {len(talks)} have over {limit} rounds."
        else:
            told = f"Pressure of the antagonist: {', '.join(level.name for level in levels_of(setting))}."
        return (told, *self.tell(setting))

    def _decided(self, item: DialogueItem) -> tuple[Judgement, ...]:
        """What judges decide of one talk."""
        return self.harmless if item.harmless else self.judgements

    def outline(self, item: DialogueItem, setting: Setting) -> dict[str, CallEstimate]:
        """The calls of a talk that takes the whole limit, each with the talk so far, and those of its judges, twice."""
        limit = limited(setting.protocol).max_tokens or DEFAULT_ANSWER_TOKENS
        judging, rounds = judging_of(setting), rounds_of(setting)
        own, other = len(item.render()), len(item.antagonist.prompt.render(**item.antagonist.words))
        talk = rounds * (rounds + 1) * limit
        thinking = of_subject(setting.protocol).thinking_room
        calls = 2 * judging.runs * len(self._decided(item))
        said = 2 * rounds * limit + other // 2
        out = judging.sampling.max_tokens or DEFAULT_ANSWER_TOKENS
        return {
            SUBJECT: CallEstimate(rounds, rounds * own // 4 + talk, rounds * (limit + thinking), rounds),
            ANTAGONIST: CallEstimate(rounds, rounds * other // 4 + talk, rounds * limit, rounds),
            JUDGE: CallEstimate(calls, calls * said, calls * out),
        }

    async def play(self, item: DialogueItem, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """The talk, or one that was held elsewhere as it stands."""
        stored = item.about.item in stored_of(setting)
        return await play(item, sample, cast, setting, DialogueLimits(rounds=rounds_of(setting), stored=stored))

    async def judge(self, item: DialogueItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """All judgements, as soon as the talk has ended."""
        return with_cut(await judge(item, transcript, self._decided(item), cast, setting), transcript)

    def scoring(self, setting: Setting) -> Scoring[VerdictSource]:
        """The metrics of the card."""
        _ = setting
        figures = {**{task: DialogueFigure(task=task) for task in judged(self.judgements)}, **self.figures}
        return Scoring(self.card, {name: figure.measure for name, figure in figures.items()}, VerdictSource, self.also)
