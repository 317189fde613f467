"""Load on a studio: `python -m benchmarks.load [--database sqlite|postgresql] [--people N] [--seconds N]`, or `make load`.

Annotators who need ten seconds for an item work for a while; what counts is the time from sending an answer until the
next item is shown. It exits with 1 where anything failed, was lost, went over its quota or was served twice.
"""

import argparse
import asyncio
import resource
import sys
import tempfile
from contextlib import nullcontext
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


def _server(database: str) -> object:
    if database == SQLITE:
        return nullcontext("")
    from tests.studio.databases import database_of_our_own

    return database_of_our_own()


def _tried(config: StudioConfig, people: int, pause: float, seconds: float) -> int:
    # Models can be imported only once the studio is open.
    from benchmarks.load.studio import SLUG, check, fill
    from tests.studio.served import serving

    sessions = fill(items=int(people * (seconds / max(pause, 0.1) + 2) / 5) + 50, people=people)
    connections.close_all()
    with serving(config) as server:
        before = resource.getrusage(resource.RUSAGE_SELF)
        tally = asyncio.run(crowd([server.url], SLUG, sessions, pause=pause, seconds=seconds))
        after = resource.getrusage(resource.RUSAGE_SELF)
    found = check(tally.acknowledged)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(_line(config.vendor, people, tally, seconds))
    print(f"  the crowd itself took {own / seconds:.0%} of a core; {found}")
    return int(bool(tally.failed) or not found.sound)


def _line(vendor: str, people: int, tally: Tally, seconds: float) -> str:
    times = ", ".join(f"p{share:g} {tally.at(share / 100):.0f} ms" for share in (50, 95, 99, 100))
    rate = len(tally.seconds) / seconds
    return (
        f"{vendor}: {people:,} people, {rate:.1f} submissions a second, {times}; failed: {dict(tally.failed) or 'none'}"
    )


if __name__ == "__main__":
    sys.exit(main())
