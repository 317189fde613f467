"""What the days of a run stand on: whose days, on which stage, held to which norms."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from mores.core.transcript import ItemMetadata
from mores.worlds.town.stage import DayConfig, Limits

Norms = Mapping[str, Mapping[str, str]]
"""By kind of place, each statement by its id."""


class DayItem(Struct, frozen=True, kw_only=True):
    """One resident whose day is lived; `held` is what each norm counts towards, where a day is there for its norms."""

    about: ItemMetadata
    target: int
    held: tuple[ItemMetadata, ...] = ()

    def render(self) -> str:
        """The name of the item; what the subject is told depends on the population."""
        return self.about.item


class TownSetup(Protocol):
    """The people, plans and norms of a run."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know of them, a sentence each."""

    @property
    def sources(self) -> dict[str, str]:
        """Where they come from, each with a hash."""

    @property
    def longest(self) -> int:
        """The most norms that hold at one place."""

    def items(self) -> Sequence[DayItem]:
        """Whose days there are."""

    def stage(self, item: DayItem, limits: Limits) -> DayConfig:
        """The stage of one day."""

    def norms(self, item: DayItem) -> Norms:
        """The norms that one day is held to."""

    def occasions(self, item: DayItem) -> Mapping[int, str]:
        """Norms for whose sake a day has a task, by the task; none where norms come up as they may."""
