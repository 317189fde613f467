"""The section on items: how many are odd, and the words of those that are."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import ClassVar

from mores.reports.failures import questions_of
from mores.reports.findings import Findings
from mores.reports.items.reading import Flag, ItemRow, ItemTable, item_tables
from mores.stats.items import ENOUGH, ENOUGH_EACH
from mores.stats.reliability import WANTED

FEWEST_MODELS = 3
"""Models from which a report speaks of items at all."""
MOST = 40
"""Odd units of a benchmark whose words a page shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One benchmark on the page, with the words of some units by their first item."""

    table: ItemTable
    words: dict[str, str]

    @property
    def rows(self) -> tuple[ItemRow, ...]:
        """The units shown, the oddest first."""
        return self.table.suspects[:MOST]

    @property
    def told(self) -> str:
        """All that is said of them, in a few sentences."""
        return summary(self.table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """All benchmarks that several models did."""

    id: ClassVar[str] = "items"
    title: ClassVar[str] = "The items themselves"
    template: ClassVar[str] = "items.html.jinja"
    shown: tuple[Shown, ...]

    def lines(self) -> Iterator[str]:
        """A line a benchmark."""
        for each in self.shown:
            yield f"{each.table.benchmark}: {summary(each.table)}"

    def plain(self) -> dict[str, object]:
        """Counts and the reliability of each scale; `mores items --json` has every unit."""
        return {"benchmarks": {each.table.benchmark: plain_table(each.table) for each in self.shown}}


def items(findings: Findings) -> Items | None:
    """The section; None where no benchmark has enough models."""
    busy = {name for name in findings.benchmarks if len({cell.model for cell in findings.on(name)}) >= FEWEST_MODELS}
    cells = tuple(cell for cell in findings.cells if cell.benchmark in busy)
    tables = item_tables(Findings(runs=findings.runs, cells=cells)) if cells else ()
    shown = [_shown(table) for table in tables if len(table.models) >= FEWEST_MODELS]
    return Items(shown=tuple(shown)) if shown else None


def _shown(table: ItemTable) -> Shown:
    some = {row.item for row in table.suspects[:MOST]}
    return Shown(table=table, words=questions_of(table.first, some) if some else {})


def summary(table: ItemTable) -> str:
    """What the models say of a benchmark's units, in a few sentences."""
    counts, models = table.counts, len(table.models)
    base = (
        f"{len(table.rows):,} {table.unit} over {models} model{'s' if models > 1 else ''}: nobody right on "
        f"{counts[Flag.NOBODY]:,}, everybody on {counts[Flag.EVERYBODY]:,}"
    )
    if not table.claims:
        return f"{base}. With fewer than {ENOUGH} models no correlation over models is claimed, only shares."
    chance = f"{0.05 * len(table.rows):.0f}"
    return (
        f"{base}; better models do worse on {counts[Flag.NEGATIVE]:,} (up to {chance} by chance, were all without "
        f"bearing on the rest) and say otherwise than the key on {counts[Flag.RIVAL]:,}. {reliability(table)} "
        f"{families(table)}"
    )


def reliability(table: ItemTable) -> str:
    """The reliability of the scale over models, in a sentence."""
    alpha = table.alpha
    if alpha.value is None or alpha.low is None or alpha.high is None:
        return f"No reliability of the scale: {alpha.why}."
    short = "" if alpha.value >= WANTED else f", under {WANTED}: other {table.unit} may order these models otherwise"
    return (
        f"Reliability of the scale over these models (KR-20, alpha): {alpha.value:.2f} "
        f"[{alpha.low:.2f}, {alpha.high:.2f}], {alpha.items:,} {table.unit}{short}."
    )


def families(table: ItemTable) -> str:
    """Which families were large enough to have items of their own, in a sentence."""
    if not table.families:
        return f"No family has {ENOUGH_EACH} models, with as many others, so none is held against the rest."
    told = ", ".join(f"{group.family} ({group.models} against {group.others})" for group in table.families)
    return f"{told}: works differently on {table.counts[Flag.DIFFERENT]:,} (Mantel–Haenszel, Benjamini–Hochberg)."


def plain_table(table: ItemTable) -> dict[str, object]:
    """The figures of a benchmark without its units."""
    return {
        "metric": table.metric,
        "simulated": table.simulated,
        "models": table.models,
        "left_out": table.left_out,
        "units": len(table.rows),
        "flags": {flag.value: count for flag, count in table.counts.items()},
        "alpha": table.alpha._asdict(),
        "families": [group._asdict() for group in table.families],
    }


def plain_row(row: ItemRow) -> dict[str, object]:
    """One unit for programs."""
    named = {"rival": row.rival and row.rival._asdict(), "odd": [odd._asdict() for odd in row.odd]}
    return {**asdict(row), **named, "flags": [flag.value for flag in row.flags]}
