"""What a page of a paper or a how-to shows is what its commands print, and no table of its paper is passed over."""

from pathlib import Path

import pytest

from tests.papers.pages import PAGES, numbered, written

NUMBERED = {
    "culturalbench": {"Table": ("1",), "Figure": tuple(map(str, range(1, 12))), "Appendix": tuple("ABCDEFGH")},
    "cure": {"Table": tuple("123"), "Figure": tuple("1234"), "Appendix": tuple("AB")},
    "cultureforest": {"Table": tuple(map(str, range(1, 12))), "Figure": tuple(map(str, range(1, 13)))},
    "socialcc": {"Table": ("1", "2", *(f"{n}A" for n in range(3, 17))), "Figure": (*"1234567", "8A")},
    "liveculturebench": {"Table": tuple(map(str, range(1, 16))), "Figure": tuple("12345")},
}
"""The numbered tables and figures of each paper; where those of appendices have no numbers, its appendices."""


def page_of(name: str) -> str:
    return PAGES[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows_is_what_its_commands_print(name: str, data: Path, tmp_path: Path) -> None:
    page = page_of(name)
    assert written(page, tmp_path, data) == page, f"python -m tests.papers {name} writes it anew"


@pytest.mark.parametrize("name", NUMBERED)
def test_every_numbered_table_and_figure_has_its_heading(name: str) -> None:
    told = numbered(page_of(name))
    assert {kind: sorted(numbers) for kind, numbers in told.items()} == {
        kind: sorted(numbers) for kind, numbers in NUMBERED[name].items()
    }
