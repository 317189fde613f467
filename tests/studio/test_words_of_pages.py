"""No page shows words of another language; in Arabic a Latin letter gives away also those that no catalogue has."""

import re
from html import unescape

from django.test import Client
from playwright.sync_api import Browser

from mores.studio.config import StudioConfig
from tests.studio.doing import client_of
from tests.studio.planting import Say
from tests.studio.served import serving
from tests.studio.shown import planted
from tests.studio.test_pages import pages
from tests.studio.translations import PLURALS, folder, read_po

SHOWN = """[...document.querySelectorAll("body, body *")].flatMap(e =>
    e.matches("script, style, code") || e.closest("[lang]") !== document.documentElement ? [] : [
        ...[...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data),
        ...["aria-label", "title", "placeholder", "alt"].map(name => e.getAttribute(name) ?? "")])"""
UNSAID = re.compile(r"<option[^>]* lang=.*?</option>|<code.*?</code>", re.DOTALL)
"""What is the same in every language: the name of each, and what programs wrote."""
ADDRESS = re.compile(r"https?://\S+")
WORD = re.compile(r"[A-Za-z][A-Za-z-]+")
NAMES = {
    "Argilla", "CC-BY-", "CSV", "CulturalBench", "Easy", "Enter", "GIF", "Hard", "JPEG", "JSON", "Label", "Lines",
    "Markdown", "PNG", "Prolific", "Studio", "TOML", "USD", "UTC", "WebP", "https", "ii", "iii", "iv", "mores",
}  # fmt: skip
TYPED = {"agreement", "attention", "build", "correct", "judge", "review", "sets", "training"}
"""Commands, and what stands in columns of files."""
PLANTED = {"Forgetful", "Nothing", "Practice", "She", "asks", "no", "twice", "yes"}
"""What people say in the studio of the list of pages."""


def _foreign(texts: list[str]) -> set[str]:
    return {word for text in texts for word in WORD.findall(ADDRESS.sub("", text))} - NAMES - TYPED - PLANTED


def _numbers() -> Say:
    """Numbers, which people and models say instead of words."""
    told = iter(range(10_000))
    return lambda _words: str(next(told))


def test_no_page_is_in_english_where_its_language_has_the_words(studio: object) -> None:
    said = {language: read_po(folder(language) / "django.po") for language in PLURALS}
    english = {
        language: {key[0] for key, forms in words.items() if forms[0] and forms != key}
        for language, words in said.items()
    }
    others = sorted(set(PLURALS) - {"es"})
    # Tables as they are stored are shown in English, and say so.
    of_people = (each for each in planted(_numbers()) if not each.path.startswith("/admin"))
    for number, each in enumerate(of_people):
        for language in ("es", others[number % len(others)]):
            client = Client(headers={"accept-language": language}) if each.who is None else client_of(each.who)
            page = client.get(each.path, headers={"accept-language": language}, follow=True).content.decode()
            texts = {unescape(text).strip() for text in re.findall(r">([^<>]+)<", UNSAID.sub("", page))}
            assert f'<html lang="{language}"' in page, each.name
            assert texts & english[language] - PLANTED == set(), (each.name, language)


def test_no_page_in_arabic_has_a_word_in_latin_letters(studio: StudioConfig, browser: Browser) -> None:
    with serving(studio) as server:
        every = pages(browser, server, _numbers(), language="ar")
        # Tables as they are stored are shown in English, and say so.
        own = ((name, page) for name, page in every if page.evaluate("document.documentElement.lang") == "ar")
        found = {name: _foreign(page.evaluate(SHOWN)) for name, page in own}
    assert len(found) > 60
    assert {name: words for name, words in found.items() if words} == {}
