"""Real servers: `python -m benchmarks.servers [--only NAME…] [--record]`, or `make servers`.

Each server is installed into an environment of its own (once, 5 GB in all), started over a small model that is made
here (one of them over a real one), put through every kind of play, and stopped. It exits with 1 where something does
not pass or no server could be run; a server that cannot be had is told as not run. With --record the figures go into
docs/servers.md.
"""

import argparse
import sys

from benchmarks.recorded import record
from benchmarks.servers.model import write
from benchmarks.servers.parked import parked
from benchmarks.servers.plays import PLAYS, REAL_PLAYS, Outcome, carried
from benchmarks.servers.prefixes import cached
from benchmarks.servers.report import Record, section, summary
from benchmarks.servers.serving import (
    MODEL,
    ROOT,
    SERVERS,
    SMOLLM2,
    NotRun,
    Running,
    Server,
    install,
    running,
    version,
)
from benchmarks.servers.strains import borne
from benchmarks.servers.throughput import throughput


def main() -> int:
    """Try, print, keep."""
    options = arguments()
    write(MODEL)
    records = [tried(server) for server in SERVERS if server.name in (options.only or [server.name])]
    faults = [line for each in records for line in each.faults()]
    print("\n".join(["", *summary(records), *faults]))
    for each in records if options.record else ():
        record(ROOT / "docs" / "servers.md", each.server.name, section(each))
    return int(bool(faults) or all(each.not_run for each in records))


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.servers", description=__doc__.splitlines()[0])
    names = [server.name for server in SERVERS]
    parser.add_argument("--only", nargs="+", default=[], choices=names, metavar="NAME", help="try these alone")
    parser.add_argument("--record", action="store_true", help="write the figures into docs/servers.md")
    return parser.parse_args()


def tried(server: Server) -> Record:
    """What was seen of one server."""
    kept = Record(server=server)
    try:
        install(server)
        kept.version = version(server)
        with running(server) as found:
            kept.seconds = found.seconds
            print(f"{server.title}: {kept.version}, listening after {found.seconds:.0f} s", file=sys.stderr)
            _put_through(found, kept)
        if server.batch is not None:
            _keep(kept, parked(server, server.batch))
    except NotRun as why:
        kept.not_run = str(why)
    return kept


def _put_through(found: Running, kept: Record) -> None:
    for play in REAL_PLAYS if found.server is SMOLLM2 else PLAYS:
        _keep(kept, carried(found, play))
    kept.strains = borne(found)
    if found.server.counts_prefixes:
        kept.cached = cached(found)
        kept.throughput = throughput(found)


def _keep(kept: Record, outcome: Outcome) -> None:
    kept.outcomes.append(outcome)
    print(f"  {outcome.play}: {outcome.fault or 'passed'}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
