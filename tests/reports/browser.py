"""A browser driven over its debugging socket on loopback, for tests of what a page does."""

import asyncio
import atexit
import os
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first draws no window around a page, so that it opens one in a third of the processor time."""
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
    "--no-first-run", "--no-startup-window", "--remote-debugging-port=0",
)  # fmt: skip
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "ArrowRight": (39, ""), "ArrowDown": (40, "")}


def browser() -> str | None:
    """Path of a browser, or None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """One page in the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = count(1)

    async def run(self, script: str) -> Any:
        """What a script gives, as a plain value."""
        answer = await self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def press(self, key: str) -> None:
        """Press a key and let it go."""
        code, text = KEYS[key]
        for kind in ("keyDown", "keyUp"):
            said = {"text": text} if text and kind == "keyDown" else {}
            await self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **said)

    async def widened(self, width: int) -> None:
        """Make the window so many pixels wide."""
        await self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )

    async def in_scheme(self, scheme: str) -> None:
        """Show the page as somebody sees it who prefers `light` or `dark`."""
        wished = {"name": "prefers-color-scheme", "value": scheme}
        await self._call("Emulation.setEmulatedMedia", features=[wished])

    async def loaded(self) -> None:
        """Return once the page stands, not the empty one before it."""
        for _ in range(1500):
            if await self.run("location.protocol + document.readyState") == "file:complete":
                return
            await asyncio.sleep(0.02)
        raise AssertionError("the page did not load")

    async def _call(self, method: str, **params: object) -> Any:
        return await _asked(self._socket, next(self._numbers), method, **params)


async def _asked(socket: aiohttp.ClientWebSocketResponse, number: int, method: str, **params: object) -> Any:
    await socket.send_json({"id": number, "method": method, "params": params})
    async for message in socket:
        told = message.json()
        if told.get("id") == number:
            return told["result"]
    raise AssertionError("the browser went away")


@asynccontextmanager
async def opened(page: Path) -> AsyncIterator[Tab]:
    """The page once it is loaded, in a window of its own that knows nothing of others and goes with them."""
    address = _address()
    async with aiohttp.ClientSession() as session, session.ws_connect(address) as control:
        own = await _asked(control, 1, "Target.createBrowserContext", disposeOnDetach=True)
        target = await _asked(control, 2, "Target.createTarget", url=page.as_uri(), **own)
        async with session.ws_connect(f"{address.partition('browser/')[0]}page/{target['targetId']}") as socket:
            tab = Tab(socket)
            await tab.loaded()
            yield tab


@cache
def _address() -> str:
    """Where the one browser of this process is, which starts with the first page and ends with the process."""
    program, home = browser(), TemporaryDirectory(prefix="mores-browser-")
    assert program is not None
    process = subprocess.Popen(
        [program, *FLAGS, f"--user-data-dir={home.name}"],
        env={**os.environ, "HOME": home.name, "TMPDIR": home.name},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    atexit.register(_end, process, home)
    written = Path(home.name) / "DevToolsActivePort"
    for _ in range(3000):
        if written.is_file() and len(lines := written.read_text().splitlines()) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.01)
    raise AssertionError("the browser did not start")


def _end(process: subprocess.Popen[bytes], home: TemporaryDirectory[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)  # the browser is many processes
    process.wait()
    home.cleanup()
