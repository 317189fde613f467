"""Budget of a run in calls, tokens or money: it stops before it would spend more, and says what is left.

Prices come from genai-prices with the version of its table; a model that is not in it has no price, and a
budget in money for it is refused rather than guessed, unless whoever runs it says what it costs. What runs here costs
nothing.
"""

import asyncio
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from typing import NamedTuple

from msgspec import Struct, field

from mores.core.errors import BudgetReached, InputError
from mores.models.facts import price_of_facts
from mores.models.provider import provider_of
from mores.models.request import Request, Usage

DEFAULT_ANSWER_TOKENS = 512
MILLION = 1_000_000
"""Tokens for which prices are said."""
BATCH = 0.5
"""The share of a price that providers ask for calls in a batch."""


class Price(NamedTuple):
    """Money for tokens, in US dollars for each token; `given` where whoever runs the model said so, `by` whom else.

    Without a price for what came `cached`, that is counted as any other input, which is an upper bound.
    """

    input: float
    output: float
    cached: float | None = None
    given: bool = False
    by: str = ""

    def of(self, usage: Usage) -> float:
        """Cost of one call; half of it where a batch answered."""
        cost = usage.input * self.input + usage.output * self.output
        if self.cached is not None:
            cost += min(usage.cached, usage.input) * (self.cached - self.input)
        return (BATCH if usage.batch else 1.0) * cost

    @property
    def source(self) -> str:
        """Source of it, for a reader."""
        return "price given by the user" if self.given else self.by or price_table()

    @property
    def per_token(self) -> tuple[float, ...]:
        """As it is written down: in, out, and from a cache where that has a price of its own."""
        return (self.input, self.output) if self.cached is None else (self.input, self.output, self.cached)


FREE = Price(0.0, 0.0)


def price_table() -> str:
    """Name and version of the table that prices come from."""
    return f"genai-prices {metadata.version('genai-prices')}"


@cache
def price(provider: str, model: str) -> Price | None:
    """Price of a model, or None where the table has none."""
    from genai_prices import Usage as Tokens  # noqa: PLC0415 - slow to import, and only paid models need it
    from genai_prices import calc_price  # noqa: PLC0415

    try:
        given = calc_price(Tokens(input_tokens=MILLION), model_ref=model, provider_id=provider)
        taken = calc_price(Tokens(output_tokens=MILLION), model_ref=model, provider_id=provider)
    except LookupError:
        return None
    return Price(float(given.total_price) / MILLION, float(taken.total_price) / MILLION)


def rate_of(spec: str, base_url: str | None) -> Price | None:
    """Price of a model's tokens at its address: nothing for what runs here, None where no price is known.

    An endpoint at an address of one's own has no known price, whatever its model is called.
    """
    provider, (kind, _, name) = provider_of(spec), spec.partition("/")
    if not provider.elsewhere:
        return FREE
    at = provider.home.base_url if provider.home else None
    if base_url is not None and base_url.rstrip("/") != (at or "").rstrip("/"):
        return None
    if provider.price is not None:
        known = provider.price(name)
        return None if known is None else Price(known[0] / MILLION, known[1] / MILLION, by=f"the provider {kind}")
    if provider.home is None:
        kind, _, name = name.partition("/")
    return price(provider.priced_as or kind, name)


def given_prices(facts: Mapping[str, str], subjects: Iterable[str], others: Iterable[str]) -> dict[str, Price]:
    """The prices that whoever runs models said, of those under test and of those who play other roles.

    Raises:
        InputError: one is none.
    """
    found, tested = {}, set(subjects)
    for spec in dict.fromkeys((*tested, *others)):
        known = price_of_facts(spec, facts, subject=spec in tested)
        if known is not None and provider_of(spec).elsewhere:
            into, out, cached = known
            found[spec] = Price(into / MILLION, out / MILLION, None if cached is None else cached / MILLION, given=True)
    return found


def no_price(spec: str) -> InputError:
    """The refusal of a budget in money for a model without a known price."""
    first = spec.partition(", ")[0]
    return InputError(
        f"--max-cost: no price is known for {spec}; use --max-calls or --max-tokens, or say it in US dollars for a "
        f"million tokens: --fact {first}:price_in=0.1 --fact {first}:price_out=0.4."
    )


def estimate_tokens(request: Request) -> Usage:
    """A guess at the tokens of a call from its words: four characters a token, and the whole answer limit."""
    written = sum([len(message.content) for message in request.messages])  # a list takes half of a generator's time
    answer = request.sampling.max_tokens or DEFAULT_ANSWER_TOKENS
    return Usage(input=-(-written // 4) + 4 * len(request.messages), output=answer, estimated=True)


class Budget(Struct):
    """A purse: reserve before each call, settle after it."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    tokens_reserved: int = 0
    cost_reserved: float = 0.0
    estimated_calls: int = 0
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def bounded(self) -> bool:
        """True where there is a limit of any kind."""
        return (self.max_calls, self.max_tokens, self.max_cost) != (None, None, None)

    def check(self, guess: Usage, rate: Price | None, spec: str) -> None:
        """Return where one more call would be within the budget, once those under way have settled.

        Raises:
            BudgetReached: it would be more than there is.
            InputError: a budget in money, and the model has no known price.
        """
        tokens = guess.input + guess.output
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetReached(f"The budget of {self.max_calls} calls is used up.")
        if self.max_tokens is not None and self.tokens + tokens > self.max_tokens:
            spent = f"{self.tokens} spent, and the next call may take {tokens}"
            raise BudgetReached(f"The budget of {self.max_tokens} tokens is used up ({spent}).")
        if self.max_cost is not None:
            if rate is None:
                raise no_price(spec)
            if self.cost + rate.of(guess) > self.max_cost:
                spent = f"${self.cost:.4f} spent, and the next call may take ${rate.of(guess):.4f}"
                raise BudgetReached(f"The budget of ${self.max_cost:.2f} is used up ({spent}).")

    async def room_for(self, guess: Usage, rate: Price | None, spec: str) -> None:
        """Return once a call fits beside those under way, which often give back most of what they set aside.

        Raises:
            BudgetReached: it would not even fit alone.
            InputError: a budget in money, and the model has no known price.
        """
        self.check(guess, rate, spec)
        while not self._fits(guess, rate):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
            self.check(guess, rate, spec)

    def reserve(self, guess: Usage, rate: Price | None, spec: str) -> None:
        """Set aside what one call may take.

        Raises:
            BudgetReached: it would be more than there is beside the calls under way.
            InputError: a budget in money, and the model has no known price.
        """
        if self.bounded:
            self.check(guess, rate, spec)
            if not self._fits(guess, rate):
                raise BudgetReached("The budget is set aside for calls under way.")
        self.calls += 1
        self.tokens_reserved += guess.input + guess.output
        self.cost_reserved += rate.of(guess) if rate else 0.0

    def _fits(self, guess: Usage, rate: Price | None) -> bool:
        if self.max_tokens is None and self.max_cost is None:
            return True
        tokens = self.tokens + self.tokens_reserved + guess.input + guess.output
        cost = self.cost + self.cost_reserved + (rate.of(guess) if rate else 0.0)
        # The margin is for sums of floats, which may end a hair above a budget that they just reach.
        return (self.max_tokens is None or tokens <= self.max_tokens) and (
            self.max_cost is None or cost <= self.max_cost + 1e-12
        )

    def settle(self, guess: Usage, used: Usage | None, rate: Price | None) -> None:
        """Replace what was set aside by what was used; a failed call used nothing that we know of."""
        self.tokens_reserved -= guess.input + guess.output
        self.cost_reserved -= rate.of(guess) if rate else 0.0
        if used is not None:
            self.tokens += used.input + used.output
            self.estimated_calls += used.estimated
            self.cost += rate.of(used) if rate else 0.0
        if self._waiting:
            # All are woken: what came back may be room for several, and each looks again.
            waiting, self._waiting = self._waiting, []
            for turn in waiting:
                if not turn.done():
                    turn.set_result(None)

    def charge(self, used: Usage, rate: Price | None) -> None:
        """Count a call that was not reserved: a model's own."""
        self.calls += 1
        self.settle(Usage(), used, rate)

    def left(self) -> str:
        """Remaining budget, in words; empty where there is no budget."""
        parts = []
        if self.max_calls is not None:
            parts.append(f"{max(0, self.max_calls - self.calls)} of {self.max_calls} calls")
        if self.max_tokens is not None:
            parts.append(f"{max(0, self.max_tokens - self.tokens)} of {self.max_tokens} tokens")
        if self.max_cost is not None:
            parts.append(f"${max(0.0, self.max_cost - self.cost):.4f} of ${self.max_cost:.2f}")
        return ", ".join(parts)
