"""Progress of work and the time that it takes yet: calls that were answered, of those that are expected.

What is expected is at first all that the outlines of plays allow, and less once plays that are done took less. How
fast it goes is told by the last minute. The time left is a promise: it goes down with the clock, moves where more than
chance moves it, and grows only with the reason beside.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

from mores.models.client import ModelClient
from mores.runs.progress import RunProgress

WINDOW, LEAST = 60.0, 8
"""Seconds by which is told how fast it goes; more where fewer answers than this came in them, as few say little."""
EARLIEST = 4.0
"""Seconds before a time left is told, and so few answers, unless a minute has gone by: the first ones say little."""
SLACK, LATE = 5.0, 0.2
"""A promise holds where the end comes so many seconds, or this share of what is left, off; more where few came."""
REASON_SECONDS = 30.0
"""Seconds for which the reason stands beside a time that grew."""


class CallCounts(Protocol):
    """Work whose calls are counted: what has begun, what is to come in this many plays, and by which doors it asks."""

    progress: list[RunProgress]
    coming: dict[Path, RunProgress]
    waiting: int
    clients: list[ModelClient]


class Look(NamedTuple):
    """State of work at one moment; `rate` is a second, None where nothing moved, as `left` then is.

    `of_calls` is false where steps are counted, as of a build. `why` is the reason for a time that grew.
    """

    done: int
    total: int
    of_calls: bool
    rate: float | None = None
    left: float | None = None
    why: str = ""


class _Sample(NamedTuple):
    at: float
    moved: int
    failed: int
    in_flight: int


class Outlook:
    """One who looks at work now and then, and keeps its word about the end."""

    def __init__(self, work: CallCounts, clock: Callable[[], float] = monotonic) -> None:
        self._work, self._clock = work, clock
        self._began = self._moved_at = clock()
        self._samples = deque([self._sample(self._began)])
        self._end: float | None = None
        self._total, self._why, self._reason_until = 0, "", 0.0

    def look(self) -> Look:
        """State of the work now."""
        now = self._clock()
        done, total, of_calls = amounts(self._work)
        self._see(self._sample(now))
        rate = None if self._still(now) else self._rate()
        if rate is None or not self._enough_seen(now):
            return Look(done, total, of_calls, rate, None, self._stillness() if self._still(now) else "")
        self._promise(now, (total - done) / rate, total)
        return Look(done, total, of_calls, rate, max(0.0, (self._end or now) - now), self._why)

    def _see(self, latest: _Sample) -> None:
        """Keep what tells how fast it goes, and since when nothing has come."""
        if latest.moved > self._samples[-1].moved:
            self._moved_at = latest.at
        self._samples.append(latest)
        while self._samples[1].at <= latest.at - WINDOW and latest.moved - self._samples[1].moved >= LEAST:
            self._samples.popleft()

    def _sample(self, now: float) -> _Sample:
        clients = self._work.clients
        steps = sum(each.done for each in self._work.progress)
        return _Sample(
            now,
            sum(client.answered for client in clients) if _by_calls(self._work) else steps,
            sum(client.tally.failed_attempts for client in clients),
            # clients of one model share its limit, which counts once
            sum(client.limit.slots.held for client in {id(client.limit): client for client in clients}.values()),
        )

    def _rate(self) -> float | None:
        first, last = self._samples[0], self._samples[-1]
        moved, seconds = last.moved - first.moved, last.at - first.at
        return moved / seconds if moved and seconds > 0 else None

    def _enough_seen(self, now: float) -> bool:
        """True where enough was seen to tell an end."""
        seconds = now - self._began
        return seconds >= WINDOW or (seconds >= EARLIEST and self._samples[-1].moved >= LEAST)

    def _still(self, now: float) -> bool:
        """True where nothing has come for long."""
        return now - self._moved_at >= WINDOW

    def _stillness(self) -> str:
        """Reason that nothing comes; an earlier forecast no longer holds."""
        self._end = None
        return self._cause() or "no answer in the last minute"

    def _promise(self, now: float, left: float, total: int) -> None:
        """Keep the end that was told, unless it comes clearly earlier, or so much later that this is to be said."""
        if now > self._reason_until:
            self._why = ""
        if self._end is not None:
            late = now + left - self._end
            if abs(late) <= max(SLACK, self._swing() * (self._end - now)):
                return
            if late > 0:
                self._why, self._reason_until = self._reason(total), now + REASON_SECONDS
        self._end, self._total = now + left, total

    def _swing(self) -> float:
        """The share by which a rate may be off by chance: the standard error of a count, where that is large."""
        return max(LATE, 1 / math.sqrt(max(1, self._samples[-1].moved - self._samples[0].moved)))

    def _reason(self, total: int) -> str:
        """Reason that it takes longer than forecast."""
        if total > 1.05 * self._total:
            return "plays take more calls"
        first, last = self._samples[0], self._samples[-1]
        held = sum(each.in_flight for each in self._samples) / len(self._samples)
        fewer = first.in_flight and last.in_flight < 0.7 * held
        return self._cause() or ("fewer calls go at once" if fewer else "answers take longer now")

    def _cause(self) -> str:
        """Behaviour of an endpoint that keeps work from going on."""
        if any(client.limit.rests for client in self._work.clients):
            return "the endpoint asks to wait"
        failed = self._samples[-1].failed - self._samples[0].failed
        return f"{failed:,} tried again" if failed else ""


def amounts(work: CallCounts) -> tuple[int, int, bool]:
    """Amount done and amount expected, and True if these are calls; else they are plays or steps."""
    if _by_calls(work):
        calls = sum(each.answered for each in work.progress)
        return calls, round(sum(each.expected() for each in _all(work.progress, work.coming))), True
    done = sum(each.done for each in work.progress)
    return done, work.waiting + sum(each.plays for each in work.progress), False


def _by_calls(work: CallCounts) -> bool:
    return bool(work.progress) and all(each.outlined is not None for each in work.progress)


def _all(begun: Iterable[RunProgress], coming: Mapping[Path, RunProgress]) -> tuple[RunProgress, ...]:
    return (*begun, *coming.values())


def fitted(parts: Iterable[str], width: int) -> str:
    """Parts of a line with commas between; those that it has no room for are left out."""
    line = ""
    for part in filter(None, parts):
        longer = f"{line}, {part}" if line else part
        line = longer if len(longer) <= width else line
    return line


def counts(look: Look) -> str:
    """Amount done, such as `37 of at most 510 calls`."""
    if look.of_calls:
        return f"{look.done:,} of at most {look.total:,} calls"
    return f"{look.done:,} of {look.total:,}"


def pace(look: Look) -> str:
    """Rate a second or a minute."""
    if look.rate is None:
        return ""
    if look.rate >= 1:
        return f"{look.rate:,.0f} a second"
    return f"{60 * look.rate:.0f} a minute" if look.rate >= 1 / 60 else "under 1 a minute"


def time_left(look: Look) -> str:
    """Time left, in words."""
    if look.left is None:
        return ""
    seconds = look.left
    if seconds < 100:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 100 * 60 else f"{seconds / 3600:.0f} h left"
