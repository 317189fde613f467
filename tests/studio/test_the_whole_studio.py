"""As a new user goes it, in real browsers: serve, the owner's link, write with help, five who check, export, run."""

import zipfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from mores.api.notebook import run
from mores.studio.config import StudioConfig
from tests.studio.browser import person_in
from tests.studio.served import Served, serving

PASSWORD = "a long enough one"


def test_a_question_is_written_with_help_checked_by_five_and_run(
    studio: StudioConfig, browser: Browser, tmp_path: Path
) -> None:
    with serving(studio) as server:
        owner = person_in(browser, server)
        link = next(word for word in server.log.read_text().split() if "/enter/" in word)
        _enter(owner, link, "owner")
        _project(owner, "Checked", "check")
        _project(owner, "Feasts", "write", feeds="Checked")
        _written(person_in(browser, server), _invited(owner, "feasts", "writer"))
        owner.goto("/p/feasts/curate")
        owner.get_by_label("Accept").check()
        owner.get_by_role("button", name="Decide").click()
        expect(owner.locator("#no-work")).to_be_visible()
        invited = _invited(owner, "checked", "annotator", people=5)
        for number in range(5):
            _checked(browser, server, invited, number)
        owner.goto("/p/checked/")
        with owner.expect_download() as download:
            owner.get_by_role("link", name="CulturalBench").click()
        with zipfile.ZipFile(download.value.path()) as archive:
            archive.extractall(tmp_path / "export")
    result = run("culturalbench/hard", model="simulated/typical", data=tmp_path / "export", out=tmp_path / "run")
    assert len(result.items) == 4  # one for each of the question's options


def _enter(page: Page, link: str, name: str) -> None:
    page.goto(link)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make my account").click()


def _project(owner: Page, name: str, flow: str, feeds: str = "") -> None:
    owner.goto("/new")
    owner.get_by_label("Name").fill(name)
    owner.locator("[name=flow]").select_option(flow)
    if feeds:
        owner.locator("[name=feeds]").select_option(label=feeds)
    owner.get_by_role("button", name="Make it").click()
    expect(owner.get_by_role("heading", name=name, exact=True)).to_be_visible()


def _invited(owner: Page, slug: str, role: str, people: int = 1) -> str:
    owner.goto(f"/p/{slug}/invite")
    owner.locator("[name=role]").select_option(role)
    owner.locator("[name=uses]").fill(str(people))
    owner.get_by_role("button", name="Make a link").click()
    return owner.locator("#link").inner_text()


def _screened(page: Page) -> None:
    page.locator("[name=nationality]").select_option("JP")
    page.locator("[name=residence]").select_option("JP")
    page.locator("[name=consent]").check()
    page.get_by_role("button", name="Begin").click()


def _written(page: Page, link: str) -> None:
    """A question is drafted by a model, answered by another, made its writer's own, and sent."""
    _enter(page, link, "writer")
    page.get_by_role("link", name="Write a question").click()
    _screened(page)
    page.get_by_role("link", name="Write a question").click()
    page.locator("[name=situation]").fill("At a feast the eldest begins to eat.")
    page.get_by_role("button", name="Draft a question from my note").click()
    page.get_by_role("button", name="Put this into the form").click()
    page.get_by_role("button", name="Let the model answer").click()
    expect(page.get_by_text("The model's answer:")).to_be_visible()
    page.locator("[name=question]").fill("Who begins to eat at a feast?")
    for letter, words in zip("abcd", ("The eldest", "The guest", "The host", "Anybody"), strict=True):
        page.locator(f"[name={letter}]").fill(words)
    page.locator("[name=common][value='4']").check()
    page.locator("[name=knows][value='5']").check()
    page.get_by_role("button", name="Send the question").click()
    expect(page.get_by_text("Your question is stored.")).to_be_visible()


def _checked(browser: Browser, server: Served, link: str, number: int) -> None:
    page = person_in(browser, server)
    _enter(page, link, f"annotator {number}")
    page.get_by_role("link", name="Answer", exact=True).click()
    _screened(page)
    page.get_by_label("The eldest" if number else "The guest").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#no-work")).to_be_visible()
    page.context.close()
