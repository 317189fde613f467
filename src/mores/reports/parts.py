"""Parts of a report, each made by itself: where the code of one fails, a sentence stands in its place."""

from collections.abc import Callable
from functools import partial

from rich.console import RenderableType
from rich.text import Text as Line

from mores.core.code_errors import attempt
from mores.reports.console import section_parts
from mores.tables.blocks import Finding, Paragraph, Section


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
