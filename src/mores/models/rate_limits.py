"""Limits of calls in flight: a global window, a limit for each model that adapts, and a rate a minute.

The limit follows additive increase and multiplicative decrease: one slot more for each full round of answers,
half as many after a 429 or a time-out (once a round), a fifth fewer when answers become much slower than they were.
"""

import asyncio
from collections import deque
from time import monotonic
from typing import NamedTuple

SLOWER = 4.0
ROUND = 64
LONGEST_REST = 120.0
"""Seconds that an endpoint can ask us to rest, at most."""
AT_ONCE = 1.0
"""Seconds of a pace that may be taken in one go."""


class Rest(NamedTuple):
    """A rest that the endpoint of a model asked for: how many seconds, and how many of these are left to wait here."""

    model: str
    asked: float
    left: float

    @property
    def description(self) -> str:
        """The rest in words for people."""
        request = f"{self.model}: its endpoint asked for a rest of {self.asked:,.0f} s (Retry-After)"
        return f"{request}; it is asked again in {self.left:,.0f} s."


class FairSemaphore:
    """So many at a time; whoever waits longest goes first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def try_acquire(self) -> bool:
        """True where a slot is free and nobody waits for one: it is held then."""
        if self.held < self.size and not self._waiting:
            self.held += 1
            return True
        return False

    async def acquire(self) -> None:
        """Return once a slot is held."""
        if self.try_acquire():
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # The slot was given before the cancellation arrived: it is handed on, or it would be lost.
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Give a slot back, to the next in line if the size allows."""
        self.held -= 1
        if self._waiting:
            self._admit()

    def resize(self, size: int) -> None:
        """Another size from now on; those who hold a slot keep it."""
        self.size = size
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.held < self.size:
            turn = self._waiting.popleft()
            if not turn.done():
                self.held += 1
                turn.set_result(None)


class AdaptiveLimit:
    """Number of calls that one model takes at a time, learnt from its answers; never above the window."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.slots = FairSemaphore(window)
        self.lowered = 0
        self._size = float(window)
        self._round: list[float] = []
        self._best = float("inf")
        self._rest_until = self._asked = 0.0
        self._ignored_until = 0.0

    def try_acquire(self) -> bool:
        """True where this model may be asked at once: a slot of it is held then."""
        return not self._rest_until and self.slots.try_acquire()

    async def acquire(self) -> None:
        """Return once this model may be asked; waits out a rest that the endpoint asked for."""
        await self.slots.acquire()
        try:
            await self.rest()
        except asyncio.CancelledError:
            self.slots.release()
            raise

    @property
    def rests(self) -> bool:
        """True while the endpoint is not to be asked."""
        return bool(self._rest_until) and monotonic() < self._rest_until

    def rest_of(self, model: str) -> Rest | None:
        """The rest that is kept now; None where the endpoint may be asked."""
        return Rest(model, self._asked, self._rest_until - monotonic()) if self.rests else None

    async def rest(self) -> None:
        """Return once a rest is over, which may be asked for anew meanwhile."""
        while self.rests:  # noqa: ASYNC110 - until a time, which may move
            await asyncio.sleep(self._rest_until - monotonic())

    def release(self) -> None:
        """The call is over."""
        self.slots.release()

    def answered(self, seconds: float) -> None:
        """A reply came: room for a little more, or for less where answers have become slow."""
        if self._size < self.window:
            self._resize(self._size + 1.0 / self._size)
        self._round.append(seconds)
        if len(self._round) >= ROUND:
            mean = sum(self._round) / len(self._round)
            self._round.clear()
            if mean > SLOWER * self._best and mean > 1.0:
                self._lower(0.8)
            # It may rise by a twentieth a round, so that one lucky round is no yardstick for ever.
            self._best = min(self._best * 1.05, mean)

    def pushed_back(self, wait: float | None) -> None:
        """The endpoint asked for less: half as many, once a round, and a rest where it named one."""
        if wait:
            self._rest_until, self._asked = max(self._rest_until, monotonic() + min(wait, LONGEST_REST)), wait
        # Calls that were sent together are refused together: within a second they count once.
        if monotonic() >= self._ignored_until:
            self._ignored_until = monotonic() + 1.0
            self._lower(0.5)

    def _lower(self, factor: float) -> None:
        self.lowered += 1
        self._resize(max(1.0, self._size * factor))

    def _resize(self, size: float) -> None:
        self._size = min(float(self.window), size)
        if int(self._size) != self.slots.size:
            self.slots.resize(int(self._size))


class RateLimiter:
    """So much in any minute and no more (requests or tokens), spread evenly but for a second; None is no limit.

    So much is earned in a minute and that second, which may be taken in one go.
    """

    def __init__(self, per_minute: float | None) -> None:
        self.per_minute = per_minute
        self._free_at = 0.0

    async def acquire(self, amount: float = 1.0) -> None:
        """Return once so much more may be spent."""
        if self.per_minute is not None and (wait := self.turn(amount, monotonic())):
            await asyncio.sleep(wait)

    def turn(self, amount: float, now: float) -> float:
        """Seconds after which so much more may be spent; it counts as spent then."""
        # What was not spent is lost beyond a second of it, so that no burst follows a quiet minute.
        self._free_at = max(self._free_at, now - AT_ONCE) + self._seconds(amount)
        return max(0.0, self._free_at - now)

    def settle(self, estimated: float, used: float) -> None:
        """Correct an estimate once the true amount is known."""
        self._free_at += self._seconds(used - estimated)

    def _seconds(self, amount: float) -> float:
        """Seconds that it takes to earn so much."""
        return 0.0 if self.per_minute is None else (60.0 + AT_ONCE) * amount / self.per_minute
