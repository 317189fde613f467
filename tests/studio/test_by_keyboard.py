"""Every kind of work is done by keys alone, from one studio: what is written, and what is answered."""

from playwright.sync_api import Browser, Page, expect

from mores.studio.config import StudioConfig
from mores.studio.models import Draft, Job, Project, Response, WorkItem
from tests.studio import made
from tests.studio.browser import person_in as signed_in
from tests.studio.planting import items, person_in
from tests.studio.served import Served, serving

FIELDS = {"review": ["label"], "label": ["label"], "norms": ["holds", "whom", "strength"]}


def _tab_to(page: Page, name: str) -> None:
    """Tab until what has this name, or is a field of this name, has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        here = "document.activeElement"
        if name in page.evaluate(f"[{here}.name, ({here}.innerText || '').replace(/[↵\\s]+$/, '')]"):
            return
    raise AssertionError(f"no Tab leads to {name}")


def _typed(page: Page, field: str, words: str) -> None:
    _tab_to(page, field)
    page.keyboard.type(words)


def _chosen(page: Page, *fields: str) -> None:
    """Choose the first option of each."""
    for field in fields:
        _tab_to(page, field)
        page.keyboard.press("Space")


def _enter(page: Page) -> None:
    """Press Enter, which leads to a page."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


def _worker(browser: Browser, server: Served, flow: str) -> Page:
    project = made.project(flow, flow=flow)
    items(project, str)
    page = signed_in(browser, server, person_in(project, f"Kenji {flow}").account)
    page.goto(f"/p/{flow}/")
    return page


def test_every_flow_is_worked_in_by_tab_space_and_enter(studio: StudioConfig, browser: Browser) -> None:
    with serving(studio) as server:
        for flow, fields in FIELDS.items():
            page = _worker(browser, server, flow)
            _tab_to(page, "Answer")
            _enter(page)
            _chosen(page, *fields)
            if flow == "norms":
                _typed(page, "why", "At home we always do.")
            _tab_to(page, "Submit")
            _enter(page)
            page.context.close()
    said = {
        each.assignment.project.flow: each.answer for each in Response.objects.select_related("assignment__project")
    }
    assert said["review"] == {"label": "satisfy"}
    assert said["label"] == {"label": "yes", "note": ""}
    assert said["norms"] == {"holds": "agree", "whom": "all", "strength": "no", "why": "At home we always do."}


def test_a_question_is_written_and_sent_by_keys_and_enter_in_it_asks_no_model(
    studio: StudioConfig, browser: Browser
) -> None:
    wrong: list[str] = []
    with serving(studio) as server:
        page = _worker(browser, server, "write")
        page.on("pageerror", lambda error: wrong.append(str(error)))
        _tab_to(page, "Write a question")
        _enter(page)
        _typed(page, "situation", "At a feast the eldest begins to eat.")
        _typed(page, "question", "Who begins to eat at a feast?")
        for letter, words in zip("abcd", ("The eldest", "The guest", "The host", "Anybody"), strict=True):
            _typed(page, letter, words)
        _chosen(page, "holds")
        _enter(page)
        expect(page.locator("[name=holds]").first).to_be_checked()
        assert Draft.objects.get().body["d"] == ["Anybody"]
        _chosen(page, "common", "knows")
        _tab_to(page, "Send the question")
        _enter(page)
        expect(page.get_by_text("Your question is stored.")).to_be_visible()
    assert (Job.objects.count(), wrong) == (0, [])
    written = WorkItem.objects.get(author__isnull=False)
    assert Project.objects.get(pk=written.project_id).flow == "write"
