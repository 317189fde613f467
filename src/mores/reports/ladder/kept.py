"""The score of a group on a rung: norms kept, on the ladder's one scale, with the judge's range in its interval."""

import numpy as np

from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports.differences import together
from mores.reports.ladder.drops import Group, in_group, scored
from mores.reports.ladder.rungs import too_few_norms
from mores.reports.ladder.standing import Stood
from mores.stats.intervals import FEWEST
from mores.stats.judged_contrast import Design, score_interval

DICE = Seed("ladder-kept")


def kept(stood: Stood, group: Group) -> Estimate | None:
    """The mean score of a group's norms; scenes count so that each of their labels counts alike. None without norms."""
    inside = [norm for norm, standing in stood.norms.items() if in_group(group, standing.groups)]
    scores = scored(stood, inside)
    graded = np.isfinite(scores.said) & np.isfinite(scores.verdicts)
    if not inside:
        return None
    standing = [stood.norms[norm] for norm, known in zip(inside, graded.tolist(), strict=True) if known]
    by_label = any(each.score.gold for each in standing)
    strata = [each.score.gold if by_label else each.groups.get("place", "") for each in standing]
    design = Design(together([each.clusters for each in standing]), np.array(strata, dtype=np.str_))
    value, interval = score_interval(
        scores.at(graded), design, weights="equal" if by_label else None, seed=DICE.child(stood.rung.name, *group)
    )
    few = len(standing) < FEWEST
    return Estimate(
        metric="kept",
        group={group.kind: group.value} if group.kind else {},
        value=value if standing else None,
        low=None if few else interval.low,
        high=None if few else interval.high,
        asked=len(inside),
        graded=len(standing),
        method="none" if few else interval.method,
        why=too_few_norms(len(standing)) if few else interval.why,
    )
