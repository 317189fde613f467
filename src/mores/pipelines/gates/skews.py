"""Gates on labels that hang on place or topic, so that these alone tell the answer."""

from collections.abc import Iterator, Sequence

import numpy as np

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.pipelines.gates.gate import LEVEL, Gate, GateItem, codes_of, interval_of
from mores.stats.rng import generator

PERMUTATIONS = 1_000


def skews(items: Sequence[GateItem], seed: Seed) -> Iterator[Gate]:
    """Whether labels are shared out unlike over places, and over topics.

    Places are dealt anew to whole norms, since questions of one norm tend to have one label.
    """
    for kind in ("place", "topic"):
        name, says = f"labels by {kind}", f"labels are shared out unlike over {kind}s"
        asked = [item for item in items if item.label and getattr(item, kind)]
        groups = [getattr(item, kind) for item in asked]
        labels, codes = codes_of([item.label for item in asked]), codes_of(groups)
        if min(labels.max(initial=0), codes.max(initial=0)) < 1:
            yield Gate(name=name, says=says, why=f"fewer than two labels or {kind}s")
            continue
        held = codes_of([f"{item.norm}\n{group}" for item, group in zip(asked, groups, strict=True)])
        owner = np.zeros(held.max() + 1, dtype=np.int64)
        owner[held] = codes
        rng = generator(seed.child("skew", kind))
        seen = _unlike(labels, codes)
        null = np.array([_unlike(labels, rng.permutation(owner)[held]) for _ in range(PERMUTATIONS)])
        p = float((1 + np.sum(null >= seen - 1e-9)) / (1 + PERMUTATIONS))
        table, wanted = _table(labels, codes)
        hits = labels == table.argmax(axis=0)[codes]
        carried = hits & (table > wanted)[labels, codes] & (p < LEVEL)
        yield Gate(
            name=name, says=says, value=float(hits.mean()), interval=interval_of(list(map(float, hits)), asked, name),
            chance=float(np.bincount(labels).max() / labels.size), n=len(asked), p=p, threshold={"p_below": LEVEL},
            passed=p >= LEVEL, items=tuple(item.id for item, each in zip(asked, carried, strict=True) if each),
        )  # fmt: skip


def _table(labels: Integers, codes: Integers) -> tuple[Floats, Floats]:
    """How often each label stands in each group, and how often it would if all groups were alike."""
    labelled, grouped = labels.max() + 1, codes.max() + 1
    table = np.bincount(labels * grouped + codes, minlength=labelled * grouped).reshape(labelled, grouped).astype(float)
    return table, table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()


def _unlike(labels: Integers, codes: Integers) -> float:
    """Pearson's chi-squared of labels over groups."""
    table, wanted = _table(labels, codes)
    return float(((table - wanted) ** 2 / wanted).sum())
