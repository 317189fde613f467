"""Analyses that other packages bring, and sections made each by itself.

One that cannot be used, or whose code fails, costs itself alone: a sentence in its place says why.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from traceback import walk_tb
from typing import Any, NamedTuple

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text as Line

from mores.analysis.results import Results
from mores.core.code_errors import attempt
from mores.core.installed import Package, entry_points, packages
from mores.core.terminal_safety import describe_error
from mores.reports.console import section_parts
from mores.tables import Analysis
from mores.tables.blocks import Finding, Paragraph, Section

GROUP = "mores.analyses"
"""Entry points of other packages, each of which names an `Analysis` of results."""
_ID = re.compile(r"[a-z][a-z0-9_]*")
_SECTIONS = ("results", "places", "provenance", "glossary", "trust")
"""Other ids of a page and of JSON."""
_FILES = ("estimates", "scores", "items", "transcripts", "verdicts", "calls")
"""Tables of what a run holds, which are written beside those of analyses."""


class Unusable(Struct, frozen=True):
    """Stand-in for an analysis that cannot be used, under the name of its entry point."""

    name: str
    why: Exception

    def __call__(self, _: Results) -> Section | None:
        """Nothing: when it is asked, it says why it cannot be used."""
        raise self.why


class Brought(NamedTuple):
    """Analysis of another package by its entry point."""

    package: Package
    make: Analysis[Results] | Unusable


def brought(own: Callable[[], Sequence[object]]) -> tuple[Brought, ...]:
    """The analyses of other packages, each with ids that neither ours nor one before has."""
    points = entry_points(GROUP)
    if not points:
        return ()
    of = packages(GROUP)
    return tuple(Brought(of[name], make) for name, make in _usable(points, own()))


def usable(analysis: Analysis[Results], own: Sequence[object]) -> Analysis[Results] | Unusable:
    """An analysis that the benchmark of a package has, where it can stand beside those that there are."""
    why = _refusal(analysis, *_taken(own))
    return analysis if why is None else Unusable(analysis.id, why)


def _usable(
    points: dict[str, Callable[[], Any]], own: Sequence[object]
) -> Iterator[tuple[str, Analysis[Results] | Unusable]]:
    ids, tables = _taken(own)
    for name, load in points.items():
        found = _loaded(load)
        if why := found if isinstance(found, Exception) else _refusal(found, ids, tables):
            yield name, Unusable(name, why)
        else:
            ids.add(found.id)
            tables.update(table.id for table in found.tables)
            yield name, found


def _taken(own: Sequence[object]) -> tuple[set[str], set[str]]:
    """The ids of analyses and of tables that there are."""
    there = [each for each in own if isinstance(each, Analysis)]
    tables = {*_FILES, *(table.id for each in there for table in each.tables)}
    return {*_SECTIONS, *(each.id for each in there)}, tables


def _loaded(load: Callable[[], Any]) -> Any:
    """The object that is named, or an error with the place in the code that raised it."""
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - the code of others: whatever it does wrong is told
        # The last frame is where it was raised, in the code of the package; ours that loads it is above.
        frame, line = list(walk_tb(error.__traceback__))[-1]
        return ImportError(f"{describe_error(error)} ({frame.f_globals.get('__name__', '?')}, line {line})")


def _refusal(found: object, ids: set[str], tables: set[str]) -> Exception | None:
    """Error that something is no analysis that can stand beside those of these ids; None where it is one."""
    if not isinstance(found, Analysis):
        return TypeError(f"it is a {type(found).__name__}; expected an Analysis")
    if found.id in ids:
        return ValueError(f"there is an analysis {found.id!r} already; expected an id of its own")
    if taken := [table.id for table in found.tables if table.id in tables]:
        return ValueError(f"there is a table {taken[0]!r} already; expected an id of its own")
    if odd := [each for each in (found.id, *(table.id for table in found.tables)) if not _ID.fullmatch(each)]:
        return ValueError(f"the id {odd[0]!r} cannot be the name of a file; expected small letters, digits and _")
    order: object = found.order
    if not isinstance(order, int | float):
        return TypeError(f"its order {order!r} is no number")
    return None


def made_section(name: str, make: Callable[[], Section | None]) -> Section | None:
    """One section; where it cannot be made, one that says so, also among the findings that a reader is told first."""
    return attempt(f"the section '{name}'", make, partial(failed_section, name))


def name_of(make: object) -> str:
    """The name of a section by what makes it: an analysis's id, `rankings` of the function `rankings_section`."""
    if id_ := getattr(make, "id", ""):
        return str(id_)
    named = getattr(make, "name", "") or getattr(make, "__name__", "") or type(make).__name__
    return str(named).removesuffix("_section").replace("_", " ").strip()


def lines_of(what: str, make: Callable[[], list[Line]]) -> list[Line]:
    """The lines of one part of a screen; where they cannot be made, one that says so."""
    return attempt(f"{what} on the screen", make, lambda sentence: [Line(sentence)])


def printed_section(section: Section) -> list[RenderableType]:
    """A section as it is printed, or a sentence in its place."""
    what = f"the section '{section.id}' of the screen"
    return attempt(what, lambda: list(section_parts(section)), lambda sentence: [Line(sentence)])


def failed_section(name: str, sentence: str) -> Section:
    """Section in place of one that could not be made, also among the findings."""
    return Section(
        id=f"failed-{name.replace(' ', '-').replace('/', '-')}",
        title=name[:1].upper() + name[1:],
        blocks=(Paragraph(sentence, "warning"),),
        data={"failed": sentence},
        findings=(Finding(words=sentence, weight="doubtful"),),
        folded=False,
    )
