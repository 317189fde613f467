"""A crowd of annotators over HTTP: each answers, thinks, answers again, and keeps what the studio acknowledged."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import aiohttp
import numpy as np

TOKEN = "t" * 32
KEY = re.compile(r'name="key" value="(\w+)"')
Over = Callable[[], bool]
PLACE = re.compile(r"/p/[\w-]+/work/\d+")


@dataclass(slots=True)
class Tally:
    """What a crowd saw: seconds of each submission until the next item is shown, keys acknowledged, and what failed."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    failed: Counter[str] = field(default_factory=Counter)

    def at(self, share: float) -> float:
        """Milliseconds that this share of submissions stayed within."""
        return float(np.quantile(self.seconds, share)) * 1000 if self.seconds else float("nan")


async def crowd(url: str, slug: str, sessions: Sequence[str], tally: Tally, *, pause: float, over: Over) -> None:
    """Let everybody work until it is over, with a pause before each submission; first ones are spread over it."""
    connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
    ) as client:
        people = (_Annotator(client, f"{url}/p/{slug}/work", session, tally) for session in sessions)
        await asyncio.gather(*(person.work(pause, pause * n / len(sessions), over) for n, person in enumerate(people)))


class _Annotator:
    def __init__(self, client: aiohttp.ClientSession, work: str, session: str, tally: Tally) -> None:
        self.client, self.start, self.tally = client, work, tally
        self.origin = work.partition("/p/")[0]
        self.cookies = {"sessionid": session, "csrftoken": TOKEN}

    async def work(self, pause: float, delay: float, over: Over) -> None:
        await asyncio.sleep(delay)
        place, page = await self._get(self.start)
        while place and not over():
            await asyncio.sleep(pause)
            began = time.monotonic()
            key = KEY.search(page)
            following = await self._send(place, "" if key is None else key[1])
            if following is None:
                await asyncio.sleep(0.05)
                continue  # sent again with the same key, as a person would
            place, page = following
            self.tally.seconds.append(time.monotonic() - began)

    async def _get(self, url: str) -> tuple[str, str]:
        """Where a page is and what it says; nowhere where there is no work."""
        try:
            async with self.client.get(url, cookies=self.cookies) as answer:
                page = await answer.text()
                if answer.status != 200:
                    self.tally.failed[f"GET {answer.status}"] += 1
                return (str(answer.url) if PLACE.search(answer.url.path) else ""), page
        except (aiohttp.ClientError, TimeoutError) as error:
            self.tally.failed[type(error).__name__] += 1
            return "", ""

    async def _send(self, place: str, key: str) -> tuple[str, str] | None:
        """Send as the page's script does, which is answered with the next item; None where it was not taken."""
        told = {"options": "a", "key": key, "csrfmiddlewaretoken": TOKEN, "active_ms": "9000"}
        try:
            async with self.client.post(place, data=told, cookies=self.cookies, headers={"X-Part": "main"}) as answer:
                page, found = await answer.text(), answer.headers.get("Content-Location", "")
                if answer.status == 200 and found:
                    self.tally.acknowledged.add(key)
                    return (self.origin + found if PLACE.search(found) else ""), page
                self.tally.failed[f"POST {answer.status}"] += 1
        except (aiohttp.ClientError, TimeoutError) as error:
            self.tally.failed[type(error).__name__] += 1
        return None
