"""Documents of the repository and the links between them, read as they stand: `tests/test_docs.py` follows them all.

Plain Markdown is the source and reads well unbuilt. The site (`docs/site.py`) keeps each document where it is, so that
a link which leads somewhere here does so there.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


class Link(NamedTuple):
    """A link within the repository: the page it stands on and where it leads."""

    page: Path
    target: str

    @property
    def broken(self) -> bool:
        """True where nothing is there, or no such heading."""
        name, _, fragment = self.target.partition("#")
        path = self.page.parent / name if name else self.page
        if not path.exists():
            return True
        return bool(fragment) and path.suffix == ".md" and fragment not in anchors(path)


def anchor(heading: str) -> str:
    """What a link calls a heading, as GitHub does."""
    return re.sub(r"[^\w\s-]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).strip().lower().replace(" ", "-")


def anchors(page: Path) -> frozenset[str]:
    """What the headings of a page are called."""
    return frozenset(map(anchor, HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))))


def documents() -> tuple[Path, ...]:
    """All Markdown documents of the repository: those at its root and those in `docs/`."""
    return (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))


def links(page: Path) -> Iterator[Link]:
    """The links of a page that lead into the repository; those in code are no links."""
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in target and not target.startswith("mailto:"):
            yield Link(page, target)


def broken_links() -> tuple[Link, ...]:
    """All links that lead nowhere."""
    return tuple(link for page in documents() for link in links(page) if link.broken)
