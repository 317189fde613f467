"""The hard form: an open answer, held against the three norms of its question; and `informed`, which has a form each.

A verifier is told the background that the data gives with an open question, or the question itself where it gives none.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks.benchmark import Benchmark, CallEstimate, ExpectedVerdict, Grading, SectionReference, Setting
from mores.benchmarks.controls import WITHOUT_PLACE, ControlSpec
from mores.benchmarks.cultureforest.data import ForestQuestion, find_files, hash_files, read_forest
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem
from mores.benchmarks.shapes.norm_scores import NormSource
from mores.benchmarks.shapes.open_answer import NEUTRAL, SATISFIED, VIOLATED, HeldNorm, NormedBenchmark, NormedItem
from mores.benchmarks.shapes.question import SUBJECT
from mores.benchmarks.shapes.scoring import VerdictSource
from mores.core.card import Card, Control, Protocol
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import Transcript
from mores.judges.verifier import NormPrompts
from mores.models.cast import Cast

HERE = Path(__file__).parent
HARD = "hard"
LEVEL = "level"
_AT_HARD = "At the hard level accuracy is the share of norms kept to, as judged, and guessing gets nothing."


def hard(card: Card, file: str, words: ReadPrompt) -> NormedBenchmark:
    """Open questions, put in the words of a prompt: with the norms told where it has slots for them."""
    prompt = words(HERE / file)

    def read(setting: Setting) -> Sequence[NormedItem]:
        questions = read_forest(find_files(setting.data, card.name)).questions
        return [_item(question, prompt) for question in questions]

    return NormedBenchmark(
        card=card,
        prompt=prompt,
        norm_prompts=NormPrompts.read(words),
        read=read,
        trace=lambda setting: hash_files(find_files(setting.data, card.name)),
        controls=WITHOUT_PLACE,
        ids=lambda item: {"uuid": item.about.unit},
    )


def _item(question: ForestQuestion, prompt: Prompt) -> NormedItem:
    about = question.about(f"{question.id}-{HARD}")
    norm_slots = {f"norm_{number}": norm.statement for number, norm in enumerate(question.norms, start=1)}
    words = {"question": question.open, **norm_slots}
    return NormedItem(
        about=about,
        prompt=prompt,
        words={slot: words[slot] for slot in prompt.slots},
        place_name=question.country,
        question=question.background or question.open,
        norms=tuple(
            HeldNorm(
                about=replace(
                    about,
                    unit=f"{question.id}/{norm.id}",
                    part=norm.id,
                    groups={**about.groups, "strictness": norm.strictness},
                ),
                statement=norm.statement,
                ways=_ways(norm.statement),
                knowledge=norm.id,
            )
            for norm in question.norms
        ),
        line=question.line,
    )


def _ways(statement: str) -> Mapping[str, str]:
    """Words of a simulated subject on a norm."""
    return {
        SATISFIED: f"I would keep to this: {statement}",
        NEUTRAL: "I would first see to the time, the way there and the cost.",
        VIOLATED: f"I would not keep to what follows: {statement}",
    }


class Informed(Struct, frozen=True, kw_only=True):
    """Questions with their norms in the prompt, in the form that the option `level` names; one form a run."""

    closed: ClosedBenchmark
    open: NormedBenchmark

    @property
    def card(self) -> Card:
        """One card for all forms; what the hard one counts besides, `cultureforest/hard` says."""
        return self.closed.card

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Those of all forms."""
        return (*self.closed.prompts, *self.open.prompts)

    def prompts_of(self, setting: Setting) -> tuple[Prompt, ...]:  # noqa: ARG002 - as a benchmark has it
        """Those of all forms, whatever the setting."""
        return self.prompts

    @property
    def tasks(self) -> tuple[str, ...]:
        """Those of the card's own level."""
        return self._at(self.card.protocol).tasks

    def due(self, item: ClosedItem | NormedItem) -> tuple[ExpectedVerdict, ...]:
        """The verdicts that an item of its form gets."""
        return self._asking(item).due(item)

    @property
    def affirmative(self) -> bool:
        """True if the closed forms have a yes."""
        return self.closed.affirmative

    def roles(self, protocol: Protocol) -> tuple[str, ...]:
        """The subject, and a judge at the hard level."""
        return (SUBJECT, "judge") if protocol.settings[LEVEL] == HARD else (SUBJECT,)

    @property
    def controls(self) -> Mapping[Control, ControlSpec]:
        """Those of all forms, which are one."""
        return self.closed.controls

    @property
    def sections(self) -> tuple[SectionReference, ...]:
        """Those of the family, which look at both forms."""
        return self.closed.sections

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """The level, and what its form has to say."""
        level = setting.protocol.settings[LEVEL]
        asked = f"Asked at the {level} level, with the norms in the prompt."
        own = (_AT_HARD,) if level == HARD else ()
        return (asked, *own, *self._at(setting.protocol).remarks(setting))

    def sources(self, setting: Setting) -> dict[str, str]:
        """Sources of the items."""
        return self._at(setting.protocol).sources(setting)

    def outline(self, item: ClosedItem | NormedItem, setting: Setting) -> dict[str, CallEstimate]:
        """Calls that one play needs."""
        return self._asking(item).outline(item, setting)

    def items(self, setting: Setting) -> Sequence[ClosedItem] | Sequence[NormedItem]:
        """All items at the run's level."""
        return self._at(setting.protocol).items(setting)

    async def play(self, item: ClosedItem | NormedItem, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """The question and the answer."""
        return await self._asking(item).play(item, sample, cast, setting)

    async def judge(
        self, item: ClosedItem | NormedItem, transcript: Transcript, cast: Cast, setting: Setting
    ) -> Grading:
        """Verdicts by the item's form."""
        return await self._asking(item).judge(item, transcript, cast, setting)

    def scoring(self, setting: Setting) -> Scoring[VerdictSource] | Scoring[NormSource]:
        """The metrics of the run's level."""
        return self._at(setting.protocol).scoring(setting)

    def data_ids(self, item: ClosedItem | NormedItem) -> Mapping[str, str]:
        """Names of an item in the data."""
        return {"uuid": item.about.unit}

    def _asking(self, item: ClosedItem | NormedItem) -> Benchmark:
        return self.closed if isinstance(item, ClosedItem) else self.open

    def _at(self, protocol: Protocol) -> ClosedBenchmark | NormedBenchmark:
        return self.open if protocol.settings[LEVEL] == HARD else self.closed
