"""How long one insists: on a call that fails in passing ways, and on a server that nobody hears from.

A server that is restarted is away for a while, and then all calls fail alike. Such tries do not count until a minute
has gone by; where others are answered meanwhile, it is the call that fails.
"""

from time import monotonic

from msgspec import Struct

from mores.core.seeds import Seed
from mores.models.request import CallFailed

GONE = frozenset({"no connection", "broken connection"})
"""Causes that say that nobody answers."""
AWAY = GONE | {"http 502", "http 503", "http 504"}
"""The same, and what gateways say of a server behind them, and servers that still load a model."""
DEAF = 64
"""Calls in a row that nobody answered, before a run may be given up."""


class Patience(Struct, frozen=True, kw_only=True):
    """How often a call is tried, and how long it waits between: twice as long each time, with jitter."""

    attempts: int = 8
    first_wait: float = 0.25
    longest_wait: float = 30.0

    @property
    def outage(self) -> float:
        """Seconds that a server which was there is waited for: a minute, or as many times the first wait."""
        return 240 * self.first_wait

    @property
    def knocking(self) -> float:
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


class Silence(Struct):
    """How many calls nobody has answered, over all calls, since when, and whether anybody ever did."""

    patience: Patience
    calls: int = 0
    since: float = 0.0
    heard: bool = False

    def hear(self) -> None:
        """Somebody answered, if only to refuse."""
        self.calls, self.heard = 0, True

    def heed(self, failure: CallFailed) -> None:
        """Take what a failure says of it."""
        if failure.cause not in AWAY:
            self.hear()
            return
        self.heard |= failure.cause != "no connection"  # somebody took the call
        self.since = monotonic() if self.calls == 0 else self.since
        self.calls += 1

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return monotonic() - self.since if self.calls else 0.0

    @property
    def over(self) -> bool:
        """True where there is no more waiting."""
        if not self.heard:
            return self.calls > 0 and self.seconds >= self.patience.knocking
        return self.calls >= DEAF and self.seconds >= self.patience.outage


class Insistence(Struct):
    """The tries of one call."""

    patience: Patience
    silence: Silence
    tries: int = 0
    _away_since: float | None = None

    def gives_up(self, failure: CallFailed) -> bool:
        """Count one more failed try, which the silence has heeded; True where it was the last."""
        if failure.cause in AWAY and self._away_since is not None and self.silence.since <= self._away_since:
            return failure.cause != "no connection" and monotonic() - self._away_since >= self.patience.outage
        self.tries += 1
        self._away_since = monotonic() if failure.cause in AWAY else None
        return not failure.passing or self.tries >= self.patience.attempts
