"""Which items a run takes: the places asked for, and so many units, drawn evenly over places."""

from collections import defaultdict
from collections.abc import Sequence

from mores.core.errors import InputError
from mores.core.item import Item
from mores.core.seeds import Seed
from mores.norms.places import find, roll_up


def select(items: Sequence[Item], *, places: Sequence[str], limit: int | None, seed: Seed) -> list[Item]:
    """The items to play, in the order of the data.

    `limit` counts headline units; each place gets its share, and a smaller limit's units are among a larger one's.

    Raises:
        InputError: a place is unknown, no item is left, or the limit is not positive.
    """
    kept = list(items)
    if places:
        wanted = {find(name, where="--places").id for name in places}
        kept = [item for item in kept if item.about.place and {item.about.place, roll_up(item.about.place)} & wanted]
        if not kept:
            raise InputError(f"--places {','.join(places)}: no item is about these places; see mores show BENCHMARK.")
    if limit is None:
        return kept
    if limit < 1:
        raise InputError(f"--limit {limit}: expected a positive number of units.")
    chosen = _draw(kept, limit, seed)
    return [item for item in kept if item.about.unit in chosen]


def _draw(items: Sequence[Item], limit: int, seed: Seed) -> set[str]:
    """Units at the earliest relative positions of their places' shuffled lists: proportional, and nested in N.

    A unit is drawn by its name, or by one that an item says, such as that of the same question in another benchmark.
    """
    drawn = {item.about.unit: getattr(item, "drawn", "") or item.about.unit for item in items}
    units: dict[str, list[str]] = defaultdict(list)
    for unit, place in {item.about.unit: item.about.place or "" for item in items}.items():
        units[place].append(unit)
    ranked: list[tuple[float, str]] = []
    for place, members in units.items():
        offset = seed.child("limit", place).uniform()
        shuffled = sorted(members, key=lambda unit: seed.child("limit", "unit", drawn[unit]).uniform())
        ranked += [((rank + offset) / len(members), unit) for rank, unit in enumerate(shuffled)]
    return {unit for _, unit in sorted(ranked)[:limit]}
