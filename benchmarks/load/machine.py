"""CPU that a studio's server, its database and its crowd took, each for itself."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Seconds of CPU taken so far, at a moment of the clock; `before` is the load average at the beginning."""

    seconds: float
    server: float
    database: float
    crowd: float
    before: float

    def since(self, start: "Taken") -> "Taken":
        """What was taken from then to now."""
        return Taken(
            seconds=self.seconds - start.seconds, server=self.server - start.server,
            database=self.database - start.database, crowd=self.crowd - start.crowd, before=start.before,
        )  # fmt: skip

    def told(self, submissions: int) -> str:
        """Milliseconds a submission, and how many cores that were."""
        parts = {"server": self.server, "database": self.database, "crowd": self.crowd}
        each = ", ".join(f"{name} {1000 * cpu / max(1, submissions):.1f} ms" for name, cpu in parts.items())
        return f"{each} ({sum(parts.values()) / self.seconds:.2f} cores in all)"


def taken(group: int, database: str) -> Taken:
    """What they took by now: the server leads a group of processes, the database is the server at this address."""
    ticks, chief = os.sysconf("SC_CLK_TCK"), _chief(database)
    server = kept = 0
    for number, (parent, own_group, *cpu) in _processes():
        if own_group == group:
            server += sum(cpu[:2])
        elif chief and chief in (number, parent):
            kept += sum(cpu if number == chief else cpu[:2])  # and what processes took that have ended
    return Taken(
        seconds=time.monotonic(), server=server / ticks, database=kept / ticks, crowd=time.process_time(),
        before=os.getloadavg()[0],
    )  # fmt: skip


def _chief(database: str) -> int:
    """Number of the database server's first process, 0 where there is no server."""
    folder = conninfo_to_dict(database).get("host") if database else None
    return int((Path(str(folder)) / "data" / "postmaster.pid").read_text().split()[0]) if folder else 0


def _processes() -> Iterator[tuple[int, tuple[int, ...]]]:
    """Of each process its number; its parent, its group, and its CPU: user, system, and both of ended children."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            yield int(stat.parent.name), tuple(int(fields[at]) for at in (1, 2, 11, 12, 13, 14))
