"""What the stand-in saw: how many asked, what each was given, and how many were in flight for how long."""

import hashlib
import resource
import time
from array import array
from collections import Counter
from typing import NamedTuple


def body_hash(body: bytes) -> str:
    """Name of a request's body in `Endpoint.answered`."""
    return hashlib.blake2b(body, digest_size=8).hexdigest()


def headers(head: bytes) -> dict[str, str]:
    """Header fields of a request, their names in lower case."""
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    return {name.lower(): value.strip() for name, _, value in lines}


class Mark(NamedTuple):
    """A moment: the endpoint's clock and the slot-seconds that were held in flight until then."""

    seconds: float
    slot_seconds: float

    def mean_until(self, later: "Mark") -> float:
        """Time-weighted mean of requests in flight between this mark and a later one."""
        return (later.slot_seconds - self.slot_seconds) / (later.seconds - self.seconds)


class Counts(NamedTuple):
    """What the endpoint saw since its start or last reset; `answered` counts whole answers, fully sent."""

    requests: int
    answered: int
    in_flight: int
    most_in_flight: int
    faults: dict[str, int]
    statuses: dict[str, int]
    last_headers: dict[str, str]
    cpu_seconds: float


class Tally:
    """What was seen: counts, and the time held in flight at each arrival."""

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self.signs: dict[str, int] = {}
        self.attempts: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.arrivals = array("d")
        self.last_head = b""
        self.in_flight = self.most = 0
        self.since = time.perf_counter()
        self.slot_seconds = 0.0

    def mark(self) -> Mark:
        """Now, the slots held until now added up."""
        now = time.perf_counter()
        self.slot_seconds += self.in_flight * (now - self.since)
        self.since = now
        return Mark(now, self.slot_seconds)

    def arrive(self, head: bytes) -> None:
        """One more in flight."""
        self.last_head = head
        self.arrivals.extend(self.mark())
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)

    def arrival(self, number: int) -> Mark:
        """The moment just before a request came, counted from 1.

        Raises:
            IndexError: so many have not come.
        """
        return Mark(self.arrivals[2 * number - 2], self.arrivals[2 * number - 1])

    def leave(self) -> None:
        """One less in flight."""
        self.mark()
        self.in_flight -= 1

    def counts(self) -> Counts:
        """The totals."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Counts(
            requests=len(self.arrivals) // 2,
            answered=self.answered.total(),
            in_flight=self.in_flight,
            most_in_flight=self.most,
            faults=dict(self.faults),
            statuses=dict(self.statuses),
            last_headers=headers(self.last_head),
            cpu_seconds=used.ru_utime + used.ru_stime,
        )
