"""A budget and a pace that several parts share are those of the whole, whoever asks and whoever is lost."""

import asyncio
from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import BudgetReached
from mores.models.budget import Price
from mores.models.rate_limits import RateLimiter
from mores.models.request import Usage
from mores.models.shared_limits import Amount, LeasedBudget, SharedLimits, SharedPace
from mores.runs.selection import Shard
from mores.runs.spec import ExecutionSpec, limits_of_part
from tests.models.clock import Clock, run

CALL, RATE = Usage(input=10, output=20), Price(0.001, 0.002)


def leased(shared: SharedLimits, *kinds: str) -> LeasedBudget:
    """A budget that is lent calls, tokens or money."""
    none = {"max_calls": 0, "max_tokens": 0, "max_cost": 0.0}
    return LeasedBudget(**{kind: none[kind] for kind in kinds}, lend=shared.lend)  # type: ignore[arg-type]


def spend(budget: LeasedBudget) -> bool:
    """One call, of half the tokens that it may take; False where the budget is used up."""
    try:
        asyncio.run(budget.room_for(CALL, RATE, "x/y"))
    except BudgetReached:
        return False
    budget.reserve(CALL, RATE, "x/y")
    budget.settle(CALL, Usage(input=10, output=5), RATE)
    return True


@given(st.lists(st.integers(0, 3), max_size=300), st.integers(4, 150))
def test_leases_are_never_more_than_the_whole_and_what_is_left_comes_back(turns: list[int], most: int) -> None:
    shared = SharedLimits((most, None, None))
    budgets = [leased(shared, "max_calls") for _ in range(4)]
    made = sum(spend(budgets[turn]) for turn in turns)
    assert made <= most
    for budget in budgets:
        shared.take_back(budget.unspent())
    assert shared.lend(Amount(most - made)) == Amount(most - made)
    assert shared.lend(Amount(1)) == Amount(0)


def test_one_part_alone_can_spend_all_of_each_kind() -> None:
    for kind, limits, calls in (
        ("max_calls", (40, None, None), 40),
        ("max_tokens", (None, 300, None), 19),  # 15 each, and the last needs room for 30
        ("max_cost", (None, None, 0.5), 23),  # .02 each, and the last needs room for .05
    ):
        budget = leased(SharedLimits(limits), kind)
        made = sum(spend(budget) for _ in range(60))
        assert made == calls, kind


def test_a_part_without_room_for_its_probes_does_not_begin() -> None:
    budget = leased(SharedLimits((3, None, None)), "max_calls")
    with pytest.raises(BudgetReached, match="budget of the whole run is used up"):
        budget.check(CALL, None, "x/y")


def most_in_a_minute(times: list[float]) -> int:
    """The most of some times that lie within any minute."""
    ordered = sorted(times)
    return max(bisect_right(ordered, time + 60.0) - place for place, time in enumerate(ordered))


def asked_at(clock: Clock, paces: list[RateLimiter], each: int) -> list[float]:
    """The times at which parts ask that have so many calls each and go as fast as they may."""
    times = list[float]()

    async def part(pace: RateLimiter) -> None:
        for _ in range(each):
            await pace.acquire()
            times.append(clock())

    async def all_parts() -> None:
        await asyncio.gather(*map(part, paces))

    run(all_parts(), clock)
    return times


@pytest.mark.parametrize(("per_minute", "of"), [(60, 4), (62, 4), (7, 4), (600, 7), (4, 4)])
def test_parts_with_shares_of_a_pace_keep_that_of_the_whole(per_minute: int, of: int, clock: Clock) -> None:
    conditions = ExecutionSpec(requests_per_minute=per_minute)
    shares = [limits_of_part(conditions, Shard(number, of)) for number in range(1, of + 1)]
    paces = [RateLimiter(share["requests_per_minute"]) for share in shares]
    times = asked_at(clock, paces, 3 * per_minute // of)
    assert 0.6 * per_minute <= most_in_a_minute(times) <= per_minute


def test_parts_with_turns_in_one_pace_keep_it_and_one_alone_has_all_of_it(clock: Clock) -> None:
    for parts, each in ((4, 45), (1, 180)):
        shared = SharedLimits((None, None, None), requests_per_minute=60, clock=clock)

        async def turn(amount: float, shared: SharedLimits = shared) -> float:
            return shared.turn("x/y", "requests", amount)

        began = clock()
        times = asked_at(clock, [SharedPace(60, turn, lambda more: None) for _ in range(parts)], each)
        assert most_in_a_minute(times) <= 60
        assert times[-1] - began == pytest.approx(183, abs=2)
