"""What a replay does where scripts run: it plays, jumps by key and by button, filters, and nothing else acts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks.liveculture.replay import Replay, write_replay
from tests.reports.browser import Tab, browser, opened
from tests.reports.replay_days import day, hostile, stage

pytestmark = pytest.mark.skipif(browser() is None, reason="no chromium here; the replay's script is not tried")

KEY = "document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: '{0}', bubbles: true, cancelable: true}}))"
SHOWN = """
[...document.querySelectorAll('.lane:not([hidden]) .now')].map(
  now => [...now.querySelectorAll('article')].filter(a => !a.hidden).map(a => Number(a.dataset.step)))
"""
PICK = """
(() => {{ const select = document.querySelector('{0}'); select.value = '{1}';
  select.dispatchEvent(new Event('change', {{bubbles: true}})) }})()
"""
MINUTE = "Number(document.getElementById('slider').value)"
LISTED = "[...document.querySelectorAll('.day-list li')].filter(e => !e.hidden).length"


@asynccontextmanager
async def shown(replay: Replay, folder: Path) -> AsyncIterator[Tab]:
    """The replay in a fresh browser."""
    write_replay(replay, folder / "replay.html")
    async with opened(folder / "replay.html") as tab:
        yield tab


async def complaints(tab: Tab) -> list[str]:
    """Every error since the page was opened, and every line of its console: kept by the browser until asked for."""
    socket, found = tab._socket, []
    for number, method in enumerate(("Runtime.enable", "Log.enable"), start=10**6):
        await socket.send_json({"id": number, "method": method})
        async for message in socket:
            told: dict[str, Any] = message.json()
            if told.get("method") == "Runtime.exceptionThrown":
                found.append(str(told["params"]["exceptionDetails"]["exception"]["description"]).partition("\n")[0])
            elif told.get("method") == "Runtime.consoleAPICalled":
                found.append(str(told["params"]["args"]))
            elif told.get("method") == "Log.entryAdded":
                found.append(told["params"]["entry"]["text"])
            elif told.get("id") == number:
                break
    return found


async def press(tab: Tab, *keys: str) -> list[list[int]]:
    """Press keys; the steps that are shown then, of each day in turn."""
    for key in keys:
        await tab.run(KEY.format(key))
    found: list[list[int]] = await tab.run(SHOWN)
    return found


async def click(tab: Tab, selector: str) -> list[list[int]]:
    await tab.run(f"document.querySelector('{selector}').click()")
    found: list[list[int]] = await tab.run(SHOWN)
    return found


def test_it_plays_jumps_and_filters_without_a_complaint(tmp_path: Path) -> None:
    async def look() -> None:
        async with shown(Replay(stage=stage(), days=(day(stage()),)), tmp_path) as tab:
            await plays(tab)
            await jumps(tab)
            await filters(tab)
            await looks_at_a_place(tab)
            await explains_its_keys(tab)
            await tab.run("setTimeout(() => { throw new Error('planted') })")
            assert await complaints(tab) == ["Error: planted"]

    asyncio.run(look())


async def plays(tab: Tab) -> None:
    assert await tab.run(MINUTE) == 420
    assert await press(tab) == [[0]]
    await click(tab, "#play")
    await asyncio.sleep(1.5)
    first = await tab.run(MINUTE)
    assert first > 420
    await asyncio.sleep(0.5)
    assert await tab.run(MINUTE) > first
    await press(tab, " ")
    halted = await tab.run(MINUTE)
    await asyncio.sleep(0.3)
    assert await tab.run(MINUTE) == halted
    assert await press(tab, "Home") == [[0]]


async def jumps(tab: Tab) -> None:
    assert await press(tab, "n") == [[4]]
    assert await press(tab, "n") == [[11]]
    assert await click(tab, "#next-violation") == [[17]]
    assert await press(tab, "n") == [[4]]  # round the day's end
    assert await click(tab, "#previous-violation") == [[17]]
    assert await press(tab, "p") == [[11]]
    assert await press(tab, "ArrowRight") == [[12]]
    assert await press(tab, "ArrowLeft", "ArrowLeft") == [[10]]
    assert await tab.run("location.hash") == "#d0-s10"
    assert await click(tab, '.day-list a[data-step="4"]') == [[4]]
    assert "violation" in await tab.run("document.getElementById('told').textContent")
    await tab.run("document.getElementById('halt').click(), document.getElementById('speed').value = '4'")
    await press(tab, " ")
    for _ in range(60):
        if (await tab.run("state.playing")) is False:
            break
        await asyncio.sleep(0.1)
    assert await press(tab) == [[11]]  # it stopped there by itself
    await tab.run("document.getElementById('halt').click()")


async def filters(tab: Tab) -> None:
    every = await tab.run(LISTED)
    await press(tab, "1")
    assert await tab.run(LISTED) == 3
    assert await press(tab, "Home", "ArrowRight") == [[4]]
    await press(tab, "3")
    assert await tab.run(LISTED) == 4  # step 2 was refused
    assert await press(tab, "Home", "ArrowRight") == [[2]]
    await press(tab, "1", "3")
    assert await tab.run(LISTED) == every


async def looks_at_a_place(tab: Tab) -> None:
    await tab.run(PICK.format("#place", stage().person.home))
    assert str(await tab.run("document.getElementById('looked').textContent")).startswith(("Now there: ", "Nobody is"))
    assert await tab.run("[...document.querySelectorAll('[data-norms]')].filter(e => !e.hidden).length") == 1


async def explains_its_keys(tab: Tab) -> None:
    await press(tab, "?")
    assert await tab.run("document.getElementById('help').open")
    await press(tab, "?")
    assert not await tab.run("document.getElementById('help').open")


def test_two_days_go_by_one_clock(tmp_path: Path) -> None:
    days = (day(stage(), label="one/model"), day(stage(), breaks=(9,), label="two/model"), day(stage(), breaks=()))

    async def look() -> None:
        async with shown(Replay(stage=stage(), days=days), tmp_path) as tab:
            assert await press(tab, "n") == [[4], [4]]
            assert await press(tab, "n") == [[9], [9]]  # the other day's violation
            await tab.run(PICK.format('[data-side="1"]', 2))
            assert await press(tab, "Home", "n", "n") == [[11], [11]]
            assert await tab.run("[...document.querySelectorAll('.lane')].map(e => e.hidden)") == [False, True, False]
            await tab.run(PICK.format('[data-side="1"]', 0))  # sides change places
            assert await tab.run("state.shown") == [2, 0]

    asyncio.run(look())


def test_it_fits_a_narrow_screen(tmp_path: Path) -> None:
    async def look() -> None:
        async with shown(Replay(stage=stage(), days=(day(stage()), day(stage()))), tmp_path) as tab:
            for width in (1440, 400):
                await tab._call(
                    "Emulation.setDeviceMetricsOverride", width=width, height=850, deviceScaleFactor=1, mobile=False
                )
                await asyncio.sleep(0.3)
                assert await tab.run("document.documentElement.scrollWidth <= innerWidth")

    asyncio.run(look())


def test_who_asks_for_little_motion_gets_a_step_at_a_time(tmp_path: Path) -> None:
    async def look() -> None:
        async with shown(Replay(stage=stage(), days=(day(stage()),)), tmp_path) as tab:
            motion = {"name": "prefers-reduced-motion", "value": "reduce"}
            await tab._call("Emulation.setEmulatedMedia", features=[motion])
            await tab.run("document.getElementById('speed').value = '4'")
            await press(tab, " ")
            met = set()
            for _ in range(40):
                met.add(await tab.run("state.minute"))
                await asyncio.sleep(0.03)
            await press(tab, " ")
            assert met <= set(await tab.run("data.days[0].steps.map(s => s.at)"))
            assert len(met) > 1

    asyncio.run(look())


def test_words_of_models_and_people_do_not_act(tmp_path: Path) -> None:
    async def look() -> None:
        async with shown(hostile(), tmp_path) as tab:
            await press(tab, "n", "ArrowRight", "m")
            await tab.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.acted = 1\">')")
            await tab.run("look(60)")
            await asyncio.sleep(0.2)
            assert await tab.run("window.acted ?? 0") == 0
            assert await tab.run("document.querySelectorAll('main img, main script').length") == 0
            assert await tab.run("document.scripts.length") == 2

    asyncio.run(look())
