"""Training items and attention checks: what is expected of them, read from a row, and whether an answer is right.

Any flow's file may have the columns `kind` (training or attention), `expected` (the value of its first question;
several are parted by |) and `feedback` (words that are shown after a training item).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from mores.benchmarks.data_tables import DataRow
from mores.core.errors import InputError
from mores.studio.flows.fields import ChoiceField, ItemForm
from mores.studio.models import Item
from mores.studio.work.items import EXPECTED, FEEDBACK, NewItem

TAUGHT = (Item.Kind.TRAINING.value, Item.Kind.ATTENTION.value)


def with_expected(item: NewItem, row: DataRow, sheet: Callable[[NewItem], ItemForm]) -> NewItem:
    """The item with its kind and what is expected of it; as it is where its row says nothing.

    Raises:
        InputError: there is no such kind, or what is expected cannot be answered.
    """
    kind = row.cells.get("kind", "").strip().casefold()
    if kind in {"", Item.Kind.WORK.value}:
        return item
    if kind not in TAUGHT:
        raise InputError(f"{row.where}: kind is '{kind}'; expected {' or '.join(TAUGHT)}, or nothing.")
    field = next((each for each in sheet(item).fields if isinstance(each, ChoiceField)), None)
    if field is None:
        raise InputError(f"{row.where}: nothing is chosen in it; expected an item with options.")
    given = [part.strip() for part in row.cells.get("expected", "").split("|") if part.strip()]
    known = [option.value for option in field.options]
    if not given or not set(given) <= set(known) or (len(given) > 1 and not field.several):
        raise InputError(f"{row.where}: expected is '{'|'.join(given)}'; expected one of {', '.join(known)}.")
    value = sorted(given, key=known.index) if field.several else given[0]
    facts = {EXPECTED: {field.name: value}, FEEDBACK: row.cells.get("feedback", "").strip()}
    return replace(item, kind=Item.Kind(kind), sealed=facts)


def is_right(answer: Mapping[str, object], facts: Mapping[str, object]) -> bool:
    """Whether an answer is what was expected of it."""
    expected = facts.get(EXPECTED)
    return isinstance(expected, Mapping) and all(answer.get(name) == value for name, value in expected.items())
