"""Whether the paper's five figures rise or fall with the number of cultures that a day's target met.

days ─▶ each day's figure and number of cultures ─▶ the slope over days, clustered by target, corrected over all that
is tested here. Days sort themselves into numbers, so that a slope describes and does not say what causes it.
"""

from collections.abc import Sequence

import numpy as np

from mores.analysis.contrast import Contrast, adjusted
from mores.analysis.results import Result
from mores.analysis.units import units_of
from mores.benchmarks.liveculture.lived.groups import CULTURES
from mores.benchmarks.liveculture.lived.reading import ADHERENCE, COHERENCE, CONTEXT, FAITHFULNESS, GOAL
from mores.benchmarks.shapes.days.grading import MET
from mores.core.estimate import Missing
from mores.stats.covariate import slope

FIVE = (GOAL, ADHERENCE, FAITHFULNESS, CONTEXT, COHERENCE)
"""The paper's metrics (its section 2.6.1)."""


def trends_of(evaluations: Sequence[Result]) -> tuple[tuple[Result, Contrast], ...]:
    """The change of each figure of each model for one culture more; p is corrected over all of these."""
    found = [(each, _trend(each, metric)) for each in evaluations for metric in FIVE if metric in each.metrics]
    corrected = adjusted([trend for _, trend in found])
    return tuple((each, trend) for (each, _), trend in zip(found, corrected, strict=True))


def _trend(evaluation: Result, metric: str) -> Contrast:
    """The slope over days; seven stands for more too, as in the paper's last row."""
    rows = evaluation.scores[metric]
    names = rows.keys.groups.get(CULTURES)
    if names is None:
        return _of(metric, 0, missing=Missing(code="not_in_this_run"))
    days = units_of(rows, rows.keys.sample)
    kept = np.isfinite(days.value)
    met = [MET[name] for name in days.keys.groups[CULTURES].take(kept).texts()]
    unit, clusters = days.keys.unit.codes[kept], days.keys.cluster.codes[kept]
    found = slope(met, days.value[kept], 1 / np.bincount(unit)[unit], clusters)
    return _of(
        metric,
        int(kept.sum()),
        figures=(found.value, found.low, found.high, found.p),
        clusters=found.clusters,
        missing=found.missing,
    )


def _of(
    metric: str,
    days: int,
    figures: tuple[float | None, ...] = (None,) * 4,
    clusters: int = 0,
    missing: Missing | None = None,
) -> Contrast:
    value, low, high, p = figures
    return Contrast(
        metric=metric, a=None, b=None, difference=value, low=low, high=high, p=p, p_worse=None, units=days,
        clusters=clusters, minimum_detectable=None, test="slope", method="jackknife", missing=missing,
    )  # fmt: skip
