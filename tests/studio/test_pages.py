"""Every page of the studio in a real browser: for everybody to read and reach, whatever is written on it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from playwright.sync_api import Browser, Page, expect

from mores.studio.config import StudioConfig
from tests.payloads import ESCAPES, MARKUP, SCRIPTS
from tests.studio.browser import DESK, opened, person_in, show, signed_in
from tests.studio.planting import Say
from tests.studio.served import Served, serving
from tests.studio.shown import planted

AXE = "MORES_AXE"
"""Names a file `axe.min.js` (npm package axe-core, MPL-2.0), which is too large to stand here."""
SERIOUS = """axe.run().then(found => found.violations.filter(each => ["serious", "critical"].includes(each.impact))
    .map(each => [each.id, each.nodes[0].html]))"""
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
UNNAMED = (
    "[...document.querySelectorAll('button, select, textarea, input:not([type=hidden]), a[href], summary')]"
    ".filter(e => !(e.getAttribute('aria-label') || e.textContent || e.labels?.[0]?.textContent || '').trim())"
    ".map(e => e.outerHTML)"
)
COLONS = (
    "[...document.querySelectorAll('[type=checkbox]')].flatMap(e => [...e.labels].map(l => l.textContent.trim()))"
    ".filter(words => words.endsWith(':'))"
)
"""What stands beside a box to tick leads to nothing that follows it."""
LOOSE = (
    "[...document.querySelectorAll('.wide .hidden')].filter(e => !e.closest('.wide').contains(e.offsetParent))"
    ".map(e => e.outerHTML)"
)
"""What stands out of a table that scrolls makes the page as wide as the table is in some language."""
TWICE = "(ids => ids.filter((id, n) => ids.indexOf(id) !== n))([...document.querySelectorAll('[id]')].map(e => e.id))"
HEARD = """window.heard = []; window.alert = window.confirm = window.prompt = () => window.heard.push("dialog");
addEventListener("securitypolicyviolation", event => window.heard.push(event.violatedDirective + event.blockedURI));
addEventListener("error", event => window.heard.push(event.message));"""
PHONE, DOUBLE = 320, 640  # the second is a window of 1,280 at 200 %
TURNED = "document.documentElement.dir = 'rtl'"


NO_PAGE = {
    "account-reset", "account-switch", "link-end", "member-leave", "one-more", "person-end", "preferences",
    "project-state", "prolific-hook", "sign-out", "submissions", "work-draft", "work-skip", "work-undo", "write-draft",
    "credit", "demonstration", "export", "payments-table", "health", "design", "new-from-design", "connection-end",
    "api-items", "api-answers", "api-agreement", "item-retire", "problem-settle", "import-undo", "work-problem",
    "jsi18n", "picture", "picture-add",
}  # fmt: skip
"""Addresses at which something is done or handed out, and no page is shown."""
REACHED = {"decide", "app_list", "studio_auditevent_change", "studio_response_change"}
"""Pages that are come to by a button or a redirect from another."""


def _names(table: list[URLPattern | URLResolver]) -> Iterator[str | None]:
    for each in table:
        yield from _names(each.url_patterns) if isinstance(each, URLResolver) else [each.name]


def test_the_list_of_pages_has_every_page_of_the_table_of_addresses(studio: object) -> None:
    shown = {resolve(each.path.partition("?")[0]).url_name for each in planted()}
    assert set(_names(get_resolver("mores.studio.urls").url_patterns)) == shown | NO_PAGE | REACHED
    assert not shown & NO_PAGE


def pages(browser: Browser, server: Served, say: Say = str, *, language: str = "en") -> Iterator[tuple[str, Page]]:
    """Every page, with its name: on a desk in the light, in one window that forgets who was there before."""
    page = person_in(browser, server, locale=language)
    page.add_init_script(HEARD)
    for each in planted(say):
        signed_in(page, server, each.who)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESK)
        show(page, each)
        yield each.name, page
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.close()


def _on_a_phone(page: Page) -> None:
    """In the dark, and from right to left."""
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": PHONE, "height": 800})
    page.evaluate(TURNED)


def _hostile() -> Say:
    """What people and models say instead: a name gets one of all bad words in turn, longer words get all."""
    bad = "".join(words.replace("\x00", "") for words in (*MARKUP, *SCRIPTS, *ESCAPES) if words.isprintable())
    told = iter(range(10_000))

    def say(words: str) -> str:
        number = next(told)
        return (
            f"{number} {MARKUP[number % len(MARKUP)]}"[:80]
            if len(words) < 40
            else f"{words} {bad} {{{{ 7*7 }}}} {{% now %}}"
        )

    return say


def _faults(page: Page, server: Served) -> dict[str, object]:
    """What is wrong with a page that is open on a desk: each fault by its name."""
    found: dict[str, object] = {}
    names = ("unnamed", "twice", "colons", "loose")
    found |= zip(names, page.evaluate(f"[{UNNAMED}, {TWICE}, {COLONS}, {LOOSE}]"), strict=True)
    page.set_viewport_size({"width": DOUBLE, "height": 800})
    found["too wide at 200 %"] = page.evaluate(TOO_WIDE) > 0
    _on_a_phone(page)
    found["too wide on a phone"] = page.evaluate(TOO_WIDE) > 0
    found["heard"], found["acted"] = page.evaluate("[window.heard, window.acted ?? 0]")
    found["away"] = [each.url for each in page.context.pages if not each.url.startswith(server.url)]
    return {name: fault for name, fault in found.items() if fault}


def test_every_page_is_named_in_all_its_parts_and_no_wider_than_a_phone_and_no_words_of_people_or_models_act_on_it(
    studio: StudioConfig, browser: Browser
) -> None:
    with serving(studio) as server:
        found = {name: _faults(page, server) for name, page in pages(browser, server, _hostile())}
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.skipif(AXE not in os.environ, reason=f"{AXE} names no axe.min.js")
def test_axe_finds_nothing_serious_on_any_page(studio: StudioConfig, browser: Browser) -> None:
    axe = Path(os.environ[AXE]).read_text(encoding="utf-8")
    found = {}
    with serving(studio) as server:
        for name, page in pages(browser, server):
            page.evaluate(f"{axe};0")
            found[name] = page.evaluate(SERIOUS)
            _on_a_phone(page)
            found[name] += page.evaluate(SERIOUS)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_focus_goes_through_a_page_in_its_order_and_is_seen(studio: StudioConfig, browser: Browser) -> None:
    shown = {each.name: each for each in planted()}
    with serving(studio) as server:
        page = opened(browser, server, shown["check-work"])
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        order = []
        for _ in range(10):
            page.keyboard.press("Tab")
            order.append(page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()"))
            outlined = "getComputedStyle(e).outlineStyle"
            seen = page.evaluate(
                f"(e => [{outlined}, (e => {outlined})(e.closest('.choice') ?? e)])(document.activeElement)"
            )
            assert {"solid", "auto"} & set(seen), order[-1]
        assert order[:8] == ["Guidelines", *["options"] * 6, "Submit ↵"]
        wrong = opened(browser, server, shown["check-wrong"])
        expect(wrong.locator("fieldset input").first).to_be_focused()
        expect(wrong.locator("fieldset")).to_have_accessible_description("Choose at least one option.")


def test_single_keys_can_be_switched_off(studio: StudioConfig, browser: Browser) -> None:
    shown = {each.name: each for each in planted()}
    with serving(studio) as server:
        page = opened(browser, server, shown["check-work"])
        page.keyboard.press("?")
        page.get_by_label("Use these keys").uncheck()
        page.reload()
        page.keyboard.press("1")
        expect(page.locator("fieldset input").first).not_to_be_checked()
