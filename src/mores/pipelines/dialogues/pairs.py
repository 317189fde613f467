"""Pairs of a custom and a value of two places, chosen by hashes, so that a new norm moves few of them.

For each place of values, customs of all other places in turn ─▶ each with one of the place's values ─▶ so many pairs.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from mores.core.codec import digest
from mores.norms.places import place, roll_up
from mores.pipelines.dialogues.values import CulturalValue
from mores.pipelines.norms.norm_base_file import BuiltNorm

PER_PLACE = 20
"""Pairs of one place of values, unless a build says otherwise."""


class CustomValuePair(msgspec.Struct, frozen=True, kw_only=True):
    """Basis of a scenario: a custom of one place, a value of another, and the place of the first speaker.

    The first raises what goes against both, the second is from the value's place, and the custom is a third's.
    """

    custom: BuiltNorm
    value: CulturalValue
    first_place: str

    @property
    def id(self) -> str:
        """The ids of custom and value."""
        return f"{self.custom.id}+{self.value.id}"

    @property
    def place(self) -> str:
        """The place of the value, whose conduct the benchmark counts."""
        return self.value.place

    @property
    def places(self) -> tuple[str, str, str]:
        """Places of the first, the second and the third person, by their ids."""
        return (self.first_place, self.value.place, self.custom.place)

    @property
    def prompt_values(self) -> dict[str, str]:
        """Custom and value with their places, and the place of the first, as prompts name them."""
        first, second, third = (place(name).name for name in self.places)
        return {
            "custom": self.custom.statement,
            "custom_place": third,
            "value": self.value.statement,
            "value_place": second,
            "first_place": first,
        }


def pairs_of(customs: Sequence[BuiltNorm], values: Sequence[CulturalValue], per_place: int) -> list[CustomValuePair]:
    """So many pairs of each place of values at most, the first of every place before the second of any.

    A custom is never met with a value of its own country, and comes up again at a place only after all others did.
    """
    held: dict[str, list[CulturalValue]] = {}
    for value in values:
        held.setdefault(value.place, []).append(value)
    known = sorted({norm.place for norm in customs} | set(held))
    found = [
        (turn, digest(pair.value.place), pair)
        for here, its in held.items()
        for turn, pair in enumerate(islice(_of_place(here, its, customs, known), per_place))
    ]
    return [pair for _, _, pair in sorted(found, key=lambda each: each[:2])]


def _of_place(
    here: str, values: Sequence[CulturalValue], customs: Sequence[BuiltNorm], known: Sequence[str]
) -> Iterator[CustomValuePair]:
    """Every pair of a place's values, in the order in which they are made."""
    met = _in_turn(here, [norm for norm in customs if roll_up(norm.place) != roll_up(here)])
    for turn in range(len(values)):
        for custom in met:
            value = sorted(values, key=lambda each: digest([custom.id, each.id]))[turn]
            yield CustomValuePair(custom=custom, value=value, first_place=_elsewhere(custom, value, known))


def _in_turn(here: str, customs: Sequence[BuiltNorm]) -> list[BuiltNorm]:
    """Customs in the order of their hashes, one of each place before a second of any."""
    seen: dict[str, int] = {}
    ranked = []
    for custom in sorted(customs, key=lambda each: digest([here, each.id])):
        rank = seen[custom.place] = seen.get(custom.place, -1) + 1
        ranked.append((rank, digest([here, custom.place]), custom))
    return [custom for _, _, custom in sorted(ranked, key=lambda each: each[:2])]


def _elsewhere(custom: BuiltNorm, value: CulturalValue, known: Sequence[str]) -> str:
    """A third place by hash, so that the first can be new to the custom; the value's where no third is known."""
    theirs = {roll_up(custom.place), roll_up(value.place)}
    others = (name for name in known if roll_up(name) not in theirs)
    return min(others, key=lambda name: digest([custom.id, value.id, name]), default=value.place)
