"""What verdicts are about, in columns: twenty bytes a thing and its names once, not an object each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from operator import ne

from mores.core.arrays import np
from mores.core.item import ItemMetadata
from mores.core.lazy_sequence import LazySequence
from mores.core.scores import CategoricalColumn, RowKeys
from mores.core.string_column import StringColumn, alike


class VerdictKeyTable(LazySequence[ItemMetadata]):
    """Each thing that verdicts are about, made anew for whoever asks for it."""

    def __init__(self) -> None:
        self._item, self._part, self._unit = StringColumn(known=0), StringColumn(), StringColumn()
        self._place = StringColumn()
        self._cluster = self._unit  # one column as long as each unit is a cluster of its own name
        self._groups = array("i")
        self._kinds: list[dict[str, str]] = []
        self._codes: dict[tuple[tuple[str, str], ...], int] = {}
        self._last: ItemMetadata | None = None
        self._at = self._first = 0
        self._parts: dict[str, list[int]] = {}

    def place_of(self, about: ItemMetadata) -> int:
        """The number of a thing, which is added if it is new; the verdicts on one item stand together.

        Samples share it unless their groups differ, as those of days do by where they were spent.
        """
        last = self._last
        if about is last:
            return self._at
        if last is None or last.item != about.item:
            self._first = found = self.add(about)
            self._parts.clear()
        elif last.part == about.part and last.groups == about.groups:
            return self._at
        else:
            found = self._among_parts(about)
        self._last, self._at = about, found
        return found

    def _among_parts(self, about: ItemMetadata) -> int:
        """The place of a thing among those of the last item."""
        if not self._parts:
            self._parts[self._part[self._first] or ""] = [self._first]
        alike = self._parts.setdefault(about.part, [])
        for found in alike:
            if self._kinds[self._groups[found]] == about.groups:
                return found
        alike.append(self.add(about))
        return alike[-1]

    def add(self, about: ItemMetadata) -> int:
        """The number of one more thing, whether or not there is one like it."""
        self._item.add(about.item)
        self._part.add(about.part)
        if self._cluster is self._unit and about.cluster != about.unit:
            self._cluster = deepcopy(self._unit)
        if self._cluster is not self._unit:
            self._cluster.add(about.cluster)
        self._unit.add(about.unit)
        self._place.add(about.place)
        self._groups.append(self._kind(about.groups))
        return len(self) - 1

    def _kind(self, groups: dict[str, str]) -> int:
        """The code of some groups."""
        if self._groups and self._kinds[self._groups[-1]] == groups:
            return self._groups[-1]
        told = tuple(groups.items())
        code = self._codes.get(told)
        if code is None:
            code = self._codes[told] = len(self._kinds)
            self._kinds.append(groups)
        return code

    def places_of(self, abouts: Sequence[ItemMetadata]) -> Iterable[int]:
        """The numbers of some things that follow each other."""
        items = [about.item for about in abouts]
        last = None if self._last is None else self._last.item
        if not abouts or not all(map(ne, items, (last, *items))):
            return [self.place_of(about) for about in abouts]
        begin = len(self)
        self._item.extend(items)
        self._part.extend([about.part for about in abouts])
        units, clusters = [about.unit for about in abouts], [about.cluster for about in abouts]
        if self._cluster is self._unit and units != clusters:
            self._cluster = deepcopy(self._unit)
        if self._cluster is not self._unit:
            self._cluster.extend(clusters)
        self._unit.extend(units)
        self._place.extend([about.place for about in abouts])
        for about in abouts:
            self._groups.append(self._kind(about.groups))
        self._parts.clear()
        self._last, self._at = abouts[-1], len(self) - 1
        self._first = self._at
        return range(begin, len(self))

    def __len__(self) -> int:
        return len(self._groups)

    def at(self, place: int) -> ItemMetadata:
        """What one thing is."""
        return _thing(
            self._item[place], self._part[place], self._unit[place], self._cluster[place], self._place[place],
            self._kinds[self._groups[place]],
        )  # fmt: skip

    def __iter__(self) -> Iterator[ItemMetadata]:
        groups = map(self._kinds.__getitem__, self._groups)
        return map(_thing, self._item, self._part, self._unit, self._cluster, self._place, groups)

    def keys(self) -> RowKeys:
        """The same columns, with a code for each name."""
        unit = self._unit.column()
        groups = np.array(self._groups, dtype=np.int64)
        kinds = dict.fromkeys(kind for each in self._kinds for kind in each)
        of_kind = {kind: CategoricalColumn.of(each.get(kind) for each in self._kinds) for kind in kinds}
        return RowKeys(
            item=unit if self._item.like(self._unit) else self._item.column(),
            part=self._part.column(),
            unit=unit,
            cluster=unit if self._cluster is self._unit else self._cluster.column(),
            place=self._place.column().in_order(),
            sample=alike(0, len(self)),
            groups={kind: CategoricalColumn(column.codes[groups], column.names) for kind, column in of_kind.items()},
        )


def _thing(
    item: str | None, part: str | None, unit: str | None, cluster: str | None, place: str | None, groups: dict[str, str]
) -> ItemMetadata:
    return ItemMetadata(
        item=item or "", unit=unit or "", cluster=cluster or "", place=place, groups=groups, part=part or ""
    )  # fmt: skip
