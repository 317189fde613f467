"""Figures of a benchmark's items before anything is asked: what they are about, how long they are, how skewed.

Items → figures. A short answer key that leans to one label lets a model score without knowing anything, so the skew
is shown with what always giving that label would get.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from mores.analysis.groups import group_value
from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.core.estimate import SEVERAL
from mores.core.transcript import Item, ItemMetadata

NOT_WORDS = frozenset({"place", "group"})
PLACES = ("place", "value_place")
"""Where a scene has a custom of one place and a value of another, the first is the custom's."""


class Lengths(NamedTuple):
    """Words of one kind of text: how many texts, and the mean, fewest and most words in one."""

    texts: int
    mean: float
    least: int
    most: int


class MajorityBaseline(NamedTuple):
    """Score of always giving one label: gold items, share of items and share of units; the baseline that does so."""

    label: str
    gold: int
    items: float
    units: float
    baseline: str | None


class ItemFigures(Struct, frozen=True, kw_only=True):
    """Figures of all items; `groups` counts units by kind of group and its value, empty kinds left out.

    `contradictions` are requests that stand more than once, with different gold labels.
    """

    items: int
    units: int
    clusters: int
    groups: dict[str, dict[str, int]]
    words: dict[str, Lengths]
    always: tuple[MajorityBaseline, ...]
    equal_requests: int
    contradictions: int


def figures_of(benchmark: Benchmark, items: Sequence[Item], kinds: Sequence[str]) -> ItemFigures:
    """Figures of items; those of words and labels are empty where items are no closed questions.

    Args:
        benchmark: Says what verdicts an item is owed, and so what is counted.
        items: All its items.
        kinds: The kinds of group that its card names.
    """
    closed = [item for item in items if isinstance(item, ClosedItem)]
    metadata = _metadata(benchmark, items)
    golds: dict[str, set[str]] = defaultdict(set)
    for item in closed:
        golds[item.render()].add(item.gold)
    return ItemFigures(
        items=len(items),
        units=len({about.unit for about in metadata}),
        clusters=len({item.about.cluster for item in items}),
        groups={kind: counts for kind in dict.fromkeys((*PLACES, *kinds)) if (counts := _counts(metadata, kind))},
        words=_words(closed),
        always=_always(closed),
        equal_requests=len(closed) - len(golds),
        contradictions=sum(len(seen) > 1 for seen in golds.values()),
    )


def _metadata(benchmark: Benchmark, items: Sequence[Item]) -> list[ItemMetadata]:
    """Metadata of each verdict on an item's first task: one an item, or one a norm of it."""
    owed = [benchmark.due(item) for item in items]
    return [due.about for dues in owed for due in dues if due.task == dues[0].task]


def _counts(metadata: Sequence[ItemMetadata], kind: str) -> dict[str, int]:
    """Units of each group of a kind, the largest first."""
    of_unit = {about.unit: group_value(about, kind) for about in metadata}
    counts = Counter(part for value in of_unit.values() if value for part in value.split(SEVERAL))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _words(items: Sequence[ClosedItem]) -> dict[str, Lengths]:
    """Words by kind of text; a text that all items of a unit share counts once."""
    texts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        for slot, text in zip(item.form.slots, item.words, strict=True):
            texts["option" if len(slot) == 1 else slot][item.about.unit].append(text)
    return {slot: _lengths(units.values()) for slot, units in texts.items() if slot not in NOT_WORDS}


def _lengths(units: Iterable[list[str]]) -> Lengths:
    counts = [len(text.split()) for texts in units for text in (texts[:1] if len(set(texts)) == 1 else texts)]
    return Lengths(len(counts), round(sum(counts) / len(counts), 2), min(counts), max(counts))


def _always(items: Sequence[ClosedItem]) -> tuple[MajorityBaseline, ...]:
    """One entry a label, in the order in which labels are put."""
    counts = Counter(item.gold for item in items)
    golds: dict[str, set[str]] = defaultdict(set)
    for item in items:
        golds[item.about.unit].add(item.gold)
    whole = Counter(next(iter(seen)) for seen in golds.values() if len(seen) == 1)
    labels = dict.fromkeys(label for item in items for label in item.form.labels)
    return tuple(
        MajorityBaseline(
            label, counts[label], counts[label] / len(items), whole[label] / len(golds), _baseline(items, label)
        )
        for label in labels
    )


def _baseline(items: Sequence[ClosedItem], label: str) -> str | None:
    """The baseline that gives this label to every item, if one does."""
    forms = {item.form.labels[0] for item in items}, {item.form.affirmative for item in items}
    names = ("baseline/first", "baseline/always-true")
    return " ".join(name for name, given in zip(names, forms, strict=True) if given == {label}) or None
