"""What the page does where scripts run: tables sort, lists filter, nothing else acts."""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mores.analysis.results import Results
from mores.core.estimate import Estimate
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.page import write_page
from mores.runs.loading import read_results
from tests.payloads import MARKUP
from tests.reports.browser import Tab, browser, opened
from tests.reports.made import Made, run_of

pytestmark = pytest.mark.skipif(browser() is None, reason="no chromium here; the page's script is not tried")

COLUMN = (
    "[...document.querySelector('#ladder-know-table').tBodies[1].rows].map(r => parseFloat(r.cells[{0}].dataset.v))"
)
SHOWN = "[...document.querySelectorAll('{0} [data-entry]')].filter(e => !e.hidden).map(e => e.dataset.{1})"
PICK = (
    "(() => {{ const control = document.querySelector('{0}'); control.value = '{1}';"
    " control.dispatchEvent(new Event('input', {{bubbles: true}})) }})()"
)


def test_tables_sort_and_lists_filter(found: Results, tmp_path: Path) -> None:
    write_page(found, tmp_path / "report.html")

    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
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


def at(tab: Tab, width: int) -> Awaitable[Any]:
    return tab._call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=True)


def test_a_map_shows_the_model_that_is_picked(found: Results, tmp_path: Path) -> None:
    write_page(found, tmp_path / "report.html")
    japan = "document.querySelector('a[href=\"#place-JP\"]')"

    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
            mean = await tab.run(f"{japan}.getAttribute('aria-label')")
            assert "mean of 2 models" in mean
            await tab.run(PICK.format("figure.world select", "1"))
            assert "mean" not in await tab.run(f"{japan}.getAttribute('aria-label')")
            await tab.run(f"{japan}.focus()")
            told = await tab.run("document.querySelector('figure.world output').textContent")
            assert told == await tab.run(f"{japan}.getAttribute('aria-label')")
            await tab.run(f"{japan}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
            assert await tab.run("document.querySelector('tr:target').id") == "place-JP"

    asyncio.run(look())


def test_a_table_in_shades_is_walked_by_arrows(found: Results, tmp_path: Path) -> None:
    write_page(found, tmp_path / "report.html")
    reached = (
        "[...document.querySelectorAll('#places table')[0].querySelectorAll('td.heat a')].filter(a => !a.tabIndex)"
    )
    press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: '{0}', bubbles: true}}))"

    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
            assert await tab.run(f"{reached}.length") == 1
            await tab.run(f"{reached}[0].focus()")
            for key, row, column in (("ArrowRight", 1, 2), ("ArrowDown", 3, 2), ("ArrowLeft", 3, 1), ("ArrowUp", 1, 1)):
                await tab.run(press.format(key))
                cell = "document.activeElement.closest('td')"
                assert await tab.run(f"[{cell}.parentNode.rowIndex, {cell}.cellIndex]") == [row, column]
            told = str(await tab.run("document.querySelector('#places .scroll + output').textContent"))
            assert told.startswith("Everything, simulated/")
            assert " n " in told

    asyncio.run(look())


def test_a_link_into_a_folded_part_opens_it(found: Results, tmp_path: Path) -> None:
    write_page(found, tmp_path / "report.html")
    opens = "document.querySelector('#{0} details').open"

    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
            for anchor, part in (("ladder-judge", "ladder-judge"), ("term-interval", "glossary")):
                assert await tab.run(opens.format(part)) is False
                await tab.run(f"location.hash = '{anchor}'")
                await asyncio.sleep(0.3)
                assert await tab.run(opens.format(part)) is True

    asyncio.run(look())


ACROSS = "document.documentElement.scrollWidth <= {0}"
UNFOLD = "document.querySelectorAll('details').forEach(d => { d.open = true })"


def test_it_fits_a_phone_whatever_the_names_are(tmp_path: Path) -> None:
    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
            await tab.run(UNFOLD)
            await at(tab, 360)
            assert await tab.run(ACROSS.format(360))

    with heard() as (host, _):
        write_page(read_results([said_everywhere(tmp_path, host)]), tmp_path / "report.html")
        asyncio.run(look())


def test_it_fits_paper_and_has_a_dark_side(found: Results, tmp_path: Path) -> None:
    write_page(found, tmp_path / "report.html")
    cut = "[...document.querySelectorAll('.scroll, figure')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    colour = "getComputedStyle(document.body).backgroundColor"

    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
            await tab.run(UNFOLD)
            await at(tab, 1040)
            light = await tab.run(colour)
            await tab._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            assert await tab.run(colour) != light
            await tab._call("Emulation.setEmulatedMedia", media="print")
            assert await tab.run(ACROSS.format(1040))
            assert await tab.run(cut) == 0

    asyncio.run(look())


def test_names_that_run_from_right_to_left_keep_to_themselves(tmp_path: Path) -> None:
    arabic = "نموذج"
    about = ItemMetadata(item="0", unit="0", cluster="0", place="EG")
    said = [Graded(about=about, sample=0, task="label", points=1, label=arabic, gold=arabic, reason=arabic)]
    made = Made(model=f"a/{arabic}", benchmark="odd/tea", verdicts=said, figures={"accuracy": 0.5})
    write_page(read_results([run_of(tmp_path / "run", made)]), tmp_path / "report.html")

    async def look() -> None:
        async with opened(tmp_path / "report.html") as tab:
            names = "[...document.querySelectorAll('#leaderboard .model')].map(e => getComputedStyle(e).unicodeBidi)"
            assert set(await tab.run(names)) == {"isolate"}

    asyncio.run(look())


ACTING = "img, iframe, object, embed, base, form[action], svg script"


def said_everywhere(folder: Path, host: str) -> Path:
    """A run in which a model, its benchmark, items, places, labels, reasons, replies and errors are all markup."""
    words = [text.replace("HOST", host) for text in MARKUP]
    whole = "".join(words)
    verdicts: list[Verdict] = []
    for number, text in enumerate(words):
        about = ItemMetadata(
            item=f"{number}{text}", unit=text, cluster=text, place=text, groups={"domain": text}, part=text
        )
        graded = Graded(about=about, sample=0, task="label", points=number % 2, label=text, gold=whole, reason=text)
        verdicts += [graded if number % 3 else Ungraded(about=about, sample=0, task="label", cause=text, raw=whole)]
    events: list[Mapping[str, Any]] = [
        {"event": "asked", "prompt": "0", "role": "subject", "messages": [{"role": "user", "content": whole}]},
        {"event": "answered", "role": "subject", "text": whole, "reasoning": whole},
        {"event": "failed", "role": "subject", "cause": whole, "detail": whole},
    ]
    groups = [Estimate(metric="accuracy", group={"place": text}, value=0.5, low=0.1, high=0.9, asked=9, graded=9,
                       worst=0.5, best=0.5) for text in words]  # fmt: skip
    figures: dict[str, float | Estimate] = {
        "accuracy": 0.5,
        **{str(number): each for number, each in enumerate(groups)},
    }
    evaluations = [
        Made(model=f"{model}/{whole}", benchmark=whole, verdicts=verdicts, figures=figures, events=events,
             also={"remarks": words, "data": {whole: "0"}, "prompts": {whole: "0"}, "mores": whole, "git": whole})
        for model in ("a", "b")
    ]  # fmt: skip
    return run_of(folder / "run", *evaluations)


@contextmanager
def heard() -> Iterator[tuple[str, list[str]]]:
    """An address on loopback and what is asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def test_words_of_models_and_data_do_not_act(tmp_path: Path) -> None:
    async def look() -> list[object]:
        async with opened(tmp_path / "report.html") as tab:
            for details in ("true", "false"):
                await tab.run(f"document.querySelectorAll('details').forEach(d => {{ d.open = {details} }})")
            await tab.run("document.querySelectorAll('a, button, input, th').forEach(e => { e.focus(); e.click?.() })")
            await tab.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.acted = 1\">')")
            await asyncio.sleep(0.3)
            return [
                await tab.run("window.acted ?? 0"),
                await tab.run("[...document.scripts].filter(each => !each.type).length"),
                await tab.run(
                    "document.querySelectorAll('img, iframe, object, embed, base, form[action], svg script').length"
                ),
                await tab.run("document.querySelector('meta[http-equiv]').content.startsWith(\"default-src 'none'\")"),
                await tab.run("location.protocol"),
            ]

    with heard() as (host, asked):
        write_page(read_results([said_everywhere(tmp_path, host)]), tmp_path / "report.html")
        assert "window.acted" in (tmp_path / "report.html").read_text(encoding="utf-8")
        assert asyncio.run(look()) == [0, 1, 1, True, "file:"]  # the one image is the test's own
        assert asked == []
