"""Load on a studio: `python -m benchmarks.load [--database NAME] [--people N] [--seconds N]`, or `make load`.

Annotators who need ten seconds for an item open their first page, and then work for a while; what counts is the time
from when an answer was due until the next item is shown. The CPU of the server, of its database and of the crowd is
told apart, as all three share a machine. It exits with 1 where anything failed, was lost, went over its quota or was
served twice.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from django.db import connections

from benchmarks.load.crowd import Shift, Tally, arrived, at_work
from benchmarks.load.machine import Taken, taken
from mores.studio.config import POSTGRESQL, SQLITE, StudioConfig
from mores.studio.setup import open_studio

PEOPLE = {SQLITE: 300, POSTGRESQL: 1000}


def main() -> int:
    """Try one database; print what it bears."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("--database", choices=[SQLITE, POSTGRESQL], default=SQLITE)
    parser.add_argument("--people", type=int, default=0, help="default: 300 on SQLite, 1,000 on PostgreSQL")
    parser.add_argument("--seconds", type=float, default=60, help="of work, after all have opened their first page")
    parser.add_argument("--pause", type=float, default=10, help="seconds that a person needs for an item")
    options = parser.parse_args()
    people = options.people or PEOPLE[options.database]
    with tempfile.TemporaryDirectory(prefix="mores-load-") as folder, _server(options.database) as address:
        config = StudioConfig(folder=Path(folder), database=address)
        open_studio(config)
        return _tried(config, people, options.pause, options.seconds)


def _server(database: str) -> AbstractContextManager[str]:
    if database == SQLITE:
        return nullcontext("")
    from tests.studio.databases import database_of_our_own  # noqa: PLC0415

    return database_of_our_own()


def _tried(config: StudioConfig, people: int, pause: float, seconds: float) -> int:
    # Models can be imported only once the studio is open.
    from benchmarks.load.studio import SLUG, check, fill  # noqa: PLC0415
    from tests.studio.served import serving  # noqa: PLC0415

    sessions = fill(items=int(people * (seconds / max(pause, 0.1) + 2) / 5) + 50, people=people)
    connections.close_all()
    tally = Tally()
    with serving(config) as server:

        async def work() -> Taken:
            pages = await arrived(server.url, SLUG, sessions, tally, within=pause)
            before, shift = taken(server.process.pid, config.database), Shift(pause, time.monotonic() + seconds)
            await at_work(server.url, SLUG, sessions, tally, pages=pages, shift=shift)
            return taken(server.process.pid, config.database).since(before)

        cpu = asyncio.run(work())
    found = check(tally.acknowledged)
    times = ", ".join(f"p{share:g} {tally.at(share / 100):.0f} ms" for share in (50, 95, 99, 100))
    done = len(tally.seconds)
    print(f"{config.vendor}: {people:,} people, {done / cpu.seconds:.1f} submissions a second, {times}")
    print(f"  CPU a submission: {cpu.told(done)}; {os.cpu_count()} cores, load average before {cpu.before:.1f}")
    print(f"  failed: {dict(tally.failed) or 'none'}; {found}")
    return int(bool(tally.failed) or not found.sound)


if __name__ == "__main__":
    sys.exit(main())
