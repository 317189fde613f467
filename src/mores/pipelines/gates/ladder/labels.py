"""Gates on labels that can be told without the norm: from another rung, from options alone, from a story's wording."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Floats, Integers
from mores.core.extras import how_to_install
from mores.core.seeds import Seed
from mores.norms.pack import Pack, parallel
from mores.pipelines.gates.gate import Gate, GateItem, codes_of, interval_of
from mores.pipelines.gates.ladder.words import discriminative_words
from mores.pipelines.gates.shortcut_baselines import FOLDS, MOST, PERMUTATIONS, brought_by
from mores.stats.cluster_sums import Design
from mores.stats.correlation import pearson_correlation
from mores.stats.intervals import Interval
from mores.stats.rng import generator

PHI, AUC, LEVEL = 0.10, 0.55, 0.05
"""The strongest association and the best reader that pass, and the level of the reader of stories."""
MIN_CASES = 30
"""Items below which a reader that learns says nothing."""
RESAMPLES = 1_000
NO_READER = f"scikit-learn is not installed; {how_to_install('build')} brings it"


def label_gates(pack: Pack, items: Sequence[GateItem], seed: Seed) -> Iterator[Gate]:
    """Whether labels of one rung tell those of another, and whether wording alone tells labels."""
    yield between_rungs(pack, seed.child("phi"))
    yield options_alone([item for item in items if item.options], seed.child("options"))
    for rung in ("judge", "explain"):
        told = [item for item in items if item.label and item.id.startswith(f"{rung}-")]
        for kind in ("norm", "place"):
            yield stories_alone(rung, kind, told, seed.child(rung, kind))


def between_rungs(pack: Pack, seed: Seed) -> Gate:
    """Whether the label of a norm's scene at judge tells that at explain; neutral scenes are left out."""
    name = "judge against explain"
    says = "the association φ of a scene's label, yes or no, with that of the same norm at explain"
    pairs = [
        (item, entry.norm.id, scene.label == "yes", entry.explain.label == "yes")
        for entry in pack.norms
        if entry.explain is not None
        for item, scene in parallel("judge", entry.norm.id, entry.judge)
        if scene.label != "neutral"
    ]
    if len(pairs) < MIN_CASES:
        return Gate(
            name=name, says=says, n=len(pairs), why=f"not applicable: fewer than {MIN_CASES} pairs of yes and no"
        )
    ids, norms, one, other = zip(*pairs, strict=True)
    design = Design(clusters=norms, resamples=RESAMPLES, seed=seed)
    found = pearson_correlation(np.array(one, dtype=float), np.array(other, dtype=float), design)
    if np.isnan(found.value):
        return Gate(name=name, says=says, n=len(pairs), why="not applicable: one rung has one label for all")
    carried = [item for item, *both in zip(ids, one, other, strict=True) if (both[0] == both[1]) == (found.value > 0)]
    passed = bool(abs(found.value) <= PHI)
    return Gate(
        name=name, says=says, value=found.value, interval=found.interval, chance=0.0, n=len(pairs),
        threshold={"either_way_above": PHI}, passed=passed, items=() if passed else tuple(carried),
    )  # fmt: skip


def options_alone(items: Sequence[GateItem], seed: Seed) -> Gate:
    """Whether a reader of options alone puts true ones before false ones, on norms that it has not seen."""
    name = "know, options alone"
    says = "how often a reader that learns from the wording of options puts a true one before a false one (AUC)"
    items = _drawn(items, MOST // max((len(item.options) for item in items), default=1), seed)
    lacking = _lacking(items, "norm")
    if lacking:
        return Gate(name=name, says=says, n=len(items), why=lacking)
    owner = np.repeat(np.arange(len(items)), [len(item.options) for item in items])
    true = np.concatenate([np.isin(np.arange(len(item.options)), item.right) for item in items])
    norm = codes_of([item.norm for item in items])
    score = brought_by([option for item in items for option in item.options], norm[owner], seed) @ (true - true.mean())
    value = _before(score, true)
    solved = [item.id for n, item in enumerate(items) if _before(score[owner == n], true[owner == n]) == 1]
    passed = value <= AUC
    return Gate(
        name=name, says=says, value=value, interval=_resampled(score, true, norm[owner], seed), chance=0.5,
        n=len(items), threshold={"share_above": AUC}, passed=passed, items=() if passed else tuple(solved),
    )  # fmt: skip


def stories_alone(rung: str, kind: str, items: Sequence[GateItem], seed: Seed) -> Gate:
    """Whether the wording of scenes tells their labels, on norms or places that a reader has not seen.

    Where it fails, those items are named first whose label the reader is most sure of.

    Labels are dealt anew over whole norms, and in any order within a norm, since parallel scenes are written together.
    """
    name = f"{rung} by wording, {kind}s"
    says = f"learns labels from the wording of scenes and is tested on {kind}s it has not seen"
    items = _drawn(items, MOST, seed)
    lacking = _lacking(items, kind)
    labels = codes_of([item.label for item in items]) if items else np.zeros(0, dtype=np.int64)
    if not lacking and labels.max() < 1:
        lacking = "not applicable: all scenes have one label"
    if lacking:
        return Gate(name=name, says=says, n=len(items), why=lacking)
    brought = brought_by([item.stem for item in items], codes_of([getattr(item, kind) for item in items]), seed)
    rng = generator(seed.child("deals"))
    norms = codes_of([item.norm for item in items])
    dealt = np.array([labels, *(_permuted(labels, norms, rng) for _ in range(PERMUTATIONS))])
    hits = _predicted_labels(brought, dealt) == dealt
    shares = hits.mean(axis=1)
    p = float((1 + np.sum(shares[1:] >= shares[0] - 1e-12)) / (1 + PERMUTATIONS))
    passed = p >= LEVEL or bool(shares[0] <= shares[1:].mean())
    return Gate(
        name=name, says=says, value=float(shares[0]), chance=float(shares[1:].mean()), p=p, n=len(items),
        interval=interval_of(hits[0].astype(float).tolist(), items, name), threshold={"p_below": LEVEL}, passed=passed,
        items=() if passed else tuple(items[n].id for n in _surest(brought, labels) if hits[0][n]),
        words={} if passed else discriminative_words([item.stem for item in items], [item.label for item in items]),
    )  # fmt: skip


def _lacking(items: Sequence[GateItem], kind: str) -> str:
    """Why a reader that learns cannot be asked; empty where it can."""
    if len(items) < MIN_CASES:
        return f"not applicable: fewer than {MIN_CASES} items"
    if len({getattr(item, kind) for item in items}) < FOLDS:
        return f"not applicable: fewer than {FOLDS} {kind}s"
    return "" if find_spec("sklearn") is not None else NO_READER


def _drawn(items: Sequence[GateItem], most: int, seed: Seed) -> list[GateItem]:
    """As many items as a reader that learns can take, drawn where there are more."""
    kept = generator(seed.child("some")).permutation(len(items))[:most]
    return [items[number] for number in sorted(kept.tolist())]


def _predicted_labels(brought: Floats, dealt: Integers) -> Integers:
    """The label that a reader takes for each item, in each deal."""
    liked = [brought @ ((dealt == label) - (dealt[0] == label).mean()).T for label in range(int(dealt.max()) + 1)]
    return np.asarray(np.argmax(np.array(liked), axis=0).T)


def _surest(brought: Floats, labels: Integers) -> list[int]:
    """The items, those first whose label a reader is most sure of."""
    flags = np.eye(int(labels.max()) + 1)[labels]
    liked = brought @ (flags - flags.mean(0))
    own = liked[np.arange(labels.size), labels]
    others = np.where(flags > 0, -np.inf, liked).max(1)
    return [int(number) for number in np.argsort(others - own, kind="stable")]


def _permuted(labels: Integers, norms: Integers, rng: np.random.Generator) -> Integers:
    """Labels of whole norms, each in any order, dealt to norms that have as many."""
    size = np.bincount(norms)
    order = np.argsort(norms, kind="stable")
    dealt = np.empty_like(labels)
    for width in np.unique(size).tolist():
        at = order[size[norms[order]] == width].reshape(-1, width)
        dealt[at] = rng.permuted(rng.permutation(labels[at]), axis=1)
    return dealt


def _before(score: Floats, true: npt.NDArray[np.bool_]) -> float:
    """How often a true option is liked more than a false one; ties are half."""
    return float(_weighed(score, true, np.ones((1, score.size)))[0])


def _weighed(score: Floats, true: npt.NDArray[np.bool_], weights: Floats) -> Floats:
    """The same where each option counts so much, a number a row of weights."""
    order = np.argsort(score, kind="stable")
    tied = np.cumsum(np.diff(score[order], prepend=score[order[0]]) > 0)
    right, wrong = weights[:, order] * true[order], weights[:, order] * ~true[order]
    ends = np.flatnonzero(np.diff(tied, append=tied[-1] + 1))
    below = np.cumsum(wrong, axis=1)[:, ends]
    here = np.diff(below, axis=1, prepend=0)
    rights = np.diff(np.cumsum(right, axis=1)[:, ends], axis=1, prepend=0)
    return np.asarray((rights * (below - here / 2)).sum(1) / (right.sum(1) * wrong.sum(1)))


def _resampled(score: Floats, true: npt.NDArray[np.bool_], norm: Integers, seed: Seed) -> Interval:
    """Percentiles of the figure over norms drawn anew."""
    count = int(norm.max()) + 1
    drawn = generator(seed.child("norms")).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    low, high = np.percentile(_weighed(score, true, drawn[:, norm].astype(np.float64)), (2.5, 97.5))
    return Interval(float(low), float(high), "bootstrap of norms")
