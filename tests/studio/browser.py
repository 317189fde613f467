"""A real browser for tests of pages, by Playwright; skipped with its reason where none is installed."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from mores.studio.models import Account
from tests.studio.served import Served, cookies_of
from tests.studio.shown import Shown

Scheme = Literal["light", "dark"]
DESK: ViewportSize = {"width": 1200, "height": 800}
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first has no window to draw around a page, so that it opens one in a third of the processor time."""


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser, closed in the end."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no browser: apt-get install chromium")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=flags)
        try:
            yield browser
        finally:
            browser.close()


def person_in(
    browser: Browser, server: Served, account: Account | None = None, *, scripts: bool = True, locale: str = "en",
    color_scheme: Scheme = "light", width: int = DESK["width"],
) -> Page:  # fmt: skip
    """A page in a window of its own, whose owner is signed in."""
    context: BrowserContext = browser.new_context(
        base_url=server.url, java_script_enabled=scripts, locale=locale, color_scheme=color_scheme,
        viewport={"width": width, "height": DESK["height"]},
    )  # fmt: skip
    context.set_default_timeout(30_000)
    page = context.new_page()
    signed_in(page, server, account)
    return page


def signed_in(page: Page, server: Served, account: Account | None) -> None:
    """From here on the window is that of this account, or of nobody."""
    page.context.clear_cookies()
    if account is not None:
        cookies = cookies_of(account).items()
        page.context.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in cookies])


def opened(
    browser: Browser, server: Served, shown: Shown, *, language: str = "en", scheme: Scheme = "light",
    width: int = DESK["width"], before: str = "",
) -> Page:  # fmt: skip
    """A page of the list, open; `before` is a script that runs before its own."""
    page = person_in(browser, server, shown.who, locale=language, color_scheme=scheme, width=width)
    if before:
        page.add_init_script(before)
    show(page, shown)
    return page


def show(page: Page, shown: Shown) -> None:
    """Come to a page of the list as it is come to."""
    page.goto(shown.path)
    for button in shown.press:
        page.locator(button).first.click()
        page.wait_for_load_state()
