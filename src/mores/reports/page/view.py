"""What the page shows, put together from findings; the template only lays it out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mores.core.card import Card, Metric
from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.analysis import Analysis, analyses_of
from mores.reports.failures import KINDS, Failure, Kind, Sample, sampled_failures
from mores.reports.findings import Finding, Findings
from mores.reports.order import Order, orders_of
from mores.reports.planted import what_was_made_up
from mores.reports.spread import Spread, spread_of

MOST_FAILURES = 200
"""Wrong answers of one model on one benchmark that a page shows."""
ROOM = 2400
"""Wrong answers that a page shows in all, so that it stays a page."""
LEADING = ("ladder",)
"""Analyses that stand before the benchmarks that they are made from: what a page is opened for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One group with its figure from each model; `kind` is empty for the whole."""

    kind: str
    value: str
    figures: tuple[Estimate | None, ...]

    @property
    def name(self) -> str:
        """The group's name; a place's English one."""
        return wording.group_name(self.kind, self.value) if self.kind else "Everything"

    @property
    def code(self) -> str:
        """A place's code, where it differs from its name."""
        return self.value if self.kind == "place" and self.value != self.name else ""

    @property
    def asked(self) -> int:
        """Units that were asked of whom most were asked."""
        return max((e.asked for e in self.figures if e is not None), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How far the best and the worst place of one model lie apart, and how far they would if all were alike."""

    label: str
    spread: Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """What one model got wrong, with the words."""

    id: str
    cell: Finding
    sample: Sample

    @property
    def kinds(self) -> tuple[tuple[Kind, int, int], ...]:
        """Each kind with how many are shown and how many there are."""
        shown = [failure.kind for failure in self.sample.shown]
        return tuple((k, shown.count(k), self.sample.counts[k]) for k in KINDS if k in self.sample.counts)

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Codes and names of the places that are shown, by name."""
        codes = {failure.place for failure in self.sample.shown if failure.place}
        return tuple(sorted(((code, wording.group_name("place", code)) for code in codes), key=lambda pair: pair[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One benchmark with all models side by side."""

    id: str
    name: str
    cells: tuple[Finding, ...]
    rows: tuple[Row, ...]
    gaps: tuple[Gap, ...]
    orders: tuple[Order, ...]
    failures: tuple[Failures, ...]

    @property
    def card(self) -> Card | None:
        """What the benchmark says of itself; None where this mores does not know it."""
        return self.cells[0].card

    @property
    def headline(self) -> Metric | None:
        """What the card says of the headline."""
        return self.cells[0].metric(self.cells[0].headline)

    @property
    def sizes(self) -> tuple[tuple[str, int], ...]:
        """How many groups there are of each kind."""
        kinds = [row.kind for row in self.rows if row.kind]
        return tuple((kind, kinds.count(kind)) for kind in dict.fromkeys(kinds))

    @property
    def many(self) -> int:
        """Places in the table: the size of the family of claims that it invites."""
        return dict(self.sizes).get("place", 0)

    @property
    def missing(self) -> tuple[str, ...]:
        """Why figures or intervals are missing, each reason once."""
        figures = [e for row in self.rows for e in row.figures if e is not None]
        return tuple(dict.fromkeys(e.why for e in figures if e.why))

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics, the headline first."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.metrics))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One model: the facts known of it and, if its answers were made up, how."""

    name: str
    facts: dict[str, str]
    made_up: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All of the page; `leading` analyses stand before the benchmarks, the others after them."""

    runs: tuple[Path, ...]
    simulated: bool
    sections: tuple[Section, ...]
    leading: tuple[Analysis, ...]
    analyses: tuple[Analysis, ...]
    subjects: tuple[Subject, ...]
    cells: tuple[Finding, ...]
    changes: tuple[str, ...]


def view_of(findings: Findings, also: Sequence[Analysis] = ()) -> View:
    """The page's contents; transcripts of a sample of wrong answers are read for it.

    `also` are sections beside those that runs have by themselves.
    """
    analyses = (*analyses_of(findings), *also)
    most = min(MOST_FAILURES, max(1, ROOM // max(1, len(findings.cells))))
    return View(
        runs=findings.runs,
        changes=findings.changes,
        simulated=findings.simulated,
        sections=tuple(_section(name, findings.on(name), most) for name in findings.benchmarks),
        leading=tuple(each for each in analyses if each.id in LEADING),
        analyses=tuple(each for each in analyses if each.id not in LEADING),
        subjects=tuple(_subject(findings.of(label)) for label in findings.labels),
        cells=findings.cells,
    )


def _section(name: str, cells: tuple[Finding, ...], most: int) -> Section:
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    failures = tuple(
        Failures(id=f"{slug}-words-{number}", cell=cell, sample=sampled_failures(cell, most))
        for number, cell in enumerate(cells, start=1)
    )
    rows, orders = _rows(cells), tuple(orders_of(cells))
    return Section(id=slug, name=name, cells=cells, rows=rows, gaps=_gaps(cells), orders=orders, failures=failures)


def _rows(cells: Sequence[Finding]) -> tuple[Row, ...]:
    rows = [Row(kind="", value="", figures=tuple(cell.whole() for cell in cells))]
    for kind in dict.fromkeys(kind for cell in cells for kind in cell.kinds):
        tables = [cell.by(kind) for cell in cells]
        values = dict.fromkeys(value for table in tables for value in table)
        found = [Row(kind=kind, value=value, figures=tuple(table.get(value) for table in tables)) for value in values]
        rows += sorted(found, key=lambda row: row.name)
    return tuple(rows)


def _gaps(cells: Sequence[Finding]) -> tuple[Gap, ...]:
    found = ((cell.label, spread_of(cell)) for cell in cells)
    return tuple(Gap(label=label, spread=spread) for label, spread in found if spread is not None)


def _subject(cells: Sequence[Finding]) -> Subject:
    facts = {name: value for cell in cells for name, value in cell.provenance.facts.items() if value}
    return Subject(name=cells[0].label, facts=facts, made_up=what_was_made_up(cells[0].model))


def words_of(failure: Failure) -> str:
    """What was wanted and what was read, in words."""
    if failure.kind == "wrong reason":
        return f"read {failure.label}, which is right; the reasons are not good"
    wanted = f"wanted {failure.gold}" if failure.gold is not None else ""
    read = f"read {failure.label}" if failure.label is not None else failure.reason
    return ", ".join(part for part in (wanted, read) if part)
