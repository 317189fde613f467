"""One model's ladder: its figures and its drops, group by group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.findings import JudgesKnown
from mores.reports.ladder import pictures, words
from mores.reports.ladder.drops import Drop, Group, fallen, fewest_apart, first_break, groups_of
from mores.reports.ladder.kept import kept
from mores.reports.ladder.rungs import Climb, Rung, above_guessing, corrected
from mores.reports.ladder.standing import Stood, stand
from mores.stats.intervals import FEWEST
from mores.stats.judged_contrast import FLAWLESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One group of norms: its score on each rung, the drops between them, and beside it the headline.

    `scores` are norms kept, on the scale by which rungs are compared, with the judge's range in their intervals;
    `figures` are the rungs' headlines, corrected for guessing. Either is None where a rung has none.
    """

    group: Group
    scores: tuple[Estimate | None, ...]
    figures: tuple[Estimate | None, ...]
    drops: tuple[Drop, ...]

    @property
    def kind(self) -> str:
        """The kind of group; empty for all norms."""
        return self.group.kind

    @property
    def name(self) -> str:
        """The group's name; a place's English one."""
        return wording.group_name(*self.group) if self.group.kind else "All norms"

    @property
    def broken(self) -> Drop | None:
        """The first drop that is found and large."""
        return first_break(self.drops)

    @property
    def claims(self) -> bool:
        """True where any of its drops was tested."""
        return any(drop.p is not None for drop in self.drops)

    @property
    def apart(self) -> int:
        """The most clusters that any of its tested drops has."""
        return max((drop.clusters for drop in self.drops if drop.p is not None), default=0)

    @property
    def picture(self) -> Markup:
        """Its line over the rungs."""
        return pictures.small(self.scores, self.breaks_on)

    @property
    def breaks_on(self) -> int | None:
        """The number of the rung that the break leads to."""
        found = self.broken
        return None if found is None else self.drops.index(found) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """One model on the rungs that were run; the first row is all norms, `family` counts the drops that were tested."""

    climb: Climb
    stood: tuple[Stood, ...]
    rows: tuple[Row, ...]
    family: int

    @property
    def label(self) -> str:
        """The model's name."""
        return self.climb.label

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The rungs that were run, from the ground up."""
        return self.climb.rungs

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return self.climb.simulated

    @property
    def whole(self) -> Row:
        """All norms."""
        return self.rows[0]

    @property
    def groups(self) -> tuple[Row, ...]:
        """Domains, regions and places."""
        return self.rows[1:]

    @property
    def broken(self) -> tuple[Row, ...]:
        """Groups in which a break is found."""
        return tuple(row for row in self.groups if row.broken is not None)

    @property
    def picture(self) -> Markup:
        """All norms' line over the rungs, large."""
        return pictures.large(self.whole.scores, [rung.name for rung in self.rungs], self.whole.breaks_on)

    @property
    def meaning(self) -> tuple[str, ...]:
        """What the break of all norms means."""
        return tuple(words.meaning(self.whole.drops, self.climb, self.whole.scores[0]))

    @property
    def needed(self) -> int:
        """Clusters that a group needs for a drop to be found by itself."""
        return fewest_apart(self.family)

    def told(self, row: Row) -> str:
        """Where one group breaks, in a sentence without its name."""
        return words.told_break(row.drops, self.family)

    @property
    def told_judges(self) -> str:
        """What is known of the judges of its rungs, and what that means for a drop."""
        return words.judges({stood.rung.name: stood.judge for stood in self.stood if stood.judge is not FLAWLESS})

    @property
    def suspect(self) -> tuple[Row, ...]:
        """Groups without a break that have a drop which may be the judge's."""
        return tuple(row for row in self.groups if row.broken is None and any(d.may_be_judge for d in row.drops))

    @property
    def told_groups(self) -> str:
        """In how many groups a break is found, out of how many that could be asked, and how many are too small."""
        asked = [row for row in self.groups if row.claims]
        if not asked:
            return f"No group has the {FEWEST} norms, drawn apart, that a claim takes."
        kinds = Counter(row.kind for row in asked)
        listed = ", ".join(f"{n} {wording.kinds_name(kind) if n > 1 else kind}" for kind, n in kinds.items())
        found = "a break is found in " + (f"{len(self.broken)} of them" if self.broken else "none of them")
        return f"Claims are made about {len(asked)} groups ({listed}); {found}.{self._told_small(asked)}"

    def _told_small(self, asked: Sequence[Row]) -> str:
        small = sum(row.apart < self.needed for row in asked)
        if not small:
            return ""
        return (
            f" Among {self.family} claims a group needs {self.needed} norms, or bundles of norms, for a drop to be "
            f"found by itself; {small} {'has' if small == 1 else 'have'} fewer."
        )


def ladder_of(climb: Climb, judges: JudgesKnown | None = None) -> Ladder:
    """All figures and claims of one model."""
    known = judges or JudgesKnown()
    stood = tuple(
        stand(rung, known.labelled.get(rung.cell.folder, known.stated) if rung.judged else FLAWLESS)
        for rung in climb.rungs
    )
    groups = groups_of(stood)
    found = fallen(stood, groups)
    rows = tuple(_row(stood, group, found.of[group]) for group in groups)
    return Ladder(climb=climb, stood=stood, rows=rows, family=found.family)


def _row(stood: Sequence[Stood], group: Group, drops: Sequence[Drop]) -> Row:
    """One group, each drop of which is known to start above guessing or not, by the score that a reader sees."""
    scores = tuple(kept(each, group) for each in stood)
    starts = zip(drops, scores[:-1], strict=True)
    known = tuple(replace(drop, grounded=_starts_above(drop) and above_guessing(before)) for drop, before in starts)
    return Row(group=group, scores=scores, figures=tuple(_figure(each.rung, group) for each in stood), drops=known)


def _starts_above(drop: Drop) -> bool:
    """True where its own norms are better than guessing on the rung before, on average; a figure may be of more."""
    return drop.ends is None or drop.ends[0] > 0


def _figure(rung: Rung, group: Group) -> Estimate | None:
    found = rung.cell.by(group.kind).get(group.value) if group.kind else rung.cell.whole()
    return None if found is None else corrected(found, rung)
