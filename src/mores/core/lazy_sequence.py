"""Sequences that make their values as they are asked for, instead of holding them."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, SupportsIndex, TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T], Generic[T]):
    """A sequence of which `at` makes the value at a place; places from the end, and several at once, are read here."""

    __slots__ = ()

    @abstractmethod
    def at(self, place: int) -> T:
        """The value at a place, from 0 to one less than the length."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return [self.at(each) for each in range(*place.indices(len(self)))]
        at = place.__index__()
        at += len(self) if at < 0 else 0
        if not 0 <= at < len(self):
            raise IndexError(at)
        return self.at(at)
