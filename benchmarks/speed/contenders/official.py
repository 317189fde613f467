"""The official client of OpenAI, with the transport named by its first argument: `aiohttp` or `default`."""

import asyncio
import sys

import openai

from benchmarks.speed.contenders.meter import MODEL, Task, metered, task


async def ask_all(given: Task, transport: str) -> None:
    """Ask every item, `window` at a time."""
    waiting = iter(given.rows)
    http_client = openai.DefaultAioHttpClient() if transport == "aiohttp" else None
    async with openai.AsyncOpenAI(base_url=given.url, api_key="none", http_client=http_client) as client:

        async def line() -> None:
            for row in waiting:
                answer = await client.chat.completions.create(
                    model=MODEL,
                    messages=[{"role": "user", "content": row["prompt"]}],
                    temperature=0.0,
                    max_tokens=16,
                )
                assert answer.choices[0].message.content

        await asyncio.gather(*(line() for _ in range(given.window)))


if __name__ == "__main__":
    transport = sys.argv.pop(1)
    given = task()
    with metered():
        asyncio.run(ask_all(given, transport))
