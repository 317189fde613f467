"""Retries of a call that fails in transient ways, and outages of a server that sends no answer, or refusals alone.

A server that is restarted is away for a while, and then all calls fail alike. Such tries do not count until a minute
has gone by; where others are answered meanwhile, it is the call that fails. A server that takes calls and drops them
may have received each of them, and be paid for it: there one call at a time is tried, after waits that double, and 64
at most.

Some refusals are about one call (its words, its length, its settings), others about all: a key that is refused from
now on, credit that is used up, a model that is gone. Their words and numbers differ from server to server, and the
same number means the one here and the other there. So the question of the first probe is put once more: where that is
refused too, nothing can pass any more, and the run stops before it burns through its plan. A quota of the day alone is
not asked about: a short question may still fit into what is left of it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from msgspec import Struct, field

from mores.core.errors import NotServed
from mores.core.seeds import Seed
from mores.models.outcomes import NO_CREDIT, NO_KEY, NO_MODEL, speaks_of_all
from mores.models.request import CallFailed
from mores.models.single_flight import SingleFlight

GONE = frozenset({"no connection", "broken connection"})
"""Causes that say that nobody answers."""
DROPPED = "broken connection"
"""The cause of a call that somebody took, and perhaps heard."""
AWAY = GONE | {"http 502", "http 503", "http 504"}
"""The same, and what gateways say of a server behind them, and servers that still load a model."""
LIMITED = "http 429"
GIVEN_UP_IN_A_ROW = 8
"""Calls in a row that were given up at a limit, before it is asked whether it lets anybody through."""
OUTAGE_CALLS = 64
"""Calls in a row that nobody answered, before a run may be given up."""


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """Number of attempts of a call, and the waits between: twice as long each time, with jitter."""

    attempts: int = 8
    first_wait: float = 0.25
    longest_wait: float = 30.0

    @property
    def outage(self) -> float:
        """Seconds that a server which was there is waited for: a minute, or as many times the first wait."""
        return 240 * self.first_wait

    @property
    def connect_timeout(self) -> float:
        """Seconds that one is waited for which nobody has heard of yet."""
        return 8 * self.first_wait

    def wait(self, attempt: int, rng_seed: Seed, *, cause: str = "") -> float:
        """Seconds before the next attempt: between a half and the whole of the doubled wait.

        Whether a server that is away is back again is worth a look after four first waits, or sixteen where somebody
        speaks for it.
        """
        looks = 4 if cause in GONE else 16
        longest = min(self.longest_wait, looks * self.first_wait) if cause in AWAY else self.longest_wait
        # Bounded, as 2.0 to the power of a long outage of attempts overflows.
        whole = min(longest, self.first_wait * 2.0 ** min(attempt, 60))
        return whole * (0.5 + 0.5 * rng_seed.child(attempt).uniform())


class OutageDetector(Struct):
    """Count of calls without an answer, over all calls, since when, and whether any was ever answered.

    `dropped` counts tries in a row that were taken and dropped; those that were under way at the first count as one.
    `out` is how many tries are under way that waited for their turn, `given_up` how many calls were, meanwhile. Once
    there is no more waiting, `ended` says so to those who still wait for their turn.
    """

    policy: RetryPolicy
    seed: Seed
    calls: int = 0
    since: float = 0.0
    received: bool = False
    dropped: int = 0
    out: int = 0
    given_up: int = 0
    ended: str = ""
    _next: float = 0.0
    _back: asyncio.Event = field(default_factory=asyncio.Event)

    def record_response(self) -> None:
        """Somebody answered, if only to refuse."""
        self.calls, self.received = 0, True
        if self.dropped:
            self.dropped, self.out, self.given_up, self.ended = 0, 0, 0, ""
            self._back.set()

    def end(self, says: str) -> None:
        """Have nobody wait any more."""
        self.ended = says
        self._back.set()

    def record_failure(self, failure: CallFailed) -> None:
        """Take what a failure says of it."""
        if failure.cause not in AWAY:
            self.record_response()
            return
        self.received |= failure.cause != "no connection"  # somebody took the call
        self.since = monotonic() if self.calls == 0 else self.since
        self.calls += 1
        if failure.cause == DROPPED and (self.out or not self.dropped):
            self.dropped, self.out = self.dropped + 1, max(0, self.out - 1)
            self._next = monotonic() + self._pause()
            self._back.clear()

    async def turn(self) -> None:
        """Return once a call may be tried while calls are dropped: one at a time, or all once one was answered."""
        while self.dropped and not self.ended and (left := self._next - monotonic()) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._back.wait()
            except TimeoutError:
                continue
        if self.dropped:
            self.out += 1
            self._next = monotonic() + self._pause()

    def _pause(self) -> float:
        return self.policy.wait(self.dropped - 1, self.seed)

    @property
    def seconds(self) -> float:
        """Seconds for which it has lasted."""
        return monotonic() - self.since if self.calls else 0.0

    @property
    def over(self) -> bool:
        """True where there is no more waiting."""
        if not self.received:
            return self.calls > 0 and self.seconds >= self.policy.connect_timeout
        if self.dropped >= OUTAGE_CALLS:
            return True
        return (
            (self.calls >= OUTAGE_CALLS or self.given_up > 0) and self.calls > 0 and self.seconds >= self.policy.outage
        )


class LimitWatch(Struct):
    """Count of calls in a row that were given up at an endpoint's limit, with no answer between, and since when."""

    policy: RetryPolicy
    given_up: int = 0
    since: float | None = None

    def record_response(self) -> None:
        """A call was answered."""
        if self.since is not None:
            self.given_up, self.since = 0, None

    def record_failure(self, failure: CallFailed) -> None:
        """Take what a failure says of a limit."""
        if failure.cause == LIMITED and self.since is None:
            self.since = monotonic()

    def lasts(self, failure: CallFailed) -> bool:
        """Count a call that was given up; True where it is time to ask, as one of a minute would be over."""
        if failure.cause != LIMITED or not failure.passing or self.since is None:
            return False
        self.given_up += 1
        if self.given_up < GIVEN_UP_IN_A_ROW or self.seconds < self.policy.outage:
            return False
        self.given_up = 0
        return True

    @property
    def seconds(self) -> float:
        """Seconds for which no call was let through."""
        return 0.0 if self.since is None else monotonic() - self.since


class RetryState(Struct):
    """The tries of one call."""

    policy: RetryPolicy
    outage_detector: OutageDetector
    tries: int = 0
    _away_since: float | None = None

    def gives_up(self, failure: CallFailed) -> bool:
        """Count one more failed try, which the detector has recorded; True where it was the last."""
        # In one outage all tries count as one, which ends by the time that has gone by and not by their number.
        if failure.cause in AWAY and self._away_since is not None and self.outage_detector.since <= self._away_since:
            lasted = monotonic() - self._away_since >= self.policy.outage
            self.outage_detector.given_up += lasted and failure.cause == DROPPED
            return failure.cause != "no connection" and lasted
        self.tries += 1
        self._away_since = monotonic() if failure.cause in AWAY else None
        return not failure.passing or self.tries >= self.policy.attempts


REFUSED_IN_A_ROW = 8
"""So many refusals with no answer between are looked into, whatever they say."""


class EndpointHealth:
    """Health of an endpoint for one model; `ask_again` puts the probe's question once more."""

    def __init__(self, spec: str, variable: str, ask_again: Callable[[], Awaitable[object]]) -> None:
        self._spec, self._variable = spec, variable
        self._ask_again = ask_again
        self._in_a_row = 0
        self._asking = SingleFlight[bool]()

    def record_success(self) -> None:
        """A call was answered."""
        self._in_a_row = 0

    async def check(self, failure: CallFailed) -> None:
        """Return where a failure is of that call alone.

        Raises:
            NotServed: the endpoint refuses what it took before.
        """
        status = status_in(failure)
        if failure.passing or not status:
            return
        if failure.of_day:
            raise self._not_served(failure)
        self._in_a_row += 1
        suspect = speaks_of_all(status, failure.detail)
        if (suspect or self._in_a_row % REFUSED_IN_A_ROW == 0) and await self._asking.outcome(self._refused_again):
            raise self._not_served(failure)

    async def _refused_again(self) -> bool:
        """True where the probe's question is refused now."""
        try:
            await self._ask_again()
        except CallFailed as failure:
            return bool(status_in(failure)) and not failure.passing
        return False

    def _not_served(self, failure: CallFailed) -> NotServed:
        return NotServed(f"{self._spec}: {reason_of(failure, self._variable)} ({failure}).")


def reason_of(failure: CallFailed, variable: str) -> str:
    """Reason that an endpoint refuses every call, in words; `variable` holds the key that it refuses."""
    status = status_in(failure)
    if failure.of_day:
        return "the endpoint takes no call any more, as the quota of the day is used up; resume once there is a new one"
    if status in NO_KEY:
        return f"the endpoint takes no call with this key any more; see to it and to {variable}"
    if status in NO_CREDIT:
        return "the endpoint takes no call any more, as the credit or quota is used up"
    if status in NO_MODEL:
        return "the model, or its address, is gone"
    return "the endpoint refuses every call by now, also one that it took before"


def status_in(failure: CallFailed) -> int:
    """The HTTP status of a refusal; 0 where a failure is none."""
    name, _, number = failure.cause.partition(" ")
    return int(number) if name == "http" and number.isdecimal() else 0
