"""The built site loads nothing from elsewhere, and its search finds what is on it; `make docs` builds it before."""

import re
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, sync_playwright

from mores.benchmarks import catalogue
from tests.conftest import ROOT
from tests.reports.browser import browser as browser_path

pytestmark = pytest.mark.site
SITE = ROOT / "site"
IN_STYLES = re.compile(r"""(?:url\(|@import\s+)\s*["']?([^"')\s]+)""")


class LoadedAddresses(HTMLParser):
    """Addresses that a browser loads by itself while it shows a page; where links lead is none of them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self.found += [has[name] for name in ("src", "data", "poster") if name in has]
        self.found += [part.split()[0] for part in has.get("srcset", "").split(",") if part.strip()]
        self.found += IN_STYLES.findall(has.get("style", ""))
        if tag == "link" and not {"prev", "next", "canonical", "alternate"} & set(has["rel"].split()):
            self.found.append(has["href"])


def loaded(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".css":
        return IN_STYLES.findall(text)
    parser = LoadedAddresses()
    parser.feed(text)
    return parser.found


def test_no_page_and_no_style_loads_anything_from_elsewhere() -> None:
    files = [*SITE.rglob("*.html"), *SITE.rglob("*.css")]
    assert len(files) > 50
    addresses = {(str(file.relative_to(SITE)), address) for file in files for address in loaded(file)}
    assert {urlsplit(address).scheme for _, address in addresses} <= {"", "data"}
    assert [found for found in addresses if urlsplit(found[1]).netloc] == []


def test_every_block_of_code_is_one_on_its_page() -> None:
    assert [str(page.relative_to(SITE)) for page in SITE.rglob("*.html") if "```" in page.read_text("utf-8")] == []


def test_every_benchmark_has_its_card_and_every_call_of_the_package_its_docstring() -> None:
    cards = "".join(page.read_text(encoding="utf-8") for page in SITE.glob("cards/*/index.html"))
    assert [name for name in catalogue.names() if f"({name}, version" not in cards] == []
    calls = (SITE / "api" / "from-python" / "index.html").read_text(encoding="utf-8")
    assert 'id="mores.run"' in calls
    assert "Names of benchmarks or families" in calls


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the site is served meanwhile."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(SITE))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if (path := browser_path()) is None:
        pytest.skip("no browser: apt-get install chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


def test_the_search_finds_a_term_and_asks_nobody_else(browser: Browser, address: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("krippendorff")
    page.locator("a[href*='docs/judges/?h=krippendorff']").wait_for()
    assert [each for each in asked if not each.startswith((address, "blob:", "data:"))] == []


@pytest.mark.parametrize("path", ["", "docs/cli/", "api/statistics/", "cards/cure/"])
def test_a_page_fits_a_telephone_and_is_dark_where_that_is_preferred(browser: Browser, address: str, path: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(address + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", ground)[:3])) < 64
