"""What the page does where scripts run: tables sort, lists filter, nothing else acts."""

import asyncio
from pathlib import Path

import pytest

from mores.reports.findings import Findings, read_findings
from mores.reports.page import write_page
from tests.reports.browser import Tab, browser, opened

pytestmark = pytest.mark.skipif(browser() is None, reason="no chromium here; the page's script is not tried")

COLUMN = (
    "[...document.querySelector('#ladder-know-table').tBodies[1].rows].map(r => parseFloat(r.cells[{0}].dataset.v))"
)
SHOWN = "[...document.querySelectorAll('{0} [data-entry]')].filter(e => !e.hidden).map(e => e.dataset.{1})"
PICK = (
    "(() => {{ const control = document.querySelector('{0}'); control.value = '{1}';"
    " control.dispatchEvent(new Event('input', {{bubbles: true}})) }})()"
)


def test_tables_sort_and_lists_filter(found: Findings, tmp_path: Path) -> None:
    write_page(found, tmp_path / "report.html")

    async def look() -> None:
        async with opened(tmp_path / "report.html", tmp_path / "profile") as tab:
            await sorts(tab)
            await filters(tab)

    asyncio.run(look())


async def sorts(tab: Tab) -> None:
    head = "document.querySelectorAll('#ladder-know-table thead th')[3]"
    for order in ("descending", "ascending"):
        await tab.run(f"{head}.querySelector('button').click()")
        assert await tab.run(f"{head}.getAttribute('aria-sort')") == order
        values = await tab.run(COLUMN.format(3))
        assert values == sorted(values, reverse=order == "descending")
        first = "document.querySelector('#ladder-know-table tbody th').textContent"
        assert str(await tab.run(first)).startswith("Everything")


async def filters(tab: Tab) -> None:
    await tab.run(PICK.format("form[data-filter=ladder-know-table] select", "domain"))
    assert set(await tab.run(SHOWN.format("#ladder-know-table", "kind"))) == {"domain"}
    listed = "#ladder-know-words-2-list"
    await tab.run(PICK.format("form[data-filter=ladder-know-words-2-list] select[name=kind]", "refusal"))
    await tab.run(PICK.format("form[data-filter=ladder-know-words-2-list] input", "put to the subject"))
    assert set(await tab.run(SHOWN.format(listed, "kind"))) == {"refusal"}
    await tab.run(PICK.format("form[data-filter=ladder-know-words-2-list] input", "no such words"))
    assert await tab.run(SHOWN.format(listed, "kind")) == []


def test_words_of_a_model_do_not_act(spoken: Path, tmp_path: Path) -> None:
    write_page(read_findings([spoken]), tmp_path / "report.html")

    async def look() -> list[object]:
        async with opened(tmp_path / "report.html", tmp_path / "profile") as tab:
            await tab.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.acted = 1\">')")
            await asyncio.sleep(0.2)
            return [
                await tab.run("document.scripts.length"),
                await tab.run("document.querySelectorAll('pre script, pre img').length"),
                await tab.run("window.acted ?? 0"),
            ]

    assert asyncio.run(look()) == [1, 0, 0]
