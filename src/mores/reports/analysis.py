"""What a report says beyond each benchmark's own figures: several benchmarks, several models, or verdicts themselves.

results ─▶ an analysis, where the runs have what it needs ─▶ a section of the page, lines for a terminal, plain values.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import get_args

from msgspec.structs import replace

from mores.analysis.leaderboard import Leaderboard, leaderboard
from mores.analysis.results import Result, Results
from mores.benchmarks.benchmark import MakeSection
from mores.benchmarks.catalogue import load, names
from mores.blocks import Finding, Section, Weight
from mores.reports.parts import made_section, name_of
from mores.reports.sections.across import across_section
from mores.reports.sections.answers import answers_section
from mores.reports.sections.benchmark import benchmark_section
from mores.reports.sections.controls import controls_section
from mores.reports.sections.front import front_section
from mores.reports.sections.items import items_section
from mores.reports.sections.judging import judging_section
from mores.reports.sections.places import places_section
from mores.reports.sections.provenance import provenance_section
from mores.reports.sections.rankings import rankings_section
from mores.reports.sections.summary import summary_section
from mores.reports.sections.thinking import thinking_section
from mores.reports.sections.variants import variants_section
from mores.reports.sections.verifiers import verifiers_section

ANALYSES: tuple[Callable[[Results], Section | None], ...] = (
    answers_section,
    rankings_section,
    thinking_section,
    variants_section,
    controls_section,
    across_section,
    judging_section,
    verifiers_section,
    items_section,
)
"""What any benchmark can have; sections that only some have are found through those."""

WEIGHTS: tuple[Weight, ...] = get_args(Weight)
"""Weights of findings, what matters most first."""


@lru_cache(maxsize=1)
def sections_of(results: Results) -> tuple[Section, ...]:
    """All sections that the runs have something for; page and terminal of one reading share them."""
    found = (*(made_section(name_of(make), partial(make, results)) for make in ANALYSES), *_own(results))
    return tuple(each for each in found if each is not None)


def _own(results: Results) -> Iterator[Section | None]:
    """The sections that only some benchmarks have, each of the evaluations of those benchmarks alone."""
    having: dict[MakeSection, list[Result]] = defaultdict(list)
    for benchmark in results.benchmarks:
        for make in load(benchmark).sections if benchmark in names() else ():
            having[make] += results.on(benchmark)
    for make, evaluations in having.items():
        kept = tuple(each for each in results.evaluations if each in evaluations)
        yield made_section(name_of(make), partial(make, replace(results, evaluations=kept)))


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
    found = (*made, *sections_of(results), *also)
    return tuple(sorted(filter(None, found), key=lambda section: section.order))


def _front(results: Results, also: Sequence[Section]) -> Section:
    return front_section(results, leaderboard_of(results), findings_of(results, also))


@lru_cache(maxsize=1)
def leaderboard_of(results: Results) -> Leaderboard:
    """The front table of a report: all models on all benchmarks, on one scale where a family has one."""
    return leaderboard(results, [each.scale for each in sections_of(results) if each.scale is not None])


def findings_of(results: Results, also: Sequence[Section] = ()) -> tuple[Finding, ...]:
    """What all analyses found, what matters most and what is found first; `also` are sections beside the runs' own."""
    sections = sorted((*sections_of(results), *also), key=lambda section: section.order)
    there = {section.id for section in sections}
    found = (finding for section in sections for finding in section.findings if finding.unless not in there)
    return tuple(sorted(found, key=lambda finding: (WEIGHTS.index(finding.weight), not finding.found)))
