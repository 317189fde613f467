"""What all shapes of a benchmark have in common: a card, a reader of the data, and what a family adds of its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from mores.benchmarks.benchmark import Due, MakeSection, RestsOn, Setting
from mores.benchmarks.controls import Otherwise
from mores.benchmarks.scoring import Measure
from mores.benchmarks.tabular import find_table, hash_table
from mores.core import card as cards
from mores.core.errors import InputError
from mores.core.item import ItemMetadata

Trace = Callable[[Setting], dict[str, str]]
"""Where items come from, each with a hash."""
Remark = Callable[[Setting], tuple[str, ...]]
"""What a reader of a run's figures must know of its data and settings, a sentence each."""


class ReadItem(Protocol):
    """An item out of a file: what it counts towards, and the line where it stands."""

    @property
    def about(self) -> ItemMetadata:
        """What the item counts towards."""
        ...

    @property
    def line(self) -> int:
        """Where it stands in its file; 0 where that has no lines."""
        ...


T = TypeVar("T", bound=ReadItem)


@dataclass(frozen=True, kw_only=True)
class Shape(Generic[T]):
    """A card, and what a family says beside it.

    `trace` says where items come from if not out of the card's file, `tell` is what is remarked on a setting, and
    `also` are metrics for the family's own analyses. `controls` are how its items are asked without their
    place, or with another.
    """

    card: cards.Card
    trace: Trace | None = None
    tell: Remark = field(default=lambda _: ())
    sections: tuple[MakeSection, ...] = ()
    rests_on: RestsOn = field(default=lambda _: {})
    also: Mapping[str, Measure[Any]] = field(default_factory=dict)
    controls: Mapping[cards.Control, Otherwise] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks on which each item gets verdicts."""
        raise NotImplementedError

    @property
    def affirmative(self) -> bool:
        """False: most questions have no answer that says yes."""
        return False

    def due(self, item: T) -> tuple[Due, ...]:
        """A verdict a task, unless the shape says otherwise."""
        return tuple(Due(task, item.about) for task in self.tasks)

    def roles(self, protocol: cards.Protocol) -> tuple[str, ...]:
        """Those of the card."""
        return protocol.roles

    def remarks(self, setting: Setting) -> tuple[str, ...]:
        """What the family has to say."""
        return self.tell(setting)

    def sources(self, setting: Setting) -> dict[str, str]:
        """Where the items come from, each with a hash: the card's file, unless the family says otherwise."""
        if self.trace is not None:
            return self.trace(setting)
        return hash_table(find_table(setting.data, self.card.files, self.card.name))

    def items(self, setting: Setting) -> Sequence[T]:
        """All items, in the order of the data.

        Raises:
            InputError: the data is missing or malformed, or two items have one id.
        """
        return self._hold(self._once(self._read(setting), str(setting.data or self.card.name)))

    def _once(self, items: Iterable[T], where: str) -> Iterator[T]:
        """The same items, each of which has an id of its own."""
        lines: dict[str, int] = {}
        for item in items:
            name, line = item.about.item, item.line
            if name in lines:
                at = f", in lines {lines[name]} and {line}" if line else ""
                raise InputError(f"{where}: id '{name}' stands twice{at}; expected once.")
            lines[name] = line
            yield item

    def _read(self, setting: Setting) -> Iterable[T]:
        raise NotImplementedError

    def _hold(self, items: Iterable[T]) -> Sequence[T]:
        return list(items)
