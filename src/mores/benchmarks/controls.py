"""Controls: a benchmark's items with their place masked or swapped for another, or after their norm was told.

items as a run selected them ─▶ those that a control can ask ─▶ an evaluation of its own, beside the plain one. A unit
of which any item cannot be asked so is left out whole, with the reason, and counted.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.core.card import CONTROLS, Control
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.transcript import Item, ItemMetadata
from mores.norms.remove_place import ControlExclusion

PutOtherwise = Callable[[Any], Any]
"""An item as a control asks it, or that it is left out."""


class ControlSpec(Struct, frozen=True):
    """A control of a benchmark: how a run's items are asked under it, and what is left out whole, by its name.

    `unit` is what that is called, where it is not the unit of the headline; `prompts` are words that it adds.
    """

    make: Callable[[Setting], PutOtherwise]
    whole: Callable[[ItemMetadata], str] = lambda about: about.unit
    unit: str = ""
    prompts: tuple[Prompt, ...] = ()


def _masked(_setting: Setting) -> PutOtherwise:
    from mores.benchmarks.shapes.without_place import without_place  # noqa: PLC0415 - it knows shapes, which know this

    return without_place


WITHOUT_PLACE: Mapping[Control, ControlSpec] = {"masked": ControlSpec(_masked)}
"""The control `masked`, by rules."""


@runtime_checkable
class HasControls(Protocol):
    """A benchmark whose items name a place; none has to."""

    @property
    def controls(self) -> Mapping[Control, ControlSpec]:
        """Controls by name: its items asked in another way."""
        ...


class ControlItems(NamedTuple):
    """Items as a control asks them, how many units were left out for which reason, of how many, and their name."""

    items: list[Item]
    left_out: Counter[str]
    units: int
    unit: str


def controls_of(benchmark: Benchmark) -> tuple[Control, ...]:
    """The controls that a benchmark has; none where its items name no place."""
    found = benchmark.controls if isinstance(benchmark, HasControls) else {}
    return tuple(control for control in CONTROLS if control in found)


def prompts_of_control(control: Control | Literal[""], benchmark: Benchmark) -> tuple[Prompt, ...]:
    """Words that a control adds to those of a benchmark; none without a control."""
    controls = benchmark.controls if control and isinstance(benchmark, HasControls) else {}
    return controls[control].prompts if control and control in controls else ()


def under_control(control: Control, benchmark: Benchmark, items: Sequence[Item], setting: Setting) -> ControlItems:
    """Some items of a benchmark as a control asks them."""
    card = benchmark.card
    if not isinstance(benchmark, HasControls):
        raise InputError(f"{card.name}: its items have no control; leave out --control.")
    otherwise = benchmark.controls[control]
    put = otherwise.make(setting)
    asked = [(otherwise.whole(item.about), put(item)) for item in items]
    # Backwards, so that of a unit's reasons the first stays.
    why = {unit: other.why for unit, other in reversed(asked) if isinstance(other, ControlExclusion)}
    kept = [other for unit, other in asked if unit not in why]
    counted = otherwise.unit or next((m.unit for m in card.metrics if m.name == card.headline), "unit")
    return ControlItems(kept, Counter(why.values()), len({unit for unit, _ in asked}), counted)


def describe_exclusions(found: ControlItems) -> str:
    """Number of units that a control leaves out and the reasons, in words.

    >>> describe_exclusions(ControlItems([], Counter({"have no words to mask the place by": 2}), 9, "question"))
    '2 of 9 questions are left out (2 have no words to mask the place by)'
    """
    number = found.left_out.total()
    if not number:
        return f"none of {found.units:,} {found.unit}s is left out"
    whys = ", ".join(f"{count:,} {why}" for why, count in found.left_out.most_common())
    return f"{number:,} of {found.units:,} {found.unit}s are left out ({whys})"
