"""The least that asking can cost: a window of tasks over one aiohttp session, each answer parsed and forgotten."""

import asyncio
import json

import aiohttp

from benchmarks.speed.contenders.meter import Task, body, metered, task


async def ask_all(given: Task) -> None:
    """Post every item, `window` at a time."""
    waiting = iter(given.rows)
    url = f"{given.url}/chat/completions"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def line() -> None:
            for row in waiting:
                async with session.post(url, json=body(row["prompt"])) as answer:
                    json.loads(await answer.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*(line() for _ in range(given.window)))


if __name__ == "__main__":
    given = task()
    with metered():
        asyncio.run(ask_all(given))
