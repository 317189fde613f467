"""Limits of a whole run whose parts are asked side by side: one keeper for all, and a budget and paces of each part.

SharedLimits (one) ─▶ leases of calls, tokens and money ─▶ LeasedBudget (one a part)
                   ─▶ turns in a pace                   ─▶ SharedPace (one a part and model)

What is lent counts as spent until it is given back, so that all parts together stay within the limits even where one
dies with what it holds.
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import NamedTuple

from mores.core.errors import BudgetReached
from mores.models.budget import Budget, Price
from mores.models.rate_limits import RateLimiter
from mores.models.request import Usage

LEASE = 0.05
"""The share of what is left that is lent at a time, where no more is needed."""
FIRST_CALLS = 4
"""Calls that a part holds before its first one: models are probed, and a probe is counted after it was made."""


class Amount(NamedTuple):
    """Calls, tokens and US dollars; what is not limited is lent as nothing."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


class SharedLimits:
    """Keeper of what a run may spend and of how fast it may ask; `clock` has seconds."""

    def __init__(
        self,
        budget: tuple[int | None, int | None, float | None],
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._left = [*budget]
        self._per_minute = {"requests": requests_per_minute, "tokens": tokens_per_minute}
        self._paces: dict[tuple[str, str], RateLimiter] = {}
        self._clock = clock

    def lend(self, needed: Amount) -> Amount:
        """A lease of what is needed, or of more where much is left; nothing of that of which less is left."""
        lent = [self._lease(place, amount) for place, amount in enumerate(needed)]
        return Amount(int(lent[0]), int(lent[1]), lent[2])

    def _lease(self, place: int, needed: float) -> float:
        left = self._left[place]
        if left is None or needed <= 0 or needed > left:
            return 0
        lease = min(left, max(needed, LEASE * left))
        lease = lease if place == len(Amount._fields) - 1 else int(lease)
        self._left[place] = left - lease
        return lease

    def take_back(self, unspent: Amount) -> None:
        """Take back what a part did not spend."""
        self._left = [None if left is None else left + more for left, more in zip(self._left, unspent, strict=True)]

    def turn(self, model: str, kind: str, amount: float) -> float:
        """Seconds until so many requests or tokens more may be asked of a model; they count as asked from now on."""
        if (model, kind) not in self._paces:
            self._paces[model, kind] = RateLimiter(self._per_minute[kind])
        return self._paces[model, kind].turn(amount, self._clock())

    def settle(self, model: str, kind: str, more: float) -> None:
        """Correct what was counted by so much."""
        if (model, kind) in self._paces:
            self._paces[model, kind].settle(0.0, more)


class LeasedBudget(Budget, kw_only=True):
    """Budget of a part, which borrows from that of the whole as it spends; its limits are what it was lent so far."""

    lend: Callable[[Amount], Amount]

    def check(self, guess: Usage, rate: Price | None, spec: str) -> None:
        """Return where one more call would be within what is lent, or can be.

        Raises:
            BudgetReached: the whole has no more to lend.
            InputError: a budget in money, and the model has no known price.
        """
        self._borrow(guess, rate, Amount(calls=0 if self.calls else FIRST_CALLS - 1))
        try:
            super().check(guess, rate, spec)
        except BudgetReached as error:
            raise BudgetReached("The budget of the whole run is used up.") from error

    def _fits(self, guess: Usage, rate: Price | None) -> bool:
        self._borrow(guess, rate, Amount(0, self.tokens_reserved, self.cost_reserved))
        return super()._fits(guess, rate)

    def _borrow(self, guess: Usage, rate: Price | None, more: Amount) -> None:
        """Ask for what one more call lacks, and more where more is held."""
        calls = self.calls + 1 + more.calls - (self.max_calls or 0)
        tokens = self.tokens + guess.input + guess.output + more.tokens - (self.max_tokens or 0)
        cost = self.cost + (rate.of(guess) if rate else 0.0) + more.cost - (self.max_cost or 0.0)
        needed = Amount(
            0 if self.max_calls is None else max(0, calls),
            0 if self.max_tokens is None else max(0, tokens),
            0.0 if self.max_cost is None else max(0.0, cost),
        )
        if any(needed):
            lent = self.lend(needed)
            self.max_calls = None if self.max_calls is None else self.max_calls + lent.calls
            self.max_tokens = None if self.max_tokens is None else self.max_tokens + lent.tokens
            self.max_cost = None if self.max_cost is None else self.max_cost + lent.cost

    def unspent(self) -> Amount:
        """Amount that was lent and not spent."""
        return Amount(
            max(0, (self.max_calls or 0) - self.calls),
            max(0, (self.max_tokens or 0) - self.tokens),
            max(0.0, (self.max_cost or 0.0) - self.cost),
        )


class SharedPace(RateLimiter):
    """Pace of one model whose turns are given to all parts by one keeper."""

    def __init__(
        self, per_minute: float, turn: Callable[[float], Awaitable[float]], settle: Callable[[float], object]
    ) -> None:
        super().__init__(per_minute)
        self._turn, self._settle = turn, settle

    async def acquire(self, amount: float = 1.0) -> None:
        """Return once so much more may be spent."""
        await asyncio.sleep(await self._turn(amount))

    def settle(self, estimated: float, used: float) -> None:
        """Correct an estimate once the true amount is known."""
        self._settle(used - estimated)
