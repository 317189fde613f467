"""Sections as readers get them: what a terminal prints, on one line, and what programs read."""

import re
from typing import Any, TypeVar

from mores.core.codec import encode, parse_json
from mores.reports.console import VisibleConsole, section_parts
from mores.reports.page.glossary import Glossary
from mores.reports.page.html import Html
from mores.tables import Analysis, section_of
from mores.tables.blocks import Section
from mores.tables.missing_texts import to_plain

Of = TypeVar("Of")


def analysed(analysis: Analysis[Of], of: Of) -> Section | None:
    """What an analysis found as people see it; None where it found nothing."""
    result = analysis.analyse(of)
    return None if result is None else section_of(analysis, result)


def printed(section: Section, width: int = 10_000) -> list[str]:
    """The lines of a terminal that is wide enough for each to stay whole."""
    console = VisibleConsole(width=width, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(*section_parts(section), sep="\n")
    return [line.rstrip() for line in captured.get().splitlines()]


def laid_out(section: Section) -> str:
    """The section as it stands on a page."""
    return Html(Glossary()).section(section)


def words_on(page: str) -> str:
    """A page without the links from its words to the glossary."""
    return re.sub(r'<a class="term"[^>]*>([^<]*)</a>', r"\1", page)


def data(section: Section) -> Any:
    """What programs read, as they read it."""
    return parse_json(encode(to_plain(section.data)), where="section")
