"""What a report says beyond each benchmark's own figures: several benchmarks, several models, or verdicts themselves.

findings ─▶ an analysis, where the runs have what it needs ─▶ a section of the page, lines for a terminal, plain values.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Protocol

from mores.reports.findings import Findings
from mores.reports.forest import forest
from mores.reports.items import items
from mores.reports.judging import judging
from mores.reports.ladder import ladder
from mores.reports.rankings import rankings
from mores.reports.social import social
from mores.reports.thick import thick
from mores.reports.town import town


class Analysis(Protocol):
    """One section; `template` names the file of `page/` that lays it out, with the analysis as `it`."""

    @property
    def id(self) -> str:
        """Its anchor on the page."""
        ...

    @property
    def title(self) -> str:
        """Its heading."""
        ...

    @property
    def template(self) -> str:
        """The file that lays it out."""
        ...

    def lines(self) -> Iterator[str]:
        """The same for a terminal, a line or two a finding."""
        ...

    def plain(self) -> dict[str, object]:
        """The same for programs."""
        ...


ANALYSES: tuple[Callable[[Findings], Analysis | None], ...] = (
    ladder,
    rankings,
    town,
    social,
    thick,
    judging,
    forest,
    items,
)
"""In the order in which a page shows them."""


@lru_cache(maxsize=1)
def analyses_of(findings: Findings) -> tuple[Analysis, ...]:
    """All analyses that the runs have something for; page and terminal of one reading share them."""
    found = (analyse(findings) for analyse in ANALYSES)
    return tuple(each for each in found if each is not None)
