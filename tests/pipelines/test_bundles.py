"""Bundles of unlike norms: one of each group, also in small pools, and work that grows with the norms alone."""

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.mixture import GaussianMixture

from mores.pipelines.norms.bundles import MOST_CLUSTERS, SIZE, USED, bundles_of
from mores.pipelines.norms.norm_base_file import BuiltNorm


def norms(count: int, pools: int = 1) -> list[BuiltNorm]:
    """Norms of which a third are strict, shared out over topics."""
    return [
        BuiltNorm(id=f"n{n:05}", place="JP", statement=f"Rule {n}", source="A page", domain="etiquette",
                  topic=f"t{n % pools}", strictness="sometimes" if n % 3 else "no")
        for n in range(count)
    ]  # fmt: skip


def grouped(groups: list[int], apart: float = 1.0, seed: int = 1) -> npt.NDArray[np.float64]:
    """A vector a norm: near to those of its group, at the same distance from all others."""
    rng = np.random.default_rng(seed)
    return np.eye(64)[groups] * apart + rng.normal(size=(len(groups), 64)) * 0.02


@pytest.mark.parametrize("size", [2, 3, 5])
def test_of_clear_groups_a_bundle_has_one_norm_each_however_small_the_pool(size: int) -> None:
    groups = [n % 3 for n in range(3 * size)]
    bundles, _ = bundles_of(norms(len(groups)), grouped(groups))
    assert bundles
    for bundle in bundles:
        assert sorted(groups[int(name[1:])] for name in bundle.norms) == [0, 1, 2]
        assert bundle.silhouette > bundle.pool_silhouette


def test_norms_as_far_from_each_other_make_no_bundles() -> None:
    """Their silhouettes are zero: what is left of them is the rounding of sums, which chooses nothing."""
    bundles, pools = bundles_of(norms(8), np.eye(8))
    assert (bundles, pools[0].bundles) == ((), 0)


def test_no_norm_is_used_too_often_and_large_pools_are_not_left_to_their_first_norms() -> None:
    groups = [n % 6 for n in range(900)]
    bundles, _ = bundles_of(norms(900), grouped(groups, seed=3))
    used = Counter(name for bundle in bundles for name in bundle.norms)
    assert max(used.values()) <= USED
    assert len(used) > 200
    assert len({bundle.id for bundle in bundles}) == len(bundles)
    assert all(len({int(name[1:]) % 6 for name in bundle.norms}) == SIZE for bundle in bundles)


def test_the_work_grows_with_the_norms_and_no_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixtures that are fitted, and the points that they are fitted to, a norm."""
    fitted: list[int] = []
    fit = GaussianMixture.fit_predict

    def counted(self: GaussianMixture, points: npt.NDArray[np.float64]) -> object:
        fitted.append(len(points))
        return fit(self, points)

    monkeypatch.setattr(GaussianMixture, "fit_predict", counted)
    rng = np.random.default_rng(5)
    shares = []
    for count in (500, 2000):
        fitted.clear()
        bundles_of(norms(count, pools=count // 20), rng.normal(size=(count, 16)))
        shares.append(sum(fitted) / count)
    assert shares == [MOST_CLUSTERS - SIZE + 1] * 2


def test_the_same_norms_in_another_order_make_the_same_bundles() -> None:
    groups = [n % 4 for n in range(60)]
    every, vectors = norms(60, pools=2), grouped(groups, apart=0.1)
    order = np.random.default_rng(2).permutation(60)
    assert bundles_of([every[at] for at in order], vectors[order]) == bundles_of(every, vectors)
