"""Parts of a text are marked by pointer and by keys, and the text runs as it was written on a page of any language."""

from playwright.sync_api import Browser, Page, expect

from mores.studio.config import StudioConfig
from mores.studio.flows.form.project_forms import set_form
from mores.studio.models import Participant, Project
from mores.studio.work.items import NewItem, add_items
from tests.studio import made
from tests.studio.browser import person_in
from tests.studio.served import serving

PARTS = ("تنتظر منى عند الباب.", "تقول خالتها: اتفضلي!", "ترد منى: thank you، وتبقى واقفة.", "ثم تأكل معها.")
FORM = "".join(
    f'[[ask]]\ntype = "spans"\nname = "{unit}"\nwords = "ما الغريب؟"\ncolumn = "text"\nunit = "{unit}"\n'
    for unit in ("sentence", "word")
)
BEGINNINGS = """boxes => boxes.map(box => {
    const word = box.closest("label").querySelector("span").getClientRects()[0], at = box.getBoundingClientRect();
    return [at.right, at.top + at.height / 2, word.right, word.top, word.bottom];
})"""
"""Of each part its box, and where its first line begins and stands; its words run from right to left."""


def _asked() -> Participant:
    project = made.project("marked", flow="form")
    Project.objects.filter(pk=project.pk).update(language="ar")
    project.refresh_from_db()
    set_form(project, FORM)
    payload = {"place": "", "cells": {"text": " ".join(PARTS)}}
    add_items(project, [NewItem(key="t", payload=payload, region="EG")], who=None)
    return made.annotators(project, 1, region="EG")[0]


def _drawn(page: Page, first: int, last: int) -> object:
    """What is marked once a pointer was drawn from one part to another, quickly, and let go beside the text."""
    parts = page.locator(".marks").first.locator("label > span")
    parts.first.scroll_into_view_if_needed()
    ((start, top), (end, bottom)) = (
        parts.nth(number).evaluate("span => (at => [at.right - 5, at.top + 9])(span.getClientRects()[0])")
        for number in (first, last)
    )
    page.mouse.move(start, top)
    page.mouse.down()
    page.mouse.move(end, bottom)
    page.mouse.move(2, bottom)
    page.mouse.up()
    return page.locator("[name=sentence]").evaluate_all("boxes => boxes.map(box => box.checked)")


def test_a_text_is_marked_by_pointer_and_keys_and_runs_in_its_own_direction(
    studio: StudioConfig, browser: Browser
) -> None:
    person = _asked()
    with serving(studio) as server:
        page = person_in(browser, server, person.account, width=900)
        page.goto("/p/marked/work")
        assert _drawn(page, 2, 0) == [True, True, True, False]
        assert _drawn(page, 1, 2) == [True, False, False, False]
        page.locator("[name=word]").nth(1).focus()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(page.locator(".saved")).to_have_text("Saved")
        assert page.locator("[name=word]:checked").count() == 2
        first, second, *_ = page.locator("[name=sentence]").evaluate_all(BEGINNINGS)
        assert first[0] > second[0]  # on a page in English
        page.set_viewport_size({"width": 360, "height": 800})
        parts = page.locator(".marks input").evaluate_all(BEGINNINGS)
        assert all(right > word and top < middle < bottom for right, middle, word, top, bottom in parts), parts
