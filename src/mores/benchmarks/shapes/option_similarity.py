"""Similarity of right and other options to the name of the place: figures of `baseline/similarity` alone.

The model's cosines, a question at a time ─▶ their means with intervals ─▶ the published test and a paired one beside.

The paper compares "the correct option" with the "options average" (0.166 and 0.145) by a Kruskal-Wallis test, p < 0.01,
and does not say what was averaged. Two readings are given: against every other option as a value of its own, and
against each question's mean of the others. Both take as independent what comes from one question; Wilcoxon's
signed-rank test on the differences within questions does not.

Source:
    Chiu et al. (2024), CulturalBench, arXiv:2410.02677, section 5.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct, structs

from mores.analysis.aggregate import estimated
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.core.arrays import Codes, Floats
from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.estimate import Estimate, Missing, pools
from mores.core.seeds import Seed
from mores.core.transcript import Item
from mores.models.model import Model, Similarities
from mores.models.similarity import NAME, has_options
from mores.stats.intervals import Interval, mean_interval
from mores.stats.paired import compare_paired
from mores.stats.ranks import RankTest, kruskal_wallis, signed_rank

_NO_INTERVAL = Missing(code="interval_of_p")


def _cosine(name: str, says: str) -> Metric:
    return Metric(name=name, unit="question", says=says, low=-1.0, high=1.0)


METRICS = (
    _cosine("similarity_correct", "mean cosine of the right option with the name of the place"),
    _cosine("similarity_others", "mean cosine of a question's other options with the name of the place"),
    _cosine("similarity_difference", "cosine of the right option less the mean of the question's others"),
    Metric(name="kruskal_wallis_p", unit="question", says="p of right options against all others", better="lower"),
    Metric(name="kruskal_wallis_p_of_means", unit="question", says="p of right options against means of others",
           better="lower"),
    Metric(name="wilcoxon_p", unit="question", says="p of the differences within questions", better="lower"),
)  # fmt: skip
"""What each of these figures says: no card does, as they are of one baseline and not of the benchmark."""


class OptionCosines(Struct, frozen=True, kw_only=True):
    """Cosines with the name of the place: of each question's right option, and of its others one by one.

    `of` says which question each of the others belongs to; `clusters` and `places` have one entry a question.
    """

    correct: Floats
    others: Floats
    of: Codes
    clusters: tuple[str, ...]
    places: tuple[str, ...]

    @property
    def means(self) -> Floats:
        """The mean of each question's others."""
        return np.asarray(np.bincount(self.of, self.others) / np.bincount(self.of))


def check_options(model: Model | None, items: Sequence[Item], name: str) -> None:
    """Refuse `baseline/similarity` where there are no options to compare.

    Raises:
        InputError: a question has none.
    """
    if model is None or model.similarities is None:
        return
    if not all(isinstance(i, ClosedItem) and has_options(i.key()) for i in items):
        raise InputError(
            f"{name}: {NAME} needs questions with options to compare with the name of a place, "
            "such as those of culturalbench/easy."
        )


async def similarity_figures(model: Model | None, items: Sequence[Item], setting: Setting) -> tuple[Estimate, ...]:
    """The figures of `METRICS` over all items; none for any other model, or where none is asked.

    Raises:
        InputError: a question has no options, or the embedding model cannot be loaded.
    """
    if model is None or model.similarities is None:
        return ()
    closed = [item for item in items if isinstance(item, ClosedItem)]
    if not closed:
        return ()
    return figures_of(
        await cosines_of(model.similarities, closed), setting.seed.child("intervals", "option similarity")
    )


async def cosines_of(similarities: Similarities, items: Sequence[ClosedItem]) -> OptionCosines:
    """The cosines of all options of some questions."""
    cosines = await similarities([item.key() for item in items])
    asked = list(zip(items, cosines, strict=True))
    pool = pools(item.about.cluster for item in items)
    others = [(number, c) for number, (i, found) in enumerate(asked) for label, c in found.items() if label != i.gold]
    return OptionCosines(
        correct=np.array([found[item.gold] for item, found in asked]),
        others=np.array([cosine for _, cosine in others]),
        of=np.array([number for number, _ in others], dtype=np.int64),
        clusters=tuple(pool[item.about.cluster] for item in items),
        places=tuple(item.about.place or "" for item in items),
    )


def figures_of(found: OptionCosines, seed: Seed) -> tuple[Estimate, ...]:
    """Means and their difference with intervals, then the tests: each one's p, its statistic told in `method`."""
    means, n, m = found.means, found.correct.size, found.others.size
    paired = compare_paired(
        found.correct, means, found.clusters, strata=found.places, seed=seed.child("similarity_difference")
    )
    difference = Interval(paired.low, paired.high, paired.method, paired.missing)
    signs = signed_rank(found.correct - means)
    every, averaged = kruskal_wallis(found.correct, found.others), kruskal_wallis(found.correct, means)
    return (
        _mean("similarity_correct", found.correct, found, seed),
        _mean("similarity_others", means, found, seed),
        _figure("similarity_difference", paired.difference, difference, n),
        _p("kruskal_wallis_p", every, f"H = {every.statistic:.4f}", f"{n:,} right and {m:,} other options", n),
        _p("kruskal_wallis_p_of_means", averaged, f"H = {averaged.statistic:.4f}", f"{n:,} right, {n:,} means", n),
        _p("wilcoxon_p", signs, f"W+ = {signs.statistic:.10g}", f"{signs.n:,} questions that differ", n),
    )


def _mean(metric: str, values: Floats, found: OptionCosines, seed: Seed) -> Estimate:
    interval = mean_interval(values, found.clusters, strata=found.places, seed=seed.child(metric))
    return _figure(metric, float(values.mean()), interval, values.size)


def _figure(metric: str, value: float, interval: Interval, n: int) -> Estimate:
    found = estimated(metric, value, interval, asked=n)
    return structs.replace(found, worst=found.value, best=found.value)


def _p(metric: str, test: RankTest, statistic: str, over: str, n: int) -> Estimate:
    """A test's p to six digits, so that the last bit of a sum does not differ between machines."""
    p = float(f"{test.p:.6g}")
    method = f"{statistic}; {test.method}; {over}"
    return Estimate(metric=metric, value=p, asked=n, graded=n, worst=p, best=p, method=method, missing=_NO_INTERVAL)


def describe_tests(estimates: Iterable[Estimate]) -> str | None:
    """These figures in one sentence; None where there are none."""
    found = {estimate.metric: estimate for estimate in estimates if not estimate.group}
    if any(metric.name not in found for metric in METRICS):
        return None
    right, others, difference, every, averaged, signs = (found[metric.name] for metric in METRICS)
    return (
        f"cosine with the name of the place: right option {_ends(right)}, the others {_ends(others)}, "
        f"apart {_ends(difference)}; Wilcoxon {_chance(signs)}; Kruskal-Wallis {_chance(every)}, "
        f"of means {_chance(averaged)}"
    )


def _ends(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _chance(estimate: Estimate) -> str:
    statistic = estimate.method.partition(";")[0]
    return f"{statistic}, p = {estimate.value:.2g}"
