"""How long one insists: on a call that fails in passing ways, and on a server that nobody hears from.

A server that is restarted is away for a while, and then all calls fail alike. Such tries do not count until a minute
has gone by; where others are answered meanwhile, it is the call that fails. Who takes calls and drops them may have
heard each of them, and be paid for it: there one call at a time is tried, after waits that double, and 64 at most.
"""

import asyncio
from time import monotonic

from msgspec import Struct, field

from mores.core.seeds import Seed
from mores.models.request import CallFailed

GONE = frozenset({"no connection", "broken connection"})
"""Causes that say that nobody answers."""
DROPPED = "broken connection"
"""The cause of a call that somebody took, and perhaps heard."""
AWAY = GONE | {"http 502", "http 503", "http 504"}
"""The same, and what gateways say of a server behind them, and servers that still load a model."""
LIMITED = "http 429"
GIVEN_UP_IN_A_ROW = 8
"""Calls in a row that were given up at a limit, before it is asked whether it lets anybody through."""
DEAF = 64
"""Calls in a row that nobody answered, before a run may be given up."""


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """How often a call is tried, and how long it waits between: twice as long each time, with jitter."""

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
        whole = min(longest, self.first_wait * 2.0 ** min(attempt, 60))
        return whole * (0.5 + 0.5 * rng_seed.child(attempt).uniform())


class OutageDetector(Struct):
    """How many calls nobody has answered, over all calls, since when, and whether anybody ever did.

    `dropped` counts tries in a row that were taken and dropped; those that were under way at the first count as one.
    `out` is how many tries are under way that waited for their turn, `given_up` how many calls were, meanwhile. Once
    there is no more waiting, `ended` says so to those who still wait for their turn.
    """

    patience: RetryPolicy
    seed: Seed
    calls: int = 0
    since: float = 0.0
    heard: bool = False
    dropped: int = 0
    out: int = 0
    given_up: int = 0
    ended: str = ""
    _next: float = 0.0
    _back: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self) -> None:
        """Somebody answered, if only to refuse."""
        self.calls, self.heard = 0, True
        if self.dropped:
            self.dropped, self.out, self.given_up, self.ended = 0, 0, 0, ""
            self._back.set()

    def end(self, says: str) -> None:
        """Have nobody wait any more."""
        self.ended = says
        self._back.set()

    def heed(self, failure: CallFailed) -> None:
        """Take what a failure says of it."""
        if failure.cause not in AWAY:
            self.hear()
            return
        self.heard |= failure.cause != "no connection"  # somebody took the call
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
        return self.patience.wait(self.dropped - 1, self.seed)

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return monotonic() - self.since if self.calls else 0.0

    @property
    def over(self) -> bool:
        """True where there is no more waiting."""
        if not self.heard:
            return self.calls > 0 and self.seconds >= self.patience.connect_timeout
        if self.dropped >= DEAF:
            return True
        return (self.calls >= DEAF or self.given_up > 0) and self.calls > 0 and self.seconds >= self.patience.outage


class LimitWatch(Struct):
    """How many calls in a row were given up at a limit of the endpoint's, with no answer between, and since when."""

    patience: RetryPolicy
    given_up: int = 0
    since: float | None = None

    def hear(self) -> None:
        """A call was answered."""
        if self.since is not None:
            self.given_up, self.since = 0, None

    def heed(self, failure: CallFailed) -> None:
        """Take what a failure says of a limit."""
        if failure.cause == LIMITED and self.since is None:
            self.since = monotonic()

    def lasts(self, failure: CallFailed) -> bool:
        """Count a call that was given up; True where it is time to ask, as one of a minute would be over."""
        if failure.cause != LIMITED or not failure.passing or self.since is None:
            return False
        self.given_up += 1
        if self.given_up < GIVEN_UP_IN_A_ROW or self.seconds < self.patience.outage:
            return False
        self.given_up = 0
        return True

    @property
    def seconds(self) -> float:
        """How long no call was let through."""
        return 0.0 if self.since is None else monotonic() - self.since


class RetryState(Struct):
    """The tries of one call."""

    patience: RetryPolicy
    silence: OutageDetector
    tries: int = 0
    _away_since: float | None = None

    def gives_up(self, failure: CallFailed) -> bool:
        """Count one more failed try, which the silence has heeded; True where it was the last."""
        if failure.cause in AWAY and self._away_since is not None and self.silence.since <= self._away_since:
            lasted = monotonic() - self._away_since >= self.patience.outage
            self.silence.given_up += lasted and failure.cause == DROPPED
            return failure.cause != "no connection" and lasted
        self.tries += 1
        self._away_since = monotonic() if failure.cause in AWAY else None
        return not failure.passing or self.tries >= self.patience.attempts
