"""One model's ladder: its figures and its drops, group by group."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mores.analysis.groups import PLACE, Group
from mores.analysis.judge_errors import KnownJudgeErrors
from mores.analysis.results import Results
from mores.benchmarks.ladder.contrasts import (
    RungContrast,
    first_break,
    groups_of,
    min_significant_clusters,
    norms_kept,
    rung_contrasts,
)
from mores.benchmarks.ladder.partial_pooling import PooledPlaces, pooled_places
from mores.benchmarks.ladder.rungs import LadderRun, Rung, RungNormScores, above_guessing, ladder_runs, rung_norm_scores
from mores.core.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLadder:
    """One group of norms: its score on each rung, the drops between them, and beside it the headline.

    `scores` are norms kept, on the scale by which rungs are compared, with the judge's range in their intervals;
    `headlines` are the rungs' headlines, as any medium has them. Either is None where a rung has none. Of a place
    `pooled` is what it stands at if all places are read together, None where they are too few.
    """

    group: Group
    scores: tuple[Estimate | None, ...]
    headlines: tuple[Estimate | None, ...]
    drops: tuple[RungContrast, ...]
    pooled: tuple[Estimate | None, ...] = ()

    @property
    def broken(self) -> RungContrast | None:
        """The first drop that is found and large."""
        return first_break(self.drops)

    @property
    def claims(self) -> bool:
        """True where any of its drops was tested."""
        return any(drop.tested for drop in self.drops)

    @property
    def apart(self) -> int:
        """The most clusters that any of its tested drops has."""
        return max((drop.contrast.clusters for drop in self.drops if drop.tested), default=0)


class Ladder(LadderRun, frozen=True, kw_only=True):
    """One model on the rungs that were run; the first row is all norms, `family` counts the drops that were tested."""

    stood: tuple[RungNormScores, ...]
    rows: tuple[GroupLadder, ...]
    family: int

    @property
    def whole(self) -> GroupLadder:
        """All norms."""
        return self.rows[0]

    @property
    def groups(self) -> tuple[GroupLadder, ...]:
        """Domains, regions and places."""
        return self.rows[1:]

    @property
    def broken(self) -> tuple[GroupLadder, ...]:
        """Groups in which a break is found."""
        return tuple(row for row in self.groups if row.broken is not None)

    @property
    def suspect(self) -> tuple[GroupLadder, ...]:
        """Groups without a break that have a drop which may be the judge's."""
        return tuple(row for row in self.groups if row.broken is None and any(d.may_be_judge for d in row.drops))

    @property
    def needed(self) -> int:
        """Clusters that a group needs for a drop to be found by itself."""
        return min_significant_clusters(self.family)


def ladders(results: Results) -> tuple[Ladder, ...]:
    """The ladder of each model that stood on at least two rungs."""
    return tuple(ladder_of(climb, results.judges) for climb in ladder_runs(results))


def ladder_of(climb: LadderRun, judges: KnownJudgeErrors | None = None) -> Ladder:
    """All figures and claims of one model."""
    stood = tuple(rung_norm_scores(rung, judges) for rung in climb.rungs)
    groups = groups_of(stood)
    found = rung_contrasts(stood, groups)
    pooled = [_pooled(each) for each in stood]
    kept = zip(*(_marked(each.rung, norms_kept(each, groups)) for each in stood), strict=True)
    headlines = zip(*(_headlines(each.rung, groups) for each in stood), strict=True)
    rows = tuple(
        _row(group, scores, shown, found.of[group], pooled)
        for group, scores, shown in zip(groups, kept, headlines, strict=True)
    )
    return Ladder(label=climb.label, rungs=climb.rungs, stood=stood, rows=rows, family=found.family)


def _row(
    group: Group,
    scores: tuple[Estimate | None, ...],
    headlines: tuple[Estimate | None, ...],
    drops: Sequence[RungContrast],
    pooled: Sequence[PooledPlaces],
) -> GroupLadder:
    """One group, each drop of which is known to start above guessing or not, by the score that a reader sees."""
    starts = zip(drops, scores[:-1], strict=True)
    known = tuple(replace(drop, grounded=_starts_above(drop) and above_guessing(before)) for drop, before in starts)
    drawn = tuple(each.get(group.value) for each in pooled) if group.kind == PLACE and any(pooled) else ()
    return GroupLadder(group=group, scores=scores, headlines=headlines, drops=known, pooled=drawn)


def _pooled(stood: RungNormScores) -> PooledPlaces:
    return {name: stood.rung.evaluation.marked(figure) for name, figure in pooled_places(stood).items()}


def _marked(rung: Rung, figures: Sequence[Estimate | None]) -> list[Estimate | None]:
    """Figures with what has to be known of the rung's answers."""
    return [None if each is None else rung.evaluation.marked(each) for each in figures]


def _starts_above(drop: RungContrast) -> bool:
    """True where its own norms are better than guessing on the rung before, on average; a figure may be of more."""
    return drop.contrast.ends is None or drop.contrast.ends[0] > 0


def _headlines(rung: Rung, groups: Sequence[Group]) -> list[Estimate | None]:
    """The rung's headline in each group."""
    whole = rung.evaluation.whole()
    by = {kind: rung.evaluation.by(kind) for kind in {group.kind for group in groups}}
    return [by[group.kind].get(group.value) if group.kind else whole for group in groups]
