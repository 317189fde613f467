"""The site: every document as a page in `site/`, with links followed; `make docs` runs it.

Plain Markdown is the source and reads well unbuilt. A link that leads nowhere in the repository fails the build.
"""

import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt  # comes with rich

ROOT = Path(__file__).parents[1]
SITE = ROOT / "site"
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
code { font-size: .9em; } table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
"""


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


def build(page: Path) -> Path:
    """Write one page of the site, links to documents led to their pages; gives its path."""
    text = page.read_text(encoding="utf-8")
    body = MarkdownIt("commonmark").enable("table").render(text)
    body = re.sub(r'href="((?![a-z]+:)[^"]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
    body = re.sub(r"<h(\d)>(.*?)</h\1>", _named, body)
    title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), page.stem)
    path = SITE / page.relative_to(ROOT).with_suffix(".html")
    path.parent.mkdir(parents=True, exist_ok=True)
    head = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">'
    head += f"\n<title>{html.escape(title)}</title>\n<style>{STYLE}</style>"
    whole = f'<!doctype html>\n<html lang="en-GB">\n{head}\n<main>\n{body}</main>\n</html>\n'
    path.write_text(whole, encoding="utf-8")
    return path


def _named(found: re.Match[str]) -> str:
    """A heading that a link can lead to."""
    level, words = found.groups()
    return f'<h{level} id="{anchor(html.unescape(re.sub("<[^>]*>", "", words)))}">{words}</h{level}>'


def main() -> int:
    """Build all pages; 1 where a link leads nowhere."""
    broken = broken_links()
    for link in broken:
        sys.stderr.write(f"{link.page.relative_to(ROOT)}: link to {link.target} leads nowhere\n")
    pages = [build(page) for page in documents()]
    sys.stdout.write(f"{len(pages)} pages in {SITE.relative_to(ROOT)}/, {len(broken)} broken links\n")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
