"""A benchmark is a play: items are the script, `play` performs one, `judge` grades it, `scoring` counts.

The four are separate and stored in between, so one can judge again without playing again, and score again
without judging again.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, runtime_checkable
from typing import Protocol as Interface

from msgspec import Struct, field

from mores.analysis.results import Results
from mores.benchmarks.scoring import Scoring
from mores.core.card import Card, Protocol
from mores.core.code_errors import raised_failures
from mores.core.estimate import Estimate
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.transcript import Item, ItemMetadata, Transcript, TranscriptEvent
from mores.core.verdict import Verdict
from mores.core.verdict_table import VerdictTable
from mores.models.cast import Cast
from mores.tables import Analysis
from mores.tables.blocks import Section


class Setting(Struct, frozen=True, kw_only=True):
    """Choices of a run: the data's path, the protocol as run, the seed, and the model of each role."""

    data: Path | None
    protocol: Protocol
    seed: Seed
    roles: Mapping[str, str] = field(default_factory=dict)


MakeSection = Callable[[Results], Section | None] | Analysis[Results]
SectionReference = MakeSection | str
"""An analysis of evaluations of the benchmarks that have it, or a section on them; None where there is nothing."""


RestsOn = Callable[[Mapping[str, str]], Mapping[str, str]]
"""Of data with these hashes, what units rest on, such as the page where a norm was looked up, by a unit's name."""


class CallEstimate(NamedTuple):
    """The calls of one role in one play, and all their tokens, guessed from the words and the limits.

    `waves` is how many of the calls, at most, wait for one another.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    waves: int = 1


class ExpectedVerdict(NamedTuple):
    """A verdict that is owed: on which task, what it counts towards, and the right label where the task has labels.

    Whatever keeps the verdict from being given, the gold label stands in it: figures of labels count by it.
    """

    task: str
    about: ItemMetadata
    gold: str | None = None


class Grading(NamedTuple):
    """Verdicts on one transcript, and what was said in coming to them: judges' turns, none where nobody was asked."""

    verdicts: tuple[Verdict, ...]
    events: tuple[TranscriptEvent, ...] = ()


class Benchmark(Interface):
    """A benchmark, as a run asks for it; `Any` stands for the family's own kind of item."""

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        ...

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All words it puts to models."""
        ...

    def prompts_of(self, setting: Setting) -> tuple[Prompt, ...]:
        """Those that a run with this setting may put to them."""
        ...

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks on which `judge` gives a verdict each."""
        ...

    def due(self, item: Any) -> tuple["ExpectedVerdict", ...]:
        """The verdicts that one transcript of an item gets: no more and no fewer come of `judge`, but see `Varying`."""
        ...

    @property
    def affirmative(self) -> bool:
        """True where every question has an answer that says yes."""
        ...

    def roles(self, protocol: Protocol) -> tuple[str, ...]:
        """Roles that take part, the subject first."""
        ...

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """Remarks on this run's data and settings that a reader of its figures needs, a sentence each."""
        ...

    def outline(self, item: Any, setting: Setting) -> dict[str, CallEstimate]:
        """Calls that one play of an item and its judging need, at most, by role (of one judge of a jury)."""
        ...

    def sources(self, setting: Setting) -> dict[str, str]:
        """Sources of the items, each with a hash: files, or a pack of norms."""
        ...

    def items(self, setting: Setting) -> Sequence[Item]:
        """All items, in the order of the data.

        Raises:
            InputError: a file is missing or malformed; the line says where.
        """
        ...

    async def play(self, item: Any, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """Transcript of the item put to the cast; a failed call is an event, not an error."""
        ...

    async def judge(self, item: Any, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """Verdicts on one transcript, one for each task and part."""
        ...

    def scoring(self, setting: Setting) -> Scoring[Any]:
        """Scoring of its verdicts."""
        ...

    @property
    def sections(self) -> tuple[SectionReference, ...]:
        """Analyses of its own for a report, beside those of every benchmark."""
        ...


@runtime_checkable
class TracesSources(Interface):
    """A benchmark that says what its items rest on; none has to."""

    @property
    def rests_on(self) -> RestsOn:
        """Sources in which the truth of an item was looked up, for its readers."""
        ...


class ItemView(NamedTuple):
    """The titles under which a benchmark shows its items, by key, and the row of one item under these keys.

    A title of a kind of group names that kind too.
    """

    titles: Mapping[str, str]
    row: Callable[[Any], Mapping[str, str | None]]


@runtime_checkable
class ShowsItems(Interface):
    """A benchmark that shows its items otherwise than by id, place and gold label; none has to."""

    @property
    def item_view(self) -> ItemView | None:
        """Titles and rows of its items; None for those of every benchmark."""
        ...


@runtime_checkable
class HasOptionOrder(Interface):
    """A benchmark that puts options in an order of its own; none has to."""

    @property
    def orders(self) -> int:
        """In how many orders its options can stand, the published one among them."""
        ...


@runtime_checkable
class Varying(Interface):
    """A benchmark with tasks on which a play alone decides how many verdicts there are; none has to have such."""

    @property
    def varying_tasks(self) -> tuple[str, ...]:
        """Those tasks: a verdict a step, or one where a setting asks for it."""
        ...


def summarise(benchmark: Benchmark, table: VerdictTable, setting: Setting) -> tuple[Estimate, ...]:
    """All figures of a benchmark's verdicts, the headline first; an error of the code that makes one is raised."""
    with raised_failures():
        scoring = benchmark.scoring(setting)
        return scoring.estimates(scoring.score(table), setting.seed)
