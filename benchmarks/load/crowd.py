"""A crowd of annotators over HTTP: each answers, thinks, answers again, and keeps what the studio acknowledged.

When an answer is due does not hang on when the one before was stored: somebody who was kept waiting has thought in the
meantime, and a studio that is late is not sent less. Each request has a connection of its own, as one does after ten
seconds of thought.
"""

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import numpy as np

TOKEN = "t" * 32
KEY = re.compile(rb'name="key" value="(\w+)"')
Over = Callable[[], bool]
PLACE = re.compile(r"/p/[\w-]+/work/\d+")
PATIENCE = 60.0  # seconds
PART = "X-Part: main\r\n"


@dataclass(slots=True)
class Tally:
    """What a crowd saw: seconds from when an answer was due until the next item is shown, keys taken, failures."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    failed: Counter[str] = field(default_factory=Counter)

    def at(self, share: float) -> float:
        """Milliseconds that this share of submissions stayed within."""
        return float(np.quantile(self.seconds, share)) * 1000 if self.seconds else float("nan")


class Shift(NamedTuple):
    """How people work: seconds between answers on average, when the last is due, and whether it is over before."""

    pause: float
    until: float = inf
    over: Over = lambda: False


class Page(NamedTuple):
    """An item that somebody holds: its path, and its page; no path where there is no work."""

    path: str
    body: bytes


class _Told(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


async def arrived(url: str, slug: str, sessions: Sequence[str], tally: Tally, *, within: float = 0.0) -> list[Page]:
    """What each of them is shown first; they come one after another within so many seconds."""
    people = [_Annotator(url, slug, n, session, tally) for n, session in enumerate(sessions)]
    return list(await asyncio.gather(*(person.arrive(within * n / len(people)) for n, person in enumerate(people))))


async def crowd(url: str, slug: str, sessions: Sequence[str], tally: Tally, *, pause: float, over: Over) -> None:
    """Let everybody work until it is over: an answer each is due so many seconds on average after the one before."""
    pages = await arrived(url, slug, sessions, tally, within=pause)
    await at_work(url, slug, sessions, tally, pages=pages, shift=Shift(pause=pause, over=over))


async def at_work(
    url: str, slug: str, sessions: Sequence[str], tally: Tally, *, pages: Sequence[Page], shift: Shift
) -> None:
    """The same of people who are shown their first items; whatever was due in their shift is carried out."""
    people = [_Annotator(url, slug, n, session, tally) for n, session in enumerate(sessions)]
    await asyncio.gather(*(one.work(page, shift) for one, page in zip(people, pages, strict=True)))


class _Annotator:
    def __init__(self, url: str, slug: str, number: int, session: str, tally: Tally) -> None:
        address = urlsplit(url)
        self.host, self.port = str(address.hostname), int(address.port or 80)
        self.start, self.session, self.tally, self.rng = f"/p/{slug}/work", session, tally, random.Random(number)

    async def arrive(self, delay: float) -> Page:
        await asyncio.sleep(delay)
        led = await self._ask("GET", self.start)
        path = led.headers.get("location", "") if led else ""
        shown = await self._ask("GET", path) if PLACE.search(path) else None
        if shown is None or shown.status != 200:
            self.tally.failed["not shown"] += shown is not None
            return Page("", b"")
        return Page(path, shown.body)

    async def work(self, page: Page, shift: Shift) -> None:
        due = time.monotonic() + shift.pause * self.rng.uniform(0, 1)
        while page.path and due <= shift.until and not shift.over():
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            following = await self._send(page)
            if following is None:
                await asyncio.sleep(0.05)
                continue  # sent again with the same key, as a person would
            self.tally.seconds.append(time.monotonic() - due)
            page, due = following, due + shift.pause * self.rng.uniform(0.5, 1.5)

    async def _send(self, page: Page) -> Page | None:
        """Send as the page's script does, which is answered with the next item; None where it was not taken."""
        found = KEY.search(page.body)
        key = found[1].decode() if found else ""
        form = {"options": "a", "key": key, "csrfmiddlewaretoken": TOKEN, "active_ms": "4000"}
        told = await self._ask("POST", page.path, urlencode(form).encode())
        if told is None:
            return None
        place = told.headers.get("content-location", "")
        if told.status != 200 or not place:
            self.tally.failed[f"POST {told.status}"] += 1
            return None
        self.tally.acknowledged.add(key)
        return Page(place if PLACE.search(place) else "", told.body)

    async def _ask(self, method: str, path: str, form: bytes = b"") -> _Told | None:
        """What the studio says; None where it says nothing, or not all of it."""
        try:
            return await asyncio.wait_for(self._asked(method, path, form), PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            self.tally.failed[type(error).__name__] += 1
            return None

    async def _asked(self, method: str, path: str, form: bytes) -> _Told:
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        try:
            part = PART if form else ""
            writer.write(
                f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nConnection: close\r\nAccept: */*\r\n"
                f"Cookie: sessionid={self.session}; csrftoken={TOKEN}\r\n{part}Content-Length: {len(form)}\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\n\r\n".encode()
                + form
            )
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if len(body) < int(headers.get("content-length", 1)):  # it was killed in the middle
            raise ConnectionResetError
        return _Told(int(first.split()[1]), headers, body)
