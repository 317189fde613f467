"""Results as one HTML file: nothing is fetched, and nothing that models or data say can act in it.

All text is escaped by the template; besides, the page's own policy lets only its one script and one style sheet run,
named by their hashes, so that words which slipped through would still be words.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain, groupby
from pathlib import Path

from jinja2 import Environment

from mores.analysis.comparison import Comparison
from mores.analysis.results import Results
from mores.blocks import Section
from mores.blocks import formatting as words
from mores.blocks.pages import page_environment, page_values
from mores.core import files
from mores.reports import charts
from mores.reports.analysis import all_sections
from mores.reports.browse import browser
from mores.reports.page.glossary import Glossary
from mores.reports.page.inline import cells, clipped, inline
from mores.reports.sections.front import page_title
from mores.reports.sections.two_runs import comparison_sections, comparison_title
from mores.reports.wording import cautions
from mores.runs.loading import describe_changes

HERE = Path(__file__).parent
BROWSE = HERE.parent / "browse"


def write_page(results: Results, path: Path, also: Sequence[Section] = (), *, private: bool = False) -> None:
    """Put the report of some runs in place as one self-contained file; `also` are sections beside its own.

    A private one, as those in a run's own folder are, is for its owner alone.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render(results, also), private=private)


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Put the page of two runs in place: what differs, and the items that changed with their words.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render_comparison(comparison), private=False)


def render(results: Results, also: Sequence[Section] = ()) -> str:
    """The report's HTML."""
    return _rendered(
        results,
        sections=all_sections(results, also, page=True),
        browser=browser(results),
        title=page_title(results),
        planted=True,
    )


def render_comparison(comparison: Comparison) -> str:
    """The HTML of two runs."""
    pairs = [(each.a, each.b) for each in comparison.compared]
    results = Results(runs=(comparison.run_a, comparison.run_b), evaluations=tuple(chain.from_iterable(pairs)))
    return _rendered(
        results,
        sections=tuple(comparison_sections(comparison)),
        browser=browser(results, pairs),
        title=comparison_title(comparison),
        planted=False,
    )


def _rendered(results: Results, **parts: object) -> str:
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            changes=describe_changes(results),
            made_up=results.simulated,
            glossary=Glossary(),
            cautions=cautions(results),
            **parts,
            **page_values([HERE / "report.css", BROWSE / "browse.css"], [HERE / "report.js", BROWSE / "browse.js"]),
        )
    )


@cache
def _environment() -> Environment:
    environment = page_environment(HERE, BROWSE)
    environment.filters |= {
        "clipped": clipped,
        "inline": inline,
        "plain": words.text_of,
        "drawn": charts.drawn,
        "block_kind": lambda block: type(block).__name__,
        "cells": lambda row, table: cells(table, row),
        "groupby_whole": lambda rows: [(whole, list(of)) for whole, of in groupby(rows, key=lambda row: row.whole)],
    }
    return environment
