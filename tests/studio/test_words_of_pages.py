"""No page shows words that its language lacks: in Arabic a Latin letter gives each one away."""

import re

from playwright.sync_api import Browser

from mores.studio.config import StudioConfig
from tests.studio.served import serving
from tests.studio.test_pages import pages

SHOWN = """[...document.querySelectorAll("body, body *")].flatMap(e =>
    e.matches("script, style, code") || e.closest("[lang]") !== document.documentElement ? [] : [
        ...[...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data),
        ...["aria-label", "title", "placeholder", "alt"].map(name => e.getAttribute(name) ?? "")])"""
ADDRESS = re.compile(r"https?://\S+")
WORD = re.compile(r"[A-Za-z][A-Za-z-]+")
NAMES = {
    "CC-BY-", "CSV", "CulturalBench", "Easy", "Enter", "GIF", "Hard", "JPEG", "JSON", "Lines", "Markdown", "PNG",
    "Prolific", "USD", "UTC", "WebP", "mores",
}  # fmt: skip
TYPED = {"agreement", "attention", "build", "correct", "judge", "review", "sets", "training"}
"""Commands, and what stands in columns of files."""
PLANTED = {"Forgetful", "Nothing", "Practice", "She", "asks", "no", "twice", "yes"}
"""What people say in the studio of the list of pages."""


def _foreign(texts: list[str]) -> set[str]:
    return {word for text in texts for word in WORD.findall(ADDRESS.sub("", text))} - NAMES - TYPED - PLANTED


def test_no_page_in_arabic_has_a_word_in_latin_letters(studio: StudioConfig, browser: Browser) -> None:
    told = iter(range(10_000))
    with serving(studio) as server:
        every = pages(browser, server, lambda _words: str(next(told)), language="ar")
        # Tables as they are stored are shown in English, and say so.
        own = ((name, page) for name, page in every if page.evaluate("document.documentElement.lang") == "ar")
        found = {name: _foreign(page.evaluate(SHOWN)) for name, page in own}
    assert len(found) > 60
    assert {name: words for name, words in found.items() if words} == {}
