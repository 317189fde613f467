"""Whether the paper's five figures rise or fall with the number of cultures that a day's target met.

days ─▶ each day's figure and number of cultures ─▶ the slope over days, clustered by target, corrected over all that
is tested here. Days sort themselves into numbers, so that a slope describes and does not say what causes it.
"""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, adjusted
from mores.analysis.results import Result
from mores.analysis.units import units_of
from mores.benchmarks.liveculture.results.groups import CULTURES
from mores.benchmarks.liveculture.results.town_runs import ADHERENCE, COHERENCE, CONTEXT, FAITHFULNESS, GOAL
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
    nothing = Contrast(
        metric=metric, a=None, b=None, difference=None, low=None, high=None, p=None, p_worse=None, units=0,
        clusters=0, minimum_detectable=None, test="slope", method="jackknife", missing=Missing(code="not_in_this_run"),
    )  # fmt: skip
    if CULTURES not in rows.keys.groups:
        return nothing
    days = units_of(rows, rows.keys.sample)
    kept = np.isfinite(days.value)
    met = [MET[name] for name in days.keys.groups[CULTURES].take(kept).texts()]
    unit, clusters = days.keys.unit.codes[kept], days.keys.cluster.codes[kept]
    found = slope(met, days.value[kept], 1 / np.bincount(unit)[unit], clusters)
    return replace(
        nothing, difference=found.value, low=found.low, high=found.high, p=found.p, units=int(kept.sum()),
        clusters=found.clusters, missing=found.missing, caution=evaluation.caution(metric, {}),
    )  # fmt: skip
