"""A server that is restarted is waited for; one that stays away stops the run; one bad call is that call's failure."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

import pytest

from mores.core.errors import NotServed, RunError, Unreachable
from mores.models.budget import Budget
from mores.models.client import ModelClient
from mores.models.request import CallFailed, Reply, Request
from mores.models.retries import OUTAGE_CALLS, RetryPolicy
from tests.models.clients import Script, Turn, ask_all, at_door, passing, request, said, texts
from tests.models.clock import Clock

PATIENT = RetryPolicy()
MINUTE = 60.0


def many(count: int) -> list[Request]:
    return [request(f"Question {n}", item=f"i-{n}") for n in range(count)]


def away(clock: Clock, cause: str, *, first: int, until: float) -> Turn:
    """Answers the first calls, is away until a moment after the first of them, and answers again."""
    began: list[float] = []
    asked = 0

    async def turn(_: Request) -> Reply:
        nonlocal asked
        asked += 1
        began.append(clock())
        if asked > first and began[-1] - began[0] < until:
            raise passing(cause)
        return said()

    return turn


def warmed(*requests: Request) -> Callable[[ModelClient], Awaitable[list[Reply | BaseException]]]:
    """One call first, so that the server was there, then all at once."""

    async def use(door: ModelClient) -> list[Reply | BaseException]:
        await door.ask(request("warm"))
        return await ask_all(*requests)(door)

    return use


@pytest.mark.parametrize("cause", ["no connection", "broken connection", "http 503"])
@pytest.mark.parametrize("calls", [1, 40])
def test_a_server_that_comes_back_within_a_minute_is_waited_for(
    tmp_path: Path, cause: str, calls: int, clock: Clock
) -> None:
    model = Script(away(clock, cause, first=1, until=MINUTE * 0.9))
    replies = at_door(tmp_path, model, warmed(*many(calls)), window=64, patience=PATIENT, clock=clock)
    assert texts(replies) == ["True"] * calls


@pytest.mark.parametrize("calls", [1, 100])
def test_a_server_that_stays_away_is_given_up_after_a_minute_and_not_before(
    tmp_path: Path, calls: int, clock: Clock
) -> None:
    began = clock()
    model = Script(away(clock, "no connection", first=1, until=9_999))
    replies = at_door(tmp_path, model, warmed(*many(calls)), window=64, patience=PATIENT, clock=clock)
    assert all(isinstance(reply, Unreachable) for reply in replies)
    assert MINUTE <= clock() - began < 2 * MINUTE


def test_a_server_that_was_never_there_is_given_up_soon(tmp_path: Path, clock: Clock) -> None:
    began = clock()
    (error,) = at_door(tmp_path, Script(passing("no connection")), ask_all(request()), patience=PATIENT, clock=clock)
    assert isinstance(error, Unreachable)
    assert clock() - began < 5.0


def test_a_call_that_breaks_every_connection_fails_alone(tmp_path: Path) -> None:
    async def turn(asked: Request) -> Reply:
        if asked.messages[0].content == "poison":
            raise passing("broken connection")
        return said()

    patience = RetryPolicy(first_wait=0.001)
    replies = at_door(tmp_path, Script(turn), ask_all(*many(30), request("poison"), *many(60)[30:]), patience=patience)
    causes = [reply.cause for reply in replies if isinstance(reply, CallFailed)]
    assert causes == ["broken connection"]
    assert sum(isinstance(reply, Reply) for reply in replies) == 60


def test_calls_that_nobody_took_are_not_paid_for(tmp_path: Path, clock: Clock) -> None:
    budget = Budget(max_calls=6)
    model = Script(away(clock, "no connection", first=1, until=MINUTE / 4))
    replies = at_door(tmp_path, model, warmed(*many(5)), budget=budget, patience=PATIENT, clock=clock)
    assert texts(replies) == ["True"] * 5
    assert budget.calls == 6


def by_workers(workers: int, *requests: Request) -> Callable[[ModelClient], Awaitable[list[Reply | BaseException]]]:
    """So many at a time, each the next once one is over, until the first that stops a run; as a sitting asks."""

    async def use(door: ModelClient) -> list[Reply | BaseException]:
        left, came = iter(requests), list[Reply | BaseException]()

        async def work() -> None:
            for each in left:
                try:
                    came.append(await door.ask(each))
                except (CallFailed, RunError) as error:
                    came.append(error)
                if isinstance(came[-1], RunError):
                    return

        await asyncio.gather(*(work() for _ in range(workers)))
        return came

    return use


@pytest.mark.parametrize("window", [1, 8, 64])
def test_who_takes_calls_and_drops_them_is_asked_64_times_in_a_row_at_most(
    tmp_path: Path, window: int, clock: Clock
) -> None:
    began, model = clock(), Script(passing("broken connection"))
    replies = at_door(tmp_path, model, by_workers(window, *many(200)), window=window, patience=PATIENT, clock=clock)
    assert all(isinstance(reply, Unreachable | CallFailed) for reply in replies)
    assert isinstance(replies[-1], Unreachable)
    assert model.asked.total() <= window + OUTAGE_CALLS
    assert MINUTE <= clock() - began < 10 * MINUTE


def test_waits_between_calls_that_are_dropped_double_for_all_of_them_together(tmp_path: Path, clock: Clock) -> None:
    asked: list[float] = []

    async def turn(_: Request) -> Reply:
        asked.append(clock())
        raise passing("broken connection")

    at_door(tmp_path, Script(turn), ask_all(*many(64)), window=64, patience=PATIENT, clock=clock)
    first = asked[0]
    later = [when for when in asked if when > first]
    waits = [after - before for before, after in pairwise([first, *later])]
    assert asked.count(first) == 64  # they were under way already
    assert all(wait >= 0.125 for wait in waits)
    assert len([when for when in later if when - first < MINUTE]) < 12


def test_once_a_dropped_call_is_answered_all_go_on_at_once(tmp_path: Path, clock: Clock) -> None:
    began = clock()
    model = Script(away(clock, "broken connection", first=0, until=5.0))
    replies = at_door(tmp_path, model, ask_all(*many(64)), window=64, patience=PATIENT, clock=clock)
    assert texts(replies) == ["True"] * 64
    assert clock() - began < 20.0


def limited(clock: Clock, *, until: float) -> Turn:
    """Lets the first call through, and then none until a moment."""
    began: list[float] = []

    async def turn(_: Request) -> Reply:
        began.append(clock())
        if len(began) > 1 and clock() - began[0] < until:
            raise passing("http 429")
        return said()

    return turn


def test_a_limit_of_a_minute_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    model = Script(limited(clock, until=MINUTE * 0.9))
    replies = at_door(tmp_path, model, by_workers(4, *many(60)), window=4, patience=PATIENT, clock=clock)
    assert not any(isinstance(reply, NotServed) for reply in replies)
    assert sum(isinstance(reply, Reply) for reply in replies) >= 40


@pytest.mark.parametrize("window", [1, 16])
def test_a_limit_that_lets_nobody_through_ends_the_run(tmp_path: Path, window: int, clock: Clock) -> None:
    model = Script(limited(clock, until=9e9))
    replies = at_door(tmp_path, model, by_workers(window, *many(200)), window=window, patience=PATIENT, clock=clock)
    told = [str(reply) for reply in replies if isinstance(reply, NotServed)]
    assert told
    assert "quota" in told[0]
    first = next(place for place, reply in enumerate(replies) if isinstance(reply, NotServed))
    assert first < 8 * max(2, window)


def test_a_limit_that_short_questions_pass_is_those_calls_own(tmp_path: Path, clock: Clock) -> None:
    async def turn(asked: Request) -> Reply:
        if asked.tag.role == "probe":
            return said("ready")
        raise passing("http 429")

    replies = at_door(tmp_path, Script(turn), by_workers(2, *many(30)), window=2, patience=PATIENT, clock=clock)
    assert {reply.cause for reply in replies if isinstance(reply, CallFailed)} == {"http 429"}
    assert len(replies) == 30
