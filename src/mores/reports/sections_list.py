"""The sections of a report: analyses of any benchmark, of families, and of other packages.

results ─▶ an analysis, where the runs have what it needs ─▶ a section of the page, lines for a terminal, plain values.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pkgutil import resolve_name
from typing import NamedTuple

from msgspec.structs import replace

from mores.analysis.answers import ANSWERS_ANALYSIS
from mores.analysis.benchmark_figures import GROUPS_ANALYSIS, METRICS_ANALYSIS
from mores.analysis.contamination import CONTAMINATION_ANALYSIS
from mores.analysis.controls import CONTROLS_ANALYSIS
from mores.analysis.judging import JUDGING_ANALYSIS
from mores.analysis.leaderboard import LEADERBOARD, MODELS, Leaderboard, leaderboard
from mores.analysis.leaderboard import analyse as board_result
from mores.analysis.model_summary_tables import ACROSS_ANALYSIS
from mores.analysis.models_compared import MODELS_ANALYSIS
from mores.analysis.odd_items import ITEMS_ANALYSIS
from mores.analysis.results import Result, Results
from mores.analysis.sequential import SEQUENTIAL_ANALYSIS
from mores.analysis.short_forms import SHORT_FORM_ANALYSIS
from mores.analysis.thinking import THINKING_ANALYSIS
from mores.analysis.variance import VARIANCE_ANALYSIS
from mores.analysis.variants import WORDINGS_ANALYSIS
from mores.analysis.verifiers import VERIFIERS_ANALYSIS
from mores.benchmarks.benchmark import MakeSection, SectionReference
from mores.benchmarks.catalogue import load, names, package_of
from mores.core.code_errors import attempt
from mores.core.installed import Package
from mores.reports.findings import in_order
from mores.reports.plugins import Brought, brought, failed_section, made_section, name_of, usable
from mores.reports.sections.benchmark import benchmark_section, summary_section
from mores.reports.sections.front import front_section
from mores.reports.sections.places import places_section
from mores.reports.sections.provenance import provenance_section
from mores.tables import Analysis, AnalysisResult, FilledTable, refuse_unfit, section_of
from mores.tables.blocks import Finding, Section

ANALYSES: tuple[MakeSection, ...] = (
    GROUPS_ANALYSIS,
    METRICS_ANALYSIS,
    ANSWERS_ANALYSIS,
    SEQUENTIAL_ANALYSIS,
    MODELS_ANALYSIS,
    THINKING_ANALYSIS,
    WORDINGS_ANALYSIS,
    VARIANCE_ANALYSIS,
    CONTAMINATION_ANALYSIS,
    CONTROLS_ANALYSIS,
    ACROSS_ANALYSIS,
    JUDGING_ANALYSIS,
    VERIFIERS_ANALYSIS,
    ITEMS_ANALYSIS,
    SHORT_FORM_ANALYSIS,
)
"""Analyses of any benchmark; those that only some have are found through these."""


def sections_of(results: Results) -> tuple[Section, ...]:
    """All sections that the runs have something for; every medium of one reading shares them."""
    return tuple(made.section for made in analysed(results))


def tables_of(results: Results) -> dict[str, FilledTable]:
    """The tables of all analyses by their ids, without rows where the runs have nothing for one.

    Where the code of an analysis fails, its tables have no rows; the page says why.
    """
    return _by_id(every_analysis(), analysed(results))


def tables_with(results: Results, id_: str) -> dict[str, FilledTable]:
    """Of `tables_of` those of the analysis that has the table of an id; no other analysis is carried out for them.

    Raises:
        KeyError: no analysis has such a table.
    """
    analyses = (each for each in _every() if isinstance(each, Analysis))
    analysis = next((each for each in analyses if any(table.id == id_ for table in each.tables)), None)
    if analysis is None:
        raise KeyError(f"No analysis has a table {id_!r}.")
    return _by_id((analysis,), _found_in(results).every(lambda make: make is analysis))


class Analysed(NamedTuple):
    """Result of an analysis for people and for programs."""

    section: Section
    tables: tuple[FilledTable, ...] = ()


def _by_id(analyses: Iterable[Analysis[Results]], found: Iterable[Analysed]) -> dict[str, FilledTable]:
    empty = (table.filled(()) for each in analyses for table in each.tables)
    return {filled.table.id: filled for filled in (*empty, *(filled for made in found for filled in made.tables))}


class _Found:
    """Results of analyses of some runs: each is carried out once, when it is first needed."""

    def __init__(self, results: Results) -> None:
        self._asked = ((LEADERBOARD_ANALYSIS, results, None), *_asked(results))
        self._made: dict[int, Analysed | None] = {}

    def every(self, wanted: Callable[[MakeSection], bool]) -> Iterator[Analysed]:
        """Results of the wanted ones, in their order; one whose code fails says so in its place."""
        for number, asked in enumerate(self._asked):
            if wanted(asked[0]):
                if number not in self._made:
                    self._made[number] = _attempted(*asked)
                if (made := self._made[number]) is not None:
                    yield made


@lru_cache(maxsize=1)
def _found_in(results: Results) -> _Found:
    """Results of analyses of the runs that were last asked about; every medium of one reading shares it."""
    return _Found(results)


def analysed(results: Results) -> tuple[Analysed, ...]:
    """Everything that is found, by the analyses in their order; one whose code fails says so in its place."""
    return tuple(_found_in(results).every(lambda _: True))


def _board(results: Results) -> AnalysisResult:
    return board_result(leaderboard_of(results))


LEADERBOARD_ANALYSIS: Analysis[Results] = Analysis(
    id=LEADERBOARD.id, title=LEADERBOARD.title, tables=(LEADERBOARD, MODELS), analyse=_board, order=-100
)
LAID_OUT = frozenset({LEADERBOARD.id, GROUPS_ANALYSIS.id, METRICS_ANALYSIS.id})
"""Analyses that the page and a terminal lay out in places of their own, and not in a section of theirs."""


def _attempted(make: MakeSection, results: Results, package: Package | None) -> Analysed | None:
    name = name_of(make)
    return attempt(f"the section '{name}'", partial(_make, make, results, package), partial(_failed, name), package)


def _make(make: MakeSection, results: Results, package: Package | None) -> Analysed | None:
    if isinstance(make, Analysis):
        result = make.analyse(results)
        if result is None:
            return None
        if package is not None:  # what ours give is tested
            refuse_unfit(make, result)
        return Analysed(section_of(make, result), result.tables)
    section: object = make(results)
    if section is not None and not isinstance(section, Section):
        raise TypeError(f"it gave a {type(section).__name__}; expected a Section or None")
    return None if section is None else Analysed(section)


def _failed(name: str, sentence: str) -> Analysed:
    return Analysed(failed_section(name, sentence))


def every_analysis() -> tuple[Analysis[Results], ...]:
    """All analyses of results in the order of the page: those of any benchmark, of families, and of other packages."""
    every = (each for each in _every() if isinstance(each, Analysis))
    return tuple(sorted(every, key=lambda each: each.order))


def analysis_ids() -> tuple[str, ...]:
    """Ids of all analyses of results: of any benchmark, of families, and of other packages."""
    return tuple(dict.fromkeys(map(name_of, _every())))


def _every() -> Iterator[MakeSection]:
    """Everything that is registered; families are loaded when it comes to them."""
    first = (LEADERBOARD_ANALYSIS, *ANALYSES)
    yield from first
    yield from _ours()[len(first) :]
    yield from (each.make for each in _others())


def _ours() -> tuple[MakeSection, ...]:
    """Those of any benchmark and of families, our own families first."""
    house = _house()
    brought_too = (_checked(make, house) for name in names() if package_of(name) for make in _own(name))
    return (*house, *(make for make in dict.fromkeys(brought_too) if make not in house))


def _house() -> tuple[MakeSection, ...]:
    own = (_loaded(make) for name in names() if not package_of(name) for make in _own(name))
    return (LEADERBOARD_ANALYSIS, *ANALYSES, *dict.fromkeys(own))


def _own(benchmark: str) -> tuple[SectionReference, ...]:
    return attempt(f"the benchmark '{benchmark}'", lambda: load(benchmark).sections, lambda _: ())


def _checked(make: SectionReference, house: Sequence[MakeSection]) -> MakeSection:
    """An analysis that the benchmark of a package has: one of ours, or one whose ids ours have not."""
    loaded = _loaded(make)
    return loaded if loaded in house or not isinstance(loaded, Analysis) else usable(loaded, house)


def only_sections(results: Results, ids: Sequence[str], also: Sequence[Section] = ()) -> tuple[Section, ...]:
    """Sections of some analyses alone, in the order of a page; none of those that the runs have nothing for."""
    found = _found_in(results).every(lambda make: name_of(make) in ids)
    sections = (*(made.section for made in found), *(each for each in also if each.id in ids))
    return tuple(sorted(sections, key=lambda section: section.order))


def _asked(results: Results) -> Iterator[tuple[MakeSection, Results, Package | None]]:
    """Analyses, each with the evaluations that it is of and the package that brings it.

    Some benchmarks have analyses of their own.
    """
    needless = _needless(results)
    yield from ((make, results, None) for make in ANALYSES if make not in needless)
    yield from ((each.make, results, each.package) for each in _others())
    having: dict[SectionReference, list[Result]] = defaultdict(list)
    for benchmark in results.benchmarks:
        for make in load(benchmark).sections if benchmark in names() else ():
            having[make] += results.on(benchmark)
    for make, evaluations in having.items():
        kept = tuple(each for each in results.evaluations if each in evaluations)
        package = package_of(evaluations[0].benchmark)
        yield (_checked(make, _house()) if package else _loaded(make)), replace(results, evaluations=kept), package


def _needless(results: Results) -> tuple[MakeSection, ...]:
    """Analyses that can find nothing in most runs, which then do without them."""
    until = any(each.provenance.until is not None for each in results.evaluations)
    return (*(() if until else (SEQUENTIAL_ANALYSIS,)), *(() if len(results.runs) > 1 else (SHORT_FORM_ANALYSIS,)))


def _loaded(make: SectionReference) -> MakeSection:
    """An analysis of its own room, which a run does not import: benchmarks name it as `module:NAME`."""
    loaded: MakeSection = resolve_name(make) if isinstance(make, str) else make
    return loaded


def _others() -> tuple[Brought, ...]:
    return brought(_ours)


def all_sections(results: Results, also: Sequence[Section] = (), *, page: bool) -> tuple[Section, ...]:
    """Everything that a page or a terminal shows, in order; `also` are sections beside those that runs have."""
    front: dict[str, Callable[[], Section | None]] = {
        "results": lambda: _front(results, also),
        "places": lambda: places_section(results, [row.label for row in leaderboard_of(results).rows]),
        "provenance": lambda: provenance_section(results),
    }
    first = front if page else {"results": lambda: summary_section(results)}
    own = {name: partial(benchmark_section, results, name) for name in results.benchmarks}
    made = (made_section(name, make) for name, make in (first | own).items())
    others = (section for section in sections_of(results) if section.id not in LAID_OUT)
    return tuple(sorted(filter(None, (*made, *others, *also)), key=lambda section: section.order))


def _front(results: Results, also: Sequence[Section]) -> Section:
    return front_section(results, leaderboard_of(results), findings_of(results, also))


@lru_cache(maxsize=1)
def leaderboard_of(results: Results) -> Leaderboard:
    """The front table of a report: all models on all benchmarks, on one scale where a family has one."""
    others = _found_in(results).every(lambda make: make is not LEADERBOARD_ANALYSIS)
    return leaderboard(results, [made.section.scale for made in others if made.section.scale is not None])


def findings_of(results: Results, also: Sequence[Section] = ()) -> tuple[Finding, ...]:
    """Findings of all analyses, what matters most and what is found first; `also` are sections beside the runs' own."""
    sections = sorted((*sections_of(results), *also), key=lambda section: section.order)
    there = {section.id for section in sections}
    found = (finding for section in sections for finding in section.findings if finding.unless not in there)
    return in_order(found)
