"""Load on a studio: `python -m benchmarks.load [--database NAME] [--people N] [--seconds N]`, or `make load`.

Annotators who need ten seconds for an item work for a while; what counts is the time from sending an answer until the
next item is shown. It exits with 1 where anything failed, was lost, went over its quota or was served twice.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from django.db import connections

from benchmarks.load.crowd import Tally, crowd
from mores.studio.config import POSTGRESQL, SQLITE, StudioConfig
from mores.studio.setup import open_studio

PEOPLE = {SQLITE: 300, POSTGRESQL: 1000}


def main() -> int:
    """Try one database, or both; print a line each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("--database", choices=[SQLITE, POSTGRESQL], default=SQLITE)
    parser.add_argument("--people", type=int, default=0, help="default: 300 on SQLite, 1,000 on PostgreSQL")
    parser.add_argument("--seconds", type=float, default=60)
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
    with serving(config) as server:
        before, own = _cpu(server.process.pid), time.process_time()
        tally, until = Tally(), time.monotonic() + seconds - pause
        asyncio.run(crowd(server.url, SLUG, sessions, tally, pause=pause, over=lambda: time.monotonic() > until))
        after, own = _cpu(server.process.pid), time.process_time() - own
    found = check(tally.acknowledged)
    print(_line(config.vendor, people, tally, seconds))
    each = (after - before) / max(1, len(tally.acknowledged)) * 1000
    print(f"  CPU: the server {each:.1f} ms a submission, the crowd {own / seconds:.0%} of a core; {found}")
    return int(bool(tally.failed) or not found.sound)


def _cpu(group: int) -> float:
    """Seconds of CPU that the processes of a group took so far; of the database's server they are no part."""
    taken = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                taken += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return taken


def _line(vendor: str, people: int, tally: Tally, seconds: float) -> str:
    times = ", ".join(f"p{share:g} {tally.at(share / 100):.0f} ms" for share in (50, 95, 99, 100))
    rate = len(tally.seconds) / seconds
    return (
        f"{vendor}: {people:,} people, {rate:.1f} submissions a second, {times}; failed: {dict(tally.failed) or 'none'}"
    )


if __name__ == "__main__":
    sys.exit(main())
