"""A benchmark of talks under pressure: its cards and prompts, its judgements, and the dial of pressure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import field
from msgspec.structs import replace

from mores.analysis.aggregate import describe_dialogues
from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, ItemView, SectionReference, Setting
from mores.benchmarks.scoring import MetricDefinition, Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.dialogues.dialogue import ANTAGONIST, DialogueItem, play
from mores.benchmarks.shapes.dialogues.judging import Judgement, as_released, judge, judged, scores_are_read, tasks_of
from mores.benchmarks.shapes.judge_panel import JUDGE, judging_of
from mores.benchmarks.shapes.pressure import levels_of
from mores.benchmarks.shapes.question import SUBJECT, limited, of_subject, with_cut
from mores.benchmarks.shapes.scoring import Points, VerdictMetric, VerdictSource, labelled
from mores.core.arrays import Codes, Floats, Mask
from mores.core.errors import InputError
from mores.core.estimate import CategoricalColumn, RowKeys
from mores.core.prompt import Prompt
from mores.core.transcript import Transcript
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.models.budget import DEFAULT_ANSWER_TOKENS
from mores.models.cast import Cast
from mores.models.recorded import stored_talks
from mores.worlds.dialogue import DialogueLimits

SCENE = "scene"
"""Kind of group that tells which dialogues are on one scene, under several levels of pressure."""


class DialogueFigure(VerdictMetric, frozen=True, kw_only=True):
    """A figure of which each dialogue is a unit, also where several are on one scene.

    Where `among` is set, only the verdicts count whose
    fellow on that task, of the same dialogue, is worth 0 by its own points.
    """

    among: str | None = None

    def counted(self, table: VerdictTable) -> VerdictColumns:
        """The verdicts that count."""
        frame = super().counted(table)
        return frame if self.among is None else frame.take(_among(table, self.among, frame))

    def keys(self, table: VerdictTable, things: Codes) -> RowKeys:
        """The keys of some dialogues; which scene each is of stays known."""
        keys = table.keys.only(things)
        if len(keys.unit.names) == len(keys.item.names):
            return keys
        names = [f"{unit}@{item}" for unit, item in zip(keys.unit.texts(), keys.item.texts(), strict=True)]
        return replace(keys, unit=CategoricalColumn.of(names), groups={**keys.groups, SCENE: keys.unit})


def label_values(values: dict[str, float]) -> Points:
    """Points of each label."""

    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        found = np.full(len(frame.points), np.nan)
        for label, value in values.items():
            found[np.isfinite(frame.points) & (frame.label == table.code(label))] = value
        return found

    return points


def flagged(flag: str) -> Points:
    """1 where a flag is among those of the verdict's label."""

    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        codes = [code for code, word in enumerate(table.words) if flag in word.split("|")]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points


def _among(table: VerdictTable, task: str, frame: VerdictColumns) -> Mask:
    """Mask of verdicts of dialogues whose verdict on another task is worth nothing."""
    other, item = table.frame(task), table.keys.item.codes
    samples = 1 + max(int(each.sample.max(initial=0)) for each in (frame, other))
    lost, dialogue = (item[each.item] * samples + each.sample for each in (other.take(other.points == 0), frame))
    return np.isin(dialogue, lost)


FIGURES: dict[str, VerdictMetric] = {
    "behaviour": DialogueFigure(task="behaviour", top=3.0),
    "aware_unknowing": DialogueFigure(task="awareness", among="commonsense", derived=True),
    "rounds": DialogueFigure(task="rounds", top=20.0, aggregate=describe_dialogues),
    "closed": DialogueFigure(task="rounds", points=labelled("closing words"), derived=True),
    "flagged": DialogueFigure(task="flagged"),
    "format_error": DialogueFigure(task="flagged", points=flagged("empty")),
    "refusal": DialogueFigure(task="flagged", points=flagged("refusal")),
    "antagonist_flagged": DialogueFigure(task="antagonist_flagged"),
}
"""What every benchmark of dialogues may count beside what its judges decide."""


LIMIT, MOST_ROUNDS = 20, 200
"""Rounds of a talk, at most (SocialCC, Table 6A; enforced here, in the released code only asked for)."""
ROUND_LIMIT = "rounds"
"""The option that sets another limit."""


def rounds_of(setting: Setting) -> int:
    """Rounds of a talk at most, as a run chose.

    Raises:
        InputError: it is no number from 1 to 200.
    """
    limit = setting.protocol.settings.get(ROUND_LIMIT, str(LIMIT))
    if not limit.isdecimal() or not 1 <= int(limit) <= MOST_ROUNDS:
        raise InputError(f"--set {ROUND_LIMIT}={limit}: expected a number of rounds from 1 to {MOST_ROUNDS}.")
    return int(limit)


def stored_of(setting: Setting) -> Mapping[str, int]:
    """The rounds of each talk that was held elsewhere, by item: those of which one recording has both sides."""
    subject = setting.roles.get(SUBJECT, "")
    return stored_talks(subject) if subject == setting.roles.get(ANTAGONIST) else {}


class DialogueBenchmark(BaseShape[DialogueItem], frozen=True, kw_only=True):
    """A benchmark of talks: both minds' prompts, what judges decide, the figures.

    The subject's prompts are those of all protocols; the reader chooses. `harmless` is what judges decide of talks in
    which nothing goes against a norm. What they decide has a metric of its name, of which `figures` say more where it
    is not the mean of their points. `released` are figures on the scales of the released code, of runs that follow it.

    Raises:
        InputError: what they decide has no metric on the card, or a metric has neither a judgement nor a figure.
    """

    antagonists: tuple[Prompt, ...]
    subjects: tuple[Prompt, ...]
    judgements: tuple[Judgement, ...]
    figures: Mapping[str, VerdictMetric]
    released: Mapping[str, VerdictMetric] = field(default_factory=dict)
    harmless: tuple[Judgement, ...] = ()
    item_view: ItemView | None = None
    sections: tuple[SectionReference, ...] = ("mores.benchmarks.shapes.dialogues.analysis:DIALOGUES_ANALYSIS",)

    def __post_init__(self) -> None:
        listed, decided = {metric.name for metric in self.card.metrics}, judged(self.judgements)
        if lost := sorted({*decided} - listed):
            raise InputError(f"{self.card.name}: judges decide {lost}; expected metrics of these names on the card.")
        if lost := sorted(listed - {*decided, *self.figures, *self.released}):
            raise InputError(f"{self.card.name}: the card has {lost}; expected a judgement or a figure of each name.")

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Prompts of both speakers and of the judges."""
        asked = (*self.judgements, *self.harmless)
        judges = {p.sha: p for each in asked for rubric in each.rubrics for p in rubric.prompts}
        return (*self.antagonists, *self.subjects, *judges.values())

    @property
    def tasks(self) -> tuple[str, ...]:
        """Tasks that judges decide, and those that a talk shows by itself."""
        return tasks_of(self.judgements)

    def due(self, item: DialogueItem) -> tuple[ExpectedVerdict, ...]:
        """One verdict a task, each where it counts."""
        golds = {task: each.gold(task) for each in self._decided(item) for task in (*each.facts, each.task)}
        return tuple(
            ExpectedVerdict(task, item.about_of(task), golds.get(task)) for task in tasks_of(self._decided(item))
        )

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """Pressure of the antagonist or that talks were held elsewhere, and remarks of the family."""
        talks = stored_of(setting)
        if talks:
            limit = rounds_of(setting)
            long = sum(rounds > limit for rounds in talks.values())
            remark = f"Talks held elsewhere are judged as they stand; {long} of {len(talks)} have over {limit} rounds."
        else:
            remark = f"Pressure of the antagonist: {', '.join(level.name for level in levels_of(setting))}."
        return (remark, *self.tell(setting))

    def _decided(self, item: DialogueItem) -> tuple[Judgement, ...]:
        """Judgements of one talk."""
        return self.harmless if item.harmless else self.judgements

    def outline(self, item: DialogueItem, setting: Setting) -> dict[str, CallEstimate]:
        """The calls of a talk that takes the whole limit, each with the talk so far, and those of its judges, twice."""
        limit = limited(setting.protocol).max_tokens or DEFAULT_ANSWER_TOKENS
        judging, rounds = judging_of(setting), rounds_of(setting)
        own, other = len(item.render()), len(item.antagonist.prompt.render(**item.antagonist.words))
        # Each turn reads all before it: two for each of 1 + 2 + … + rounds.
        talk = rounds * (rounds + 1) * limit
        thinking = of_subject(setting.protocol).thinking_room
        calls = 2 * judging.runs * len(self._decided(item))
        talk_tokens = 2 * rounds * limit + other // 2
        out = judging.sampling.max_tokens or DEFAULT_ANSWER_TOKENS
        return {
            SUBJECT: CallEstimate(rounds, rounds * own // 4 + talk, rounds * (limit + thinking), rounds),
            ANTAGONIST: CallEstimate(rounds, rounds * other // 4 + talk, rounds * limit, rounds),
            JUDGE: CallEstimate(calls, calls * talk_tokens, calls * out),
        }

    async def play(self, item: DialogueItem, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """The talk, or one that was held elsewhere as it stands."""
        stored = item.about.item in stored_of(setting)
        return await play(item, sample, cast, setting, DialogueLimits(rounds=rounds_of(setting), stored=stored))

    async def judge(self, item: DialogueItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """All judgements, as soon as the talk has ended."""
        return with_cut(await judge(item, transcript, self._decided(item), cast, setting), transcript)

    def scoring(self, setting: Setting) -> Scoring[VerdictSource]:
        """The metrics of the card; those of the released code have no figure in other runs."""
        figures = {**{task: DialogueFigure(task=task) for task in judged(self.judgements)}, **self.figures}
        measures = {name: figure.measure for name, figure in (figures | {**self.released}).items()}
        if not (as_released(setting) or scores_are_read(setting)):
            measures |= dict.fromkeys(self.released, MetricDefinition(lambda _: None))
        return Scoring(self.card, measures, VerdictSource, self.also)
