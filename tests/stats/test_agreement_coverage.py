"""Whether the intervals of agreement hold what they promise: coverage over many fresh draws."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr, ndtri

from mores.core.seeds import Seed
from mores.stats.agreement import krippendorff_alpha, rater_agreement, repeat_stability
from mores.stats.cluster_sums import Design, MeasuredFigure
from mores.stats.confusion import pair_agreement
from mores.stats.correlation import pearson_correlation, spearman_correlation

SEED = Seed("tests")
Codes = npt.NDArray[np.int64]
Points = npt.NDArray[np.float64]
LATENT = 0.2  # correlation of hidden scores within a cluster


def hidden(clusters: int, each: int, rng: np.random.Generator, columns: int = 1) -> Points:
    """Normal scores of units, alike within a cluster; shape (units, columns)."""
    common = np.repeat(rng.standard_normal((clusters, columns)), each, axis=0)
    return np.asarray(np.sqrt(LATENT) * common + np.sqrt(1 - LATENT) * rng.standard_normal((clusters * each, columns)))


def judged(
    clusters: int, each: int, share: float, right: tuple[float, float], rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Labels with this share of 1, and a judge with this sensitivity and specificity, both alike within a cluster."""
    label, error = hidden(clusters, each, rng, 2).T
    gold = (label < ndtri(share)).astype(np.int64)
    hit = ndtr(error) < np.where(gold == 1, *right)
    return gold, np.where(hit, gold, 1 - gold)


def pair_figures(gold: Codes, said: Codes, design: Design) -> dict[str, MeasuredFigure]:
    found = pair_agreement(gold, said, ["kept", "broken"], design)
    return {
        "accuracy": found.accuracy,
        "balanced accuracy": found.balanced_accuracy,
        "kappa": found.kappa,
        "alpha": found.alpha,
        "ac1": found.ac1,
        "pabak": found.pabak,
        "f1": found.classes[1].f1,
        "recall": found.classes[1].recall,
    }


def rater_figures(ratings: Points, design: Design) -> dict[str, MeasuredFigure]:
    binary = (ratings > 0.5).astype(float)
    found = rater_agreement(binary, 2, design)
    return {
        "pairwise": found.pairwise,
        "alpha": found.alpha,
        "fleiss": found.fleiss,
        "ac1": found.ac1,
        "interval alpha": krippendorff_alpha(ratings, "interval", design),
        "ordinal alpha": krippendorff_alpha(np.clip(np.rint(ratings), -2, 2), "ordinal", design),
        "flip rate": repeat_stability(binary, design).flip_rate,
        "pearson": pearson_correlation(ratings[:, 0], ratings[:, 1], design),
        "spearman": spearman_correlation(np.rint(ratings[:, 0]), np.rint(ratings[:, 1]), design),
    }


def rated(clusters: int, each: int, rng: np.random.Generator) -> Points:
    """Points of three raters around a unit's own."""
    return hidden(clusters, each, rng) + 0.7 * hidden(clusters, each, rng, 3)


def coverage(draws: Iterator[dict[str, MeasuredFigure]], truth: dict[str, float], count: int) -> dict[str, float]:
    """Share of intervals that hold the truth, over draws that have one; NaN where fewer than 95 % do."""
    held: dict[str, list[bool]] = {name: [] for name in truth}
    for found in draws:
        for name, (_, (low, high, *_), _) in found.items():
            if low is not None and high is not None:
                held[name].append(low <= truth[name] <= high)
    return {name: float(np.mean(one)) if len(one) >= 0.95 * count else float("nan") for name, one in held.items()}


def covered_pairs(clusters: int, each: int, share: float, right: tuple[float, float], draws: int) -> dict[str, float]:
    many = judged(150_000 // each, each, share, right, np.random.default_rng(99))
    truth = {
        name: one.value for name, one in pair_figures(*many, Design(clusters=np.zeros(many[0].size), seed=SEED)).items()
    }
    rng, of = np.random.default_rng(clusters), np.repeat(np.arange(clusters), each)
    drawn = (
        pair_figures(
            *judged(clusters, each, share, right, rng), Design(clusters=of, resamples=400, seed=SEED.child(draw))
        )
        for draw in range(draws)
    )
    return coverage(drawn, truth, draws)


def covered_raters(clusters: int, each: int, draws: int) -> dict[str, float]:
    many = rated(30_000 // each, each, np.random.default_rng(99))
    truth = {
        name: one.value for name, one in rater_figures(many, Design(clusters=np.zeros(len(many)), seed=SEED)).items()
    }
    rng, of = np.random.default_rng(clusters), np.repeat(np.arange(clusters), each)
    drawn = (
        rater_figures(rated(clusters, each, rng), Design(clusters=of, resamples=400, seed=SEED.child(draw)))
        for draw in range(draws)
    )
    return coverage(drawn, truth, draws)


# Clusters, units in each, share of the rarer class, sensitivity and specificity.
PAIRS = [
    (clusters, each, share, right)
    for clusters, each in ((12, 5), (20, 5), (40, 5), (60, 20), (50, 1), (100, 1), (300, 1))
    for share, right in ((0.5, (0.8, 0.8)), (0.5, (0.95, 0.95)), (0.1, (0.8, 0.95)), (0.05, (0.9, 0.97)))
]
RATERS = [(12, 5), (20, 5), (40, 5), (100, 1)]


def hold(found: dict[str, float], draws: int) -> None:
    """Coverage from .93 to .985 but for three standard errors, of every figure that nearly always has an interval.

    Balanced accuracy of 25 and 25 units has .905: Wilson's limits of each class swing with so few.
    """
    luck = 3 * np.sqrt(0.95 * 0.05 / draws)
    known = {name: one for name, one in found.items() if not np.isnan(one)}
    least = {name: 0.9 if name == "balanced accuracy" else 0.93 for name in known}
    assert len(known) >= 3
    assert {name: one for name, one in known.items() if not least[name] - luck <= one <= 0.985 + luck} == {}


@pytest.mark.parametrize(("clusters", "each", "share", "right"), [PAIRS[4], PAIRS[10], PAIRS[22]])
def test_agreement_with_people_is_covered(clusters: int, each: int, share: float, right: tuple[float, float]) -> None:
    hold(covered_pairs(clusters, each, share, right, 50), 50)


@pytest.mark.parametrize(("clusters", "each"), [(20, 5), (100, 1)])
def test_agreement_of_several_raters_is_covered(clusters: int, each: int) -> None:
    hold(covered_raters(clusters, each, 35), 35)


@pytest.mark.soak
@pytest.mark.parametrize(("clusters", "each", "share", "right"), PAIRS)
def test_agreement_with_people_is_covered_over_many_draws(
    clusters: int, each: int, share: float, right: tuple[float, float]
) -> None:
    hold(covered_pairs(clusters, each, share, right, 2000), 2000)


@pytest.mark.soak
@pytest.mark.parametrize(("clusters", "each"), RATERS)
def test_agreement_of_several_raters_is_covered_over_many_draws(clusters: int, each: int) -> None:
    hold(covered_raters(clusters, each, 2000), 2000)


def test_units_of_an_episode_taken_as_independent_are_not_covered() -> None:
    """The same data with the clusters left out: the test above can fail."""
    right = (0.8, 0.8)
    many = judged(20_000, 20, 0.5, right, np.random.default_rng(99))
    truth = pair_figures(*many, Design(clusters=np.zeros(many[0].size), seed=SEED))["kappa"].value
    rng, held = np.random.default_rng(1), 0
    for draw in range(120):
        gold, said = judged(40, 20, 0.5, right, rng)
        alone = Design(clusters=range(800), resamples=200, seed=SEED.child(draw))
        low, high, *_ = pair_agreement(gold, said, ["kept", "broken"], alone).kappa.interval
        assert low is not None
        assert high is not None
        held += low <= truth <= high
    assert held / 120 < 0.85
