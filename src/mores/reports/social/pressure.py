"""How competence falls as pressure rises: a curve over the levels of a run, and the drop from the least to the most.

The drop is paired by scene: the same scene at the weakest and at the strongest level that both were graded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mores.benchmarks.shapes.talks import LEVELS
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports.findings import Finding
from mores.reports.paired_words import OneOfFamily
from mores.reports.social.reading import AWARENESS, CONDUCT, PRESSED, RESPECTED, Scenes, Scores
from mores.stats.multiplicity import holm
from mores.stats.paired import compare_paired

DICE = Seed("report").child("pressure")
RESAMPLES = 1_000
TOLD = {AWARENESS: "noticed unprompted", RESPECTED: "norms respected"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One metric of one cell at each level of pressure, weakest first; None where a level has no figure."""

    cell: Finding
    metric: str
    levels: tuple[str, ...]
    figures: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(OneOfFamily):
    """The share at the weakest level less that at the strongest, over scenes graded at both; `p_holm` is corrected."""

    cell: Finding
    metric: str
    weakest: str
    strongest: str
    before: float
    after: float


def curves_of(cell: Finding, levels: Sequence[str]) -> tuple[Curve, ...]:
    """Awareness, norms respected and the headline at each level; none for a run with one level."""
    if len(levels) < 2:
        return ()
    metrics = dict.fromkeys((AWARENESS, RESPECTED, CONDUCT, cell.headline))
    tables = {metric: cell.by("dimension", metric) for metric in metrics}
    return tuple(
        Curve(
            cell=cell,
            metric=metric,
            levels=tuple(levels),
            figures=tuple(table.get(LEVELS[level].label) for level in levels),
        )
        for metric, table in tables.items()
        if table
    )


def drops_of(scores: Sequence[Scores]) -> tuple[Drop, ...]:
    """The drop of each cell that has several levels, on each metric; p is corrected over all of them."""
    found = [drop for each in scores if len(each.levels) > 1 for drop in _drops(each)]
    corrected = holm([drop.found.p for drop in found])
    return tuple(replace(drop, p_holm=float(p)) for drop, p in zip(found, corrected, strict=True))


def _drops(scores: Scores) -> list[Drop]:
    ends = scores.levels[0], scores.levels[-1]
    return [drop for metric in PRESSED if (drop := _drop(scores.cell, scores.scenes, metric, ends)) is not None]


def _drop(cell: Finding, scenes: Scenes, metric: str, ends: tuple[str, str]) -> Drop | None:
    first, last = (scenes.get((metric, level), {}) for level in ends)
    both = [scene for scene in first if scene in last]
    if not both:
        return None
    before, after = ([of[scene].points for scene in both] for of in (first, last))
    dice = DICE.child(cell.benchmark, cell.model, metric)
    clusters = [first[scene].cluster for scene in both]
    pair = compare_paired(before, after, clusters, resamples=RESAMPLES, seed=dice)
    return Drop(
        cell=cell, metric=metric, weakest=ends[0], strongest=ends[1], before=sum(before) / len(both),
        after=sum(after) / len(both), found=pair,
    )  # fmt: skip
