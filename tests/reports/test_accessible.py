"""The page for everybody: by keys alone, read aloud, on a phone, in the dark; in a real browser."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mores.analysis.results import Results
from mores.reports.page import write_page
from mores.runs.loading import read_results
from tests.reports.browser import Tab, browser, opened
from tests.reports.conftest import Held

pytestmark = pytest.mark.skipif(browser() is None, reason="no chromium here; the page is not tried")

AXE = "MORES_AXE"
"""Names a file `axe.min.js` (npm package axe-core, MPL-2.0), which is too large to stand here."""
PHONE, DESK = 360, 1200
OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true })"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
NESTED = "document.querySelectorAll(':is(a, button, summary) :is(a, button, select, input)').length"
UNNAMED = (
    "[...document.querySelectorAll('button, select, input, a[href], [role=region], [role=img], th')]"
    ".filter(e => !(e.getAttribute('aria-label') || e.textContent || e.labels?.[0]?.textContent || '').trim())"
    ".map(e => e.outerHTML)"
)
OUT_OF_REACH = (
    "[...document.querySelectorAll('main *')].filter(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)"
    " && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.tabIndex < 0"
    ").map(e => e.outerHTML.slice(0, 200))"
)
TWICE = "(ids => ids.filter((id, n) => ids.indexOf(id) !== n))([...document.querySelectorAll('[id]')].map(e => e.id))"
CONTRASTS = """(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = colour => {
    context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map(v => v / 255)
      .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  return [...document.querySelectorAll("td.heat")].flatMap(cell => [cell, ...cell.querySelectorAll("*")].map(each => {
    const [a, b] = [light(getComputedStyle(each).color), light(getComputedStyle(cell).backgroundColor)];
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  }));
})()"""


def look(results: Results, folder: Path, steps: Callable[[Tab], Awaitable[Any]]) -> Any:
    write_page(results, folder / "report.html")

    async def go() -> Any:
        async with opened(folder / "report.html") as tab:
            return await steps(tab)

    return asyncio.run(go())


def test_all_parts_have_names_and_are_reached_by_keys_on_a_desk_and_a_phone(found: Results, tmp_path: Path) -> None:
    async def steps(tab: Tab) -> None:
        await tab.run(OPEN_ALL)
        assert await tab.run(NESTED) == 0
        assert await tab.run(UNNAMED) == []
        assert await tab.run(TWICE) == []
        for width in (DESK, PHONE):
            await tab.widened(width)
            await asyncio.sleep(0.3)
            assert await tab.run(OUT_OF_REACH) == []

    look(found, tmp_path, steps)


def test_a_page_of_many_models_has_no_name_twice(held: Held, tmp_path: Path) -> None:
    models = tuple(f"simulated/typical:know=.{n}" for n in range(3, 7))
    write_page(read_results([held("ladder/know", "ladder/judge", models=models, limit=30)]), tmp_path / "report.html")
    names = re.findall(r' id="([^"]+)"', (tmp_path / "report.html").read_text(encoding="utf-8"))
    assert {"item_statistics", "browse"} <= set(names)
    assert len(names) == len(set(names))


def test_nothing_is_wider_than_a_phone_and_numbers_in_shades_are_legible_in_the_dark(
    found: Results, tmp_path: Path
) -> None:
    async def steps(tab: Tab) -> None:
        await tab.run(OPEN_ALL)
        for scheme in ("light", "dark"):
            await tab.in_scheme(scheme)
            contrasts = await tab.run(CONTRASTS)
            assert contrasts
            assert min(contrasts) >= 4.5
            for width in (DESK, PHONE):
                await tab.widened(width)
                assert await tab.run(TOO_WIDE) <= 0

    look(found, tmp_path, steps)


def test_a_table_is_sorted_and_its_head_followed_by_keys(found: Results, tmp_path: Path) -> None:
    head = "document.querySelectorAll('#leaderboard thead th')[1]"

    async def steps(tab: Tab) -> None:
        await tab.run(f"{head}.querySelector('button').focus()")
        await tab.press("Enter")
        assert await tab.run(f"{head}.getAttribute('aria-sort')") in {"ascending", "descending"}
        await tab.run(f"{head}.querySelector('a').focus()")
        await tab.press("Enter")
        assert str(await tab.run("location.hash")).startswith("#ladder-")

    look(found, tmp_path, steps)


@pytest.mark.skipif(AXE not in os.environ, reason=f"{AXE} names no axe.min.js")
def test_axe_finds_nothing_serious(found: Results, tmp_path: Path) -> None:
    asked = "axe.run().then(found => found.violations.map(each => [each.impact, each.id, each.nodes[0].html]))"

    axe = Path(os.environ[AXE]).read_text(encoding="utf-8")

    async def steps(tab: Tab) -> list[list[str]]:
        await tab.run(OPEN_ALL)
        await tab.run(f"{axe};0")
        heard = []
        for scheme, width in (("light", DESK), ("dark", PHONE)):
            await tab.in_scheme(scheme)
            await tab.widened(width)
            heard += await tab.run(asked)
        return heard

    assert [each for each in look(found, tmp_path, steps) if each[0] in {"serious", "critical"}] == []
