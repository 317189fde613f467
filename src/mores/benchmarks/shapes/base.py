"""Base of all shapes of a benchmark: a card, a reader of the data, and what a family adds of its own."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from mores.benchmarks.benchmark import ExpectedVerdict, RestsOn, SectionReference, Setting
from mores.benchmarks.controls import ControlSpec
from mores.benchmarks.data_tables import find_table, hash_table
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.question import SUBJECT, ask_question, of_subject
from mores.core import card as cards
from mores.core.errors import InputError
from mores.core.languages import ENGLISH
from mores.core.prompt import Prompt
from mores.core.transcript import Item, Transcript
from mores.models.cast import Cast

Trace = Callable[[Setting], dict[str, str]]
"""Where items come from, each with a hash."""
RemarksOf = Callable[[Setting], tuple[str, ...]]
"""What a reader of a run's figures must know of its data and settings, a sentence each."""


Measures = Mapping[str, MetricDefinition[Any]]
T = TypeVar("T", bound=Item)


class BaseShape(Struct, Generic[T], frozen=True, kw_only=True):
    """A card, a reader of the data, and what a family says beside them.

    `trace` says where items come from if not out of the card's file, and `tell` is what is remarked on a setting.
    `measures` are metrics that this family counts in a way of its own, `brought` those that a setting brings, such as
    people's answers, and `also` those for the family's own analyses. `controls` are how its items are asked without
    their place, or with another. `ids` are what the data call an item, by their column. `languages` are those in which
    a setting asks its items: prompts of others stay out of the record of its run.
    """

    card: cards.Card
    read: Callable[[Setting], Iterable[T]]
    trace: Trace | None = None
    tell: RemarksOf = field(default=lambda _: ())
    sections: tuple[SectionReference, ...] = ()
    rests_on: RestsOn = field(default=lambda _: {})
    measures: Measures = field(default_factory=dict)
    brought: Callable[[Setting], Measures] = field(default=lambda _: {})
    also: Measures = field(default_factory=dict)
    controls: Mapping[cards.Control, ControlSpec] = field(default_factory=dict)
    ids: Callable[[T], Mapping[str, str]] = field(default=lambda _: {})
    languages: Callable[[Setting], Collection[str]] | None = None

    def prompts_of(self, setting: Setting) -> tuple[Prompt, ...]:
        """Prompts that a run with this setting may put to models.

        Where items are asked in several languages, those of the languages that it asks in, and of judges.
        """
        if self.languages is None:
            return self.prompts
        spoken = self.languages(setting)
        judges_in = {ENGLISH, *spoken}
        return tuple(
            each
            for each in self.prompts
            if each.header.language in (spoken if each.header.role == SUBJECT else judges_in)
        )

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All words it puts to models."""
        raise NotImplementedError

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks on which each item gets verdicts."""
        raise NotImplementedError

    @property
    def affirmative(self) -> bool:
        """False: most questions have no answer that says yes."""
        return False

    def data_ids(self, item: T) -> Mapping[str, str]:
        """Names of an item in the data, by their column; nothing where they have no name for it."""
        return self.ids(item)

    def due(self, item: T) -> tuple[ExpectedVerdict, ...]:
        """A verdict a task, unless the shape says otherwise."""
        return tuple(ExpectedVerdict(task, item.about) for task in self.tasks)

    def roles(self, protocol: cards.Protocol) -> tuple[str, ...]:
        """Those of the card."""
        return protocol.roles

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """Remarks of the family."""
        return self.tell(setting)

    def sources(self, setting: Setting) -> dict[str, str]:
        """Sources of the items, each with a hash: the card's file, unless the family says otherwise."""
        if self.trace is not None:
            return self.trace(setting)
        return hash_table(find_table(setting.data, self.card.files, self.card.name))

    async def play(self, item: Any, sample: int, cast: Cast, setting: Setting) -> Transcript:
        """The question and the answer, unless the shape says otherwise."""
        return await ask_question(item, sample, cast, of_subject(setting.protocol))

    def items(self, setting: Setting) -> Sequence[T]:
        """All items, in the order of the data.

        Raises:
            InputError: the data is missing or malformed, or two items have one id.
        """
        return list(self._once(setting))

    def _once(self, setting: Setting) -> Iterator[T]:
        """The items of the data, each of which has an id of its own; some know the line where they stand."""
        lines: dict[str, int] = {}
        for item in self.read(setting):
            name, line = item.about.item, getattr(item, "line", 0)
            if name in lines:
                at = f", in lines {lines[name]} and {line}" if line else ""
                raise InputError(f"{setting.data or self.card.name}: id '{name}' stands twice{at}; expected once.")
            lines[name] = line
            yield item
