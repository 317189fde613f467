"""Taking in a part: so many questions, each with all its pairs, every place with its even share."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest

from mores.studio.models import Item
from mores.studio.work.items import NewItem
from mores.studio.work.sealed import CLUSTER


def by_place(items: Sequence[NewItem], groups: int) -> list[NewItem]:
    """The items of so many groups (0 for all), drawn place by place in turn, within a place by the hash of their names.

    A group is what the key names as drawn together, such as the pairs of one question; without a key an item is one.
    The same file gives the same part, and a larger part holds a smaller one. Training and attention checks are no
    groups and always stay.
    """
    if not groups:
        return list(items)
    places: dict[str, dict[str, list[NewItem]]] = defaultdict(lambda: defaultdict(list))
    work = [item for item in items if item.kind == Item.Kind.WORK]
    for item in work:
        places[str(item.payload.get("place", item.region))][str((item.sealed or {}).get(CLUSTER, item.key))].append(
            item
        )
    orders = [[group for _, group in sorted(found.items(), key=_lot)] for _, found in sorted(places.items())]
    turns = [group for turn in zip_longest(*orders) for group in turn if group is not None]
    return [*(item for item in items if item.kind != Item.Kind.WORK), *chain.from_iterable(turns[:groups])]


def _lot(group: tuple[str, list[NewItem]]) -> str:
    return hashlib.sha256(f"sample {group[0]}".encode()).hexdigest()
