"""Sources of the site in `build/docs`: every document, a page of cards a family, and pages of docstrings.

`make docs` runs it, and builds `site/` of what it wrote. Documents keep their places in the repository, so that their
links need no rewriting; generated pages are read nowhere but on the site, and no document links to them.
"""

import html
import re
import shutil
from collections.abc import Iterator

from docs.pages import ROOT
from mores.benchmarks import catalogue
from mores.cli.show_details import CardPart, card_parts

SOURCES = ROOT / "build" / "docs"
AT_ROOT = ("*.md", "LICENSE*", "CITATION.cff")
MODULES = {
    "From Python": (
        "mores", "mores.api.runs", "mores.api.tables", "mores.api.frames", "mores.hosted", "mores.core.errors",
    ),
    "Benchmarks": (
        "mores.benchmarks.benchmark", "mores.benchmarks.catalogue", "mores.benchmarks.data_tables",
        "mores.benchmarks.scoring", "mores.benchmarks.shapes.closed_question",
        "mores.benchmarks.shapes.reasons.benchmark", "mores.core.card", "mores.core.prompt", "mores.core.transcript",
        "mores.core.estimate", "mores.norms.places",
    ),
    "Models and judges": (
        "mores.models.provider", "mores.models.model", "mores.models.request", "mores.judges.judge",
        "mores.judges.parse", "mores.judges.rubric",
    ),
    "Analyses": ("mores.analysis.results", "mores.tables", "mores.tables.blocks"),
    "Statistics": tuple(f"mores.stats.{path.stem}" for path in sorted((ROOT / "src/mores/stats").glob("[!_]*.py"))),
}  # fmt: skip
"""Modules that programs of others import, by the page that has their docstrings."""


def main() -> None:
    """Write the sources anew."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCES / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for path in (each for pattern in AT_ROOT for each in ROOT.glob(pattern)):
        shutil.copy(path, SOURCES)
    for page in SOURCES.rglob("*.md"):
        page.write_text(_as_zensical_reads(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, lines in generated().items():
        path = SOURCES / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines), encoding="utf-8")


def generated() -> dict[str, Iterator[str]]:
    """Lines of each page that is made of cards or of docstrings, by its path among the sources."""
    # A folder of a user's own data is a benchmark of this process alone.
    own = [family for family, names in catalogue.families().items() if catalogue.folder_of(names[0]) is None]
    cards = {f"cards/{family}.md": _cards(family) for family in own}
    return cards | {f"api/{page.lower().replace(' ', '-')}.md": _modules(page) for page in MODULES}


def _as_zensical_reads(text: str) -> str:
    """A document without what its Markdown takes otherwise than others do: a fence's second word, and a bar in a cell.

    `sh run` and `file NAME` tell tests what to do with a block. A bar in a cell's code has to be escaped elsewhere, and
    here shows its backslash.
    """
    text = re.sub(r"^```(sh|python) run$", r"```\1", text, flags=re.MULTILINE)
    text = re.sub(r"^```file (\S+)$", r'``` { .text title="\1" }', text, flags=re.MULTILINE)
    return re.sub(r"(?<=\|)[^`\n|]*`[^`\n]+`", lambda code: code[0].replace("\\|", "|"), text)


def _modules(page: str) -> Iterator[str]:
    """Lines that mkdocstrings reads: a mark for each module."""
    yield from (f"# {page}\n", *(f"::: {module}\n" for module in MODULES[page]))


def _cards(family: str) -> Iterator[str]:
    """Lines of the cards of a family: what `mores show` prints of each."""
    yield f"# Cards: {family}\n"
    for name in catalogue.resolve(family):
        for level, part in enumerate(card_parts(catalogue.card(name))):
            yield from (f"{'###' if level else '##'} {part.heading}\n", *_part(part), "")


def _part(part: CardPart) -> Iterator[str]:
    yield from (f"- **{name}**: {_text(value)}" for name, value in part.facts.items() if value not in (None, ""))
    if part.rows:
        for cells in (part.columns, ["---"] * len(part.columns), *part.rows):
            yield f"| {' | '.join(map(_text, cells))} |"
    yield from (f"- {_text(sentence)}" for sentence in part.sentences)


def _text(value: object) -> str:
    """A value as words of Markdown, in a cell too."""
    return re.sub(r"([*_|\[\]`\\])", r"\\\1", html.escape(str(value), quote=False))


if __name__ == "__main__":
    main()
