"""Analyses and what they find: tables for programs, blocks for people, and what a reader is told first."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from msgspec import Struct

from mores.core.estimate import CommonScale
from mores.tables.blocks import Block, Finding, Section, Words
from mores.tables.columns import FilledTable, Table, refuse_odd, rows_by_key
from mores.tables.views import as_it_is, blocks_of

ResultT = TypeVar("ResultT")


class AnalysisResult(Struct, frozen=True, kw_only=True, eq=False):
    """Result of an analysis: tables for programs, `blocks` for people, and findings that a reader is told first.

    The blocks are views of the tables (`views.blocks_of`), charts, words, and what one medium alone has; without any,
    each table is seen as it is. `lead` is what was found in a sentence or several, `scale` one on which benchmarks can
    be read side by side.
    """

    tables: tuple[FilledTable, ...]
    blocks: tuple[Block, ...] | None = None
    findings: tuple[Finding, ...] = ()
    lead: tuple[Words, ...] = ()
    scale: CommonScale | None = None


class Analysis(Struct, Generic[ResultT], frozen=True, kw_only=True):
    """One analysis of results, a comparison or labels: what it may find, and how; `order` is its place on the page.

    Analyses stand by their order: below 0 before the benchmarks, which have 0, else after them. The first table has the
    analysis's id. `analyse` gives None where there is nothing to say.

    Raises:
        ValueError: it has no table, or the first one has another id.
    """

    id: str
    title: str
    tables: tuple[Table, ...]
    analyse: Callable[[ResultT], AnalysisResult | None]
    order: int = 10

    def __post_init__(self) -> None:
        if not self.tables or self.tables[0].id != self.id:
            found = [each.id for each in self.tables]
            raise ValueError(f"Analysis {self.id!r} has the tables {found}; the first one must be {self.id!r}.")


def as_data(result: AnalysisResult) -> dict[str, list[dict[str, Any]]]:
    """Rows of an analysis for programs: a list of them a table."""
    return {each.table.id: rows_by_key(each.table, each.rows) for each in result.tables}


def blocks_in(result: AnalysisResult) -> Iterator[Block]:
    """Blocks of a result for people: its own, or each table as it is."""
    if result.blocks is not None:
        yield from result.blocks
        return
    for filled in result.tables:
        yield from blocks_of(filled, as_it_is(filled))


def refuse_unfit(analysis: Analysis[ResultT], result: object) -> None:
    """Nothing, where a result is one that every medium can hold.

    Raises:
        TypeError: it is no result.
        ValueError: it has tables that the analysis does not declare, one twice, or a value that is not of its kind.
    """
    if not isinstance(result, AnalysisResult):
        raise TypeError(f"Analysis {analysis.id!r} gave a {type(result).__name__}; expected an AnalysisResult or None.")
    ids = [each.table.id for each in result.tables]
    for each in result.tables:
        if each.table not in analysis.tables:
            raise ValueError(f"Analysis {analysis.id!r} has a table {each.table.id!r} that it does not declare.")
        if ids.count(each.table.id) > 1:
            raise ValueError(f"Analysis {analysis.id!r} has the table {each.table.id!r} twice.")
        refuse_odd(each.table, each.rows)


def section_of(analysis: Analysis[ResultT], result: AnalysisResult) -> Section:
    """Section of a page or of lines for the result of an analysis."""
    return Section(
        id=analysis.id,
        title=analysis.title,
        order=analysis.order,
        blocks=tuple(blocks_in(result)),
        data=as_data(result),
        findings=result.findings,
        lead=result.lead,
        scale=result.scale,
    )
