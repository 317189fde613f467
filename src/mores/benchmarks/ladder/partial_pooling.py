"""Places with few norms, read together: what each stands at on a rung, drawn towards its region and its domains.

It stands beside the raw figure and bears no claim: a drop is a place's own. The mean is of norms alike, whatever the
labels of their scenes, and was judged as the raw one: each judge of the range is looked at, and the widest is told.
"""

from collections.abc import Mapping
from math import hypot, sqrt

import numpy as np

from mores.benchmarks.ladder.rungs import RungNormScores
from mores.core.arrays import Mask
from mores.core.estimate import CategoricalColumn, Estimate
from mores.stats.intervals import z_quantile
from mores.stats.judged_scores import Corner, RungScores
from mores.stats.partial_pooling import Pooling, pool_places

PooledPlaces = Mapping[str, Estimate]
"""The figure of each place, by its id."""
METHOD = "places read together"
SAYS = (
    "Pooled, under a place: its norms read together with those of all other places. Few norms say little about one "
    "place, so its mean is drawn towards its region and its domains, by as much as chance may have moved it; each norm "
    "counts alike. The interval holds the truth of 95 of 100 places and not of every single one: a place far from all "
    "others is drawn too near to them. No claim rests on it."
)


def pooled_places(stood: RungNormScores) -> PooledPlaces:
    """The figure of each place that has graded norms, by its id; nothing where places are too few to be read together.

    Norms without a place are left out. Regions and domains are taken where each norm has one.
    """
    keys = stood.norms.keys
    place = np.array(keys.place.texts(), dtype=np.str_)
    known = np.isfinite(stood.norms.value) & np.isfinite(stood.verdicts) & (place != "")
    if not known.any():
        return {}
    scores = stood.scores(known)
    groups = {kind: _whole(keys.groups.get(kind), known) for kind in ("region", "domain")}
    clusters = keys.cluster.take(known).texts()
    told = []
    for corner in list(scores.corners)[:3]:
        least, most = scores.reach(*corner)
        kept = np.clip((scores.by(*corner) - least) / (most - least), 0, 1)
        pooling = pool_places(kept, place[known], clusters=clusters, regions=groups["region"], domains=groups["domain"])
        told.append(_on_rung_scale(scores, corner, pooling))
    asked = dict(zip(*np.unique(place, return_counts=True), strict=True))
    return {
        name: Estimate(
            metric="kept", group={"place": name}, value=value, low=min(each[name][1] for each in told),
            high=max(each[name][2] for each in told), asked=int(asked[name]), graded=units, method=METHOD,
        )
        for name, (value, _, _, units) in told[0].items()
    }  # fmt: skip


def _whole(column: CategoricalColumn | None, known: Mask) -> list[str] | None:
    """What norms belong to, where each belongs to something."""
    texts = [] if column is None else column.take(known).texts()
    return [text for text in texts if text] if texts and all(texts) else None


def _on_rung_scale(scores: RungScores, corner: Corner, pooling: Pooling) -> dict[str, tuple[float, float, float, int]]:
    """Each place's mean, ends and norms on the rung's own scale, were these the judge's rates; labels' errors join."""
    least, most = scores.reach(*corner)
    error = z_quantile(0.95) * sqrt(scores.wobble(corner))
    found = {}
    for each in pooling.places:
        mean, low, high = (least + (most - least) * end for end in (each.value, each.low, each.high))
        ends = (mean, mean - hypot(mean - low, error), mean + hypot(high - mean, error))
        mean, low, high = (min(max(end, scores.least), scores.most) for end in ends)
        found[each.place] = (mean, low, high, each.units)
    return found
