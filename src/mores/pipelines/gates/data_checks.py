"""Gates on any data set: words that stand elsewhere, and labels that depend on place or topic.

Words of a norm in its question, of one question in another, and of a public benchmark; labels that place or topic
alone predicts.
"""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.models.similarity import Embedder
from mores.pipelines.duplicates import NEAR, NamedText, duplicates, vectors_of
from mores.pipelines.gates.gate import LEVEL, Gate, GateItem, codes_of, ids_where, interval_of, share_gate
from mores.pipelines.text_checks import SHARED, shared_run
from mores.stats.rng import generator

NO_TABLE = "no --against"
NO_MODEL = "no --embed"


class PublicTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Texts of public benchmarks; with an `embedder` questions may not come nearer to one than the cosine `near`."""

    texts: tuple[NamedText, ...] = ()
    embedder: Embedder | None = None
    near: float = NEAR


def contained(items: Sequence[GateItem]) -> Gate:
    """Gate on questions that quote the norm that they ask about."""
    says = f"a question has {SHARED} words in a row of a norm that it rests on, or a shorter norm whole"
    quoting = {item.id for item in items if any(shared_run(item.stem, norm) for norm in item.norms)}
    asked = [(item, item.id in quoting) for item in items if item.norms]
    none = "no norms are known"
    return share_gate("norm in the question", says, asked, most=0.0, none=none, words_in_a_row=SHARED)


def repeated(items: Sequence[GateItem], public: PublicTexts) -> Gate:
    """Gate on questions in the same words as another, or as a public benchmark."""
    texts = [NamedText(name=item.id, words=f"{item.stem} {' '.join(item.options)}") for item in items]
    # A short stem, such as "Is this polite?", stands in many benchmarks, and nobody copied it.
    stems = [NamedText(name=item.id, words=item.stem) for item in items if len(item.stem.split()) > SHARED]
    public_ids = {name for name, duplicate in duplicates(stems, against=public.texts).items() if duplicate.public}
    carried = public_ids | duplicates(texts, against=public.texts).keys()
    says = "a question says what another says, or a public benchmark"
    return share_gate("repeated", says, [(item, item.id in carried) for item in items], most=0.0)


def near_public(items: Sequence[GateItem], public: PublicTexts) -> Gate:
    """Gate on questions near to a text of a public benchmark."""
    name, says = "near a public text", "a question is near to a text of a public benchmark, by cosine"
    if public.embedder is None or not public.texts:
        return Gate(name=name, says=says, why=NO_MODEL if public.texts else NO_TABLE)
    # Each in a group of its own, so that they are compared with public texts alone.
    texts = [NamedText(name=item.id, words=item.stem, within=item.id) for item in items]
    every = [*texts, *public.texts]
    rows = vectors_of([text.words for text in every], public.embedder)
    vectors = dict(zip((text.name for text in every), rows, strict=True))
    found = duplicates(texts, against=public.texts, vectors=vectors, near=public.near)
    return share_gate(name, says, [(item, item.id in found) for item in items], most=0.0, cosine_from=public.near)


PERMUTATIONS = 1_000


def skews(items: Sequence[GateItem], seed: Seed) -> Iterator[Gate]:
    """Gates on labels whose shares differ by place, or by topic."""
    for kind in ("place", "topic"):
        asked = [item for item in items if item.label and getattr(item, kind)]
        groups = [getattr(item, kind) for item in asked]
        says = f"the shares of labels differ over {kind}s"
        yield label_skew(f"labels by {kind}", says, asked, groups, seed.child("skew", kind))


def label_skew(
    name: str, says: str, asked: Sequence[GateItem], groups: Sequence[str], seed: Seed, level: float = LEVEL
) -> Gate:
    """Gate on labels whose shares differ by group; which also says how many have the commonest label of their group.

    Groups are permuted over whole norms, since questions of one norm tend to have one label.
    """
    labels, codes = codes_of([item.label for item in asked]), codes_of(groups)
    if min(labels.max(initial=0), codes.max(initial=0)) < 1:
        return Gate(name=name, says=says, why="fewer than two labels or groups")
    held = codes_of([f"{item.norm}\n{group}" for item, group in zip(asked, groups, strict=True)])
    owner = np.zeros(held.max() + 1, dtype=np.int64)
    owner[held] = codes
    rng = generator(seed)
    seen = _chi_squared(labels, codes)
    null = np.array([_chi_squared(labels, rng.permutation(owner)[held]) for _ in range(PERMUTATIONS)])
    # The data count as one of the permutations, so that p is never 0 (Phipson and Smyth 2010); 1e-9 is for sums in
    # another order.
    p = float((1 + np.sum(null >= seen - 1e-9)) / (1 + PERMUTATIONS))
    table, expected = _table(labels, codes)
    hits = labels == table.argmax(axis=0)[codes]
    carried = (table > expected)[labels, codes] & hits & (p < level)
    return Gate(
        name=name, says=says, value=float(hits.mean()), interval=interval_of(list(map(float, hits)), asked, name),
        chance=float(np.bincount(labels).max() / labels.size), n=len(asked), p=p, threshold={"p_below": level},
        passed=p >= level, items=ids_where(asked, carried),
    )  # fmt: skip


def _table(labels: Integers, codes: Integers) -> tuple[Floats, Floats]:
    """Counts of each label in each group, observed and expected under independence."""
    labelled, grouped = labels.max() + 1, codes.max() + 1
    table = np.bincount(labels * grouped + codes, minlength=labelled * grouped).reshape(labelled, grouped).astype(float)
    return table, table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()


def _chi_squared(labels: Integers, codes: Integers) -> float:
    """Pearson's chi-squared of labels over groups."""
    table, expected = _table(labels, codes)
    return float(((table - expected) ** 2 / expected).sum())
