"""The list of items in a browser: filtered, searched, linked, and read in two clicks."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mores.analysis.comparison import Comparison, compare_runs
from mores.analysis.outcomes import units_link
from mores.analysis.results import Results
from mores.norms.pack import BUNDLED
from mores.reports.page import write_comparison, write_page
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY, tiny
from tests.payloads import MARKUP
from tests.reports.browsed import browsed
from tests.reports.browser import Tab, browser, opened
from tests.reports.conftest import Held
from tests.reports.test_in_a_browser import heard, said_everywhere
from tests.runs.conduct import hold

pytestmark = pytest.mark.skipif(browser() is None, reason="no chromium here; the page's script is not tried")

COUNT = "document.querySelector('#browse-form output').textContent"
TITLES = "[...document.querySelectorAll('#browse-list li a')].map(a => a.textContent)"
OPEN = "document.querySelector('#browse-one').innerText"


def look(found: Results | Comparison, folder: Path, steps: Callable[[Tab], Awaitable[Any]]) -> Any:
    page = folder / "report.html"
    if isinstance(found, Comparison):
        write_comparison(found, page)
    else:
        write_page(found, page)

    async def go() -> Any:
        async with opened(page) as tab:
            await until(tab, "document.querySelector('#browse').dataset.ready === 'yes'")
            return await steps(tab)

    return asyncio.run(go())


async def until(tab: Tab, condition: str) -> None:
    for _ in range(200):
        if await tab.run(condition):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never: {condition}")


async def choose(tab: Tab, name: str, value: str) -> None:
    await tab.run(
        f"(() => {{ const c = document.querySelector('#browse-form').elements[{json.dumps(name)}]; "
        f"c.value = {json.dumps(value)}; c.dispatchEvent(new Event('input', {{bubbles: true}})) }})()"
    )
    await asyncio.sleep(0.3)


def test_filters_leave_what_fits_them_all_and_stand_in_the_address(found: Results, tmp_path: Path) -> None:
    held = browsed(found)
    refused = {
        item for item, result, kind in zip(*(held.index["answers"][n] for n in (0, 1, 3)), strict=True)
        if held.index["kinds"][kind] == "refusal" and held.index["results"][result]["benchmark"] == "ladder/know"
    }  # fmt: skip

    async def steps(tab: Tab) -> None:
        await choose(tab, "benchmark", "ladder/know")
        await choose(tab, "answer", "refusal")
        assert await tab.run(COUNT) == f"{len(refused)} of {len(held.index['items']['id'])} items"
        assert await tab.run("location.hash") == "#browse?benchmark=ladder%2Fknow&answer=refusal"
        milliseconds = float(await tab.run("document.querySelector('#browse-form').dataset.milliseconds"))
        assert milliseconds < 100
        await tab.run("location.hash = '#browse?benchmark=ladder%2Fknow&answer=nobody'")
        await until(tab, f"{COUNT} === '0 of {len(held.index['items']['id'])} items'")
        await tab.run("location.hash = '#browse?benchmark=ladder%2Fknow&answer=refusal'")
        await until(tab, f"{COUNT} !== '0 of {len(held.index['items']['id'])} items'")
        await choose(tab, "place", "JP")
        in_japan = await tab.run("[...document.querySelectorAll('#browse-list .where')].map(e => e.textContent)")
        assert set(in_japan) <= {"Japan"}

    look(found, tmp_path, steps)


def test_all_words_are_searched_and_what_was_found_is_marked(found: Results, tmp_path: Path) -> None:
    held = browsed(found)
    with_it = [
        name for name, plays in held.said.items() if any("japan" in t.lower() for p in plays for _, t, _ in p.lines)
    ]

    async def steps(tab: Tab) -> None:
        await choose(tab, "q", "Japan")
        await until(tab, f"{COUNT} === '{len(with_it)} of {len(held.index['items']['id'])} items'")
        await tab.run("document.querySelector('#browse-list li a').click()")
        await until(tab, "document.querySelectorAll('#browse-one mark').length > 0")

    look(found, tmp_path, steps)


def test_a_figure_is_two_clicks_from_the_words_behind_it(found: Results, tmp_path: Path) -> None:
    link = units_link(found.evaluations[0], "place", "JP")

    async def steps(tab: Tab) -> None:
        await tab.run(f"location.hash = {json.dumps(link)}")
        await until(tab, "document.querySelectorAll('#browse-list li').length > 0")
        await tab.run("document.querySelector('#browse-list li a').click()")
        await until(tab, "document.querySelectorAll('#browse-one .play').length === 2")
        told = await tab.run(OPEN)
        assert "put to the subject · prompt " in told
        assert "the subject answered" in told
        assert "Source: " in told
        assert "Rests on: " in told
        assert "looked up " in told
        address = await tab.run("location.href")
        await tab.run(f"location.hash = ''; location.href = {json.dumps(address)}")
        await until(tab, "!document.querySelector('#browse-one').hidden")
        await tab.run("history.back()")

    look(found, tmp_path, steps)


def test_no_two_parts_of_the_page_have_one_name(found: Results, tmp_path: Path) -> None:
    """The list of items and the analysis of items both speak of items."""
    ids = "[...document.querySelectorAll('[id]')].map(each => each.id)"
    twice = f"{ids}.filter((id, n, all) => all.indexOf(id) !== n)"

    async def steps(tab: Tab) -> Any:
        return await tab.run(twice)

    assert look(found, tmp_path, steps) == []


def test_of_two_runs_changed_items_come_first_and_stand_side_by_side(held: Held, tmp_path: Path) -> None:
    for path in BUNDLED.glob("*.toml"):  # a pack of which nothing stands apart, so that the table counts all items
        words = re.sub(r"^contested = .*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(words, encoding="utf-8")
    good, bad = (
        held("ladder/explain", models=(f"simulated/typical:person={n},explain={share}",), limit=40, data=str(tmp_path))
        for n, share in ((1, 0.9), (2, 0.3))
    )
    made = compare_runs(read_results([good]), read_results([bad]))
    (found,) = (each.outcomes for each in made.compared)
    assert found is not None

    async def steps(tab: Tab) -> None:
        assert await tab.run(COUNT) == f"{found.only_a + found.only_b} of 40 items"
        await tab.run("document.querySelector('#headlines td a').click()")  # right in A alone
        await until(tab, f"{COUNT} === '{found.only_a} of 40 items'")
        await tab.run("document.querySelector('#browse-list li a').click()")
        await until(tab, "document.querySelectorAll('#browse-one .play').length === 2")
        sides = await tab.run("[...document.querySelectorAll('#browse-one .play h4')].map(h => h.innerText)")
        assert [side.split()[0] for side in sides] == ["A", "B"]
        assert "right" in sides[0]
        assert "right" not in sides[1]
        await choose(tab, "change", "")
        assert await tab.run(COUNT) == "40 of 40 items"

    look(made, tmp_path, steps)


@pytest.mark.parametrize("two_runs", [False, True])
def test_words_of_models_and_data_are_only_words_in_the_list_and_in_an_item(tmp_path: Path, two_runs: bool) -> None:
    async def steps(tab: Tab) -> list[object]:
        await tab.run("document.querySelector('#browse-list > button')?.click()")
        links = await tab.run("[...document.querySelectorAll('#browse-list li a')].map(each => each.hash)")
        for link in links:
            await tab.run("document.querySelectorAll('#browse-one .play').forEach(each => each.remove())")
            await tab.run(f"location.hash = {json.dumps(link)}")
            await until(tab, "document.querySelectorAll('#browse-one .play').length > 0")
        await tab.run("location.hash = '#browse?'")
        await until(tab, "!document.querySelector('#browse-list').hidden")
        await choose(tab, "q", "<script>")
        acting = "#browse img, #browse iframe, #browse object, #browse embed, #browse base, #browse svg"
        return [
            len(links),
            await tab.run("window.acted ?? 0"),
            await tab.run(f"document.querySelectorAll('{acting}').length"),
        ]

    with heard() as (host, asked):
        results = read_results([said_everywhere(tmp_path, host)])
        shown = compare_runs(results, results) if two_runs else results
        assert look(shown, tmp_path, steps) == [len(MARKUP), 0, 0]
        assert asked == []


@pytest.fixture
def answered(tmp_path: Path) -> Results:
    """Answers in people's own languages, and in English where the question is KR-T-01."""
    others = [item.about.item for item in tiny("blend/saq_local")[2] if item.about.item != "KR-T-01-ko"]
    lines = [{"item": "KR-T-01-ko", "reply": "kimchi"}, *({"item": name, "reply": "김치"} for name in others)]
    replies = tmp_path / "replies.jsonl"
    replies.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    spec = Spec(benchmarks=("blend/saq_local",), models=(f"recorded/{replies}",), data=str(TINY / "blend"))
    assert hold(tmp_path / "run", spec)
    return read_results([tmp_path / "run"])


async def opened_item(tab: Tab, item: str) -> None:
    await tab.run(f"location.hash = '#browse?item={item}'")
    await until(tab, f"document.querySelector('#browse-one .facts')?.textContent.endsWith('item {item}')")


def test_words_in_another_language_say_which_and_find_their_direction(answered: Results, tmp_path: Path) -> None:
    async def steps(tab: Tab) -> None:
        assert await tab.run("document.querySelector('#browse-list li a').lang") in {"ko", "es", "ha", "en"}
        await opened_item(tab, "KR-T-02-ko")
        said = "[...document.querySelectorAll('#browse-one .lines pre')].map(each => [each.lang, each.dir])"
        assert await tab.run(said) == [["ko", "auto"], ["ko", "auto"]]
        assert await tab.run("document.querySelector('#browse-one h3').lang") == "ko"
        await opened_item(tab, "KR-T-01-ko")
        assert await tab.run(said) == [["ko", "auto"], ["", "auto"]], "an answer in English is not read out as Korean"

    look(answered, tmp_path, steps)


def test_words_in_another_language_have_letters_of_their_own_width(answered: Results, tmp_path: Path) -> None:
    font = "getComputedStyle(document.querySelector('#browse-one .lines pre')).fontFamily"

    async def steps(tab: Tab) -> None:
        await opened_item(tab, "GB-T-01-en")
        assert "monospace" in await tab.run(font)
        await opened_item(tab, "KR-T-01-ko")
        assert "monospace" not in await tab.run(font)
        assert "Noto Sans Ethiopic" in await tab.run(font)

    look(answered, tmp_path, steps)


def test_what_is_said_of_an_answer_is_as_dark_as_the_answer(answered: Results, tmp_path: Path) -> None:
    async def steps(tab: Tab) -> None:
        await opened_item(tab, "KR-T-01-ko")
        assert await tab.run("getComputedStyle(document.querySelector('#browse-one div.judged')).opacity") == "1"

    look(answered, tmp_path, steps)


def test_items_without_a_counted_answer_can_be_listed(answered: Results, tmp_path: Path) -> None:
    async def steps(tab: Tab) -> Any:
        await choose(tab, "answer", "not counted")
        return await tab.run(TITLES), await tab.run("document.querySelector('#browse-list .chips').textContent")

    titles, mark = look(answered, tmp_path, steps)
    assert len(titles) == sum(not item.answered for item in tiny("blend/saq_local")[2]) > 0
    assert mark == "not counted"
