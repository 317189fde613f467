"""Slots, limits and paces hold what they promise."""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.models.rate_limits import AdaptiveLimit, FairSemaphore, RateLimiter
from tests.models.clock import Clock, run


async def held_for(slots: FairSemaphore, turns: list[int], number: int) -> int:
    await slots.acquire()
    try:
        turns.append(number)
        held = slots.held
        await asyncio.sleep(0)
        return held
    finally:
        slots.release()


@given(st.integers(1, 5), st.integers(1, 30), st.sets(st.integers(0, 29)))
def test_no_more_are_held_than_there_are_and_nobody_waits_for_ever(size: int, count: int, given_up: set[int]) -> None:
    async def go() -> tuple[list[int], list[object]]:
        slots, turns = FairSemaphore(size), list[int]()
        tasks = [asyncio.create_task(held_for(slots, turns, number)) for number in range(count)]
        await asyncio.sleep(0)
        for number in given_up & set(range(count)):
            tasks[number].cancel()
        async with asyncio.timeout(30):
            held = await asyncio.gather(*tasks, return_exceptions=True)
        assert slots.held == 0
        return turns, [each for each in held if isinstance(each, int)]

    turns, held = asyncio.run(go())
    assert all(1 <= int(str(each)) <= size for each in held)
    assert turns == sorted(turns)  # whoever waits longest goes first
    assert set(range(count)) - set(turns) <= given_up


def test_more_room_lets_those_who_wait_in() -> None:
    async def go() -> tuple[int, int, int]:
        slots = FairSemaphore(1)
        tasks = [asyncio.create_task(slots.acquire()) for _ in range(5)]
        await asyncio.sleep(0)
        first = slots.held
        slots.resize(4)
        await asyncio.sleep(0)
        grown = slots.held
        slots.resize(2)
        slots.release()
        slots.release()
        slots.release()
        await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        return first, grown, slots.held

    assert asyncio.run(go()) == (1, 4, 2)


@given(st.lists(st.sampled_from(["answered", "slow", "pushed"]), max_size=300), st.integers(1, 50))
def test_a_limit_stays_between_one_and_the_window(events: list[str], window: int) -> None:
    limit = AdaptiveLimit(window)
    for event in events:
        if event == "pushed":
            limit.pushed_back(None)
        else:
            limit.answered(0.1 if event == "answered" else 30.0)
        assert 1 <= limit.slots.size <= window


def test_a_limit_halves_once_a_round_and_grows_by_one_a_round() -> None:
    limit = AdaptiveLimit(32)
    for _ in range(20):
        limit.pushed_back(None)
    assert limit.slots.size == 16
    for _ in range(17):
        limit.answered(0.01)
    assert limit.slots.size == 17


def test_a_limit_falls_where_answers_become_slow() -> None:
    limit = AdaptiveLimit(40)
    for seconds in [0.5] * 128 + [5.0] * 128:
        limit.answered(seconds)
    assert 1 < limit.slots.size < 40


def test_a_rest_that_is_given_up_gives_its_slot_back(clock: Clock) -> None:
    async def go() -> float:
        limit = AdaptiveLimit(1)
        limit.pushed_back(30.0)
        resting = asyncio.create_task(limit.acquire())
        await asyncio.sleep(1.0)
        resting.cancel()
        await asyncio.gather(resting, return_exceptions=True)
        await limit.acquire()
        return clock()

    began = clock()
    assert run(go(), clock) - began == pytest.approx(30.0)


def test_a_rest_that_is_asked_for_anew_is_rested_to_its_end(clock: Clock) -> None:
    async def go() -> float:
        limit = AdaptiveLimit(4)
        limit.pushed_back(10.0)
        resting = asyncio.create_task(limit.acquire())
        await asyncio.sleep(5.0)
        limit.pushed_back(10.0)
        await resting
        return clock()

    began = clock()
    assert run(go(), clock) - began == pytest.approx(15.0)


def spend(clock: Clock, pace: RateLimiter, *amounts: float) -> float:
    """Seconds that it takes to spend so much, one after another."""

    async def go() -> None:
        for amount in amounts:
            await pace.acquire(amount)

    started = clock()
    run(go(), clock)
    return clock() - started


def test_a_pace_spreads_what_goes_beyond_a_second(clock: Clock) -> None:
    assert spend(clock, RateLimiter(6_100), *[1.0] * 100) == 0
    assert spend(clock, RateLimiter(6_100), *[1.0] * 140) == pytest.approx(0.4)  # 40 more at 100 a second


@pytest.mark.parametrize("per_minute", [3, 61, 1_000])
def test_in_no_minute_are_there_more_than_a_pace_allows_and_in_the_long_run_hardly_fewer(
    per_minute: int, clock: Clock
) -> None:
    times, pace, dice = list[float](), RateLimiter(per_minute), random.Random(per_minute)

    async def one() -> None:
        await pace.acquire()
        times.append(clock())

    async def go() -> None:
        for _ in range(4):  # many at once, then one now and then, then nobody for a while
            await asyncio.gather(*(one() for _ in range(2 * per_minute)))
            for _ in range(per_minute // 2):
                await asyncio.sleep(dice.uniform(0.0, 120.0 / per_minute))
                await one()
            await asyncio.sleep(dice.uniform(0.0, 30.0))

    run(go(), clock)
    assert times == sorted(times)
    assert all(later - first > 59.999 for first, later in zip(times, times[per_minute:], strict=False))
    assert times[2 * per_minute - 1] - times[0] < 123.0


def test_a_pace_of_tokens_counts_tokens(clock: Clock) -> None:
    assert spend(clock, RateLimiter(61_000), 1_000, 300) == pytest.approx(0.3)


def test_a_pace_gives_back_what_was_not_used(clock: Clock) -> None:
    pace = RateLimiter(61_000)
    assert spend(clock, pace, 1_000) == 0
    pace.settle(1_000, 200)
    assert spend(clock, pace, 800) == 0
    pace.settle(0, 500)
    assert spend(clock, pace, 10) == pytest.approx(0.51)


def test_no_pace_never_waits(clock: Clock) -> None:
    assert spend(clock, RateLimiter(None), *[1e9] * 1_000) == 0
