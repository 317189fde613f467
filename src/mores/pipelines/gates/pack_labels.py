"""Gates on labels that can be predicted without the norm: from another rung, options alone, or story wording."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.norms.pack import Pack, parallel
from mores.pipelines.gates.gate import Gate, GateItem, codes_of, interval_of
from mores.pipelines.gates.pack_texts import discriminative_words
from mores.pipelines.gates.shortcut_baselines import FOLDS, MOST, NO_SKLEARN, PERMUTATIONS, label_weights
from mores.stats.cluster_sums import Design
from mores.stats.correlation import pearson_correlation
from mores.stats.intervals import Interval
from mores.stats.rng import generator

PHI, AUC, LEVEL = 0.10, 0.55, 0.05
"""The strongest association and the best AUC that pass, and the level of the baseline on stories."""
MIN_CASES = 30
"""Items below which a learning baseline is not measured."""
RESAMPLES = 1_000


def label_gates(pack: Pack, items: Sequence[GateItem], seed: Seed) -> Iterator[Gate]:
    """Gates on labels that another rung or wording alone gives away."""
    yield between_rungs(pack, seed.child("phi"))
    yield options_alone([item for item in items if item.options and not item.boundary], seed.child("options"))
    for rung in ("judge", "explain"):
        scenes = [item for item in items if item.label and item.id.startswith(f"{rung}-") and not item.boundary]
        for kind in ("norm", "place"):
            yield stories_alone(rung, kind, scenes, seed.child(rung, kind))


def between_rungs(pack: Pack, seed: Seed) -> Gate:
    """Gate on the association of labels at judge and explain; neutral scenes are left out."""
    name = "judge against explain"
    says = "the association φ of a scene's label, yes or no, with that of the same norm at explain"
    pairs = [
        (item, entry.norm.id, scene.label == "yes", entry.explain.label == "yes")
        for entry in pack.norms
        if entry.explain is not None
        for item, scene in parallel("judge", entry.norm.id, entry.judge)
        if scene.label != "neutral" and not scene.boundary
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
    """Gate on a baseline of options alone that puts true ones before false ones, on norms that it has not seen."""
    name = "know, options alone"
    says = "how often a baseline on the wording of options ranks a true one above a false one (AUC)"
    items = _sampled(items, MOST // max((len(item.options) for item in items), default=1), seed)
    reason = _not_measurable(items, "norm")
    if reason:
        return Gate(name=name, says=says, n=len(items), why=reason)
    owner = np.repeat(np.arange(len(items)), [len(item.options) for item in items])
    true = np.concatenate([np.isin(np.arange(len(item.options)), item.right) for item in items])
    norm = codes_of([item.norm for item in items])
    score = label_weights([option for item in items for option in item.options], norm[owner], seed) @ (
        true - true.mean()
    )
    value = _auc(score, true)
    solved = [item.id for n, item in enumerate(items) if _auc(score[owner == n], true[owner == n]) == 1]
    passed = value <= AUC
    return Gate(
        name=name, says=says, value=value, interval=_auc_interval(score, true, norm[owner], seed), chance=0.5,
        n=len(items), threshold={"share_above": AUC}, passed=passed, items=() if passed else tuple(solved),
        words={} if passed else words_of_options(items),
    )  # fmt: skip


def words_of_options(items: Sequence[GateItem]) -> dict[str, tuple[str, ...]]:
    """Words that go most with options that are true, and with those that are false."""
    options = [(text, number in item.right) for item in items for number, text in enumerate(item.options)]
    return discriminative_words([text for text, _ in options], [str(true).lower() for _, true in options])


def stories_alone(rung: str, kind: str, items: Sequence[GateItem], seed: Seed) -> Gate:
    """Gate on a baseline that predicts labels from the wording of scenes, on norms or places that it has not seen.

    Where it fails, the most confident predictions are named first. Labels are permuted over whole norms, and in any
    order within a norm, since parallel scenes are written together.
    """
    name = f"{rung} by wording, {kind}s"
    says = f"learns labels from the wording of scenes and is tested on {kind}s it has not seen"
    items = _sampled(items, MOST, seed)
    reason = _not_measurable(items, kind)
    labels = codes_of([item.label for item in items]) if items else np.zeros(0, dtype=np.int64)
    if not reason and labels.max() < 1:
        reason = "not applicable: all scenes have one label"
    if reason:
        return Gate(name=name, says=says, n=len(items), why=reason)
    influence = label_weights([item.stem for item in items], codes_of([getattr(item, kind) for item in items]), seed)
    rng = generator(seed.child("deals"))
    norms = codes_of([item.norm for item in items])
    permuted = np.array([labels, *(_permuted(labels, norms, rng) for _ in range(PERMUTATIONS))])
    hits = _predicted_labels(influence, permuted) == permuted
    shares = hits.mean(axis=1)
    p = float((1 + np.sum(shares[1:] >= shares[0] - 1e-12)) / (1 + PERMUTATIONS))
    # Worse than chance is no shortcut.
    passed = p >= LEVEL or bool(shares[0] <= shares[1:].mean())
    return Gate(
        name=name, says=says, value=float(shares[0]), chance=float(shares[1:].mean()), p=p, n=len(items),
        interval=interval_of(hits[0].astype(float).tolist(), items, name), threshold={"p_below": LEVEL}, passed=passed,
        items=() if passed else tuple(items[n].id for n in _most_confident(influence, labels) if hits[0][n]),
        words={} if passed else discriminative_words([item.stem for item in items], [item.label for item in items]),
    )  # fmt: skip


def labelled_auc(of: Gate, items: Sequence[GateItem], label: str, kind: str, seed: Seed) -> Gate:
    """Gate on a baseline that ranks items of a label above others by their wording, on norms or places it has not seen.

    It passes within 95 % of permutations of labels over whole norms, and up to the AUC that the gate says, if any.
    """
    items = _sampled(items, MOST, seed)
    reason = _not_measurable(items, kind)
    true = np.array([item.label == label for item in items], dtype=np.bool_)
    if not reason and true.all() | ~true.any():
        reason = "not applicable: all have one label"
    if reason:
        return replace(of, n=len(items), why=reason)
    weights = label_weights([item.stem for item in items], codes_of([getattr(item, kind) for item in items]), seed)
    rng, norms = generator(seed.child("deals")), codes_of([item.norm for item in items])
    permuted = np.array([true, *(_permuted(true.astype(np.int64), norms, rng) > 0 for _ in range(PERMUTATIONS))])
    scores = weights @ (permuted - true.mean()).T
    aucs = np.array([_auc(scores[:, number], each) for number, each in enumerate(permuted)])
    p = float((1 + np.sum(aucs[1:] >= aucs[0] - 1e-12)) / (1 + PERMUTATIONS))
    passed = p >= LEVEL and bool(aucs[0] <= of.threshold.get("share_above", 1.0))
    sure = np.argsort(-np.abs(scores[:, 0]), kind="stable")
    right = (scores[:, 0] > 0) == true
    return replace(
        of, value=float(aucs[0]), chance=float(aucs[1:].mean()), p=p, n=len(items),
        interval=_auc_interval(scores[:, 0], true, norms, seed), threshold={"p_below": LEVEL, **of.threshold},
        passed=passed, items=() if passed else tuple(items[n].id for n in sure.tolist() if right[n]),
        words={} if passed else discriminative_words([item.stem for item in items], [item.label for item in items]),
    )  # fmt: skip


def _not_measurable(items: Sequence[GateItem], kind: str) -> str:
    """Reason that a learning baseline cannot be measured; empty where it can."""
    if len(items) < MIN_CASES:
        return f"not applicable: fewer than {MIN_CASES} items"
    if len({getattr(item, kind) for item in items}) < FOLDS:
        return f"not applicable: fewer than {FOLDS} {kind}s"
    return "" if find_spec("sklearn") is not None else NO_SKLEARN


def _sampled(items: Sequence[GateItem], most: int, seed: Seed) -> list[GateItem]:
    """As many items as a learning baseline can take, sampled where there are more."""
    kept = generator(seed.child("some")).permutation(len(items))[:most]
    return [items[number] for number in sorted(kept.tolist())]


def _predicted_labels(influence: Floats, permuted: Integers) -> Integers:
    """Predicted label of each item, under each permutation."""
    scores = [
        influence @ ((permuted == label) - (permuted[0] == label).mean()).T for label in range(int(permuted.max()) + 1)
    ]
    return np.asarray(np.argmax(np.array(scores), axis=0).T)


def _most_confident(influence: Floats, labels: Integers) -> list[int]:
    """The items, the most confident predictions first."""
    flags = np.eye(int(labels.max()) + 1)[labels]
    scores = influence @ (flags - flags.mean(0))
    own = scores[np.arange(labels.size), labels]
    others = np.where(flags > 0, -np.inf, scores).max(1)
    return [int(number) for number in np.argsort(others - own, kind="stable")]


def _permuted(labels: Integers, norms: Integers, rng: np.random.Generator) -> Integers:
    """Labels permuted over norms with as many items, and in any order within a norm."""
    size = np.bincount(norms)
    order = np.argsort(norms, kind="stable")
    permuted = np.empty_like(labels)
    for width in np.unique(size).tolist():
        at = order[size[norms[order]] == width].reshape(-1, width)
        permuted[at] = rng.permuted(rng.permutation(labels[at]), axis=1)
    return permuted


def _auc(score: Floats, true: npt.NDArray[np.bool_]) -> float:
    """Share of pairs in which a true option scores higher than a false one; ties are half."""
    return float(_weighted_auc(score, true, np.ones((1, score.size)))[0])


def _weighted_auc(score: Floats, true: npt.NDArray[np.bool_], weights: Floats) -> Floats:
    """The same where each option counts so much, a number a row of weights."""
    order = np.argsort(score, kind="stable")
    tied = np.cumsum(np.diff(score[order], prepend=score[order[0]]) > 0)
    right, wrong = weights[:, order] * true[order], weights[:, order] * ~true[order]
    ends = np.flatnonzero(np.diff(tied, append=tied[-1] + 1))
    below = np.cumsum(wrong, axis=1)[:, ends]
    here = np.diff(below, axis=1, prepend=0)
    rights = np.diff(np.cumsum(right, axis=1)[:, ends], axis=1, prepend=0)
    return np.asarray((rights * (below - here / 2)).sum(1) / (right.sum(1) * wrong.sum(1)))


def _auc_interval(score: Floats, true: npt.NDArray[np.bool_], norm: Integers, seed: Seed) -> Interval:
    """Percentiles of the figure over norms drawn anew."""
    count = int(norm.max()) + 1
    drawn = generator(seed.child("norms")).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    low, high = np.percentile(_weighted_auc(score, true, drawn[:, norm].astype(np.float64)), (2.5, 97.5))
    return Interval(float(low), float(high), "bootstrap of norms")
