"""Agreement of a judge with people and of raters with each other: does each figure's interval hold the exact one?

Labels, errors and raters are planted with known chances, alike within clusters, so that the figures of the whole
population are worked out and not simulated.
"""

import numpy as np
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.agreement import human_ceiling, krippendorff_alpha, rater_agreement, repeat_stability
from mores.stats.cluster_sums import Design, MeasuredFigure
from mores.stats.confusion import cohen_kappa, gwet_ac1, pair_agreement
from mores.stats.correlation import pearson_correlation, spearman_correlation
from mores.stats.rng import generator
from mores.validity.promises import interval, missed, promising
from mores.validity.simulated_scores import NOISE, evenly, hidden, joint_of_raters, rated

FAMILY = "agreement"
RESAMPLES = 1000
CUT = (0.5,)
GRADES = (-1.5, -0.5, 0.5, 1.5)


def judged(
    sample: tuple[int, int], share: float, right: tuple[float, float], rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Labels with this share of 1 and a judge of this sensitivity and specificity; both alike within clusters."""
    label, error = hidden(*sample, rng, 2).T
    gold = (label < special.ndtri(share)).astype(np.int64)
    hit = special.ndtr(error) < np.where(gold == 1, *right)
    return gold, np.where(hit, gold, 1 - gold)


def population(share: float, right: tuple[float, float]) -> Floats:
    """Probability of each cell of the confusion table, gold in rows."""
    return np.array([[(1 - share) * right[1], (1 - share) * (1 - right[1])],
                     [share * (1 - right[0]), share * right[0]]])  # fmt: skip


def exact_of(table: Floats) -> dict[str, float]:
    """The population's figures of two raters."""
    recalls = np.diag(table) / table.sum(1)
    given = table[:, 1].sum() + table[1].sum()
    return {
        "accuracy": float(np.trace(table)),
        "balanced accuracy": float(recalls.mean()),
        "Cohen's kappa": float(cohen_kappa(table)),
        "Krippendorff's alpha": _alpha(table, np.array([0.0, 1.0])),
        "AC1": float(gwet_ac1(table)),
        "PABAK": float(2 * np.trace(table) - 1),
        "precision": float(table[1, 1] / table[:, 1].sum()),
        "recall": float(recalls[1]),
        "F1": float(2 * table[1, 1] / given),
    }


def _alpha(joint: Floats, values: Floats) -> float:
    """1 - observed over expected disagreement of squared distances."""
    pooled = (joint.sum(0) + joint.sum(1)) / 2
    difference = (values[:, None] - values) ** 2
    return float(1 - (joint * difference).sum() / (pooled @ difference @ pooled))


def pair_figures(gold: Integers, verdicts: Integers, design: Design) -> dict[str, MeasuredFigure]:
    """The figures of a judge against people, as they are printed."""
    found = pair_agreement(gold, verdicts, ["kept", "broken"], design)
    return {
        "accuracy": found.accuracy,
        "balanced accuracy": found.balanced_accuracy,
        "Cohen's kappa": found.kappa,
        "Krippendorff's alpha": found.alpha,
        "AC1": found.ac1,
        "PABAK": found.pabak,
        "precision": found.classes[1].precision,
        "recall": found.classes[1].recall,
        "F1": found.classes[1].f1,
    }


OF_A_PAIR = tuple(exact_of(population(0.5, (0.8, 0.8))))


@promising(
    FAMILY,
    *(interval(f"{each}: {{}}") for each in OF_A_PAIR),
    careless=(interval("Cohen's kappa: {}", naive=True),),
    named="judge and people, {}",
)
def pair(
    seed: Seed, sample: tuple[int, int], share: float, right: tuple[float, float], *, naive: bool = False
) -> list[float]:
    """A judge against people; naive takes units of a cluster as independent, which kappa must not survive.

    The share is drawn anew, a tenth up or down, as any interval of one share swings with it.
    """
    rng = generator(seed)
    planted = share * float(rng.uniform(0.9, 1.1))
    truth = exact_of(population(planted, right))
    gold, verdicts = judged(sample, planted, right, rng)
    design = Design(clusters=evenly(sample, naive=naive), resamples=RESAMPLES, seed=seed.child("resamples"))
    found = pair_figures(gold, verdicts, design)
    return [missed(found[each], truth[each]) for each in (("Cohen's kappa",) if naive else OF_A_PAIR)]


def _graded_figures(ratings: Floats, design: Design) -> dict[str, MeasuredFigure]:
    binary = (ratings > CUT[0]).astype(np.float64)
    grades = np.digitize(ratings, GRADES)
    found = rater_agreement(binary, 2, design)
    ordered = pair_agreement(grades[:, 0], grades[:, 1], list("abcde"), design, ordered=True)
    weighted = {"weighted kappa, linear": ordered.kappa_linear, "weighted kappa, quadratic": ordered.kappa_quadratic}
    return {
        "pairwise agreement": found.pairwise,
        "alpha of raters": found.alpha,
        "Fleiss' kappa": found.fleiss,
        "AC1 of raters": found.ac1,
        "flip rate": repeat_stability(binary, design).flip_rate,
        "alpha, ordinal": krippendorff_alpha(grades.astype(np.float64), "ordinal", design),
        "alpha, interval": krippendorff_alpha(ratings, "interval", design),
        "Pearson": pearson_correlation(ratings[:, 0], ratings[:, 1], design),
        "Spearman": spearman_correlation(grades[:, 0], grades[:, 1], design),
        **{each: one for each, one in weighted.items() if one is not None},
    }


def _exact_of_raters() -> dict[str, float]:
    two, five = joint_of_raters(CUT), joint_of_raters(GRADES)
    alike, share = float(np.trace(two)), two.sum(0)
    # middle ranks of the five grades, as ties share them
    ranks = np.cumsum(five.sum(0)) - five.sum(0) / 2
    places = np.arange(5.0)
    centred = ranks - five.sum(0) @ ranks
    return {
        "pairwise agreement": alike,
        "alpha of raters": _alpha(two, np.array([0.0, 1.0])),
        "Fleiss' kappa": _alpha(two, np.array([0.0, 1.0])),
        "AC1 of raters": float((alike - 2 * share[0] * share[1]) / (1 - 2 * share[0] * share[1])),
        "flip rate": 1 - alike,
        "alpha, ordinal": _alpha(five, ranks),
        "alpha, interval": 1 / (1 + NOISE**2),
        "Pearson": 1 / (1 + NOISE**2),
        "Spearman": float(centred @ five @ centred / (five.sum(0) @ centred**2)),
        "weighted kappa, linear": _weighted(five, np.abs(places[:, None] - places)),
        "weighted kappa, quadratic": _weighted(five, (places[:, None] - places) ** 2),
    }


def _weighted(joint: Floats, off: Floats) -> float:
    return float(1 - (joint * off).sum() / (joint.sum(1) @ off @ joint.sum(0)))


OF_RATERS = _exact_of_raters()


@promising(FAMILY, *(interval(f"{each}: {{}}") for each in OF_RATERS), named="raters, {}")
def raters(seed: Seed, sample: tuple[int, int]) -> list[float]:
    """Three raters of the same units, by labels, grades and points."""
    given = rated(*sample, 3, generator(seed))
    design = Design(clusters=evenly(sample), resamples=RESAMPLES, seed=seed.child("resamples"))
    found = _graded_figures(given, design)
    return [missed(found[each], value) for each, value in OF_RATERS.items()]


@promising(
    FAMILY,
    *(interval(f"{each}: {{}}") for each in ("judge with people", "people with people", "their gap")),
    named="human ceiling, {}",
)
def _ceiling(seed: Seed, sample: tuple[int, int]) -> list[float]:
    """Judge with people less people with people; people err in .15 each on their own, the judge in .1."""
    # both right or both wrong, as there are two labels
    alike, among = 0.9 * 0.85 + 0.1 * 0.15, 0.85**2 + 0.15**2
    wrong = special.ndtr(hidden(*sample, generator(seed), 4)) < np.array([0.1, 0.15, 0.15, 0.15])
    judged = wrong.astype(np.float64)
    found = human_ceiling(judged[:, 0], judged[:, 1:], Design(clusters=evenly(sample), seed=seed.child("resamples")))
    return [missed(found.judge, alike), missed(found.people, among), missed(found.gap, alike - among)]


EXPERIMENTS = (
    pair("300 units alone, even classes", 250, (300, 1), 0.5, (0.8, 0.8)),
    pair("300 units alone, a tenth broken", 250, (300, 1), 0.1, (0.8, 0.95)),
    pair("20 clusters of 5", 400, (20, 5), 0.5, (0.8, 0.8)),
    pair("60 clusters of 20, a tenth broken", 150, (60, 20), 0.1, (0.8, 0.95)),
    pair("40 clusters of 20: clusters ignored", 100, (40, 20), 0.5, (0.8, 0.8), naive=True),
    raters("20 clusters of 5", 150, (20, 5)),
    raters("100 units alone", 100, (100, 1)),
    _ceiling("200 units alone", 300, (200, 1)),
    _ceiling("20 clusters of 5", 300, (20, 5)),
)
