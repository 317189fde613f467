"""What a page of docs/papers shows is what its commands print, and no table of its paper is passed over."""

import re
from pathlib import Path

import pytest

from tests.papers.pages import PAGES, written

NUMBERED = {
    "socialcc": {"Table": ("1", "2", *(f"{n}A" for n in range(3, 17))), "Figure": (*"1234567", "8A")},
    "liveculturebench": {"Table": tuple(map(str, range(1, 16))), "Figure": tuple("12345")},
}
"""The numbered tables and figures of each paper, appendices included."""
HEADING = re.compile(r"^## (Table|Figure)s? (.*?):", re.MULTILINE)


def page_of(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NUMBERED)
def test_what_a_page_shows_is_what_its_commands_print(name: str, data: Path, tmp_path: Path) -> None:
    page = page_of(name)
    assert written(page, tmp_path, data) == page, f"python -m tests.papers {name} writes it anew"


@pytest.mark.parametrize("name", NUMBERED)
def test_every_numbered_table_and_figure_has_its_heading(name: str) -> None:
    told: dict[str, list[str]] = {"Table": [], "Figure": []}
    for kind, numbers in HEADING.findall(page_of(name)):
        told[kind] += _listed(numbers)
    wanted = {kind: sorted(numbers) for kind, numbers in NUMBERED[name].items()}
    assert {kind: sorted(numbers) for kind, numbers in told.items()} == wanted


def _listed(numbers: str) -> list[str]:
    """Numbers of a heading: one, several, or from one to another: `2 to 7`, `1, 2 and 4`, `6A to 11A`."""
    first, _, last = numbers.partition(" to ")
    if not last:
        return re.findall(r"\w*\d\w*", numbers)
    letter = first.lstrip("0123456789")
    return [f"{n}{letter}" for n in range(int(first.removesuffix("A")), int(last.removesuffix("A")) + 1)]
