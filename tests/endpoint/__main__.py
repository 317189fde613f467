"""Serve the stand-in endpoint: `python -m tests.endpoint --port 0`."""

import argparse
import asyncio
import gc
import resource
import sys
from typing import Any

from mores.core.codec import parse_json
from tests.endpoint.desk import Desk, Line
from tests.endpoint.rules import Rules, rules_from


async def serve(desk: Desk, port: int, *, leash: bool) -> None:
    """Serve on loopback until stopped; with a leash, until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Line(desk), "127.0.0.1", port, backlog=8192)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)  # noqa: T201 - it is the answer
    gc.freeze()
    gc.set_threshold(100_000)
    await (loop.run_in_executor(None, sys.stdin.read) if leash else loop.create_future())


def main() -> None:
    """Read the rules from the command line and serve."""
    parser = argparse.ArgumentParser(description="A stand-in for an OpenAI-compatible chat endpoint.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--leash", action="store_true", help="stop when standard input closes")
    parser.add_argument("--rules", default="{}", help="rules as JSON")
    for name in Rules.__struct_fields__:
        parser.add_argument(f"--{name.replace('_', '-')}")
    options = vars(parser.parse_args())
    port, leash = options.pop("port"), options.pop("leash")
    rules = parse_json(options.pop("rules"), where="--rules")
    rules |= {name: plain(text) for name, text in options.items() if text is not None}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)), hard))
    asyncio.run(serve(Desk(rules_from(rules)), port, leash=leash))


def plain(text: str) -> Any:
    """A list or a table given as JSON, any other option as its text."""
    return parse_json(text, where="option") if text[:1] in "[{" else text


if __name__ == "__main__":
    main()
