"""Reports of two runs: the analyses of a comparison as a whole, and of each benchmark in it.

comparison ─▶ each analysis, once or part by part ─▶ sections of the page, lines, plain values, tables
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from mores.analysis.comparison import Comparison
from mores.analysis.gate import GATE_ANALYSIS, ReleaseGate
from mores.analysis.two_runs import DIFFERENCES_ANALYSIS, HEADLINES_ANALYSIS, THINKING_IN_TWO, ComparedPart, parts_of
from mores.core.code_errors import attempt
from mores.core.codec import encode
from mores.reports.plugins import made_section
from mores.reports.sections.front import measured
from mores.tables import Analysis, AnalysisResult, FilledTable, as_data, section_of
from mores.tables import formatting as words
from mores.tables.blocks import Section
from mores.tables.missing_texts import to_plain

COMPARISONS: tuple[Analysis[Comparison], ...] = (HEADLINES_ANALYSIS, THINKING_IN_TWO)
"""Analyses of two runs as a whole; the first opens the page."""
PARTS: tuple[Analysis[ComparedPart], ...] = (DIFFERENCES_ANALYSIS,)
"""Analyses of each benchmark in both."""
FEW = 2
"""Benchmarks up to which all that is said of each is open."""
Make = Callable[[], AnalysisResult | None]


def comparison_sections(comparison: Comparison) -> Iterator[Section]:
    """Sections: the comparison over everything, then each benchmark; one whose code fails says so in its place."""
    first, *others = COMPARISONS
    made: dict[str, Callable[[], Section | None]] = {
        "results": partial(_section, first, comparison, "summary"),
        **{each.id: partial(_section, each, comparison) for each in others},
    }
    for part in parts_of(comparison):
        name = f"{part.compared.benchmark} by {part.compared.b.label}"
        made |= {f"{name} ({each.id})": partial(_part_section, each, part) for each in PARTS}
    found = (made_section(name, make) for name, make in made.items())
    return (section for section in found if section is not None)


def _section(analysis: Analysis[Comparison], comparison: Comparison, anchor: str = "") -> Section | None:
    result = analysis.analyse(comparison)
    return None if result is None else replace(section_of(analysis, result), id=anchor or analysis.id, folded=False)


def _part_section(analysis: Analysis[ComparedPart], part: ComparedPart) -> Section | None:
    result = analysis.analyse(part)
    if result is None:
        return None
    folded = len(part.comparison.compared) > FEW
    return replace(section_of(analysis, result), id=part.anchor, title=part.title, folded=folded)


def comparison_title(comparison: Comparison) -> str:
    """Title of a comparison, in a line."""
    (a, b), *others = comparison.pairs
    models = words.plural(len(others) + 1, "model") if others else a
    who = f"{a} against {b}" if a != b else f"{models} in two runs"
    return f"{', '.join(measured([each.a for each in comparison.compared]))}: {who}"


def comparison_tables(comparison: Comparison, gate: ReleaseGate | None = None) -> dict[str, FilledTable]:
    """All tables of a comparison by their ids, without rows where nothing is found; those of a gate where one was set.

    Where the code of an analysis fails, its tables have no rows of what it is of.
    """
    found = defaultdict[str, list[FilledTable]](list)
    for analysis, make in _every(comparison, gate):
        result = attempt(f"the tables of '{analysis.id}'", make, lambda _: None)
        for filled in result.tables if result is not None else ():
            found[filled.table.id].append(filled)
    tables = (table for analysis, _ in _every(comparison, gate) for table in analysis.tables)
    return {table.id: table.filled(row for filled in found[table.id] for row in filled.rows) for table in tables}


def every_comparison() -> tuple[Analysis[Any], ...]:
    """All analyses of two runs, whatever they are of."""
    return (*COMPARISONS, *PARTS, GATE_ANALYSIS)


def _every(comparison: Comparison, gate: ReleaseGate | None) -> Iterator[tuple[Analysis[Any], Make]]:
    yield from ((each, partial(each.analyse, comparison)) for each in COMPARISONS)
    yield from ((each, partial(each.analyse, part)) for each in PARTS for part in parts_of(comparison))
    if gate is not None:
        yield GATE_ANALYSIS, partial(GATE_ANALYSIS.analyse, gate)


def gate_lines(gate: ReleaseGate) -> Iterator[str]:
    """Findings of a gate, a sentence a line."""
    result = GATE_ANALYSIS.analyse(gate)
    return (words.text_of(finding.words) for finding in (() if result is None else result.findings))


def comparison_as_json(comparison: Comparison, gate: ReleaseGate | None = None) -> str:
    """One object: the runs, and the rows of each analysis by its id; what is missing is null with its `why`."""
    tables = comparison_tables(comparison, gate)
    every = {analysis.id: analysis for analysis, _ in _every(comparison, gate)}
    analyses: dict[str, object] = {
        id_: as_data(AnalysisResult(tables=tuple(tables[table.id] for table in analysis.tables)))
        for id_, analysis in every.items()
    }
    sides = zip("ab", (comparison.run_a, comparison.run_b), zip(*comparison.pairs, strict=True), strict=True)
    runs = {side: {"run": str(run), "models": models} for side, run, models in sides}
    return encode(to_plain({**runs, "analyses": analyses})).decode()
