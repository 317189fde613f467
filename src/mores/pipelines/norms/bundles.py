"""Bundles of three norms that a question can rest on: of one place, domain and topic, and unlike each other.

norms of a pool ─▶ vectors ─▶ clusters of a Gaussian mixture ─▶ triples from three clusters whose mean silhouette is
above the pool's, with a strict norm among them ─▶ those that use each norm a few times at most
"""

import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import combinations
from math import comb
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from mores.pipelines.norms.norm_base_file import BuiltNorm

Shared = Literal["topic", "domain", "place"]
SIZE = 3
LEAST = 4
"""Norms of the smallest pool: with three, clusters say nothing of how unlike its norms are."""
MOST_CLUSTERS = 6
"""In a pool of fewer than twice as many norms, half as many as norms: clusters of one say nothing of what is alike."""
DIMENSIONS = 8
TRIED = 20_000
"""Triples that are looked at in one round, which takes as many norms of each cluster, the clearest first."""
USED = 3
"""Bundles of its pool in which one norm is used, at most."""
SMALL, ALIKE, LAX = "pool too small", "norms too alike to cluster", "no strict norm"


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """Three norms by their ids, and the mean of their silhouettes beside that of their pool."""

    id: str
    place: str
    domain: str
    topic: str
    norms: tuple[str, ...]
    silhouette: float
    pool_silhouette: float


class BundlePool(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one pool: its norms, its clusters (0 for none) by the least BIC, bundles, why there are none."""

    place: str
    domain: str
    topic: str
    norms: int
    clusters: int
    bic: float | None
    bundles: int
    why: str = ""


def bundles_of(
    norms: Sequence[BuiltNorm], vectors: npt.NDArray[np.float64], shared: Shared = "topic"
) -> tuple[tuple[Bundle, ...], tuple[BundlePool, ...]]:
    """The bundles of some norms, and what became of each pool, in the order of their names.

    Args:
        norms: Those with a strictness are used.
        vectors: The vector of each norm, a row a norm, in the same order.
        shared: What the norms of a pool have in common: their topic and domain beside their place, as in CultureForest,
            their domain, or their place alone.
    """
    found: list[Bundle] = []
    pools = []
    # A large base has thousands of small pools, where looking over arguments costs more than the mixtures themselves.
    with import_module("sklearn").config_context(assume_finite=True, skip_parameter_validation=True):
        for key, rows in sorted(_pools(norms, shared).items()):
            members = [norms[row] for row in rows]
            bundles, pool = _of_pool(key, members, vectors[rows])
            found += bundles
            pools.append(pool)
    return tuple(found), tuple(pools)


def _pools(norms: Sequence[BuiltNorm], shared: Shared) -> dict[tuple[str, str, str], list[int]]:
    found: dict[tuple[str, str, str], list[int]] = {}
    for row in sorted(range(len(norms)), key=lambda row: norms[row].id):
        norm = norms[row]
        if norm.strictness is not None:
            domain = "" if shared == "place" else norm.domain or ""
            found.setdefault((norm.place, domain, norm.topic if shared == "topic" else ""), []).append(row)
    return found


def _of_pool(
    key: tuple[str, str, str], norms: Sequence[BuiltNorm], vectors: npt.NDArray[np.float64]
) -> tuple[list[Bundle], BundlePool]:
    named = dict(zip(("place", "domain", "topic"), key, strict=True))
    why = SMALL if len(norms) < LEAST else LAX if all(norm.strictness != "no" for norm in norms) else ""
    clusters = None if why else _clusters(vectors)
    if clusters is None:
        return [], BundlePool(**named, norms=len(norms), clusters=0, bic=None, bundles=0, why=why or ALIKE)
    chosen = [
        Bundle(
            id="+".join(norms[row].id for row in rows), **named, norms=tuple(norms[row].id for row in rows),
            silhouette=round(mean, 6), pool_silhouette=round(clusters.mean, 6),
        )
        for rows, mean in _chosen(norms, clusters)
    ]  # fmt: skip
    count = int(clusters.labels.max()) + 1
    return chosen, BundlePool(
        **named, norms=len(norms), clusters=count, bic=round(clusters.bic, 3), bundles=len(chosen)
    )


class _Clusters(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    labels: npt.NDArray[np.int64]
    silhouettes: npt.NDArray[np.float64]
    mean: float
    bic: float


def _clusters(vectors: npt.NDArray[np.float64]) -> _Clusters | None:
    """The mixture of three components or more with the least BIC; None where none has three clusters."""
    mixture, metrics = import_module("sklearn.mixture"), import_module("sklearn.metrics")
    unsettled = import_module("sklearn.exceptions").ConvergenceWarning
    points = _reduced(vectors)
    best: tuple[float, Any] | None = None
    for count in range(SIZE, max(SIZE, min(MOST_CLUSTERS, len(points) // 2)) + 1):
        model = mixture.GaussianMixture(
            count, covariance_type="diag", random_state=0, reg_covar=1e-3, max_iter=50, init_params="k-means++"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category=unsettled)  # then it is as good as it is: the BIC decides
            labels = model.fit_predict(points)
        if len(np.unique(labels)) >= SIZE:
            bic = float(model.bic(points))
            best = min(best, (bic, labels), key=lambda each: each[0]) if best else (bic, labels)
    if best is None:
        return None
    # A component may be left without a norm: labels are numbered anew, without gaps.
    labels = np.unique(best[1], return_inverse=True)[1]
    silhouettes = metrics.silhouette_samples(points, labels)
    return _Clusters(labels=labels, silhouettes=silhouettes, mean=float(silhouettes.mean()), bic=best[0])


def _reduced(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The first principal components at their own scale; signs are fixed, so that equal vectors give equal bytes.

    Were each brought to variance one, all norms of a pool of nine or fewer would be equally far from each other.
    """
    centred = vectors - vectors.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    kept = min(DIMENSIONS, int((sizes > 1e-9 * max(float(sizes[0]), 1e-12)).sum()))
    if kept == 0:
        return np.zeros((len(vectors), 1))
    signs = np.sign(right[:kept][np.arange(kept), np.abs(right[:kept]).argmax(axis=1)])
    scale = np.sqrt(len(vectors) / np.mean(sizes[:kept] ** 2))
    return np.asarray(left[:, :kept] * signs * sizes[:kept] * scale)


def _chosen(norms: Sequence[BuiltNorm], clusters: _Clusters) -> Iterator[tuple[tuple[int, ...], float]]:
    """Triples and their mean silhouettes, the clearest first, each norm used a few times at most."""
    rows = _triples(clusters)
    strict = np.array([norm.strictness == "no" for norm in norms])
    # Rounded, since processors sum in different orders, and the last digit would decide between equals.
    means = np.round(clusters.silhouettes[rows].mean(axis=1), 9)
    good = strict[rows].any(axis=1) & (means > round(clusters.mean, 9))
    rows, means = rows[good], means[good]
    order = np.lexsort((*rows.T[::-1], -means))
    used = [0] * len(norms)
    for three, mean in zip(rows[order].tolist(), means[order].tolist(), strict=True):
        if all(used[row] < USED for row in three):
            for row in three:
                used[row] += 1
            yield tuple(sorted(three)), mean


def _triples(clusters: _Clusters) -> npt.NDArray[np.int64]:
    """A norm from each of three clusters, a row a triple: those of like rank, so that they grow with the pool alone."""
    order = np.argsort(-clusters.silhouettes, kind="stable")
    of_cluster = [order[clusters.labels[order] == each] for each in range(int(clusters.labels.max()) + 1)]
    taken = int((TRIED / comb(len(of_cluster), SIZE)) ** (1 / SIZE))
    threes = (
        np.meshgrid(*(each[start : start + taken] for each in three), indexing="ij")
        for start in range(0, max(map(len, of_cluster)), taken)
        for three in combinations(of_cluster, SIZE)
    )
    return np.concatenate([np.stack(three, axis=-1).reshape(-1, SIZE) for three in threes])
