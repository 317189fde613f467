"""The report for a terminal: headlines, then the weakest and strongest places and groups, models side by side.

Groups are put in order where their order is reliable; else few are listed by name, and many are left to the page.

It fits 80 columns, and says the same without colours and in a pipe.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from mores.benchmarks.shapes import option_similarity
from mores.core.estimate import Estimate
from mores.core.visible import unfiltered, visible
from mores.reports import wording
from mores.reports.analysis import analyses_of
from mores.reports.findings import Finding, Findings
from mores.reports.order import Order, order_of
from mores.reports.spread import spread_of

PAGE = "report.html"
WIDTH = 80
ABREAST = 2
"""Models side by side in one table of groups; more go below."""
ALL_UP_TO = 8
ENDS = 3
"""Groups shown at each end where there are more than ALL_UP_TO."""
LONG = 2
"""Benchmarks above which only places are broken down; the page has all groups."""
_PLACE_GROUPINGS = ("region", "continent", "wvs_group")


def print_table(findings: Findings, folder: Path) -> None:
    """Print the report of some runs; `folder` is where the page lies, which is named if it is there."""
    page = folder / PAGE
    show(_parts(findings))
    if page.is_file():
        sys.stdout.write(f"All figures, and the words asked and answered: {page}\n")


class VisibleConsole(Console):
    """A console whose colours and movements are its own: of what it lays out, only visible text passes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is shown."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def show(parts: Iterable[RenderableType]) -> None:
    """Print parts on standard output: at the width of a screen, else 80 columns wide without spaces at line ends.

    No markup is read in what models and data say.
    """
    console = VisibleConsole(file=unfiltered(sys.stdout), markup=False, emoji=False, highlight=False)
    if console.is_terminal:
        console.print(*parts, sep="\n")
        return
    console.width = WIDTH
    with console.capture() as captured:
        console.print(*parts, sep="\n")
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _parts(findings: Findings) -> Iterator[RenderableType]:
    for line in findings.changes:
        yield Text(f"Changed: {line}, so figures and words here may not be those that the run found.", style="bold")
    yield from (Text(told, style="bold") for told in wording.few_graded(findings.cells))
    if findings.simulated:
        yield Text(wording.SIMULATED, style="bold")
    yield Text("Brackets hold 95% intervals, in per cent for shares; n counts what was graded.", style="dim")
    yield ""
    for benchmark in findings.benchmarks:
        cells = findings.on(benchmark)
        yield from _head(cells[0])
        yield _headlines(cells)
        yield from _notes(cells)
        kinds = _kinds_shown(cells[0])
        for kind in kinds[:1] if len(findings.benchmarks) > LONG else kinds:
            yield from _broken_down(kind, cells)
        yield ""
    for analysis in analyses_of(findings):
        yield ""
        yield Text(analysis.title, style="bold")
        yield from map(Text, analysis.lines())


def _head(cell: Finding) -> Iterator[RenderableType]:
    title = f" · {cell.card.title}" if cell.card else ""
    yield Text(f"{cell.benchmark}{title} · version {cell.provenance.card.version}", style="bold")
    metric = cell.metric(cell.headline)
    chance = "" if cell.chance is None else f"Guessing gets {wording.number(cell.chance)}."
    says = f"{cell.headline}: {metric.says}." if metric else f"{cell.headline}."
    yield Text(f"{says} {chance}".strip())


def _headlines(cells: Sequence[Finding]) -> RenderableType:
    table = _table()
    table.add_column("model", overflow="fold")
    for name in (cells[0].headline, wording.units_of(cells[0]), "format error", "refusal"):
        table.add_column(name, justify="right", no_wrap=name == cells[0].headline)
    for cell in cells:
        whole = cell.whole()
        figures = (_cell_text(whole, cell), wording.counted(whole) if whole else wording.DASH)
        table.add_row(Text(cell.label), *figures, _share(cell, "format_error"), _share(cell, "refusal"))
    return Padding(table, (0, 0, 0, 2))


def _share(cell: Finding, metric: str) -> str:
    found = cell.whole(metric)
    return wording.DASH if found is None else wording.number(found.value, cell.metric(metric))


def _cell_text(estimate: Estimate | None, cell: Finding, metric: str | None = None) -> Text:
    if estimate is None:
        return Text(wording.DASH)
    described = cell.metric(metric or cell.headline)
    return Text.assemble(
        (wording.number(estimate.value, described), "bold"), " ", wording.interval(estimate, described)
    )


def _notes(cells: Sequence[Finding]) -> Iterator[RenderableType]:
    yield from map(_note, _remarks(cells))
    for cell in cells:
        causes = cell.causes()
        if causes:
            bounds = _bounds(cell)
            yield _note(f"{cell.label}: {sum(causes.values()):,} ungraded ({wording.told_causes(causes)}){bounds}.")
            for cause, words in cell.refused_with().items():
                yield _note(f"{cell.label}: {cause}, in the endpoint's words: {wording.said_by_server(words)}")
        likeness = option_similarity.told(cell.estimates)
        if likeness:
            yield _note(f"{cell.label}: {likeness}.")
        for gone in cell.provenance.departures:
            yield _note(
                f"{cell.label} departs from the protocol: {gone.setting} {gone.used} (published: {gone.published})."
            )
        if cell.own_judges:
            yield _note(
                f"{cell.label} judges itself ({', '.join(cell.own_judges)}): models tend to like their own words."
            )
        for model, passage in cell.provenance.models.items():
            for note in passage.altered:
                yield _note(f"{model}: {note}.")


def _remarks(cells: Sequence[Finding]) -> Iterator[str]:
    """What the benchmark says of these runs, once where it says the same of all."""
    for remark in dict.fromkeys(remark for cell in cells for remark in cell.provenance.remarks):
        those = [cell.label for cell in cells if remark in cell.provenance.remarks]
        yield remark if len(those) == len(cells) else f"{', '.join(those)}: {remark}"


def _bounds(cell: Finding) -> str:
    whole = cell.whole()
    if whole is None or whole.worst is None or whole.best is None or whole.worst == whole.best:
        return ""
    metric = cell.metric(cell.headline)
    low, high = wording.number(whole.worst, metric), wording.number(whole.best, metric)
    return f"; {low} if all were wrong, {high} if all were right"


def _note(words: str) -> RenderableType:
    return Padding(Text(words, style="dim"), (0, 0, 0, 2))


class _Member(NamedTuple):
    """One group with its figure from each model, None where a model has none."""

    value: str
    figures: tuple[Estimate | None, ...]

    @property
    def mean(self) -> float:
        """Mean over models, by which groups are put in order."""
        values = [e.value for e in self.figures if e is not None and e.value is not None]
        return fmean(values) if values else float("inf")


def _broken_down(kind: str, cells: Sequence[Finding]) -> Iterator[RenderableType]:
    """Tables of one kind of group, a few models side by side in each."""
    members, order = _members(kind, cells), order_of(cells, kind)
    if len(members) < 2:
        return
    if not order.ranks:
        members.sort(key=lambda member: wording.group_name(kind, member.value))
    yield ""
    if order.ranks or len(members) <= ALL_UP_TO:
        yield Padding(Text(_which(members, cells, order)), (0, 0, 0, 2))
        for start in range(0, len(cells), ABREAST):
            beside = slice(start, start + ABREAST)
            yield Padding(_group_table(kind, members, cells, beside), (0, 0, 0, 2))
    yield _note(order.words)
    if kind == "place":
        yield from _yardstick(cells)


def _kinds_shown(cell: Finding) -> tuple[str, ...]:
    """All kinds, but of the groupings of places only the first; the page has the others."""
    groupings = [kind for kind in _PLACE_GROUPINGS if kind in cell.kinds]
    return tuple(kind for kind in cell.kinds if kind not in groupings[1:])


def _members(kind: str, cells: Sequence[Finding]) -> list[_Member]:
    """The groups of a kind, weakest first by the mean over models; the graded before the ungraded."""
    tables = [cell.by(kind) for cell in cells]
    values = dict.fromkeys(value for table in tables for value in table)
    members = [_Member(value, tuple(table.get(value) for table in tables)) for value in values]
    return sorted(members, key=lambda m: (m.mean, wording.group_name(kind, m.value)))


def _group_table(kind: str, members: Sequence[_Member], cells: Sequence[Finding], beside: slice) -> Table:
    table = _table()
    table.add_column(wording.kind_name(kind), overflow="fold", max_width=24)
    table.add_column("n", justify="right", no_wrap=True)
    for cell in cells[beside]:
        table.add_column(cell.label, justify="right", overflow="fold", max_width=20)
    for number, member in _shown(members):
        if number == ENDS and len(members) > ALL_UP_TO:
            table.add_row("…", *[""] * (1 + len(cells[beside])))
        figures = member.figures[beside]
        texts = (_cell_text(e, cell) for e, cell in zip(figures, cells[beside], strict=True))
        table.add_row(wording.group_name(kind, member.value), _counts(figures), *texts)
    return table


def _shown(members: Sequence[_Member]) -> list[tuple[int, _Member]]:
    """All groups where they are few, else both ends, numbered."""
    if len(members) <= ALL_UP_TO:
        return list(enumerate(members))
    return list(enumerate([*members[:ENDS], *members[-ENDS:]]))


def _which(members: Sequence[_Member], cells: Sequence[Finding], order: Order) -> str:
    """Which groups are shown, and in what order."""
    name = wording.kinds_name(order.kind)
    name = name[0].upper() + name[1:]
    if not order.ranks:
        return f"{name}, all of them, by name"
    weakest = "weakest first" + (" by the mean over models" if len(cells) > 1 else "")
    if len(members) <= ALL_UP_TO:
        return f"{name}, all of them, {weakest}"
    return f"{name}, {ENDS} weakest and {ENDS} strongest of {len(members)}, {weakest}"


def _counts(figures: Sequence[Estimate | None]) -> str:
    """Graded units: one number where all models have the same, else the range."""
    counts = sorted({e.graded for e in figures if e is not None})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,}–{counts[-1]:,}"


def _yardstick(cells: Sequence[Finding]) -> Iterator[RenderableType]:
    """How far the best and the worst place lie apart, how far they would by chance, and what is left without noise."""
    told = [f"{cell.label} {spread.words}" for cell in cells if (spread := spread_of(cell)) is not None]
    if told:
        yield _note(
            "Points between the best and the worst place (by chance alone, were all alike: places dealt out anew, "
            f"each p by itself): {'; '.join(told)}."
        )


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
