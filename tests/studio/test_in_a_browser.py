"""Check questions in a real browser: by mouse, by keys alone, without scripts, with a cut network, and back again."""

import re
import time

from playwright.sync_api import Browser, Page, Route, expect

from mores.studio.config import StudioConfig
from mores.studio.models import Account, Draft, Participant, Response, WorkItem
from tests.studio import made
from tests.studio.browser import person_in
from tests.studio.doing import claimed, stored
from tests.studio.served import serving
from tests.studio.test_write import NOTE, writing


def _one_person() -> Participant:
    project = made.project()
    made.questions(project, 3)
    (person,) = made.annotators(project, 1)
    return person


def _answers() -> list[object]:
    return [response.answer["options"] for response in Response.objects.order_by("pk")]


def test_somebody_answers_with_keys_alone(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        for keys in ("13", "2", "5"):
            asked = page.url
            for key in keys:
                page.keyboard.press(key)
            page.keyboard.press("Enter")
            expect(page).not_to_have_url(asked)
        expect(page.locator("#no-work")).to_be_visible()
    assert _answers() == [["a", "c"], ["b"], ["dont_know"]]


def test_somebody_answers_without_scripts(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account, scripts=False)
        page.goto("/p/feasts/work")
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("alert")).to_have_text("Choose at least one option.")
        page.get_by_label("Custom").first.check()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("status").first).to_contain_text("Your answer is stored.")
    assert _answers() == [["a"]]


def test_no_page_says_anything_wrong_on_the_console(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for address in ("/", "/p/feasts/", "/p/feasts/guidelines", "/p/feasts/work"):
            page.goto(address)
    assert said == []


def test_what_is_chosen_comes_back_after_a_reload_and_on_another_device(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        page.get_by_label("Custom").nth(2).check()
        expect(page.locator(".saved")).to_have_text("Saved")
        phone = person_in(browser, server, person.account)
        phone.goto(page.url)
        expect(phone.get_by_label("Custom").nth(2)).to_be_checked()
    assert Draft.objects.get().body == {"options": ["c"]}


def test_what_is_chosen_while_the_network_is_cut_is_kept(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        page.route("**/draft", _cut)
        page.get_by_label("Custom").nth(1).check()
        expect(page.locator(".saved")).to_contain_text("Not saved yet")
        page.unroute("**/draft")
        page.reload()
        expect(page.get_by_label("Custom").nth(1)).to_be_checked()
        _submit(page)
    assert _answers() == [["b"]]


def test_an_answer_brings_the_next_item_into_the_same_page_and_back_goes_to_the_one_before(
    studio: StudioConfig, browser: Browser
) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        first = page.url
        page.evaluate("window.mark = 1")
        page.get_by_label("Custom").nth(3).check()
        _submit(page)
        expect(page).not_to_have_url(first)
        assert page.evaluate("window.mark") == 1
        page.go_back()
        expect(page.locator("#answer")).to_have_attribute("action", first.removeprefix(server.url))
    assert _answers() == [["d"]]


def test_an_answer_that_the_script_could_not_send_is_sent_by_the_browser(
    studio: StudioConfig, browser: Browser
) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        page.route(
            "**/work/*", lambda route: route.abort() if route.request.resource_type == "fetch" else route.continue_()
        )
        page.get_by_label("Custom").first.check()
        _submit(page)
    assert _answers() == [["a"]]


def test_a_double_click_is_one_answer(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        page.get_by_label("Custom").first.check()
        page.get_by_role("button", name="Submit").dblclick()
        expect(page.get_by_role("status").first).to_contain_text("Your answer is stored.")
    assert _answers() == [["a"]]


def test_figures_keep_up_and_nobody_loses_their_place(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    owner = Account.objects.make("owner")
    person.project.memberships.create(account=owner, role="owner")
    with serving(studio) as server:
        page = person_in(browser, server, owner)
        page.clock.install()
        page.goto("/p/feasts/")
        page.evaluate("window.kept = document.querySelector('#figures caption')")
        for count in (1, 2):
            stored(person, claimed(person))
            page.clock.fast_forward(10_000)
            expect(page.locator("#figures p")).to_contain_text(f"{count} of 15 answers")
        assert page.evaluate("window.kept.isConnected")


def test_what_a_model_answers_comes_into_the_page_while_its_writer_types(
    studio: StudioConfig, browser: Browser
) -> None:
    project, _, writer = writing()
    with serving(studio) as server:
        page = person_in(browser, server, writer)
        page.goto(f"/p/{project.slug}/write")
        note = page.locator("textarea").first
        note.fill(NOTE)
        page.get_by_role("button", name="Give me ideas").click()
        note.focus()
        page.keyboard.type("More. ")
        expect(page.locator("#jobs li").first).to_be_visible()
        expect(page.locator("#jobs [data-every]")).to_have_count(0)
        assert page.evaluate("document.activeElement.value").count("More. ") == 1


def _cut(route: Route) -> None:
    route.abort()


def _cut_from_scripts(route: Route) -> None:
    (_cut if route.request.resource_type == "fetch" else Route.continue_)(route)


def _submit(page: Page) -> None:
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("status").first).to_contain_text("Your answer is stored.")


def test_on_a_slow_network_two_clicks_store_one_answer(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        page.route(re.compile(r"/work/\d+(/draft)?$"), _slow)
        page.get_by_label("Custom").nth(2).check()
        page.get_by_role("button", name="Submit").dblclick()
        expect(page.get_by_role("status").first).to_contain_text("Your answer is stored.")
    assert _answers() == [["c"]]


def test_an_answer_mended_after_going_back_takes_no_second_place(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        page.get_by_label("Custom").first.check()
        asked = page.url
        _submit(page)
        page.go_back()
        expect(page).to_have_url(asked)
        page.get_by_label("Custom").first.uncheck()
        page.get_by_label("Custom").nth(1).check()
        page.get_by_role("button", name="Change my answer").click()
        expect(page.get_by_text("Your answer is changed")).to_be_visible()
    assert _answers()[-1] == ["b"]
    assert list(WorkItem.objects.filter(done__gt=0).values_list("done", flat=True)) == [1]


def test_of_two_tabs_the_older_one_is_told(studio: StudioConfig, browser: Browser) -> None:
    person = _one_person()
    with serving(studio) as server:
        page = person_in(browser, server, person.account)
        page.goto("/p/feasts/work")
        other = page.context.new_page()
        other.goto(page.url)
        other.get_by_label("Custom").nth(3).check()
        expect(other.locator(".saved")).to_have_text("Saved")
        page.get_by_label("Custom").first.check()
        expect(page.locator(".saved")).to_contain_text("Another tab has a newer text")
    assert Draft.objects.get().body == {"options": ["d"]}


def _slow(route: Route) -> None:
    time.sleep(3)
    route.continue_()
