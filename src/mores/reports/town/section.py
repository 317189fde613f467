"""The section on days in town: the front, the readings of adherence, groups and settings, for all who read a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.findings import Finding, Findings
from mores.reports.town import pictures
from mores.reports.town.front import REDRAWS, Front, Spot, front_of
from mores.reports.town.groups import NATIONALITY, Table, spots_of, tables_of
from mores.reports.town.reading import (
    ABSENT,
    ADHERENCE,
    APPLICABLE,
    COHERENCE,
    CONTEXT,
    FAITHFULNESS,
    GOAL,
    MEAN,
    ON_TIME,
    Lived,
    figure_of,
    lived_in_town,
    rivals_of,
    told_conditions,
    why_apart,
)
from mores.reports.town.settings import Change, Series, changes_of, series_of

READINGS = {
    ADHERENCE: "Steps without a violation",
    MEAN: "Norms not violated, of all of the place",
    APPLICABLE: "Norms respected, of those that came up",
    ABSENT: "Norms that did not apply",
}
"""The three readings of adherence, and the share that tells the second from the third."""
BESIDE = {
    GOAL: "Tasks done",
    ON_TIME: "Done in time",
    FAITHFULNESS: "Fits the profile",
    CONTEXT: "Fits the situation",
    COHERENCE: "Follows from before",
}
JUDGED_AGAIN = (
    "judged again. A task that the verifier of the day called done was not asked about at later steps, so what that "
    "verifier wrongly called done can only count as not done here, and tasks done lean towards its mistakes."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """One model's own picture: it as a whole, and its nationalities or its runs as points.

    `labels` stand beside the points; `left_out` are the nationalities with too few days.
    """

    cell: Finding
    conditions: str
    of: str
    whole: Spot | None
    spots: tuple[Spot, ...]
    labels: tuple[str, ...]
    left_out: int = 0

    @property
    def picture(self) -> Markup:
        """The points, without a front: parts of one model are no rivals."""
        return pictures.plane(self.spots, self.labels, front=False, whole=self.whole)


@dataclass(frozen=True, kw_only=True)
class Town:
    """All that the runs say of days in town; `apart` says why models are not held against each other."""

    id: ClassVar[str] = "town"
    title: ClassVar[str] = "Days in town: what gets done, and whose norms are kept"
    template: ClassVar[str] = "town.html.jinja"
    lived: tuple[Lived, ...]
    fronts: tuple[Front, ...]
    singles: tuple[Single, ...]
    tables: tuple[Table, ...]
    series: tuple[Series, ...]
    changes: tuple[Change, ...]
    apart: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[Finding, ...]:
        """One model in one run each."""
        return tuple(each.cell for each in self.lived)

    @property
    def simulated(self) -> bool:
        """True where any day was made up."""
        return any(cell.simulated for cell in self.cells)

    @property
    def rejudged(self) -> tuple[Finding, ...]:
        """Those whose days were judged again."""
        return tuple(each.cell for each in self.lived if each.rejudged)

    @property
    def readings(self) -> dict[str, str]:
        """Metrics of adherence, in words."""
        return READINGS

    @property
    def beside(self) -> dict[str, str]:
        """Metrics that stand beside adherence, in words."""
        return BESIDE

    @property
    def redraws(self) -> int:
        """How often days are redrawn."""
        return REDRAWS

    @property
    def significant(self) -> int:
        """Changes that are significant after correction."""
        return sum(change.significant for change in self.changes)

    @property
    def judged_again(self) -> str:
        """What days that were judged again cannot tell."""
        return JUDGED_AGAIN

    def drawn(self, front: Front) -> Markup:
        """A front's picture; its models bear their numbers in the table."""
        labels = [str(number) for number in range(1, len(front.spots) + 1)]
        return pictures.plane(front.spots, labels, front=True)

    def lines(self) -> Iterator[str]:
        """A line for each model, each front and what each setting changed."""
        yield from (_standing(cell) for cell in self.cells)
        yield from (_front(front) for front in self.fronts)
        yield from (f"Not held against each other: {why}" for why in self.apart)
        if self.rejudged:
            yield f"{', '.join(cell.label for cell in self.rejudged)}: {JUDGED_AGAIN}"
        for single in self.singles:
            made_up = " (simulated)" if single.cell.simulated else ""
            yield f"{single.cell.model}{made_up} alone, so there is no front: the page shows its {single.of} as points."
        if self.changes:
            yield f"{self.significant} of {len(self.changes)} changes by a setting are significant at .05 after Holm."
        yield from map(_change, self.changes)

    def plain(self) -> dict[str, object]:
        """All figures of the section."""
        metrics = (*READINGS, *BESIDE)
        return {
            "simulated": self.simulated,
            "standing": [
                {**_named(cell), "figures": {metric: cell.whole(metric) for metric in metrics}} for cell in self.cells
            ],
            "fronts": [_plain_front(front) for front in self.fronts],
            "apart": self.apart,
            "judged_again": [_named(cell) for cell in self.rejudged],
            "single": [
                {**_named(each.cell), "of": each.of, "left_out": each.left_out, "points": each.spots}
                for each in self.singles
            ],
            "groups": {
                table.kind: [
                    {**_named(cell), "group": group.value, "figures": figures}
                    for group in table.groups
                    for cell, figures in zip(table.cells, group.figures, strict=True)
                ]
                for table in self.tables
            },
            "settings": {
                "family": len(self.changes),
                "figures": [_plain_series(each) for each in self.series],
                "changes": [_plain_change(each) for each in self.changes],
            },
        }


def town(findings: Findings) -> Town | None:
    """What some runs say of days in town; None where nobody lived one.

    Raises:
        InputError: verdicts cannot be read.
    """
    lived = lived_in_town(findings)
    if not lived:
        return None
    tables, series = tables_of(lived), series_of(lived)
    rivals = rivals_of(lived)
    return Town(
        lived=lived,
        fronts=tuple(front_of(group) for group in rivals),
        singles=_singles(lived, rivals, tables),
        tables=tables,
        series=series,
        changes=changes_of(series),
        apart=why_apart(lived),
    )


def _singles(lived: Sequence[Lived], rivals: Sequence[Sequence[Lived]], tables: Sequence[Table]) -> tuple[Single, ...]:
    """A picture for each model that no other stands beside: of its runs, where it has several, else of its origins."""
    paired = {each.cell.label for group in rivals for each in group}
    alone = [each for each in lived if each.cell.label not in paired]
    by_nationality = next((table for table in tables if table.kind == NATIONALITY), None)
    found = []
    for model in dict.fromkeys(each.cell.model for each in alone):
        runs = [each for each in alone if each.cell.model == model]
        if len(runs) > 1:
            found.append(_of_runs(runs))
        elif by_nationality is not None:
            found.append(_of_origins(runs[0], by_nationality))
    return tuple(found)


def _of_runs(runs: Sequence[Lived]) -> Single:
    """Runs of one model, each named by what tells it from the others: settings, or how it was judged."""
    published = {gone.setting: gone.published for each in runs for gone in each.cell.provenance.departures}
    terms = [{**published, **each.unusual} for each in runs]
    differing = [name for name in sorted(published) if len({each[name] for each in terms}) > 1]
    names = [", ".join(f"{name} {each[name]}" for name in differing) for each in terms]
    spots = tuple(_spot(name or each.cell.label, each) for name, each in zip(names, runs, strict=True))
    labels = tuple(str(number) for number in range(1, len(runs) + 1))
    return Single(cell=runs[0].cell, conditions="", of="runs", whole=None, spots=spots, labels=labels)


def _of_origins(lived: Lived, table: Table) -> Single:
    found = spots_of(lived.cell, table)
    there = sum(bool(group.figures[table.cells.index(lived.cell)]) for group in table.groups)
    return Single(
        cell=lived.cell,
        conditions=told_conditions([lived]),
        of="nationalities",
        whole=_spot(lived.cell.label, lived),
        spots=tuple(spot for spot, _ in found),
        labels=tuple(code for _, code in found),
        left_out=there - len(found),
    )


def _spot(name: str, lived: Lived) -> Spot:
    return Spot(name=name, goal=figure_of(lived.cell, GOAL), adherence=figure_of(lived.cell, ADHERENCE))


def _named(cell: Finding) -> dict[str, object]:
    return {"model": cell.label, "benchmark": cell.benchmark, "simulated": cell.simulated}


def _who(cell: Finding) -> str:
    return f"{cell.label}{' (simulated)' if cell.simulated else ''}"


def _told(figure: Estimate | None) -> str:
    if figure is None or figure.value is None:
        why = f" ({figure.why})" if figure is not None and figure.why else ""
        return f"{wording.DASH}{why}"
    return f"{wording.number(figure.value)} {wording.interval(figure)}, n {wording.counted(figure)}"


def _standing(cell: Finding) -> str:
    words = {GOAL: "tasks done", ADHERENCE: "steps without a violation", MEAN: "norms not violated",
             APPLICABLE: "respected of those that came up", ABSENT: "did not apply"}  # fmt: skip
    return f"{_who(cell)}: " + "; ".join(f"{name} {_told(cell.whole(metric))}" for metric, name in words.items())


def _front(front: Front) -> str:
    best = ", ".join(f"{spot.name}{_sure(spot)}" for spot in front.best) or "nobody"
    beaten = "; ".join(
        f"{spot.name} is dominated by {', '.join(spot.beaten_by)}" for spot in front.spots if spot.beaten_by
    )
    missing = ", ".join(spot.name for spot in front.spots if not spot.placed)
    told = (beaten, f"without a figure of both: {missing}" if missing else "")
    made_up = " (simulated)" if front.simulated else ""
    return f"Goal against adherence, {len(front.spots)} models{made_up}; on the front: {best}" + "".join(
        f"; {words}" for words in told if words
    ) + "."  # fmt: skip


def _sure(spot: Spot) -> str:
    return "" if spot.sure is None else f" ({100 * spot.sure:.0f}% of redraws)"


def _change(change: Change) -> str:
    series, pair = change.series, change.found
    words = {GOAL: "tasks done", ADHERENCE: "steps without a violation"}[change.metric]
    return (
        f"{series.cell.model}{' (simulated)' if series.cell.simulated else ''}, {series.title} {series.values[0]} to "
        f"{series.values[-1]}, {words}: {change.told} points, {wording.chance_of(change.p_holm)} after Holm, "
        f"n {pair.units:,} days."
    )


def _plain_front(front: Front) -> dict[str, object]:
    return {
        "conditions": front.conditions,
        "simulated": front.simulated,
        "points": [
            {**_named(each.cell), "goal": spot.goal, "adherence": spot.adherence,
             "on_front": spot.on_front if spot.placed else None, "dominated_by": spot.beaten_by,
             "on_front_in_redraws": spot.sure}
            for each, spot in zip(front.lived, front.spots, strict=True)
        ],
    }  # fmt: skip


def _plain_series(series: Series) -> dict[str, object]:
    return {
        "model": series.cell.model, "simulated": series.cell.simulated, "setting": series.setting,
        "values": {
            value: {metric: each.cell.whole(metric) for metric in (*READINGS, GOAL)}
            for value, each in zip(series.values, series.lived, strict=True)
        },
    }  # fmt: skip


def _plain_change(change: Change) -> dict[str, object]:
    pair = change.found
    return {
        "model": change.series.cell.model, "setting": change.series.setting, "metric": change.metric,
        "from": change.series.values[0], "to": change.series.values[-1], "difference": pair.difference,
        "low": pair.low, "high": pair.high, "p": pair.p, "p_holm": change.p_holm, "days": pair.units,
        "test": pair.test, "method": pair.method, "why": pair.why,
    }  # fmt: skip
